func.func @exchange(%a: tensor<32x32xf32>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %d, %e = scf.for %i = %zero to %one step %one iter_args(%x = %a, %y = %b) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    scf.yield %y, %x : tensor<32x32xf32>, tensor<32x32xf32>
  }
  %f = linalg.matmul ins(%d, %e : tensor<32x32xf32>, tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %f : tensor<32x32xf32>
}
// input:4:12: error: a step that reads another tile than the one that it writes; accepted: loops whose tiles lie side by side and fill the result, or of which each step adds a product to what the loop carries
