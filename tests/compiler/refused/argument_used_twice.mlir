func.func @square(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %d = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %d : tensor<32x32xf32>
}
// input:1:19: error: an argument used for two matrices; accepted: arguments that are A, B and, unless a constant fills it, C
