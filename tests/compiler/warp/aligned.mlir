// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s

// Rows of 16 bytes at multiples of 16: A by x4, B by x2, whose rows run across k.
// CHECK: nvgpu.ldmatrix %arg0{{.*}} {numTiles = 4 : i32, transpose = false} : memref<32x32xf16, 3> -> vector<4x2xf16>
// CHECK: nvgpu.ldmatrix %arg1{{.*}} {numTiles = 2 : i32, transpose = true} : memref<32x16xf16, 3> -> vector<2x2xf16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @aligned(%a: memref<32x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>) {
  %c8 = arith.constant 8 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c8, %c8], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c8, %c8], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c8, %c8], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c8, %c8] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
