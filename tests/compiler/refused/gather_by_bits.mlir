func.func @f(%a: tensor<8x4xf32>, %i: tensor<3x1xi1>) -> tensor<3x4xf32> {
  %g = tensor.gather %a[%i] gather_dims([0]) : (tensor<8x4xf32>, tensor<3x1xi1>) -> tensor<3x4xf32>
  return %g : tensor<3x4xf32>
}
// input:2:8: error: tensor.gather by indices of fewer than 8 bits; accepted: indices of index or of integers of 8 to 64 bits
