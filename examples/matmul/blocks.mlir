// Numbers of 4 bits in blocks of 32 along k, each with a power of two for all of them: the OCP's
// microscaling format MXFP4.
func.func @blocks(%a: tensor<42x2x32xf4E2M1FN>, %b: tensor<64x2x32xf4E2M1FN>, %of_a: tensor<42x2xf8E8M0FNU>, %of_b: tensor<64x2xf8E8M0FNU>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, g, k) -> (m, g, k)>, affine_map<(m, n, g, k) -> (n, g, k)>, affine_map<(m, n, g, k) -> (m, g)>, affine_map<(m, n, g, k) -> (n, g)>, affine_map<(m, n, g, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b, %of_a, %of_b : tensor<42x2x32xf4E2M1FN>, tensor<64x2x32xf4E2M1FN>, tensor<42x2xf8E8M0FNU>, tensor<64x2xf8E8M0FNU>) outs(%c : tensor<42x64xf32>) {
  ^bb0(%x: f4E2M1FN, %y: f4E2M1FN, %s: f8E8M0FNU, %t: f8E8M0FNU, %sum: f32):
    %left = arith.scaling_extf %x, %s : f4E2M1FN, f8E8M0FNU to f32
    %right = arith.scaling_extf %y, %t : f4E2M1FN, f8E8M0FNU to f32
    %product = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
