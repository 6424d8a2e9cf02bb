func.func @f(%a: tensor<?x32xf16>, %b: tensor<32x16xf16>, %rows: index) -> tensor<2x?x16xf32> {
  %zero = arith.constant 0 : index
  %m = tensor.dim %a, %zero : tensor<?x32xf16>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x16xf16>) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %x = tensor.expand_shape %d [[0, 1], [2]] output_shape [2, %rows, 16] : tensor<?x16xf32> into tensor<2x?x16xf32>
  return %x : tensor<2x?x16xf32>
}
// input:6:8: error: tensor.expand_shape of sizes that do not divide each other; accepted: known sizes, of which at most the outermost of a group is dynamic
