#include "heddle/plan/mma_tiles.h"

#include <gtest/gtest.h>

namespace heddle::plan {
namespace {

using instruction::ElementType;
using instruction::Target;

MmaRequest request(ElementType type, std::int64_t m, std::int64_t n, std::int64_t k) {
  MmaRequest asked{.problem = {.m = m, .n = n, .k = k, .input = type}, .target = Target::sm_90};
  asked.multiply = asked.multiply_b = type;
  return asked;
}

TEST(MmaTiles, TheLargestInstructionIsFound) {
  const auto name = [](ElementType type) {
    return std::string(find_mma(request(type, 64, 64, 64))->name);
  };
  EXPECT_EQ(name(ElementType::f16), "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(name(ElementType::xf32), "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32");
  EXPECT_EQ(name(ElementType::i8), "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32");
  EXPECT_EQ(name(ElementType::f32), "fma.rn.f32");
  EXPECT_EQ(find_mma(request(ElementType::i4, 64, 64, 64)), nullptr);
}

TEST(MmaTiles, LargeProductsGetLargeBlocksAndSmallOnesMany) {
  std::string why;
  const MmaRequest large = request(ElementType::f16, 8192, 8192, 8192);
  const auto tiles = choose_tiles(large, *find_mma(large), why);
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->m * tiles->n, 128 * 256);
  const MmaRequest small = request(ElementType::f16, 256, 256, 8192);
  const auto few = choose_tiles(small, *find_mma(small), why);
  ASSERT_TRUE(few);
  EXPECT_LE(few->m * few->n, 64 * 64);
}

}  // namespace
}  // namespace heddle::plan
