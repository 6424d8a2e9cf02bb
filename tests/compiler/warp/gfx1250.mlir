// RUN: %heddle-opt %s --heddle-matrix=target=gfx1250 -split-input-file | FileCheck %s

// gfx1250: waves of 32 lanes, WMMA twice as deep as RDNA's or more, each element in one lane.
// CHECK-LABEL: @halves
// CHECK: gpu.lane_id upper_bound 32
// CHECK-COUNT-2: amdgpu.wmma 16x16x32 {{.*}} : vector<16xf16>, vector<16xf16>, vector<8xf32>
// CHECK-NOT: amdgpu.wmma
// CHECK-LABEL: @bytes
// CHECK: amdgpu.wmma 16x16x64 {{.*}} : vector<32xi8>, vector<32xi8>, vector<8xi32>
// CHECK-LABEL: @small_floats
// CHECK: amdgpu.wmma 16x16x128 {{.*}} : vector<64xf8E4M3FN>, vector<64xf8E4M3FN>, vector<8xf32>
// CHECK-LABEL: @singles
// CHECK-COUNT-2: amdgpu.wmma 16x16x4 {{.*}} : vector<2xf32>, vector<2xf32>, vector<8xf32>
// CHECK-NOT: amdgpu.wmma
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @halves(%a: memref<16x64xf16, 3>, %b: memref<64x16xf16, 3>, %c: memref<16x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x64xf16, 3>, vector<16x64xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x16xf16, 3>, vector<64x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x64xf16>, vector<64x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
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
func.func @small_floats(%a: memref<16x128xf8E4M3FN, 3>, %b: memref<128x16xf8E4M3FN, 3>, %c: memref<16x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f8E4M3FN
  %zero = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x128xf8E4M3FN, 3>, vector<16x128xf8E4M3FN>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x16xf8E4M3FN, 3>, vector<128x16xf8E4M3FN>
  %C = vector.transfer_read %c[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x128xf8E4M3FN>, vector<128x16xf8E4M3FN> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
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
