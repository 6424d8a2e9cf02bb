// convert-gpu-to-nvvm would call a library of CUDA's for these.
func.func @shared_memory(%a: memref<16x16xf16>, %b: memref<16x8xf16>, %c: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %k = arith.constant dense<0.5> : vector<16x8xf32>
  %z = arith.constant dense<0.0> : vector<16x8xf32>
  %A = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %D = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %z : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  %E = arith.maxnumf %D, %k : vector<16x8xf32>
  %F = arith.minnumf %E, %k : vector<16x8xf32>
  vector.transfer_write %F, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
