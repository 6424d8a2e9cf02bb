// Aliases: other names that AMD's assembler accepts for an instruction on some processors. On CDNA3
// and CDNA4 these are the names of CDNA1 and CDNA2, which have no underscore before the types and
// no number of blocks, and names of newer instructions made in the same way. On gfx1250 they are
// the names of gfx12's transposing loads.
//
// Source: LLVM 22's assembler. aliases_test.cpp makes every such name from every row, for every
// processor, and asks the assembler: it accepts these aliases and no others.
//
//   canonical("v_mfma_f32_32x32x8f16", Target::gfx942) == "v_mfma_f32_32x32x8_f16"
//
// The differences between older and newer names:
//
//     older name                       name on gfx942 and gfx950      the difference
//     v_mfma_f32_32x32x8f16            v_mfma_f32_32x32x8_f16         no underscore before the type
//     v_mfma_f32_32x32x4f16            v_mfma_f32_32x32x4_2b_f16      blocks follow from the shape
//     v_mfma_f32_32x32x8bf16_1k        v_mfma_f32_32x32x8_bf16        _1k: bf16 with the k of f16
//     v_mfma_f64_16x16x4f64            v_mfma_f64_16x16x4_f64         (gfx90a; gfx908 has no f64)
//
// gfx908 has bf16 with half of f16's k, v_mfma_f32_32x32x4bf16; gfx90a added the _1k instructions.
//
// Heddle reads aliases, but prints the instruction's own name. On the older processors
// v_mfma_f32_32x32x8f16 is the own name, so it is not replaced.
#pragma once

#include <array>
#include <string_view>

#include "heddle/instruction/cdna_table.h"
#include "heddle/instruction/target.h"
#include "heddle/instruction/transpose_load_table.h"

namespace heddle::instruction {

/// On processors that have the instruction `name`, the assembler also accepts the name `alias` for
/// it.
struct AliasRow {
  std::string_view alias;
  std::string_view name;
};

inline constexpr std::array alias_rows{
    AliasRow{"ds_load_tr_b128", "ds_load_tr16_b128"},
    AliasRow{"ds_load_tr_b64", "ds_load_tr8_b64"},
    AliasRow{"global_load_tr_b128", "global_load_tr16_b128"},
    AliasRow{"global_load_tr_b64", "global_load_tr8_b64"},
    AliasRow{"v_mfma_f32_16x16x16bf16", "v_mfma_f32_16x16x16_bf16"},
    AliasRow{"v_mfma_f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16"},
    AliasRow{"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16"},
    AliasRow{"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32"},
    AliasRow{"v_mfma_f32_16x16x32bf16", "v_mfma_f32_16x16x32_bf16"},
    AliasRow{"v_mfma_f32_16x16x32f16", "v_mfma_f32_16x16x32_f16"},
    AliasRow{"v_mfma_f32_16x16x4bf16", "v_mfma_f32_16x16x4_4b_bf16"},
    AliasRow{"v_mfma_f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16"},
    AliasRow{"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16"},
    AliasRow{"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32"},
    AliasRow{"v_mfma_f32_16x16x8xf32", "v_mfma_f32_16x16x8_xf32"},
    AliasRow{"v_mfma_f32_32x32x16bf16", "v_mfma_f32_32x32x16_bf16"},
    AliasRow{"v_mfma_f32_32x32x16f16", "v_mfma_f32_32x32x16_f16"},
    AliasRow{"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32"},
    AliasRow{"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32"},
    AliasRow{"v_mfma_f32_32x32x4bf16", "v_mfma_f32_32x32x4_2b_bf16"},
    AliasRow{"v_mfma_f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16"},
    AliasRow{"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16"},
    AliasRow{"v_mfma_f32_32x32x4xf32", "v_mfma_f32_32x32x4_xf32"},
    AliasRow{"v_mfma_f32_32x32x8bf16", "v_mfma_f32_32x32x8_bf16"},
    AliasRow{"v_mfma_f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16"},
    AliasRow{"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16"},
    AliasRow{"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32"},
    AliasRow{"v_mfma_f32_4x4x4bf16", "v_mfma_f32_4x4x4_16b_bf16"},
    AliasRow{"v_mfma_f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16"},
    AliasRow{"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16"},
    AliasRow{"v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64"},
    AliasRow{"v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64"},
    AliasRow{"v_mfma_i32_16x16x32i8", "v_mfma_i32_16x16x32_i8"},
    AliasRow{"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8"},
    AliasRow{"v_mfma_i32_16x16x64i8", "v_mfma_i32_16x16x64_i8"},
    AliasRow{"v_mfma_i32_32x32x16i8", "v_mfma_i32_32x32x16_i8"},
    AliasRow{"v_mfma_i32_32x32x32i8", "v_mfma_i32_32x32x32_i8"},
    AliasRow{"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8"},
    AliasRow{"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8"},
    AliasRow{"v_smfmac_f32_16x16x128bf8bf8", "v_smfmac_f32_16x16x128_bf8_bf8"},
    AliasRow{"v_smfmac_f32_16x16x128bf8fp8", "v_smfmac_f32_16x16x128_bf8_fp8"},
    AliasRow{"v_smfmac_f32_16x16x128fp8bf8", "v_smfmac_f32_16x16x128_fp8_bf8"},
    AliasRow{"v_smfmac_f32_16x16x128fp8fp8", "v_smfmac_f32_16x16x128_fp8_fp8"},
    AliasRow{"v_smfmac_f32_16x16x32bf16", "v_smfmac_f32_16x16x32_bf16"},
    AliasRow{"v_smfmac_f32_16x16x32f16", "v_smfmac_f32_16x16x32_f16"},
    AliasRow{"v_smfmac_f32_16x16x64bf16", "v_smfmac_f32_16x16x64_bf16"},
    AliasRow{"v_smfmac_f32_16x16x64bf8bf8", "v_smfmac_f32_16x16x64_bf8_bf8"},
    AliasRow{"v_smfmac_f32_16x16x64bf8fp8", "v_smfmac_f32_16x16x64_bf8_fp8"},
    AliasRow{"v_smfmac_f32_16x16x64f16", "v_smfmac_f32_16x16x64_f16"},
    AliasRow{"v_smfmac_f32_16x16x64fp8bf8", "v_smfmac_f32_16x16x64_fp8_bf8"},
    AliasRow{"v_smfmac_f32_16x16x64fp8fp8", "v_smfmac_f32_16x16x64_fp8_fp8"},
    AliasRow{"v_smfmac_f32_32x32x16bf16", "v_smfmac_f32_32x32x16_bf16"},
    AliasRow{"v_smfmac_f32_32x32x16f16", "v_smfmac_f32_32x32x16_f16"},
    AliasRow{"v_smfmac_f32_32x32x32bf16", "v_smfmac_f32_32x32x32_bf16"},
    AliasRow{"v_smfmac_f32_32x32x32bf8bf8", "v_smfmac_f32_32x32x32_bf8_bf8"},
    AliasRow{"v_smfmac_f32_32x32x32bf8fp8", "v_smfmac_f32_32x32x32_bf8_fp8"},
    AliasRow{"v_smfmac_f32_32x32x32f16", "v_smfmac_f32_32x32x32_f16"},
    AliasRow{"v_smfmac_f32_32x32x32fp8bf8", "v_smfmac_f32_32x32x32_fp8_bf8"},
    AliasRow{"v_smfmac_f32_32x32x32fp8fp8", "v_smfmac_f32_32x32x32_fp8_fp8"},
    AliasRow{"v_smfmac_f32_32x32x64bf8bf8", "v_smfmac_f32_32x32x64_bf8_bf8"},
    AliasRow{"v_smfmac_f32_32x32x64bf8fp8", "v_smfmac_f32_32x32x64_bf8_fp8"},
    AliasRow{"v_smfmac_f32_32x32x64fp8bf8", "v_smfmac_f32_32x32x64_fp8_bf8"},
    AliasRow{"v_smfmac_f32_32x32x64fp8fp8", "v_smfmac_f32_32x32x64_fp8_fp8"},
    AliasRow{"v_smfmac_i32_16x16x128i8", "v_smfmac_i32_16x16x128_i8"},
    AliasRow{"v_smfmac_i32_16x16x64i8", "v_smfmac_i32_16x16x64_i8"},
    AliasRow{"v_smfmac_i32_32x32x32i8", "v_smfmac_i32_32x32x32_i8"},
    AliasRow{"v_smfmac_i32_32x32x64i8", "v_smfmac_i32_32x32x64_i8"},
};

/// The name of which `alias` is another name, on processors that have an instruction of this name;
/// empty if `alias` is in no row.
constexpr std::string_view meaning(std::string_view alias) {
  for (const AliasRow& row : alias_rows)
    if (row.alias == alias) return row.name;
  return {};
}

/// The instruction's own name on `target` if `name` is an alias there; otherwise `name`, whether or
/// not such an instruction exists.
constexpr std::string_view canonical(std::string_view name, Target target) {
  const Family family = processor(target).family;
  const bool older = is_cdna(family);
  if (!older && family != Family::gfx1250) return name;
  const std::string_view meant = meaning(name);
  const auto has = [&](const auto& table) {
    for (const Instruction& instruction : table)
      if (instruction.name == meant && instruction.is_of(family)) return true;
    return false;
  };
  return has(transpose_load_instructions) || (older && has(cdna_instructions)) ? meant : name;
}

}  // namespace heddle::instruction
