func.func @matmul(%a: tensor<21x32xf16>, %b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %twice = tensor.concat dim(0) %a, %a : (tensor<21x32xf16>, tensor<21x32xf16>) -> tensor<42x32xf16>
  %d = linalg.matmul ins(%twice, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:12: error: the operation tensor.concat; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
