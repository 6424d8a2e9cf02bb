// Matches names of PTX instructions, with or without the qualifiers that are redundant.
//
//   mma.m16n8k16.f32.f16.f16.f32                        .sync, .aligned, .row and .col left out
//   mma.sync.aligned.kind::f8f6f4.m16n8k32 ...           in another order, as CUTLASS writes them
//   mma.sync.aligned.m16n8k32.row.col.satfinite.s32 ...  with a qualifier that changes no layout
//   wgmma.mma_async.sync.aligned.m64n96k16.f32.f16.f16   one n of the row that stands for all n
//
//   the name that is given                       the row
//   mma.m16n8k16.f32.f16.f16.f32                 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
//   ldmatrix.m8n8.x4.b16                         ldmatrix.sync.aligned.m8n8.x4.shared.b16
//   wgmma.mma_async.m64n96k16.f32.f16.f16        wgmma.mma_async.sync.aligned, with n = 96
//   mma.m16n8k16.f32.f16                         none: the types of D, A, B and C are needed
//
// Source: PTX ISA 9.0, "Syntax" of mma, mma.sp, wgmma.mma_async, ldmatrix and stmatrix.
//
// Redundant are .sync, .aligned and .shared; layouts if an instruction has only one; and
// .satfinite, which changes values but no layout. All other qualifiers must agree, in any order.
#pragma once

#include <optional>
#include <string_view>

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/variant.h"
#include "heddle/layout/error.h"

namespace heddle::instruction {

/// Calls `use` with each part of `text` between separators and stops when `use` returns false. True
/// if `use` never returned false.
constexpr bool all_parts(std::string_view text, char separator, auto use) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!use(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

constexpr bool has_part(std::string_view name, std::string_view part) {
  return !all_parts(name, '.', [&](std::string_view other) { return other != part; });
}

/// True if a part of a name is a type. The order of the types in a name matters.
constexpr bool is_ptx_type(std::string_view part) {
  for (const ElementTypeRow& row : element_type_rows)
    if (part == ptx_name(row.type)) return true;
  return false;
}

constexpr bool is_ptx_layout(std::string_view part) { return part == "row" || part == "col"; }

/// True if those parts of two names for which `chosen` is true are the same, in the same order.
constexpr bool same_parts(std::string_view a, std::string_view b, auto chosen) {
  const auto next = [&](std::string_view& rest) {
    while (!rest.empty()) {
      const std::size_t end = rest.find('.');
      const std::string_view part = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (chosen(part)) return part;
    }
    return std::string_view();
  };
  while (true) {
    const std::string_view of_a = next(a), of_b = next(b);
    if (of_a != of_b) return false;
    if (of_a.empty()) return true;
  }
}

/// Removes the number at the front of `text` and returns it; -1 if there is none.
constexpr int leading_number(std::string_view& text) {
  int number = -1;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && number < 100000) {
    number = (number < 0 ? 0 : number * 10) + (text[0] - '0');
    text.remove_prefix(1);
  }
  return number;
}

/// The n of a shape such as m64n96k16, if `pattern` is a row's shape such as m64nNk16. Nothing if
/// the rest of the shape differs.
constexpr std::optional<int> n_of_shape(std::string_view pattern, std::string_view shape) {
  const std::size_t at = pattern.find('N');
  if (at == std::string_view::npos || shape.substr(0, at) != pattern.substr(0, at))
    return std::nullopt;
  shape.remove_prefix(at);
  const int n = leading_number(shape);
  if (n < 0 || shape != pattern.substr(at + 1)) return std::nullopt;
  return n;
}

/// True if a name may lack this part of the row's name.
constexpr bool may_be_left_out(const Instruction& row, std::string_view part) {
  if (part == "sync" || part == "aligned" || part == "shared" || part == "mma_async") return true;
  // The number of scales may be left out if the row's kind has only this number of scales.
  return (part == "scale_vec::1X" && has_part(row.name, "kind::mxf8f6f4")) ||
         (part == "scale_vec::2X" && has_part(row.name, "kind::mxf4"));
}

/// True if a name may have this part, although the row's name does not.
constexpr bool may_be_added(const Instruction& row, std::string_view part) {
  if (part == "satfinite") return row.d_type == ElementType::i32;
  if (part == "shared::cta") return has_part(row.name, "shared");
  const bool rounding = part == "rn" || part == "rz" || part == "rm" || part == "rp";
  return rounding && row.d_type == ElementType::f64;
}

/// The instruction of this row that has `name` in PTX: the row itself, or, for a row that stands
/// for all n, the row with the n of the name. Nothing if the name belongs to another row, or if the
/// row does not have this n.
constexpr std::optional<Instruction> match_ptx_name(const Instruction& row, std::string_view name) {
  int n = 0;  // none named
  const auto is_shape = [&](std::string_view part) {
    return !all_parts(row.name, '.', [&](std::string_view pattern) {
      const std::optional<int> found = n_of_shape(pattern, part);
      if (found) n = *found;
      return !found;
    });
  };
  const bool known = all_parts(name, '.', [&](std::string_view part) {
    return is_ptx_type(part) || is_ptx_layout(part) || has_part(row.name, part) ||
           may_be_added(row, part) || is_shape(part);
  });
  if (!known || !same_parts(row.name, name, is_ptx_type)) return std::nullopt;
  const bool no_layouts = !has_part(name, "row") && !has_part(name, "col");
  if (!no_layouts && !same_parts(row.name, name, is_ptx_layout)) return std::nullopt;
  const bool complete = all_parts(row.name, '.', [&](std::string_view part) {
    const bool pattern = part.find('N') != std::string_view::npos;
    return is_ptx_type(part) || is_ptx_layout(part) || may_be_left_out(row, part) ||
           has_part(name, part) || (pattern && n != 0);
  });
  if (!complete) return std::nullopt;
  return n == 0 ? std::optional(row) : with_n(row, n);
}

/// A name without .sync, .aligned, .row and .col, as it is often written.
constexpr layout::FixedText<127> short_ptx_name(std::string_view name) {
  layout::FixedText<127> text;
  all_parts(name, '.', [&](std::string_view part) {
    if (part == "sync" || part == "aligned" || part == "row" || part == "col") return true;
    if (text.size() > 0) text.append('.');
    text.append(part);
    return true;
  });
  return text;
}

}  // namespace heddle::instruction
