func.func @matmul(%a: tensor<42x32xi8>, %b: tensor<32x64xi8>, %c: tensor<42x64xi32>) -> tensor<42x64xi64> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xi8>, tensor<32x64xi8>) outs(%c : tensor<42x64xi32>) -> tensor<42x64xi32>
  %e = tensor.empty() : tensor<42x64xi64>
  %f = linalg.add ins(%d, %d : tensor<42x64xi32>, tensor<42x64xi32>) outs(%e : tensor<42x64xi64>) -> tensor<42x64xi64>
  return %f : tensor<42x64xi64>
}
// input:4:8: error: arith.extsi on i64; accepted: operations on f32, f16, bf16, f8E4M3FN, f8E5M2, i32, i8 and i1
