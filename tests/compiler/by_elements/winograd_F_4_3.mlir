// A convolution by Winograd's transforms, in the words of MLIR.
func.func @winograd(%d: tensor<2x10x10x5xf32>, %g: tensor<3x3x3x5xf32>, %y: tensor<2x8x8x3xf32>) -> tensor<2x8x8x3xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<6x6x5x3xf32>
  %1 = linalg.winograd_filter_transform fmr(F_4_3) ins(%g : tensor<3x3x3x5xf32>) outs(%0 : tensor<6x6x5x3xf32>) -> tensor<6x6x5x3xf32>
  %2 = tensor.empty() : tensor<6x6x2x2x2x5xf32>
  %3 = linalg.winograd_input_transform fmr(F_4_3) ins(%d : tensor<2x10x10x5xf32>) outs(%2 : tensor<6x6x2x2x2x5xf32>) -> tensor<6x6x2x2x2x5xf32>
  %4 = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<6x6x5x3xf32> into tensor<36x5x3xf32>
  %5 = tensor.collapse_shape %3 [[0, 1], [2, 3, 4], [5]] : tensor<6x6x2x2x2x5xf32> into tensor<36x8x5xf32>
  %6 = tensor.empty() : tensor<36x8x3xf32>
  %7 = linalg.fill ins(%zero : f32) outs(%6 : tensor<36x8x3xf32>) -> tensor<36x8x3xf32>
  %8 = linalg.batch_matmul ins(%5, %4 : tensor<36x8x5xf32>, tensor<36x5x3xf32>) outs(%7 : tensor<36x8x3xf32>) -> tensor<36x8x3xf32>
  %9 = tensor.expand_shape %8 [[0, 1], [2, 3, 4], [5]] output_shape [6, 6, 2, 2, 2, 3] : tensor<36x8x3xf32> into tensor<6x6x2x2x2x3xf32>
  %10 = linalg.winograd_output_transform fmr(F_4_3) ins(%9 : tensor<6x6x2x2x2x3xf32>) outs(%y : tensor<2x8x8x3xf32>) -> tensor<2x8x8x3xf32>
  return %10 : tensor<2x8x8x3xf32>
}
