// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 2>&1 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 | FileCheck %s

// Outside the memref no memory is touched: loads give the padding, stores do nothing.
// CHECK-LABEL: func.func @padding
// CHECK: %[[PADDING:.*]] = arith.constant 0.000000e+00 : f16
// CHECK: arith.cmpi ult
// CHECK: scf.if {{.*}} -> (f16) {
// CHECK-NEXT: memref.load %arg0
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[PADDING]]
// CHECK: scf.if
// CHECK: memref.store {{.*}} %arg2
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @padding(%a: memref<13x11xf16, 3>, %b: memref<?x?xf16, 3>, %c: memref<15x5xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [false, false]} : memref<13x11xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [false, false]} : memref<?x?xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [false, false]} : memref<15x5xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [false, false]} : vector<16x16xf32>, memref<15x5xf32, 3>
  return
}
