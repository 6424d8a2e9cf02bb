// A step of latent attention: one cache of 576 columns has the keys, and values in its first 512.
func.func @attention_latent(%q: tensor<2x32x576xbf16>, %cache: tensor<2x300x576xbf16>) -> tensor<2x32x512xbf16> {
  %zero = arith.constant 0.0 : f32
  %v = tensor.extract_slice %cache[0, 0, 0] [2, 300, 512] [1, 1, 1] : tensor<2x300x576xbf16> to tensor<2x300x512xbf16>
  %se = tensor.empty() : tensor<2x32x300xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<2x32x300xf32>) -> tensor<2x32x300xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, n, d) -> (b, h, d)>, affine_map<(b, h, n, d) -> (b, n, d)>, affine_map<(b, h, n, d) -> (b, h, n)>] ins(%q, %cache : tensor<2x32x576xbf16>, tensor<2x300x576xbf16>) outs(%s0 : tensor<2x32x300xf32>) -> tensor<2x32x300xf32>
  %scale = arith.constant dense<0.041666667> : tensor<2x32x300xf32>
  %t = arith.mulf %s, %scale : tensor<2x32x300xf32>
  %w = linalg.softmax dimension(2) ins(%t : tensor<2x32x300xf32>) outs(%se : tensor<2x32x300xf32>) -> tensor<2x32x300xf32>
  %p = arith.truncf %w : tensor<2x32x300xf32> to tensor<2x32x300xbf16>
  %oe = tensor.empty() : tensor<2x32x512xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x32x512xf32>) -> tensor<2x32x512xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, c, n) -> (b, h, n)>, affine_map<(b, h, c, n) -> (b, n, c)>, affine_map<(b, h, c, n) -> (b, h, c)>] ins(%p, %v : tensor<2x32x300xbf16>, tensor<2x300x512xbf16>) outs(%o0 : tensor<2x32x512xf32>) -> tensor<2x32x512xf32>
  %d = arith.truncf %o : tensor<2x32x512xf32> to tensor<2x32x512xbf16>
  return %d : tensor<2x32x512xbf16>
}
