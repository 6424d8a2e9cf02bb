#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>
func.func @f(%x: tensor<37x48xf16>, %a: tensor<56x48xf16>, %b: tensor<56x48xf16>) -> (tensor<37x56xf32>, tensor<37x56xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<37x56xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<37x56xf32>) -> tensor<37x56xf32>
  %p:2 = linalg.generic {indexing_maps = [#a, #b, #b, #d, #d], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %a, %b : tensor<37x48xf16>, tensor<56x48xf16>, tensor<56x48xf16>) outs(%z, %z : tensor<37x56xf32>, tensor<37x56xf32>) {
  ^bb0(%u: f16, %v: f16, %w: f16, %s: f32, %t: f32):
  %u1 = arith.extf %u : f16 to f32
  %v1 = arith.extf %v : f16 to f32
  %w1 = arith.extf %w : f16 to f32
  %uv = arith.mulf %u1, %v1 : f32
  %uw = arith.mulf %u1, %w1 : f32
  %s1 = arith.addf %s, %uv : f32
  %t1 = arith.addf %t, %uw : f32
  linalg.yield %s1, %t1 : f32, f32
  } -> (tensor<37x56xf32>, tensor<37x56xf32>)
  return %p#0, %p#1 : tensor<37x56xf32>, tensor<37x56xf32>
}
