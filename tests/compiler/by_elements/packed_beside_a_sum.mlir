// A tensor that is packed with padding, beside the sums of its rows.
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>
func.func @packed_beside_a_sum(%a: tensor<10x12xi32>) -> (tensor<10xi32>, tensor<3x3x4x4xi32>) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %empty = tensor.empty() : tensor<10xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<10xi32>) -> tensor<10xi32>
  %sum = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<10x12xi32>) outs(%zeros : tensor<10xi32>) {
  ^bb0(%x: i32, %s: i32):
    %t = arith.addi %x, %s : i32
    linalg.yield %t : i32
  } -> tensor<10xi32>
  %place = tensor.empty() : tensor<3x3x4x4xi32>
  %pack = linalg.pack %a padding_value(%seven : i32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4] into %place : tensor<10x12xi32> -> tensor<3x3x4x4xi32>
  return %sum, %pack : tensor<10xi32>, tensor<3x3x4x4xi32>
}
