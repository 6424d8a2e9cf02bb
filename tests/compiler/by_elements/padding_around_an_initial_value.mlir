func.func @f(%a: tensor<32x32xf16>, %b: tensor<32x24xf16>, %c: tensor<30x24xf32>) -> tensor<32x24xf32> {
  %zero = arith.constant 0.0 : f32
  %x = tensor.pad %c low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<30x24xf32> to tensor<32x24xf32>
  %d = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x24xf16>) outs(%x : tensor<32x24xf32>) -> tensor<32x24xf32>
  return %d : tensor<32x24xf32>
}
