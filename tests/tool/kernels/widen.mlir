// Elements of two types, and a row that is added to each.
func.func @cast(%a: tensor<33x40xf16>, %b: tensor<40xf32>) -> tensor<33x40xf32> {
  %e = tensor.empty() : tensor<33x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<33x40xf16>, tensor<40xf32>) outs(%e : tensor<33x40xf32>) {
  ^bb0(%x: f16, %y: f32, %o: f32):
    %c = arith.extf %x : f16 to f32
    %s = arith.addf %c, %y : f32
    linalg.yield %s : f32
  } -> tensor<33x40xf32>
  return %r : tensor<33x40xf32>
}
