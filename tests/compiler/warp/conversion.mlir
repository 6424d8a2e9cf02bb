// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx950 | FileCheck %s --check-prefix=SWAP

// What cannot be read again moves between lanes.
// CHECK: gpu.shuffle idx
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @square(%x: memref<16x16xf16, 3>, %y: memref<16x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %X = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %X, %X, %zero : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  %P = arith.truncf %D : vector<16x16xf32> to vector<16x16xf16>
  %E = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %P, %P, %zero : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %E, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
  return
}

// gfx950: rows of a result are k of B; bit 5 of the lane and one of the register change places.
// SWAP-LABEL: @as_b
// SWAP-COUNT-4: rocdl.permlane32.swap
// SWAP-NOT: gpu.shuffle
// SWAP-NOT: arith.select
func.func @as_b(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf16>, %d: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %x = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %y = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %z = vector.transfer_read %c[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %p = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %zero : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  %q = arith.truncf %p : vector<32x32xf32> to vector<32x32xf16>
  %r = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %z, %q, %zero : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %r, %d[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  return
}
