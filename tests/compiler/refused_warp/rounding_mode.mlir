func.func @f(%a: memref<16x64xf16>, %b: memref<64x8xf16>, %c: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %k = arith.constant dense<0.5> : vector<16x8xf32>
  %z = arith.constant dense<0.0> : vector<16x8xf32>
  %D = scf.for %i = %c0 to %c64 step %c16 iter_args(%acc = %z) -> (vector<16x8xf32>) {
    %A = vector.transfer_read %a[%c0, %i], %p {in_bounds = [true, true]} : memref<16x64xf16>, vector<16x16xf16>
    %B = vector.transfer_read %b[%i, %c0], %p {in_bounds = [true, true]} : memref<64x8xf16>, vector<16x8xf16>
    %R = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %acc : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
    scf.yield %R : vector<16x8xf32>
  }
  %Q = arith.truncf %D upward : vector<16x8xf32> to vector<16x8xf16>
  %E = arith.extf %Q : vector<16x8xf16> to vector<16x8xf32>

  vector.transfer_write %E, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
// input:14:8: error: arith.truncf upward; accepted: to_nearest_even, which is what it does without a word
