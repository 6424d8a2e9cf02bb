// RUN: %heddle-opt %s --pass-pipeline='builtin.module(heddle-matrix{target=gfx1151},gpu.module(convert-scf-to-cf,convert-amdgpu-to-rocdl{chipset=gfx1151},expand-strided-metadata,lower-affine,convert-gpu-to-rocdl{chipset=gfx1151 index-bitwidth=32},reconcile-unrealized-casts))' | FileCheck %s
// RUN: %heddle-opt %s --pass-pipeline='builtin.module(heddle-matrix{target=gfx942},gpu.module(convert-scf-to-cf,convert-amdgpu-to-rocdl{chipset=gfx942},expand-strided-metadata,lower-affine,convert-gpu-to-rocdl{chipset=gfx942 index-bitwidth=32},reconcile-unrealized-casts))' | FileCheck %s --check-prefix=CDNA

// CHECK: llvm.func @f16_f16
// CHECK: rocdl.wmma
// CHECK-NOT: = {{vector|memref|arith|scf|gpu|amdgpu}}.
// CHECK-NOT: unrealized_conversion_cast
// CDNA: llvm.func @f16_f16
// CDNA: rocdl.mfma
// CDNA-NOT: = {{vector|memref|arith|scf|gpu|amdgpu}}.
// CDNA-NOT: unrealized_conversion_cast
#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#ct = affine_map<(m, n, k) -> (n, m)>
gpu.module @kernels {
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
func.func @padding(%a: memref<13x11xf16, 3>, %b: memref<?x?xf16, 3>, %c: memref<15x5xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [false, false]} : memref<13x11xf16, 3>, vector<16x16xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [false, false]} : memref<?x?xf16, 3>, vector<16x16xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [false, false]} : memref<15x5xf32, 3>, vector<16x16xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [false, false]} : vector<16x16xf32>, memref<15x5xf32, 3>
  return
}
func.func @partial(%a: memref<40x24xf16, 3>, %b: memref<24x40xf16, 3>, %c: memref<40x40xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z0 = arith.constant 0.0 : f16
  %z1 = arith.constant 0.0 : f16
  %z2 = arith.constant 0.0 : f32
  %A = vector.transfer_read %a[%c0, %c0], %z0 {in_bounds = [true, true]} : memref<40x24xf16, 3>, vector<20x12xf16>
  %B = vector.transfer_read %b[%c0, %c0], %z1 {in_bounds = [true, true]} : memref<24x40xf16, 3>, vector<12x20xf16>
  %C = vector.transfer_read %c[%c0, %c0], %z2 {in_bounds = [true, true]} : memref<40x40xf32, 3>, vector<20x20xf32>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %B, %C : vector<20x12xf16>, vector<12x20xf16> into vector<20x20xf32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<20x20xf32>, memref<40x40xf32, 3>
  return
}
func.func @square(%x: memref<16x16xf16, 3>, %y: memref<16x16xf32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %X = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %X, %X, %zero : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  %P = arith.truncf %D : vector<16x16xf32> to vector<16x16xf16>
  %E = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %P, %P, %zero : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %E, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
  return
}
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
}
