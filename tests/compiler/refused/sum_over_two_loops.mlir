#a = affine_map<(m, n, j, k) -> (m, j, k)>
#b = affine_map<(m, n, j, k) -> (j, k, n)>
#c = affine_map<(m, n, j, k) -> (m, n)>
func.func @matmul(%a: tensor<42x2x16xf16>, %b: tensor<2x16x64xf16>, %c: tensor<42x64xf16>) -> tensor<42x64xf16> {
  %d = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<42x2x16xf16>, tensor<2x16x64xf16>) outs(%c : tensor<42x64xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %p = arith.mulf %x, %y : f16
    %t = arith.addf %s, %p : f16
    linalg.yield %t : f16
  } -> tensor<42x64xf16>
  return %d : tensor<42x64xf16>
}
// input:5:8: error: linalg.generic that is no matmul; accepted: a sum over one loop: the result, unscaled, plus a product of two operands, each perhaps with casts and constants
