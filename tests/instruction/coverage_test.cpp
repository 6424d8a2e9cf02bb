// Which matrix instructions there are, by LLVM 22: every opcode of the encoding that holds them is
// decoded for every processor, and what comes out is in the catalogue or in the table of exceptions
// below. An exception that is no longer needed fails too.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/encoding.h"
#include "tests/data/golden.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace coverage_test {

using test::disassemble;

struct Exception {
  Family family;
  std::string_view name;
  std::string_view reason;
};

constexpr std::array exceptions{
    Exception{Family::gfx950, "v_mfma_ld_scale_b32", "loads scales; multiplies nothing"},
    Exception{Family::gfx1250, "v_wmma_ld_scale_paired_b32", "loads scales; multiplies nothing"},
    Exception{Family::gfx1250, "v_wmma_ld_scale16_paired_b64", "loads scales; multiplies nothing"},
};

using Bytes = std::vector<std::uint8_t>;

Bytes little_endian(std::uint32_t first, std::uint32_t second) {
  Bytes bytes;
  for (const std::uint32_t word : {first, second})
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  return bytes;
}

// Encoding VOP3P: D in bits 7:0 of the first word, the opcode in 22:16, on gfx1250 in 23:16; three
// sources of 9 bits in the second, of which 256 is v0. RDNA's matrix instructions have the three
// bits OPSEL_HI set, in 14 of the first word and 28:27 of the second; of gfx1250's some have and
// some not. Source: RDNA3 and CDNA3 Instruction Set Architecture, "Instruction Formats", VOP3P.
Bytes vop3p(bool rdna, unsigned opcode, bool opsel_hi) {
  const std::uint32_t encoding = rdna ? 0xcc000000u : 0xd3800000u;
  const std::uint32_t first = opsel_hi ? 1u << 14 : 0u;
  const std::uint32_t second = opsel_hi ? 3u << 27 : 0u;
  return little_endian(encoding | first | opcode << 16, 256u | 256u << 9 | 256u << 18 | second);
}

/// ABID[0], in bit 11 of the first word, which on gfx950 says that there are scales.
/// Source: AMD Instinct CDNA4 Instruction Set Architecture, section 7.1.5.
Bytes with_scales(Bytes bytes, Target target) {
  if (processor(target).family == Family::gfx950) bytes[1] |= 1u << 3;
  return bytes;
}

/// What precedes an instruction that has scales: another, that loads them, of this opcode.
std::vector<unsigned> scale_loads(Target target) {
  if (processor(target).family == Family::gfx950) return {0x2c};
  if (processor(target).family == Family::gfx1250) return {0x35, 0x3a};
  return {};
}

bool is_matrix_instruction(const std::string& name) {
  return name.find("wmma") != std::string::npos || name.find("mfma") != std::string::npos ||
         name.find("fmac_") != std::string::npos;
}

/// The mnemonic that LLVM decodes, or nothing if it is no matrix instruction.
std::string matrix_instruction(Target target, int wave, const Bytes& bytes) {
  const auto text = disassemble(target, wave, bytes);
  const std::string name = text.value.substr(0, text.value.find(' '));
  return text.error.empty() && is_matrix_instruction(name) ? name : "";
}

// Mnemonic -> opcode, of every matrix instruction LLVM decodes, alone and with scales.
std::map<std::string, unsigned> matrix_instructions(Target target, int wave) {
  std::map<std::string, unsigned> found;
  const bool cdna = is_cdna(processor(target).family);
  for (unsigned opcode = 0; opcode < (cdna ? 128 : 256); ++opcode) {
    for (const bool opsel_hi : {false, true}) {
      if (opsel_hi == cdna && processor(target).family != Family::gfx1250) continue;
      const Bytes bytes = vop3p(!cdna, opcode, opsel_hi);
      found[matrix_instruction(target, wave, bytes)] = opcode;
      for (const unsigned load : scale_loads(target)) {
        Bytes pair = vop3p(!cdna, load, false);
        const Bytes scaled = with_scales(bytes, target);
        pair.insert(pair.end(), scaled.begin(), scaled.end());
        found[matrix_instruction(target, wave, pair)] = opcode;
      }
    }
  }
  found.erase("");
  return found;
}

// gfx1250 shares the encoding of gfx12, by which LLVM decodes the instructions of that;
// encoding_test shows that its code generator has them not.
bool is_of_gfx12_only(Target target, const std::string& name) {
  return processor(target).family == Family::gfx1250 && find(name, Target::gfx1200, 32) != nullptr;
}

bool is_excepted(Target target, const std::string& name) {
  return std::any_of(exceptions.begin(), exceptions.end(), [&](const Exception& exception) {
    return exception.family == processor(target).family && exception.name == name;
  });
}

std::vector<int> waves_of(Target target) {
  if (processor(target).family == Family::gfx1250) return {32};
  return default_wave(target) == 32 ? std::vector<int>{32, 64} : std::vector<int>{64};
}

TEST(Coverage, EveryMatrixInstructionOfLlvmHasARow) {
  for (const ProcessorRow& processor : processor_rows) {
    if (is_nvidia(processor.family)) continue;
    for (const int wave : waves_of(processor.target)) {
      SCOPED_TRACE(std::string(processor.name) + " wave" + std::to_string(wave));
      std::set<std::string> unknown_to_llvm;
      for (const Instruction& row : all_instructions())
        if (row.is_of(processor.family) && row.wave == wave && row.kind == Kind::multiply)
          unknown_to_llvm.insert(std::string(row.name));
      const auto found = matrix_instructions(processor.target, wave);
      EXPECT_GE(found.size(), 6u);
      for (const auto& [name, opcode] : found) {
        const bool has_row = unknown_to_llvm.erase(name) == 1;
        if (is_of_gfx12_only(processor.target, name)) {
          EXPECT_FALSE(has_row) << name;
          continue;
        }
        EXPECT_NE(has_row, is_excepted(processor.target, name)) << name;
        if (has_row)
          EXPECT_EQ(encoding(*find(name, processor.target, wave))->opcode, opcode) << name;
      }
      for (const std::string& name : unknown_to_llvm)
        ADD_FAILURE() << "LLVM does not decode " << name;
    }
  }
}

// The loads of scales, of which every opcode in scale_loads is one.
TEST(Coverage, ScalesAreLoadedByTheInstructionsBefore) {
  int rows = 0;
  for (const Instruction& row : all_instructions()) {
    if (is_nvidia(row.family()) || row.kind != Kind::multiply) {
      EXPECT_FALSE(encoding(row).has_value()) << row.name;
      continue;
    }
    const Target target = is_cdna(row.family()) ? Target::gfx950 : Target::gfx1250;
    const auto encoded = encoding(row);
    ASSERT_TRUE(encoded.has_value()) << row.name;
    EXPECT_EQ(encoded->bytes, encoded->scale_load ? 16 : 8);
    EXPECT_EQ(encoded->scale_load.has_value(), row.has(Operand::scale_a)) << row.name;
    if (!encoded->scale_load) continue;
    std::set<std::string> decoded;
    for (const bool opsel_hi : {false, true}) {
      Bytes pair = vop3p(!is_cdna(row.family()), encoded->scale_load->opcode, false);
      const Bytes product =
          with_scales(vop3p(!is_cdna(row.family()), encoded->opcode, opsel_hi), target);
      pair.insert(pair.end(), product.begin(), product.end());
      decoded.insert(matrix_instruction(target, row.wave, pair));
    }
    EXPECT_TRUE(decoded.contains(std::string(row.name))) << row.name;
    ++rows;
  }
  EXPECT_EQ(rows, 2 + 4);
}

TEST(Coverage, EveryExceptionIsNeeded) {
  for (const Exception& exception : exceptions) {
    for (const ProcessorRow& processor : processor_rows) {
      if (processor.family != exception.family) continue;
      const auto names = matrix_instructions(processor.target, default_wave(processor.target));
      EXPECT_TRUE(names.contains(std::string(exception.name))) << exception.name;
    }
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

}  // namespace coverage_test
}  // namespace heddle::instruction
