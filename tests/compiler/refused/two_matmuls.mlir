func.func @matmul(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %d = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  %e = linalg.matmul ins(%d, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %e : tensor<32x32xf16>
}
// input:3:8: error: a second linalg.matmul; accepted: one linalg.matmul or other contraction, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it
