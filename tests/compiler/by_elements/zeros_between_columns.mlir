func.func @f(%a: tensor<8x16xf16>, %b: tensor<32x24xf16>, %c: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8x32xf16>
  %x = tensor.insert_slice %a into %zeros[0, 0] [8, 16] [1, 2] : tensor<8x16xf16> into tensor<8x32xf16>
  %d = linalg.matmul ins(%x, %b : tensor<8x32xf16>, tensor<32x24xf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %d : tensor<8x24xf32>
}
