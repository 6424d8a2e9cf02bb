func.func @f(%a: tensor<?x32xf16>, %b: tensor<32x24xf16>, %c: tensor<?x24xf32>, %i: index) -> tensor<?x24xf32> {
  %zero = arith.constant 0.0 : f16
  %x = tensor.pad %a low[%i, 0] high[1, 0] {
  ^bb0(%y: index, %z: index):
    tensor.yield %zero : f16
  } : tensor<?x32xf16> to tensor<?x32xf16>
  %d = linalg.matmul ins(%x, %b : tensor<?x32xf16>, tensor<32x24xf16>) outs(%c : tensor<?x24xf32>) -> tensor<?x24xf32>
  return %d : tensor<?x24xf32>
}
// input:3:8: error: tensor.pad of something else; accepted: a constant around what is computed from function arguments, before it as often as constants say; along a dimension of an unknown size around function arguments themselves
