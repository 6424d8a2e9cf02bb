// Every form of a product on the emulator of RDNA and CDNA: see product_run.h.
// nvidia_forms_test.cpp does the same for NVIDIA.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "product_run.h"

namespace heddle::compiler {
namespace product_forms_test {

using instruction::Target;

// One of each machine that is compiled for in its own way, and for random products also the others.
constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::gfx942, Target::gfx950,
                             Target::gfx1250};
constexpr std::array all_targets{Target::gfx1100, Target::gfx1151, Target::gfx1201, Target::gfx90a,
                                 Target::gfx942,  Target::gfx950,  Target::gfx1250};

void expect_right(const ProductText& text, Target target) {
  const std::string difference_found = difference(text, {.target = target});
  EXPECT_EQ(difference_found, "") << instruction::name(target) << "\n" << text.mlir();
}

// Each target has every type in every form; of two spellings and sizes, every second form has one.
TEST(ProductForms, EveryTransposeIsRight) {
  int number = 0;
  for (const Target target : targets) {
    for (const char* type : {"f16", "bf16", "f32", "i8", "i32"}) {
      ++number;
      for (const int form : {0, 1, 2, 3}) {
        ProductText text{.m = 42, .n = 70, .k = 50, .a_type = type, .b_type = type};
        if (text.a_type.starts_with("i")) text.sum_type = "i32";
        text.a_transposed = (form & 1) != 0;
        text.b_transposed = (form & 2) != 0;
        text.style = Style::named;
        if ((number + form) % 2 == 0) {
          text.m = text.n = text.k = 64;
          text.style = Style::generic;
          text.c_transposed = form == 1;
        }
        expect_right(text, target);
      }
    }
  }
}

TEST(ProductForms, BatchesAreRight) {
  for (const Target target : targets) {
    for (const bool transposed : {false, true}) {
      ProductText text{.m = 33, .n = 40, .k = 48, .batch = 3};
      text.b_transposed = transposed;
      text.style = Style::named;
      text.accumulates = transposed;
      expect_right(text, target);
    }
  }
}

// Of two loops that one operand alone has, one is called the batch: not that along which the
// operand lies without gaps, nor D if that leaves a choice.
TEST(ProductForms, ALoneBatchMayStandAnywhere) {
  const auto text = [](const std::string& a, const std::string& b, const std::string& d,
                       const std::string& maps) {
    return "func.func @f(%a: tensor<" + a + "xf16>, %b: tensor<" + b + "xf16>, %c: tensor<" + d +
           "xf32>) -> tensor<" + d + "xf32> {\n  %d = linalg.contract indexing_maps = [" + maps +
           "] ins(%a, %b : tensor<" + a + "xf16>, tensor<" + b + "xf16>) outs(%c : tensor<" + d +
           "xf32>) -> tensor<" + d + "xf32>\n  return %d : tensor<" + d + "xf32>\n}\n";
  };
  const auto map = [](const std::string& dims) {
    std::string list;
    for (const char dim : dims) list += (list.empty() ? "" : ", ") + std::string(1, dim);
    return "affine_map<(m, b, k, n) -> (" + list + ")>";
  };
  const auto shape = [](const std::string& dims) {
    std::string list;
    for (const char dim : dims)
      list += (list.empty() ? "" : "x") + std::string(dim == 'm'   ? "40"
                                                      : dim == 'b' ? "3"
                                                      : dim == 'k' ? "33"
                                                                   : "24");
    return list;
  };
  int tried = 0;
  for (const std::string a : {"kbm", "kmb", "bmk", "mbk", "mkb", "bkm"}) {
    for (const std::string d : {"mbn", "bmn", "nmb", "bnm", "mnb", "nbm"}) {
      for (const std::string b : {"kn", "nk"}) {
        // In every second one B has the batch.
        const bool exchanged = (tried / 2 + tried / 12) % 2 != 0;
        const std::string first = exchanged ? b : a, second = exchanged ? a : b;
        const std::string mlir = text(shape(first), shape(second), shape(d),
                                      map(first) + ", " + map(second) + ", " + map(d));
        const Target target = targets[static_cast<std::size_t>(tried++) % targets.size()];
        const Outcome done = run(mlir, {.target = target}, Operands::exact, 1,
                                 [](const Compilation& kernel) { return kernel.problem; });
        ASSERT_EQ(done.error, "") << instruction::name(target) << "\n" << mlir;
        EXPECT_TRUE(judged(done).right()) << instruction::name(target) << "\n" << mlir;
      }
    }
  }
  EXPECT_EQ(tried, 72);
}

TEST(ProductForms, BytesAreRightToTheLastBit) {
  for (const Target target : targets) {
    for (const bool is_unsigned : {false, true}) {
      for (const Style style : {Style::named, Style::generic}) {
        ProductText text{
            .m = 50, .n = 34, .k = 100, .a_type = "i8", .b_type = "i8", .sum_type = "i32"};
        text.is_unsigned = is_unsigned;
        text.style = style;
        text.accumulates = is_unsigned;
        expect_right(text, target);
      }
    }
  }
}

TEST(ProductForms, EveryNumberOfEightBitsIsRight) {
  for (const Target target : all_targets)
    for (const std::string& type : small_floats)
      EXPECT_EQ(difference_of_codes(type, {.target = target}), "")
          << instruction::name(target) << " " << type;
}

TEST(ProductForms, EightBitFloatsAreRight) {
  int tried = 0;
  for (const Target target : targets) {
    for (const std::string& a : small_floats) {
      for (const std::string& b : small_floats) {
        if (a.ends_with("FNUZ") != b.ends_with("FNUZ")) continue;
        ProductText text{.m = 50, .n = 34, .k = 100, .a_type = a, .b_type = b};
        text.b_transposed = a == b;
        expect_right(text, target);
        ++tried;
      }
    }
    ProductText text{.m = 50, .n = 34, .k = 40, .a_type = "f8E4M3FN", .b_type = "f8E5M2FNUZ"};
    expect_right(text, target);
    for (const char* type : {"f16", "bf16", "f32", "f64"}) {
      text.a_type = text.b_type = type;
      text.sum_type = text.a_type == "f64" ? "f64" : "f32";
      text.producer = Producer::from_small_floats;
      text.b_producer = text.a_type == "f16" ? Producer::from_small_floats : Producer::none;
      expect_right(text, target);
    }
  }
  EXPECT_EQ(tried, static_cast<int>(targets.size()) * 8);
}

// Beside an f16 a float of 8 bits is one of 16: no matrix instruction multiplies the two.
TEST(ProductForms, EightBitFloatsBesideWiderOnesAreMultipliedAsThose) {
  for (const char* type : {"f16", "bf16"}) {
    const ProductText text{.m = 50, .n = 34, .k = 40, .a_type = type, .b_type = "f8E4M3FN"};
    const auto kernel = compile(text.mlir(), "test.mlir", {.target = Target::gfx1151}, Stage::plan);
    ASSERT_TRUE(kernel.has_value()) << kernel.error();
    EXPECT_EQ(instruction::name(kernel->problem.input), type);
    for (const Target target : targets) expect_right(text, target);
  }
}

TEST(ProductForms, ProducersAndEpiloguesAreRight) {
  for (const Target target : targets) {
    for (const Epilogue epilogue : {Epilogue::relu, Epilogue::bias_relu, Epilogue::scale_residual,
                                    Epilogue::narrowed, Epilogue::row_bias_transposed}) {
      ProductText text{.m = 50, .n = 34, .k = 40};
      text.epilogue = epilogue;
      expect_right(text, target);
      text.narrow_type = "f8E5M2";
      text.batch = 2;
      text.a_transposed = true;
      expect_right(text, target);
    }
    for (const Producer producer : {Producer::halved, Producer::from_bytes}) {
      ProductText text{.m = 50, .n = 34, .k = 41};
      text.producer = producer;
      expect_right(text, target);
      text.a_transposed = true;
      text.k = 70;
      expect_right(text, target);
    }
  }
}

TEST(ProductForms, DynamicSizesAreRightWithOneKernel) {
  for (const Target target : targets) {
    for (const unsigned dynamic : {1u, 2u, 4u, 7u, 15u}) {
      for (const std::int64_t k : {1, 32, 33, 100}) {
        // Where k is not dynamic, each of its sizes is a kernel: two are enough.
        if ((dynamic & 4u) == 0 && k != (dynamic == 1 ? 1 : 32) && k != 100) continue;
        ProductText text{.m = 42, .n = 70, .k = k, .batch = dynamic == 15 ? 2 : 0};
        text.dynamic = dynamic;
        text.b_transposed = dynamic == 7;
        expect_right(text, target);
      }
    }
  }
}

// Of tiles that pass registers on CDNA, two stand before the loop.
TEST(ProductForms, AnyNumberOfTilesOfKIsRight) {
  for (const Target target : {Target::gfx90a, Target::gfx942})
    for (const char* type : {"f16", "i8"})
      for (const std::int64_t k : {1, 32, 40, 64, 72, 136, 264}) {
        ProductText text{.m = 42, .n = 72, .k = k, .a_type = type, .b_type = type};
        if (std::string(type) == "i8") text.sum_type = "i32";
        text.dynamic = 4;
        text.accumulates = k % 16 == 0;
        EXPECT_EQ(difference(text, {.target = target}), "") << instruction::name(target) << "\n"
                                                            << text.mlir();
      }
}

// Where the number of compute units is known, launches with few rows, or few rows and columns, have
// kernels of their own.
TEST(ProductForms, SmallLaunchesTakeTheKernelForTheirSizes) {
  struct Case {
    unsigned dynamic;
    std::int64_t m, n;
    const char* kernel;
    bool runs = false;
  };
  for (const Target target : {Target::gfx90a, Target::gfx942, Target::gfx950}) {
    for (const auto& [dynamic, m, n, kernel, runs] :
         {Case{7, 16, 512, "product_whole_rows_m16", true},
          {7, 17, 512, "product_whole_rows_m64"},
          {7, 64, 264, "product_whole_rows_m64", true},
          {7, 65, 264, "product_whole_rows"},
          {7, 65, 256, "product_whole_rows_m256_n256", true},
          {7, 256, 8, "product_whole_rows_m256_n256"},
          {7, 257, 8, "product_whole_rows"},
          {7, 256, 9, "product_whole_input_rows"},
          {1, 5, 520, "product_m16"},
          {1, 65, 520, "product"},
          {1, 65, 136, "product_m256", true},
          {2, 300, 130, "product"}}) {
      ProductText text{.m = m, .n = n, .k = 72};
      text.dynamic = dynamic;
      text.b_transposed = n == 9;
      const auto all = compile(text.mlir(), "test.mlir", {.target = target}, Stage::plan);
      ASSERT_TRUE(all.has_value()) << all.error();
      plan::Problem sizes = all->problem;
      sizes.m = m, sizes.n = n, sizes.k = text.k;
      EXPECT_EQ(kernel_for(*all, sizes).kernel_name, kernel)
          << instruction::name(target) << " " << m << "x" << n;
      if (!runs) continue;
      const Outcome done = run(text, {.target = target}, Operands::exact, 5);
      ASSERT_EQ(done.error, "");
      EXPECT_EQ(done.kernel.kernel_name, kernel);
      EXPECT_EQ(difference(done, text.reference(arguments(done))), "") << text.mlir();
    }
  }
  for (const Target target : {Target::gfx1151, Target::gfx1250}) {
    ProductText text;
    text.dynamic = 7;
    const auto kernel = compile(text.mlir(), "test.mlir", {.target = target}, Stage::plan);
    ASSERT_TRUE(kernel.has_value());
    for (const Compilation& variant : kernel->variants)
      EXPECT_EQ(variant.request.problem.most[0], 0) << variant.kernel_name;
  }
}

TEST(ProductForms, F32ByNarrowerNumbersIsWithinWhatItStates) {
  using enum plan::F32Path;
  std::vector<std::pair<Target, plan::F32Path>> cases{{Target::gfx942, tf32},
                                                      {Target::gfx942, tf32_cut}};
  for (const Target target : targets) cases.push_back({target, bf16x3});
  for (const auto& [target, path] : cases) {
    ProductText text{.m = 42, .n = 70, .k = 50, .a_type = "f32", .b_type = "f32"};
    const Options options{.target = target, .f32 = path};
    for (const int form : {0, 1, 2, 3}) {
      text.a_transposed = (form & 1) != 0;
      text.b_transposed = (form & 2) != 0;
      if (path == bf16x3 && form != 2) continue;
      EXPECT_EQ(difference(text, options), "") << text.mlir();
      const Outcome done = run(text, options, Operands::uniform, 3);
      ASSERT_EQ(done.error, "");
      EXPECT_TRUE(judged(done).right()) << text.mlir();
      EXPECT_GT(judged(done).largest_error, 0);
    }
    // By another path they would be wrong, where few are summed.
    text.k = 2;
    Outcome done = run(text, options, Operands::uniform, 3);
    EXPECT_TRUE(judged(done).right());
    for (const plan::F32Path other : {exact, tf32, tf32_cut}) {
      done.problem.f32 = other;
      EXPECT_EQ(judged(done).right(), other == path);
    }
  }
}

TEST(ProductForms, AFewTilesOfADeepProductAreShared) {
  for (const Target target : targets) {
    for (const char* type : {"f16", "f32", "i8", "i32"}) {
      ProductText text{.m = 42, .n = 70, .k = 1000, .a_type = type, .b_type = type};
      if (text.a_type.starts_with("i")) text.sum_type = "i32";
      text.batch = text.a_type == "f16" ? 2 : 0;
      text.accumulates = text.a_type == "f32";
      text.b_transposed = text.a_type == "i8";
      text.epilogue = Epilogue::bias_relu;
      const auto kernel = compile(text.mlir(), "test.mlir", {.target = target}, Stage::plan);
      ASSERT_TRUE(kernel.has_value());
      if (text.batch == 0) EXPECT_GT(std::get<plan::MatmulPlan>(kernel->plan).tiles.split_k, 1);
      expect_right(text, target);
      text.epilogue = Epilogue::none;
      text.batch = 0;
      EXPECT_EQ(difference(
                    text, {.target = target, .plan = {.block_m = 32, .block_n = 32, .split_k = 4}}),
                "");
    }
  }
}

// Blocks that only large products have by themselves.
TEST(ProductForms, LargeBlocksAreRight) {
  for (const Target target : {Target::gfx942, Target::gfx950})
    for (const int block_n : {128, 256}) {
      const ProductText text{.m = 260, .n = 300, .k = 72};
      const Options options{.target = target, .plan = {.block_m = 256, .block_n = block_n}};
      EXPECT_EQ(difference(text, options), "") << instruction::name(target);
    }
}

// Their sums alone are 256 registers of a wave's largest tile.
TEST(ProductForms, WideNumbersInLargeTilesAreRight) {
  for (const Target target : {Target::gfx1201, Target::gfx950, Target::gfx1250}) {
    for (const char* type : {"f64", "i64"}) {
      ProductText text{
          .m = 128, .n = 128, .k = 256, .a_type = type, .b_type = type, .sum_type = type};
      text.style = Style::named;
      text.accumulates = true;
      expect_right(text, target);
    }
  }
}

// 20 tiles on the 8 XCDs of MI300, of which the last four have fewer.
TEST(ProductForms, TilesAreGivenOutToDies) {
  int dealt = 0;
  for (const Target target : targets) {
    const ProductText text{.m = 75, .n = 64, .k = 40};
    const Options options{.target = target, .plan = {.block_m = 16, .block_n = 16}};
    const auto kernel = compile(text.mlir(), "test.mlir", options, Stage::plan);
    ASSERT_TRUE(kernel.has_value());
    dealt += std::get<plan::MatmulPlan>(kernel->plan).dies > 1 ? 1 : 0;
    EXPECT_EQ(difference(text, options), "") << instruction::name(target);
  }
  EXPECT_EQ(dealt, 2);  // gfx942 and gfx950
}

// Loops of a few steps whose rows of B begin anywhere: LLVM's loop strength reduction let their
// offsets begin below zero (compiler/codegen/code_object.cpp).
// A target and type has every n and every k; together they have every pair of these.
TEST(ProductForms, OffsetsOfShortLoopsAreNeverNegative) {
  constexpr std::array<std::int64_t, 3> depths{64, 128, 256};
  std::size_t number = 0;
  for (const Target target : targets)
    for (const char* type : {"f32", "f16"}) {
      for (const std::int64_t n : {1, 18, 70}) {
        const std::int64_t k = depths[number++ % depths.size()];
        const ProductText text{.m = 48, .n = n, .k = k, .a_type = type, .b_type = type};
        EXPECT_EQ(difference(text, {.target = target}), "")
            << instruction::name(target) << " " << type << " " << n << " " << k;
      }
      ++number;
    }
}

// One that is off by a little more than it may be.
TEST(ProductForms, TheJudgeFindsOneWrongElement) {
  ProductText text{.m = 20, .n = 30, .k = 40};
  text.epilogue = Epilogue::bias_relu;
  Outcome done = run(text, {.target = Target::gfx1151}, Operands::uniform, 3);
  ASSERT_EQ(done.error, "");
  EXPECT_TRUE(judged(done).right());
  std::vector<std::byte>& d = done.after.back();
  float value = 0;
  std::memcpy(&value, d.data() + 4 * 77, 4);
  value += 1e-3f;
  std::memcpy(d.data() + 4 * 77, &value, 4);
  EXPECT_EQ(judged(done).wrong, 1);
  EXPECT_EQ(judged(done).worst_row, 77 / 30);
}

TEST(ProductForms, StridedMemrefsAreRight) {
  const std::string mlir =
      "func.func @product(%a: memref<42x32xf16, strided<[40, 1], offset: 3>>, "
      "%b: memref<32x50xf16, strided<[1, 36]>>, %c: memref<42x50xf32, strided<[64, 1]>>) {\n"
      "  linalg.matmul ins(%a, %b : memref<42x32xf16, strided<[40, 1], offset: 3>>, "
      "memref<32x50xf16, strided<[1, 36]>>) outs(%c : memref<42x50xf32, strided<[64, 1]>>)\n"
      "  return\n}\n";
  for (const Target target : targets) {
    const Outcome done = run(mlir, {.target = target}, Operands::uniform, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right());
  }
}

// What a launch tells of its strides decides which kernel runs: for rows at multiples of 16 bytes,
// for rows at any places, and for elements that do not lie side by side.
TEST(ProductForms, ToldStridesChooseTheKernel) {
  const std::string open = "strided<[?, ?], offset: ?>>";
  const std::string a = "memref<?x?xf16, " + open, d = "memref<?x?xf32, " + open;
  const std::string mlir = "func.func @product(%a: " + a + ", %b: " + a + ", %d: " + d +
                           ") {\n  linalg.matmul ins(%a, %b : " + a + ", " + a +
                           ") outs(%d : " + d + ")\n  return\n}\n";
  struct Case {
    const char* kernel;
    std::array<std::int64_t, 6> strides;  // of rows and columns of A, B and D
  };
  for (const Target target :
       {Target::gfx1151, Target::gfx942, Target::sm_90, Target::sm_90a, Target::gfx1250}) {
    for (const auto& [kernel, strides] :
         {Case{"whole_rows", {56, 1, 88, 1, 84, 1}}, Case{"unit_strides", {49, 1, 75, 1, 73, 1}},
          Case{"product", {98, 2, 72, 1, 145, 2}}}) {
      const Outcome done =
          run(mlir, {.target = target}, Operands::exact, 1, [&](const Compilation& compiled) {
            plan::Problem problem = compiled.problem;
            problem.m = 40, problem.n = 72, problem.k = 48;
            std::ranges::copy(strides, problem.further.begin());
            return problem;
          });
      ASSERT_EQ(done.error, "") << instruction::name(target) << " " << kernel;
      EXPECT_TRUE(judged(done).right()) << instruction::name(target) << " " << kernel;
      const std::string& name = done.kernel.kernel_name;
      const bool finds_out = target == Target::sm_90 && std::string(kernel) == "whole_rows";
      EXPECT_NE(name.find(finds_out ? "unit_strides" : kernel), std::string::npos) << name;
      EXPECT_EQ(name == "product", std::string(kernel) == "product") << name;
    }
  }
}

// LLVM 22 leaves a wait state out where 19 lie between a product of 16 passes and who reads its
// result, so that what lies between decides: several sizes and types.
TEST(ProductForms, SlowProductsOfCdna4HaveTheirWaitStates) {
  for (const auto& [m, n, k] :
       {std::array<std::int64_t, 3>{256, 256, 32}, {100, 128, 48}, {96, 256, 65}}) {
    for (const std::string a : {"f8E4M3FN", "f8E5M2"}) {
      for (const std::string b : {"f8E4M3FN", "f8E5M2"}) {
        ProductText text{m, n, k};
        text.a_type = a;
        text.b_type = b;
        text.b_transposed = true;
        EXPECT_EQ(difference(text, {.target = Target::gfx950}), "") << text.mlir();
      }
    }
  }
}

// To the last bit, and by the judge: one kernel runs twice.
RC_GTEST_PROP(ProductForms, RandomProductsAreRight, ()) {
  const Target target = *rc::gen::elementOf(all_targets);
  const ProductText text = any_product();
  RC_LOG() << instruction::name(target) << "\n" << text.mlir();
  const bool split = text.a_type == "f32" && *rc::gen::arbitrary<bool>();
  const Options options{.target = target,
                        .f32 = split ? plan::F32Path::bf16x3 : plan::F32Path::exact};
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  if (!split) RC_ASSERT(difference(text, options, seed) == "");
  const Outcome done = run(text, options, Operands::uniform, seed);
  RC_ASSERT(done.error == "");
  RC_ASSERT(judged(done).right());
}

}  // namespace product_forms_test
}  // namespace heddle::compiler
