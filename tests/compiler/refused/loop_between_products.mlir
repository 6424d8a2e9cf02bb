func.func @chain(%a: tensor<32x32xf16>, %c: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %d = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  %e = scf.for %i = %zero to %one step %one iter_args(%x = %d) -> tensor<32x32xf16> {
    scf.yield %x : tensor<32x32xf16>
  }
  %f = linalg.matmul ins(%e, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %f : tensor<32x32xf16>
}
// input:5:8: error: the operation scf.for; accepted: linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and elementwise linalg operations before and after it
