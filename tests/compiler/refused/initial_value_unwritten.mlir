func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>) -> tensor<42x64xf32> {
  %empty = tensor.empty() : tensor<42x64xf32>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:12: error: an initial value that nothing wrote; accepted: a function argument, or a linalg.fill with a constant
