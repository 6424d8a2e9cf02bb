func.func @matmul(%a: tensor<?x32xf16>, %b: tensor<32x64xf16>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x64xf16>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %d : tensor<?x64xf32>
}
// input:1:19: error: the dynamic shape tensor<?x32xf16>; accepted: static shapes, as in tensor<42x32xf16>
