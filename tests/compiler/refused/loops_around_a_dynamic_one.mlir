#a = affine_map<(m, n, i, j) -> (j, i, m)>
#b = affine_map<(m, n, i, j) -> (i, j, n)>
#c = affine_map<(m, n, i, j) -> (m, n)>
func.func @f(%a: tensor<3x?x5xf16>, %b: tensor<?x3x24xf16>, %c: tensor<5x24xf32>) -> tensor<5x24xf32> {
  %d = linalg.contract indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<3x?x5xf16>, tensor<?x3x24xf16>) outs(%c : tensor<5x24xf32>) -> tensor<5x24xf32>
  return %d : tensor<5x24xf32>
}
// input:5:8: error: rows whose distance is no product of the sizes that a kernel is told; accepted: dynamic sizes in the outermost dimensions
