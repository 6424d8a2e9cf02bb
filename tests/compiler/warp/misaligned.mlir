// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 -split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 -split-input-file | FileCheck %s

// Each reason for which an address is not known to be a multiple of 16 bytes.
// REMARK: remark: {{.*}}but a stride of 35 f16 is not a multiple of 8: read by elements
// REMARK: remark: {{.*}}but the index of dimension 0 of f16 is not known to be a multiple of 8: read by elements
// REMARK: remark: {{.*}}but the index of dimension 1 of f16 is not known
// REMARK: remark: {{.*}}but offset 4 of its memref of f16 is not a multiple of 8: read by 2 elements
// REMARK: remark: {{.*}}but its memory is not known to begin at a multiple of 16 bytes: read by elements
// CHECK-LABEL: @stride
// CHECK-NOT: ldmatrix %arg0
// CHECK-LABEL: @unknown_offset
// CHECK-NOT: ldmatrix %arg0
// CHECK-NOT: ldmatrix %arg1
// CHECK-LABEL: @offset_of_memref
// CHECK: vector.load %arg0{{.*}} {alignment = 4 : i64}
// CHECK-LABEL: @allocated
// CHECK-NOT: ldmatrix %alloca
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @stride(%a: memref<16x35xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<16x35xf16, 3>, vector<16x16xf16>
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
func.func @unknown_offset(%a: memref<64x33xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>, %i: index) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%i, %i], %z0 {in_bounds = [true, true]} : memref<64x33xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%i, %i], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @offset_of_memref(%a: memref<32x32xf16, strided<[32, 1], offset: 4>, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, strided<[32, 1], offset: 4>, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
// -----

#a = affine_map<(m, n, k) -> (m, k)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @allocated(%a: memref<32x32xf16, 3>, %b: memref<16x32xf16, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %m = memref.alloca() : memref<32x32xf16, 3>
  %A = vector.transfer_read %m[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<16x32xf16, 3>, vector<8x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
