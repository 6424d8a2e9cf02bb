func.func @f(%a: tensor<5x7x7xf32>, %b: tensor<4x3x2xf32>) -> tensor<245xf32> {
  %v = tensor.insert_slice %b into %a[0, 0, 0] [4, 3, 2] [1, 1, 1] : tensor<4x3x2xf32> into tensor<5x7x7xf32>
  %r = tensor.collapse_shape %v [[0, 1, 2]] : tensor<5x7x7xf32> into tensor<245xf32>
  return %r : tensor<245xf32>
}
