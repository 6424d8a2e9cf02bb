func.func @matmul(%a: tensor<?x32xf16>) -> tensor<?x32xf16> {
  return %a : tensor<?x32xf16>
}
// input:1:1: error: the function has no linalg.matmul; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it, perhaps in loops over tiles
