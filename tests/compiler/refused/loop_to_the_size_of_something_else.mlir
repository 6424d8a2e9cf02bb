func.func @part(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %a, %one : tensor<?x?xf32>
  %k = tensor.dim %a, %one : tensor<?x?xf32>
  %nb = tensor.dim %b, %one : tensor<?x?xf32>
  %d = scf.for %i = %zero to %n step %one iter_args(%x = %c) -> (tensor<?x?xf32>) {
    %p = tensor.extract_slice %a[%i, 0] [1, %k] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    %q = tensor.extract_slice %x[%i, 0] [1, %nb] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    %m = linalg.matmul ins(%p, %b : tensor<1x?xf32>, tensor<?x?xf32>) outs(%q : tensor<1x?xf32>) -> tensor<1x?xf32>
    %o = tensor.insert_slice %m into %x[%i, 0] [1, %nb] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
    scf.yield %o : tensor<?x?xf32>
  }
  return %d : tensor<?x?xf32>
}
// input:7:8: error: a loop that is not known to run, or how often; accepted: loops from constants to larger ones in constant steps, or from 0 to the size of a tensor over tiles as long as a step
