// Products and sums in f64, of inputs of f32: of mma.sync on NVIDIA, by multiply-adds on RDNA.
func.func @doubles(%a: tensor<42x32xf32>, %b: tensor<32x64xf32>, %c: tensor<42x64xf64>) -> tensor<42x64xf64> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf32>, tensor<32x64xf32>) outs(%c : tensor<42x64xf64>) -> tensor<42x64xf64>
  return %d : tensor<42x64xf64>
}
