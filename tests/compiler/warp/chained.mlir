// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 -debug 2>&1 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1201 -debug 2>&1 | FileCheck %s --check-prefix=AMD

// D of one contraction is A of the next. On NVIDIA that is the same layout; on gfx12 the planner
// moves it between lanes.
// CHECK: after heddle-assign-layouts, attention:
// CHECK: vector.contract : vector<16x64xf32>
// CHECK-NEXT: register: (0,1) (8,0) (0,8) (0,16) (0,32); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> d0: 16, d1: 64
// CHECK: conversions: 0
// CHECK: after heddle-minimise-conversions, attention:
// CHECK: conversions: 0
// CHECK-NOT: gpu.shuffle
// AMD: after heddle-minimise-conversions, attention:
// AMD: heddle.convert_layout : vector<16x64xf16>
// AMD-NEXT: register: (0,1) (0,2) (0,4) (0,16) (0,32); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> d0: 16, d1: 64
// AMD-NEXT: from register: (1,0) (2,0) (4,0) (0,16) (0,32); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> d0: 16, d1: 64
// AMD-NEXT: by lanes, cost
// AMD: conversions: 1
// AMD: gpu.shuffle
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @attention(%q: memref<16x64xf16, 3>, %k: memref<64x64xf16, 3>, %v: memref<64x64xf16, 3>, %o: memref<16x64xf32, 3>, %bias: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %z16 = arith.constant 0.0 : f16
  %z32 = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16x64xf32>
  %Q = vector.transfer_read %q[%c0, %c0], %z16 {in_bounds = [true, true]} : memref<16x64xf16, 3>, vector<16x64xf16>
  %K = vector.transfer_read %k[%c0, %c0], %z16 {in_bounds = [true, true]} : memref<64x64xf16, 3>, vector<64x64xf16>
  %V = vector.transfer_read %v[%c0, %c0], %z16 {in_bounds = [true, true]} : memref<64x64xf16, 3>, vector<64x64xf16>
  %KT = vector.transpose %K, [1, 0] : vector<64x64xf16> to vector<64x64xf16>
  %S = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %Q, %KT, %zero : vector<16x64xf16>, vector<64x64xf16> into vector<16x64xf32>
  %P = arith.truncf %S : vector<16x64xf32> to vector<16x64xf16>
  %O = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %P, %V, %zero : vector<16x64xf16>, vector<64x64xf16> into vector<16x64xf32>
  %b1 = vector.transfer_read %bias[%c0], %z32 {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %b2 = vector.broadcast %b1 : vector<64xf32> to vector<16x64xf32>
  %s = arith.addf %O, %b2 : vector<16x64xf32>
  %r = arith.maximumf %s, %zero : vector<16x64xf32>
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xf32>, memref<16x64xf32, 3>
  return
}
