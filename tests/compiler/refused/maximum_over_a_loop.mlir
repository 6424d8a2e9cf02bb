#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @matmul(%a: tensor<42x32xf32>, %b: tensor<32x64xf32>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<42x32xf32>, tensor<32x64xf32>) outs(%c : tensor<42x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.maximumf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:5:8: error: linalg.generic that is no matmul; accepted: a sum over loops: the result, unscaled, plus a product of two operands, each perhaps with casts and constants
