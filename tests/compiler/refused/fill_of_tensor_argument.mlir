func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %zero = arith.constant 0.0 : f32
  %filled = linalg.fill ins(%zero : f32) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%filled : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:1:65: error: a tensor argument that is only overwritten; accepted: a linalg.fill of tensor.empty()
