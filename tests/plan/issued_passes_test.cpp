// What a plan counts by subspaces is what the accesses cost that are issued, listed one by one from
// the layouts and explained word by word: two ways that share no code but the bank model's table.
#include <gtest/gtest.h>

#include <random>

#include "heddle/memory/conflict_report.h"
#include "heddle/memory/issued_accesses.h"
#include "heddle/plan/tile_access.h"

namespace heddle::plan {
namespace issued_passes_test {

using instruction::Target;
using layout::LinearLayout;
using memory::AccessKind;

const layout::AxisList dims{{"m", 5}, {"k", 5}};

class RandomTiles {
 public:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  /// An invertible map of 10 bits, `kept` of whose lowest bits stay as they are.
  LinearLayout::Bases bases(int kept) {
    LinearLayout::Bases words{};
    for (std::size_t bit = 0; bit < 10; ++bit) words[bit] = std::uint64_t{1} << bit;
    const auto free = static_cast<std::uint64_t>(10 - kept);
    for (std::uint64_t steps = below(8); steps > 0; --steps) {
      const std::size_t a = 10 - 1 - below(free), b = 10 - 1 - below(free);
      if (a == b) continue;
      if (below(2) == 0)
        std::swap(words[a], words[b]);
      else
        words[a] ^= words[b];
    }
    return words;
  }

  /// Row-major in m (as dims pack it) or in k, then shuffled; padded one time in three.
  memory::SharedLayout tile(int kept, bool along_k) {
    LinearLayout::Bases words = bases(kept);
    for (std::uint64_t& word : words)
      if (along_k) word = (word & 31) << 5 | word >> 5;
    memory::SharedLayout shared{LinearLayout::from_words({{"offset", 10}}, dims, words).value(),
                                {}};
    if (below(3) == 0) shared.padding.push_back({std::uint64_t{8} << below(5), 16 + 16 * below(9)});
    return shared;
  }

 private:
  std::mt19937_64 random_{20261121};
};

std::uint64_t issued_passes(const memory::BankModel& model, const memory::IssuedAccesses& issued) {
  std::uint64_t passes = 0;
  for (const memory::IssuedAccess& access : issued.list)
    passes += static_cast<std::uint64_t>(memory::explain(model, access.view()).cost().passes());
  return passes;
}

void expect_equal(const memory::BankModel& model, const TileAccess& access,
                  const memory::SharedLayout& shared, int element_bits,
                  const memory::IssuedAccesses& issued) {
  const AccessSpaces spaces = spaces_of(access, element_bits);
  const int bits = element_bits_in(issued.list.front().bytes, element_bits);
  const std::uint64_t passes = issued_passes(model, issued);
  const std::string where = std::string(model.name) + " " + std::string(name(access.move)) + "\n" +
                            std::string(layout::text(shared.map).view()) + "\n" +
                            std::string(layout::text(access.map).view());
  ASSERT_EQ(counted_passes(model, spaces, bits, element_bits, shared), passes) << where;
  if (!shared.padding.empty()) return;
  ASSERT_EQ(linear_passes(model, spaces, bits, element_bits, shared.map), passes) << where;
}

TEST(IssuedPasses, LoadsAndStoresCostWhatThePlanCounts) {
  constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::gfx942, Target::gfx950,
                               Target::sm_90};
  RandomTiles random;
  for (int i = 0; i < 20'000; ++i) {
    const Target target = targets[random.below(targets.size())];
    const memory::BankModel model = memory::bank_model(target);
    const int lanes = model.wave == 64 ? 6 : 5;
    const bool store = random.below(2) == 0;
    LinearLayout::Bases held = random.bases(0);
    // Copies; stored ones are masked out lane by lane, which the plan does not count on.
    if (!store && random.below(3) == 0) held[random.below(10)] = 0;
    const TileAccess access{LinearLayout::from_words(
                                {{"register", 9 - lanes}, {"lane", lanes}, {"warp", 1}}, dims, held)
                                .value(),
                            store ? Move::store : Move::load};
    const memory::SharedLayout shared = random.tile(0, false);
    const int element_bits = 8 << random.below(3);
    const auto issued = memory::issue(shared, access.map,
                                      {.kind = store ? AccessKind::store : AccessKind::load,
                                       .element_bits = element_bits,
                                       .wave = model.wave});
    ASSERT_TRUE(issued.has_value()) << issued.error();
    expect_equal(model, access, shared, element_bits, *issued);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(IssuedPasses, MatrixMovesCostWhatThePlanCounts) {
  const memory::BankModel model = memory::bank_model(Target::sm_90);
  // Fragments as mma.sync has them: two neighbours along k in a register.
  constexpr std::array fragments{
      "register: (0,1) (8,0) (0,8) (0,16); lane: (0,2) (0,4) (1,0) (2,0) (4,0); warp: (16,0) -> m: "
      "32, k: 32",
      "register: (0,1) (0,8) (8,0) (16,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0); warp: (0,16) -> m: "
      "32, k: 32",
      "register: (0,1) (8,0) (0,8) (16,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0); warp: (16,8) -> m: "
      "32, k: 32"};
  constexpr std::array moves{Move::ldmatrix, Move::ldmatrix_transposed, Move::stmatrix,
                             Move::stmatrix_transposed};
  RandomTiles random;
  int compared = 0;
  for (int i = 0; i < 6'000; ++i) {
    const Move move = moves[random.below(moves.size())];
    const TileAccess access{layout::parse(fragments[random.below(fragments.size())]).value(), move};
    const memory::SharedLayout shared = random.tile(3, !is_transposed(move));
    const auto issued =
        memory::issue(shared, access.map,
                      {.kind = is_store(move) ? AccessKind::matrix_store : AccessKind::matrix_load,
                       .element_bits = 16,
                       .transposed = is_transposed(move)});
    if (!issued) continue;  // a row is not in one piece, or padding moved it
    ASSERT_TRUE(is_possible(access, 16));
    expect_equal(model, access, shared, 16, *issued);
    if (testing::Test::HasFatalFailure()) return;
    ++compared;
  }
  EXPECT_GT(compared, 3'000);
}

}  // namespace issued_passes_test
}  // namespace heddle::plan
