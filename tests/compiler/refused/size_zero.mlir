func.func @matmul(%a: tensor<0x32xf16>, %b: tensor<32x64xf16>, %c: tensor<0x64xf32>) -> tensor<0x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<0x32xf16>, tensor<32x64xf16>) outs(%c : tensor<0x64xf32>) -> tensor<0x64xf32>
  return %d : tensor<0x64xf32>
}
// input:1:19: error: the empty tensor<0x32xf16>; accepted: sizes of at least 1
