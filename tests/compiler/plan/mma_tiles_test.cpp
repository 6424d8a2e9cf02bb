#include "compiler/plan/mma_tiles.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace heddle::plan {
namespace mma_tiles_test {

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

// A block alone on its multiprocessor takes thin tiles, many of them ahead, and tile after tile of
// D.
TEST(MmaTiles, BlocksThatFillAMultiprocessorTakeTileAfterTile) {
  std::string why;
  MmaRequest asked = request(ElementType::f16, 4096, 4096, 4096);
  const auto tiles = [&] { return choose_tiles(asked, *find_mma(asked), why).value(); };
  EXPECT_EQ(tiles().k, 32);
  EXPECT_EQ(tiles().stages, 6);
  EXPECT_EQ(tiles().blocks, 132);
  asked.problem.batch = 4;
  EXPECT_EQ(tiles().blocks, 33);
  asked.asked.k = 64;
  EXPECT_EQ(tiles().stages, 4);
  asked.asked.m = asked.asked.n = 128;  // two on a multiprocessor
  EXPECT_EQ(tiles().blocks, 32 * 32);
  asked.problem = {.m = 4096, .n = 4096, .k = 128, .input = ElementType::f16};
  asked.asked = {.k = 32, .stages = 6};
  EXPECT_EQ(tiles().blocks, 512);  // k ends before 5 tiles are copied
}

TEST(MmaTiles, NumbersOfBlocksThatCannotBeAreRefused) {
  std::string why;
  MmaRequest asked = request(ElementType::f16, 512, 512, 96);
  asked.asked = {.m = 128, .n = 256, .k = 32, .stages = 4};
  const auto error = [&](int blocks) {
    asked.asked.blocks = blocks;
    const auto tiles = choose_tiles(asked, *find_mma(asked), why);
    return tiles ? std::to_string(tiles->blocks) : tiles.error();
  };
  EXPECT_EQ(error(1), "1");
  EXPECT_EQ(error(8), "8");
  EXPECT_EQ(error(9), "9 blocks; accepted: 1 to 8, as many as D has tiles");
  EXPECT_EQ(error(-1), "-1 blocks; accepted: 1 to 8, as many as D has tiles");
  asked.problem.k = 95;
  EXPECT_EQ(error(8), "8");
  EXPECT_EQ(error(0), "8");
  EXPECT_EQ(
      error(7),
      "7 blocks; accepted: 8, one for each tile of D (fewer where split_k is 1 and k at least "
      "the 96 that are copied ahead)");
  asked.problem.dynamic = 1u << static_cast<unsigned>(Loop::m);
  EXPECT_EQ(error(0), "0");
  EXPECT_EQ(error(8), "8 blocks; accepted: none where sizes are dynamic: each tile of D has one");
}

// Whatever is asked for: tiles that fit a multiprocessor, or what would be right.
TEST(MmaTiles, WhatIsAskedForFitsOrIsRefused) {
  MmaRequest asked = request(ElementType::f16, 1000, 1000, 1000);
  const auto& mma = *find_mma(asked);
  std::mt19937 random(1);
  int made = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto draw = [&](auto... sizes) {
      const std::array all{sizes...};
      return all[random() % all.size()];
    };
    asked.asked = {.m = draw(0, 16, 64, 128, 256, 48, 65536),
                   .n = draw(0, 16, 64, 128, 256, 8, 65536),
                   .k = draw(0, 16, 32, 64, 128, 65536),
                   .warps_m = draw(0, 1, 2, 4, 65536),
                   .warps_n = draw(0, 1, 2, 4, 3),
                   .stages = draw(0, 2, 3, 4, 65536)};
    std::string why;
    const auto tiles = choose_tiles(asked, mma, why);
    if (!tiles) {
      EXPECT_NE(tiles.error().find("; accepted"), std::string::npos) << tiles.error();
      continue;
    }
    ++made;
    const int threads = tiles->threads();
    EXPECT_LE(threads, 1024);
    EXPECT_LE(std::int64_t{tiles->m} * tiles->n / threads, std::min(255, 65536 / threads));
    EXPECT_LE(std::int64_t{2} * (tiles->m + tiles->n) * tiles->k * tiles->stages,
              instruction::processor(Target::sm_90).shared_bytes);
    EXPECT_EQ(tiles->m % (tiles->warps_m * mma.m), 0);
    EXPECT_EQ(tiles->n % (tiles->warps_n * mma.n), 0);
  }
  EXPECT_GT(made, 300);
}

}  // namespace mma_tiles_test
}  // namespace heddle::plan
