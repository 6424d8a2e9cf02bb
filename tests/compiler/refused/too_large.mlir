func.func @matmul(%a: tensor<65536x32xf16>, %b: tensor<32x8192xf16>, %c: tensor<65536x8192xf32>) -> tensor<65536x8192xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<65536x32xf16>, tensor<32x8192xf16>) outs(%c : tensor<65536x8192xf32>) -> tensor<65536x8192xf32>
  return %d : tensor<65536x8192xf32>
}
// input:1:70: error: the size of tensor<65536x8192xf32>; accepted: at most 2147483647 bytes a matrix
