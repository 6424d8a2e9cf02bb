#include "heddle/instruction/element_type.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace {

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

// The mnemonics spell shape and types: v_wmma_<D>_<shape>_<A>[_<B>]. CDNA1 and 2 leave out the sign
// before A; CDNA3 and 4 put the number of blocks there.
TEST(ElementType, NamesAreThoseOfTheMnemonics) {
  for (const Instruction& row : all_instructions()) {
    if (is_nvidia(row.family())) continue;
    const bool rdna = is_rdna(row.family());
    const bool old = row.family() == Family::gfx908 || row.family() == Family::gfx90a;
    const std::string a = spelled(row.a_type), b = spelled(row.b_type);
    const bool floats = row.a_type != ElementType::i8 && row.a_type != ElementType::iu8;
    const std::string types = bits(row.a_type) == 8 && floats ? a + "_" + b : a;
    const std::string operation =
        rdna ? (row.is_sparse() ? "swmmac" : "wmma") : (row.is_sparse() ? "smfmac" : "mfma");
    const std::string blocks =
        row.blocks > 1 && !old ? "_" + std::to_string(row.blocks) + "b" : std::string();
    const bool twice_as_deep = old && row.name.ends_with("_1k");
    const std::string wanted = "v_" + operation + "_" + std::string(name(row.d_type)) + "_" +
                               std::to_string(row.m) + "x" + std::to_string(row.n) + "x" +
                               std::to_string(row.k) + blocks + (old ? "" : "_") + types +
                               (twice_as_deep ? "_1k" : "");
    EXPECT_EQ(row.name, wanted);
    if (rdna) EXPECT_EQ(row.intrinsic, "llvm.amdgcn." + with_dots(wanted.substr(2)));
  }
}

}  // namespace
}  // namespace heddle::instruction
