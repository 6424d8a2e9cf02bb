// Three products at once.
func.func @batch(%a: tensor<3x42x32xbf16>, %b: tensor<3x32x64xbf16>) -> tensor<3x42x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x42x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x42x64xf32>) -> tensor<3x42x64xf32>
  %d = linalg.batch_matmul ins(%a, %b : tensor<3x42x32xbf16>, tensor<3x32x64xbf16>) outs(%c : tensor<3x42x64xf32>) -> tensor<3x42x64xf32>
  return %d : tensor<3x42x64xf32>
}
