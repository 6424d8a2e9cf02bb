func.func @weights(%a: tensor<?x?xf32>, %w: tensor<4xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %n = tensor.dim %a, %zero : tensor<?x?xf32>
  %k = tensor.dim %a, %one : tensor<?x?xf32>
  %d = scf.for %i = %zero to %n step %four iter_args(%x = %c) -> (tensor<?xf32>) {
    %p = tensor.extract_slice %a[%i, 0] [4, %k] [1, 1] : tensor<?x?xf32> to tensor<4x?xf32>
    %q = tensor.extract_slice %x[%i] [4] [1] : tensor<?xf32> to tensor<4xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<4x?xf32>, tensor<4xf32>) outs(%q : tensor<4xf32>) {
    ^bb0(%u: f32, %v: f32, %s: f32):
      %r = arith.mulf %u, %v : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    %o = tensor.insert_slice %m into %x[%i] [4] [1] : tensor<4xf32> into tensor<?xf32>
    scf.yield %o : tensor<?xf32>
  }
  return %d : tensor<?xf32>
}
// input:7:8: error: a loop that is not known to run, or how often; accepted: loops from constants to larger ones in constant steps, or from 0 to the size of a tensor over tiles as long as a step
