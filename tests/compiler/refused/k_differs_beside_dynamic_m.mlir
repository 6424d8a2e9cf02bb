func.func @f(%a: tensor<?x512xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x512xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %d : tensor<?x32xf32>
}
// input:2:8: error: linalg.matmul over 512 in dimension 1 of operand 0 and over 64 in dimension 0 of operand 1; accepted: equal sizes where one loop runs
