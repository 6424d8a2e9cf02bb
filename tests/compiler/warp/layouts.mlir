// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 -split-input-file | FileCheck %s
// RUN: %heddle-opt %s --heddle-matrix=target=gfx1151 -split-input-file | FileCheck %s --check-prefix=AMD

// Every choice of maps is a choice of layouts, nothing else.
// CHECK-LABEL: @rrr
// CHECK: ldmatrix {{.*}}transpose = false
// CHECK: ldmatrix {{.*}}transpose = true
// CHECK-LABEL: @rcr
// CHECK: ldmatrix {{.*}}transpose = false
// CHECK: ldmatrix {{.*}}transpose = false
// CHECK-LABEL: @ccr
// CHECK: ldmatrix {{.*}}transpose = true
// CHECK: ldmatrix {{.*}}transpose = false
// CHECK-LABEL: @crr
// CHECK: ldmatrix {{.*}}transpose = true
// CHECK: ldmatrix {{.*}}transpose = true
// C transposed: its elements follow each other in n, which are rows of memory.
// CHECK-LABEL: @rrc
// CHECK: mma.sync
// CHECK-COUNT-8: memref.store
// AMD-COUNT-5: amdgpu.wmma 16x16x16
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @rrr(%a: memref<32x32xf16, 3>, %b: memref<32x32xf16, 3>, %c: memref<32x32xf32, 3>) {
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
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @rcr(%a: memref<32x32xf16, 3>, %b: memref<32x32xf16, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<32x32xf32, 3>
  return
}
// -----

#at = affine_map<(m, n, k) -> (k, m)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @ccr(%a: memref<32x32xf16, 3>, %b: memref<32x32xf16, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#at, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<32x32xf32, 3>
  return
}
// -----

#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @crr(%a: memref<32x32xf16, 3>, %b: memref<32x32xf16, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<32x32xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#ct = affine_map<(m, n, k) -> (n, m)>
func.func @rrc(%a: memref<32x32xf16, 3>, %b: memref<32x32xf16, 3>, %c: memref<32x32xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x32xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #ct], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<32x32xf32, 3>
  return
}
