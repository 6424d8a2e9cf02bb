// Signed bytes with sums in i32, which wrap around.
func.func @bytes(%a: tensor<42x32xi8>, %b: tensor<32x64xi8>, %c: tensor<42x64xi32>) -> tensor<42x64xi32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xi8>, tensor<32x64xi8>) outs(%c : tensor<42x64xi32>) -> tensor<42x64xi32>
  return %d : tensor<42x64xi32>
}
