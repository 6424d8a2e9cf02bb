// RUN: %heddle-opt %s --heddle-matrix=target=gfx1100 -split-input-file | FileCheck %s --check-prefixes=CHECK,GFX11
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 -split-input-file | FileCheck %s --check-prefixes=CHECK,GFX11
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1201 -split-input-file | FileCheck %s --check-prefixes=CHECK,GFX12

// gfx11 holds A and B twice, 16 elements a lane; gfx12 once, 8.
// CHECK-LABEL: @f16
// GFX11: vector.load %arg0{{.*}} vector<8xf16>
// GFX11: amdgpu.wmma 16x16x16 {{.*}} : vector<16xf16>, vector<16xf16>, vector<8xf32>
// GFX12: vector.load %arg0{{.*}} vector<8xf16>
// GFX12: amdgpu.wmma 16x16x16 {{.*}} : vector<8xf16>, vector<8xf16>, vector<8xf32>
// CHECK-LABEL: @bf16
// GFX11: amdgpu.wmma 16x16x16 {{.*}} : vector<16xbf16>, vector<16xbf16>, vector<8xf32>
// GFX12: amdgpu.wmma 16x16x16 {{.*}} : vector<8xbf16>, vector<8xbf16>, vector<8xf32>
// CHECK-LABEL: @i8
// GFX11: amdgpu.wmma 16x16x16 {{.*}} : vector<16xi8>, vector<16xi8>, vector<8xi32>
// GFX12: amdgpu.wmma 16x16x16 {{.*}} : vector<8xi8>, vector<8xi8>, vector<8xi32>
// n = 8 is padded to 16 with columns of the padding's value, which are not stored.
// CHECK-LABEL: @narrow
// CHECK: scf.if
// CHECK: amdgpu.wmma 16x16x16
// CHECK: scf.if
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @f16(%a: memref<32x32xf16, 3>, %b: memref<32x32xf16, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<32x32xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @bf16(%a: memref<32x32xbf16, 3>, %b: memref<32x32xbf16, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : bf16
  %z1 = arith.constant 0.0 : bf16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xbf16, 3>, vector<16x16xbf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xbf16, 3>, vector<16x16xbf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xbf16>, vector<16x16xbf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<32x32xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @i8(%a: memref<32x32xi8, 3>, %b: memref<32x32xi8, 3>, %c: memref<32x32xi32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0 : i8
  %z1 = arith.constant 0 : i8
  %z2 = arith.constant 0 : i32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xi8, 3>, vector<16x16xi8>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xi8, 3>, vector<16x16xi8>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xi32, 3>, vector<16x16xi32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xi8>, vector<16x16xi8> into vector<16x16xi32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xi32>, memref<32x32xi32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @narrow(%a: memref<32x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf16, 3>) {
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
