// Which matrix instructions there are, by LLVM 22: every opcode of the encoding that holds them is
// decoded for every processor, and what comes out is in the catalogue or in the table of exceptions
// below. An exception that is no longer needed fails too.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "heddle/instruction/catalogue.h"
#include "tests/data/golden.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace {

using test::disassemble;

struct Exception {
  Target target;
  std::string_view name;
  std::string_view reason;
};

constexpr std::array exceptions{
    Exception{Target::gfx950, "v_mfma_ld_scale_b32", "loads scales; multiplies nothing"},
    Exception{Target::gfx950, "v_mfma_f32_16x16x128_f8f6f4", "no witness of its places yet"},
    Exception{Target::gfx950, "v_mfma_f32_32x32x64_f8f6f4", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_16x16x64_bf16", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_i32_16x16x128_i8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_16x16x128_bf8_bf8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_16x16x128_bf8_fp8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_16x16x128_fp8_bf8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_16x16x128_fp8_fp8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_32x32x32_bf16", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_i32_32x32x64_i8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_32x32x64_bf8_bf8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_32x32x64_bf8_fp8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_32x32x64_fp8_bf8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_32x32x64_fp8_fp8", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_16x16x64_f16", "no witness of its places yet"},
    Exception{Target::gfx950, "v_smfmac_f32_32x32x32_f16", "no witness of its places yet"},
};

using Bytes = std::vector<std::uint8_t>;

Bytes little_endian(std::uint32_t first, std::uint32_t second) {
  Bytes bytes;
  for (const std::uint32_t word : {first, second})
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  return bytes;
}

// Encoding VOP3P: D in bits 7:0 of the first word, the opcode in 22:16; three sources of 9 bits in
// the second, of which 256 is v0. RDNA's matrix instructions have the three bits OPSEL_HI set, in
// 14 of the first word and 28:27 of the second.
// Source: RDNA3 and CDNA3 Instruction Set Architecture, "Instruction Formats", VOP3P.
Bytes vop3p(bool rdna, unsigned opcode) {
  const std::uint32_t encoding = rdna ? 0xcc004000u : 0xd3800000u;
  const std::uint32_t opsel_hi = rdna ? 3u << 27 : 0u;
  return little_endian(encoding | opcode << 16, 256u | 256u << 9 | 256u << 18 | opsel_hi);
}

bool is_matrix_instruction(const std::string& name) {
  return name.find("wmma") != std::string::npos || name.find("mfma") != std::string::npos ||
         name.find("fmac_") != std::string::npos;
}

// Mnemonic -> opcode, of every matrix instruction LLVM decodes.
std::map<std::string, unsigned> matrix_instructions(Target target, int wave) {
  std::map<std::string, unsigned> found;
  const bool rdna = has_kernels(target);
  for (unsigned opcode = 0; opcode < 128; ++opcode) {
    const auto text = disassemble(target, wave, vop3p(rdna, opcode));
    const std::string name = text.value.substr(0, text.value.find(' '));
    if (text.error.empty() && is_matrix_instruction(name)) found[name] = opcode;
  }
  return found;
}

bool is_excepted(Target target, const std::string& name) {
  return std::any_of(exceptions.begin(), exceptions.end(), [&](const Exception& exception) {
    return exception.target == target && exception.name == name;
  });
}

std::vector<int> waves_of(Target target) {
  return default_wave(target) == 32 ? std::vector<int>{32, 64} : std::vector<int>{64};
}

TEST(Coverage, EveryMatrixInstructionOfLlvmHasARow) {
  for (const ProcessorRow& processor : processor_rows) {
    if (is_nvidia(processor.family)) continue;
    for (const int wave : waves_of(processor.target)) {
      SCOPED_TRACE(std::string(processor.name) + " wave" + std::to_string(wave));
      std::set<std::string> unknown_to_llvm;
      for (const Instruction& row : all_instructions())
        if (row.is_of(processor.family) && row.wave == wave)
          unknown_to_llvm.insert(std::string(row.name));
      const auto found = matrix_instructions(processor.target, wave);
      EXPECT_GE(found.size(), 6u);
      for (const auto& [name, opcode] : found) {
        const bool has_row = unknown_to_llvm.erase(name) == 1;
        EXPECT_NE(has_row, is_excepted(processor.target, name)) << name;
      }
      for (const std::string& name : unknown_to_llvm)
        ADD_FAILURE() << "LLVM does not decode " << name;
    }
  }
}

TEST(Coverage, EveryExceptionIsNeeded) {
  std::map<Target, std::map<std::string, unsigned>> found;
  for (const Exception& exception : exceptions) {
    auto& names = found[exception.target];
    if (names.empty()) names = matrix_instructions(exception.target, 64);
    EXPECT_TRUE(names.contains(std::string(exception.name))) << exception.name;
    EXPECT_FALSE(exception.reason.empty());
  }
}

/// Where AMD's calculator prints another opcode than LLVM has, by its own name.
struct Disagreement {
  std::string_view file, name;
  unsigned calculator, llvm;
};

constexpr std::array disagreements{
    Disagreement{"amd_cdna1.json.gz", "v_mfma_i32_16x16x16i8", 0x54, 0x55},
    Disagreement{"amd_cdna2.json.gz", "v_mfma_i32_16x16x16i8", 0x54, 0x55},
    Disagreement{"amd_cdna3.json.gz", "v_mfma_i32_32x32x16_i8", 0x54, 0x56},
    Disagreement{"amd_cdna3.json.gz", "v_mfma_i32_16x16x32_i8", 0x54, 0x57},
};

TEST(Coverage, OpcodesAreTheCalculatorsButForKnownDisagreements) {
  std::size_t agreeing = 0, disagreeing = 0;
  for (const auto& [file, target] : {std::pair{"amd_cdna1.json.gz", Target::gfx908},
                                     std::pair{"amd_cdna2.json.gz", Target::gfx90a},
                                     std::pair{"amd_cdna3.json.gz", Target::gfx942}}) {
    const auto llvm = matrix_instructions(target, 64);
    const llvm::json::Value golden = test::read_golden(file);
    for (const llvm::json::Value& entry : *golden.getAsObject()->getArray("instructions")) {
      const std::string name = entry.getAsObject()->getString("name")->str();
      const auto printed = static_cast<unsigned>(*entry.getAsObject()->getInteger("opcode"));
      const auto known = std::find_if(
          disagreements.begin(), disagreements.end(),
          [&](const Disagreement& row) { return row.file == file && row.name == name; });
      if (known == disagreements.end()) {
        EXPECT_EQ(printed, llvm.at(name)) << file << " " << name;
        ++agreeing;
      } else {
        EXPECT_EQ(printed, known->calculator) << file << " " << name;
        EXPECT_EQ(llvm.at(name), known->llvm) << file << " " << name;
        EXPECT_NE(known->calculator, known->llvm) << "agreed by now: " << name;
        ++disagreeing;
      }
    }
  }
  EXPECT_EQ(agreeing, 20 + 27 + 46 - disagreements.size());
  EXPECT_EQ(disagreeing, disagreements.size());
}

}  // namespace
}  // namespace heddle::instruction
