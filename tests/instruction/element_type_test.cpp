#include "heddle/instruction/element_type.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace element_type_test {

TEST(ElementType, RowsStandAtTheirOwnIndex) {
  for (const ElementTypeRow& type : element_type_rows) EXPECT_EQ(&row(type.type), &type);
}

// A name says its width, with AMD's 16-bit "bf16", 8-bit "fp8" and so on: the digits at its end.
TEST(ElementType, WidthIsTheNumberInTheName) {
  for (const ElementTypeRow& type : element_type_rows) {
    if (type.type == ElementType::ue4m3) continue;  // 4 + 3 bits, held in 8
    const std::size_t digits = type.name.find_first_of("0123456789");
    EXPECT_EQ(std::stoi(std::string(type.name.substr(digits))), type.bits) << type.name;
  }
}

/// The name of a type in mnemonics, which leave out which encoding of 8-bit floats is meant.
std::string spelled(ElementType type) {
  const std::string text(name(type));
  return text.substr(0, text.find("_fnuz"));
}

std::string with_dots(std::string text) {
  for (char& c : text) c = c == '_' ? '.' : c;
  return text;
}

/// What a mnemonic has for the types of A and B: one if they are always the same, both of 8-bit
/// floats, all that can be chosen.
std::string factors(const Instruction& row) {
  const std::string a = spelled(row.a_type), b = spelled(row.b_type);
  if (!row.formats.empty()) return "f8f6f4";
  if (row.a_type == ElementType::fp4) return "f4";
  const bool integers = row.a_type == ElementType::i8 || row.a_type == ElementType::iu8;
  return bits(row.a_type) == 8 && !integers ? a + "_" + b : a;
}

/// What a mnemonic has for C and D: one of them if they are of one type.
std::string sums(const Instruction& row) {
  const std::string c(name(row.type(Operand::c))), d(name(row.d_type));
  return c == d ? d : d + c;
}

/// "", "_scale" or "_scale16".
std::string scaling(const Instruction& row) {
  if (!row.has(Operand::scale_a)) return "";
  const bool of_16 = k_per_group(row, isa_fragment(row, Operand::scale_a)) == 16;
  return of_16 ? "_scale16" : "_scale";
}

// The mnemonics spell shape and types: v_wmma_[scale_]<D>_<shape>_<A>[_<B>]. CDNA1 and 2 leave out
// the sign before A; CDNA3 and 4 put the number of blocks there.
TEST(ElementType, NamesAreThoseOfTheMnemonics) {
  for (const Instruction& row : all_instructions()) {
    if (is_nvidia(row.family()) || row.kind != Kind::multiply) continue;
    const bool wmma = is_rdna(row.family()) || row.is_of(Family::gfx1250);
    const bool old = row.family() == Family::gfx908 || row.family() == Family::gfx90a;
    const std::string operation =
        wmma ? (row.is_sparse() ? "swmmac" : "wmma") : (row.is_sparse() ? "smfmac" : "mfma");
    const std::string blocks =
        row.blocks > 1 && !old ? "_" + std::to_string(row.blocks) + "b" : std::string();
    const bool twice_as_deep = old && row.name.ends_with("_1k");
    const std::string wanted = "v_" + operation + scaling(row) + "_" + sums(row) + "_" +
                               std::to_string(row.m) + "x" + std::to_string(row.n) + "x" +
                               std::to_string(row.k) + blocks + (old ? "" : "_") + factors(row) +
                               (twice_as_deep ? "_1k" : "");
    EXPECT_EQ(row.name, wanted);
    if (wmma) EXPECT_EQ(row.intrinsic, "llvm.amdgcn." + with_dots(wanted.substr(2)));
  }
}

}  // namespace element_type_test
}  // namespace heddle::instruction
