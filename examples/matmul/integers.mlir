// Bytes less their zero point, times weights of i32: sums wrap around.
func.func @integers(%a: tensor<42x96xi8>, %b: tensor<96x64xi32>, %c: tensor<42x64xi32>) -> tensor<42x64xi32> {
  %e = tensor.empty() : tensor<42x96xi32>
  %x = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<42x96xi8>) outs(%e : tensor<42x96xi32>) {
  ^bb0(%byte: i8, %unused: i32):
    %zero_point = arith.constant 7 : i32
    %wide = arith.extsi %byte : i8 to i32
    %r = arith.subi %wide, %zero_point : i32
    linalg.yield %r : i32
  } -> tensor<42x96xi32>
  %d = linalg.matmul ins(%x, %b : tensor<42x96xi32>, tensor<96x64xi32>) outs(%c : tensor<42x64xi32>) -> tensor<42x64xi32>
  return %d : tensor<42x64xi32>
}
