// E4M3 times E5M2: WMMA of gfx12.
func.func @fp8(%a: tensor<42x32xf8E4M3FN>, %b: tensor<32x64xf8E5M2>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf8E4M3FN>, tensor<32x64xf8E5M2>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
