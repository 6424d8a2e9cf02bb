#map = affine_map<(m, n) -> (m, n)>
func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> (tensor<42x64xf32>, tensor<42x64xf32>) {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %empty = tensor.empty() : tensor<42x64xf32>
  %e = linalg.exp ins(%d : tensor<42x64xf32>) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d, %e : tensor<42x64xf32>, tensor<42x64xf32>
}
// input:5:8: error: several results computed from one product; accepted: one result of each product, from which others that parts after it need are computed
