func.func @f(%a: tensor<8xi64>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0)->(d0)>,affine_map<(d0)->(d0)>,affine_map<(d0)->(d0)>], iterator_types=["parallel"]} ins(%a, %x : tensor<8xi64>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%q: i64, %y: f32, %o: f32):
    %i = linalg.index 0 : index
%c = arith.constant dense<1.0> : tensor<4xf32>
 %v0 = tensor.extract %c[%i] : tensor<4xf32>
 %v = arith.addf %y, %v0 : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// input:6:6: error: arith.constant of a tensor in a body; accepted: tensors of constants outside of it
