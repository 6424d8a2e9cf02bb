func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf64>) -> tensor<42x64xf64> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf64>) -> tensor<42x64xf64>
  return %d : tensor<42x64xf64>
}
// input:1:65: error: a result of f64; accepted: f32, or the inputs' type f16
