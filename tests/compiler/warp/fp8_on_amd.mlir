// RUN: %heddle-opt %s --heddle-matrix=target=gfx1201 | FileCheck %s
// RUN: not %heddle-opt %s --heddle-matrix=target=gfx1151 2>&1 | FileCheck %s --check-prefix=GFX11

// CHECK: amdgpu.wmma 16x16x16 {{.*}} : vector<8xf8E4M3FN>, vector<8xf8E4M3FN>, vector<8xf32>
// GFX11: error: a product of f8E4M3FN and f8E4M3FN into f32; accepted: on gfx1151 f16 into f32,
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @fp8(%a: memref<32x32xf8E4M3FN, 3>, %b: memref<32x32xf8E4M3FN, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f8E4M3FN
  %z1 = arith.constant 0.0 : f8E4M3FN
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf8E4M3FN, 3>, vector<16x16xf8E4M3FN>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xf8E4M3FN, 3>, vector<16x16xf8E4M3FN>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf8E4M3FN>, vector<16x16xf8E4M3FN> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<32x32xf32, 3>
  return
}
