func.func @chain(%a: tensor<32x32xf16>, %c: tensor<32x32xf16>, %steps: index) -> tensor<32x32xf16> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %d = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  %e = scf.for %i = %zero to %steps step %one iter_args(%x = %d) -> tensor<32x32xf16> {
    %y = arith.negf %x : tensor<32x32xf16>
    scf.yield %y : tensor<32x32xf16>
  }
  %f = linalg.matmul ins(%e, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf16>) -> tensor<32x32xf16>
  return %f : tensor<32x32xf16>
}
// input:5:8: error: a loop that is not known to run, or how often; accepted: loops from constants to larger ones in constant steps, or from 0 to the size of a tensor over tiles as long as a step
