#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f(%x: memref<16x16xf8E4M3FN>, %w: memref<8x16xf8E4M3FN>, %y: memref<16x8xf32>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f8E4M3FN
  %zc = arith.constant 0.0 : f32
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf8E4M3FN>, vector<16x16xf8E4M3FN>
  %B = vector.transfer_read %w[%i, %i], %z {in_bounds = [true, true]} : memref<8x16xf8E4M3FN>, vector<8x16xf8E4M3FN>
  %C = vector.transfer_read %y[%i, %i], %zc {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf8E4M3FN>, vector<8x16xf8E4M3FN> into vector<16x8xf32>
  vector.transfer_write %D, %y[%i, %i] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
