func.func @matmul(%a: tensor<42x32xcomplex<f16>>, %b: tensor<32x64xcomplex<f16>>, %c: tensor<42x64xcomplex<f16>>) -> tensor<42x64xcomplex<f16>> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xcomplex<f16>>, tensor<32x64xcomplex<f16>>) outs(%c : tensor<42x64xcomplex<f16>>) -> tensor<42x64xcomplex<f16>>
  return %d : tensor<42x64xcomplex<f16>>
}
// input:1:19: error: elements of complex<f16>; accepted: complex<f32> or complex<f64>
