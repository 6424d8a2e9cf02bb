// A and B hold subnormal numbers of f16, which the MFMA of gfx90a takes as 0.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @subnormal(%x: memref<16x16xf16>, %y: memref<16x16xf32>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zc = arith.constant 0.0 : f32
  %small = arith.constant dense<1.0e-05> : vector<16x16xf16>
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %C = vector.transfer_read %y[%i, %i], %zc {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %small, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
