func.func @matmul(%a: tensor<?x32xf16>, %b: tensor<32x64xf16>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x64xf16>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}
// input:3:3: error: a return of something else; accepted: one value computed from the matmul's
