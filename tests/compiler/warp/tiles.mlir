// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1201 | FileCheck %s --check-prefix=AMD

// A tile of many instructions: each fragment is read once, and used again and again.
// CHECK-COUNT-8: nvgpu.ldmatrix %arg0{{.*}}numTiles = 4
// CHECK-COUNT-8: nvgpu.ldmatrix %arg1{{.*}}numTiles = 4
// CHECK-NOT: ldmatrix
// CHECK-COUNT-64: nvgpu.mma.sync
// CHECK-NOT: mma.sync
// AMD-COUNT-32: amdgpu.wmma
// AMD-NOT: amdgpu.wmma
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @tiles(%a: memref<128x64xf16, 3>, %b: memref<64x128xf16, 3>, %c: memref<128x128xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<128x64xf16, 3>, vector<64x32xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<64x128xf16, 3>, vector<32x64xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<128x128xf32, 3>, vector<64x64xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<64x32xf16>, vector<32x64xf16> into vector<64x64xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<128x128xf32, 3>
  return
}
