// An f8E4M3FN beyond the largest number is NaN, and stays NaN when it is widened. One of f8E5M2 is
// infinite.
func.func @overflow(%a: tensor<40x32xf16>, %b: tensor<32x48xf16>) -> (tensor<40x48xf32>, tensor<40x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %factor = arith.constant 1.0e5 : f32
  %empty = tensor.empty() : tensor<40x48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<40x48xf32>) -> tensor<40x48xf32>
  %d = linalg.matmul ins(%a, %b : tensor<40x32xf16>, tensor<32x48xf16>) outs(%zeros : tensor<40x48xf32>) -> tensor<40x48xf32>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<40x48xf32>) outs(%empty, %empty : tensor<40x48xf32>, tensor<40x48xf32>) {
  ^bb0(%x: f32, %o0: f32, %o1: f32):
    %large = arith.mulf %x, %factor : f32
    %e4m3 = arith.truncf %large : f32 to f8E4M3FN
    %e5m2 = arith.truncf %large : f32 to f8E5M2
    %first = arith.extf %e4m3 : f8E4M3FN to f32
    %second = arith.extf %e5m2 : f8E5M2 to f32
    linalg.yield %first, %second : f32, f32
  } -> (tensor<40x48xf32>, tensor<40x48xf32>)
  return %0#0, %0#1 : tensor<40x48xf32>, tensor<40x48xf32>
}
