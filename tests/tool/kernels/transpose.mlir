func.func @transpose(%a: tensor<96x256xf32>) -> tensor<256x96xf32> {
  %e = tensor.empty() : tensor<256x96xf32>
  %t = linalg.transpose ins(%a : tensor<96x256xf32>) outs(%e : tensor<256x96xf32>) permutation = [1, 0]
  return %t : tensor<256x96xf32>
}
