// One element of a computed tensor, which all elements of a result read.
#map = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
func.func @element_for_all(%a: tensor<6x8xf32>, %c: tensor<6xf32>) -> (tensor<6x8xf32>, tensor<6xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<6x8xf32>
  %b = linalg.exp ins(%a : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) -> tensor<6x8xf32>
  %one = tensor.extract %b[%c2, %c1] : tensor<6x8xf32>
  %d = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<6x8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %one : f32
    linalg.yield %s : f32
  } -> tensor<6x8xf32>
  %sum = linalg.generic {indexing_maps = [#map, #out], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<6x8xf32>) outs(%c : tensor<6xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %x, %s : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  return %d, %sum : tensor<6x8xf32>, tensor<6xf32>
}
