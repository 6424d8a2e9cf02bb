func.func @matmul(%a: tensor<42x32xcomplex<f32>>, %b: tensor<32x64xcomplex<f32>>, %s: complex<f32>) -> tensor<42x64xcomplex<f32>> {
  %e = tensor.empty() : tensor<42x64xcomplex<f32>>
  %c = linalg.fill ins(%s : complex<f32>) outs(%e : tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xcomplex<f32>>, tensor<32x64xcomplex<f32>>) outs(%c : tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>>
  return %d : tensor<42x64xcomplex<f32>>
}
// input:1:83: error: one complex<f32>; accepted: tensors and memrefs of complex numbers, with known strides
