func.func @f(%a: tensor<?x64xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a, %a : tensor<?x64xf16>, tensor<?x64xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
