// RUN: %heddle-opt %s --heddle-matrix=target=gfx90a -split-input-file | FileCheck %s --check-prefixes=CHECK,GFX90A
// RUN: %heddle-opt %s --heddle-matrix=target=gfx942 -split-input-file | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: %heddle-opt %s --heddle-matrix=target=gfx950 -split-input-file | FileCheck %s --check-prefixes=CHECK,GFX950

// CDNA: waves of 64 lanes, and the largest MFMA that no padding is needed for.
// CHECK-LABEL: @small
// CHECK: gpu.lane_id upper_bound 64
// GFX90A-COUNT-2: amdgpu.mfma 16x16x16 {{.*}} : vector<4xf16>, vector<4xf16>, vector<4xf32>
// GFX942-COUNT-2: amdgpu.mfma 16x16x16 {{.*}} : vector<4xf16>, vector<4xf16>, vector<4xf32>
// GFX950-COUNT-1: amdgpu.mfma 16x16x32 {{.*}} : vector<8xf16>, vector<8xf16>, vector<4xf32>
// CHECK-NOT: amdgpu.mfma
// CHECK-LABEL: @large
// GFX90A-COUNT-4: amdgpu.mfma 32x32x8 {{.*}} : vector<4xbf16>, vector<4xbf16>, vector<16xf32>
// GFX942-COUNT-4: amdgpu.mfma 32x32x8 {{.*}} : vector<4xbf16>, vector<4xbf16>, vector<16xf32>
// GFX950-COUNT-2: amdgpu.mfma 32x32x16 {{.*}} : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
// CHECK-NOT: amdgpu.mfma
// MFMA adds in f32: f16 is rounded once, at the end.
// CHECK-LABEL: @rounded
// CHECK: arith.extf {{.*}} to vector<4xf32>
// CHECK: amdgpu.mfma
// CHECK: arith.truncf {{.*}} to vector<4xf16>
// CHECK-LABEL: @bytes
// GFX90A-COUNT-4: amdgpu.mfma 16x16x16 {{.*}} : vector<4xi8>, vector<4xi8>, vector<4xi32>
// GFX942-COUNT-2: amdgpu.mfma 16x16x32 {{.*}} : vector<8xi8>, vector<8xi8>, vector<4xi32>
// GFX950-COUNT-1: amdgpu.mfma 16x16x64 {{.*}} : vector<16xi8>, vector<16xi8>, vector<4xi32>
// CHECK-NOT: amdgpu.mfma
// CHECK-LABEL: @singles
// CHECK-COUNT-2: amdgpu.mfma 16x16x4 {{.*}} : f32, f32, vector<4xf32>
// CHECK-NOT: amdgpu.mfma
// CHECK-LABEL: @doubles
// CHECK-COUNT-2: amdgpu.mfma 16x16x4 {{.*}} : f64, f64, vector<4xf64>
// CHECK-NOT: amdgpu.mfma
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @small(%a: memref<16x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<16x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf16, 3>, vector<16x32xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<32x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x32xf16>, vector<32x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @large(%a: memref<32x32xbf16, 3>, %b: memref<32x32xbf16, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xbf16, 3>, vector<32x32xbf16>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xbf16, 3>, vector<32x32xbf16>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<32x32xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<32x32xbf16>, vector<32x32xbf16> into vector<32x32xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @rounded(%a: memref<16x16xf16, 3>, %b: memref<16x16xf16, 3>, %c: memref<16x16xf16, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f16
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf16>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @bytes(%a: memref<16x64xi8, 3>, %b: memref<64x16xi8, 3>, %c: memref<16x16xi32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x64xi8, 3>, vector<16x64xi8>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x16xi8, 3>, vector<64x16xi8>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xi32, 3>, vector<16x16xi32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x64xi8>, vector<64x16xi8> into vector<16x16xi32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xi32>, memref<16x16xi32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @singles(%a: memref<16x8xf32, 3>, %b: memref<8x16xf32, 3>, %c: memref<16x16xf32, 3>) {
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
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @doubles(%a: memref<16x8xf64, 3>, %b: memref<8x16xf64, 3>, %c: memref<16x16xf64, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  %zero = arith.constant 0.0 : f64
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x8xf64, 3>, vector<16x8xf64>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x16xf64, 3>, vector<8x16xf64>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf64, 3>, vector<16x16xf64>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x8xf64>, vector<8x16xf64> into vector<16x16xf64>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf64>, memref<16x16xf64, 3>
  return
}
