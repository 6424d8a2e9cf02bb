// Reads Triton's layouts from the text that Triton prints: an attribute, or a type with one.
//
//   #ttg.slice<{dim = 0, parent = #ttg.blocked<{…}>}>
//   tensor<128x64xf16, #ttg.blocked<{…}>>
//   !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{…}>, #smem, mutable>
//   #ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>
//
// Most attributes have no shape. Then the shape is that of the type, or the caller's, or else the
// tile that the layout covers once. How CTAs share the tensor is read from CGALayout = [[0, 1]], or
// from CTAsPerCGA, CTASplitNum and CTAOrder of releases before 3.6.
//
// Source: Triton 3.6.0 and later, lib/Dialect/TritonGPU/IR/Dialect.cpp (the parse functions).
//
//     const auto read = triton::read("tensor<128x64xf16, #ttg.blocked<{…}>>");
//     if (!read) report(read.error().column, read.error().message);
//     read->shape, read->element_bits      {128, 64}, 16
//     std::get<layout::LinearLayout>(read->map)
//
// For an unknown name the error suggests the most similar one: "#ttg.blocked has no field
// sizePerThred; did you mean sizePerThread? it has …".
#pragma once

#include <expected>
#include <optional>
#include <string_view>

#include "heddle/interop/text_error.h"
#include "heddle/interop/triton/layout.h"

namespace heddle::interop::triton {

/// A layout as it was written, and its map for the shape.
struct ReadLayout {
  Layout layout;
  Numbers shape;
  Map map;
  int element_bits = 0;  // that a type or the layout itself says; else 0
};

/// True if the text begins like an attribute or a type of Triton.
bool is_attribute_text(std::string_view text);

/// Reads an attribute or a type. `shape`: the shape of the tensor. It is needed if the text has no
/// shape; if the text has one, `shape` replaces it. Errors give the column: a mistake in the text,
/// a missing or unknown field, a layout that Triton rejects, a shape that the layout cannot have.
std::expected<ReadLayout, TextError> read(std::string_view text,
                                          const std::optional<Numbers>& shape = {});

}  // namespace heddle::interop::triton
