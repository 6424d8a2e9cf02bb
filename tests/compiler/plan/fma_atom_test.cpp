#include "compiler/plan/fma_atom.h"

#include <gtest/gtest.h>

#include <span>

#include "heddle/instruction/fragment.h"

namespace heddle::plan {
namespace fma_atom_test {

using instruction::Operand;

// A lane has every element of A and B that the sums it holds need.
void expect_lanes_to_hold_what_they_sum(std::span<const instruction::Instruction> atoms) {
  for (const instruction::Instruction& atom : atoms) {
    EXPECT_TRUE(is_fma(atom));
    const auto a = instruction::fragment(atom, Operand::a);
    const auto b = instruction::fragment(atom, Operand::b);
    const auto d = instruction::fragment(atom, Operand::d);
    const auto holds = [](const layout::LinearLayout& map, std::uint64_t lane,
                          const layout::AxisName& row, std::uint64_t at, std::uint64_t k) {
      const std::uint64_t elements = map.input_size("element");
      for (std::uint64_t i = 0; i < elements * map.input_size("register"); ++i) {
        const layout::Coordinates held{
            {"element", i % elements}, {"register", i / elements}, {"lane", lane}};
        const auto place = map.apply(held).value();
        if (place.at(row) == at && place.at("k") == k) return true;
      }
      return false;
    };
    for (std::uint64_t lane = 0; lane < static_cast<std::uint64_t>(atom.wave); ++lane) {
      for (std::uint64_t i = 0; i < d.input_size("register"); ++i) {
        const auto place = d.apply({{"register", i}, {"lane", lane}}).value();
        for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(atom.k); ++k) {
          EXPECT_TRUE(holds(a, lane, "m", place.at("m"), k));
          EXPECT_TRUE(holds(b, lane, "n", place.at("n"), k));
        }
      }
    }
  }
}

TEST(FmaAtom, LanesHoldWhatTheySum) {
  expect_lanes_to_hold_what_they_sum(fma_atoms);
  expect_lanes_to_hold_what_they_sum(amd_fma_atoms);
}

// Every element of D once.
TEST(FmaAtom, AmdHasEachTypeForBothWaves) {
  for (const FmaRow& row : fma_rows) {
    for (const int lanes : {32, 64}) {
      const instruction::Instruction& atom = amd_fma_for(row.type, lanes);
      EXPECT_EQ(atom.wave, lanes);
      EXPECT_EQ(atom.d_type, row.type);
      EXPECT_EQ(instruction::elements_per_lane(atom, Operand::d) * lanes, atom.m * atom.n);
    }
  }
}

}  // namespace fma_atom_test
}  // namespace heddle::plan
