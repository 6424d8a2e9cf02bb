func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xbf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xbf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:1:42: error: inputs of f16 and bf16; accepted: both of one type, or f8E4M3FN with f8E5M2
