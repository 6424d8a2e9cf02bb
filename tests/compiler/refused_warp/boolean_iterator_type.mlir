func.func @batched(%x: memref<2x16x16xf16, 3>, %y: memref<2x16x16xf32, 3>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %c = arith.constant dense<0.0> : vector<2x16x16xf32>
  %A = vector.transfer_read %x[%i, %i, %i], %z {in_bounds = [true, true, true]} : memref<2x16x16xf16, 3>, vector<2x16x16xf16>

  %D = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = [true, "parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %A, %c : vector<2x16x16xf16>, vector<2x16x16xf16> into vector<2x16x16xf32>
  vector.transfer_write %D, %y[%i, %i, %i] {in_bounds = [true, true, true]} : vector<2x16x16xf32>, memref<2x16x16xf32, 3>
  return
}
// input:7:178: error: an iterator type that is a boolean; accepted: "parallel" and "reduction"
