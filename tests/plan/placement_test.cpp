// Placements against a count by definition (naive_conflicts.h), and the bound against brute force
// over all layouts of small tiles.
#include "heddle/plan/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/layout.h"
#include "heddle/layout/text.h"
#include "heddle/memory/issued_accesses.h"
#include "heddle/memory/transposed_read.h"
#include "heddle/plan/distribution.h"
#include "tests/plan/naive_conflicts.h"

namespace heddle::plan {
namespace placement_test {

using instruction::Target;
using layout::LinearLayout;
using memory::BankModel;

constexpr std::array targets{Target::gfx1100, Target::gfx1151, Target::gfx1201, Target::gfx942,
                             Target::gfx950,  Target::sm_80,   Target::sm_90};

/// A random bijection of (register, lane, warp) with a random tile, of unit words mostly.
LinearLayout random_access(int lane_bits, int rows, int columns, int most_flips = 3) {
  const int bits = rows + columns;
  std::vector<std::uint64_t> words(static_cast<std::size_t>(bits));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = std::uint64_t{1} << i;
  for (std::size_t i = words.size(); i > 1; --i)
    std::swap(words[i - 1], words[*rc::gen::inRange<std::size_t>(0, i)]);
  for (int flips = *rc::gen::inRange(0, most_flips); flips > 0; --flips) {
    const auto a = *rc::gen::inRange<std::size_t>(0, words.size());
    const auto b = *rc::gen::inRange<std::size_t>(0, words.size());
    if (a != b) words[a] ^= words[b];
  }
  const int warp_bits = *rc::gen::inRange(0, 3);
  const int register_bits = std::max(0, bits - lane_bits - warp_bits);
  LinearLayout::Bases bases{};
  std::copy(words.begin(), words.end(), bases.begin());
  const int all = register_bits + lane_bits + warp_bits;
  // What the tile has not enough elements for holds copies; or one bit of the lanes does.
  if (*rc::gen::inRange(0, 4) == 0 && all <= bits) {
    const auto lane = static_cast<std::size_t>(register_bits + *rc::gen::inRange(0, lane_bits));
    bases[lane] = 0;
  }
  return LinearLayout::from_words(
             {{"register", register_bits}, {"lane", lane_bits}, {"warp", warp_bits}},
             {{"dim0", rows}, {"dim1", columns}}, bases)
      .value();
}

struct Problem {
  BankModel model;
  std::vector<TileAccess> accesses;
  int element_bits;
};

void show(const Problem& problem) {
  RC_LOG() << problem.model.name << ", " << problem.element_bits << " bits\n";
  for (const TileAccess& access : problem.accesses)
    RC_LOG() << name(access.move) << " up to " << access.most_bytes
             << " bytes: " << layout::text(access.map).view() << "\n";
}

Problem random_problem(int most_flips = 3) {
  Problem problem;
  problem.model = memory::bank_model(*rc::gen::elementOf(targets));
  const int lane_bits = problem.model.wave == 64 ? 6 : 5;
  problem.element_bits = *rc::gen::element(8, 16, 32, 64);
  const int rows = *rc::gen::inRange(2, 7);
  const int columns = *rc::gen::inRange(2, 7);
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i)
    problem.accesses.push_back({random_access(lane_bits, rows, columns, most_flips),
                                *rc::gen::element(Move::load, Move::store),
                                *rc::gen::element(4, 8, 16)});
  show(problem);
  layout::Subspace moved;
  for (const TileAccess& access : problem.accesses)
    for (int bit = 0; bit < access.map.input_bits(); ++bit) moved.add(access.map.basis(bit));
  RC_PRE(moved.dimension() == rows + columns);  // else it is refused: SaysWhatItCannotPlace
  return problem;
}

void check_counts(const Problem& problem, const Placement& placement) {
  for (std::size_t i = 0; i < problem.accesses.size(); ++i) {
    const PlacedAccess& placed = placement.accesses[i];
    const auto naive =
        test::naive_passes(problem.model, problem.accesses[i], problem.element_bits,
                           placement.shared, std::uint64_t{1} << placed.element_bits_log2);
    RC_ASSERT(naive.is_contiguous);
    RC_ASSERT(naive.instructions == placed.instructions);
    RC_ASSERT(naive.passes == placed.passes);
    RC_ASSERT(placed.passes >= placed.ideal);
  }
}

RC_GTEST_PROP(Placement, PassesAreThoseOfCountingEveryLane, ()) {
  const Problem problem = random_problem();
  const Means means =
      *rc::gen::element(Means::any, Means::swizzle_only, Means::padding_only, Means::none);
  const auto placement = place(problem.model, problem.accesses, problem.element_bits, means);
  if (!placement) RC_DISCARD(placement.error());
  RC_ASSERT(layout::is_invertible(placement->shared.map));
  RC_ASSERT(placement->passes >= placement->bound);
  check_counts(problem, *placement);
}

// What the head of placement.h says: two accesses reach the bound where dimensions are not mixed.
RC_GTEST_PROP(Placement, TwoAccessesReachTheBound, ()) {
  Problem problem = random_problem(1);
  problem.accesses.resize(std::min<std::size_t>(2, problem.accesses.size()));
  const auto placement =
      place(problem.model, problem.accesses, problem.element_bits, Means::swizzle_only);
  if (!placement) RC_DISCARD(placement.error());  // the third alone moved some elements
  RC_ASSERT(placement->passes == placement->bound);
}

// Every more restricted means costs at least as much.
RC_GTEST_PROP(Placement, FreedomNeverCosts, ()) {
  const Problem problem = random_problem();
  const auto any = place(problem.model, problem.accesses, problem.element_bits);
  RC_ASSERT(any.has_value());
  for (const Means means : {Means::swizzle_only, Means::padding_only, Means::none}) {
    const auto other = place(problem.model, problem.accesses, problem.element_bits, means);
    if (other) RC_ASSERT(any->price() <= other->price() || any->passes < other->passes);
  }
}

// What no layout can go below is not gone below by random ones, with the widest vectors each
// allows.
RC_GTEST_PROP(Placement, NoRandomLayoutIsBelowTheBound, ()) {
  const Problem problem = random_problem();
  const auto placement = place(problem.model, problem.accesses, problem.element_bits);
  RC_ASSERT(placement.has_value());
  memory::SharedLayout shared{placement->shared.map, {}};
  LinearLayout::Bases bases{};
  const int bits = shared.map.input_bits();
  for (int bit = 0; bit < bits; ++bit) bases[static_cast<std::size_t>(bit)] = shared.map.basis(bit);
  for (int step = *rc::gen::inRange(0, 12); step > 0; --step) {
    const auto a = *rc::gen::inRange<std::size_t>(0, static_cast<std::size_t>(bits));
    const auto b = *rc::gen::inRange<std::size_t>(0, static_cast<std::size_t>(bits));
    if (a != b) bases[a] ^= bases[b];
  }
  shared.map = LinearLayout::from_words(shared.map.inputs(), shared.map.outputs(), bases).value();
  std::uint64_t passes = 0;
  for (const TileAccess& access : problem.accesses) {
    const AccessSpaces spaces = spaces_of(access, problem.element_bits);
    int width = 0;
    while (width < spaces.most_bits && spaces.vector.contains(shared.map.basis(width))) ++width;
    std::uint64_t fewest = ~std::uint64_t{0};
    for (int each = 0; each <= width; ++each)
      fewest = std::min(fewest, test::naive_passes(problem.model, access, problem.element_bits,
                                                   shared, std::uint64_t{1} << each)
                                    .passes);
    passes += fewest;
  }
  RC_ASSERT(passes >= placement->bound);
}

struct Operand {
  Target target;
  const char* name;
  const char* fragment;  // as the catalogue has it, k contiguous on gfx12
  int element_bits;
  Move move;
};
constexpr const char* gfx11_a =
    "register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16";
constexpr const char* gfx12_a =
    "register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (0,8) -> m: 16, k: 16";
constexpr const char* mma_a =
    "register: (0,1) (8,0) (0,8); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, k: 16";
constexpr const char* mma_a8 =
    "register: (0,1) (0,2) (8,0) (0,16); lane: (0,4) (0,8) (1,0) (2,0) (4,0) -> m: 16, k: 32";
constexpr const char* mfma_a32 =
    "register: (0,1); lane: (1,0) (2,0) (4,0) (8,0) (0,2) (0,4) -> m: 16, k: 8";
constexpr std::array operands{
    Operand{Target::gfx1151, "gfx1151 f16", gfx11_a, 16, Move::load},
    Operand{Target::gfx1201, "gfx1201 f16", gfx12_a, 16, Move::load},
    Operand{Target::gfx1201, "gfx1201 fp8", gfx12_a, 8, Move::load},
    Operand{Target::gfx942, "gfx942 f32", mfma_a32, 32, Move::load},
    Operand{Target::sm_80, "sm_80 f16", mma_a, 16, Move::load},
    Operand{Target::sm_90, "sm_90 f16 ldmatrix", mma_a, 16, Move::ldmatrix},
    Operand{Target::sm_90, "sm_90 f16 ldmatrix.trans", mma_a, 16, Move::ldmatrix_transposed},
    Operand{Target::sm_90, "sm_90 fp8 ldmatrix", mma_a8, 8, Move::ldmatrix},
};

// Tiles of a GEMM from 16x16 to 256x256, as rows from global memory along either dimension: always
// at the bound, and as counted.
TEST(Placement, OperandsOfAGemmReachTheBound) {
  int found = 0;
  for (const Operand& operand : operands) {
    const BankModel model = memory::bank_model(operand.target);
    const LinearLayout fragment = layout::parse(operand.fragment).value();
    for (const std::uint64_t rows : {16, 64, 256}) {
      for (const std::uint64_t columns : {16, 32, 128, 256}) {
        for (const bool along_rows : {false, true}) {
          const TileShape tile{rows, columns, rows > 16 ? 2u : 1u, 1, 2};
          const auto loads = distributed(fragment, tile);
          if (!loads) continue;  // a fragment of k = 32 in a tile of 16
          const auto vector = static_cast<std::uint64_t>(128 / operand.element_bits);
          const auto stores = coalesced(tile, vector, model.wave, along_rows);
          if (!stores) continue;  // rows shorter than a vector
          const std::vector<TileAccess> accesses{{*stores, Move::store}, {*loads, operand.move}};
          const auto placement = place(model, accesses, operand.element_bits, Means::any, 1 << 20);
          const auto what = std::string(operand.name) + " " + std::to_string(rows) + "x" +
                            std::to_string(columns) + (along_rows ? " along rows" : "");
          ASSERT_TRUE(placement.has_value()) << what << ": " << placement.error();
          ++found;
          EXPECT_TRUE(placement->is_optimal()) << what;
          if (rows * columns > 4096) continue;  // the count takes long
          for (std::size_t i = 0; i < accesses.size(); ++i) {
            const auto naive =
                is_matrix(accesses[i].move)
                    ? test::naive_matrix_passes(model, accesses[i], operand.element_bits,
                                                placement->shared)
                    : test::naive_passes(
                          model, accesses[i], operand.element_bits, placement->shared,
                          std::uint64_t{1} << placement->accesses[i].element_bits_log2);
            EXPECT_TRUE(naive.is_contiguous) << what;
            EXPECT_EQ(naive.passes, placement->accesses[i].passes) << what;
            EXPECT_EQ(naive.instructions, placement->accesses[i].instructions) << what;
          }
        }
      }
    }
  }
  EXPECT_EQ(found, 8 * 24 - 6);
}

// wgmma's own swizzles: rows of 128 bytes as they come, and in the 128-byte mode.
TEST(Placement, ChoosesAmongTheSwizzlesOfADescriptor) {
  const BankModel model = memory::bank_model(Target::sm_90);
  // Rows of 128 bytes whose 16-byte group g lies at g ^ (row % 8 >> s), as PTX's swizzling modes.
  const auto swizzled = [](const char* rows) {
    return memory::SharedLayout{
        layout::parse(std::string("offset: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) ") + rows +
                      " (8,0) (16,0) (32,0) -> dim0: 64, dim1: 64")
            .value(),
        {}};
  };
  const std::vector<memory::SharedLayout> candidates{swizzled("(1,0) (2,0) (4,0)"),
                                                     swizzled("(1,8) (2,16) (4,32)")};
  const LinearLayout fragment = distributed(layout::parse(mma_a).value(), {64, 64, 4}).value();
  const LinearLayout rows = coalesced({64, 64, 4}, 8, 32).value();
  const auto by_rows = place_among(model, {{rows, Move::store}}, 16, candidates);
  ASSERT_TRUE(by_rows.has_value());
  EXPECT_TRUE(by_rows->is_optimal());
  EXPECT_EQ(by_rows->shared, candidates[0]) << "a row at a time needs no swizzle";
  const auto by_matrices =
      place_among(model, {{rows, Move::store}, {fragment, Move::ldmatrix}}, 16, candidates);
  ASSERT_TRUE(by_matrices.has_value());
  EXPECT_TRUE(by_matrices->is_optimal());
  EXPECT_EQ(by_matrices->shared, candidates[1]);
  EXPECT_EQ(place_among(model, {{rows, Move::ldmatrix_transposed}}, 16, candidates).error(),
            "none of the 2 layouts gives these accesses the contiguous elements they need");
}

TEST(Placement, SaysWhatItCannotPlace) {
  const BankModel model = memory::bank_model(Target::gfx1151);
  const LinearLayout fragment = layout::parse(gfx11_a).value();
  const LinearLayout other = layout::parse(mma_a8).value();
  EXPECT_EQ(place(model, {}, 16).error(), "no access is given, so any layout is as good");
  EXPECT_EQ(place(model, {{fragment}, {other}}, 16).error(),
            "access 2 (load) has another tile than access 1; the sizes must be equal");
  EXPECT_EQ(place(model, {{fragment, Move::ldmatrix}}, 16).error(),
            "access 1 (ldmatrix): gfx1151 has no ldmatrix");
  EXPECT_EQ(place(memory::bank_model(Target::sm_90), {{fragment, Move::ldmatrix}}, 16).error(),
            "access 1 (ldmatrix) cannot be made: a matrix instruction moves whole 32-bit registers "
            "of 32 lanes that hold different elements, 16-bit ones if it transposes");
  EXPECT_EQ(
      place(model,
            {{layout::parse("lane: (1,0) (2,0) (0,0) (0,0) (0,0) -> dim0: 4, dim1: 4").value()}},
            16)
          .error(),
      "no access moves the element at dim1 1; the tile is larger than what is moved");
  EXPECT_EQ(
      place(model, {{layout::parse("lane: (1) (2) -> dim0: 4").value()}}, 16).error(),
      "access 1 (load) has 4 lanes, a wave of gfx1151 has 32; give its axis 'lane' a basis for "
      "every bit, 0 for copies");
  EXPECT_EQ(place(memory::bank_model(Target::sm_80), {{fragment, Move::stmatrix}}, 16).error(),
            "access 1 (stmatrix): sm_80 has no stmatrix");
  EXPECT_EQ(place(model, {{fragment}}, 16, Means::any, 256).error(),
            "the layout takes 512 bytes of shared memory, 256 are allowed; take a smaller tile");
}

// What lanes exchange behind a load lies in the order of their registers, even where another order
// would suit who writes the tile; the passes are those that memory::issue and memory::cost count.
TEST(Placement, LoadsThatTransposeFindTheirRowsInOrder) {
  const struct {
    Target target;
    std::string_view load, product, writer;
  } cases[] = {
      {Target::gfx950, "ds_read_b64_tr_b16", "v_mfma_f32_16x16x32_bf16",
       "register: (0,1) (0,2) (0,4); lane: (0,8) (1,0) (2,0) (4,0) (8,0) (16,0) -> k: 32, n: 16"},
      {Target::gfx950, "ds_read_b64_tr_b16", "v_mfma_f32_16x16x32_bf16",
       "register: (0,2) (0,1) (0,4); lane: (0,8) (1,0) (2,0) (4,0) (8,0) (16,0) -> k: 32, n: 16"},
      {Target::gfx1250, "ds_load_tr16_b128", "v_wmma_f32_16x16x32_f16",
       "register: (0,8) (0,4) (0,2) (0,1); lane: (1,0) (2,0) (4,0) (8,0) (16,0) -> k: 32, n: 16"}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.load);
    const BankModel model = memory::bank_model(one.target);
    const instruction::Instruction& load = *instruction::find(one.load, one.target);
    const LinearLayout read =
        *memory::read_by(load,
                         instruction::isa_fragment(*instruction::find(one.product, one.target),
                                                   instruction::Operand::b),
                         16);
    const LinearLayout writer = layout::parse(one.writer).value();
    const int bytes = memory::bytes_read(load);
    const auto placement =
        place(model, {{writer, Move::store}, {read, Move::load, bytes, true}}, 16);
    ASSERT_TRUE(placement.has_value()) << placement.error();
    EXPECT_TRUE(placement->is_optimal());
    const auto issued =
        memory::issue(placement->shared, read,
                      {.element_bits = 16, .wave = model.wave, .bytes = bytes, .ordered = true});
    ASSERT_TRUE(issued.has_value()) << issued.error();
    std::uint64_t passes = 0;
    for (const memory::IssuedAccess& access : issued->list)
      passes += static_cast<std::uint64_t>(memory::cost(model, access.view()).passes());
    EXPECT_EQ(placement->accesses[1].passes, passes);
    EXPECT_EQ(placement->accesses[1].instructions, issued->list.size());
  }
}

TEST(Placement, LoadsThatTransposeNeedElementsOfTheirOwn) {
  const LinearLayout copies =
      layout::parse(
          "register: (0,1) (0,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) (8,0) -> k: 16, n: 8")
          .value();
  const auto placement =
      place(memory::bank_model(Target::gfx950), {{copies, Move::load, 8, true}}, 16);
  EXPECT_EQ(placement.error(),
            "access 1 (load) cannot be made: each lane reads different elements, and some of these "
            "are the same");
}

}  // namespace placement_test
}  // namespace heddle::plan
