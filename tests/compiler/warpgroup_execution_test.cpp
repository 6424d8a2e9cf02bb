// Products compiled for wgmma and the tensor memory accelerator, on the simulator of PTX, to the
// last bit and for the float64 judge: every form that these kernels take, at the edges of tiles and
// beyond them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>

#include "product_run.h"

namespace heddle::compiler {
namespace warpgroup_execution_test {

using instruction::Target;

// What is wrong with the outcome, or nothing.
std::string fault_of(const Outcome& done) {
  if (!done.error.empty()) return done.error;
  if (!std::holds_alternative<plan::WarpgroupPlan>(done.kernel.plan))
    return "not planned for wgmma";
  const auto check = judged(done);
  if (check.right()) return {};
  return std::to_string(check.wrong) + " of " + std::to_string(check.elements) +
         " elements are wrong, worst row " + std::to_string(check.worst_row) + " column " +
         std::to_string(check.worst_column) + ": " + std::to_string(check.worst_value) + ", not " +
         std::to_string(check.worst_reference);
}

std::string fault_of(const ProductText& text, Options options = {}, std::uint64_t seed = 7) {
  options.target = Target::sm_90a;
  const Outcome done = run(text, options, Operands::uniform, seed);
  if (std::string fault = fault_of(done); !fault.empty()) return fault;
  if (text.sum_type == "f16" || text.sum_type == "bf16") return {};  // the reference rounds once
  const Outcome exact = run(text, options, Operands::exact, seed);
  return exact.error.empty() ? difference(exact, text.reference(arguments(exact))) : exact.error;
}

TEST(WarpgroupExecution, HalfInputsInEveryOrder) {
  for (const char* type : {"f16", "bf16"}) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        ProductText text{.m = 136, .n = 72, .k = 88};
        text.a_type = text.b_type = type;
        text.a_transposed = a_transposed;
        text.b_transposed = b_transposed;
        EXPECT_EQ(fault_of(text), "") << text.mlir();
      }
    }
  }
}

TEST(WarpgroupExecution, SeveralRoundsOfStagesAndTiles) {
  // More k than the ring has stages; tiles that end inside D; a cluster with one row of tiles left.
  Options options;
  options.plan = {.block_m = 64, .block_n = 64, .stages = 2};
  EXPECT_EQ(fault_of(ProductText{.m = 200, .n = 200, .k = 328}, options), "");
  options.plan = {.block_m = 128, .block_n = 128, .stages = 2, .group = 1};
  EXPECT_EQ(fault_of(ProductText{.m = 264, .n = 136, .k = 200}, options), "");
}

// Columns of a block that are no multiple of a piece of D, nor of a line of B: the last piece is
// stored over the one before.
TEST(WarpgroupExecution, BlocksOfSixteenColumns) {
  for (const int block_n : {80, 208}) {
    for (const bool b_transposed : {false, true}) {
      Options options;
      options.plan = {.block_m = 128, .block_n = block_n, .consumers = 2};
      ProductText text{.m = 136, .n = 440, .k = 136};
      text.b_transposed = b_transposed;
      text.accumulates = b_transposed;
      EXPECT_EQ(fault_of(text, options), "") << block_n << text.mlir();
      ProductText narrow{.m = 72, .n = 440, .k = 72};
      narrow.b_transposed = b_transposed;
      narrow.epilogue = Epilogue::narrowed;
      narrow.accumulates = b_transposed;
      EXPECT_EQ(fault_of(narrow, options), "") << block_n << narrow.mlir();
      narrow.n = 437;  // D from registers
      narrow.b_transposed = true;
      EXPECT_EQ(fault_of(narrow, options), "") << block_n << narrow.mlir();
    }
  }
  Options options;
  options.plan = {.block_m = 256, .block_n = 112, .cluster_m = 2};
  EXPECT_EQ(fault_of(ProductText{.m = 520, .n = 232, .k = 200}, options), "");
  options.plan = {.block_m = 192, .block_n = 96, .consumers = 3};
  ProductText bytes{.m = 200, .n = 200, .k = 160};
  bytes.b_transposed = true;
  bytes.a_type = bytes.b_type = "i8";
  bytes.sum_type = "i32";
  EXPECT_EQ(fault_of(bytes, options), "");
}

// An odd number of eight columns, of D in pieces and from registers.
TEST(WarpgroupExecution, BlocksOfEightColumns) {
  for (const bool b_transposed : {false, true}) {
    Options options;
    options.plan = {.block_m = 128, .block_n = 136, .computes = "D"};
    ProductText text{.m = 136, .n = 440, .k = 136};
    text.b_transposed = b_transposed;
    EXPECT_EQ(fault_of(text, options), "") << text.mlir();
    text.epilogue = Epilogue::narrowed;
    EXPECT_EQ(fault_of(text, options), "") << text.mlir();
    text.n = 437;  // D from registers, an odd number of eight columns
    text.b_transposed = true;
    EXPECT_EQ(fault_of(text, options), "") << text.mlir();
  }
}

// With A and B exchanged, the kernel computes D transposed and stores it in columns of 128 bytes.
// Tried at every edge, with an input for each row or column, with batches, parts of k and clusters,
// and with results that are stored from registers.
TEST(WarpgroupExecution, TheTransposedProduct) {
  const auto planned = [](PlanFields fields) {
    Options options;
    fields.computes = "D^T";
    options.plan = fields;
    return options;
  };
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      ProductText text{.m = 136, .n = 72, .k = 88};
      text.a_transposed = a_transposed;
      text.b_transposed = b_transposed;
      EXPECT_EQ(fault_of(text, planned({})), "") << text.mlir();
      text.epilogue = Epilogue::narrowed;
      EXPECT_EQ(fault_of(text, planned({})), "") << text.mlir();
    }
  }
  ProductText text{.m = 440, .n = 200, .k = 136};
  text.epilogue = Epilogue::narrowed;
  EXPECT_EQ(fault_of(text, planned({.block_m = 128, .block_n = 104})), "");
  EXPECT_EQ(fault_of(text, planned({.block_m = 256, .block_n = 128, .cluster_n = 2})), "");
  EXPECT_EQ(fault_of(text, planned({.block_m = 192, .block_n = 64, .cluster_m = 2})), "");
  EXPECT_EQ(fault_of(text, planned({.block_m = 64, .block_n = 64, .split_k = 2})), "");
  text.epilogue = Epilogue::bias_relu;
  EXPECT_EQ(fault_of(text, planned({.block_m = 128, .block_n = 80})), "");
  text.batch = 3;
  text.epilogue = Epilogue::narrowed;
  EXPECT_EQ(fault_of(text, planned({.block_m = 128, .block_n = 80})), "");
  text.accumulates = true;
  EXPECT_EQ(fault_of(text, planned({.block_m = 128, .block_n = 80})), "");
}

// What the planner decides by itself: a row-major B, whose blocks have whole lines else, and the
// largest blocks of operands that lie along k.
TEST(WarpgroupExecution, WhichProductIsComputed) {
  const auto is_transposed = [](ProductText text) {
    const auto made = compile(text.mlir(), "a.mlir", {.target = Target::sm_90a}, Stage::plan);
    return std::get<plan::WarpgroupPlan>(made.value().plan).is_transposed;
  };
  ProductText text{.m = 1536, .n = 1536, .k = 1536};
  EXPECT_FALSE(is_transposed(text)) << "a result of f32 has no such lines";
  text.epilogue = Epilogue::narrowed;
  EXPECT_TRUE(is_transposed(text));
  text.b_transposed = true;
  EXPECT_FALSE(is_transposed(text));
  text.m = text.n = 4096;
  EXPECT_TRUE(is_transposed(text));
  text.accumulates = true;
  EXPECT_FALSE(is_transposed(text)) << "C would be read by columns";
}

// Rows of two loops, of which no box has 144: D itself is computed, by blocks that fit.
TEST(WarpgroupExecution, WhereOnlyTheGivenProductHasMaps) {
  const std::string text =
      "func.func @convolution(%a: tensor<6x16x16x576xf16>, %b: tensor<576x1536xf16>)\n"
      "    -> tensor<6x16x16x1536xf16> {\n"
      "  %zero = arith.constant 0.0 : f16\n"
      "  %empty = tensor.empty() : tensor<6x16x16x1536xf16>\n"
      "  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<6x16x16x1536xf16>)\n"
      "    -> tensor<6x16x16x1536xf16>\n"
      "  %d = linalg.generic {indexing_maps = [affine_map<(i, y, x, n, k) -> (i, y, x, k)>,\n"
      "      affine_map<(i, y, x, n, k) -> (k, n)>, affine_map<(i, y, x, n, k) -> (i, y, x, n)>],\n"
      "    iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\", "
      "\"reduction\"]}\n"
      "    ins(%a, %b : tensor<6x16x16x576xf16>, tensor<576x1536xf16>)\n"
      "    outs(%init : tensor<6x16x16x1536xf16>) {\n"
      "  ^bb0(%x: f16, %y: f16, %sum: f16):\n"
      "    %product = arith.mulf %x, %y : f16\n"
      "    %next = arith.addf %sum, %product : f16\n"
      "    linalg.yield %next : f16\n"
      "  } -> tensor<6x16x16x1536xf16>\n"
      "  return %d : tensor<6x16x16x1536xf16>\n}\n";
  const auto made = compile(text, "a.mlir", {.target = Target::sm_90a}, Stage::plan);
  ASSERT_TRUE(made.has_value()) << made.error();
  const auto* plan = std::get_if<plan::WarpgroupPlan>(&made->plan);
  ASSERT_NE(plan, nullptr);
  EXPECT_TRUE(plan->result_is_mapped);
}

// C lies in D's place, and columns that are stored twice get it once.
TEST(WarpgroupExecution, BlocksOfSixteenColumnsInPlace) {
  const std::string text =
      "func.func @add(%a: memref<136x72xf16>, %b: memref<72x440xf16>, %d: memref<136x440xf32>) {\n"
      "  linalg.matmul ins(%a, %b : memref<136x72xf16>, memref<72x440xf16>)\n"
      "    outs(%d : memref<136x440xf32>)\n"
      "  return\n}\n";
  Options options{.target = Target::sm_90a};
  options.plan = {.block_m = 128, .block_n = 144};
  EXPECT_EQ(fault_of(run(text, options, Operands::exact, 3,
                         [](const Compilation& kernel) { return kernel.problem; })),
            "");
}

// Clusters that share k: parts of unequal length, of one block and of two, several tiles for each,
// D by copies and from registers, two bands of a consumer, and rows that D does not have.
TEST(WarpgroupExecution, PartsOfKMeet) {
  struct Case {
    int block_m, block_n, consumers, split_k, cluster_m;
  };
  for (const Case& made :
       {Case{64, 64, 1, 2, 1}, Case{64, 128, 1, 3, 2}, Case{128, 256, 2, 4, 1},
        Case{128, 144, 2, 2, 1}, Case{192, 128, 3, 3, 1}, Case{256, 128, 2, 2, 2}}) {
    Options options;
    options.plan = {.block_m = made.block_m,
                    .block_n = made.block_n,
                    .split_k = made.split_k,
                    .consumers = made.consumers,
                    .cluster_m = made.cluster_m};
    EXPECT_EQ(fault_of(ProductText{.m = 136, .n = 200, .k = 456}, options), "")
        << made.block_m << "x" << made.block_n << ", " << made.split_k;
    options.plan.block_n = 128;
    ProductText few{.m = 40, .n = 99, .k = 456};  // rows of D are no multiple of 16 bytes
    few.b_transposed = true;
    EXPECT_EQ(fault_of(few, options), "") << made.block_m << "x128, " << made.split_k;
  }
}

// Tiles narrower than a line of 128 bytes: results leave from registers, in rows that TMA could
// write and others. Those of row-major B read whole lines of it.
TEST(WarpgroupExecution, NarrowTiles) {
  struct Case {
    int block_n, split_k, cluster_m;
    bool b_transposed;
    const char* type = "f16";
  };
  for (const Case& made :
       {Case{16, 1, 1, true}, Case{16, 3, 1, true}, Case{48, 1, 2, true}, Case{48, 1, 1, false},
        Case{32, 1, 1, true, "f8E4M3FN"}, Case{32, 1, 1, true, "f32"}}) {
    Options options{.f32 = plan::F32Path::tf32};
    options.plan = {.block_m = 64,
                    .block_n = made.block_n,
                    .split_k = made.split_k,
                    .cluster_m = made.cluster_m};
    ProductText text{.m = 70, .n = made.b_transposed ? 99 : 104, .k = 288};
    text.a_type = text.b_type = made.type;
    text.b_transposed = made.b_transposed;
    text.epilogue = Epilogue::bias_relu;
    text.accumulates = made.split_k == 1;
    EXPECT_EQ(fault_of(text, options), "") << made.block_n << " " << text.mlir();
  }
}

// The last tiles begin earlier, so that no row of them is outside of D; with C in D's place they do
// not, and add once.
TEST(WarpgroupExecution, LastRowsAreComputedAgain) {
  Options options;
  options.plan = {.block_m = 64, .block_n = 64};
  ProductText text{.m = 130, .n = 72, .k = 72};
  text.epilogue = Epilogue::bias_relu;
  EXPECT_EQ(fault_of(text, options), "");
  options.plan.split_k = 2;
  EXPECT_EQ(fault_of(text, options), "");
  options.target = Target::sm_90a;
  const std::string in_place =
      "func.func @add(%a: memref<130x72xf16>, %b: memref<72x72xf16>, %d: memref<130x72xf32>) {\n"
      "  linalg.matmul ins(%a, %b : memref<130x72xf16>, memref<72x72xf16>)\n"
      "    outs(%d : memref<130x72xf32>)\n"
      "  return\n}\n";
  for (const auto& [mlir, repeats] : {std::pair{in_place, false}, {text.mlir(), true}}) {
    const Outcome done = run(mlir, options, Operands::exact, 3,
                             [](const Compilation& kernel) { return kernel.problem; });
    EXPECT_EQ(fault_of(done), "");
    EXPECT_EQ(std::get<plan::WarpgroupPlan>(done.kernel.plan).repeats_rows(), repeats);
  }
}

// 100 tiles in two parts are more than there are multiprocessors: blocks count one tile after the
// other.
TEST(WarpgroupExecution, PartsOfManyTilesMeet) {
  Options options;
  options.plan = {.block_m = 64, .block_n = 64, .split_k = 2};
  ProductText text{.m = 640, .n = 640, .k = 128};
  text.epilogue = Epilogue::bias_relu;
  EXPECT_EQ(fault_of(text, options), "");
}

TEST(WarpgroupExecution, FewTilesOfDeepProductsShareK) {
  const ProductText text{.m = 64, .n = 256, .k = 4096};
  Options options{.target = Target::sm_90a};
  const Outcome done = run(text, options, Operands::exact, 3);
  ASSERT_EQ(done.error, "");
  EXPECT_GT(std::get<plan::WarpgroupPlan>(done.kernel.plan).split_k, 1);
  EXPECT_EQ(difference(done, text.reference(arguments(done))), "");
}

TEST(WarpgroupExecution, WhatIsAddedTo) {
  ProductText text{.m = 72, .n = 40, .k = 24};
  text.accumulates = true;
  EXPECT_EQ(fault_of(text), "");
  text.sum_type = "f16";
  EXPECT_EQ(fault_of(text), "");
}

TEST(WarpgroupExecution, BytesContiguousAlongK) {
  ProductText text{.m = 72, .n = 40, .k = 160};
  text.b_transposed = true;
  text.a_type = text.b_type = "i8";
  text.sum_type = "i32";
  EXPECT_EQ(fault_of(text), "");
}

// 8-bit floats: sums of a stage's products are added in f32, by consumers of one band of rows; or
// all are wgmma's own, which have 13 bits.
TEST(WarpgroupExecution, SumsOfBytesArePromoted) {
  for (const char* type : {"f8E4M3FN", "f8E5M2"}) {
    for (const plan::F8Sums sums : {plan::F8Sums::promoted, plan::F8Sums::fast}) {
      Options options{.f8 = sums};
      for (const int block_n : {0, 64, 192}) {
        ProductText text{.m = 200, .n = 208, .k = 400};
        text.b_transposed = true;
        text.a_type = text.b_type = type;
        if (block_n != 0) options.plan = {.block_m = 128, .block_n = block_n};
        EXPECT_EQ(fault_of(text, options), "") << type << ", " << block_n;
        text.epilogue = Epilogue::bias_relu;
        text.dynamic = 1;
        EXPECT_EQ(fault_of(text, options), "") << type << ", " << block_n;
      }
    }
  }
}

// Each epilogue, of one matrix and of several, with C and without, of sizes known now and later.
TEST(WarpgroupExecution, EpiloguesBatchesAndDynamicSizes) {
  for (const Epilogue epilogue : {Epilogue::none, Epilogue::relu, Epilogue::bias_relu,
                                  Epilogue::scale_residual, Epilogue::narrowed}) {
    for (const std::int64_t batch : {0, 3}) {
      for (const unsigned dynamic : {0u, 1u, 9u}) {  // none, m, m and the batch
        ProductText text{.m = 77, .n = 72, .k = 72, .batch = batch};
        text.epilogue = epilogue;
        if (batch != 0) text.narrow_type = "f8E4M3FN";
        text.accumulates = batch == 0;
        text.b_transposed = dynamic == 1;
        text.dynamic = batch == 0 ? dynamic & 7u : dynamic;
        EXPECT_EQ(fault_of(text), "") << text.mlir();
      }
    }
  }
}

// Every tile of every matrix of a batch, by a few blocks that stay, and clusters at the edges.
TEST(WarpgroupExecution, MoreTilesThanBlocks) {
  ProductText text{.m = 130, .n = 136, .k = 40, .batch = 37};
  text.epilogue = Epilogue::bias_relu;
  Options options;
  options.plan = {.block_m = 64, .block_n = 64};
  EXPECT_EQ(fault_of(text, options), "");
  text.dynamic = 9;
  options.plan.cluster_m = 1;
  options.plan.cluster_n = 2;
  EXPECT_EQ(fault_of(text, options), "");
}

// Where n and k are dynamic the launch takes the kernel for its sizes: copies for A, B and D, for A
// and B alone, or mma.sync.
TEST(WarpgroupExecution, DynamicRowsTakeTheKernelForTheirSizes) {
  struct Case {
    std::int64_t m, n, k;
    bool b_transposed;
    const char* suffix;
  };
  for (const Case& one : {Case{70, 80, 512, false, "_whole_rows"},
                          {70, 80, 512, true, "_whole_rows"},
                          {5, 8, 8, false, "_whole_rows"},
                          {70, 81, 64, true, "_whole_input_rows"},
                          {70, 81, 64, false, ""},
                          {70, 80, 65, false, ""},
                          {70, 80, 65, true, ""}}) {
    ProductText text{.m = one.m, .n = one.n, .k = one.k};
    text.b_transposed = one.b_transposed;
    text.dynamic = 6;
    const Outcome done = run(text, {.target = Target::sm_90a}, Operands::exact, 5);
    ASSERT_EQ(done.error, "");
    EXPECT_EQ(done.kernel.kernel_name, std::string("product") + one.suffix) << text.mlir();
    EXPECT_EQ(std::holds_alternative<plan::WarpgroupPlan>(done.kernel.plan), *one.suffix != '\0');
    EXPECT_EQ(difference(done, text.reference(arguments(done))), "") << text.mlir();
  }
}

// So does one with few rows of D, of which some share k.
TEST(WarpgroupExecution, FewDynamicRowsTakeTheKernelForTheirNumber) {
  const std::string mlir = [] {
    ProductText text{.m = 5, .n = 4096, .k = 2048};
    text.dynamic = 1;
    return text.mlir();
  }();
  const auto all = compile(mlir, "test.mlir", {.target = Target::sm_90a}, Stage::plan);
  ASSERT_TRUE(all);
  const auto kernel_of = [&](std::int64_t m) {
    plan::Problem problem = all->problem;
    problem.m = m;
    return kernel_for(*all, problem).kernel_name;
  };
  EXPECT_EQ(kernel_of(5), "product_m16");
  EXPECT_EQ(kernel_of(17), "product_m32");
  EXPECT_NE(kernel_of(33), kernel_of(32));
  EXPECT_EQ(kernel_of(64).rfind("product_m", 0), 0);
  EXPECT_NE(kernel_of(65), kernel_of(512));
  EXPECT_EQ(kernel_of(4096), "product");

  for (const std::int64_t m : {5, 64, 65, 300, 600}) {
    ProductText text{.m = m, .n = 328, .k = 1096};
    text.dynamic = 1;
    text.epilogue = Epilogue::bias_relu;
    const Outcome done = run(text, {.target = Target::sm_90a}, Operands::exact, 5);
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(std::holds_alternative<plan::WarpgroupPlan>(done.kernel.plan));
    EXPECT_EQ(difference(done, text.reference(arguments(done))), "") << text.mlir();
  }
}

// wgmma reads the upper 19 bits of an f32: copies round to them, or --f32 tf32-cut says that they
// are enough.
TEST(WarpgroupExecution, F32AsTf32) {
  for (const plan::F32Path f32 : {plan::F32Path::tf32, plan::F32Path::tf32_cut}) {
    const Options options{.f32 = f32};
    for (const auto& [m, n, k] :
         {std::array<std::int64_t, 3>{136, 72, 88}, {64, 256, 32}, {200, 20, 132}}) {
      ProductText text{m, n, k};
      text.a_type = text.b_type = "f32";
      text.b_transposed = true;
      EXPECT_EQ(fault_of(text, options), "") << text.mlir();
      text.accumulates = true;
      text.epilogue = Epilogue::bias_relu;
      EXPECT_EQ(fault_of(text, options), "") << text.mlir();
    }
  }
}

// Why a product is left to mma.sync: of rows whose length only a launch knows it is not known what
// they are a multiple of.
TEST(WarpgroupExecution, SaysWhatCopiesDoNotTake) {
  const auto reason = [](const ProductText& text) {
    const auto plan = compile(text.mlir(), "test.mlir", {.target = Target::sm_90a}, Stage::plan);
    return plan ? plan->choices.front().why : plan.error();
  };
  EXPECT_NE(reason({.m = 42, .n = 64, .k = 33}).find("rows of A are 66 bytes"), std::string::npos);
  EXPECT_NE(reason({.m = 42, .n = 63, .k = 32}).find("rows of B are 126 bytes"), std::string::npos);
  ProductText text{.m = 64, .n = 64, .k = 64};
  text.dynamic = 4;
  EXPECT_NE(reason(text).find("rows of A have a dynamic size"), std::string::npos);
  text.dynamic = 0;
  text.a_type = text.b_type = "f8E4M3FN";
  text.b_transposed = true;
  const auto exact = compile(text.mlir(), "test.mlir",
                             {.target = Target::sm_90a, .f8 = plan::F8Sums::exact}, Stage::plan);
  ASSERT_TRUE(exact);
  EXPECT_NE(exact->choices.front().why.find("some 14 bits"), std::string::npos);
}

// A plan may name the instruction of the kernels that come after those of wgmma: nothing of the
// first plan is left then.
TEST(WarpgroupExecution, MmaSyncWhereAPlanSaysSo) {
  Options options{.target = Target::sm_90a};
  options.plan.instruction = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  EXPECT_EQ(difference(ProductText{.m = 64, .n = 64, .k = 64}, options), "");
}

// What D has no tensor map for leaves from registers: rows of any length, columns first, bytes.
TEST(WarpgroupExecution, ResultsFromRegisters) {
  ProductText text{.m = 77, .n = 51, .k = 72, .batch = 2};
  text.b_transposed = true;
  text.epilogue = Epilogue::bias_relu;
  EXPECT_EQ(fault_of(text), "");
  text.dynamic = 3;  // m and n
  text.accumulates = true;
  EXPECT_EQ(fault_of(text), "");
  text.dynamic = 0;
  text.c_transposed = true;
  text.epilogue = Epilogue::narrowed;
  EXPECT_EQ(fault_of(text), "");
  Options options;
  options.plan = {.block_m = 192, .block_n = 192, .consumers = 3};
  text = {.m = 250, .n = 201, .k = 72};
  text.b_transposed = true;
  EXPECT_EQ(fault_of(text, options), "");
}

// Forms at random, of sizes that make rows of A and B whole units of 16 bytes.
RC_GTEST_PROP(WarpgroupExecution, RandomFormsAreRight, ()) {
  ProductText text = any_product();
  text.producer = text.b_producer = Producer::none;
  text.a_type = text.b_type = text.is_integer() ? "i8" : *rc::gen::element("f16", "bf16");
  if (text.is_integer()) {
    text.a_transposed = false;
    text.b_transposed = true;
    if (text.epilogue == Epilogue::narrowed) text.epilogue = Epilogue::relu;
  }
  if (text.style == Style::named) text.c_transposed = false;
  const auto whole = [&](std::int64_t size) { return (size + 15) / 16 * 16; };
  text.k = whole(text.k);
  if (text.a_transposed) text.m = whole(text.m);
  if (!text.b_transposed) text.n = whole(text.n);
  if (text.batch == 0) text.dynamic &= 7u;
  RC_LOG() << text.mlir();
  const Outcome done =
      run(text, {.target = Target::sm_90a}, Operands::exact, *rc::gen::arbitrary<std::uint64_t>());
  // With D's columns first A and B change places, and then bytes may come in another order. wgmma
  // has no sums in f64.
  const bool planned = std::holds_alternative<plan::WarpgroupPlan>(done.kernel.plan);
  RC_ASSERT(planned || !done.error.empty() || text.is_integer() || text.sum_type == "f64");
  RC_ASSERT(done.error == "");
  RC_ASSERT(difference(done, text.reference(arguments(done))) == "");
}

// Of an odd number of tiles the last cluster has a block beyond D, which reads none of what an
// epilogue reads, and stores nothing.
TEST(WarpgroupExecution, BlocksOfAClusterBeyondD) {
  for (const Epilogue epilogue : {Epilogue::none, Epilogue::bias_relu, Epilogue::scale_residual}) {
    for (const bool along_m : {false, true}) {
      for (const char* type : {"f16", "i8"}) {
        ProductText text{.m = along_m ? 192 : 64, .n = along_m ? 64 : 192, .k = 128};
        text.a_type = text.b_type = type;
        if (type[0] == 'i') text.sum_type = "i32";
        text.b_transposed = true;
        text.epilogue = type[0] == 'i' ? Epilogue::none : epilogue;
        const Options options{.plan = {.block_m = 64,
                                       .block_n = 64,
                                       .cluster_m = along_m ? 2 : 1,
                                       .cluster_n = along_m ? 1 : 2}};
        EXPECT_EQ(fault_of(text, options), "") << text.mlir();
      }
    }
  }
}

}  // namespace warpgroup_execution_test
}  // namespace heddle::compiler
