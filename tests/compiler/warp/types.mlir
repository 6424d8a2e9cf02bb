// RUN: %heddle-opt %s --heddle-matrix=target=sm_90 -split-input-file | FileCheck %s

// CHECK-LABEL: @f16_f16
// CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
// CHECK-LABEL: @f16_f32
// CHECK: nvgpu.mma.sync{{.*}} {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
// CHECK-LABEL: @bf16_f32
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// No instruction adds in bf16: it is f32 inside, rounded once.
// CHECK-LABEL: @bf16_bf16
// CHECK: arith.extf {{.*}} to vector<4xf32>
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"
// CHECK: arith.truncf {{.*}} to vector<4xbf16>
// CHECK-LABEL: @f64
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f64"
// Sums of integers wrap: no satfinite.
// CHECK-LABEL: @i8
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8"
// CHECK-NOT: satfinite
// CHECK-LABEL: @e4m3
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"
// CHECK-LABEL: @e5m2
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f16.e5m2.e5m2.f16"
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f16_f16(%a: memref<32x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf16, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f16
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf16>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf16>, memref<32x16xf16, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f16_f32(%a: memref<32x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @bf16_f32(%a: memref<32x32xbf16, 3>, %b: memref<32x16xbf16, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : bf16
  %z1 = arith.constant 0.0 : bf16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xbf16, 3>, vector<16x16xbf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xbf16, 3>, vector<16x8xbf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xbf16>, vector<16x8xbf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @bf16_bf16(%a: memref<32x32xbf16, 3>, %b: memref<32x16xbf16, 3>, %c: memref<32x16xbf16, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : bf16
  %z1 = arith.constant 0.0 : bf16
  %z2 = arith.constant 0.0 : bf16
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xbf16, 3>, vector<16x16xbf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xbf16, 3>, vector<16x8xbf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xbf16, 3>, vector<16x8xbf16>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xbf16>, vector<16x8xbf16> into vector<16x8xbf16>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xbf16>, memref<32x16xbf16, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f64(%a: memref<32x32xf64, 3>, %b: memref<32x16xf64, 3>, %c: memref<32x16xf64, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f64
  %z1 = arith.constant 0.0 : f64
  %z2 = arith.constant 0.0 : f64
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf64, 3>, vector<16x16xf64>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xf64, 3>, vector<16x8xf64>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf64, 3>, vector<16x8xf64>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf64>, vector<16x8xf64> into vector<16x8xf64>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf64>, memref<32x16xf64, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @i8(%a: memref<32x64xi8, 3>, %b: memref<16x64xi8, 3>, %c: memref<32x16xi32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0 : i8
  %z1 = arith.constant 0 : i8
  %z2 = arith.constant 0 : i32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x64xi8, 3>, vector<16x32xi8>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<16x64xi8, 3>, vector<8x32xi8>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xi32, 3>, vector<16x8xi32>
  %D = vector.contract {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x32xi8>, vector<8x32xi8> into vector<16x8xi32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<32x16xi32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @e4m3(%a: memref<32x64xf8E4M3FN, 3>, %b: memref<16x64xf8E4M3FN, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f8E4M3FN
  %z1 = arith.constant 0.0 : f8E4M3FN
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x64xf8E4M3FN, 3>, vector<16x32xf8E4M3FN>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<16x64xf8E4M3FN, 3>, vector<8x32xf8E4M3FN>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x32xf8E4M3FN>, vector<8x32xf8E4M3FN> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @e5m2(%a: memref<32x64xf8E5M2, 3>, %b: memref<16x64xf8E5M2, 3>, %c: memref<32x16xf16, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f8E5M2
  %z1 = arith.constant 0.0 : f8E5M2
  %z2 = arith.constant 0.0 : f16
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x64xf8E5M2, 3>, vector<16x32xf8E5M2>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<16x64xf8E5M2, 3>, vector<8x32xf8E5M2>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %D = vector.contract {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x32xf8E5M2>, vector<8x32xf8E5M2> into vector<16x8xf16>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf16>, memref<32x16xf16, 3>
  return
}
