// RUN: %heddle-opt %s --heddle-matrix=target=sm_80 | FileCheck %s

// The second matrix of ldmatrix is 8 further in m, a column of memory; the third 8 further in k, a
// row. (Upstream's pass gives them the other way round.)
// CHECK-DAG: %[[ROW_BITS:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[LANE:.*]] = gpu.lane_id
// CHECK: %[[HIGH:.*]] = arith.andi %[[LANE]], %[[C16]]
// CHECK: %[[K8:.*]] = arith.shrui %[[HIGH]], %[[C1]]
// CHECK: %[[LOW:.*]] = arith.andi %[[LANE]], %[[ROW_BITS]]
// CHECK: %[[K:.*]] = arith.xori %[[K8]], %[[LOW]]
// CHECK: %[[M:.*]] = arith.andi %[[LANE]], %[[C8]]
// CHECK: nvgpu.ldmatrix %arg0[%[[K]], %[[M]]] {numTiles = 4 : i32, transpose = true}
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @transposed_a(%a: memref<32x32xf16, 3>, %b: memref<32x16xf16, 3>, %c: memref<32x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<32x32xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<32x16xf16, 3>, vector<16x8xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<32x16xf32, 3>, vector<16x8xf32>
  %D = vector.contract {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<32x16xf32, 3>
  return
}
