// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 -split-input-file | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 -split-input-file | FileCheck %s --check-prefix=AMD

// The instruction extends its operands itself; of integers with or without sign.
// CHECK-LABEL: @extf
// CHECK-NOT: arith.extf
// CHECK: mma.sync{{.*}} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>)
// CHECK-LABEL: @extsi
// CHECK: "llvm.nvvm.mma.m16n8k32.row.col.s8"
// CHECK-LABEL: @extui
// CHECK: "llvm.nvvm.mma.m16n8k32.row.col.u8"
// CHECK-LABEL: @mixed
// CHECK: "llvm.nvvm.mma.m16n8k32.row.col.u8.s8"
// AMD-LABEL: @extf
// AMD: amdgpu.wmma {{.*}} : vector<16xf16>, vector<16xf16>, vector<8xf32>
// AMD-LABEL: @extsi
// AMD: amdgpu.wmma {{.*}} : vector<16xi8>, vector<16xi8>, vector<8xi32>
// AMD-LABEL: @extui
// AMD: amdgpu.wmma {{.*}} {unsignedA, unsignedB}
// AMD-LABEL: @mixed
// AMD: amdgpu.wmma {{.*}} {unsignedA}
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @extf(%a: memref<32x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %AE = arith.extf %A : vector<16x16xf16> to vector<16x16xf32>
  %BE = arith.extf %B : vector<16x8xf16> to vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %AE, %BE, %C : vector<16x16xf32>, vector<16x8xf32> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @extsi(%a: memref<32x64xi8, 3>, %b: memref<64x16xi8, 3>, %c: memref<32x16xi32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0 : i8
  %z1 = arith.constant 0 : i8
  %z2 = arith.constant 0 : i32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x64xi8, 3>, vector<16x32xi8>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<64x16xi8, 3>, vector<32x8xi8>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xi32, 3>, vector<16x8xi32>
  %AE = arith.extsi %A : vector<16x32xi8> to vector<16x32xi32>
  %BE = arith.extsi %B : vector<32x8xi8> to vector<32x8xi32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %AE, %BE, %C : vector<16x32xi32>, vector<32x8xi32> into vector<16x8xi32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<32x16xi32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @extui(%a: memref<32x64xi8, 3>, %b: memref<64x16xi8, 3>, %c: memref<32x16xi32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0 : i8
  %z1 = arith.constant 0 : i8
  %z2 = arith.constant 0 : i32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x64xi8, 3>, vector<16x32xi8>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<64x16xi8, 3>, vector<32x8xi8>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xi32, 3>, vector<16x8xi32>
  %AE = arith.extui %A : vector<16x32xi8> to vector<16x32xi32>
  %BE = arith.extui %B : vector<32x8xi8> to vector<32x8xi32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %AE, %BE, %C : vector<16x32xi32>, vector<32x8xi32> into vector<16x8xi32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<32x16xi32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @mixed(%a: memref<32x64xi8, 3>, %b: memref<64x16xi8, 3>, %c: memref<32x16xi32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0 : i8
  %z1 = arith.constant 0 : i8
  %z2 = arith.constant 0 : i32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x64xi8, 3>, vector<16x32xi8>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<64x16xi8, 3>, vector<32x8xi8>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xi32, 3>, vector<16x8xi32>
  %AE = arith.extui %A : vector<16x32xi8> to vector<16x32xi32>
  %BE = arith.extsi %B : vector<32x8xi8> to vector<32x8xi32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %AE, %BE, %C : vector<16x32xi32>, vector<32x8xi32> into vector<16x8xi32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xi32>, memref<32x16xi32, 3>
  return
}
