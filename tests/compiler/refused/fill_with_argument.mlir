func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %x: f32) -> tensor<42x64xf32> {
  %empty = tensor.empty() : tensor<42x64xf32>
  %c = linalg.fill ins(%x : f32) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:3:8: error: a linalg.fill with a value of another type or not constant; accepted: an arith.constant of the result's element type
