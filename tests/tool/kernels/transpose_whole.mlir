// Whole tiles: no edges.
func.func @tr(%a: tensor<512x384xf16>) -> tensor<384x512xf16> {
  %e = tensor.empty() : tensor<384x512xf16>
  %r = linalg.transpose ins(%a : tensor<512x384xf16>) outs(%e : tensor<384x512xf16>) permutation = [1, 0]
  return %r : tensor<384x512xf16>
}
