func.func @f(%a: tensor<?x20x?xf16>, %b: tensor<?x?x24xf16>, %c: tensor<20x24xf32>) -> tensor<20x24xf32> {
  %d = linalg.batch_reduce_matmul ins(%a, %b : tensor<?x20x?xf16>, tensor<?x?x24xf16>) outs(%c : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %d : tensor<20x24xf32>
}
// input:2:8: error: several dynamic sizes among the loops of k; accepted: at most one each for m, n, k and the batch
