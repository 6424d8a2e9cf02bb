func.func @f(%x: memref<1x3xi8, 3>, %w: memref<3x1xi8, 3>, %y: memref<1x1xi32>) {
  %i = arith.constant 0 : index
  %za = arith.constant 0 : i8
  %zb = arith.constant 0 : i8
  %zc = arith.constant 0 : i32
  %A = vector.transfer_read %x[%i, %i], %za {in_bounds = [true, true]} : memref<1x3xi8, 3>, vector<1x3xi8>
  %B = vector.transfer_read %w[%i, %i], %zb {in_bounds = [true, true]} : memref<3x1xi8, 3>, vector<3x1xi8>
  %C = vector.transfer_read %y[%i, %i], %zc {in_bounds = [true, true]} : memref<1x1xi32>, vector<1x1xi32>
  %D = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<1x3xi8>, vector<3x1xi8> into vector<1x1xi32>
  vector.transfer_write %D, %y[%i, %i] {in_bounds = [true, true]} : vector<1x1xi32>, memref<1x1xi32>
  return
}
