// Two layers of fp8: what the first gives is activated, scaled, clamped and rounded to 8 bits for the
// second.
func.func @layers(%x: tensor<42x32xf8E4M3FN>, %up: tensor<32x96xf8E4M3FN>, %down: tensor<96x64xf8E4M3FN>) -> tensor<42x64xf8E4M3FN> {
  %zero = arith.constant 0.0 : f32
  %most = arith.constant 448.0 : f32
  %scale = arith.constant 0.125 : f32
  %empty = tensor.empty() : tensor<42x96xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<42x96xf32>) -> tensor<42x96xf32>
  %h = linalg.matmul ins(%x, %up : tensor<42x32xf8E4M3FN>, tensor<32x96xf8E4M3FN>) outs(%zeros : tensor<42x96xf32>) -> tensor<42x96xf32>
  %bytes = tensor.empty() : tensor<42x96xf8E4M3FN>
  %q = linalg.map ins(%h : tensor<42x96xf32>) outs(%bytes : tensor<42x96xf8E4M3FN>) (%sum: f32, %old: f8E4M3FN) {
    %activated = arith.maximumf %sum, %zero : f32
    %scaled = arith.mulf %activated, %scale : f32
    %clamped = arith.minimumf %scaled, %most : f32
    %byte = arith.truncf %clamped : f32 to f8E4M3FN
    linalg.yield %byte : f8E4M3FN
  }
  %empty_d = tensor.empty() : tensor<42x64xf32>
  %zeros_d = linalg.fill ins(%zero : f32) outs(%empty_d : tensor<42x64xf32>) -> tensor<42x64xf32>
  %d = linalg.matmul ins(%q, %down : tensor<42x96xf8E4M3FN>, tensor<96x64xf8E4M3FN>) outs(%zeros_d : tensor<42x64xf32>) -> tensor<42x64xf32>
  %r = arith.truncf %d : tensor<42x64xf32> to tensor<42x64xf8E4M3FN>
  return %r : tensor<42x64xf8E4M3FN>
}
