func.func @f(%a: tensor<64x32xf16>, %b: tensor<32x?xf16>, %c: tensor<20x?xf32>) -> tensor<20x?xf32> {
  %x = tensor.extract_slice %a[4, 0] [20, 32] [1, 1] : tensor<64x32xf16> to tensor<20x32xf16>
  %d = linalg.matmul ins(%x, %b : tensor<20x32xf16>, tensor<32x?xf16>) outs(%c : tensor<20x?xf32>) -> tensor<20x?xf32>
  return %d : tensor<20x?xf32>
}
