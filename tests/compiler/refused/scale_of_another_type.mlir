func.func @blocks(%a: tensor<42x2x32xf4E2M1FN>, %b: tensor<64x2x32xf4E2M1FN>, %of_a: tensor<42x2xf8E4M3FN>, %of_b: tensor<64x2xf8E4M3FN>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>, affine_map<(m, n, g, k) -> (m, g)>, affine_map<(m, n, g, k) -> (n, g)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b, %of_a, %of_b : tensor<42x2x32xf4E2M1FN>, tensor<64x2x32xf4E2M1FN>, tensor<42x2xf8E4M3FN>, tensor<64x2xf8E4M3FN>) outs(%c : tensor<42x64xf32>) {
  ^bb0(%x: f4E2M1FN, %y: f4E2M1FN, %s: f8E4M3FN, %t: f8E4M3FN, %sum: f32):
    %left = arith.scaling_extf %x, %s : f4E2M1FN, f8E4M3FN to f32
    %right = arith.scaling_extf %y, %t : f4E2M1FN, f8E4M3FN to f32
    %product = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:4:13: error: arith.scaling_extf by scales of f8E4M3FN; accepted: scales of f8E8M0FNU; others by arith.extf and arith.mulf