#map = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @chain(%a: tensor<32x32xf32>, %c: tensor<32x32xf32>, %e: tensor<32xf32>) -> tensor<32x32xf32> {
  %p = linalg.matmul ins(%a, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  %most = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<32x32xf32>) outs(%e : tensor<32xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.maximumf %x, %s : f32
    linalg.yield %t : f32
  } -> tensor<32xf32>
  %scaled = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]} ins(%p, %most : tensor<32x32xf32>, tensor<32xf32>) outs(%c : tensor<32x32xf32>) {
  ^bb0(%x: f32, %s: f32, %unused: f32):
    %t = arith.subf %x, %s : f32
    linalg.yield %t : f32
  } -> tensor<32x32xf32>
  %q = linalg.matmul ins(%scaled, %a : tensor<32x32xf32>, tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %q : tensor<32x32xf32>
}
// input:5:11: error: linalg.generic that is no matmul; accepted: a sum over loops: the result, unscaled, plus a product of two operands, each perhaps with casts and constants
