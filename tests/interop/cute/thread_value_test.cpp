// Thread-value layouts: every MMA atom of CUTLASS as recorded in tests/data/cutlass_mma.json.gz,
// against a reader of its own, and against the catalogue.
#include "heddle/interop/cute/thread_value.h"

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/axes.h"
#include "tests/instruction/cute_layout.h"
#include "tests/interop/cute/random_cute.h"
#include "tests/interop/cute/recorded.h"

namespace heddle::interop::cute {
namespace thread_value_test {

using namespace property;
using layout::LinearLayout;

const llvm::json::Value& recorded_atoms() {
  static const llvm::json::Value atoms = test::read_golden("cutlass_mma.json.gz");
  return atoms;
}

TEST(ThreadValue, EveryAtomOfCutlassGoesThereAndBack) {
  int layouts = 0, refused = 0;
  for (const auto& value : *recorded_atoms().getAsObject()->getArray("atoms")) {
    const llvm::json::Object& atom = *value.getAsObject();
    SCOPED_TRACE(atom.getString("name")->str());
    const auto mnk = test::numbers(*atom.getArray("MNK"));
    const std::tuple<const char*, int, int> operands[] = {
        {"A", mnk[0], mnk[2]}, {"B", mnk[1], mnk[2]}, {"C", mnk[0], mnk[1]}};
    for (const auto& [operand, rows, columns] : operands) {
      const std::string text = atom.getString(operand)->str();
      ++layouts;
      const auto read_layout = read(text);
      if (!read_layout) {  // 32:((16,8)) in CUTLASS's traits of SM80_16x8x128
        EXPECT_EQ(text, "((_4,_8),(_32,_2)):((_512,_1),((_16,_8)))");
        continue;
      }
      const ThreadValue tv{std::get<Layout>(*read_layout), {rows, columns}};
      const auto map = to_distributed(tv);
      if (!map) {
        ++refused;
        EXPECT_FALSE(std::has_single_bit(static_cast<unsigned>(size(tv.layout[1])))) << text;
        continue;
      }
      const test::CuteLayout witness(text);
      ASSERT_EQ(static_cast<std::uint64_t>(witness.size(0)),
                map->input_size("lane") * map->input_size("warp"));
      for (int thread = 0; thread < witness.size(0); ++thread) {
        for (int entry = 0; entry < witness.size(1); ++entry) {
          const auto point = map->apply({{"register", static_cast<std::uint64_t>(entry)},
                                         {"lane", static_cast<std::uint64_t>(thread % 32)},
                                         {"warp", static_cast<std::uint64_t>(thread / 32)}});
          ASSERT_EQ(point->at("dim0") + point->at("dim1") * static_cast<std::uint64_t>(rows),
                    static_cast<std::uint64_t>(witness(thread, entry)));
        }
      }
      const auto back = from_distributed(*map);
      ASSERT_TRUE(back) << back.error();
      EXPECT_EQ(back->tile, tv.tile);
      EXPECT_EQ(to_distributed(*back), map);
    }
  }
  EXPECT_EQ(layouts, 3 * 248);
  EXPECT_LT(refused, layouts / 10);
}

// SM80_16x8x16_F32F16F16F32_TN and the catalogue's row of the same instruction.
TEST(ThreadValue, IsTheCatalogue) {
  const auto& row = *instruction::find("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                                       instruction::Target::sm_80);
  const std::tuple<instruction::Operand, const char*, ThreadValue> operands[] = {
      {instruction::Operand::a,
       "m",
       {test::layout_of("((4,8),(2,2,2)):((32,1),(16,8,128))"), {16, 16}}},
      {instruction::Operand::d, "m", {test::layout_of("((4,8),(2,2)):((32,1),(16,8))"), {16, 8}}}};
  for (const auto& [operand, rows, tv] : operands) {
    const LinearLayout fragment = instruction::fragment(row, operand);
    const LinearLayout map = to_distributed(tv).value();
    for (std::uint64_t flat = 0; flat >> fragment.input_bits() == 0; ++flat) {
      const auto at = fragment.inputs().unpack(flat);
      const std::uint64_t value =
          at.at_or("register", 0) * fragment.input_size("element") + at.at_or("element", 0);
      const auto expected = fragment.outputs().unpack(fragment.apply(flat));
      const auto found = map.apply({{"register", value}, {"lane", at.at("lane")}});
      ASSERT_TRUE(found);
      ASSERT_EQ(found->at("dim0"), expected[0].value);
      ASSERT_EQ(found->at("dim1"), expected[1].value);
    }
  }
}

RC_GTEST_PROP(ThreadValue, FromDistributedUndoesToDistributed, ()) {
  const std::vector<Mode> leaves = flatten(*power_of_two_layout());
  const auto middle = leaves.begin() + static_cast<std::ptrdiff_t>(leaves.size() / 2);
  const Layout layout =
      make_layout({from_modes({leaves.begin(), middle}), from_modes({middle, leaves.end()})});
  const auto plain = to_linear(layout);
  RC_CLASSIFY(plain.has_value());
  if (!plain) return;
  const Number rows = Number{1} << number_in(0, plain->output_bits() + 1);
  const Number columns = (Number{1} << plain->output_bits()) / rows * 2;
  const auto map = to_distributed({layout, {rows, columns}}, Number{1} << number_in(0, 7));
  RC_ASSERT(map.has_value());
  RC_ASSERT((to_distributed(*from_distributed(*map),
                            static_cast<Number>(map->input_size("lane"))) == map));
}

TEST(ThreadValue, MoreThreadsThanAWarpAreWarps) {
  const auto map = to_distributed({test::layout_of("(128,2):(1,128)"), {16, 16}}).value();
  EXPECT_EQ(layout::text(map).view(),
            "register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,1); warp: (0,2) (0,4) -> "
            "dim0: 16, dim1: 16");
}

TEST(ThreadValue, RefusalsSayWhy) {
  const auto l = test::layout_of;
  EXPECT_EQ(to_distributed({l("32:1"), {32}}).error(),
            "a thread-value layout has two modes, (thread, value); this one has 1");
  EXPECT_EQ(to_distributed({l("(32,2):(1,32)"), {32, 1}}).error(),
            "the layout reaches index 63, outside the tile");
  EXPECT_EQ(to_distributed({l("(32,2):(1,32)"), {32, 3}}).error(),
            "the tile has 3 along dim1; a linear map has sizes that are powers of two");
  EXPECT_EQ(to_distributed({l("(32,2):(1,32)"), {32, 2}}, 24).error(),
            "a warp has a power of two of lanes, not 24");
  EXPECT_EQ(
      from_distributed(layout::parse("register: (1); lane: (2); block: (4) -> dim0: 8").value())
          .error(),
      "the map has an input axis 'block'; a thread-value layout has register, lane and warp");
  EXPECT_EQ(from_distributed(layout::parse("register: (1); lane: (3) -> dim0: 4").value()).error(),
            "two bases share bits of the tile's index, so they are no strides; a thread-value "
            "layout has no swizzle");
}

}  // namespace thread_value_test
}  // namespace heddle::interop::cute
