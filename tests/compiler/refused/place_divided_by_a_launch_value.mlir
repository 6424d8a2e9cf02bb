func.func @f(%a: tensor<8xi64>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>,affine_map<(d0)->(d0)>,affine_map<(d0)->(d0)>], iterator_types=["parallel"]} ins(%a, %x : tensor<8xi64>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%q: i64, %y: f32, %o: f32):
    %i = linalg.index 0 : index
%z = arith.constant 0 : index
 %k = affine.apply affine_map<(d0)[s0] -> (d0 mod s0)>(%i)[%z]
 %w = arith.index_cast %k : index to i32
 %v = arith.sitofp %w : i32 to f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// input:7:7: error: affine.apply with a divisor that is no number above 0; accepted: constant divisors from 1, or arith's divisions
