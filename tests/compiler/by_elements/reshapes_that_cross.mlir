func.func @f(%a: tensor<6x4x32xf16>, %b: tensor<32x64xf16>, %c: tensor<24x64xf32>) -> tensor<4x6x64xf32> {
  %rows = tensor.collapse_shape %a [[0, 1], [2]] : tensor<6x4x32xf16> into tensor<24x32xf16>
  %d = linalg.matmul ins(%rows, %b : tensor<24x32xf16>, tensor<32x64xf16>) outs(%c : tensor<24x64xf32>) -> tensor<24x64xf32>
  %x = tensor.expand_shape %d [[0, 1], [2]] output_shape [4, 6, 64] : tensor<24x64xf32> into tensor<4x6x64xf32>
  return %x : tensor<4x6x64xf32>
}
