// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s

// Bias, relu and rounding in the layout of D: no conversion, and each lane reads the bias of its
// columns.
// CHECK: nvgpu.mma.sync
// CHECK-NOT: gpu.shuffle
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: arith.maximumf {{.*}} : vector<4xf32>
// CHECK: arith.truncf {{.*}} : vector<4xf32> to vector<4xf16>
// CHECK-COUNT-2: vector.store {{.*}} : memref<16x8xf16>, vector<2xf16>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @epilogue(%a: memref<32x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>, %bias: memref<8xf32>, %h: memref<16x8xf16>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  %zero = arith.constant dense<0.0> : vector<16x8xf32>
  %bias_row = vector.transfer_read %bias[%c0], %z2 {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
  %bias_all = vector.broadcast %bias_row : vector<8xf32> to vector<16x8xf32>
  %sum = arith.addf %D, %bias_all : vector<16x8xf32>
  %relu = arith.maximumf %sum, %zero : vector<16x8xf32>
  %half = arith.truncf %relu : vector<16x8xf32> to vector<16x8xf16>
  vector.transfer_write %half, %h[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf16>, memref<16x8xf16>
  return
}
