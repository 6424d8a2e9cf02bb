// Layouts of operands in shared memory against the canonical layouts that the PTX ISA and CuTe give
// as formulas, and descriptors against the addresses that they describe.
#include "heddle/instruction/shared_operand.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/layout.h"

namespace heddle::instruction {
namespace shared_operand_test {

using layout::LinearLayout;

constexpr SharedTile swizzled{.operand = Operand::b,
                              .mn = 128,
                              .k = 64,
                              .bits = 16,
                              .major = Major::k,
                              .swizzle = Swizzle::bytes128};
static_assert(shared_operand_map(swizzled).input_size("byte") == 128 * 64 * 2);
static_assert(shared_operand_map(swizzled).apply({{"byte", 2}})->at("k") == 1);

std::string what(const SharedTile& tile) {
  return std::string(name(tile.operand)) + " " + std::to_string(tile.mn) + " x " +
         std::to_string(tile.k) + " of " + std::to_string(tile.bits) + " bits, " +
         std::string(name(tile.major)) + "-major, swizzle " + std::string(name(tile.swizzle));
}

/// Calls `check` with tiles of all kinds.
template <typename Check>
void for_each_tile(Check check) {
  int count = 0;
  for (const SwizzleRow& swizzle : swizzle_rows)
    for (const Major major : {Major::k, Major::mn})
      for (const int bits : {1, 4, 8, 16, 32})
        for (const int mn : {8, 24, 64, 128, 192, 256})
          for (const int k_bytes : {32, 64, 128, 256}) {
            if (major == Major::k && swizzle.swizzle == Swizzle::bytes128_atom32) continue;
            const SharedTile tile{.operand = count % 2 == 0 ? Operand::a : Operand::b,
                                  .mn = mn,
                                  .k = k_bytes * 8 / bits,
                                  .bits = bits,
                                  .major = major,
                                  .swizzle = swizzle.swizzle};
            SCOPED_TRACE(what(tile));
            check(tile);
            ++count;
          }
  EXPECT_EQ(count, (4 * 2 + 1) * 5 * 6 * 4);
}

/// CuTe's Swizzle<B, M, S>: bits M to M + B are xored with those S higher.
std::uint64_t cute_swizzle(int b, int m, int s, std::uint64_t offset) {
  const std::uint64_t mask = ((std::uint64_t{1} << b) - 1) << m;
  return offset ^ (offset >> s & mask);
}

// Where an instruction reads element (mn, k), counting from where its descriptor begins, as the bit
// address of the lowest bit. PTX ISA 9.0, "Canonical Layouts", and make_gmma_desc and
// make_umma_desc of CuTe, in their letters:
//
//   mn-major  none  Swizzle<0,4,3> o ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
//             W     Swizzle<b,4,3> o ((T,W,m),(8,k)):((1,T,LBO),(WT,SBO))         W = 2, 4, 8
//             atom  Swizzle<2,5,2> o ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO))
//   k-major   none  Swizzle<0,4,3> o ((8,m),(T,2k)):((1T,SBO),(1,LBO))
//             W     Swizzle<b,4,3> o ((8,m),(T,2k)):((WT,SBO),(1,T))
//
// with T elements in 16 bytes. The swizzle is of the address. In the last, the k beyond a line
// begin LBO behind it, which the B of a sparse product reads when lines are 32 bytes; neither
// source says so, but an H200 does it (tests/data/nvidia_probe.json.gz).
std::uint64_t canonical(const MatrixDescriptor& descriptor, const SharedTile& tile, int mn, int k) {
  constexpr int widths[] = {1, 2, 4, 8, 8};
  const auto number = [](int value) { return static_cast<std::uint64_t>(value); };
  const std::uint64_t bits = number(tile.bits), t = 128 / bits, row = number(mn),
                      column = number(k);
  const std::uint64_t w = number(widths[static_cast<int>(tile.swizzle)]);
  const std::uint64_t lbo = descriptor.leading_bytes * 8u, sbo = descriptor.stride_bytes * 8u;
  const bool none = tile.swizzle == Swizzle::none;
  const bool atom32 = tile.swizzle == Swizzle::bytes128_atom32;
  std::uint64_t offset = 0;
  if (tile.major == Major::k) {
    const std::uint64_t unit = column / t;
    offset =
        row % 8 * w * 128 + row / 8 * sbo + column % t * bits + unit % w * 128 + unit / w * lbo;
  } else {
    const std::uint64_t lines = atom32 ? 4 : 8;
    offset = row % t * bits + row / t % w * 128 + row / t / w * (none ? sbo : lbo) +
             column % lines * w * 128 + column / lines * (none ? lbo : sbo);
  }
  const std::uint64_t byte = descriptor.start_address + offset / 8;
  const int b = std::countr_zero(w);
  return (atom32 ? cute_swizzle(2, 5, 2, byte) : cute_swizzle(b, 4, 3, byte)) * 8 + offset % 8;
}

/// The bit offset of an element's lowest bit by the map.
std::uint64_t mapped(const LinearLayout& places, const SharedTile& tile, int mn, int k) {
  const auto row = static_cast<std::uint64_t>(mn), column = static_cast<std::uint64_t>(k);
  const auto at = tile.operand == Operand::a ? places.apply({{"m", row}, {"k", column}})
                                             : places.apply({{"n", row}, {"k", column}});
  return at->at("byte") * 8 + at->at("element") * static_cast<std::uint64_t>(tile.bits);
}

// An instruction reads 32 bytes of k, of the B of a sparse product 64, of all m or n of the tile;
// its descriptor points to any such part, and to any atom of m or n.
TEST(SharedOperand, MapsAreTheCanonicalLayoutsOfTheirDescriptors) {
  for_each_tile([](const SharedTile& tile) {
    const LinearLayout places = layout::pseudo_inverse(shared_operand_map(tile));
    constexpr std::uint32_t address = 0x8000;
    const bool k_major = tile.major == Major::k;
    const int mn_atom = k_major ? 8 : row(tile.swizzle).line_bytes * 8 / tile.bits;
    const int sample = tile.bits < 8 ? 5 : 1;  // of small elements some
    for (const int bytes : {32, 64}) {
      const int k_step = bytes * 8 / tile.bits;
      for (int k = 0; k + k_step <= tile.k; k += k_step) {
        if (!k_major && k % row(tile.swizzle).lines != 0) continue;
        for (int mn = 0; mn < tile.mn; mn += 3 * mn_atom) {
          const MatrixDescriptor descriptor = matrix_descriptor(tile, address, mn, k);
          EXPECT_EQ(descriptor.base_offset, 0u);
          EXPECT_EQ(descriptor.start_address % 16, 0u);
          for (int i = 0; mn + i < tile.mn; ++i)
            for (int j = 0; j < k_step; j += sample)
              ASSERT_EQ(canonical(descriptor, tile, i, j),
                        address * 8 + mapped(places, tile, mn + i, k + j))
                  << "part " << mn << " " << k << ", element " << i << " " << j;
        }
      }
    }
  });
}

// Law: every byte of a tile has one element, or all positions of its elements; none is left over.
TEST(SharedOperand, MapsAreOntoAndAnElementHasItsBytes) {
  for_each_tile([](const SharedTile& tile) {
    const LinearLayout map = shared_operand_map(tile);
    EXPECT_EQ(layout::rank(map), map.output_bits());
    const int bytes = std::max(1, tile.bits / 8);
    EXPECT_EQ(std::uint64_t{1} << (map.input_bits() - map.output_bits()),
              static_cast<std::uint64_t>(bytes));
    for (int byte = 1; byte < bytes; ++byte)
      EXPECT_EQ(map.apply({{"byte", static_cast<std::uint64_t>(byte)}})->at("k"), 0u);
  });
}

// PTX ISA 9.0, the examples of "Canonical Layouts".
struct Example {
  Major major;
  Swizzle swizzle;
  int bits, mn, k;
  int leading, stride;  // as encoded
};

TEST(MatrixDescriptor, StridesAreThoseOfTheDocumentsExamples) {
  for (const Example& example : {Example{Major::k, Swizzle::none, 32, 16, 16, 16, 8},
                                 Example{Major::k, Swizzle::bytes32, 32, 16, 8, 1, 16},
                                 Example{Major::mn, Swizzle::none, 16, 16, 16, 16, 8},
                                 Example{Major::mn, Swizzle::bytes32, 16, 32, 16, 16, 32},
                                 Example{Major::mn, Swizzle::bytes64, 16, 64, 16, 32, 64}}) {
    const SharedTile tile{.operand = Operand::a,
                          .mn = example.mn,
                          .k = example.k,
                          .bits = example.bits,
                          .major = example.major,
                          .swizzle = example.swizzle};
    const std::uint64_t word = encode(matrix_descriptor(tile, 0x400), DescriptorForm::sm_90);
    EXPECT_EQ(word & 0x3fff, 0x40u) << what(tile);
    EXPECT_EQ(word >> 16 & 0x3fff, static_cast<unsigned>(example.leading)) << what(tile);
    EXPECT_EQ(word >> 32 & 0x3fff, static_cast<unsigned>(example.stride)) << what(tile);
  }
}

// PTX ISA 9.0, "Matrix Descriptor Format" and "Shared memory descriptor".
TEST(MatrixDescriptor, SwizzleModesAreThoseOfTheDocuments) {
  const auto code = [](Swizzle swizzle, DescriptorForm form) {
    const std::uint64_t word = encode({.swizzle = swizzle}, form);
    return form == DescriptorForm::sm_90 ? word >> 62 : word >> 61;
  };
  EXPECT_EQ(code(Swizzle::none, DescriptorForm::sm_90), 0u);
  EXPECT_EQ(code(Swizzle::bytes128, DescriptorForm::sm_90), 1u);
  EXPECT_EQ(code(Swizzle::bytes64, DescriptorForm::sm_90), 2u);
  EXPECT_EQ(code(Swizzle::bytes32, DescriptorForm::sm_90), 3u);
  EXPECT_EQ(code(Swizzle::none, DescriptorForm::sm_100), 0u);
  EXPECT_EQ(code(Swizzle::bytes128_atom32, DescriptorForm::sm_100), 1u);
  EXPECT_EQ(code(Swizzle::bytes128, DescriptorForm::sm_100), 2u);
  EXPECT_EQ(code(Swizzle::bytes64, DescriptorForm::sm_100), 4u);
  EXPECT_EQ(code(Swizzle::bytes32, DescriptorForm::sm_100), 6u);
  EXPECT_EQ(encode({}, DescriptorForm::sm_90), 0u);
  EXPECT_EQ(encode({}, DescriptorForm::sm_100), std::uint64_t{1} << 46);
}

RC_GTEST_PROP(MatrixDescriptor, DecodeInvertsEncode, ()) {
  const auto form = *rc::gen::element(DescriptorForm::sm_90, DescriptorForm::sm_100);
  const auto bytes = [] { return *rc::gen::inRange<std::uint32_t>(0, 1 << 14) * 16; };
  MatrixDescriptor descriptor{.start_address = bytes(),
                              .leading_bytes = bytes(),
                              .stride_bytes = bytes(),
                              .base_offset = *rc::gen::inRange<std::uint32_t>(0, 8),
                              .swizzle = *rc::gen::element(Swizzle::none, Swizzle::bytes32,
                                                           Swizzle::bytes64, Swizzle::bytes128)};
  if (form == DescriptorForm::sm_100) descriptor.leading_is_address = *rc::gen::arbitrary<bool>();
  const auto back = decode(encode(descriptor, form), form);
  RC_ASSERT(back.has_value());
  RC_ASSERT(*back == descriptor);
}

// Any word either encodes what it decodes to, or is refused.
RC_GTEST_PROP(MatrixDescriptor, EncodeInvertsDecode, (std::uint64_t word)) {
  for (const auto form : {DescriptorForm::sm_90, DescriptorForm::sm_100})
    if (const auto descriptor = decode(word, form)) RC_ASSERT(encode(*descriptor, form) == word);
}

TEST(MatrixDescriptor, WordsThatAreNoneAreRefused) {
  EXPECT_FALSE(decode(std::uint64_t{1} << 14, DescriptorForm::sm_90));
  EXPECT_FALSE(decode(0, DescriptorForm::sm_100)) << "bits 46-48 are 1";
  for (const std::uint64_t invalid : {3, 5, 7})
    EXPECT_FALSE(decode(invalid << 61 | std::uint64_t{1} << 46, DescriptorForm::sm_100));
}

// "base offset = (pattern start addr >> 0x7) & 0x7" unless the pattern starts at its boundary.
TEST(MatrixDescriptor, BaseOffsetOfATileThatIsNotAligned) {
  SharedTile tile = swizzled;
  EXPECT_EQ(matrix_descriptor(tile, 0x1000).base_offset, 0u);
  EXPECT_EQ(matrix_descriptor(tile, 0x1080).base_offset, 1u);
  EXPECT_EQ(matrix_descriptor(tile, 0x1380).base_offset, 7u);
  tile.swizzle = Swizzle::bytes64;
  EXPECT_EQ(matrix_descriptor(tile, 0x1200).base_offset, 0u);
  EXPECT_EQ(matrix_descriptor(tile, 0x1100).base_offset, 2u);
  tile.swizzle = Swizzle::none;
  EXPECT_EQ(matrix_descriptor(tile, 0x1080).base_offset, 0u);
}

TEST(SharedOperand, TilesOfWgmma) {
  const Instruction& f16 =
      *find("wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16", Target::sm_90);
  const SharedTile b = shared_tile(*with_n(f16, 96), Operand::b, Major::k, Swizzle::bytes32);
  EXPECT_EQ(b.mn, 96);
  EXPECT_EQ(b.k, 16);
  EXPECT_EQ(b.bits, 16);
  EXPECT_EQ(shared_operand_map(b).output_size("n"), 128u);
  EXPECT_TRUE(may_be_shared(f16, Operand::a) && may_be_shared(f16, Operand::b));
  EXPECT_FALSE(may_be_shared(f16, Operand::d));
  EXPECT_TRUE(may_be_mn_major(f16, Operand::b, Swizzle::bytes64));
  const Instruction& sparse =
      *find("wgmma.mma_async.sp.sync.aligned.m64nNk64.f32.e4m3.e5m2", Target::sm_90);
  EXPECT_EQ(shared_tile(sparse, Operand::a, Major::k, Swizzle::none).k, 32);
  EXPECT_EQ(shared_tile(sparse, Operand::b, Major::k, Swizzle::none).k, 64);
  EXPECT_FALSE(may_be_mn_major(sparse, Operand::b, Swizzle::bytes64));
}

}  // namespace shared_operand_test
}  // namespace heddle::instruction
