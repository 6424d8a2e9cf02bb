// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 | FileCheck %s --check-prefix=AMD

// Another lane wrote what a lane reads: the warp waits in between. The same lanes at the same
// places need not.
// CHECK-LABEL: @turned
// CHECK: vector.store
// CHECK: nvvm.bar.warp.sync
// CHECK: memref.load
// AMD: llvm.fence syncscope("wavefront") acq_rel
// CHECK-LABEL: @own
// CHECK-NOT: nvvm.bar.warp.sync
func.func @turned(%x: memref<32x32xf32, 1>, %s: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %X = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf32, 1>, vector<32x32xf32>
  vector.transfer_write %X, %s[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32, 3>
  %T = vector.transfer_read %s[%c0, %c0], %z {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<32x32xf32>
  vector.transfer_write %T, %x[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32, 1>
  return
}
func.func @own(%x: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %X = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<32x32xf32>
  %Y = arith.addf %X, %X : vector<32x32xf32>
  vector.transfer_write %Y, %x[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32, 3>
  return
}
