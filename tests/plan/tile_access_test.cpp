// The formula of tile_access.h against a count by definition.
#include "heddle/plan/tile_access.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "heddle/instruction/target.h"
#include "heddle/layout/layout.h"
#include "tests/plan/naive_conflicts.h"

namespace heddle::plan {
namespace tile_access_test {

using instruction::Target;
using layout::LinearLayout;

/// A random invertible map of `bits` bits: units, with words xored into each other.
LinearLayout random_map(int bits, const layout::AxisList& dims) {
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = std::uint64_t{1} << bit;
  for (int step = 0; step < 3 * bits; ++step) {
    const auto a = *rc::gen::inRange<std::size_t>(0, static_cast<std::size_t>(bits));
    const auto b = *rc::gen::inRange<std::size_t>(0, static_cast<std::size_t>(bits));
    if (a != b) bases[a] ^= bases[b];
  }
  return LinearLayout::from_words({{"offset", bits}}, dims, bases).value();
}

RC_GTEST_PROP(TileAccess, FormulaAndCountAreThatOfTheDefinition, ()) {
  const auto target = *rc::gen::element(Target::gfx1151, Target::gfx1201, Target::gfx942,
                                        Target::gfx950, Target::sm_90);
  const memory::BankModel& model = memory::bank_model(target);
  const int element_bits = *rc::gen::element(8, 16, 32, 64);
  const layout::AxisList dims{{"dim0", 5}, {"dim1", 5}};
  memory::SharedLayout shared{random_map(10, dims), {}};
  // An access whose registers begin with the words of the layout, so that it has vectors.
  const int vector = *rc::gen::inRange(0, 4);
  const int lane_bits = model.wave == 64 ? 6 : 5;
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < 10; ++bit) {
    const auto number = bit < vector ? static_cast<std::uint64_t>(1) << bit
                                     : *rc::gen::inRange<std::uint64_t>(0, 1024);
    bases[static_cast<std::size_t>(bit)] = shared.map.apply(number);
  }
  const int registers = 10 - lane_bits;
  TileAccess access{
      LinearLayout::from_words({{"register", registers}, {"lane", lane_bits}}, dims, bases).value(),
      *rc::gen::element(Move::load, Move::store)};
  const AccessSpaces spaces = spaces_of(access, element_bits);
  const int bits = std::min({vector, spaces.most_bits, registers});
  const auto naive =
      test::naive_passes(model, access, element_bits, shared, std::uint64_t{1} << bits);
  RC_PRE(naive.is_contiguous);
  RC_ASSERT(linear_passes(model, spaces, bits, element_bits, shared.map) == naive.passes);
  RC_ASSERT(counted_passes(model, spaces, bits, element_bits, shared) == naive.passes);
  shared.padding = {{std::uint64_t{1} << *rc::gen::inRange(bits, 10),
                     (std::uint64_t{1} << bits) * *rc::gen::inRange<std::uint64_t>(1, 9)}};
  const auto padded =
      test::naive_passes(model, access, element_bits, shared, std::uint64_t{1} << bits);
  RC_ASSERT(counted_passes(model, spaces, bits, element_bits, shared) == padded.passes);
}

}  // namespace tile_access_test
}  // namespace heddle::plan
