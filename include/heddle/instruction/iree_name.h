// IREE's names of matrix instructions: MFMA_F32_16x16x16_F16, WMMAR3_I32_16x16x16_I8,
// MFMA_F32_16x16x32_F8E5M2_F8E4M3FN, MFMA_F32_4x4x4x16B_F16, NV_MMA_SYNC_F32_16x8x16_F16.
//
//   name  =  kind '_' type '_' m 'x' n 'x' k [ 'x' blocks 'B' ] '_' type [ '_' type ]
//
// The first type is that of C and D. Then come the types of A and B, or one type for both. A
// virtual name (VMFMA_…, VDMFMA_…) stands for several instructions and has no row.
//
// Source: iree-org/iree, compiler/src/iree/compiler/Codegen/Dialect/GPU/IR/IREEGPUEnums.td, the
// cases of IREEGPU_MMAIntrinsic, in 2026.
//
//     parse_iree_name("MFMA_F32_4x4x4x16B_F16")      m 4, n 4, k 4, 16 blocks, f16 into f32, CDNA
//     parse_iree_name("WMMAR3_F32_16x16x16_F16")     gfx11
//     parse_iree_name("VMFMA_F32_16x16x32_F16")      nothing: two instructions
//
//     kind            processors          F32, F16 as a mnemonic
//     MFMA_           gfx908 to gfx950    v_mfma_f32_16x16x16_f16
//     WMMAR3_         gfx11               v_wmma_f32_16x16x16_f16
//     WMMAR4_         gfx12               v_wmma_f32_16x16x16_f16
//     WMMA_           gfx1250             v_wmma_f32_16x16x32_f16
//     NV_MMA_SYNC_    sm_80 to sm_89      mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "heddle/instruction/variant.h"

namespace heddle::instruction {

/// What such a name says about an instruction.
struct ShapeAndTypes {
  Families families;
  ElementType d_type, a_type, b_type;
  int m, n, k, blocks;
  bool is_sparse = false, has_scales = false;
};

namespace detail {

struct IreeKind {
  std::string_view prefix;
  Families families;
};
inline constexpr std::array iree_kinds{
    IreeKind{"MFMA_", Family::gfx908 | Family::gfx90a | Family::gfx942 | Family::gfx950},
    IreeKind{"WMMAR3_", Family::gfx11},
    IreeKind{"WMMAR4_", Family::gfx12},
    IreeKind{"WMMA_", Family::gfx1250},
    IreeKind{"NV_MMA_SYNC_", Family::sm80 | Family::sm89},
};

/// FNUZ types are the 8-bit floats of gfx942. Later processors read these bits differently.
inline constexpr std::array<std::pair<std::string_view, ElementType>, 11> iree_types{
    {{"F64", ElementType::f64},
     {"F32", ElementType::f32},
     {"F16", ElementType::f16},
     {"BF16", ElementType::bf16},
     {"I32", ElementType::i32},
     {"I8", ElementType::i8},
     {"F8E5M2FNUZ", ElementType::bf8_fnuz},
     {"F8E4M3FNUZ", ElementType::fp8_fnuz},
     {"F8E5M2", ElementType::bf8},
     {"F8E4M3FN", ElementType::fp8},
     {"XF32", ElementType::xf32}}};

/// Removes the text up to the next underscore, and the underscore, from the front of `text`;
/// returns the text before the underscore.
constexpr std::string_view next_part(std::string_view& text) {
  const std::size_t end = text.find('_');
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

constexpr std::optional<ElementType> iree_type(std::string_view text) {
  for (const auto& [name, type] : iree_types)
    if (name == text) return type;
  return std::nullopt;
}

}  // namespace detail

/// Parses a name, or the attribute of IREE's IR that contains it:
/// #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>.
constexpr std::optional<ShapeAndTypes> parse_iree_name(std::string_view text) {
  constexpr std::string_view attribute = "#iree_gpu.mma_layout<";
  if (text.starts_with(attribute) && text.ends_with('>')) {
    text.remove_prefix(attribute.size());
    text.remove_suffix(1);
  }
  for (const auto& [prefix, families] : detail::iree_kinds) {
    if (!text.starts_with(prefix)) continue;
    text.remove_prefix(prefix.size());
    const auto d = detail::iree_type(detail::next_part(text));
    const std::string_view shape = detail::next_part(text);
    const bool has_b = text.find('_') != std::string_view::npos;
    const auto a = detail::iree_type(detail::next_part(text));
    const auto b = has_b ? detail::iree_type(text) : a;
    if (!d || !a || !b) return std::nullopt;
    std::array<int, 4> sizes{0, 0, 0, 1};
    std::size_t count = 0;
    bool in_blocks = false;
    for (const char c : shape) {
      if (c == 'x' && count < 3) {
        if (++count == 3) sizes[3] = 0;
      } else if (c == 'B' && count == 3) {
        in_blocks = true;
      } else if (c >= '0' && c <= '9' && sizes[count] < 1000 && !in_blocks) {
        sizes[count] = 10 * sizes[count] + (c - '0');
      } else {
        return std::nullopt;
      }
    }
    if (count < 2 || (count == 3) != in_blocks) return std::nullopt;
    return ShapeAndTypes{families, *d, *a, *b, sizes[0], sizes[1], sizes[2], sizes[3]};
  }
  return std::nullopt;
}

/// The instruction of this row that the name means (for f8f6f4, with the named types), or nothing.
constexpr std::optional<Instruction> match(const Instruction& row, const ShapeAndTypes& name) {
  const auto is_type = [](ElementType own, ElementType wanted) {
    return own == wanted || (wanted == ElementType::i8 && own == ElementType::iu8) ||
           (wanted == ElementType::i4 && own == ElementType::iu4);
  };
  const bool same_shape = row.m == name.m && row.n == name.n && row.k == name.k &&
                          row.blocks == name.blocks && row.d_type == name.d_type;
  if (row.kind != Kind::multiply || row.is_sparse() != name.is_sparse ||
      exists(row.scale_a) != name.has_scales || !same_shape ||
      (row.families.bits & name.families.bits) == 0)
    return std::nullopt;
  if (row.formats.empty())
    return is_type(row.a_type, name.a_type) && is_type(row.b_type, name.b_type) ? std::optional(row)
                                                                                : std::nullopt;
  int a = -1, b = -1;
  for (std::size_t i = 0; i < row.formats.size(); ++i) {
    if (row.formats[i].type == name.a_type) a = static_cast<int>(i);
    if (row.formats[i].type == name.b_type) b = static_cast<int>(i);
  }
  if (a < 0 || b < 0) return std::nullopt;
  auto found = with_formats(row, a, b);
  found->formats = {};  // the name has chosen
  return found;
}

}  // namespace heddle::instruction
