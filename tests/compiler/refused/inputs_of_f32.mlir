func.func @matmul(%a: tensor<42x32xf32>, %b: tensor<32x64xf32>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf32>, tensor<32x64xf32>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:1:19: error: inputs of f32; accepted: f16 or bf16 inputs
