// FlyDSL's types of matrix instructions.
//
//   !fly_rocdl.cdna3.mfma<16x16x16, (f16, f16) -> f32>
//   !fly.mma_atom<!fly_rocdl.gfx11.wmma<16x16x16, (bf16, bf16) -> f32, signA = false>>
//
//   name  =  [ '!fly.mma_atom<' ] '!fly_rocdl.' [ 'atom.' ] generation '.' kind
//            '<' m 'x' n 'x' k ', (' type ', ' type ') -> ' type [ ', ' ignored attributes ] '>' …
//
// Source: ROCm/FlyDSL, tests/mlir/Conversion (mma_atom, wmma_gfx11, wmma_gfx120x, wmma_gfx1250,
// mma_scale_gfx1250, swmmac_gfx120x), in 2026.
//
//     parse_fly_name("!fly_rocdl.cdna3.mfma<16x16x16, (f16, f16) -> f32>")
//         families gfx942 and gfx950, 16x16x16, f16 into f32
//
//     generation          processors
//     cdna1, cdna2        gfx908, gfx90a
//     cdna3               gfx942 and gfx950: the shape says whether both have it
//     cdna4               gfx950
//     gfx11, rdna3        gfx11
//     gfx120x, rdna4      gfx12
//     gfx1250             gfx1250
//
//     kind                      as a mnemonic
//     mfma, mfma_scale          v_mfma_…, v_mfma_scale_…
//     wmma, wmma_scale          v_wmma_…, v_wmma_scale_…
//     smfmac, swmmac            v_smfmac_…, v_swmmac_…: A is sparse
//
// The result is nothing if the text is not such a type, or if no instruction has this type.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "heddle/instruction/iree_name.h"

namespace heddle::instruction {

namespace detail {

/// The families of a generation. cdna3 also occurs in names of CDNA4's instructions; then the shape
/// decides.
inline constexpr std::array<std::pair<std::string_view, Families>, 9> fly_generations{
    {{"cdna1.", Family::gfx908},
     {"cdna2.", Family::gfx90a},
     {"cdna3.", Family::gfx942 | Family::gfx950},
     {"cdna4.", Family::gfx950},
     {"gfx11.", Family::gfx11},
     {"rdna3.", Family::gfx11},
     {"gfx120x.", Family::gfx12},
     {"rdna4.", Family::gfx12},
     {"gfx1250.", Family::gfx1250}}};

struct FlyKind {
  std::string_view name;
  bool is_sparse, has_scales;
};
inline constexpr std::array<FlyKind, 6> fly_kinds{{{"mfma_scale<", false, true},
                                                   {"wmma_scale<", false, true},
                                                   {"mfma<", false, false},
                                                   {"wmma<", false, false},
                                                   {"smfmac<", true, false},
                                                   {"swmmac<", true, false}}};

/// MLIR's names of types.
inline constexpr std::array<std::pair<std::string_view, ElementType>, 15> mlir_types{
    {{"f8E4M3FNUZ", ElementType::fp8_fnuz},
     {"f8E5M2FNUZ", ElementType::bf8_fnuz},
     {"f8E4M3FN", ElementType::fp8},
     {"f8E5M2", ElementType::bf8},
     {"f6E2M3FN", ElementType::fp6},
     {"f6E3M2FN", ElementType::bf6},
     {"f4E2M1FN", ElementType::fp4},
     {"xf32", ElementType::xf32},
     {"tf32", ElementType::xf32},
     {"bf16", ElementType::bf16},
     {"f16", ElementType::f16},
     {"f32", ElementType::f32},
     {"f64", ElementType::f64},
     {"i32", ElementType::i32},
     {"i8", ElementType::i8}}};

/// Removes `wanted` and the blanks after `wanted` from the front of the text. False if the text
/// does not begin with `wanted`.
constexpr bool take_front(std::string_view& text, std::string_view wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(wanted.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

constexpr std::optional<ElementType> take_mlir_type(std::string_view& text) {
  for (const auto& [name, type] : mlir_types)
    if (take_front(text, name)) return type;
  if (take_front(text, "i4")) return ElementType::i4;
  return std::nullopt;
}

/// Removes a number from 1 to 9999 from the front of the text and returns it; 0 if there is none.
constexpr int take_size(std::string_view& text) {
  int size = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && size < 1000) {
    size = 10 * size + (text[0] - '0');
    text.remove_prefix(1);
  }
  return size;
}

}  // namespace detail

/// True if a text begins like such a name.
constexpr bool begins_as_fly_name(std::string_view text) {
  return text.starts_with("!fly.mma_atom<") || text.starts_with("!fly_rocdl.");
}

constexpr std::optional<ShapeAndTypes> parse_fly_name(std::string_view text) {
  using namespace detail;
  take_front(text, "!fly.mma_atom<");
  if (!take_front(text, "!fly_rocdl.")) return std::nullopt;
  take_front(text, "atom.");
  ShapeAndTypes name{};
  for (const auto& [generation, families] : fly_generations)
    if (name.families.bits == 0 && take_front(text, generation)) name.families = families;
  bool has_kind = false;
  for (const FlyKind& kind : fly_kinds) {
    if (has_kind || !take_front(text, kind.name)) continue;
    has_kind = true;
    name.is_sparse = kind.is_sparse;
    name.has_scales = kind.has_scales;
  }
  name.blocks = 1;
  name.m = take_size(text);
  if (!take_front(text, "x")) return std::nullopt;
  name.n = take_size(text);
  if (!take_front(text, "x")) return std::nullopt;
  name.k = take_size(text);
  if (!take_front(text, ",") || !take_front(text, "(")) return std::nullopt;
  const auto a = take_mlir_type(text);
  if (!take_front(text, ",")) return std::nullopt;
  const auto b = take_mlir_type(text);
  if (!take_front(text, ")") || !take_front(text, "->")) return std::nullopt;
  const auto d = take_mlir_type(text);
  const bool is_whole = has_kind && name.families.bits != 0 && a && b && d &&
                        (text.starts_with(',') || text.starts_with('>'));
  if (!is_whole) return std::nullopt;
  name.a_type = *a;
  name.b_type = *b;
  name.d_type = *d;
  return name;
}

}  // namespace heddle::instruction
