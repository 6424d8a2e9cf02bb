func.func @matmul(%b: tensor<32x64xf16>, %c: tensor<42x64xf32>) -> tensor<42x64xf32> {
  %a = arith.constant dense<1.0> : tensor<42x32xf16>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
// input:2:8: error: an input computed in the function; accepted: inputs that are function arguments
