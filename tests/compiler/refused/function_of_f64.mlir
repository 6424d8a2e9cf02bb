#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<16x16xf64>, %b: tensor<16x16xf64>, %c: tensor<16x16xf64>) -> tensor<16x16xf64> {
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf64>, tensor<16x16xf64>) outs(%c : tensor<16x16xf64>) -> tensor<16x16xf64>
  %o = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]} outs(%d : tensor<16x16xf64>) {
  ^bb0(%x: f64):
    %y = math.exp %x : f64
    linalg.yield %y : f64
  } -> tensor<16x16xf64>
  return %o : tensor<16x16xf64>
}
// input:6:10: error: math.exp on f64; accepted: f32, or a function without an error of its own, such as math.floor or math.fma
