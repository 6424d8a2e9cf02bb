// Composable Kernel's tile distributions: by their definition, there and back, and its encodings of
// instructions against the catalogue.
#include "heddle/interop/ck_tile.h"

#include "heddle/instruction/catalogue.h"
#include "heddle/interop/ck_tile_text.h"
#include "tests/layout/random_layouts.h"

namespace heddle::interop::ck_tile {
namespace ck_tile_test {

using instruction::Operand;
using instruction::Target;
using layout::LinearLayout;
using layout::property::full_size;
using layout::property::number_in;

/// Splits `number` into digits of the lengths, the last one fastest.
Numbers unmerged(std::int64_t number, const Numbers& lengths) {
  Numbers digits(lengths.size());
  for (std::size_t i = lengths.size(); i-- > 0; number /= lengths[i])
    digits[i] = number % lengths[i];
  return digits;
}

/// The X of ids and a value, as CK's transforms compute it: merge each P and Y into lengths,
/// unmerge each X.
Numbers by_definition(const Encoding& encoding, const Numbers& ids, std::int64_t value) {
  std::vector<Numbers> digits;  // of each major
  digits.emplace_back(encoding.rs.size(), 0);
  for (const Numbers& parts : encoding.hs) digits.emplace_back(parts.size(), 0);
  const auto spread = [&](std::int64_t number, const Numbers& majors, const Numbers& minors) {
    Numbers lengths;
    for (std::size_t i = 0; i < majors.size(); ++i) {
      const Numbers& parts =
          majors[i] == 0 ? encoding.rs : encoding.hs[static_cast<std::size_t>(majors[i] - 1)];
      lengths.push_back(parts[static_cast<std::size_t>(minors[i])]);
    }
    const Numbers parts = unmerged(number, lengths);
    for (std::size_t i = 0; i < majors.size(); ++i)
      digits[static_cast<std::size_t>(majors[i])][static_cast<std::size_t>(minors[i])] = parts[i];
  };
  for (std::size_t p = 0; p < ids.size(); ++p)
    spread(ids[p], encoding.ps_major[p], encoding.ps_minor[p]);
  spread(value, encoding.ys_major, encoding.ys_minor);
  Numbers x;
  for (std::size_t dim = 0; dim < encoding.hs.size(); ++dim) {
    std::int64_t coordinate = 0;
    for (std::size_t i = 0; i < encoding.hs[dim].size(); ++i)
      coordinate = coordinate * encoding.hs[dim][i] + digits[dim + 1][i];
    x.push_back(coordinate);
  }
  return x;
}

bool follows_definition(const Encoding& encoding, const LinearLayout& map) {
  for (std::uint64_t flat = 0; flat >> map.input_bits() == 0; ++flat) {
    const auto in = map.inputs().unpack(flat);
    Numbers ids;
    if (encoding.ps_major.size() == 2) ids.push_back(static_cast<std::int64_t>(in.at("warp")));
    if (!encoding.ps_major.empty()) ids.push_back(static_cast<std::int64_t>(in.at("lane")));
    const Numbers expected =
        by_definition(encoding, ids, static_cast<std::int64_t>(in.at("register")));
    const auto out = map.outputs().unpack(map.apply(flat));
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (out[static_cast<int>(i)].value != static_cast<std::uint64_t>(expected[i])) return false;
  }
  return true;
}

/// Lengths at random, dealt at random to P0, P1 and Y.
rc::Gen<Encoding> any_encoding() {
  return full_size([] {
    Encoding encoding;
    const auto ids = number_in<std::size_t>(1, 3);
    encoding.ps_major.resize(ids);
    encoding.ps_minor.resize(ids);
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    const auto lengths = [&](std::int64_t major) {
      Numbers parts;
      const int count = number_in(major == 0 ? 0 : 1, major == 0 ? 3 : 4);
      for (int i = 0; i < count; ++i) {
        pairs.emplace_back(major, i);
        parts.push_back(std::int64_t{1} << number_in(0, 3));
      }
      return parts;
    };
    encoding.rs = lengths(0);
    const int dims = number_in(1, 4);
    for (int dim = 0; dim < dims; ++dim) encoding.hs.push_back(lengths(dim + 1));
    while (!pairs.empty()) {
      const auto index = number_in<std::size_t>(0, pairs.size());
      const auto [major, minor] = pairs[index];
      pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(index));
      const auto owner = number_in<std::size_t>(0, major == 0 ? ids : ids + 1);
      Numbers& majors = owner < ids ? encoding.ps_major[owner] : encoding.ys_major;
      Numbers& minors = owner < ids ? encoding.ps_minor[owner] : encoding.ys_minor;
      majors.push_back(major);
      minors.push_back(minor);
    }
    return encoding;
  });
}

RC_GTEST_PROP(CkTile, IsItsDefinition, ()) {
  const Encoding encoding = *any_encoding();
  const auto map = to_distributed(encoding);
  RC_ASSERT(map.has_value());
  if (map->input_bits() <= 14) RC_ASSERT(follows_definition(encoding, *map));
}

RC_GTEST_PROP(CkTile, FromDistributedUndoesToDistributed, ()) {
  const LinearLayout map = *to_distributed(*any_encoding());
  const auto encoding = from_distributed(map);
  RC_ASSERT(encoding.has_value());
  RC_ASSERT((to_distributed(*encoding) == map));
}

RC_GTEST_PROP(CkTile, AnotherMapIsRefusedOrTheSame, ()) {
  const LinearLayout map = *layout::property::layout_between(
      layout::AxisList{
          {"register", number_in(0, 4)}, {"lane", number_in(0, 4)}, {"warp", number_in(0, 2)}},
      layout::AxisList{{"dim0", number_in(0, 4)}, {"dim1", number_in(0, 4)}});
  const auto encoding = from_distributed(map);
  RC_CLASSIFY(encoding.has_value());
  if (encoding) {
    RC_ASSERT((to_distributed(*encoding) == map));
  } else {
    RC_ASSERT(!encoding.error().empty());
  }
}

// The GEMM block of Composable Kernel's documents (docs/conceptual/ck_tile, "Encoding"): four
// repeats, two warps, eight threads and vectors of four in each dimension.
TEST(CkTile, ABlockOfTwoDimensions) {
  const Encoding encoding = read(
                                "ck_tile::tile_distribution_encoding<ck_tile::sequence<>, "
                                "tuple<sequence<4, 2, 8, 4>, sequence<4, 2, 8, 4>>, "
                                "tuple<sequence<1, 2>, sequence<1, 2>>, "
                                "tuple<sequence<1, 1>, sequence<2, 2>>, "
                                "sequence<1, 1, 2, 2>, sequence<0, 3, 0, 3>>{}")
                                .value();
  const LinearLayout map = to_distributed(encoding).value();
  EXPECT_EQ(layout::text(map).view(),
            "register: (0,1) (0,2) (0,64) (0,128) (1,0) (2,0) (64,0) (128,0); "
            "lane: (0,4) (0,8) (0,16) (4,0) (8,0) (16,0); warp: (0,32) (32,0) -> "
            "dim0: 256, dim1: 256");
  EXPECT_TRUE(follows_definition(encoding, map));
  EXPECT_EQ(from_distributed(map), encoding);
}

/// Encodings of operands. WMMA: include/ck_tile/ops/gemm/warp/
/// warp_gemm_attribute_wmma_impl_base_traits.hpp at commit 0566c90f, in the form of
/// warp_gemm_attribute_wmma.hpp; MFMA: warp_gemm_attribute_mfma.hpp and _mfma_impl.hpp at commit
/// 8e22e1ae. B's dimensions are (n, k).
struct Row {
  Target target;
  std::vector<const char*> names;
  Operand operand;
  std::array<const char*, 2> dims;
  const char* text;
};

const std::vector<Row> rows{
    {Target::gfx1151,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8"},
     Operand::a,
     {"m", "k"},
     "tile_distribution_encoding<sequence<2>, tuple<sequence<16>, sequence<1, 1, 16>>, "
     "tuple<sequence<0, 2, 1>>, tuple<sequence<0, 1, 0>>, sequence<2, 2>, sequence<0, 2>>"},
    {Target::gfx1151,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8"},
     Operand::b,
     {"n", "k"},
     "tile_distribution_encoding<sequence<2>, tuple<sequence<16>, sequence<1, 1, 16>>, "
     "tuple<sequence<0, 2, 1>>, tuple<sequence<0, 1, 0>>, sequence<2, 2>, sequence<0, 2>>"},
    {Target::gfx1151,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8"},
     Operand::d,
     {"m", "n"},
     "tile_distribution_encoding<sequence<>, tuple<sequence<8, 2, 1>, sequence<16>>, "
     "tuple<sequence<1, 2>>, tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>"},
    {Target::gfx1201,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8",
      "v_wmma_f32_16x16x16_fp8_fp8"},
     Operand::a,
     {"m", "k"},
     "tile_distribution_encoding<sequence<1>, tuple<sequence<16>, sequence<1, 2, 8>>, "
     "tuple<sequence<2, 1>>, tuple<sequence<1, 0>>, sequence<2, 2>, sequence<0, 2>>"},
    {Target::gfx1201,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8",
      "v_wmma_f32_16x16x16_fp8_fp8"},
     Operand::b,
     {"n", "k"},
     "tile_distribution_encoding<sequence<1>, tuple<sequence<16>, sequence<1, 2, 8>>, "
     "tuple<sequence<2, 1>>, tuple<sequence<1, 0>>, sequence<2, 2>, sequence<0, 2>>"},
    {Target::gfx1201,
     {"v_wmma_f32_16x16x16_f16", "v_wmma_f32_16x16x16_bf16", "v_wmma_i32_16x16x16_iu8",
      "v_wmma_f32_16x16x16_fp8_fp8"},
     Operand::d,
     {"m", "n"},
     "tile_distribution_encoding<sequence<>, tuple<sequence<1, 2, 8>, sequence<16>>, "
     "tuple<sequence<1, 2>>, tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>"},
    {Target::gfx942,
     {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x8_bf16"},
     Operand::a,
     {"m", "k"},
     "tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, "
     "tuple<sequence<2, 1>>, tuple<sequence<0, 0>>, sequence<2>, sequence<1>>"},
    {Target::gfx942,
     {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x8_bf16"},
     Operand::b,
     {"n", "k"},
     "tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, "
     "tuple<sequence<2, 1>>, tuple<sequence<0, 0>>, sequence<2>, sequence<1>>"},
    {Target::gfx942,
     {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x8_bf16"},
     Operand::d,
     {"m", "n"},
     "tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 4>, sequence<32>>, "
     "tuple<sequence<1, 2>>, tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>"},
    {Target::gfx942,
     {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_bf16"},
     Operand::a,
     {"m", "k"},
     "tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<4, 4>>, "
     "tuple<sequence<2, 1>>, tuple<sequence<0, 0>>, sequence<2>, sequence<1>>"},
    {Target::gfx942,
     {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_bf16"},
     Operand::d,
     {"m", "n"},
     "tile_distribution_encoding<sequence<>, tuple<sequence<1, 4, 4>, sequence<16>>, "
     "tuple<sequence<1, 2>>, tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>"},
};

TEST(CkTile, EncodingsOfOperandsAreTheCatalogues) {
  int compared = 0;
  for (const Row& row : rows) {
    const auto map = to_distributed(read(row.text).value());
    ASSERT_TRUE(map) << row.text << ": " << map.error();
    for (const char* name : row.names) {
      SCOPED_TRACE(std::string(name) + " " + row.text);
      const auto* found = instruction::find(name, row.target);
      ASSERT_NE(found, nullptr);
      const LinearLayout fragment =
          instruction::fragment(*found, row.operand, instruction::KOrder::contiguous);
      ASSERT_EQ(map->input_bits(), fragment.input_bits());
      for (std::uint64_t flat = 0; flat >> fragment.input_bits() == 0; ++flat) {
        const auto theirs = map->outputs().unpack(map->apply(flat));
        const auto ours = fragment.outputs().unpack(fragment.apply(flat));
        for (std::size_t dim = 0; dim < 2; ++dim)
          ASSERT_EQ(theirs[static_cast<int>(dim)].value,
                    ours.at(layout::AxisName(std::string_view(row.dims[dim]))));
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 25);
}

TEST(CkTile, RefusalsSayWhy) {
  const Encoding good{{2}, {{16}, {4, 4}}, {{0, 2, 1}}, {{0, 0, 0}}, {2}, {1}};
  EXPECT_TRUE(to_distributed(good));
  const auto refusal = [](const Encoding& encoding) { return to_distributed(encoding).error(); };
  Encoding bad = good;
  bad.hs[1][0] = 3;
  EXPECT_EQ(refusal(bad),
            "the length 3 at (2, 0) is no power of two; a linear map has sizes that are");
  bad = good;
  bad.ys_minor[0] = 0;
  EXPECT_EQ(refusal(bad), "Y names (2, 0), which is counted through already");
  bad = good;
  bad.ys_minor[0] = 2;
  EXPECT_EQ(refusal(bad), "Y names (2, 2), which is no length of the encoding");
  bad = good;
  bad.ys_major.clear();
  bad.ys_minor.clear();
  EXPECT_EQ(refusal(bad), "the length (2, 1) belongs to no P and no Y");
  bad = good;
  bad.ps_major[0][0] = 1;
  EXPECT_EQ(refusal(bad), "P0 names (1, 0), which is counted through already");
  bad = good;
  bad.ys_major.push_back(0);
  bad.ys_minor.push_back(0);
  EXPECT_EQ(refusal(bad), "Y names (0, 0), a copy; only a P counts through copies");
  bad = good;
  bad.ps_major.resize(3);
  bad.ps_minor.resize(3);
  EXPECT_EQ(refusal(bad),
            "an encoding has one P, the lane, or two, the warp and the lane, with "
            "major and minor numbers each");
  const auto back = [](const char* text) {
    return from_distributed(layout::parse(text).value()).error();
  };
  EXPECT_EQ(back("register: (1,1); lane: (2,0) -> dim0: 4, dim1: 2"),
            "register bit 0 moves by more than one bit of the dimensions, as a swizzle does; an "
            "encoding has no such");
  EXPECT_EQ(back("register: (0); lane: (1) -> dim0: 2"),
            "register bit 0 is a copy; in an encoding only lanes and warps are");
  EXPECT_EQ(back("register: (1); lane: (1) -> dim0: 2"),
            "lane bit 0 moves by the same bit as another; copies have no bit in an encoding");
  EXPECT_EQ(back("register: (1) -> dim0: 4"),
            "some elements are in no register; an encoding gives each one a place");
  EXPECT_EQ(back("block: (1) -> dim0: 2"),
            "the map has an input axis 'block'; an encoding has register, lane and warp");
}

}  // namespace ck_tile_test
}  // namespace heddle::interop::ck_tile
