// By way of f16 and of bf16.
func.func @narrow(%a: tensor<96x64xf16>, %b: tensor<64x80xf16>, %scale: tensor<80xf32>) -> (tensor<96x80xf8E4M3FN>, tensor<96x80xf8E5M2>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<96x80xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<96x80xf32>) -> tensor<96x80xf32>
  %d = linalg.matmul ins(%a, %b : tensor<96x64xf16>, tensor<64x80xf16>) outs(%zeros : tensor<96x80xf32>) -> tensor<96x80xf32>
  %e4m3 = tensor.empty() : tensor<96x80xf8E4M3FN>
  %e5m2 = tensor.empty() : tensor<96x80xf8E5M2>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%d, %scale : tensor<96x80xf32>, tensor<80xf32>) outs(%e4m3, %e5m2 : tensor<96x80xf8E4M3FN>, tensor<96x80xf8E5M2>) {
  ^bb0(%x: f32, %s: f32, %o0: f8E4M3FN, %o1: f8E5M2):
    %half = arith.truncf %x : f32 to f16
    %low = arith.truncf %half : f16 to f8E4M3FN
    %scaled = arith.mulf %x, %s : f32
    %brain = arith.truncf %scaled : f32 to bf16
    %wide = arith.truncf %brain : bf16 to f8E5M2
    linalg.yield %low, %wide : f8E4M3FN, f8E5M2
  } -> (tensor<96x80xf8E4M3FN>, tensor<96x80xf8E5M2>)
  return %0#0, %0#1 : tensor<96x80xf8E4M3FN>, tensor<96x80xf8E5M2>
}
