#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @matmul(%a: tensor<32x42xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<32x42xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:5:8: error: linalg.matmul with its own indexing_maps; accepted: the default maps, A[m,k] * B[k,n]; transposed operands are not accepted yet
