// RUN: %heddle-opt %s --heddle-matrix=target=gfx942 -split-input-file -verify-diagnostics

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @unsigned(%a: memref<16x32xi8, 3>, %b: memref<32x16xi8, 3>, %c: memref<16x16xi32, 3>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  %zero = arith.constant dense<0> : vector<16x16xi32>
  %A = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xi8, 3>, vector<16x32xi8>
  %B = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x16xi8, 3>, vector<32x16xi8>
  %X = arith.extui %A : vector<16x32xi8> to vector<16x32xi32>
  %Y = arith.extsi %B : vector<32x16xi8> to vector<32x16xi32>
  // MFMA multiplies bytes with a sign only.
  // expected-error @+1 {{a product of i32 and i32 into i32; accepted: on gfx942 f32 into f32, f16 into f32, bf16 into f32, f64 into f64, signed i8 into i32, f32 with the option tf32 into f32, f8E5M2FNUZ into f32, f8E4M3FNUZ into f32}}
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %X, %Y, %zero : vector<16x32xi32>, vector<32x16xi32> into vector<16x16xi32>
  vector.transfer_write %D, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xi32>, memref<16x16xi32, 3>
  return
}
