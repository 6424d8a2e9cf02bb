func.func @complex_convolution(%a: tensor<2x8x9x3xcomplex<f32>>, %b: tensor<3x2x3x5xcomplex<f32>>, %c: tensor<2x3x8x5xcomplex<f32>>) -> tensor<2x3x8x5xcomplex<f32>> {
  %d = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a, %b : tensor<2x8x9x3xcomplex<f32>>, tensor<3x2x3x5xcomplex<f32>>) outs(%c : tensor<2x3x8x5xcomplex<f32>>) -> tensor<2x3x8x5xcomplex<f32>>
  return %d : tensor<2x3x8x5xcomplex<f32>>
}
