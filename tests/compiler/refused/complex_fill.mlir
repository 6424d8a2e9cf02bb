func.func @matmul(%a: tensor<42x32xcomplex<f32>>, %b: tensor<32x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>> {
  %one = complex.constant [1.0 : f32, 0.0 : f32] : complex<f32>
  %e = tensor.empty() : tensor<42x64xcomplex<f32>>
  %c = linalg.fill ins(%one : complex<f32>) outs(%e : tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xcomplex<f32>>, tensor<32x64xcomplex<f32>>) outs(%c : tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>>
  return %d : tensor<42x64xcomplex<f32>>
}
// input:4:8: error: linalg.fill with a complex number other than a constant 0; accepted: products of two, and around them sums, differences, negation, conjugates, transposition and broadcasts of complex<f32> or complex<f64>, and linalg.fill with 0
