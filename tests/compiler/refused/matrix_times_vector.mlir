func.func @matmul(%a: tensor<42x32xf32>, %b: tensor<32xf32>, %c: tensor<42xf32>) -> tensor<42xf32> {
  %d = linalg.matvec ins(%a, %b : tensor<42x32xf32>, tensor<32xf32>) outs(%c : tensor<42xf32>) -> tensor<42xf32>
  return %d : tensor<42xf32>
}
// input:2:8: error: a contraction of other loops; accepted: one loop of A alone, one of B alone, one that is summed, and at most one batch
