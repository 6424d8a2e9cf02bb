func.func @matmul(%a: tensor<42x32xcomplex<f32>>, %b: tensor<32x64xcomplex<f32>>, %s: tensor<42x64xcomplex<f32>>, %c: tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xcomplex<f32>>, tensor<32x64xcomplex<f32>>) outs(%c : tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>>
  %e = linalg.mul ins(%d, %s : tensor<42x64xcomplex<f32>>, tensor<42x64xcomplex<f32>>) outs(%c : tensor<42x64xcomplex<f32>>) -> tensor<42x64xcomplex<f32>>
  return %e : tensor<42x64xcomplex<f32>>
}
// input:3:8: error: linalg.mul that computes something else of complex numbers; accepted: products of two, and around them sums, differences, negation, conjugates, transposition and broadcasts of complex<f32> or complex<f64>, and linalg.fill with 0
