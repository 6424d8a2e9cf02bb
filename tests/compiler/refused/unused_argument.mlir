func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>, %x: f32) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:1:88: error: an argument that the linalg.matmul does not use; accepted: arguments that are A, B and, unless a constant fills it, C
