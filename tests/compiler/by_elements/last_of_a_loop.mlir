// A reduction whose body reads no sum: the last element of the loop is the result.
#in = affine_map<(i, j, k) -> (i, k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
func.func @last_of_a_loop(%a: tensor<5x9x7xf32>) -> tensor<5x7xf32> {
  %d = tensor.empty() : tensor<5x7xf32>
  %r = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a : tensor<5x9x7xf32>) outs(%d : tensor<5x7xf32>) {
  ^bb0(%x: f32, %s: f32):
    linalg.yield %x : f32
  } -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
