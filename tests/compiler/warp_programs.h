// Warp-level functions with more than one contraction, for tiles that both vendors take.
#pragma once

#include <string_view>

namespace heddle::compiler {

/// (A B) C with the first product rounded to f16, as attention does.
inline constexpr std::string_view chained_text =
    R"(#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @chained(%a: memref<16x16xf16>, %b: memref<16x16xf16, 3>, %c: memref<16x16xf16>, %d: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %x = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %y = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16, 3>, vector<16x16xf16>
  %z = vector.transfer_read %c[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %p = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %zero : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  %q = arith.truncf %p : vector<16x16xf32> to vector<16x16xf16>
  %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %q, %z, %zero : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %r, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
)";

/// A result that is B of the next product: its rows are k there, whose order in lanes and registers
/// differs on gfx950.
inline constexpr std::string_view as_b_text =
    R"(#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @as_b(%a: memref<32x32xf16>, %b: memref<32x32xf16>, %c: memref<32x32xf16>, %d: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<32x32xf32>
  %x = vector.transfer_read %a[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %y = vector.transfer_read %b[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %z = vector.transfer_read %c[%c0, %c0], %h {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %p = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %zero : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  %q = arith.truncf %p : vector<32x32xf32> to vector<32x32xf16>
  %r = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %z, %q, %zero : vector<32x32xf16>, vector<32x32xf16> into vector<32x32xf32>
  vector.transfer_write %r, %d[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  return
}
)";

/// A loop over k whose tiles lie at %i, with open sizes and a start that the caller gives.
inline constexpr std::string_view loop_text =
    R"(#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @loop(%a: memref<?x?xf16>, %b: memref<64x16xf16>, %d: memref<16x16xf32>, %start: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %h = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %sum = scf.for %i = %start to %c64 step %c16 iter_args(%s = %zero) -> vector<16x16xf32> {
    %x = vector.transfer_read %a[%c0, %i], %h {in_bounds = [true, true]} : memref<?x?xf16>, vector<16x16xf16>
    %y = vector.transfer_read %b[%i, %c0], %h {in_bounds = [true, true]} : memref<64x16xf16>, vector<16x16xf16>
    %p = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %s : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
    scf.yield %p : vector<16x16xf32>
  }
  vector.transfer_write %sum, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
)";

}  // namespace heddle::compiler
