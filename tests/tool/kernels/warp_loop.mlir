#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%x: memref<16x16xf16>, %y: memref<16x16xf32>) {
  %i = arith.constant 0 : index
  %n = arith.constant TIMES : index
  %one = arith.constant 1 : index
  %z = arith.constant 0.0 : f16
  %c = arith.constant dense<0.0> : vector<16x16xf32>
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %r = scf.for %k = %i to %n step %one iter_args(%acc = %c) -> (vector<16x16xf32>) {
    %s = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %A, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
    scf.yield %s : vector<16x16xf32>
  }
  vector.transfer_write %r, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
