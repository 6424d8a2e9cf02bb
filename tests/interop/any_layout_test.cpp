// Every layout through every pair of dialects, and back to the same map.
#include "heddle/interop/any_layout.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "heddle/instruction/catalogue.h"
#include "heddle/interop/iree_text.h"

namespace heddle::interop {
namespace any_layout_test {

using layout::LinearLayout;
using memory::SharedLayout;

constexpr std::array all_dialects{Dialect::native, Dialect::triton, Dialect::gluon,
                                  Dialect::cute,   Dialect::iree,   Dialect::tilelang,
                                  Dialect::ck_tile};

struct Tile {
  std::vector<std::int64_t> shape;
  layout::AxisList dims;
};

Tile random_tile(int most_bits) {
  Tile tile;
  const int rows = *rc::gen::inRange(0, most_bits + 1);
  const int columns = *rc::gen::inRange(0, most_bits - rows + 1);
  tile.dims = {{"dim0", rows}, {"dim1", columns}};
  tile.shape = {std::int64_t{1} << rows, std::int64_t{1} << columns};
  return tile;
}

/// Who holds the tile: its bits over register, lane and warp, in the order of hardware or in any.
/// Among them stand copies: bits that move nothing or as others do, at any place of any axis. Now
/// and then two bits are mixed, as a swizzle does.
LinearLayout random_distributed(const Tile& tile, int lane_bits) {
  const int bits = tile.dims.bits();
  std::vector<std::uint64_t> words;
  for (int bit = 0; bit < bits; ++bit) words.push_back(std::uint64_t{1} << bit);
  if (*rc::gen::arbitrary<bool>())
    for (std::size_t i = words.size(); i > 1; --i)
      std::swap(words[i - 1], words[*rc::gen::inRange<std::size_t>(0, i)]);
  if (words.size() > 1 && *rc::gen::inRange(0, 4) == 0) words.back() ^= words.front();
  const int copies = *rc::gen::element(0, 0, 1, 2, 3);
  for (int i = 0; i < copies; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, words.size() + 1);
    const bool repeats = !words.empty() && *rc::gen::inRange(0, 4) == 0;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at),
                 repeats ? words[*rc::gen::inRange<std::size_t>(0, words.size())] : 0);
  }
  const int all = static_cast<int>(words.size());
  const int register_bits = std::min(all, *rc::gen::inRange(0, all + 1));
  const int warp_bits = std::max(all - register_bits - lane_bits, 0);
  LinearLayout::Bases bases{};  // lanes without a word of their own hold copies
  std::ranges::copy(words, bases.begin());
  return LinearLayout::from_words(
             {{"register", register_bits}, {"lane", lane_bits}, {"warp", warp_bits}, {"block", 0}},
             tile.dims, bases)
      .value();
}

SharedLayout random_shared(const Tile& tile) {
  const int bits = tile.dims.bits();
  LinearLayout::Bases bases{};
  for (int bit = 0; bit < bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = std::uint64_t{1} << bit;
  for (int i = bits; i > 1; --i)
    std::swap(bases[static_cast<std::size_t>(i - 1)],
              bases[*rc::gen::inRange<std::size_t>(0, static_cast<std::size_t>(i))]);
  for (int flips = bits < 2 ? 0 : *rc::gen::inRange(0, 3); flips > 0; --flips) {
    const int a = *rc::gen::inRange(0, bits - 1);
    bases[*rc::gen::inRange<std::size_t>(static_cast<std::size_t>(a + 1),
                                         static_cast<std::size_t>(bits))] ^=
        bases[static_cast<std::size_t>(a)];
  }
  SharedLayout shared{LinearLayout::from_words({{"offset", bits}}, tile.dims, bases).value(), {}};
  std::uint64_t interval = 1;
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    interval <<= *rc::gen::inRange(1, 4);
    if (interval >> bits == 0)
      shared.padding.push_back({interval, std::uint64_t{1} << *rc::gen::inRange(0, 4)});
  }
  return shared;
}

bool same_places(const SharedLayout& a, const SharedLayout& b) {
  const auto to_a = layout::invert(a.map).value();
  const auto to_b = layout::invert(layout::sublayout(b.map, {"offset"}, {"dim0", "dim1"}).value());
  for (std::uint64_t element = 0; element >> a.map.input_bits() == 0; ++element)
    if (a.place(to_a.apply(element)) != b.place(to_b->apply(element))) return false;
  return true;
}

RC_GTEST_PROP(AnyLayout, DistributedLayoutsGoThroughEveryPairOfDialects, ()) {
  const Tile tile = random_tile(10);
  const int lane_bits = *rc::gen::element(5, 6);
  const LinearLayout map = random_distributed(tile, lane_bits);
  RC_LOG() << write_native(map) << "\n";
  const ReadingContext context{tile.shape, std::int64_t{1} << lane_bits};
  const auto held = [](const LinearLayout& any) {  // who holds what, with all axes
    return write_native(detail::standard_distributed(any).value());
  };
  int said = 0;
  for (const Dialect first : all_dialects) {
    const auto text = write_layout(map, first);
    // That dialect cannot say it. What it loses is never left out: copies, warps, an order.
    if (!text) {
      RC_LOG() << row(first).key << ": " << text.error() << "\n";
      RC_ASSERT(first != Dialect::native);
      continue;
    }
    RC_LOG() << row(first).key << ": " << *text << "\n";
    const auto read = read_layout(*text, context);
    if (!read) RC_FAIL(read.error().message);
    RC_ASSERT(read->dialect == first);
    const auto& again = std::get<LinearLayout>(read->meaning);
    RC_ASSERT(held(again) == held(map));
    ++said;
    for (const Dialect second : all_dialects) {
      const auto other = write_layout(read->meaning, second);
      if (!other) continue;
      const auto other_read = read_layout(*other, context);
      if (!other_read) RC_FAIL(other_read.error().message);
      RC_ASSERT(held(std::get<LinearLayout>(other_read->meaning)) == held(map));
    }
  }
  RC_ASSERT(said >= 2);  // native and ttg at least
  RC_TAG(said);
}

RC_GTEST_PROP(AnyLayout, SharedLayoutsGoThroughEveryPairOfDialects, ()) {
  const Tile tile = random_tile(10);
  RC_PRE(tile.dims.bits() > 0);  // an attribute of a single element has no dimensions
  const SharedLayout shared = random_shared(tile);
  RC_LOG() << write_native(shared) << "\n";
  int said = 0;
  for (const Dialect first : {Dialect::native, Dialect::triton, Dialect::gluon, Dialect::cute}) {
    const auto text = write_layout(shared, first);
    if (!text) {
      RC_LOG() << row(first).key << ": " << text.error() << "\n";
      RC_ASSERT(first == Dialect::cute);
      continue;
    }
    RC_LOG() << row(first).key << ": " << *text << "\n";
    ReadingContext context;
    if (first == Dialect::triton || first == Dialect::gluon) context.shape = tile.shape;
    const auto read = read_layout(*text, context);
    if (!read) RC_FAIL(read.error().message);
    RC_ASSERT(read->dialect == first);
    RC_ASSERT(std::holds_alternative<SharedLayout>(read->meaning));
    RC_ASSERT(same_places(shared, std::get<SharedLayout>(read->meaning)));
    ++said;
  }
  for (const Dialect dialect : {Dialect::iree, Dialect::tilelang, Dialect::ck_tile})
    RC_ASSERT(!write_layout(shared, dialect).has_value());
  RC_TAG(said);
}

TEST(AnyLayout, TakesEachTextForItsDialect) {
  const std::map<std::string, Dialect> texts{
      {"lane: (1) -> m: 2", Dialect::native},
      {"#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>", Dialect::triton},
      {"tensor<16x16xf16, #ttg.blocked<{}>>", Dialect::triton},
      {"ttgl.BlockedLayout([1], [32], [1], [0])", Dialect::gluon},
      {" ((4,8),(2,2)):((32,1),(16,8))", Dialect::cute},
      {"Sw<3,3,3> o 0 o (8,64):(64,1)", Dialect::cute},
      {"Sw<3,4,3>_smem_ptr[16b](0x0) o (8,64):(64,1)", Dialect::cute},
      {"smem_ptr[16b](0x0) o (8,64):(64,1)", Dialect::cute},
      {"subptr[4b](0x0.0) o 8:1", Dialect::cute},
      {"_8:_1", Dialect::cute},
      {"__builtin_amdgcn_mfma_f32_32x32x8f16.D", Dialect::native},
      {"{outer = [8, 1], thread = [2, 16], tstrides = [16, 1], element = [1, 1]}", Dialect::iree},
      {"#iree_vector_ext.nested_layout<>", Dialect::iree},
      {"Fragment([16] -> [1], thread: 16, forward_thread: _i, forward_index: [0])",
       Dialect::tilelang},
      {"ck_tile::tile_distribution_encoding<>", Dialect::ck_tile},
      {"", Dialect::native}};
  for (const auto& [text, dialect] : texts) EXPECT_EQ(dialect_of(text), dialect) << text;
}

TEST(AnyLayout, ReadsWhatTheIssueNames) {
  const auto padded = read_layout("#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>");
  ASSERT_TRUE(padded.has_value());
  EXPECT_EQ(write_layout(padded->meaning, Dialect::cute).value(), "(16,(4,4)):(24,(1,6))");
  const auto accumulator = read_layout("((4,8),(2,2)):((32,1),(16,8))", {{16, 8}, 32});
  ASSERT_TRUE(accumulator.has_value());
  EXPECT_EQ(write_layout(accumulator->meaning, Dialect::native).value(),
            "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0); warp: -> dim0: 16, "
            "dim1: 8");
}

// Texts of older releases, of web pages and with what stands around them in sources, beside the
// plain text of the same.
TEST(AnyLayout, OtherSpellingsMeanTheSame) {
  const std::pair<const char*, const char*> pairs[] = {
      {"#blocked = #triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], "
       "warpsPerCTA "
       "= [4, 1], order = [1, 0]}>\n#blocked",
       "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order "
       "= "
       "[1, 0]}>"},
      {"#triton_gpu.mfma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = "
       "[32, "
       "32], isTransposed = true}>",
       "#ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = "
       "true}>"},
      {"#triton_gpu.amd_wmma<{warpsPerCTA = [2, 2]}>",
       "#ttg.amd_wmma<{version = 1, warpsPerCTA = [2, 2], isTranspose = false}>"},
      {"Layout<Shape <_8,Shape <_8,_4>>,Stride<_64,Stride<_1,_8>>>", "(8,(8,4)):(64,(1,8))"},
      {"Sw<3,4,3>_smem_ptr[16b](SMEM_ADDR_A) o (_8,_64):(_64,_1)",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"},
      {"constexpr auto d = make_static_tile_distribution(tile_distribution_encoding<sequence<>, "
       "tuple<sequence<16>, sequence<4, 4>>, tuple<sequence<2, 1>>, tuple<sequence<0, 0>>, "
       "sequence<2>, sequence<1>>{});",
       "tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<4, 4>>, "
       "tuple<sequence<2, 1>>, tuple<sequence<0, 0>>, sequence<2>, sequence<1>>"},
      {"VMFMA_F32_16x16x32_F16.A",
       "{outer = [1, 1], thread = [16, 4], tstrides = [1, 16], element = [1, 8]}"},
  };
  const ReadingContext context{{128, 128}, 64};
  for (const auto& [other, plain] : pairs) {
    const bool has_shape = std::string_view(plain).starts_with('#');
    const ReadingContext own = has_shape ? context : ReadingContext{};
    const auto a = read_layout(other, own), b = read_layout(plain, own);
    ASSERT_TRUE(a.has_value()) << other << ": " << a.error().message;
    ASSERT_TRUE(b.has_value()) << plain << ": " << b.error().message;
    EXPECT_EQ(write_layout(a->meaning, Dialect::native).value(),
              write_layout(b->meaning, Dialect::native).value())
        << other;
  }
}

// CUTLASS's canonical atoms are the layouts that Triton gives wgmma by the bytes of their swizzle.
TEST(AnyLayout, CanonicalAtomsAreTritonsLayoutsOfWgmma) {
  for (const auto& [bytes, atom] :
       {std::pair{32, "SW32"}, std::pair{64, "SW64"}, std::pair{128, "SW128"}}) {
    const auto triton =
        read_layout("#ttg.nvmma_shared<{swizzlingByteWidth = " + std::to_string(bytes) +
                        ", transposed = false, elementBitWidth = 16}>",
                    {{8, bytes / 2}, 32});
    const auto cutlass =
        read_layout(std::string("GMMA::Layout_K_") + atom + "_Atom<cutlass::half_t>");
    ASSERT_TRUE(triton.has_value() && cutlass.has_value()) << atom;
    EXPECT_EQ(write_layout(cutlass->meaning, Dialect::cute).value(),
              write_layout(triton->meaning, Dialect::cute).value());
  }
}

// C of a virtual instruction is that of the instruction that it is made of.
TEST(AnyLayout, VirtualInstructionsOfIree) {
  for (const auto& [own, part] :
       {std::pair{"VMFMA_F32_16x16x32_F16.C", "v_mfma_f32_16x16x16_f16"},
        std::pair{"VMFMA_F32_32x32x16_F16.D", "v_mfma_f32_32x32x8_f16"},
        std::pair{"VMFMA_F32_32x32x16_F8E4M3FNUZ.C", "v_mfma_f32_32x32x16_fp8_fp8"}}) {
    const auto read = read_layout(own);
    ASSERT_TRUE(read.has_value()) << own;
    const auto row = instruction::find(part, instruction::Target::gfx942);
    const auto wanted =
        detail::standard_distributed(instruction::fragment(*row, instruction::Operand::d));
    EXPECT_EQ(
        write_native(detail::standard_distributed(std::get<LinearLayout>(read->meaning)).value()),
        write_native(*wanted))
        << own;
  }
  EXPECT_EQ(iree::virtual_operand("VMFMA_F32_16x16x32_F16"), "");
  EXPECT_EQ(iree::virtual_operand("VMFMA_F32_16x16x32_F16.E"), "");
}

TEST(AnyLayout, APointerOfCuTeSaysHowWideElementsAre) {
  const auto swizzled = read_layout("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)");
  ASSERT_TRUE(swizzled.has_value());
  EXPECT_EQ(swizzled->element_bits, 16);
  EXPECT_EQ(write_layout(swizzled->meaning, Dialect::cute).value(),
            "Sw<3,3,3> o 0 o (8,64):(64,1)");
  const auto of_bytes = read_layout("Sw<3,4,3> o smem_ptr[8b](unset) o (_8,_128):(_128,_1)");
  const auto plain = read_layout("Sw<3,4,3> o 0 o (8,128):(128,1)");
  EXPECT_TRUE(std::get<SharedLayout>(of_bytes->meaning) == std::get<SharedLayout>(plain->meaning));
}

TEST(AnyLayout, SaysWhyADialectCannotSayIt) {
  const auto why = [](const char* text, Dialect dialect) {
    const auto read = read_layout(text);
    EXPECT_TRUE(read.has_value()) << text;
    const auto written = write_layout(read->meaning, dialect);
    EXPECT_FALSE(written.has_value()) << text;
    return written ? *written : written.error();
  };
  EXPECT_EQ(why("offset: (1) (2) -> m: 4", Dialect::iree),
            "it lies in shared memory; IREE's layout says who holds elements in registers");
  // Two warps hold the same; IREE's text would be that of one warp.
  const auto two_warps = read_layout(
      "#ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, "
      "1], order = [1, 0]}>",
      {{8, 8}, 32});
  ASSERT_TRUE(two_warps.has_value());
  EXPECT_EQ(write_layout(two_warps->meaning, Dialect::iree).error(),
            "from warp 1 on warps hold copies, and IREE's layout does not say how many subgroups "
            "there are");
  EXPECT_EQ(why("row: (1) (2) -> m: 4", Dialect::triton),
            "the input axis 'row' is none of element, register, lane, warp, block");
  EXPECT_EQ(why("(3,5):(5,1)", Dialect::triton),
            "leaf 3:5 of mode 0 has size 3; a linear map has sizes that are powers of two");
}

}  // namespace any_layout_test
}  // namespace heddle::interop
