// Dimensions behind the one that is read, which are one in memory: 3 * 5 * 4 elements.
func.func @permute(%a: tensor<4x3x5x244xf16>) -> tensor<244x3x5x4xf16> {
  %e = tensor.empty() : tensor<244x3x5x4xf16>
  %r = linalg.transpose ins(%a : tensor<4x3x5x244xf16>) outs(%e : tensor<244x3x5x4xf16>) permutation = [3, 1, 2, 0]
  return %r : tensor<244x3x5x4xf16>
}
