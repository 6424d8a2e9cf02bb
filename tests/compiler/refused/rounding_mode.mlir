func.func @f(%a: tensor<40x512xf16>, %b: tensor<512x72xf16>, %c: tensor<40x72xf32>) -> tensor<40x72xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<40x512xf16>, tensor<512x72xf16>) outs(%c : tensor<40x72xf32>) -> tensor<40x72xf32>
  %e = tensor.empty() : tensor<40x72xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<40x72xf32>) outs(%e : tensor<40x72xf32>) {
  ^bb0(%s: f32, %u: f32):
    %q = arith.truncf %s upward : f32 to f16
    %y = arith.extf %q : f16 to f32
    linalg.yield %y : f32
  } -> tensor<40x72xf32>
  return %o : tensor<40x72xf32>
}
// input:6:10: error: arith.truncf upward; accepted: to_nearest_even, which is what it does without a word
