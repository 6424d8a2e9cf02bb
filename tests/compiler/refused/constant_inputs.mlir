func.func @matmul(%c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %a = arith.constant dense<1.0> : tensor<42x32xf16>
  %b = arith.constant dense<2.0> : tensor<32x64xf16>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:8: error: inputs computed in the function; accepted: an input that is a function argument, or computed from some
