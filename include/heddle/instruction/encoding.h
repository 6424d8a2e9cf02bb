// How a matrix instruction of AMD's is encoded: the format and its opcode.
//
//   if (const auto encoded = encoding(row))
//     print(encoded->format, encoded->opcode, encoded->bytes);
//
// Sources: LLVM 22, which decodes every opcode of these formats
// (tests/instruction/coverage_test.cpp compares); AMD's matrix instruction calculator 1.3.2 for
// CDNA1 to 3, with three misprints that the same test names. The formats are those of AMD's
// Instruction Set Architecture documents, section "Instruction Formats". NVIDIA publishes no
// encodings of its machine code.
//
// To add an instruction: a line in opcode_rows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heddle/instruction/instruction.h"

namespace heddle::instruction {

/// An instruction by the assembler's name, which has the same opcode on all processors.
struct OpcodeRow {
  std::string_view name;
  std::uint8_t opcode;  // bits 22:16 of the first word, on gfx1250 23:16
};

inline constexpr std::array opcode_rows{
    // CDNA1 and 2
    OpcodeRow{"v_mfma_f32_32x32x1f32", 0x40},
    OpcodeRow{"v_mfma_f32_16x16x1f32", 0x41},
    OpcodeRow{"v_mfma_f32_4x4x1f32", 0x42},
    OpcodeRow{"v_mfma_f32_32x32x2f32", 0x44},
    OpcodeRow{"v_mfma_f32_16x16x4f32", 0x45},
    OpcodeRow{"v_mfma_f32_32x32x4f16", 0x48},
    OpcodeRow{"v_mfma_f32_16x16x4f16", 0x49},
    OpcodeRow{"v_mfma_f32_4x4x4f16", 0x4a},
    OpcodeRow{"v_mfma_f32_32x32x8f16", 0x4c},
    OpcodeRow{"v_mfma_f32_16x16x16f16", 0x4d},
    OpcodeRow{"v_mfma_i32_32x32x4i8", 0x50},
    OpcodeRow{"v_mfma_i32_16x16x4i8", 0x51},
    OpcodeRow{"v_mfma_i32_4x4x4i8", 0x52},
    OpcodeRow{"v_mfma_i32_32x32x8i8", 0x54},
    OpcodeRow{"v_mfma_i32_16x16x16i8", 0x55},
    OpcodeRow{"v_mfma_f32_32x32x2bf16", 0x68},
    OpcodeRow{"v_mfma_f32_16x16x2bf16", 0x69},
    OpcodeRow{"v_mfma_f32_4x4x2bf16", 0x6b},
    OpcodeRow{"v_mfma_f32_32x32x4bf16", 0x6c},
    OpcodeRow{"v_mfma_f32_16x16x8bf16", 0x6d},
    OpcodeRow{"v_mfma_f32_32x32x4bf16_1k", 0x63},
    OpcodeRow{"v_mfma_f32_16x16x4bf16_1k", 0x64},
    OpcodeRow{"v_mfma_f32_4x4x4bf16_1k", 0x65},
    OpcodeRow{"v_mfma_f32_32x32x8bf16_1k", 0x66},
    OpcodeRow{"v_mfma_f32_16x16x16bf16_1k", 0x67},
    OpcodeRow{"v_mfma_f64_16x16x4f64", 0x6e},
    OpcodeRow{"v_mfma_f64_4x4x4f64", 0x6f},
    // CDNA3 and 4
    OpcodeRow{"v_mfma_f32_16x16x8_xf32", 0x3e},
    OpcodeRow{"v_mfma_f32_32x32x4_xf32", 0x3f},
    OpcodeRow{"v_mfma_f32_32x32x1_2b_f32", 0x40},
    OpcodeRow{"v_mfma_f32_16x16x1_4b_f32", 0x41},
    OpcodeRow{"v_mfma_f32_4x4x1_16b_f32", 0x42},
    OpcodeRow{"v_mfma_f32_32x32x2_f32", 0x44},
    OpcodeRow{"v_mfma_f32_16x16x4_f32", 0x45},
    OpcodeRow{"v_mfma_f32_32x32x4_2b_f16", 0x48},
    OpcodeRow{"v_mfma_f32_16x16x4_4b_f16", 0x49},
    OpcodeRow{"v_mfma_f32_4x4x4_16b_f16", 0x4a},
    OpcodeRow{"v_mfma_f32_32x32x8_f16", 0x4c},
    OpcodeRow{"v_mfma_f32_16x16x16_f16", 0x4d},
    OpcodeRow{"v_mfma_i32_32x32x4_2b_i8", 0x50},
    OpcodeRow{"v_mfma_i32_16x16x4_4b_i8", 0x51},
    OpcodeRow{"v_mfma_i32_4x4x4_16b_i8", 0x52},
    OpcodeRow{"v_mfma_i32_32x32x16_i8", 0x56},
    OpcodeRow{"v_mfma_i32_16x16x32_i8", 0x57},
    OpcodeRow{"v_mfma_f32_32x32x4_2b_bf16", 0x5d},
    OpcodeRow{"v_mfma_f32_16x16x4_4b_bf16", 0x5e},
    OpcodeRow{"v_mfma_f32_4x4x4_16b_bf16", 0x5f},
    OpcodeRow{"v_mfma_f32_32x32x8_bf16", 0x60},
    OpcodeRow{"v_mfma_f32_16x16x16_bf16", 0x61},
    OpcodeRow{"v_smfmac_f32_16x16x32_f16", 0x62},
    OpcodeRow{"v_smfmac_f32_32x32x16_f16", 0x64},
    OpcodeRow{"v_smfmac_f32_16x16x32_bf16", 0x66},
    OpcodeRow{"v_smfmac_f32_32x32x16_bf16", 0x68},
    OpcodeRow{"v_smfmac_i32_16x16x64_i8", 0x6a},
    OpcodeRow{"v_smfmac_i32_32x32x32_i8", 0x6c},
    OpcodeRow{"v_mfma_f64_16x16x4_f64", 0x6e},
    OpcodeRow{"v_mfma_f64_4x4x4_4b_f64", 0x6f},
    OpcodeRow{"v_mfma_f32_16x16x32_bf8_bf8", 0x70},
    OpcodeRow{"v_mfma_f32_16x16x32_bf8_fp8", 0x71},
    OpcodeRow{"v_mfma_f32_16x16x32_fp8_bf8", 0x72},
    OpcodeRow{"v_mfma_f32_16x16x32_fp8_fp8", 0x73},
    OpcodeRow{"v_mfma_f32_32x32x16_bf8_bf8", 0x74},
    OpcodeRow{"v_mfma_f32_32x32x16_bf8_fp8", 0x75},
    OpcodeRow{"v_mfma_f32_32x32x16_fp8_bf8", 0x76},
    OpcodeRow{"v_mfma_f32_32x32x16_fp8_fp8", 0x77},
    OpcodeRow{"v_smfmac_f32_16x16x64_bf8_bf8", 0x78},
    OpcodeRow{"v_smfmac_f32_16x16x64_bf8_fp8", 0x79},
    OpcodeRow{"v_smfmac_f32_16x16x64_fp8_bf8", 0x7a},
    OpcodeRow{"v_smfmac_f32_16x16x64_fp8_fp8", 0x7b},
    OpcodeRow{"v_smfmac_f32_32x32x32_bf8_bf8", 0x7c},
    OpcodeRow{"v_smfmac_f32_32x32x32_bf8_fp8", 0x7d},
    OpcodeRow{"v_smfmac_f32_32x32x32_fp8_bf8", 0x7e},
    OpcodeRow{"v_smfmac_f32_32x32x32_fp8_fp8", 0x7f},
    OpcodeRow{"v_mfma_f32_16x16x128_f8f6f4", 0x2d},
    OpcodeRow{"v_mfma_scale_f32_16x16x128_f8f6f4", 0x2d},
    OpcodeRow{"v_mfma_f32_32x32x64_f8f6f4", 0x2e},
    OpcodeRow{"v_mfma_scale_f32_32x32x64_f8f6f4", 0x2e},
    OpcodeRow{"v_mfma_f32_16x16x32_bf16", 0x35},
    OpcodeRow{"v_mfma_i32_16x16x64_i8", 0x36},
    OpcodeRow{"v_mfma_f32_32x32x16_bf16", 0x37},
    OpcodeRow{"v_mfma_i32_32x32x32_i8", 0x38},
    OpcodeRow{"v_smfmac_f32_16x16x64_bf16", 0x39},
    OpcodeRow{"v_smfmac_i32_16x16x128_i8", 0x3a},
    OpcodeRow{"v_smfmac_f32_16x16x128_bf8_bf8", 0x3b},
    OpcodeRow{"v_smfmac_f32_16x16x128_bf8_fp8", 0x3c},
    OpcodeRow{"v_smfmac_f32_16x16x128_fp8_bf8", 0x3d},
    OpcodeRow{"v_smfmac_f32_16x16x128_fp8_fp8", 0x43},
    OpcodeRow{"v_smfmac_f32_32x32x32_bf16", 0x46},
    OpcodeRow{"v_smfmac_i32_32x32x64_i8", 0x47},
    OpcodeRow{"v_smfmac_f32_32x32x64_bf8_bf8", 0x4b},
    OpcodeRow{"v_smfmac_f32_32x32x64_bf8_fp8", 0x4e},
    OpcodeRow{"v_smfmac_f32_32x32x64_fp8_bf8", 0x4f},
    OpcodeRow{"v_smfmac_f32_32x32x64_fp8_fp8", 0x53},
    OpcodeRow{"v_mfma_f32_16x16x32_f16", 0x54},
    OpcodeRow{"v_mfma_f32_32x32x16_f16", 0x55},
    OpcodeRow{"v_smfmac_f32_16x16x64_f16", 0x5a},
    OpcodeRow{"v_smfmac_f32_32x32x32_f16", 0x5b},
    // RDNA3 and 4
    OpcodeRow{"v_wmma_f32_16x16x16_f16", 0x40},
    OpcodeRow{"v_wmma_f32_16x16x16_bf16", 0x41},
    OpcodeRow{"v_wmma_f16_16x16x16_f16", 0x42},
    OpcodeRow{"v_wmma_bf16_16x16x16_bf16", 0x43},
    OpcodeRow{"v_wmma_i32_16x16x16_iu8", 0x44},
    OpcodeRow{"v_wmma_i32_16x16x16_iu4", 0x45},
    OpcodeRow{"v_wmma_f32_16x16x16_fp8_fp8", 0x46},
    OpcodeRow{"v_wmma_f32_16x16x16_fp8_bf8", 0x47},
    OpcodeRow{"v_wmma_f32_16x16x16_bf8_fp8", 0x48},
    OpcodeRow{"v_wmma_f32_16x16x16_bf8_bf8", 0x49},
    OpcodeRow{"v_wmma_i32_16x16x32_iu4", 0x4a},
    OpcodeRow{"v_swmmac_f32_16x16x32_f16", 0x50},
    OpcodeRow{"v_swmmac_f32_16x16x32_bf16", 0x51},
    OpcodeRow{"v_swmmac_f16_16x16x32_f16", 0x52},
    OpcodeRow{"v_swmmac_bf16_16x16x32_bf16", 0x53},
    OpcodeRow{"v_swmmac_i32_16x16x32_iu8", 0x54},
    OpcodeRow{"v_swmmac_i32_16x16x32_iu4", 0x55},
    OpcodeRow{"v_swmmac_i32_16x16x64_iu4", 0x56},
    OpcodeRow{"v_swmmac_f32_16x16x32_fp8_fp8", 0x57},
    OpcodeRow{"v_swmmac_f32_16x16x32_fp8_bf8", 0x58},
    OpcodeRow{"v_swmmac_f32_16x16x32_bf8_fp8", 0x59},
    OpcodeRow{"v_swmmac_f32_16x16x32_bf8_bf8", 0x5a},
    // gfx1250
    OpcodeRow{"v_wmma_f32_16x16x128_f8f6f4", 0x33},
    OpcodeRow{"v_wmma_scale_f32_16x16x128_f8f6f4", 0x33},
    OpcodeRow{"v_wmma_scale16_f32_16x16x128_f8f6f4", 0x33},
    OpcodeRow{"v_wmma_f32_16x16x4_f32", 0x5d},
    OpcodeRow{"v_wmma_f32_16x16x32_f16", 0x60},
    OpcodeRow{"v_wmma_f16_16x16x32_f16", 0x61},
    OpcodeRow{"v_wmma_f32_16x16x32_bf16", 0x62},
    OpcodeRow{"v_wmma_bf16_16x16x32_bf16", 0x63},
    OpcodeRow{"v_wmma_bf16f32_16x16x32_bf16", 0x64},
    OpcodeRow{"v_swmmac_f32_16x16x64_f16", 0x65},
    OpcodeRow{"v_swmmac_f32_16x16x64_bf16", 0x66},
    OpcodeRow{"v_swmmac_f16_16x16x64_f16", 0x67},
    OpcodeRow{"v_swmmac_bf16_16x16x64_bf16", 0x68},
    OpcodeRow{"v_swmmac_bf16f32_16x16x64_bf16", 0x69},
    OpcodeRow{"v_wmma_f32_16x16x64_fp8_fp8", 0x6a},
    OpcodeRow{"v_wmma_f32_16x16x64_fp8_bf8", 0x6b},
    OpcodeRow{"v_wmma_f32_16x16x64_bf8_fp8", 0x6c},
    OpcodeRow{"v_wmma_f32_16x16x64_bf8_bf8", 0x6d},
    OpcodeRow{"v_wmma_f16_16x16x64_fp8_fp8", 0x6e},
    OpcodeRow{"v_wmma_f16_16x16x64_fp8_bf8", 0x6f},
    OpcodeRow{"v_wmma_f16_16x16x64_bf8_fp8", 0x70},
    OpcodeRow{"v_wmma_f16_16x16x64_bf8_bf8", 0x71},
    OpcodeRow{"v_wmma_i32_16x16x64_iu8", 0x72},
    OpcodeRow{"v_swmmac_f32_16x16x128_fp8_fp8", 0x73},
    OpcodeRow{"v_swmmac_f32_16x16x128_fp8_bf8", 0x74},
    OpcodeRow{"v_swmmac_f32_16x16x128_bf8_fp8", 0x75},
    OpcodeRow{"v_swmmac_f32_16x16x128_bf8_bf8", 0x76},
    OpcodeRow{"v_swmmac_f16_16x16x128_fp8_fp8", 0x77},
    OpcodeRow{"v_swmmac_f16_16x16x128_fp8_bf8", 0x78},
    OpcodeRow{"v_swmmac_f16_16x16x128_bf8_fp8", 0x79},
    OpcodeRow{"v_swmmac_f16_16x16x128_bf8_bf8", 0x7a},
    OpcodeRow{"v_swmmac_i32_16x16x128_iu8", 0x7b},
    OpcodeRow{"v_wmma_f32_16x16x128_fp8_fp8", 0x80},
    OpcodeRow{"v_wmma_f32_16x16x128_fp8_bf8", 0x81},
    OpcodeRow{"v_wmma_f32_16x16x128_bf8_fp8", 0x82},
    OpcodeRow{"v_wmma_f32_16x16x128_bf8_bf8", 0x83},
    OpcodeRow{"v_wmma_f16_16x16x128_fp8_fp8", 0x84},
    OpcodeRow{"v_wmma_f16_16x16x128_fp8_bf8", 0x85},
    OpcodeRow{"v_wmma_f16_16x16x128_bf8_fp8", 0x86},
    OpcodeRow{"v_wmma_f16_16x16x128_bf8_bf8", 0x87},
    OpcodeRow{"v_wmma_f32_32x16x128_f4", 0x88},
    OpcodeRow{"v_wmma_scale_f32_32x16x128_f4", 0x88},
    OpcodeRow{"v_wmma_scale16_f32_32x16x128_f4", 0x88},
};

/// An instruction that loads the scales of the one behind it; both together are one to the
/// assembler.
struct ScaleLoad {
  std::string_view name;
  std::uint8_t opcode;
};

/// The format and what tells the instruction apart within it.
struct Encoding {
  std::string_view format;  // "VOP3P" or "VOP3P-MAI"
  std::uint8_t opcode;
  int bytes;                              // 8; 16 with a scale load
  std::optional<ScaleLoad> scale_load{};  // the 8 bytes before, of an instruction with scales
};

/// What loads the scales of `row`, which has some. gfx1250 has a load for a scale of 32 elements
/// (4 bytes a lane) and one for a scale of 16 (8 bytes).
constexpr ScaleLoad scale_load(const Instruction& row) {
  if (is_cdna(row.family())) return {"v_mfma_ld_scale_b32", 0x2c};
  if (row.scale_a.registers == 1) return {"v_wmma_ld_scale_paired_b32", 0x35};
  return {"v_wmma_ld_scale16_paired_b64", 0x3a};
}

/// The encoding of `row`; nothing of NVIDIA's.
constexpr std::optional<Encoding> encoding(const Instruction& row) {
  for (const OpcodeRow& known : opcode_rows) {
    if (known.name != row.name) continue;
    const std::string_view format = is_cdna(row.family()) ? "VOP3P-MAI" : "VOP3P";
    if (!row.has(Operand::scale_a)) return Encoding{format, known.opcode, 8};
    return Encoding{format, known.opcode, 16, scale_load(row)};
  }
  return std::nullopt;
}

}  // namespace heddle::instruction
