func.func @chain(%a: tensor<2097152x16xf16>, %b: tensor<16x2097152xf16>, %c: tensor<2097152x16xf16>, %e: tensor<2097152x16xf16>) -> tensor<2097152x16xf16> {
  %empty = tensor.empty() : tensor<2097152x2097152xf16>
  %p = linalg.matmul ins(%a, %b : tensor<2097152x16xf16>, tensor<16x2097152xf16>) outs(%empty : tensor<2097152x2097152xf16>) -> tensor<2097152x2097152xf16>
  %q = linalg.matmul ins(%p, %c : tensor<2097152x2097152xf16>, tensor<2097152x16xf16>) outs(%e : tensor<2097152x16xf16>) -> tensor<2097152x16xf16>
  return %q : tensor<2097152x16xf16>
}
// input:3:8: error: the size of tensor<2097152x2097152xf16>; accepted: at most 4398046511104 bytes an array, and 2147483647 elements along a dimension
