// Rows of zeros around an argument of any length.
func.func @padded_rows(%a: tensor<?x32xf16>, %b: tensor<32x24xf16>, %c: tensor<?x24xf32>) -> tensor<?x24xf32> {
  %zero = arith.constant 0.0 : f16
  %x = tensor.pad %a low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<?x32xf16> to tensor<?x32xf16>
  %d = linalg.matmul ins(%x, %b : tensor<?x32xf16>, tensor<32x24xf16>) outs(%c : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
}
