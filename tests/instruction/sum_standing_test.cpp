// What is known of the sums of the catalogue's instructions. That the errors hold,
// tests/emulator/ptx/sum_products_test.cpp and tests/runtime/judge/instruction_bound_test.cpp try.
#include "heddle/instruction/sum_standing.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace sum_standing_test {

// Every product of the catalogue has a standing, and its witness where it has one; what is not
// exact has an error, which grows with the products.
TEST(SumStanding, EveryProductOfTheCatalogueHasAStanding) {
  int products = 0;
  for (const Instruction& row : all_instructions())
    for (const FamilyRow& family : family_rows) {
      if (row.kind != Kind::multiply || !row.is_of(family.family)) continue;
      ++products;
      const SumStanding standing = sum_standing(row, family.family);
      EXPECT_EQ(standing.source.empty(), standing.evidence == Evidence::unknown) << row.name;
      if (is_nvidia(family.family)) {
        EXPECT_NE(standing.evidence, Evidence::unknown) << row.name;
      }
      const bool is_exact = is_integer(row.a_type) || row.a_type == ElementType::b1;
      EXPECT_EQ(standing.error == SumError{}, is_exact) << row.name;
      EXPECT_EQ(standing.error.share(row.k) > 0, !is_exact) << row.name;
      EXPECT_LE(standing.error.share(row.k), standing.error.share(64 * row.k)) << row.name;
      EXPECT_LT(standing.error.share(row.k), 0.06) << row.name;
    }
  EXPECT_GT(products, 900);
}

}  // namespace sum_standing_test
}  // namespace heddle::instruction
