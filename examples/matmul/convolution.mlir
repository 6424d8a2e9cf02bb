// A convolution of 3x3 with a stride of 2, zeros around the image: m is (image, y, x), k is
// (3, 3, channel).
func.func @convolution(%image: tensor<2x10x10x16xf16>, %b: tensor<3x3x16x24xf16>) -> tensor<2x5x5x24xf32> {
  %nothing = arith.constant 0.0 : f16
  %a = tensor.pad %image low[0, 1, 1, 0] high[0, 0, 0, 0] {
  ^bb0(%i: index, %y: index, %x: index, %c: index):
    tensor.yield %nothing : f16
  } : tensor<2x10x10x16xf16> to tensor<2x11x11x16xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x5x5x24xf32>
  %c = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5x5x24xf32>) -> tensor<2x5x5x24xf32>
  %d = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%a, %b : tensor<2x11x11x16xf16>, tensor<3x3x16x24xf16>) outs(%c : tensor<2x5x5x24xf32>) -> tensor<2x5x5x24xf32>
  return %d : tensor<2x5x5x24xf32>
}
