func.func @matmul(%a: tensor<40x32xf16>, %s: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %zero = arith.constant 0.0 : f16
  %padded = tensor.pad %a low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<40x32xf16> to tensor<42x32xf16>
  %scaled = arith.mulf %s, %padded : tensor<42x32xf16>
  %d = linalg.matmul ins(%scaled, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
