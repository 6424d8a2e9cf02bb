// The algebra's laws on the maps it is made for: every operand of every row of the catalogue, in
// both orders of k.
#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "heddle/layout/layout.h"

namespace heddle::instruction {
namespace laws_test {

/// Calls `check` with every map and its name; fails when there were none.
template <typename Check>
void for_each_map(Check check) {
  int maps = 0;
  for (const Instruction& row : all_instructions())
    for (const Operand operand : all_operands)
      for (const KOrder order : {KOrder::isa, KOrder::contiguous}) {
        if (!row.has(operand)) continue;
        SCOPED_TRACE(std::string(row.name) + " " + std::string(name(operand)) + " wave" +
                     std::to_string(row.wave) + " " + std::string(name(order)));
        check(fragment(row, operand, order));
        ++maps;
      }
  EXPECT_GT(maps, 400);
}

TEST(CatalogueLaws, TheTextFormReadsBack) {
  for_each_map([](const layout::LinearLayout& map) {
    EXPECT_EQ(layout::parse(layout::text(map).view()).value(), map);
  });
}

TEST(CatalogueLaws, PseudoInverseFindsAPlaceOfEveryElement) {
  for_each_map([](const layout::LinearLayout& map) {
    const layout::LinearLayout places = layout::pseudo_inverse(map);
    for (std::uint64_t element = 0; element >> map.output_bits() == 0; ++element)
      ASSERT_EQ(map.apply(places.apply(element)), element);
  });
}

TEST(CatalogueLaws, InvertAndComposeThenComposeIsTheMap) {
  for_each_map([](const layout::LinearLayout& map) {
    const auto self = layout::invert_and_compose(map, map);
    ASSERT_TRUE(self.has_value());
    EXPECT_EQ(layout::compose(*self, map).value(), map);
  });
}

TEST(CatalogueLaws, FreeVariablesAreTheCopies) {
  for_each_map([](const layout::LinearLayout& map) {
    const std::uint64_t copies = std::uint64_t{1} << std::popcount(layout::free_input_mask(map));
    EXPECT_EQ(lane_copies(map).size(), copies);
    EXPECT_EQ(layout::kernel(map).input_size("kernel"), copies);
    EXPECT_EQ(layout::rank(map), map.output_bits());
  });
}

}  // namespace laws_test
}  // namespace heddle::instruction
