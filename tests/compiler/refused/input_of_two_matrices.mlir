func.func @matmul(%a: tensor<42x32xf16>, %e: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %empty = tensor.empty() : tensor<42x32xf16>
  %sum = linalg.add ins(%a, %e : tensor<42x32xf16>, tensor<42x32xf16>) outs(%empty : tensor<42x32xf16>) -> tensor<42x32xf16>
  %d = linalg.matmul ins(%sum, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:3:10: error: an input computed from several matrices; accepted: elementwise operations on one function argument, with constants
