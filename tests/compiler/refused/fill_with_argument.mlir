func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %x: f32) -> tensor<42x64xf32> {
  %empty = tensor.empty() : tensor<42x64xf32>
  %c = linalg.fill ins(%x : f32) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:1:65: error: a scalar function argument of f32; accepted: tensors and memrefs, and numbers that are arith.constant
