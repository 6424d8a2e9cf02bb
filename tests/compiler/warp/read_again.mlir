// RUN: %heddle-opt %s --heddle-assign-layouts=target=sm_80 | FileCheck %s --check-prefix=ASSIGNED
// RUN: %heddle-opt %s --heddle-assign-layouts=target=sm_80 --heddle-minimise-conversions=target=sm_80 | FileCheck %s

// One read is A of the contraction and is added to D: reading it again costs less than moving it.
// ASSIGNED: heddle.convert_layout
// CHECK-NOT: heddle.convert_layout
// CHECK-COUNT-2: vector.transfer_read %arg0
// CHECK-NOT: heddle.convert_layout
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @residual(%x: memref<16x16xf16, 3>, %y: memref<16x16xf16, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf16>
  %X = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %X, %X, %zero : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf16>
  vector.transfer_write %D, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16, 3>
  return
}
