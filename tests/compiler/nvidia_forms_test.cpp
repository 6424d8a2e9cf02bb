// Every form of a product by mma.sync, on the simulator of PTX: see product_run.h.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "product_run.h"

namespace heddle::compiler {
namespace nvidia_forms_test {

using instruction::Target;

constexpr std::array targets{Target::sm_80, Target::sm_90};

void expect_right(const ProductText& text, const Options& options) {
  EXPECT_EQ(difference(text, options), "") << instruction::name(options.target) << "\n"
                                           << text.mlir();
}

TEST(NvidiaForms, OperationsOnTheInputsAreRight) {
  for (const Target target : targets) {
    for (const char* type : {"f16", "bf16", "f32"}) {
      for (const Producer producer :
           {Producer::halved, Producer::from_bytes, Producer::from_floats}) {
        ProductText text{.m = 50, .n = 34, .k = 41, .a_type = type, .b_type = type};
        if (text.a_type == "f32" && producer == Producer::from_floats) continue;
        text.producer = producer;
        expect_right(text, {.target = target});
        text = {.m = 64, .n = 48, .k = 80, .a_type = type, .b_type = type};
        text.b_producer = producer;
        text.a_transposed = producer == Producer::halved;
        text.b_transposed = producer == Producer::from_bytes;
        expect_right(text, {.target = target});
        text.producer = producer;
        expect_right(text, {.target = target});
      }
    }
  }
}

// Zeros beyond the end of k stay zeros where the operation makes something else of 0.
TEST(NvidiaForms, OperationsOnBytesAreRight) {
  for (const Target target : targets) {
    for (const bool is_unsigned : {false, true}) {
      ProductText text{.m = 50, .n = 34, .k = 41, .a_type = "i8", .b_type = "i8"};
      text.sum_type = "i32";
      text.is_unsigned = is_unsigned;
      text.producer = text.b_producer = Producer::at_least_three;
      expect_right(text, {.target = target});
    }
  }
}

TEST(NvidiaForms, OperationsOnTheInputsOfF32InPartsAreRight) {
  for (const plan::F32Path path : {plan::F32Path::tf32, plan::F32Path::bf16x3}) {
    ProductText text{.m = 50, .n = 34, .k = 41, .a_type = "f32", .b_type = "f32"};
    text.producer = Producer::from_bytes;
    expect_right(text, {.target = Target::sm_80, .f32 = path});
  }
}

TEST(NvidiaForms, DynamicSizesAreRightWithOneKernel) {
  for (const unsigned dynamic : {1u, 2u, 4u, 7u, 15u}) {
    for (const std::int64_t k : {1, 16, 32, 33, 100, 512}) {
      ProductText text{.m = 42, .n = k % 16 == 0 ? 64 : 70, .k = k};
      text.batch = dynamic == 15 ? 2 : 0;
      text.dynamic = dynamic;
      text.b_transposed = dynamic == 7;
      text.producer = k == 32 || k == 33 ? Producer::from_bytes : Producer::none;
      expect_right(text, {.target = targets[k % 2]});
    }
  }
}

plan::Problem of_sizes(plan::Problem problem, std::int64_t m, std::int64_t n, std::int64_t k) {
  problem.m = m;
  problem.n = n;
  problem.k = k;
  return problem;
}

// Rows as long as the kernel is told, or apart by a constant; an offset that lets some be aligned,
// or none.
TEST(NvidiaForms, MemrefsOfDynamicSizesAreRight) {
  for (const Target target : targets) {
    for (const char* layout : {"", ", strided<[160, 1]>", ", strided<[160, 1], offset: 8>",
                               ", strided<[160, 1], offset: 3>", ", strided<[155, 1]>"}) {
      for (const std::int64_t k : {64, 70}) {
        const std::string a = "memref<?x?xf16" + std::string(layout) + ">";
        const std::string b = "memref<?x96xf16>", d = "memref<?x96xf32>";
        const Outcome done =
            run("func.func @f(%a: " + a + ", %b: " + b + ", %d: " + d +
                    ") {\n  linalg.matmul ins(%a, %b : " + a + ", " + b + ") outs(%d : " + d +
                    ")\n  return\n}\n",
                {.target = target}, Operands::uniform, 1,
                [&](const Compilation& kernel) { return of_sizes(kernel.problem, 42, 96, k); });
        ASSERT_EQ(done.error, "") << a;
        EXPECT_TRUE(judged(done).right()) << a << " " << k;
      }
    }
  }
}

TEST(NvidiaForms, EightBitFloatsAreRight) {
  for (const Target target : {Target::sm_80, Target::sm_90, Target::sm_90a})
    for (const std::string& type : small_floats) {
      const Options options{.target = target, .f8 = plan::F8Sums::exact};
      EXPECT_EQ(difference_of_codes(type, options), "") << instruction::name(target) << type;
      ProductText text{.m = 50, .n = 34, .k = 40};
      text.producer = Producer::from_small_floats;
      text.b_type = type;
      expect_right(text, {.target = target});
    }
}

// Of a sum of nothing the initial value is left, and no element of A or B is read.
TEST(NvidiaForms, NothingToSumIsRight) {
  for (const Producer producer : {Producer::none, Producer::halved}) {
    ProductText text{.m = 42, .n = 64, .k = 0};
    text.dynamic = 7;
    text.accumulates = true;
    text.producer = producer;
    expect_right(text, {.target = Target::sm_80});
  }
}

// One kernel of static rows, so many that each of its tiles is a whole one, and of any number of
// columns and batches.
TEST(NvidiaForms, PlansOfDynamicSizesAreRight) {
  for (const int stages : {2, 3, 5}) {
    ProductText text{.m = 128, .n = 100, .k = 264};
    text.dynamic = 6;
    const PlanFields fields{.block_m = 64, .block_n = 64, .block_k = 32, .stages = stages};
    expect_right(text, {.target = Target::sm_90, .plan = fields});
    text.n = 104;
    expect_right(text, {.target = Target::sm_90, .plan = fields});
  }
}

// Copies through registers for the next tile of D begin while one is multiplied.
TEST(NvidiaForms, BlocksThatComputeSeveralTilesAreRight) {
  for (const int blocks : {1, 4}) {
    for (const std::int64_t n : {133, 136}) {
      ProductText text{.m = 72, .n = n, .k = 105};
      PlanFields fields{.block_m = 32, .block_n = 64, .block_k = 32, .stages = 3, .group = 2};
      fields.blocks = blocks;
      expect_right(text, {.target = Target::sm_90, .plan = fields});  // rows are not aligned
      text.producer = Producer::from_bytes;
      text.b_producer = Producer::halved;
      text.b_transposed = n == 136;
      expect_right(text, {.target = Target::sm_80, .plan = fields});
    }
  }
}

int splits_of(const Compilation& kernel) {
  return std::get<plan::MmaPlan>(kernel.plan).tiles.split_k;
}

TEST(NvidiaForms, AFewTilesOfADeepProductAreShared) {
  for (const Target target : targets) {
    for (const char* type : {"f16", "f32", "i8", "i32"}) {
      ProductText text{.m = 42, .n = 70, .k = 1000, .a_type = type, .b_type = type};
      if (text.a_type.starts_with("i")) text.sum_type = "i32";
      text.batch = text.a_type == "f16" ? 2 : 0;
      text.accumulates = text.a_type == "f32";
      text.b_transposed = text.a_type == "i8";
      text.producer = text.a_type == "f16" ? Producer::from_bytes : Producer::none;
      text.epilogue = Epilogue::bias_relu;
      const auto kernel = compile(text.mlir(), "test.mlir", {.target = target}, Stage::plan);
      ASSERT_TRUE(kernel.has_value());
      EXPECT_GT(splits_of(*kernel), 1) << text.a_type;
      EXPECT_EQ(kernel->choices.back().what, "split k");
      expect_right(text, {.target = target});
      // Each type is split in every number of parts, each target has each of them.
      const bool is_first = (target == Target::sm_80) == (type[0] == 'f');
      for (const int splits : is_first ? std::array{1, 4} : std::array{2, 8})
        expect_right(text,
                     {.target = target,
                      .plan = {.block_m = 32, .block_n = 32, .block_k = 64, .split_k = splits}});
    }
  }
}

// The last part is as long as the others, shorter, or less than a tile.
TEST(NvidiaForms, PartsOfEveryLengthAreRight) {
  for (const std::int64_t k : {256, 230, 200, 193, 129}) {
    ProductText text{.m = 20, .n = 36, .k = k};
    text.a_transposed = k == 200;
    for (const int stages : {2, 4})
      expect_right(text, {.target = Target::sm_90,
                          .plan = {.block_m = 32,
                                   .block_n = 32,
                                   .block_k = 32,
                                   .stages = stages,
                                   .split_k = k < 200 ? 2 : 4}});
  }
}

TEST(NvidiaForms, InitialConstantsAreAddedOnce) {
  const std::string mlir =
      "func.func @f(%a: memref<16x512xf16>, %b: memref<512x16xf16>, %d: memref<16x16xf32>) {\n"
      "  %c = arith.constant 2.0 : f32\n"
      "  linalg.fill ins(%c : f32) outs(%d : memref<16x16xf32>)\n"
      "  linalg.matmul ins(%a, %b : memref<16x512xf16>, memref<512x16xf16>) "
      "outs(%d : memref<16x16xf32>)\n  return\n}\n";
  const Outcome done = run(mlir, {.target = Target::sm_80, .plan = {.split_k = 4}}, Operands::exact,
                           1, [](const Compilation& kernel) { return kernel.problem; });
  ASSERT_EQ(done.error, "");
  EXPECT_EQ(splits_of(done.kernel), 4);
  EXPECT_TRUE(judged(done).right());
}

TEST(NvidiaForms, SplitsThatCannotBeAreRefused) {
  ProductText text{.m = 64, .n = 64, .k = 256};
  const auto refused = [&](int splits) {
    const Options options{.target = Target::sm_80, .plan = {.block_k = 32, .split_k = splits}};
    const auto compiled = compile(text.mlir(), "test.mlir", options, Stage::plan);
    return compiled ? "" : compiled.error();
  };
  EXPECT_EQ(refused(8), "");
  EXPECT_EQ(refused(3),
            "test.mlir:1:1: error: a split of k in 3; accepted: powers of two, up to 8 "
            "here\n");
  EXPECT_EQ(refused(16),
            "test.mlir:1:1: error: a split of k in 16; accepted: powers of two, up to "
            "8 here\n");
  text.dynamic = 1;
  EXPECT_EQ(refused(2),
            "test.mlir:1:1: error: a split of k in 2; accepted: 1, since sizes are dynamic\n");
}

// To the last bit, and by the judge: one kernel runs twice.
void expect_random_products_right(Target target) {
  const ProductText text = any_product();
  Options options{.target = target};
  if (text.dynamic == 0 && text.k > 128) options.plan.split_k = *rc::gen::element(0, 1, 2);
  if (text.a_type == "f32")
    options.f32 = *rc::gen::element(plan::F32Path::exact, plan::F32Path::bf16x3,
                                    plan::F32Path::tf32, plan::F32Path::tf32_cut);
  RC_LOG() << instruction::name(target) << ", " << options.plan.split_k << "\n" << text.mlir();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  if (options.f32 == plan::F32Path::exact) RC_ASSERT(difference(text, options, seed) == "");
  const Outcome done = run(text, options, Operands::uniform, seed);
  RC_ASSERT(done.error == "");
  RC_ASSERT(judged(done).right());
}

// LLVM has no floats of 8 bits: what the epilogue reads of them comes as bits.
TEST(NvidiaForms, SmallFloatsAreAddedToTheResult) {
  for (const std::string& type : small_floats) {
    const std::string text =
        "#id = affine_map<(i, j) -> (i, j)>\n"
        "func.func @add(%a: tensor<32x40xf16>, %b: tensor<40x48xf16>, %m: tensor<32x48x" +
        type +
        ">, %c: tensor<32x48xf32>) -> tensor<32x48xf32> {\n"
        "  %r = linalg.matmul ins(%a, %b : tensor<32x40xf16>, tensor<40x48xf16>)\n"
        "    outs(%c : tensor<32x48xf32>) -> tensor<32x48xf32>\n"
        "  %x = linalg.generic {indexing_maps = [#id, #id, #id],\n"
        "    iterator_types = [\"parallel\", \"parallel\"]}\n"
        "    ins(%m, %r : tensor<32x48x" +
        type +
        ">, tensor<32x48xf32>)\n"
        "    outs(%c : tensor<32x48xf32>) {\n"
        "  ^bb0(%in: " +
        type +
        ", %k: f32, %o: f32):\n"
        "    %w = arith.extf %in : " +
        type +
        " to f32\n"
        "    %s = arith.addf %w, %k : f32\n"
        "    linalg.yield %s : f32\n"
        "  } -> tensor<32x48xf32>\n"
        "  return %x : tensor<32x48xf32>\n}\n";
    for (const Target target : {Target::sm_80, Target::sm_90a}) {
      const Outcome done = run(text, {.target = target}, Operands::uniform, 5,
                               [](const Compilation& kernel) { return kernel.problem; });
      ASSERT_EQ(done.error, "") << type << instruction::name(target);
      EXPECT_TRUE(judged(done).right()) << type << instruction::name(target);
    }
  }
}

RC_GTEST_PROP(NvidiaForms, RandomProductsAreRightOnSm80, ()) {
  expect_random_products_right(Target::sm_80);
}

RC_GTEST_PROP(NvidiaForms, RandomProductsAreRightOnSm90, ()) {
  expect_random_products_right(Target::sm_90);
}

}  // namespace nvidia_forms_test
}  // namespace heddle::compiler
