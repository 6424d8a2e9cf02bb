// Every row of AMD against LLVM 22: the instruction assembles with exactly the row's registers and
// decodes to the same text; one register more or fewer is refused; the row's intrinsic becomes this
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

// The assembler's name of `count` registers of file `file` (v: VGPRs, a: AGPRs) from `first` on.
std::string tuple(char file, int first, int count) {
  const std::string number = std::to_string(first);
  if (count == 1) return file + number;
  return std::string(1, file) + "[" + number + ":" + std::to_string(first + count - 1) + "]";
}

// Registers of D, A, B and the last operand: C in D's place, or the index of a sparse A.
std::array<int, 4> register_counts(const Instruction& row) {
  const int last = row.is_sparse() ? row.index.registers : row.d.registers;
  return {row.d.registers, row.a.registers, row.b.registers, last};
}

// The four register files, in the order of register_counts, of an instruction that has no choice.
std::string files_of(const Instruction& row) {
  return row.has(Constraint::accumulation_registers) ? "avva" : "vvvv";
}

// The instruction with operands of `counts` registers in `files`, tuples beginning at multiples of
// 32 and `shift` behind.
std::string text(const Instruction& row, const std::array<int, 4>& counts, const std::string& files,
                 int shift = 0) {
  std::string result(row.name);
  result += " " + tuple(files[0], shift, counts[0]);
  for (std::size_t i = 1; i < counts.size(); ++i) {
    const bool is_c = i == 3 && !row.is_sparse();
    result += ", " + tuple(files[i], is_c ? shift : static_cast<int>(32 * i) + shift, counts[i]);
  }
  return result;
}

std::string text(const Instruction& row, const std::array<int, 4>& counts) {
  return text(row, counts, files_of(row));
}

void for_each_row_and_target(auto&& check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
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

// Where the catalogue has no such instruction, LLVM has none; or its assembler takes the name for
// an older spelling of one that the catalogue does have there.
TEST(Encoding, OtherFamiliesLackIt) {
  int refused = 0, older_spellings = 0;
  for (const Instruction& row : all_instructions()) {
    for (const ProcessorRow& target : processor_rows) {
      if (is_nvidia(row.family()) || is_nvidia(target.family)) continue;
      if (find(row.name, target.target, row.wave) != nullptr) continue;
      SCOPED_TRACE(std::string(target.name) + " " + std::string(row.name));
      const auto bytes = assemble(target.target, row.wave, text(row, register_counts(row)));
      refused += bytes.error != "";
      if (bytes.error != "") continue;
      const std::string there = disassemble(target.target, row.wave, bytes.value).value;
      const Instruction* renamed = find(there.substr(0, there.find(' ')), target.target);
      ASSERT_NE(renamed, nullptr) << there;
      EXPECT_EQ(renamed->intrinsic, row.intrinsic);
      EXPECT_EQ(register_counts(*renamed), register_counts(row));
      ++older_spellings;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(older_spellings, 0);
}

bool assembles(const Instruction& row, Target target, const std::string& files, int shift = 0) {
  return assemble(target, row.wave, text(row, register_counts(row), files, shift)).error == "";
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

bool is_rdna(const Instruction& row) { return is_rdna(row.family()); }

std::string vector_of(int count, const std::string& element) {
  return count == 1 ? element : "<" + std::to_string(count) + " x " + element + ">";
}

// LLVM's type for an operand: as many elements as fit its registers; small formats as i32 words, of
// dense MFMA as one integer.
std::string ir_type(const Instruction& row, Operand operand) {
  const int registers = row.map(operand).registers;
  switch (row.type(operand)) {
    case ElementType::f64:
      return vector_of(registers / 2, "double");
    case ElementType::f32:
    case ElementType::xf32:
      return vector_of(registers, "float");
    case ElementType::f16:
      return vector_of(2 * registers, "half");
    case ElementType::bf16:
      return vector_of(2 * registers, row.family() == Family::gfx950 && row.a.registers > 2
                                          ? "bfloat"  // the older intrinsics take bare bits
                                          : "i16");
    case ElementType::i32:
      return vector_of(registers, "i32");
    default:
      if (is_rdna(row) || row.is_sparse() || registers > 2) return vector_of(registers, "i32");
      return "i" + std::to_string(32 * registers);
  }
}

// The arguments behind A, B and C: of the dense, the sparse.
std::string ir_modifiers(const Instruction& row) {
  if (is_rdna(row)) {  // clamp of integers; the upper half of 16-bit C and D
    const bool halves = bits(row.d_type) == 16 && !row.is_sparse();
    return row.d_type == ElementType::i32 || halves ? ", i1 false" : "";
  }
  return row.is_sparse() ? ", i32 0, i32 0" : ", i32 0, i32 0, i32 0";  // CBSZ, ABID, BLGP
}

// A function that applies the row's intrinsic to its arguments and stores the result.
std::string ir(const Instruction& row) {
  const bool signs = row.d_type == ElementType::i32 && is_rdna(row);
  const std::string a = ir_type(row, Operand::a);
  const std::string b = ir_type(row, Operand::b);
  const std::string d = ir_type(row, Operand::d);
  const auto index_map = fragment(row, Operand::index);
  const std::string index =
      is_rdna(row) ? "i" + std::to_string(index_map.input_size("element") * row.index.bits) : "i32";
  std::string call = signs ? "i1 false, " + a + " %a, i1 false, " + b + " %b, " + d + " %c"
                           : a + " %a, " + b + " %b, " + d + " %c";
  if (row.is_sparse()) call += ", " + index + " %index";
  call += ir_modifiers(row);
  return "define void @f(" + a + " %a, " + b + " %b, " + d + " %c, " +
         (row.is_sparse() ? index + " %index, " : "") + "ptr addrspace(1) %out) {\n  %d = call " +
         d + " @" + std::string(row.intrinsic) + "(" + call + ")\n  store " + d +
         " %d, ptr addrspace(1) %out\n  ret void\n}\n";
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
    const std::array<int, 4> wanted = register_counts(row);
    EXPECT_EQ(counts, std::vector<int>(wanted.begin(), wanted.end())) << line;
  });
}

}  // namespace
}  // namespace heddle::instruction
