#include "heddle/plan/fma_atom.h"

#include <gtest/gtest.h>

#include "heddle/instruction/fragment.h"

namespace heddle::plan {
namespace {

using instruction::Operand;

// A lane has every element of A and B that the sums it holds need.
TEST(FmaAtom, LanesHoldWhatTheySum) {
  for (const instruction::Instruction& atom : fma_atoms) {
    EXPECT_TRUE(is_fma(atom));
    const auto a = instruction::fragment(atom, Operand::a);
    const auto b = instruction::fragment(atom, Operand::b);
    const auto d = instruction::fragment(atom, Operand::d);
    const auto holds = [](const layout::LinearLayout& map, std::uint64_t lane,
                          const layout::AxisName& row, std::uint64_t at, std::uint64_t k) {
      for (std::uint64_t i = 0; i < map.input_size("register"); ++i) {
        const auto place = map.apply({{"register", i}, {"lane", lane}}).value();
        if (place.at(row) == at && place.at("k") == k) return true;
      }
      return false;
    };
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      for (std::uint64_t i = 0; i < 16; ++i) {
        const auto place = d.apply({{"register", i}, {"lane", lane}}).value();
        for (std::uint64_t k = 0; k < 4; ++k) {
          EXPECT_TRUE(holds(a, lane, "m", place.at("m"), k));
          EXPECT_TRUE(holds(b, lane, "n", place.at("n"), k));
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::plan
