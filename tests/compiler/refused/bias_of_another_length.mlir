func.func @f(%a: tensor<?x64xf16>, %b: tensor<64x32xf16>, %c: tensor<?x32xf32>, %v: tensor<48xf32>) -> tensor<?x32xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x32xf16>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<48xf32>) outs(%d : tensor<?x32xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?x32xf32>
  return %o : tensor<?x32xf32>
}
// input:3:8: error: linalg.generic over 48 in dimension 0 of operand 0 and over 32 in dimension 1 of operand 1; accepted: equal sizes where one loop runs
