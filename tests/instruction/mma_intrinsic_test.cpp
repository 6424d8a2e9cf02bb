// Every mma.sync against LLVM 22: a call of the row's intrinsic with exactly the row's registers
// verifies and becomes the row's mnemonic, and LLVM has no intrinsic without a row.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace mma_intrinsic_test {

// LLVM's type for one argument: a register, or of f64 a pair.
std::string ir_type(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return "double";
    case ElementType::f32:
      return "float";
    case ElementType::f16:
      return "<2 x half>";
    default:
      return "i32";
  }
}

std::vector<std::string> arguments(const Instruction& row, Operand operand) {
  const OperandMap& map = row.map(operand);
  return std::vector<std::string>(
      static_cast<std::size_t>(map.registers / (map.bits == 64 ? 2 : 1)),
      ir_type(row.type(operand)));
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// What follows A, B and C: the index and its selector; scales, each with byte and thread.
std::vector<std::string> further_types(const Instruction& row) {
  std::vector<std::string> types;
  if (row.is_sparse()) types = {"i32", "i32"};
  if (row.has(Operand::scale_a))
    types.insert(types.end(), {"i32", "i16", "i16", "i32", "i16", "i16"});
  return types;
}

// A function that calls the row's intrinsic with its arguments and returns what it returns. One
// argument more of `wrong` is asked for where it is an operand.
std::string ir(const Instruction& row, std::optional<Operand> wrong = std::nullopt) {
  std::vector<std::string> types;
  for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
    const std::vector<std::string> more = arguments(row, operand);
    types.insert(types.end(), more.begin(), more.end());
    if (wrong == operand) types.push_back(more.front());
  }
  const std::size_t selector = types.size() + 1;  // a constant
  for (const std::string& type : further_types(row)) types.push_back(type);
  std::vector<std::string> results = arguments(row, Operand::d);
  if (wrong == Operand::d) results.push_back(results.front());
  const std::string result = results.size() == 1 ? results.front() : "{ " + joined(results) + " }";
  std::vector<std::string> parameters, call;
  for (std::size_t i = 0; i < types.size(); ++i) {
    parameters.push_back(types[i] + " %a" + std::to_string(i));
    call.push_back(row.is_sparse() && i == selector ? "i32 0" : parameters.back());
  }
  const std::string signature = "@" + std::string(row.intrinsic);
  return "declare " + result + " " + signature + "(" + joined(types) + ")\ndefine " + result +
         " @f(" + joined(parameters) + ") {\n  %d = call " + result + " " + signature + "(" +
         joined(call) + ")\n  ret " + result + " %d\n}\n";
}

/// Where LLVM has an instruction on fewer processors than the ISA document and ptxas.
struct Later {
  std::string_view name;
  Target first;
  std::string_view reason;
};

constexpr std::array later_in_llvm{
    Later{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", Target::sm_80,
          "the document has it from sm_75 on"},
};

Target first_target(const Instruction& row) {
  for (const Later& later : later_in_llvm)
    if (later.name == row.name) return later.first;
  for (const ProcessorRow& processor : processor_rows)
    if (processor.family == row.family()) return processor.target;
  ADD_FAILURE() << row.name;
  return Target::sm_120;
}

TEST(MmaIntrinsic, BecomesTheMnemonicWithTheRowsRegisters) {
  int count = 0;
  for (const Instruction& row : mma_instructions) {
    if (!row.has(Witness::llvm)) continue;
    SCOPED_TRACE(row.name);
    const auto ptx = test::compile_ir(first_target(row), 32, ir(row));
    ASSERT_EQ(ptx.error, "");
    const std::size_t at = ptx.value.find("\tmma.");
    ASSERT_NE(at, std::string::npos) << ptx.value;
    EXPECT_EQ(ptx.value.substr(at + 1, ptx.value.find_first_of(" \n", at) - at - 1), row.name);
    ++count;
  }
  EXPECT_EQ(count, 288 - 6);
}

// Of each processor, not of the first of its family alone: what came with the family.
TEST(MmaIntrinsic, EveryProcessorHasWhatCameWithItsFamily) {
  int count = 0;
  for (const ProcessorRow& processor : processor_rows) {
    if (!is_nvidia(processor.family)) continue;
    for (const Instruction& row : mma_instructions) {
      if (row.family() != processor.family || !row.has(Witness::llvm)) continue;
      if (processor.target < first_target(row)) continue;
      EXPECT_EQ(test::compile_ir(processor.target, 32, ir(row)).error, "")
          << processor.name << " " << row.name;
      ++count;
    }
  }
  EXPECT_GT(count, 288);
}

TEST(MmaIntrinsicDeathTest, EveryProcessorThatLlvmLacksIsNeeded) {
  for (const Later& later : later_in_llvm) {
    const Instruction& row = *find(later.name, later.first);
    EXPECT_TRUE(row.is_of(Family::sm75));
    EXPECT_DEATH(test::compile_ir(Target::sm_75, 32, ir(row)), "Cannot select") << later.reason;
  }
}

TEST(MmaIntrinsic, OtherRegisterCountsAreRefused) {
  for (const Instruction& row : mma_instructions) {
    if (!row.has(Witness::llvm)) continue;
    for (const Operand operand : {Operand::a, Operand::b, Operand::c, Operand::d})
      EXPECT_NE(test::compile_ir(first_target(row), 32, ir(row, operand)).error, "")
          << row.name << " " << name(operand);
  }
}

// The row's intrinsic: saturation is no row of its own, and where a kind has one number of scales
// only, it may be left out.
std::string of_row(std::string name) {
  constexpr std::array same{std::pair{".satfinite", ""},
                            std::pair{".mxf4.f32", ".mxf4.scale.2x.f32"},
                            std::pair{".mxf8f6f4.f32", ".mxf8f6f4.scale.1x.f32"}};
  for (const auto& [from, to] : same) {
    const std::size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, std::string(from).size(), to);
  }
  return name;
}

TEST(MmaIntrinsic, EveryOneOfLlvmHasARow) {
  std::set<std::string, std::less<>> rows;
  for (const Instruction& row : mma_instructions) {
    if (row.has(Witness::llvm)) rows.insert(std::string(row.intrinsic));
  }
  std::set<std::string, std::less<>> unseen = rows;
  const std::vector<std::string> known = test::intrinsics("llvm.nvvm.mma.");
  for (const std::string& intrinsic : known) {
    const std::string name = of_row(intrinsic);
    EXPECT_TRUE(rows.contains(name)) << intrinsic;
    unseen.erase(name);
  }
  EXPECT_GT(known.size(), 300u);
  for (const std::string& name : unseen) ADD_FAILURE() << "LLVM has no " << name;
}

}  // namespace mma_intrinsic_test
}  // namespace heddle::instruction
