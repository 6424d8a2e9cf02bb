func.func @matmul(%a: tensor<21x64xf16>, %s: tensor<2xi64>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %r = tensor.reshape %a(%s) : (tensor<21x64xf16>, tensor<2xi64>) -> tensor<42x32xf16>
  %d = linalg.matmul ins(%r, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:8: error: the operation tensor.reshape; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
