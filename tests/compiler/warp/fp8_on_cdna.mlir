// RUN: %heddle-opt %s --heddle-matrix=target=gfx942 | FileCheck %s
// RUN: not %heddle-opt %s --heddle-matrix=target=gfx950 2>&1 | FileCheck %s --check-prefix=GFX950
// RUN: not %heddle-opt %s --heddle-matrix=target=gfx90a 2>&1 | FileCheck %s --check-prefix=GFX90A

// CDNA3's 8-bit floats have no infinities (FNUZ); CDNA4's are those of OCP.
// CHECK: amdgpu.mfma 32x32x16 {{.*}} : vector<8xf8E4M3FNUZ>, vector<8xf8E4M3FNUZ>, vector<16xf32>
// GFX950: error: a product of f8E4M3FNUZ and f8E4M3FNUZ into f32; accepted: on gfx950 {{.*}}f8E5M2 into f32, f8E4M3FN into f32
// GFX90A: error: a product of f8E4M3FNUZ and f8E4M3FNUZ into f32; accepted: on gfx90a f32 into f32, f16 into f32, signed i8 into i32, bf16 into f32, f64 into f64
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @fnuz(%a: memref<32x16xf8E4M3FNUZ, 3>, %b: memref<16x32xf8E4M3FNUZ, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f8E4M3FNUZ
  %zero = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x16xf8E4M3FNUZ, 3>, vector<32x16xf8E4M3FNUZ>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf8E4M3FNUZ, 3>, vector<16x32xf8E4M3FNUZ>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<32x32xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<32x16xf8E4M3FNUZ>, vector<16x32xf8E4M3FNUZ> into vector<32x32xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32, 3>
  return
}
