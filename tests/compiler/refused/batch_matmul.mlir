func.func @matmul(%a: tensor<2x42x32xf16>, %b: tensor<2x32x64xf16>, %c: tensor<2x42x64xf32>) -> tensor<2x42x64xf32> {
  %d = linalg.batch_matmul ins(%a, %b : tensor<2x42x32xf16>, tensor<2x32x64xf16>) outs(%c : tensor<2x42x64xf32>) -> tensor<2x42x64xf32>
  return %d : tensor<2x42x64xf32>
}
// input:2:8: error: the operation linalg.batch_matmul; accepted: one linalg.matmul, with arith.constant, tensor.empty and linalg.fill for its initial value
