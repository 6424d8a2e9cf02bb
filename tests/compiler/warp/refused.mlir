// RUN: %heddle-opt %s -split-input-file -verify-diagnostics --heddle-matrix=target=sm_80

// Everything that is not taken: what was found, and what would be.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @scalable(%x: memref<?x?xf16, 3>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  // expected-error @+1 {{vector.transfer_read that makes vector<[4]x4xf16>; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size}}
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<?x?xf16, 3>, vector<[4]x4xf16>
  vector.transfer_write %A, %x[%i, %i] {in_bounds = [true, true]} : vector<[4]x4xf16>, memref<?x?xf16, 3>
  return
}
// -----
func.func @zero_d(%x: memref<f16, 3>) {
  %z = arith.constant 0.0 : f16
  // expected-error @+1 {{vector.transfer_read that makes vector<f16>; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size}}
  %A = vector.transfer_read %x[], %z : memref<f16, 3>, vector<f16>
  vector.transfer_write %A, %x[] : vector<f16>, memref<f16, 3>
  return
}
// -----
func.func @batched(%x: memref<2x16x16xf16, 3>, %y: memref<2x16x16xf32, 3>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %c = arith.constant dense<0.0> : vector<2x16x16xf32>
  %A = vector.transfer_read %x[%i, %i, %i], %z {in_bounds = [true, true, true]} : memref<2x16x16xf16, 3>, vector<2x16x16xf16>
  // expected-error @+1 {{a contraction of vector<2x16x16xf16> and vector<2x16x16xf16> into vector<2x16x16xf32>; accepted: a product of two matrices: vectors of two dimensions, three iterators, maps that are projections such as (d0, d1, d2) -> (d0, d2)}}
  %D = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %A, %c : vector<2x16x16xf16>, vector<2x16x16xf16> into vector<2x16x16xf32>
  vector.transfer_write %D, %y[%i, %i, %i] {in_bounds = [true, true, true]} : vector<2x16x16xf32>, memref<2x16x16xf32, 3>
  return
}
// -----
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @kind(%x: memref<16x16xf16, 3>, %y: memref<16x16xf32, 3>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %c = arith.constant dense<0.0> : vector<16x16xf32>
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  // expected-error @+1 {{a contraction that combines by maxnumf; accepted: kind = #vector.kind<add>}}
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<maxnumf>} %A, %A, %c : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %D, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
  return
}
// -----
  // expected-error @+1 {{a parameter of type vector<16x16xi1>; accepted: memrefs and scalars}}
func.func @masked(%x: memref<16x16xf16, 3>, %m: vector<16x16xi1>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z, %m {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  vector.transfer_write %A, %x[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16, 3>
  return
}
// -----
func.func @mask_region(%x: memref<16x16xf16, 3>, %n: index) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  // expected-error @+1 {{vector.create_mask that makes vector<16x16xi1>; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size}}
  %m = vector.create_mask %n, %n : vector<16x16xi1>
  %A = vector.mask %m { vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16> } : vector<16x16xi1> -> vector<16x16xf16>
  vector.transfer_write %A, %x[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16, 3>
  return
}
// -----
func.func @tensor(%x: tensor<16x16xf16>, %y: memref<16x16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  // expected-error @+1 {{a transfer of tensor<16x16xf16>; accepted: a memref (one-shot-bufferize makes them of tensors)}}
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : tensor<16x16xf16>, vector<16x16xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// -----
func.func @constant(%y: memref<2x2xf16>) {
  %i = arith.constant 0 : index
  // expected-error @+1 {{a constant vector of different values; accepted: constants of one value (dense<1.0>); others are read from memory}}
  %A = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<2x2xf16>, memref<2x2xf16>
  return
}
// -----
func.func @returned(%x: memref<16x16xf16>) -> vector<16x16xf16> {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  // expected-error @+1 {{func.return; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size}}
  return %A : vector<16x16xf16>
}
// -----
func.func @reduction(%x: memref<16x16xf16>, %y: memref<16xf16>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %c = arith.constant dense<0.0> : vector<16xf16>
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  // expected-error @+1 {{vector.multi_reduction that makes vector<16xf16>; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size}}
  %r = vector.multi_reduction <add>, %A, %c [1] : vector<16x16xf16> to vector<16xf16>
  vector.transfer_write %r, %y[%i] {in_bounds = [true]} : vector<16xf16>, memref<16xf16>
  return
}
// -----
func.func @vectors(%x: memref<4x4xvector<4xf16>>) {
  %i = arith.constant 0 : index
  %z = arith.constant dense<0.0> : vector<4xf16>
  // expected-error @+1 {{a memref of vectors, memref<4x4xvector<4xf16>>; accepted: a memref of the vector's elements}}
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<4x4xvector<4xf16>>, vector<4x4x4xf16>
  vector.transfer_write %A, %x[%i, %i] {in_bounds = [true, true]} : vector<4x4x4xf16>, memref<4x4xvector<4xf16>>
  return
}
// -----
func.func @weird_layout(%x: memref<16x16xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d1 + d0 mod 2)>>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  // expected-error @+1 {{a memref without strides, memref<16x16xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d1 + d0 mod 2)>>; accepted: strided<[...], offset: ...>}}
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d1 + d0 mod 2)>>, vector<16x16xf16>
  vector.transfer_write %A, %x[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16, affine_map<(d0, d1) -> (d0 floordiv 2, d1 + d0 mod 2)>>
  return
}
// -----
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @f32(%x: memref<16x16xf32, 3>, %y: memref<16x16xf32, 3>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %c = arith.constant dense<0.0> : vector<16x16xf32>
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf32, 3>, vector<16x16xf32>
  // expected-error @+1 {{a product of f32 and f32 into f32; accepted: on sm_80 f16 into f16, f16 into f32, bf16 into f32, f32 with the option tf32 into f32, f64 into f64, i8 into i32}}
  %D = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %A, %A, %c : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
  vector.transfer_write %D, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32, 3>
  return
}
// -----
func.func @big(%x: memref<4096x4096xf32, 3>, %y: memref<4096x4096xf32, 3>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{vector<4096x4096xf32>, of which a lane would hold 524288 elements; accepted: vectors of which a lane holds 1024 elements or fewer: a warp's part of a larger tile}}
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<4096x4096xf32, 3>, vector<4096x4096xf32>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<4096x4096xf32>, memref<4096x4096xf32, 3>
  return
}
// -----
func.func @i4(%x: memref<16x16xi4, 3>, %y: memref<16x16xi4, 3>, %k: memref<16x16xindex>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0 : i4
  // expected-error @+1 {{elements of type i4; accepted: integers and floats of 8, 16, 32 or 64 bits}}
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xi4, 3>, vector<16x16xi4>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xi4>, memref<16x16xi4, 3>
  %B = vector.transfer_read %k[%i, %i], %i {in_bounds = [true, true]} : memref<16x16xindex>, vector<16x16xindex>
  vector.transfer_write %B, %k[%i, %i] {in_bounds = [true, true]} : vector<16x16xindex>, memref<16x16xindex>
  return
}
// -----
func.func @if(%x: memref<16x16xf16>, %p: i1) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  // expected-error @+1 {{scf.if that makes vector<16x16xf16>; accepted: vector.contract, vector.transfer_read and _write, vector.transpose, vector.broadcast, constants of one value, elementwise arith and math operations and scf.for, on vectors of fixed size}}
  %B = scf.if %p -> vector<16x16xf16> {
    %s = arith.addf %A, %A : vector<16x16xf16>
    scf.yield %s : vector<16x16xf16>
  } else {
    scf.yield %A : vector<16x16xf16>
  }
  vector.transfer_write %B, %x[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16>
  return
}
// -----
// Each is small enough, and all together are not.
func.func @long(%x: memref<256x128xf16>, %n: index) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<256x128xf16>, vector<256x128xf16>
  %B = arith.addf %A, %A : vector<256x128xf16>
  %C = arith.addf %B, %B : vector<256x128xf16>
  %D = arith.addf %C, %C : vector<256x128xf16>
  %E = arith.addf %D, %D : vector<256x128xf16>
  %F = arith.addf %E, %E : vector<256x128xf16>
  %G = arith.addf %F, %F : vector<256x128xf16>
  %H = arith.addf %G, %G : vector<256x128xf16>
  %I = arith.addf %H, %H : vector<256x128xf16>
  %J = arith.addf %I, %I : vector<256x128xf16>
  // expected-error @+1 {{more than 10240 elements that a lane reads, computes and writes in the code until here; accepted: smaller vectors, or a loop over parts of them}}
  vector.transfer_write %J, %x[%i, %i] {in_bounds = [true, true]} : vector<256x128xf16>, memref<256x128xf16>
  return
}
// -----
// What is read may lie at one place, what is written not.
func.func @overlap(%x: memref<16x16xf16, strided<[1, 1]>>, %y: memref<16x16xf16, strided<[0, 1]>>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, true]} : memref<16x16xf16, strided<[1, 1]>>, vector<16x16xf16>
  // expected-error @+1 {{a write of several elements to one place, memref<16x16xf16, strided<[0, 1]>>; accepted: strides each larger than all that the smaller ones span, as row-major ones are}}
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [true, true]} : vector<16x16xf16>, memref<16x16xf16, strided<[0, 1]>>
  return
}
// -----
// A vector that is wider than rows of a memref that it may leave: no two elements of it meet.
func.func @wider(%x: memref<16x18xf16>, %y: memref<?x?xf16, strided<[18, 1]>>) {
  %i = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %A = vector.transfer_read %x[%i, %i], %z {in_bounds = [true, false]} : memref<16x18xf16>, vector<16x32xf16>
  vector.transfer_write %A, %y[%i, %i] {in_bounds = [false, false]} : vector<16x32xf16>, memref<?x?xf16, strided<[18, 1]>>
  return
}
