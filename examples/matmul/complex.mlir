// The conjugate transpose of A times B, of complex numbers: each is two floats in memory.
func.func @complex(%a: tensor<96x64xcomplex<f32>>, %b: tensor<96x80xcomplex<f32>>)
    -> tensor<64x80xcomplex<f32>> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<64x80xcomplex<f32>>
  %c = linalg.fill ins(%zero : complex<f32>) outs(%empty : tensor<64x80xcomplex<f32>>)
    -> tensor<64x80xcomplex<f32>>
  %e = tensor.empty() : tensor<96x64xcomplex<f32>>
  %conjugate = linalg.map { complex.conj } ins(%a : tensor<96x64xcomplex<f32>>)
    outs(%e : tensor<96x64xcomplex<f32>>)
  %d = linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>,
                     affine_map<(m, n, k) -> (m, n)>]
    ins(%conjugate, %b : tensor<96x64xcomplex<f32>>, tensor<96x80xcomplex<f32>>)
    outs(%c : tensor<64x80xcomplex<f32>>) -> tensor<64x80xcomplex<f32>>
  return %d : tensor<64x80xcomplex<f32>>
}
