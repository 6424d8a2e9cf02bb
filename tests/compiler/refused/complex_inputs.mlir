func.func @matmul(%a: tensor<42x32xcomplex<f32>>, %b: tensor<32x64xcomplex<f32>>, %c: tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xcomplex<f32>>, tensor<32x64xcomplex<f32>>) outs(%c : tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>>
  return %d : tensor<42x64xcomplex<f32>>
}
// input:1:19: error: inputs of complex<f32>; accepted: real and imaginary parts in tensors of their own, with a product for each pair
