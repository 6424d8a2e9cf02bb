// Attention of 8-bit floats with a scale of Q and K, and one of V.
func.func @f(%q: tensor<2x70x64xf8E4M3FN>, %k: tensor<2x90x64xf8E4M3FN>, %v: tensor<2x90x64xf8E4M3FN>, %qk: f32, %vs: f32) -> tensor<2x70x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant dense<0.125> : tensor<2x70x90xf32>
  %se = tensor.empty() : tensor<2x70x90xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<2x70x90xf32>) -> tensor<2x70x90xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%q, %k : tensor<2x70x64xf8E4M3FN>, tensor<2x90x64xf8E4M3FN>) outs(%sz : tensor<2x70x90xf32>) -> tensor<2x70x90xf32>
  %t0 = arith.mulf %s, %scale : tensor<2x70x90xf32>
  %qkt = tensor.splat %qk : tensor<2x70x90xf32>
  %t = arith.mulf %t0, %qkt : tensor<2x70x90xf32>
  %p = linalg.softmax dimension(2) ins(%t : tensor<2x70x90xf32>) outs(%se : tensor<2x70x90xf32>) -> tensor<2x70x90xf32>
  %f = arith.constant dense<448.0> : tensor<2x70x90xf32>
  %pf = arith.mulf %p, %f : tensor<2x70x90xf32>
  %n = arith.truncf %pf : tensor<2x70x90xf32> to tensor<2x70x90xf8E4M3FN>
  %oe = tensor.empty() : tensor<2x70x64xf32>
  %oz = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x70x64xf32>) -> tensor<2x70x64xf32>
  %o = linalg.batch_matmul ins(%n, %v : tensor<2x70x90xf8E4M3FN>, tensor<2x90x64xf8E4M3FN>) outs(%oz : tensor<2x70x64xf32>) -> tensor<2x70x64xf32>
  %g = arith.constant dense<0.002232142857142857> : tensor<2x70x64xf32>
  %o1 = arith.mulf %o, %g : tensor<2x70x64xf32>
  %vst = tensor.splat %vs : tensor<2x70x64xf32>
  %o2 = arith.mulf %o1, %vst : tensor<2x70x64xf32>
  return %o2 : tensor<2x70x64xf32>
}

