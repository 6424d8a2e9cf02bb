func.func @f(%a: tensor<16x16xcomplex<f32>>, %b: tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>> {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<16x16xcomplex<f32>>
  %c = linalg.fill ins(%zero : complex<f32>) outs(%empty : tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
  %g = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%a : tensor<16x16xcomplex<f32>>) outs(%empty : tensor<16x16xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %o: complex<f32>):
    linalg.yield %zero : complex<f32>
  } -> tensor<16x16xcomplex<f32>>
  %d = linalg.matmul ins(%g, %b : tensor<16x16xcomplex<f32>>, tensor<16x16xcomplex<f32>>) outs(%c : tensor<16x16xcomplex<f32>>) -> tensor<16x16xcomplex<f32>>
  return %d : tensor<16x16xcomplex<f32>>
}
// input:5:8: error: linalg.generic that computes something else of complex numbers; accepted: products of two, and around them sums, differences, negation, conjugates, transposition and broadcasts of complex<f32> or complex<f64>, and linalg.fill with 0
