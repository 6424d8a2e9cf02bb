// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 | FileCheck %s --check-prefix=AMD

// Sizes that are no multiples of the instruction's are padded; what lies beyond k is zero.
// CHECK: arith.select
// CHECK-COUNT-6: nvgpu.mma.sync
// CHECK-NOT: mma.sync
// AMD-COUNT-4: amdgpu.wmma
// AMD-NOT: amdgpu.wmma
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @partial(%a: memref<40x24xf16, 3>, %b: memref<24x40xf16, 3>, %c: memref<40x40xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<40x24xf16, 3>, vector<20x12xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<24x40xf16, 3>, vector<12x20xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<40x40xf32, 3>, vector<20x20xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<20x12xf16>, vector<12x20xf16> into vector<20x20xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<20x20xf32>, memref<40x40xf32, 3>
  return
}
