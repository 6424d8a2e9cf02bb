func.func @power(%a: tensor<32x32xf32>, %x: tensor<32x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 4 : index
  %d = scf.for %i = %zero to %end step %one iter_args(%y = %x) -> tensor<32x32xf32> {
    %e = linalg.matmul ins(%a, %y : tensor<32x32xf32>, tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %e : tensor<32x32xf32>
  }
  return %d : tensor<32x32xf32>
}
// input:5:8: error: a step that writes what the steps before it wrote; accepted: loops whose tiles lie side by side and fill the result, or of which each step adds a product to what the loop carries
