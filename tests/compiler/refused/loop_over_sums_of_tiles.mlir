#rest = affine_map<(at)[size] -> (8, size - at)>
func.func @by_tile(%x: tensor<?xf32>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %step = arith.constant 8 : index
  %none = arith.constant 0.0 : f32
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %d = scf.for %i = %zero to %n step %step iter_args(%c = %x) -> (tensor<?xf32>) {
    %t = affine.min #rest(%i)[%n]
    %p = tensor.extract_slice %c[%i] [%t] [1] : tensor<?xf32> to tensor<?xf32>
    %e = tensor.empty() : tensor<f32>
    %z = linalg.fill ins(%none : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%p : tensor<?xf32>) outs(%z : tensor<f32>) dimensions = [0]
    %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%p, %s : tensor<?xf32>, tensor<f32>) outs(%p : tensor<?xf32>) {
    ^bb0(%u: f32, %v: f32, %w: f32):
      %r = arith.divf %u, %v : f32
      linalg.yield %r : f32
    } -> tensor<?xf32>
    %o = tensor.insert_slice %q into %c[%i] [%t] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %o : tensor<?xf32>
  }
  return %d : tensor<?xf32>
}
// input:7:8: error: a loop that is not known to run, or how often; accepted: loops from constants to larger ones in constant steps, or from 0 to the size of a tensor over tiles as long as a step
