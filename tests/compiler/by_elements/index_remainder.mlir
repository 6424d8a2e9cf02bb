#a = affine_map<(m, n, k) -> (m mod 7, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: tensor<7x32xf16>, %b: tensor<32x24xf16>, %c: tensor<20x24xf32>) -> tensor<20x24xf32> {
  %d = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<7x32xf16>, tensor<32x24xf16>) outs(%c : tensor<20x24xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<20x24xf32>
  return %d : tensor<20x24xf32>
}
