func.func private @g(%a: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %b = call @g(%a) : (tensor<32x32xf16>) -> tensor<32x32xf16>
  return %b : tensor<32x32xf16>
}
func.func @f(%a: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %b = call @g(%a) : (tensor<32x32xf16>) -> tensor<32x32xf16>
  %d = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %d : tensor<32x32xf16>
}
// input:1:1: error: a function that calls itself; accepted: calls of other functions
