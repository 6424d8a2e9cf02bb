// A quantised convolution whose image is padded with its zero point, which is then subtracted.
func.func @padding(%image: tensor<2x7x9x8xi8>, %b: tensor<3x3x8x16xi8>, %c: tensor<2x7x9x16xi32>) -> tensor<2x7x9x16xi32> {
  %zero_point = arith.constant -5 : i8
  %a = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %y: index, %x: index, %channel: index):
    tensor.yield %zero_point : i8
  } : tensor<2x7x9x8xi8> to tensor<2x9x11x8xi8>
  %of_a = arith.constant -5 : i32
  %of_b = arith.constant 0 : i32
  %d = linalg.conv_2d_nhwc_hwcf_q ins(%a, %b, %of_a, %of_b : tensor<2x9x11x8xi8>, tensor<3x3x8x16xi8>, i32, i32) outs(%c : tensor<2x7x9x16xi32>) -> tensor<2x7x9x16xi32>
  return %d : tensor<2x7x9x16xi32>
}
