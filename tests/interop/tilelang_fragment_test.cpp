// TileLang's fragments: by their definition, there and back, and against TileLang's own functions
// as recorded in tests/data/tilelang_wmma.json.gz.
#include "heddle/interop/tilelang_fragment.h"

#include "heddle/instruction/catalogue.h"
#include "tests/data/golden.h"
#include "tests/layout/random_layouts.h"

namespace heddle::interop::tilelang {
namespace tilelang_fragment_test {

using layout::LinearLayout;
using layout::property::full_size;
using layout::property::number_in;

Fragment fragment_of(const char* text) {
  const auto fragment = read(text);
  if (!fragment) ADD_FAILURE() << text << ": " << fragment.error().message;
  return fragment.value_or(Fragment());
}

/// Element by element: the thread and the value that the expressions name hold it in the map.
bool holds_what_it_says(const Fragment& fragment, const LinearLayout& map) {
  std::int64_t elements = fragment.replicate;
  for (const std::int64_t size : fragment.shape) elements *= size;
  const std::uint64_t lanes = map.input_size("lane");
  for (std::int64_t flat = 0; flat < elements; ++flat) {
    Sizes at;
    std::int64_t rest = flat;
    for (const std::int64_t size : fragment.shape) {
      at.push_back(rest % size);
      rest /= size;
    }
    at.push_back(rest);
    std::int64_t value = 0;
    for (std::size_t i = 0; i < fragment.forward_index.size(); ++i)
      value = value * fragment.value_shape[i] + *fragment.forward_index[i].evaluate(at);
    const auto thread = static_cast<std::uint64_t>(*fragment.forward_thread.evaluate(at));
    const auto found = map.apply({{"register", static_cast<std::uint64_t>(value)},
                                  {"lane", thread % lanes},
                                  {"warp", thread / lanes}});
    if (!found) return false;
    for (std::size_t i = 0; i < fragment.shape.size(); ++i)
      if ((*found)[static_cast<int>(i)].value != static_cast<std::uint64_t>(at[i])) return false;
  }
  return true;
}

TEST(TilelangFragment, ReadsWhatTilelangPrints) {
  const Fragment fragment = fragment_of(
      "Fragment([16, 16] -> [16], replicate: 2, thread: 32, forward_thread: _rep * 16 + _i, "
      "forward_index: [_j])");
  EXPECT_EQ(fragment.shape, (Sizes{16, 16}));
  EXPECT_EQ(fragment.replicate, 2);
  const LinearLayout map = to_distributed(fragment).value();
  EXPECT_EQ(layout::text(map).view(),
            "register: (0,1) (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (0,0); warp: -> "
            "dim0: 16, dim1: 16");
  EXPECT_TRUE(holds_what_it_says(fragment, map));
}

TEST(TilelangFragment, OtherSpellings) {
  // Shapes as tuples; values of two axes; a range of threads.
  const Fragment fragment = fragment_of(
      "Fragment((32, 8) -> (2, 4,), replicate: 1, thread: 32, "
      "forward_thread: T.bitwise_xor(floormod(_i, 16), floordiv(_j, 4) * 16), "
      "forward_index: (_i // 16, _j % 4), thread_range: I.Range(0, 32))");
  EXPECT_TRUE(holds_what_it_says(fragment, to_distributed(fragment).value()));
  EXPECT_EQ(text(fragment),
            "Fragment([32, 8] -> [2, 4], replicate: 1, thread: 32, forward_thread: "
            "T.bitwise_xor(floormod(_i, 16), floordiv(_j, 4) * 16), forward_index: [_i // 16, "
            "_j % 4], thread_range: Range(0, 32))");
  EXPECT_EQ(read(text(fragment)), fragment);
  // Everything in every thread, as FullyReplicated makes it.
  const Fragment everywhere = fragment_of(
      "Fragment((2,) -> (2,), replicate: 256, thread: 256, forward_thread: _rep, "
      "forward_index: (_i,))");
  EXPECT_EQ(layout::text(to_distributed(everywhere, 64).value()).view(),
            "register: (1); lane: (0) (0) (0) (0) (0) (0); warp: (0) (0) -> dim0: 2");
}

/// A surjective map whose copies are in other lanes: invertible, then lanes that repeat or add.
rc::Gen<LinearLayout> any_distributed() {
  return full_size([] {
    LinearLayout invertible = *layout::property::invertible_layout();
    while (invertible.input_bits() == 0) invertible = *layout::property::invertible_layout();
    const int bits = invertible.input_bits();
    const int registers = number_in(0, std::min(bits, 4) + 1);
    const int copies = number_in(0, 3);
    LinearLayout::Bases bases{};
    for (int bit = 0; bit < bits; ++bit)
      bases[static_cast<std::size_t>(bit)] = invertible.basis(bit);
    for (int bit = bits; bit < bits + copies; ++bit) {
      const int other = registers < bits ? number_in(registers, bits) : bits;
      bases[static_cast<std::size_t>(bit)] =
          other < bits && number_in(0, 2) == 0 ? invertible.basis(other) : 0;
    }
    const int threads = bits + copies - registers;
    const int lanes = number_in(0, threads + 1);
    return LinearLayout::from_words(
               {{"register", registers}, {"lane", lanes}, {"warp", threads - lanes}},
               invertible.outputs(), bases)
        .value();
  });
}

bool same_words(const LinearLayout& a, const LinearLayout& b) {
  if (a.input_bits() != b.input_bits()) return false;
  for (int bit = 0; bit < a.input_bits(); ++bit)
    if (a.basis(bit) != b.basis(bit)) return false;
  return true;
}

RC_GTEST_PROP(TilelangFragment, FromDistributedUndoesToDistributed, ()) {
  const LinearLayout map = *any_distributed();
  const auto fragment = from_distributed(map);
  RC_ASSERT(fragment.has_value());
  const auto again = to_distributed(*fragment, static_cast<std::int64_t>(map.input_size("lane")));
  RC_ASSERT(again.has_value());
  RC_ASSERT(same_words(*again, map));
  RC_ASSERT(holds_what_it_says(*fragment, *again));
  RC_ASSERT((read(text(*fragment)) == *fragment));
}

// What C++ prints reads back; damaged texts are read or refused inside.
RC_GTEST_PROP(TilelangFragment, DamagedTextsAreReadOrRefusedInside, ()) {
  std::string damaged = text(*from_distributed(*any_distributed()));
  const auto place = number_in<std::size_t>(0, damaged.size());
  damaged[place] = *rc::gen::element('[', ']', ',', '+', '(', ')', '%', '3', 'x', ' ', '-');
  const auto result = read(damaged);
  if (result) {
    RC_ASSERT((read(text(*result)) == *result));
    const auto map = to_distributed(*result);
    if (map) RC_ASSERT(holds_what_it_says(*result, *map));
  } else {
    RC_ASSERT(result.error().column <= damaged.size() + 1);
  }
}

// TileLang's functions for WMMA (i, j[, rep]) -> (thread, local), from the catalogue's fragments.
TEST(TilelangFragment, TilelangsWmmaFragments) {
  const llvm::json::Value golden = test::read_golden("tilelang_wmma.json.gz");
  const auto& functions = *golden.getAsObject()->getObject("functions");
  using instruction::Operand;
  const std::tuple<const char*, instruction::Target, Operand> rows[] = {
      {"fragment_forward_A_gfx11", instruction::Target::gfx1100, Operand::a},
      {"fragment_forward_B_gfx11", instruction::Target::gfx1100, Operand::b},
      {"shared_16x16_to_local_32x8_layout_C_gfx11", instruction::Target::gfx1100, Operand::d},
      {"shared_16x16_to_local_32x8_layout_A_gfx12", instruction::Target::gfx1200, Operand::a},
      {"shared_16x16_to_local_32x8_layout_B_gfx12", instruction::Target::gfx1200, Operand::b},
      {"shared_16x16_to_local_32x8_layout_C_gfx12", instruction::Target::gfx1200, Operand::d}};
  for (const auto& [name, target, operand] : rows) {
    SCOPED_TRACE(name);
    const auto& row = *instruction::find_dense(target, instruction::ElementType::f16,
                                               instruction::ElementType::f32);
    const LinearLayout map = instruction::fragment(row, operand, instruction::KOrder::contiguous);
    const int lanes = map.inputs().bits_of("lane");
    const auto fragment = from_distributed(
        *layout::reshape_inputs(map, {{"register", map.input_bits() - lanes}, {"lane", lanes}}));
    ASSERT_TRUE(fragment) << fragment.error();
    const auto& function = *functions.getObject(name);
    const auto threads = test::numbers(*function.getArray("out0"));
    const auto locals = test::numbers(*function.getArray("out1"));
    const auto domain = test::numbers(*function.getArray("domain"));
    EXPECT_EQ(fragment->replicate, domain.size() == 3 ? domain[2] : 1);
    for (int flat = 0; flat < static_cast<int>(threads.size()); ++flat) {
      const int rep = static_cast<int>(fragment->replicate);
      const Sizes at{flat / rep / 16, flat / rep % 16, flat % rep};
      ASSERT_EQ(fragment->forward_thread.evaluate(at), threads[static_cast<std::size_t>(flat)]);
      ASSERT_EQ(fragment->forward_index[0].evaluate(at), locals[static_cast<std::size_t>(flat)]);
    }
  }
}

TEST(TilelangFragment, WritesFormulasOfTilelang) {
  const auto map = layout::parse(
      "register: (0,1) (0,2) (0,4) (0,8); "
      "lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16");
  EXPECT_EQ(text(from_distributed(*map).value()),
            "Fragment([16, 16] -> [16], replicate: 2, thread: 32, forward_thread: _rep * 16 + _i, "
            "forward_index: [_j])");
  const auto d11 = layout::parse(
      "register: (2,0) (4,0) (8,0); lane: (0,1) (0,2) (0,4) (0,8) (1,0) -> m: 16, n: 16");
  EXPECT_EQ(
      text(from_distributed(*d11).value()),
      "Fragment([16, 16] -> [8], replicate: 1, thread: 32, forward_thread: (_i % 2) * 16 + _j, "
      "forward_index: [_i // 2])");
}

TEST(TilelangFragment, RefusalsSayWhy) {
  const auto refusal = [](const std::string& rest) {
    return to_distributed(fragment_of(("Fragment(" + rest + ")").c_str())).error();
  };
  EXPECT_EQ(
      refusal("[12] -> [1], replicate: 1, thread: 12, forward_thread: _i, forward_index: [0]"),
      "the size of _i is 12; a linear map has sizes that are powers of two");
  EXPECT_EQ(refusal("[8] -> [1], replicate: 1, thread: 8, forward_thread: _i * 3 % 8, "
                    "forward_index: [0]"),
            "the fragment is not linear over F2: at _i = 3, _rep = 0 it is not the xor of what "
            "single bits give");
  EXPECT_EQ(refusal("[8] -> [1], replicate: 1, thread: 8, forward_thread: _i * 2, "
                    "forward_index: [0]"),
            "the thread _i * 2 is 8 at _i = 4, _rep = 0; it is from 0 to 7");
  EXPECT_EQ(refusal("[8] -> [1], replicate: 1, thread: 8, forward_thread: 7 // (4 - _i), "
                    "forward_index: [0]"),
            "the thread 7 // (4 - _i) is no number of 64 bits at _i = 4, _rep = 0; it is from 0 to "
            "7");
  EXPECT_EQ(refusal("[8] -> [1], replicate: 1, thread: 4, forward_thread: _i % 4, "
                    "forward_index: [0]"),
            "two elements or copies share a place: _i bit 2 adds nothing new");
  EXPECT_EQ(refusal("[8] -> [1], replicate: 1, thread: 16, forward_thread: _i * 2, "
                    "forward_index: [0]"),
            "thread 1 holds nothing of its own; a linear map fills every thread and value");
  EXPECT_EQ(refusal("[4096, 4096] -> [1], replicate: 1, thread: 8, forward_thread: _i, "
                    "forward_index: [0]"),
            "the tile has more than 2^22 elements, copies counted");
  std::string long_expression = "_i % 1024";
  for (int i = 0; i < 100; ++i) long_expression += " + 0";
  EXPECT_EQ(refusal("[4194304] -> [4096], replicate: 1, thread: 1024, forward_thread: " +
                    long_expression + ", forward_index: [_i // 1024]"),
            "the expressions take 206 operations for each element, more than 2^28 in all; simplify "
            "them");
  const auto back = [](const char* text) {
    return from_distributed(layout::parse(text).value()).error();
  };
  EXPECT_EQ(back("register: (1) (0); lane: (2) -> dim0: 4"),
            "a lane holds an element in two registers, or a copy lies in another register; a "
            "fragment's copies are in other threads alone");
  EXPECT_EQ(back("register: (1); lane: (2) -> dim0: 8"),
            "some elements are in no register; a fragment says where each one is");
  EXPECT_EQ(back("register: (1); block: (2) -> dim0: 4"),
            "the map has an input axis 'block'; a fragment has register, lane and warp");
}

struct Mistake {
  const char* text;
  std::size_t column;
  const char* message;
};

TEST(TilelangFragment, ErrorsPointAtTheColumn) {
  const Mistake mistakes[] = {
      {"Layout([4] -> [4])", 1, "expected 'Fragment' of TileLang, found 'L'"},
      {"Fragment([4, x] -> [4])", 14, "expected a size, found 'x'"},
      {"Fragment([4] [4])", 14, "expected '->' and the shape of a thread's values, found '['"},
      {"Fragment([4] -> [4], thread: 4)", 22, "expected 'replicate', the next field, found 't'"},
      {"Fragment([4] -> [1], replicate: 1, thread: 4, forward_thread: _j, forward_index: [0])", 63,
       "'_j' is no variable here; they are _i, _rep"},
      {"Fragment([4] -> [1], replicate: 1, thread: 4, forward_thread: _i, forward_index: [_rep])",
       83, "'_rep' is no variable here; they are _i"},
      {"Fragment([4] -> [1], replicate: 1, thread: 4, forward_thread: _i, forward_index: [0, 0])",
       82, "forward_index has 2 expressions for the 1 axes of the values"},
      {"Fragment([4] -> [1], replicate: 1, thread: 4, forward_thread: _i / 2, forward_index: [0])",
       66, "expected ',' and the field forward_index, found '/'"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto result = read(mistake.text);
    ASSERT_FALSE(result) << mistake.text;
    EXPECT_EQ(result.error().column, mistake.column) << mistake.text;
    EXPECT_EQ(result.error().message, mistake.message);
  }
}

}  // namespace tilelang_fragment_test
}  // namespace heddle::interop::tilelang
