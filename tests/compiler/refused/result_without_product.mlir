func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> (tensor<42x64xf32>, tensor<42x64xf32>) {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %empty = tensor.empty() : tensor<42x64xf32>
  %e = linalg.exp ins(%c : tensor<42x64xf32>) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d, %e : tensor<42x64xf32>, tensor<42x64xf32>
}
// input:4:8: error: a result that is computed without a product; accepted: results that depend on a product
