#same = affine_map<(i, j) -> (i, j)>
func.func @f(%a: tensor<2x2xf16>, %b: tensor<2x2xf16>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %v = arith.constant dense_resource<elsewhere> : tensor<2x2xf32>
  %d = linalg.matmul ins(%a, %b : tensor<2x2xf16>, tensor<2x2xf16>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<2x2xf32>) outs(%d : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<2x2xf32>
  return %o : tensor<2x2xf32>
}
// input:3:8: error: a constant whose values the text does not have; accepted: an arith.constant with its values, and function arguments
