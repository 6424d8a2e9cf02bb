// Every row against LLVM 22: the instruction assembles with exactly the row's registers and decodes
// to the same text; one register more or fewer is refused; the row's intrinsic becomes this
// instruction with these registers.
#include <gtest/gtest.h>

#include <regex>

#include "heddle/instruction/catalogue.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace {

using test::assemble;
using test::compile_ir;
using test::disassemble;

// The assembler's name of `count` VGPRs from `first` on.
std::string tuple(int first, int count) {
  const std::string number = std::to_string(first);
  if (count == 1) return "v" + number;
  return "v[" + number + ":" + std::to_string(first + count - 1) + "]";
}

// Registers of D, A, B and the last operand: C in D's place, or the index of a sparse A.
std::array<int, 4> register_counts(const Instruction& row) {
  const int last = row.is_sparse() ? row.index.registers : row.d.registers;
  return {row.d.registers, row.a.registers, row.b.registers, last};
}

std::string text(const Instruction& row, const std::array<int, 4>& counts) {
  std::string result(row.name);
  result += " " + tuple(0, counts[0]);
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const bool is_c = i == 3 && !row.is_sparse();
    result += ", " + tuple(is_c ? 0 : static_cast<int>(16 * i), counts[i]);
  }
  return result;
}

void for_each_row_and_target(auto&& check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    for (const TargetRow& target : target_rows) {
      if (target.family != row.family) continue;
      SCOPED_TRACE(std::string(target.name) + " wave" + std::to_string(row.wave) + " " +
                   std::string(row.name));
      check(row, target.target);
      ++count;
    }
  }
  ASSERT_GT(count, 100) << "the harness ran next to nothing";
}

TEST(Encoding, AssemblesAndDecodesToItself) {
  for_each_row_and_target([](const Instruction& row, Target target) {
    const std::string wanted = text(row, register_counts(row));
    const auto bytes = assemble(target, row.wave, wanted);
    ASSERT_EQ(bytes.error, "") << wanted;
    ASSERT_EQ(bytes.value.size(), 8u);
    const auto back = disassemble(target, row.wave, bytes.value);
    EXPECT_EQ(back.error, "");
    EXPECT_EQ(back.value, wanted);
  });
}

TEST(Encoding, OtherRegisterCountsAreRefused) {
  for_each_row_and_target([](const Instruction& row, Target target) {
    const std::array<int, 4> counts = register_counts(row);
    for (std::size_t operand = 0; operand < counts.size(); ++operand) {
      for (int change : {-1, 1}) {
        std::array<int, 4> wrong = counts;
        wrong[operand] += change;
        if (wrong[operand] == 0) continue;
        EXPECT_NE(assemble(target, row.wave, text(row, wrong)).error, "") << text(row, wrong);
      }
    }
  });
}

TEST(Encoding, OtherFamiliesLackIt) {
  for (const Instruction& row : all_instructions()) {
    for (const TargetRow& target : target_rows) {
      if (find(row.name, target.target, row.wave) != nullptr) continue;
      const auto bytes = assemble(target.target, row.wave, text(row, register_counts(row)));
      EXPECT_NE(bytes.error, "") << target.name << " " << row.name;
    }
  }
}

// LLVM's type for an operand: as many elements as fit its registers, small formats as i32 words.
std::string ir_type(const OperandMap& map, ElementType type) {
  const bool packs_words = bits(type) < 16 || type == ElementType::i32;
  const int count = packs_words ? map.registers : map.registers * 32 / bits(type);
  std::string element = "i32";
  if (type == ElementType::f32) element = "float";
  if (type == ElementType::f16) element = "half";
  if (type == ElementType::bf16) element = "i16";
  return count == 1 ? element : "<" + std::to_string(count) + " x " + element + ">";
}

// A function that applies the row's intrinsic to its arguments and stores the result.
std::string ir(const Instruction& row) {
  const bool integer = row.d_type == ElementType::i32;
  const bool halves = bits(row.d_type) == 16 && !row.is_sparse();
  const std::string a = ir_type(row.a, row.a_type);
  const std::string b = ir_type(row.b, row.b_type);
  const std::string d = ir_type(row.d, row.d_type);
  const auto index_map = fragment(row, Operand::index);
  const std::string index = "i" + std::to_string(index_map.input_size("element") * row.index.bits);
  std::string call = integer ? "i1 false, " + a + " %a, i1 false, " + b + " %b, " + d + " %c"
                             : a + " %a, " + b + " %b, " + d + " %c";
  if (row.is_sparse()) call += ", " + index + " %index";
  if (integer || halves) call += ", i1 false";  // clamp; the upper half of 16-bit C and D
  return "define void @f(" + a + " %a, " + b + " %b, " + d + " %c, " +
         (row.is_sparse() ? index + " %index, " : "") + "ptr addrspace(1) %out) {\n  %d = call " +
         d + " @" + std::string(row.intrinsic) + "(" + call + ")\n  store " + d +
         " %d, ptr addrspace(1) %out\n  ret void\n}\n";
}

TEST(Intrinsic, BecomesTheInstructionWithTheRowsRegisters) {
  const std::regex operand(R"(v\[(\d+):(\d+)\]|v\d+)");
  for_each_row_and_target([&](const Instruction& row, Target target) {
    const auto assembly = compile_ir(target, row.wave, ir(row));
    ASSERT_EQ(assembly.error, "");
    const std::size_t begin = assembly.value.find(std::string(row.name) + " ");
    ASSERT_NE(begin, std::string::npos) << assembly.value;
    const std::string line = assembly.value.substr(begin, assembly.value.find('\n', begin) - begin);
    std::vector<int> counts;
    const std::string operands = line.substr(row.name.size());
    for (std::sregex_iterator match(operands.begin(), operands.end(), operand), end; match != end;
         ++match) {
      counts.push_back((*match)[1].matched
                           ? std::stoi((*match)[2].str()) - std::stoi((*match)[1].str()) + 1
                           : 1);
    }
    const std::array<int, 4> wanted = register_counts(row);
    EXPECT_EQ(counts, std::vector<int>(wanted.begin(), wanted.end())) << line;
  });
}

}  // namespace
}  // namespace heddle::instruction
