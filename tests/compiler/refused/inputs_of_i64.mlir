func.func @matmul(%a: tensor<42x32xi64>, %b: tensor<32x64xi64>, %c: tensor<42x64xi64>) -> tensor<42x64xi64> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xi64>, tensor<32x64xi64>) outs(%c : tensor<42x64xi64>) -> tensor<42x64xi64>
  return %d : tensor<42x64xi64>
}
// input:1:19: error: inputs of i64; accepted: f16, bf16, f32, f8E4M3FN, f8E5M2, i4, i8, i16 or i32 inputs
