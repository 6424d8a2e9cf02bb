// Divisions and products against pycute and CuTe, and what they promise, by trying every
// coordinate.
#include "heddle/interop/cute/tiling.h"

#include <functional>

#include "tests/interop/cute/random_cute.h"
#include "tests/interop/cute/recorded.h"

namespace heddle::interop::cute {
namespace tiling_test {

using namespace property;
using test::for_each_call;
using test::RecordedCall;
using Answer = std::expected<Layout, std::string>;
using Tiling = Answer (*)(const Layout&, const Tiler&);
using Product = Answer (*)(const Layout&, const Layout&);

struct Operation {
  const char* name;
  Tiling call;
  bool in_pycute;
};
constexpr Operation divisions[] = {{"logical_divide", logical_divide, true},
                                   {"zipped_divide", zipped_divide, true},
                                   {"tiled_divide", tiled_divide, true},
                                   {"flat_divide", flat_divide, false}};
constexpr Operation products[] = {{"logical_product", logical_product, true},
                                  {"zipped_product", zipped_product, true},
                                  {"tiled_product", tiled_product, true},
                                  {"flat_product", flat_product, false}};

/// Whether the tile and its complement, mode by mode, are what `divided` is in `layout`.
bool is_division(const Layout& layout, const Tiler& tiler, const Layout& divided) {
  if (!tiler.is_leaf()) {
    for (std::size_t i = 0; i < tiler.rank(); ++i)
      if (!is_division(layout[i], tiler[i], divided[i])) return false;
    return true;
  }
  if (!tiler.leaf()) return divided == layout;
  const auto rest = complement(*tiler.leaf(), size(layout));
  if (!rest) return false;
  const Layout both = make_layout({*tiler.leaf(), *rest});
  if (size(divided) != size(both)) return false;
  for (Number i = 0; i < size(both); ++i)
    if (evaluate(divided, i) != evaluate(layout, evaluate(both, i))) return false;
  return true;
}

/// Where the two differ, the witness has left the law: pycute rounds sizes down where CuTe refuses,
/// and it forgets a last mode of size 1, along which a layout goes on.
void expect_divisions(const char* file, const Operation& operation) {
  int equal = 0, different = 0;
  for_each_call(file, operation.name, [&](const RecordedCall& call) {
    const auto ours = operation.call(call.layout(0), call.tiler(1));
    const auto theirs = call.answer_layout();
    if (!theirs) return;
    const bool same = ours && test::simplified(*ours) == test::simplified(*theirs);
    equal += same;
    different += ours && !same;
    if (!same && operation.call == logical_divide)
      EXPECT_FALSE(is_division(call.layout(0), call.tiler(1), *theirs));
  });
  EXPECT_GT(equal, 12 + 50 * different) << operation.name;
}

TEST(Tiling, DivisionsAsPycuteAndCute) {
  for (const Operation& operation : divisions) {
    if (operation.in_pycute) expect_divisions("pycute.json.gz", operation);
    expect_divisions("cute.json.gz", operation);
  }
}

/// Whether the copies of the block are disjoint, as a product promises.
bool copies_are_apart(const Layout& product) {
  const Layout block = filter(product[0]), times = filter(product[1]);
  return is_injective(make_layout({block, times})) || !is_injective(block) || !is_injective(times);
}

/// Whether the second mode is `times` through the complement of the block.
bool is_product(const Layout& block, const Layout& times, const Layout& product) {
  const auto free = complement(block, size(block) * cosize(times));
  if (!free || product[0] != block || size(product[1]) != size(times)) return false;
  for (Number i = 0; i < size(times); ++i)
    if (evaluate(product[1], i) != evaluate(*free, evaluate(times, i))) return false;
  return true;
}

void expect_products(const char* file, const Operation& operation) {
  int equal = 0, different = 0;
  for_each_call(file, operation.name, [&](const RecordedCall& call) {
    const auto ours = operation.call(call.layout(0), call.tiler(1));
    const auto theirs = call.answer_layout();
    if (!theirs) return;
    const bool same = ours && test::simplified(*ours) == test::simplified(*theirs);
    equal += same;
    different += ours && !same;
    if (!same && operation.call == logical_product && !call.is_by_mode(1))
      EXPECT_FALSE(is_product(call.layout(0), call.layout(1), *theirs));
  });
  EXPECT_GT(equal, 12 + 50 * different) << operation.name;
}

TEST(Tiling, ProductsAsPycuteAndCute) {
  for (const Operation& operation : products) {
    if (operation.in_pycute) expect_products("pycute.json.gz", operation);
    expect_products("cute.json.gz", operation);
  }
}

TEST(Tiling, BlockedAndRakedProductsAsCute) {
  for (const auto& [name, call] :
       {std::pair<const char*, Product>{"blocked_product", blocked_product},
        {"raked_product", raked_product}}) {
    int equal = 0;
    for_each_call("cute.json.gz", name, [&, call = call](const RecordedCall& recorded) {
      const auto ours = call(recorded.layout(0), recorded.layout(1));
      const auto theirs = recorded.answer_layout();
      if (ours && theirs) {
        EXPECT_EQ(test::simplified(*ours), test::simplified(*theirs));
        ++equal;
      }
    });
    EXPECT_GT(equal, 8) << name;
  }
}

RC_GTEST_PROP(Tiling, LogicalDivideSplits, ()) {
  const Layout layout = *any_layout(), tile = *any_layout(40);
  const auto divided = logical_divide(layout, tiler(tile));
  RC_CLASSIFY(divided.has_value());
  if (!divided) return;
  RC_ASSERT(divided->rank() == 2u);
  RC_ASSERT((*divided)[0] == *composition(layout, tile));
  RC_ASSERT(is_division(layout, tiler(tile), *divided));
  if (is_injective(layout) && is_injective(tile) && size(*divided) == size(layout) &&
      cosize(make_layout({tile, *complement(tile, size(layout))})) == size(layout))
    RC_ASSERT(image(*divided) == image(layout));
}

RC_GTEST_PROP(Tiling, EveryRegroupedDivisionReachesTheSame, ()) {
  const Layout layout = make_layout({*any_layout(30), *any_layout(30)});
  const Tiler by_mode = tilers(*any_layout(8), *any_layout(8));
  const auto logical = logical_divide(layout, by_mode);
  RC_CLASSIFY(logical.has_value());
  if (!logical) return;
  const Layout zipped = *zipped_divide(layout, by_mode);
  RC_ASSERT(zipped.rank() == 2u);
  for (std::size_t part = 0; part < 2; ++part)
    for (std::size_t mode = 0; mode < 2; ++mode)
      RC_ASSERT(zipped[part][mode] == (*logical)[mode][part]);
  const Layout tiled = *tiled_divide(layout, by_mode), flat = *flat_divide(layout, by_mode);
  RC_ASSERT(tiled == make_layout({zipped[0], zipped[1][0], zipped[1][1]}));
  RC_ASSERT(flat == make_layout({zipped[0][0], zipped[0][1], zipped[1][0], zipped[1][1]}));
}

RC_GTEST_PROP(Tiling, LogicalProductRepeats, ()) {
  const Layout block = *any_layout(40), times = *any_layout(40);
  const auto product = logical_product(block, tiler(times));
  RC_CLASSIFY(product.has_value());
  if (!product) return;
  RC_ASSERT(is_product(block, times, *product));
  RC_ASSERT(copies_are_apart(*product));
}

RC_GTEST_PROP(Tiling, BlockedAndRakedAreTheProductZipped, ()) {
  const Layout block = *any_layout(40), times = *any_layout(40);
  const auto blocked = blocked_product(block, times), raked = raked_product(block, times);
  RC_ASSERT(blocked.has_value() == raked.has_value());
  RC_CLASSIFY(blocked.has_value());
  if (!blocked) return;
  const auto product = logical_product(block, tiler(times));
  RC_ASSERT(product.has_value());
  RC_ASSERT(size(*blocked) == size(*product));
  std::multiset<Number> all_blocked, all_product;
  for (const Number index : indices(*blocked)) all_blocked.insert(index);
  for (const Number index : indices(*product)) all_product.insert(index);
  RC_ASSERT(all_blocked == all_product);
  const std::size_t rank = std::max(block.rank(), times.rank());
  RC_ASSERT(blocked->rank() == rank && raked->rank() == rank);
  for (std::size_t i = 0; i < rank; ++i) {
    RC_ASSERT((*blocked)[i][0] == (*raked)[i][1]);
    RC_ASSERT((*blocked)[i][1] == (*raked)[i][0]);
  }
}

TEST(Tiling, DocumentedExamples) {
  const auto l = test::layout_of;
  // 02_layout_algebra.md, "Logical Divide 1-D Example" and 2-D, "Zipped, Tiled, Flat Divides".
  EXPECT_EQ(logical_divide(l("(4,2,3):(2,1,8)"), tiler(l("4:2"))),
            l("((2,2),(2,3)):((4,1),(2,8))"));
  const Layout layout = l("(9,(4,8)):(59,(13,1))");
  const Tiler tile = tilers(l("3:3"), l("(2,4):(1,8)"));
  EXPECT_EQ(logical_divide(layout, tile), l("((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"));
  EXPECT_EQ(zipped_divide(layout, tile), l("((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"));
  EXPECT_EQ(tiled_divide(layout, tile), l("((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"));
  EXPECT_EQ(flat_divide(layout, tile), l("(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"));
  // "Logical Product 1-D Example", "Blocked and Raked Products".
  EXPECT_EQ(logical_product(l("(2,2):(4,1)"), tiler(l("6:1"))), l("((2,2),(2,3)):((4,1),(2,8))"));
  EXPECT_EQ(blocked_product(l("(2,5):(5,1)"), l("(3,4):(1,3)")),
            l("((2,3),(5,4)):((5,10),(1,30))"));
  EXPECT_EQ(raked_product(l("(2,5):(5,1)"), l("(3,4):(1,3)")), l("((3,2),(4,5)):((10,5),(30,1))"));
}

TEST(Tiling, TileToShape) {
  const auto l = test::layout_of;
  const auto tiled = [&](const char* block, std::vector<Number> shape,
                         std::vector<Number> order = {}) {
    return tile_to_shape(l(block), shape, order);
  };
  // As CuTe prints the layout of A of a wgmma kernel: 128x64 in three stages, of the atom K_SW128.
  EXPECT_EQ(tiled("(8,64):(64,1)", {128, 64, 3}),
            l("((8,16),(64,1),(1,3)):((64,512),(1,0),(0,8192))"));
  // CUTLASS, include/cute/layout.hpp: "Step<_2,_1,_3> … across the second mode first".
  EXPECT_EQ(tiled("(8,8):(8,1)", {16, 32}, {2, 1}), l("((8,2),(8,4)):((8,256),(1,64))"));
  EXPECT_EQ(tiled("(8,8):(8,1)", {16, 32}, {1, 2}), tiled("(8,8):(8,1)", {16, 32}));
  EXPECT_EQ(tiled("(8,8):(8,1)", {64}).error(), "the layout has 2 modes and the shape only 1");
  EXPECT_EQ(tiled("(8,8):(8,1)", {16, 12}).error(), "mode 1 has size 8, which does not divide 12");
  EXPECT_EQ(tiled("(8,8):(8,1)", {16, 16}, {1}).error(), "the order has length 1 and the shape 2");
  EXPECT_FALSE(tiled("8:1", {Number{1} << 40, Number{1} << 40}));
}

TEST(Tiling, CompositionByModeDropsTheOthers) {
  const auto l = test::layout_of;
  // 02_layout_algebra.md, "By-mode Composition".
  EXPECT_EQ(composition(l("(12,(4,8)):(59,(13,1))"), tilers(l("3:4"), l("8:2"))),
            l("(3,(2,4)):(236,(26,1))"));
  EXPECT_EQ(composition(l("(4,8):(8,1)"), tilers(l("2:2"))), l("(2):(16)"));
}

TEST(Tiling, RefusalsSayWhy) {
  const auto l = test::layout_of;
  EXPECT_EQ(logical_divide(l("8:1"), tilers(l("2:1"), l("2:1"))).error(),
            "the tiler has 2 modes and the layout only 1");
  EXPECT_EQ(zipped_divide(l("8:1"), tiler(l("(3,2):(2,5)"))).error(),
            "the tile has no complement: the leaf 2:5 overlaps those of smaller strides, which "
            "fill 6");
  EXPECT_EQ(logical_product(l("(5,4):(16,3)"), tiler(l("4:1"))).error(),
            "the block leaves 3 places free between its own, and the copies would need 4, so they "
            "would overlap");
  EXPECT_EQ(blocked_product(l("(3,2):(2,5)"), l("2:1")).error(),
            "the block has no complement: the leaf 2:5 overlaps those of smaller strides, which "
            "fill 6");
}

}  // namespace tiling_test
}  // namespace heddle::interop::cute
