// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 2>&1 | FileCheck %s

// What is known to divide a dynamic offset counts: 16 times anything, and steps of a loop.
// CHECK-NOT: remark
// CHECK: scf.for
// CHECK: nvgpu.ldmatrix %arg0
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @divisible(%a: memref<64x64xf16, 3>, %b: memref<64x64xf16, 3>, %c: memref<16x8xf32, 3>, %i: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f16
  %z32 = arith.constant 0.0 : f32
  %row = arith.muli %i, %c16 : index
  %C = vector.transfer_read %c[%c0, %c0], %z32 {in_bounds = [true, true]} : memref<16x8xf32, 3>, vector<16x8xf32>
  %sum = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %C) -> vector<16x8xf32> {
    %A = vector.transfer_read %a[%row, %k], %z {in_bounds = [true, true]} : memref<64x64xf16, 3>, vector<16x16xf16>
    %B = vector.transfer_read %b[%k, %row], %z {in_bounds = [true, true]} : memref<64x64xf16, 3>, vector<16x8xf16>
    %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %acc : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
    scf.yield %D : vector<16x8xf32>
  }
  vector.transfer_write %sum, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32, 3>
  return
}
