// An argument that is returned as it is, beside the sums of its rows.
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
func.func @returned_argument(%a: tensor<10x12xi32>, %c: tensor<10xi32>) -> (tensor<10xi32>, tensor<10x12xi32>) {
  %sum = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<10x12xi32>) outs(%c : tensor<10xi32>) {
  ^bb0(%x: i32, %s: i32):
    %t = arith.addi %x, %s : i32
    linalg.yield %t : i32
  } -> tensor<10xi32>
  return %sum, %a : tensor<10xi32>, tensor<10x12xi32>
}
