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
    const std::size_t digits = type.name.find_first_of("0123456789");
    EXPECT_EQ(std::stoi(std::string(type.name.substr(digits))), type.bits) << type.name;
  }
}

// The mnemonics spell the types: v_wmma_<D>_<shape>_<A>[_<B>].
TEST(ElementType, NamesAreThoseOfTheMnemonics) {
  for (const Instruction& row : all_instructions()) {
    const std::string a(name(row.a_type)), b(name(row.b_type)), d(name(row.d_type));
    const std::string shape =
        std::to_string(row.m) + "x" + std::to_string(row.n) + "x" + std::to_string(row.k);
    const std::string types =
        bits(row.a_type) == 8 && row.d_type == ElementType::f32 ? a + "_" + b : a;
    const std::string wanted =
        std::string(row.is_sparse() ? "v_swmmac_" : "v_wmma_") + d + "_" + shape + "_" + types;
    EXPECT_EQ(row.name, wanted);
    std::string intrinsic = "llvm.amdgcn." + wanted.substr(2);
    for (char& c : intrinsic) c = c == '_' ? '.' : c;
    EXPECT_EQ(row.intrinsic, intrinsic);
  }
}

}  // namespace
}  // namespace heddle::instruction
