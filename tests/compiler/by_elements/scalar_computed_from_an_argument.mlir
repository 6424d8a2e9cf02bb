func.func @f(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>, %s: f32) -> tensor<16x16xf32> {
  %twice = arith.addf %s, %s : f32
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%d : tensor<16x16xf32>) {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %twice : f32
    linalg.yield %y : f32
  } -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}
