// A row of B for each column of the result: D[m, n] = sum over k of A[m, k] * B[n, k].
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @transposed(%a: tensor<42x32xf16>, %b: tensor<64x32xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul indexing_maps = [#a, #b, #d] ins(%a, %b : tensor<42x32xf16>, tensor<64x32xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
