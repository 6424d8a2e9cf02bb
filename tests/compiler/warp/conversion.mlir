// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 | FileCheck %s

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
