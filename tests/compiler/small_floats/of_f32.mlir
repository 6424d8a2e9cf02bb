// Every way an f32 becomes a float of 8 bits: ties, numbers without an exponent of their own, and what
// is beyond the largest.
func.func @narrow(%wide: tensor<2048x4xf32>) -> (tensor<2048x4xf8E4M3FN>, tensor<2048x4xf8E5M2>, tensor<2048x4xf8E4M3FNUZ>, tensor<2048x4xf8E5M2FNUZ>) {
  %same = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2048x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2048x4xf32>) -> tensor<2048x4xf32>
  %d = linalg.matmul ins(%wide, %same : tensor<2048x4xf32>, tensor<4x4xf32>) outs(%zeros : tensor<2048x4xf32>) -> tensor<2048x4xf32>
  %0 = arith.truncf %d : tensor<2048x4xf32> to tensor<2048x4xf8E4M3FN>
  %1 = arith.truncf %d : tensor<2048x4xf32> to tensor<2048x4xf8E5M2>
  %2 = arith.truncf %d : tensor<2048x4xf32> to tensor<2048x4xf8E4M3FNUZ>
  %3 = arith.truncf %d : tensor<2048x4xf32> to tensor<2048x4xf8E5M2FNUZ>
  return %0, %1, %2, %3 : tensor<2048x4xf8E4M3FN>, tensor<2048x4xf8E5M2>, tensor<2048x4xf8E4M3FNUZ>, tensor<2048x4xf8E5M2FNUZ>
}
