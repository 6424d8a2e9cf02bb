// D = A * B, row-major: A is 42x32, B is 32x64, D is 42x64.
// Half-precision inputs, products summed in single precision.
func.func @matmul(%a: tensor<42x32xf16>, %b: tensor<32x64xf16>) -> tensor<42x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<42x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<42x64xf32>) -> tensor<42x64xf32>
  %d = linalg.matmul ins(%a, %b : tensor<42x32xf16>, tensor<32x64xf16>)
                     outs(%init : tensor<42x64xf32>) -> tensor<42x64xf32>
  return %d : tensor<42x64xf32>
}
