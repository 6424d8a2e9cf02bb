func.func @f(%a: tensor<32x32xi1>, %b: tensor<32x32xi1>, %c: tensor<32x32xi32>) -> tensor<32x32xi32> {
  %d = linalg.matmul ins(%a, %b : tensor<32x32xi1>, tensor<32x32xi1>) outs(%c : tensor<32x32xi32>) -> tensor<32x32xi32>
  return %d : tensor<32x32xi32>
}
// input:1:14: error: inputs of i1; accepted: i1 for A, B and the result alike, or i8
