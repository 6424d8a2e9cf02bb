func.func @f(%a: tensor<?x16xf16>, %b: tensor<3x16x24xf16>, %c: tensor<?x24xf32>) -> tensor<?x24xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(y, f, r, c) -> (y + r, c)>, affine_map<(y, f, r, c) -> (r, c, f)>, affine_map<(y, f, r, c) -> (y, f)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : tensor<?x16xf16>, tensor<3x16x24xf16>) outs(%c : tensor<?x24xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
}
// input:1:14: error: a dynamic dimension of tensor<?x16xf16> that no loop fills; accepted: known sizes where a part of a dimension is read, or a window moves over it
