// Exact products and sums in f32; `--f32 bf16x3` multiplies on the matrix cores.
func.func @f32(%a: tensor<42x32xf32>, %b: tensor<32x64xf32>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf32>, tensor<32x64xf32>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
