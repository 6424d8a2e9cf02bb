// Products whose tiles are copied straight to LDS, on gfx950 and gfx1250: see product_run.h.
#include <gtest/gtest.h>

#include "product_run.h"

namespace heddle::compiler {
namespace copied_tiles_test {

using instruction::Target;

bool copies_both(const plan::MatmulPlan& plan) { return plan.a.is_copied() && plan.b.is_copied(); }

bool is_copied(const ProductText& text, Target target, const PlanFields& fields) {
  const auto kernel =
      compile(text.mlir(), "test.mlir", {.target = target, .plan = fields}, Stage::plan);
  return kernel.has_value() && copies_both(std::get<plan::MatmulPlan>(kernel->plan));
}

// Tiles of gfx950 that are copied straight to LDS: whatever lies along k or does not, ends of k
// inside and at the end of a tile, rows that do not fill one, and as many tiles as LDS has. Each
// type in each form has every second k, and the next one the others.
TEST(CopiedTiles, CopiedTilesAreRight) {
  int number = 0, tried = 0;
  for (const char* type : {"f16", "bf16", "f8E4M3FN", "i8", "f32"}) {
    const bool is_byte = std::string(type) == "i8";
    for (const int form : {0, 1, 2, 3}) {
      for (const std::int64_t k : {16, 32, 64, 80, 144, 320}) {
        ProductText text{.m = 80, .n = 144, .k = k, .a_type = type, .b_type = type};
        if (is_byte) text.sum_type = "i32";
        text.a_transposed = (form & 1) != 0;
        text.b_transposed = (form & 2) != 0;
        text.batch = number % 3 == 0 ? 2 : 0;
        text.accumulates = number % 2 == 0;
        if (!is_byte && number % 4 == 1) text.epilogue = Epilogue::bias_relu;
        const PlanFields fields{.stages = number % 5};
        const int row = number++ / 6;
        if ((row + row / 4 + k / 16) % 2 == 0) continue;
        EXPECT_EQ(difference(text, {.target = Target::gfx950, .plan = fields}), "") << text.mlir();
        tried += is_copied(text, Target::gfx950, fields) ? 1 : 0;
      }
    }
  }
  EXPECT_GE(tried, 50);
}

// Tiles of gfx1250 that descriptors copy: rows may begin anywhere. As above, each type in each form
// has every second k.
TEST(CopiedTiles, DescribedTilesAreRight) {
  int number = 0, tried = 0, row = 0;
  for (const std::string type : {"f16", "bf16", "f8E4M3FN", "i8", "f32", "f64", "i64"}) {
    const bool is_byte = type == "i8", is_wide = type.ends_with("64");
    for (const int form : {0, 1, 2, 3}) {
      ++row;
      for (const std::int64_t k : {1, 64, 81, 330}) {
        if (is_wide && k > 64) continue;
        ProductText text{.m = 81, .n = 67 + 2 * k % 128, .k = k, .a_type = type, .b_type = type};
        if (is_byte) text.sum_type = "i32";
        if (is_wide) text.sum_type = type;
        text.a_transposed = (form & 1) != 0;
        text.b_transposed = (form & 2) != 0;
        text.batch = number % 3 == 0 ? 2 : 0;
        text.accumulates = number % 2 == 0;
        if (number % 4 == 3) text.dynamic = 7;
        if (!is_byte && !is_wide && number % 4 == 1) text.epilogue = Epilogue::bias_relu;
        const PlanFields fields{.stages = number % 5};
        if ((number++ + row + row / 4) % 2 == 0) continue;
        const bool copied = is_copied(text, Target::gfx1250, fields);
        if (!copied && fields.stages > 2) continue;
        EXPECT_EQ(difference(text, {.target = Target::gfx1250, .plan = fields}), "") << text.mlir();
        tried += copied ? 1 : 0;
      }
    }
  }
  EXPECT_GE(tried, 30);
}

// One operand is computed on its way, or a plan file sends it through registers; the other goes
// straight to LDS: ends of k, parts of it, sizes that the kernel learns, and as many tiles as LDS
// has.
TEST(CopiedTiles, CopiedTilesBesideRegistersAreRight) {
  int number = 0, tried = 0;
  const auto expect_mixed = [&](const ProductText& text, const Options& options) {
    EXPECT_EQ(difference(text, options), "")
        << instruction::name(options.target) << " " << options.plan.copies << "\n"
        << text.mlir();
    const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::plan);
    ASSERT_TRUE(kernel.has_value());
    const auto is_mixed = [](const Compilation& one) {
      const auto& plan = std::get<plan::MatmulPlan>(one.plan);
      return plan.a.is_copied() != plan.b.is_copied();
    };
    tried += is_mixed(*kernel) || std::ranges::any_of(kernel->variants, is_mixed) ? 1 : 0;
  };
  for (const Target target : {Target::gfx950, Target::gfx1250}) {
    for (const int form : {0, 1, 2, 3}) {
      for (const std::int64_t k : {16, 64, 80, 144, 352}) {
        ProductText text{.m = 80, .n = 144, .k = k};
        text.a_transposed = (form & 1) != 0;
        text.b_transposed = (form & 2) != 0;
        (number % 2 == 0 ? text.producer : text.b_producer) =
            number % 3 == 0 ? Producer::dequantised : Producer::from_floats;
        text.accumulates = number % 4 == 3;
        if (number % 5 == 4) text.dynamic = 7;
        if (number % 4 == 1) text.epilogue = Epilogue::bias_relu;
        const PlanFields fields{.stages = text.dynamic == 0 ? number % 5 : 0};
        expect_mixed(text, {.target = target, .plan = fields});
        ++number;
        if (form > 1) continue;  // that of form - 2 again
        const ProductText plain{.m = 80, .n = 144, .k = k, .dynamic = text.dynamic};
        const char* copies = number % 2 == 0 ? "direct, registers" : "registers, direct";
        expect_mixed(plain, {.target = target, .plan = {.copies = copies}});
      }
    }
    ProductText parts{.m = 48, .n = 80, .k = 1040};
    parts.producer = Producer::from_floats;
    parts.epilogue = Epilogue::bias_relu;
    for (const int stages : {1, 2, 3})
      expect_mixed(parts, {.target = target, .plan = {.stages = stages, .split_k = 2}});
  }
  EXPECT_GE(tried, 60);
}

// Asynchronous loads of gfx1250, which no buffer keeps inside a matrix: edges along every loop,
// pieces of 4, 8 and 16 bytes, batches, sizes that the kernel learns, and parts of k.
TEST(CopiedTiles, AsynchronousCopiesAreRight) {
  int number = 0, tried = 0;
  const auto expect_async = [&](const ProductText& text, PlanFields fields) {
    for (const char* copies : {"async", "async, registers", "registers, async"}) {
      fields.copies = copies;
      const Options options{.target = Target::gfx1250, .plan = fields};
      const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::plan);
      if (!kernel) continue;
      EXPECT_EQ(difference(text, options), "") << copies << "\n" << text.mlir();
      const auto& plan = std::get<plan::MatmulPlan>(kernel->plan);
      tried += plan.a.copies == plan::Copies::pieces || plan.b.copies == plan::Copies::pieces;
    }
  };
  for (const char* type : {"f16", "f8E4M3FN", "f32"}) {
    for (const int form : {0, 1, 2, 3}) {
      for (const std::int64_t k : {16, 50, 84, 200}) {
        ProductText text{.m = 68, .n = 100 + 2 * (k % 4), .k = k, .a_type = type, .b_type = type};
        text.a_transposed = (form & 1) != 0;
        text.b_transposed = (form & 2) != 0;
        text.batch = number % 3 == 0 ? 2 : 0;
        text.accumulates = number % 2 == 0;
        const int row = number / 4;  // of which each has every second k
        ++number;
        if ((number / 2 + row + row / 4) % 2 == 0) expect_async(text, {.stages = number / 2 % 4});
      }
    }
  }
  EXPECT_GE(tried, 40);
  for (const std::int64_t k : {16, 64, 208}) {
    ProductText text{.m = 48, .n = 160, .k = k};
    text.dynamic = 7;
    expect_async(text, {});
  }
  const ProductText parts{.m = 48, .n = 80, .k = 1040};
  expect_async(parts, {.split_k = 2});
}

TEST(CopiedTiles, CopiedTilesOfAnySizesAndPartsAreRight) {
  int number = 0;
  for (const Target target : {Target::gfx950, Target::gfx1250}) {
    for (const char* type : {"f16", "f8E5M2"}) {
      for (const bool transposed : {false, true}) {
        for (const std::int64_t k : {16, 64, 208}) {
          ProductText text{.m = 48, .n = 160, .k = k, .a_type = type, .b_type = type};
          text.b_transposed = transposed;
          text.dynamic = 7;
          EXPECT_EQ(difference(text, {.target = target}), "") << text.mlir();
        }
        // Fewer tiles of k than are on their way, as many, and more. The kernel for any sizes,
        // which copies none on gfx950, takes one or two stages.
        const int most_stages = target == Target::gfx950 ? 3 : 5;
        for (const std::int64_t k : {16, 32, 48, 64, 96, 112, 144, 272}) {
          ProductText text{.m = 48, .n = 48, .k = k, .a_type = type, .b_type = type};
          text.b_transposed = transposed;
          text.dynamic = 4;
          const PlanFields fields{.stages = number++ % most_stages};
          EXPECT_EQ(difference(text, {.target = target, .plan = fields}), "") << text.mlir();
        }
        ProductText parts{.m = 48, .n = 80, .k = 1040, .a_type = type, .b_type = type};
        parts.b_transposed = transposed;
        parts.epilogue = Epilogue::bias_relu;
        EXPECT_EQ(difference(parts, {.target = target, .plan = {.split_k = 2}}), "")
            << parts.mlir();
        // Of three steps one part has one: fewer tiles than are on their way.
        const int step = std::string(type) == "f16" ? 64 : 128;
        ProductText short_part{.m = 64, .n = 64, .k = 3 * step, .a_type = type, .b_type = type};
        short_part.a_transposed = true;
        short_part.b_transposed = transposed;
        const PlanFields two{.block_m = 64, .block_n = 64, .block_k = step, .split_k = 2};
        EXPECT_EQ(difference(short_part, {.target = target, .plan = two}), "") << short_part.mlir();
      }
    }
  }
}

// Tiles of A and B that together are larger than an immediate offset reaches.
TEST(CopiedTiles, CopiedTilesOfMoreThan64KibibytesAreRight) {
  for (const int stages : {1, 2}) {
    const ProductText text{.m = 256, .n = 256, .k = 192};
    const PlanFields fields{
        .block_m = 256, .block_n = 256, .block_k = 64, .stages = stages, .schedule = "together"};
    EXPECT_TRUE(is_copied(text, Target::gfx950, fields));
    EXPECT_EQ(difference(text, {.target = Target::gfx950, .plan = fields}), "") << stages;
  }
}

}  // namespace copied_tiles_test
}  // namespace heddle::compiler
