// A warp's part of a matmul, as IREE and others write it: rows of A, B and C in shared memory.
#row_k = affine_map<(m, n, k) -> (m, k)>
#k_column = affine_map<(m, n, k) -> (k, n)>
#row_column = affine_map<(m, n, k) -> (m, n)>
func.func @contract(%a: memref<64x64xf16, 3>, %b: memref<64x64xf16, 3>, %c: memref<64x64xf32, 3>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %sum = arith.constant dense<0.0> : vector<16x8xf32>
  %A = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x64xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x64xf16, 3>, vector<16x8xf16>
  %D = vector.contract {indexing_maps = [#row_k, #k_column, #row_column], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %sum : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<64x64xf32, 3>
  return
}
