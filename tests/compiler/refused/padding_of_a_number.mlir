func.func @f(%a: tensor<30x32xf16>, %b: tensor<32x24xf16>, %c: tensor<32x24xf32>) -> tensor<32x24xf32> {
  %one = arith.constant 1.0 : f16
  %x = tensor.pad %a low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f16
  } : tensor<30x32xf16> to tensor<32x32xf16>
  %d = linalg.matmul ins(%x, %b : tensor<32x32xf16>, tensor<32x24xf16>) outs(%c : tensor<32x24xf32>) -> tensor<32x24xf32>
  return %d : tensor<32x24xf32>
}
// input:3:8: error: tensor.pad of something else; accepted: zeros around a function argument, or around what is computed from one such that 0 stays 0, as many as constants say
