// Winograd's transforms along one dimension, each by itself.
func.func @winograd_of_one_dimension(%d: tensor<2x6x1x5xf32>, %g: tensor<3x3x1x5xf32>, %v: tensor<4x1x2x1x2x3xf32>, %y: tensor<2x4x1x3xf32>) -> (tensor<4x1x5x3xf32>, tensor<4x1x2x1x2x5xf32>, tensor<2x4x1x3xf32>) {
  %0 = tensor.empty() : tensor<4x1x5x3xf32>
  %1 = linalg.winograd_filter_transform fmr(F_2_3) ins(%g : tensor<3x3x1x5xf32>) outs(%0 : tensor<4x1x5x3xf32>) -> tensor<4x1x5x3xf32>
  %2 = tensor.empty() : tensor<4x1x2x1x2x5xf32>
  %3 = linalg.winograd_input_transform fmr(F_2_3) ins(%d : tensor<2x6x1x5xf32>) outs(%2 : tensor<4x1x2x1x2x5xf32>) -> tensor<4x1x2x1x2x5xf32>
  %4 = linalg.winograd_output_transform fmr(F_2_3) ins(%v : tensor<4x1x2x1x2x3xf32>) outs(%y : tensor<2x4x1x3xf32>) -> tensor<2x4x1x3xf32>
  return %1, %3, %4 : tensor<4x1x5x3xf32>, tensor<4x1x2x1x2x5xf32>, tensor<2x4x1x3xf32>
}
