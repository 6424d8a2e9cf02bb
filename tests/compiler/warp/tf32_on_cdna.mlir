// RUN: %heddle-opt %s --heddle-matrix='target=gfx942 tf32=true' | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx942 | FileCheck %s --check-prefix=WITHOUT
// RUN: not %heddle-opt %s --heddle-matrix='target=gfx950 tf32=true' 2>&1 | FileCheck %s --check-prefix=GFX950

// CDNA3 alone has the 19-bit float; it cuts off bits, so numbers are rounded before: half of the
// last bit that stays is added, but to a NaN.
// CHECK: %[[HALF:.*]] = arith.constant dense<4096> : vector<{{.*}}xi32>
// CHECK: arith.addi {{.*}}, %[[HALF]]
// CHECK: arith.cmpf uno
// CHECK: amdgpu.mfma 16x16x8 {{.*}} {reducePrecision} {{.*}} : vector<2xf32>, vector<2xf32>, vector<4xf32>
// WITHOUT-COUNT-2: amdgpu.mfma 16x16x4 {{.*}} : f32, f32, vector<4xf32>
// GFX950: error: a product of f32 and f32 into f32; accepted: on gfx950 f32 without the option tf32 into f32
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @tf32(%a: memref<16x8xf32, 3>, %b: memref<8x16xf32, 3>, %c: memref<16x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x8xf32, 3>, vector<16x8xf32>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x16xf32, 3>, vector<8x16xf32>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x8xf32>, vector<8x16xf32> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
  return
}
