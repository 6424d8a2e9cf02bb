func.func @chain(%a: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %d = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  cf.br ^second
^second:
  %e = linalg.matmul ins(%d, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %e : tensor<32x32xf16>
}
// input:1:1: error: the function has several blocks; accepted: straight-line code: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
