// RUN: %heddle-opt %s --heddle-matrix='target=sm_80 tf32=true' | FileCheck %s
// RUN: not %heddle-opt %s --heddle-matrix=target=sm_80 2>&1 | FileCheck %s --check-prefix=WITHOUT

// CHECK: nvvm.convert.float.to.tf32
// CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
// WITHOUT: error: a product of f32 and f32 into f32; accepted: on sm_80 f16 into f16, {{.*}}f32 with the option tf32 into f32
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @tf32(%a: memref<32x16xf32, 3>, %b: memref<16x16xf32, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f32
  %z1 = arith.constant 0.0 : f32
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<16x16xf32, 3>, vector<8x8xf32>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x8xf32>, vector<8x8xf32> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
