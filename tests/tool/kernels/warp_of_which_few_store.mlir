func.func @f(%x: memref<7x16xf16, 3>, %w: memref<1x16xf16, 3>, %y: memref<1x7xbf16>) {
  %i = arith.constant 0 : index
  %za = arith.constant 0.0 : f16
  %zb = arith.constant 0.0 : f16
  %zc = arith.constant 0.0 : bf16
  %A = vector.transfer_read %x[%i, %i], %za {in_bounds = [true, true]} : memref<7x16xf16, 3>, vector<7x16xf16>
  %B = vector.transfer_read %w[%i, %i], %zb {in_bounds = [true, true]} : memref<1x16xf16, 3>, vector<1x16xf16>
  %C = vector.transfer_read %y[%i, %i], %zc {in_bounds = [true, true]} : memref<1x7xbf16>, vector<1x7xbf16>
  %D = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<7x16xf16>, vector<1x16xf16> into vector<1x7xbf16>
  vector.transfer_write %D, %y[%i, %i] {in_bounds = [true, true]} : vector<1x7xbf16>, memref<1x7xbf16>
  return
}
