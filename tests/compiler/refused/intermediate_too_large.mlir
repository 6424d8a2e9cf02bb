func.func @chain(%a: tensor<65536x16xf16>, %b: tensor<16x65536xf16>, %c: tensor<65536x16xf16>, %d: tensor<65536x65536xf16>, %e: tensor<65536x16xf16>) -> tensor<65536x16xf16> {
  %empty = tensor.empty() : tensor<65536x65536xf16>
  %p = linalg.matmul ins(%a, %b : tensor<65536x16xf16>, tensor<16x65536xf16>) outs(%empty : tensor<65536x65536xf16>) -> tensor<65536x65536xf16>
  %q = linalg.matmul ins(%p, %c : tensor<65536x65536xf16>, tensor<65536x16xf16>) outs(%e : tensor<65536x16xf16>) -> tensor<65536x16xf16>
  return %q : tensor<65536x16xf16>
}
// input:3:8: error: the size of tensor<65536x65536xf16>; accepted: at most 2147483647 bytes a matrix
