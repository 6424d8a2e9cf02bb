func.func @matmul(%a: tensor<2097152x32xf16>, %b: tensor<32x1048576xf16>, %c: tensor<2097152x1048576xf32>) -> tensor<2097152x1048576xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<2097152x32xf16>, tensor<32x1048576xf16>) outs(%c : tensor<2097152x1048576xf32>) -> tensor<2097152x1048576xf32>
  return %d : tensor<2097152x1048576xf32>
}
// input:1:75: error: the size of tensor<2097152x1048576xf32>; accepted: at most 4398046511104 bytes an array, and 2147483647 elements along a dimension
