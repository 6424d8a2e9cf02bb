func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xbf16>) -> tensor<42x64xbf16> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xbf16>) -> tensor<42x64xbf16>
  return %d : tensor<42x64xbf16>
}
// input:1:65: error: a result of bf16 of inputs of f16; accepted: f32, or the inputs' type
