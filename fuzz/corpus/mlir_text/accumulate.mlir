func.func @f(%a: tensor<17x33xbf16>, %b: tensor<33x5xbf16>, %c: tensor<17x5xf32>) -> tensor<17x5xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<17x33xbf16>, tensor<33x5xbf16>) outs(%c : tensor<17x5xf32>) -> tensor<17x5xf32>
  return %d : tensor<17x5xf32>
}
