func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  %empty = tensor.empty() : tensor<42x64xf32>
  %e = linalg.add ins(%d, %c : tensor<42x64xf32>, tensor<42x64xf32>) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:4:8: error: linalg.add whose result is not used; accepted: one linalg.matmul or other contraction, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it
