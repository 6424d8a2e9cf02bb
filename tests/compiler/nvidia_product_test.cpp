// Kernels for mma.sync on the simulator of PTX, against a reference that the test computes itself,
// to the last bit: operands are multiples of 1/8, whose sums are exact in every type that sums.
#include <gtest/gtest.h>

#include "product_run.h"

namespace heddle::compiler {
namespace nvidia_product_test {

using instruction::Target;

constexpr std::array targets{Target::sm_80, Target::sm_90};

void expect_right(const ProductText& text, const Options& options) {
  EXPECT_EQ(difference(text, options), "") << instruction::name(options.target) << "\n"
                                           << text.mlir();
}

TEST(NvidiaProduct, EveryShapeIsRight) {
  for (const Target target : targets) {
    for (const auto& [m, n, k] :
         {std::array{1, 1, 1}, std::array{42, 64, 32}, std::array{129, 257, 65},
          std::array{64, 64, 200}, std::array{70, 36, 132}, std::array{33, 18, 94}}) {
      ProductText text{.m = m, .n = n, .k = k};
      text.style = Style::named;
      expect_right(text, {.target = target});
    }
  }
}

TEST(NvidiaProduct, EveryTypeAndTransposeIsRight) {
  for (const char* type : {"f16", "bf16", "f32", "i8", "f8E4M3FN", "f8E5M2"}) {
    for (const unsigned form : {0u, 1u, 2u, 3u}) {
      ProductText text{.m = 48, .n = 80, .k = 96, .a_type = type, .b_type = type};
      if (text.a_type == "i8") text.sum_type = "i32";
      text.a_transposed = (form & 1) != 0;
      text.b_transposed = (form & 2) != 0;
      const bool small = text.a_type.starts_with("f8");
      expect_right(text, {.target = small ? Target::sm_89 : targets[form % 2]});
      text.m = 35, text.n = 23, text.k = 71;
      text.accumulates = form == 1;
      expect_right(text, {.target = small ? Target::sm_90 : targets[1 - form % 2]});
    }
  }
}

TEST(NvidiaProduct, F32InPartsIsRight) {
  for (const Target target : targets) {
    ProductText text{.m = 70, .n = 40, .k = 52, .a_type = "f32", .b_type = "f32"};
    expect_right(text, {.target = target, .f32 = plan::F32Path::tf32});
    expect_right(text, {.target = target, .f32 = plan::F32Path::bf16x3});
    text.b_transposed = true;
    expect_right(text, {.target = target, .f32 = plan::F32Path::tf32});
  }
}

TEST(NvidiaProduct, BatchesAndEpiloguesAreRight) {
  for (const Target target : targets) {
    ProductText text{.m = 33, .n = 40, .k = 48, .batch = 3};
    expect_right(text, {.target = target});
    for (const Epilogue epilogue :
         {Epilogue::relu, Epilogue::bias_relu, Epilogue::scale_residual, Epilogue::narrowed}) {
      text.epilogue = epilogue;
      expect_right(text, {.target = target});
    }
  }
}

// Rows that are aligned to 16 bytes but end inside a copy: cp.async fills the rest with zeros.
TEST(NvidiaProduct, PartsOfMatricesAreRight) {
  for (const Target target : targets) {
    const std::string a = "memref<42x37xf16, strided<[40, 1], offset: 8>>";
    const std::string b = "memref<37x51xf16, strided<[56, 1]>>";
    const std::string d = "memref<42x51xf32, strided<[64, 1], offset: 1>>";
    const Outcome done = run("func.func @f(%a: " + a + ", %b: " + b + ", %d: " + d +
                                 ") {\n linalg.matmul ins(%a, %b : " + a + ", " + b +
                                 ") outs(%d : " + d + ")\n return }",
                             {.target = target}, Operands::exact, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right()) << instruction::name(target);
  }
}

// The tiles that are fast on large products, on one that has edges.
TEST(NvidiaProduct, EveryPlanIsRight) {
  for (const auto& [m, n, k, warps_m, warps_n, stages] :
       {std::array{128, 256, 64, 2, 4, 4}, std::array{256, 128, 32, 4, 2, 4},
        std::array{128, 128, 64, 2, 2, 3}, std::array{64, 64, 32, 2, 2, 2}}) {
    ProductText text{.m = 136, .n = 264, .k = 168};
    const PlanFields fields{.block_m = m,
                            .block_n = n,
                            .block_k = k,
                            .warps_m = warps_m,
                            .warps_n = warps_n,
                            .stages = stages,
                            .group = 3};
    expect_right(text, {.target = Target::sm_90, .plan = fields});
  }
}

// Blocks that compute several tiles of D one after the other.
TEST(NvidiaProduct, EveryNumberOfBlocksIsRight) {
  for (const auto& [k, stages, blocks] :
       {std::array{96, 4, 1}, std::array{104, 4, 1}, std::array{200, 3, 2}, std::array{64, 2, 4},
        std::array{72, 2, 5}, std::array{256, 8, 7}}) {
    ProductText text{.m = 72, .n = 136, .k = k};
    PlanFields fields{.block_m = 32, .block_n = 64, .block_k = 32, .stages = stages, .group = 2};
    fields.blocks = blocks;
    for (const Target target : targets) expect_right(text, {.target = target, .plan = fields});
    text.a_transposed = true;
    text.n = 133;
    text.accumulates = true;
    expect_right(text, {.target = Target::sm_80, .plan = fields});
    text.batch = 2;
    text.a_type = text.b_type = "f32";
    expect_right(text, {.target = Target::sm_90, .plan = fields});
  }
}

// Rows of D that begin at an odd element are stored one element at a time, others in 16 bytes, of
// which lanes exchange a part.
TEST(NvidiaProduct, StoresAreAsWideAsRowsAreAligned) {
  const auto ptx = [](const std::string& layout) {
    const std::string d = "memref<64x64xf32, strided<[64, 1], offset: " + layout + ">>";
    const auto compiled = compile(
        "func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: " + d +
            ") {\n linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : " +
            d + ")\n return }",
        "test.mlir", {.target = Target::sm_80}, Stage::assembly);
    return compiled ? compiled->text : compiled.error();
  };
  EXPECT_NE(ptx("4").find("st.global.v4"), std::string::npos) << ptx("4");
  EXPECT_NE(ptx("2").find("st.global.v2"), std::string::npos) << ptx("2");
  EXPECT_EQ(ptx("2").find("st.global.v4"), std::string::npos);
  EXPECT_EQ(ptx("3").find("st.global.v2"), std::string::npos);
  EXPECT_NE(ptx("3").find("st.global"), std::string::npos) << ptx("3");
}

TEST(NvidiaProduct, PtxIsTheObject) {
  const ProductText text;
  const auto assembly =
      compile(text.mlir(), "test.mlir", {.target = Target::sm_80}, Stage::assembly);
  const auto object = compile(text.mlir(), "test.mlir", {.target = Target::sm_80}, Stage::object);
  ASSERT_TRUE(assembly && object);
  EXPECT_EQ(assembly->text, std::string(object->object.begin(), object->object.end()));
  EXPECT_NE(assembly->text.find(".target sm_80"), std::string::npos);
}

TEST(NvidiaProduct, PlansThatCannotBeAreRefused) {
  const ProductText text;
  for (const PlanFields& fields :
       {PlanFields{.block_m = 48, .block_n = 64}, PlanFields{.stages = 9},
        PlanFields{.block_m = 256, .block_n = 256, .block_k = 256},
        PlanFields{.block_m = 16, .block_n = 16, .warps_m = 4}}) {
    const auto refused =
        compile(text.mlir(), "test.mlir", {.target = Target::sm_80, .plan = fields}, Stage::plan);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().starts_with("test.mlir:1:1: error: ")) << refused.error();
  }
}

}  // namespace nvidia_product_test
}  // namespace heddle::compiler
