// The accesses that move a tile: every element arrives where the layouts say, at the address that
// the tile has it, whatever the width; and the moves of 8x8 matrices are those of the catalogue.
#include "heddle/memory/issued_accesses.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/axes.h"

namespace heddle::memory {
namespace issued_accesses_test {

using instruction::Operand;
using instruction::Target;
using layout::LinearLayout;

LinearLayout map_of(std::string_view text) { return layout::parse(text).value(); }

/// A random invertible map: row operations on the identity.
LinearLayout::Bases random_bases(int bits, int operations) {
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = std::uint64_t{1} << bit;
  for (int i = 0; i < operations; ++i) {
    const auto a = *rc::gen::inRange<std::size_t>(0, static_cast<std::size_t>(bits));
    const auto b = *rc::gen::inRange<std::size_t>(0, static_cast<std::size_t>(bits));
    if (a == b) continue;
    if (*rc::gen::arbitrary<bool>())
      std::swap(bases[a], bases[b]);
    else
      bases[a] ^= bases[b];
  }
  return bases;
}

SharedLayout random_tile() {
  SharedLayout shared{LinearLayout::from_words({{"offset", 10}}, {{"m", 5}, {"k", 5}},
                                               random_bases(10, *rc::gen::inRange(0, 6)))
                          .value(),
                      {}};
  if (*rc::gen::arbitrary<bool>())
    shared.padding.push_back(
        {std::uint64_t{1} << *rc::gen::inRange(1, 8), *rc::gen::inRange<std::uint64_t>(1, 20)});
  return shared;
}

/// (register, lane, warp) in a random arrangement, some bits copies.
LinearLayout random_holder() {
  LinearLayout::Bases bases = random_bases(10, *rc::gen::inRange(0, 6));
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
    bases[*rc::gen::inRange<std::size_t>(0, 10)] = 0;
  return LinearLayout::from_words({{"register", 4}, {"lane", 5}, {"warp", 1}}, {{"k", 5}, {"m", 5}},
                                  bases)
      .value();
}

/// How many bits of the register do not tell a lane's elements apart.
int copies_in_a_lane(const LinearLayout& held) {
  const auto registers = layout::sublayout(held, {"register"}, {"k", "m"}).value();
  return registers.input_bits() - layout::rank(registers);
}

// What one lane moves lies in one piece, at the address of its first element, aligned to its width;
// loaded are all positions of all lanes and warps but copies in one lane, and each byte of memory
// is stored once.
RC_GTEST_PROP(IssuedAccesses, MoveEveryElementFromItsAddress, ()) {
  const SharedLayout shared = random_tile();
  const LinearLayout held = random_holder();
  Move move;
  move.element_bits = *rc::gen::element(8, 16, 32, 64);
  move.kind = *rc::gen::element(AccessKind::load, AccessKind::store);
  const auto issued = issue(shared, held, move);
  RC_ASSERT(issued.has_value());
  const auto bytes = static_cast<std::uint64_t>(move.element_bits) / 8;
  const LinearLayout to_offset = layout::invert(shared.map).value();

  std::map<std::uint64_t, int> moves;  // by place in memory
  std::set<std::vector<std::uint64_t>> held_places;
  for (const IssuedAccess& access : issued->list) {
    RC_ASSERT(access.positions.size() * bytes == static_cast<std::uint64_t>(access.bytes));
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      if ((access.active >> lane & 1) == 0) continue;
      RC_ASSERT(access.address[lane] % static_cast<std::uint32_t>(access.bytes) == 0u);
      for (std::size_t i = 0; i < access.positions.size(); ++i) {
        const std::uint64_t warp = access.of.at("warp");
        const auto element =
            held.apply({{"register", access.positions[i]}, {"lane", lane}, {"warp", warp}}).value();
        const std::uint64_t offset =
            to_offset.apply({{"m", element.at("m")}, {"k", element.at("k")}})->at("offset");
        RC_ASSERT(shared.place(offset) * bytes == access.address[lane] + i * bytes);
        RC_ASSERT(held_places.insert({access.positions[i], lane, warp}).second);
        ++moves[shared.place(offset)];
      }
    }
  }
  const std::uint64_t outputs = std::uint64_t{1} << layout::rank(held);
  RC_ASSERT(moves.size() == outputs);  // each element
  if (move.kind == AccessKind::store)
    for (const auto& [place, times] : moves) RC_ASSERT(times == 1);
  else
    RC_ASSERT(held_places.size() * (1u << copies_in_a_lane(held)) == 1024u);
}

TEST(IssuedAccesses, AreAsWideAsTheLayoutsAllow) {
  const LinearLayout rows = map_of(
      "register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16");
  const LinearLayout tile =
      map_of("offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> m: 16, k: 16");
  const auto bytes = [&](const SharedLayout& shared, int element_bits) {
    Move move;
    move.element_bits = element_bits;
    return issue(shared, rows, move).value().list.front().bytes;
  };
  EXPECT_EQ(bytes({tile, {}}, 16), 16);
  EXPECT_EQ(bytes({tile, {}}, 8), 16);
  EXPECT_EQ(bytes({tile, {}}, 4), 8) << "all that a lane has";
  EXPECT_EQ(bytes({tile, {{16, 4}}}, 16), 8) << "rows begin at multiples of 8 bytes only";
  EXPECT_EQ(bytes({tile, {{2, 2}}}, 16), 4) << "interrupted after two elements";
  EXPECT_EQ(bytes({tile, {{2, 8}}}, 16), 4) << "interrupted, though the rest is aligned";
  const LinearLayout columns =
      map_of("offset: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) (0,4) (0,8) -> m: 16, k: 16");
  EXPECT_EQ(bytes({columns, {}}, 16), 2) << "what is contiguous belongs to different lanes";
}

std::string refusal(const SharedLayout& shared, std::string_view held, Move move = {}) {
  const auto issued = issue(shared, map_of(held), move);
  EXPECT_FALSE(issued.has_value());
  return issued.has_value() ? "" : issued.error();
}

TEST(IssuedAccesses, SayWhatDoesNotFit) {
  const SharedLayout tile{map_of("offset: (0,1) (0,2) (1,0) (2,0) -> m: 4, k: 4"), {}};
  constexpr std::string_view lanes = "lane: (0,1) (0,2) (1,0) (2,0) (0,0) -> m: 4, k: 4";
  EXPECT_EQ(refusal(tile, "lane: (0,1) (0,2) -> m: 4, k: 4"),
            "the access has 4 lanes and a wave here 32; give its axis 'lane' a basis for every "
            "bit, (0, 0) where lanes hold copies");
  EXPECT_EQ(refusal(tile, "lane: (1) (2) (0) (0) (0) -> m: 4"),
            "the access has the axes m and the memory m, k; they need the same");
  EXPECT_EQ(refusal(tile, "lane: (0,1) (0,2) (1,0) (2,0) (4,0) -> m: 8, k: 4"),
            "the access is larger than the tile in memory: 8 along 'm', where the tile has 4");
  EXPECT_EQ(refusal(tile, lanes, {.bytes = 16}),
            "no access of 16 bytes a lane: the layouts allow powers of two from 2 to 2");
  EXPECT_EQ(refusal(tile, lanes, {.element_bits = 6}),
            "elements of 6 bits; they need 4, 8, 16, 32 or 64");
  EXPECT_EQ(refusal(tile, lanes, {.element_bits = 4}),
            "no two elements of a byte belong to one lane, so no access moves it");
  EXPECT_EQ(refusal({map_of("offset: (0,1) -> m: 4, k: 4"), {}}, lanes),
            "the memory does not hold all of the tile: no solution: basis 1 of input axis 'lane' "
            "of the first layout leads to an output that the second layout never reaches");
  EXPECT_EQ(refusal({map_of("offset: (0,1) (0,2) (1,0); block: (2,0) -> m: 4, k: 4"), {}}, lanes),
            "bit 3 of 'lane' reaches the memory of another block");
  EXPECT_EQ(refusal({tile.map, {{1, std::uint64_t{1} << 62}, {2, 1}}}, lanes),
            "the tile has 2 GiB or more");
  EXPECT_EQ(refusal({map_of("row: (0,1) -> m: 4, k: 4"), {}}, lanes),
            "the memory has no axis 'offset'; its inputs are row");
}

// ldmatrix.x4 that fills A of mma.m16n8k16 from rows of 32 bytes: the four matrices of the PTX
// document are (m 0-7, k 0-7), (m 8-15, k 0-7), (m 0-7, k 8-15), (m 8-15, k 8-15).
TEST(IssuedAccesses, LoadTheMatricesOfAnOperand) {
  const auto row =
      instruction::find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Target::sm_90);
  ASSERT_NE(row, nullptr);
  const SharedLayout tile{
      map_of("offset: (0,1) (0,2) (0,4) (0,8) (1,0) (2,0) (4,0) (8,0) -> m: 16, k: 16"), {}};
  const auto issued = issue(tile, instruction::fragment(*row, Operand::a),
                            {.kind = AccessKind::matrix_load, .element_bits = 16});
  ASSERT_TRUE(issued.has_value()) << issued.error();
  ASSERT_EQ(issued->list.size(), 1u);
  const IssuedAccess& access = issued->list.front();
  EXPECT_EQ(access.matrices, 4);
  EXPECT_EQ(access.active, 0xffffffffu);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(access.address[lane], lane % 16 * 32 + lane / 16 * 16) << lane;
}

// B of the same is n-major for ldmatrix and k-major for ldmatrix.trans.
TEST(IssuedAccesses, TransposedMatricesReadColumns) {
  const auto row =
      instruction::find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Target::sm_90);
  ASSERT_NE(row, nullptr);
  const LinearLayout b = instruction::fragment(*row, Operand::b);
  const SharedLayout by_n{
      map_of("offset: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) (0,4) -> k: 16, n: 8"), {}};
  const SharedLayout by_k{
      map_of("offset: (0,1) (0,2) (0,4) (1,0) (2,0) (4,0) (8,0) -> k: 16, n: 8"), {}};
  const auto moved = [&](const SharedLayout& tile, bool transposed) {
    return issue(tile, b,
                 {.kind = AccessKind::matrix_load, .element_bits = 16, .transposed = transposed});
  };
  ASSERT_TRUE(moved(by_n, false).has_value());
  ASSERT_TRUE(moved(by_k, true).has_value());
  const IssuedAccess access = moved(by_k, true)->list.front();
  EXPECT_EQ(access.matrices, 2);
  EXPECT_EQ(access.active, 0xffffu);
  for (std::uint32_t lane = 0; lane < 16; ++lane) EXPECT_EQ(access.address[lane], lane * 16);
  EXPECT_EQ(moved(by_k, false).error(),
            "ldmatrix cannot move this: row 0 of matrix 0 of registers 0 to 1 is not 16 bytes in "
            "one piece: byte 2 lies at 16, the first at 0");
  SharedLayout padded = by_k;
  padded.padding = {{8, 4}};
  EXPECT_EQ(moved(padded, true).error(),
            "ldmatrix.trans cannot move this: row 1 of matrix 0 of registers 0 to 1 begins at byte "
            "24, no multiple of 16");
}

TEST(IssuedAccesses, LanesOfAWarpgroupAreFourWarps) {
  const SharedLayout tile{
      map_of("offset: (0,1) (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, k: 2"), {}};
  const auto issued =
      issue(tile,
            map_of("register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> "
                   "m: 128, k: 2"),
            {.element_bits = 16});
  ASSERT_TRUE(issued.has_value()) << issued.error();
  ASSERT_EQ(issued->list.size(), 4u);
  EXPECT_EQ(issued->list[3].address[1], (3u * 32 + 1) * 4);
  EXPECT_EQ(issued->list[3].of.at("warp"), 3u);
}

}  // namespace issued_accesses_test
}  // namespace heddle::memory
