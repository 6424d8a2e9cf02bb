// Every product of AMD against LLVM 22: the instruction assembles with exactly the row's registers
// and decodes to the same text; one register more or fewer is refused; the row's intrinsic becomes
// this instruction with these registers.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "tests/instruction/assembly_text.h"
#include "tests/instruction/llvm_witness.h"

namespace heddle::instruction {
namespace encoding_test {

using test::assemble;
using test::assembly_text;
using test::compile_ir;
using test::disassemble;
using test::modifier_text;
using test::register_counts;
using test::register_files;

std::string text(const Instruction& row, const std::vector<int>& counts) {
  return assembly_text(row, counts, register_files(row));
}

void for_each_row_and_target(auto&& check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    if (row.kind != Kind::multiply) continue;
    for (const ProcessorRow& target : processor_rows) {
      if (!row.is_of(target.family) || is_nvidia(target.family)) continue;
      SCOPED_TRACE(std::string(target.name) + " wave" + std::to_string(row.wave) + " " +
                   std::string(row.name));
      check(row, target.target);
      ++count;
    }
  }
  ASSERT_GT(count, 250) << "the harness ran next to nothing";
}

// Calls `check(row, modifiers)` on the row with every pair of formats that it takes, and the text
// of the modifiers that choose them.
void for_each_format(const Instruction& row, auto&& check) {
  const int formats = std::max(1, static_cast<int>(row.formats.size()));
  for (int a = 0; a < formats; ++a)
    for (int b = 0; b < formats; ++b) check(*with_formats(row, a, b), modifier_text(row, a, b, 0));
}

void expect_round_trip(const Instruction& row, Target target, const std::string& modifiers) {
  const std::string wanted = text(row, register_counts(row)) + modifiers;
  const auto bytes = assemble(target, row.wave, wanted);
  ASSERT_EQ(bytes.error, "") << wanted;
  ASSERT_EQ(bytes.value.size(), row.has(Operand::scale_a) ? 16u : 8u);
  const auto back = disassemble(target, row.wave, bytes.value);
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.value, wanted);
}

TEST(Encoding, AssemblesAndDecodesToItself) {
  int pairs = 0;
  for_each_row_and_target([&](const Instruction& row, Target target) {
    for_each_format(row, [&](const Instruction& chosen, const std::string& modifiers) {
      expect_round_trip(chosen, target, modifiers);
      pairs += !row.formats.empty();
    });
  });
  EXPECT_EQ(pairs, (4 + 2 * 3) * 5 * 5);
}

// The part of the scales: a byte on gfx950, half of the lanes on gfx1250.
TEST(Encoding, PartsOfScalesDecodeToThemselves) {
  int count = 0;
  for_each_row_and_target([&](const Instruction& row, Target target) {
    if (!row.has(Operand::scale_a)) return;
    const int parts = scale_parts(row, Operand::scale_a);
    for (int part = 0; part < parts; ++part, ++count)
      expect_round_trip(row, target, modifier_text(row, 0, 0, part));
  });
  EXPECT_EQ(count, 2 * 4 + 2 * (2 * 2 + 2 * 1));
}

TEST(Encoding, OtherRegisterCountsAreRefused) {
  for_each_row_and_target([](const Instruction& row, Target target) {
    for_each_format(row, [&](const Instruction& chosen, const std::string& modifiers) {
      const std::vector<int> counts = register_counts(chosen);
      for (std::size_t operand = 0; operand < counts.size(); ++operand) {
        for (int change : {-2, -1, 1, 2}) {
          std::vector<int> wrong = counts;
          wrong[operand] += change;
          if (wrong[operand] <= 0) continue;
          const std::string refused = text(chosen, wrong) + modifiers;
          EXPECT_NE(assemble(target, row.wave, refused).error, "") << refused;
        }
      }
    });
  });
}

// LLVM's assembler knows the instructions of gfx12 by their encoding, which gfx1250 shares, and
// takes them there, where its code generator has none of them (below).
bool is_taken_for_its_encoding(const Instruction& row, const ProcessorRow& target) {
  return row.is_of(Family::gfx12) && target.family == Family::gfx1250;
}

// Where the catalogue has no such instruction, LLVM has none.
TEST(Encoding, OtherFamiliesLackIt) {
  int refused = 0, taken = 0;
  for (const Instruction& row : all_instructions()) {
    for (const ProcessorRow& target : processor_rows) {
      if (is_nvidia(row.family()) || is_nvidia(target.family)) continue;
      if (row.kind != Kind::multiply) continue;
      if (find(row.name, target.target, row.wave) != nullptr) continue;
      SCOPED_TRACE(std::string(target.name) + " " + std::string(row.name));
      const auto bytes = assemble(target.target, row.wave, assembly_text(row));
      if (is_taken_for_its_encoding(row, target)) {
        ++taken;
        continue;
      }
      EXPECT_NE(bytes.error, "");
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_EQ(taken, 2 * 2 * 22);
}

// LLVM's generic targets: two have the instructions of a family and no others, gfx9-4-generic lacks
// some of gfx942, and gfx9-generic has none.
TEST(Encoding, GenericTargets) {
  int rows = 0, missing = 0;
  for (const Instruction& row : all_instructions()) {
    if (is_nvidia(row.family()) || row.kind != Kind::multiply) continue;
    const auto has = [&](const std::string& processor) {
      return test::assembly_error(processor, row.wave, assembly_text(row)).empty();
    };
    SCOPED_TRACE(std::string(row.name));
    EXPECT_EQ(has("gfx11-generic"), row.is_of(Family::gfx11));
    EXPECT_EQ(has("gfx12-generic"), row.is_of(Family::gfx12));
    EXPECT_FALSE(has("gfx9-generic"));
    if (!row.is_of(Family::gfx942)) continue;  // it takes older names, too
    ++(has("gfx9-4-generic") ? rows : missing);
    EXPECT_TRUE(!has("gfx9-4-generic") || find(row.name, Target::gfx950, row.wave) != nullptr);
  }
  EXPECT_GT(rows, 20);
  EXPECT_GT(missing, 8);
}

bool assembles(const Instruction& row, Target target, const std::string& files, int shift = 0) {
  return assemble(target, row.wave, assembly_text(row, register_counts(row), files, shift)).error ==
         "";
}

TEST(Encoding, AccumulationRegistersAreDemanded) {
  int count = 0;
  for_each_row_and_target([&](const Instruction& row, Target target) {
    if (!row.has(Constraint::accumulation_registers)) return;
    ++count;
    for (const char* right : {"avva", "aava", "avaa", "aaaa"})
      EXPECT_TRUE(assembles(row, target, right)) << right;
    for (const char* wrong : {"vvvv", "avvv", "vvva"})
      EXPECT_FALSE(assembles(row, target, wrong)) << wrong;
  });
  EXPECT_EQ(count, 20);
}

TEST(Encoding, EvenTuplesOfOneFileAreDemanded) {
  int count = 0;
  for_each_row_and_target([&](const Instruction& row, Target target) {
    if (!row.has(Constraint::even_tuples)) return;
    ++count;
    const std::string last = row.is_sparse() ? "v" : "a";  // the index is in a VGPR
    for (const std::string right : {"avv", "aav", "ava", "aaa"})
      EXPECT_TRUE(assembles(row, target, right + last)) << right;
    EXPECT_FALSE(assembles(row, target, "vvvv", 1));
    if (row.is_sparse()) {
      EXPECT_FALSE(assembles(row, target, "vvva"));
    } else {
      EXPECT_FALSE(assembles(row, target, "avvv"));
      EXPECT_FALSE(assembles(row, target, "vvva"));
    }
  });
  EXPECT_GT(count, 100);
}

TEST(Encoding, EvenRegistersAreDemanded) {
  int count = 0;
  for_each_row_and_target([&](const Instruction& row, Target target) {
    if (!row.has(Constraint::even_registers)) return;
    ++count;
    EXPECT_TRUE(assembles(row, target, "vvvv", 2));
    EXPECT_FALSE(assembles(row, target, "vvvv", 1));
  });
  EXPECT_EQ(count, 2 * 43);  // of gfx1250 and of gfx1251
}

std::string vector_of(int count, const std::string& element) {
  return count == 1 ? element : "<" + std::to_string(count) + " x " + element + ">";
}

// LLVM's type for an operand: as many elements as fit its registers; small formats as i32 words, of
// dense MFMA as one integer. The older intrinsics take the bare bits of bf16.
std::string ir_type(const Instruction& row, Operand operand) {
  const int registers = row.map(operand).registers;
  const bool newer =
      row.is_of(Family::gfx1250) || (row.is_of(Family::gfx950) && row.a.registers > 2);
  switch (row.type(operand)) {
    case ElementType::f64:
      return vector_of(registers / 2, "double");
    case ElementType::f32:
    case ElementType::xf32:
      return vector_of(registers, "float");
    case ElementType::f16:
      return vector_of(2 * registers, "half");
    case ElementType::bf16:
      return vector_of(2 * registers, newer ? "bfloat" : "i16");
    case ElementType::i32:
      return vector_of(registers, "i32");
    default:
      if (!is_cdna(row.family()) || row.is_sparse() || registers > 2)
        return vector_of(registers, "i32");
      return "i" + std::to_string(32 * registers);
  }
}

std::string index_type(const Instruction& row) {
  if (is_cdna(row.family())) return "i32";
  if (row.is_of(Family::gfx1250)) return "i" + std::to_string(32 * row.index.registers);
  const auto map = fragment(row, Operand::index);
  return "i" + std::to_string(map.input_size("element") * row.index.bits);
}

std::string scale_type(const Instruction& row) {
  return "i" + std::to_string(32 * row.scale_a.registers);
}

// Arguments in the order of the intrinsic, of which these are of all: A, B, C and the index.
struct IrArguments {
  std::string a, b, c, index;
};

// CBSZ, ABID and BLGP behind dense, CBSZ and ABID behind sparse products; the formats with the
// parts and the scales, which are constant 0 where the instruction has none.
std::string cdna_arguments(const Instruction& row, const IrArguments& of) {
  const std::string operands = of.a + ", " + of.b + ", " + of.c;
  if (row.is_sparse()) return operands + ", " + of.index + ", i32 0, i32 0";
  if (row.formats.empty()) return operands + ", i32 0, i32 0, i32 0";
  const bool scaled = row.has(Operand::scale_a);
  return operands + ", i32 0, i32 0, i32 0, i32 " + (scaled ? "%sa" : "0") + ", i32 0, i32 " +
         (scaled ? "%sb" : "0");
}

// Signs of integers before A and B; then clamp, or the upper half of 16-bit C and D.
std::string rdna_arguments(const Instruction& row, const IrArguments& of) {
  const bool signs = row.d_type == ElementType::i32;
  const std::string sign = signs ? "i1 false, " : "";
  const bool halves = bits(row.d_type) == 16 && !row.is_sparse();
  return sign + of.a + ", " + sign + of.b + ", " + of.c + (row.is_sparse() ? ", " + of.index : "") +
         (signs || halves ? ", i1 false" : "");
}

// What gfx1250 has before A and B: the format, or a sign of what is not an 8-bit float. A modifier
// of C before it where there is one; reuse of A and B behind, and clamp.
std::string gfx1250_arguments(const Instruction& row, const IrArguments& of) {
  const bool scaled = row.has(Operand::scale_a);
  const bool integers = row.d_type == ElementType::i32;
  const bool is_f4 = row.a_type == ElementType::fp4;
  const bool small_floats = bits(row.a_type) <= 8 && !integers;
  const std::string before = !row.formats.empty() ? "i32 0, " : small_floats ? "" : "i1 false, ";
  const std::string of_c = row.is_sparse() || integers ? "" : "i16 0, ";
  std::string arguments = before + of.a + ", " + before + of.b + ", " + of_c + of.c;
  if (row.is_sparse()) arguments += ", " + of.index;
  for (const char* scale : {"%sa", "%sb"})
    if (scaled) arguments += ", i32 0, i32 0, " + scale_type(row) + " " + scale;
  if (scaled || (row.formats.empty() && !is_f4)) arguments += ", i1 false, i1 false";
  return arguments + (integers ? ", i1 false" : "");
}

// A function that applies the row's intrinsic to its arguments and stores the result.
std::string ir(const Instruction& row) {
  const IrArguments of{ir_type(row, Operand::a) + " %a", ir_type(row, Operand::b) + " %b",
                       ir_type(row, Operand::c) + " %c", index_type(row) + " %index"};
  const std::string d = ir_type(row, row.is_sparse() ? Operand::c : Operand::d);
  const std::string arguments = is_cdna(row.family())        ? cdna_arguments(row, of)
                                : row.is_of(Family::gfx1250) ? gfx1250_arguments(row, of)
                                                             : rdna_arguments(row, of);
  std::string parameters = of.a + ", " + of.b + ", " + of.c;
  if (row.is_sparse()) parameters += ", " + of.index;
  for (const char* scale : {" %sa", " %sb"})
    if (row.has(Operand::scale_a)) parameters += ", " + scale_type(row) + scale;
  return "define void @f(" + parameters + ", ptr addrspace(1) %out) {\n  %d = call " + d + " @" +
         std::string(row.intrinsic) + "(" + arguments + ")\n  store " + d +
         " %d, ptr addrspace(1) %out\n  ret void\n}\n";
}

TEST(IntrinsicDeathTest, OfGfx12AreNotOfGfx1250) {
  int count = 0;
  for (const Instruction& row : rdna_instructions) {
    if (!row.is_of(Family::gfx12) || row.wave != 32) continue;
    SCOPED_TRACE(row.name);
    EXPECT_DEATH((void)compile_ir(Target::gfx1250, 32, ir(row)), "Cannot select: intrinsic");
    ++count;
  }
  EXPECT_EQ(count, 22);
}

TEST(Intrinsic, BecomesTheInstructionWithTheRowsRegisters) {
  const std::regex operand(R"([va]\[(\d+):(\d+)\]|[va]\d+)");
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
    EXPECT_EQ(counts, register_counts(row)) << line;
  });
}

}  // namespace encoding_test
}  // namespace heddle::instruction
