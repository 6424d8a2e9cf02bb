func.func @matmul(%a: tensor<70000x2x2xf16>, %b: tensor<70000x2x2xf16>, %c: tensor<70000x2x2xf32>) -> tensor<70000x2x2xf32> {
  %d = linalg.batch_matmul ins(%a, %b : tensor<70000x2x2xf16>, tensor<70000x2x2xf16>) outs(%c : tensor<70000x2x2xf32>) -> tensor<70000x2x2xf32>
  return %d : tensor<70000x2x2xf32>
}
