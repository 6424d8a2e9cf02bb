// Tensors that the text puts into others are values all the same: both are returned.
func.func @materialised_tensor(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %z = arith.constant 0.0 : f32
  %em = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%em : tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = bufferization.materialize_in_destination %e in %c : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = linalg.exp ins(%e : tensor<16x16xf32>) outs(%em : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r, %s : tensor<16x16xf32>, tensor<16x16xf32>
}
