// Products whose operands, or D, wgmma does not take as they lie: kernels of their own bring them
// into another order, on the simulator of PTX. All operands are small integers, so results are
// right to the last bit, by a reference that shares no line with the compiler.
#include "sequence_run.h"

namespace heddle::compiler {
namespace prepared_operands_test {

// What is wrong, or nothing: the product is one of wgmma, between kernels that are named in
// `around` by what they write.
std::string fault_of(const ProductText& text, const std::string& around,
                     plan::F32Path f32 = plan::F32Path::exact) {
  const SequenceOutcome done =
      run_sequence(text.mlir(), {.target = Target::sm_90a, .f32 = f32, .prepare = Prepare::always});
  if (!done.error.empty()) return done.error;
  std::string written;
  for (const Compilation& kernel : done.all.kernels) {
    if (std::holds_alternative<plan::ElementwisePlan>(kernel.plan)) {
      written += kernel.kernel_name.back();
    } else if (!std::holds_alternative<plan::WarpgroupPlan>(kernel.plan)) {
      return "a product that is not by wgmma";
    }
  }
  if (written != around) return "kernels for '" + written + "'";
  for (const runtime::MatmulCheck& check : done.checks)
    if (!check.right()) return "a kernel that the judge calls wrong";
  std::vector<std::vector<double>> arguments;
  for (const Numbers& argument : done.arguments)
    if (!argument.values.empty()) arguments.push_back(argument.values);
  const std::vector<double> expected = text.reference(arguments);
  if (done.results[0].values.size() != expected.size()) return "a result of another size";
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (done.results[0].values[i] != expected[i])
      return "element " + std::to_string(i) + " is " + std::to_string(done.results[0].values[i]) +
             ", not " + std::to_string(expected[i]);
  return {};
}

TEST(PreparedOperands, RowsThatBeginAnywhere) {
  for (const char* type : {"f16", "bf16"}) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        ProductText text{.m = 67, .n = 69, .k = 71};
        text.a_type = text.b_type = type;
        text.a_transposed = a_transposed, text.b_transposed = b_transposed;
        EXPECT_EQ(fault_of(text, "abd"), "") << text.mlir();
      }
    }
  }
}

// A plan is for the product, not for the kernels around it.
TEST(PreparedOperands, WithAPlanForTheProduct) {
  ProductText text{.m = 67, .n = 69, .k = 71};
  text.epilogue = Epilogue::narrowed;
  for (const char* computes : {"D", "D^T"}) {
    Options options{.target = Target::sm_90a, .prepare = Prepare::always};
    options.plan.computes = computes;
    const SequenceOutcome done = run_sequence(text.mlir(), options);
    EXPECT_EQ(done.error, "");
    for (const runtime::MatmulCheck& check : done.checks) EXPECT_TRUE(check.right());
  }
}

TEST(PreparedOperands, OnlyWhatHasToBe) {
  EXPECT_EQ(fault_of({.m = 40, .n = 48, .k = 33}, "a"), "");
  ProductText text{.m = 40, .n = 51, .k = 32};
  EXPECT_EQ(fault_of(text, "bd"), "");
  // Tiles of few columns leave from registers, wherever rows of D begin.
  text.b_transposed = true;
  EXPECT_EQ(fault_of(text, ""), "");
  text.n = 48;
  EXPECT_EQ(fault_of(text, ""), "");
}

TEST(PreparedOperands, BatchesAndEpilogues) {
  for (const Epilogue epilogue : {Epilogue::bias_relu, Epilogue::scale_residual, Epilogue::narrowed,
                                  Epilogue::row_bias_transposed}) {
    for (const std::int64_t batch : {0, 3}) {
      ProductText text{.m = 35, .n = 45, .k = 37, .batch = batch};
      text.epilogue = epilogue;
      text.accumulates = batch == 0;
      // These are computed as the transposed product, with tiles of few columns.
      const bool is_narrow = epilogue == Epilogue::row_bias_transposed ||
                             (epilogue == Epilogue::narrowed && !text.accumulates);
      EXPECT_EQ(fault_of(text, is_narrow ? "ab" : "abd"), "") << text.mlir();
    }
  }
}

TEST(PreparedOperands, BytesInEveryOrder) {
  for (const char* type : {"i8", "f8E4M3FN"}) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        ProductText text{.m = 64, .n = 80, .k = 48};
        text.a_type = text.b_type = type;
        text.sum_type = type[0] == 'i' ? "i32" : "f32";
        text.a_transposed = a_transposed, text.b_transposed = b_transposed;
        const std::string around = std::string(a_transposed ? "a" : "") + (b_transposed ? "" : "b");
        EXPECT_EQ(fault_of(text, around), "") << text.mlir();
      }
    }
  }
}

// Weights of 8 and of 4 bits, with scales and zero points of columns and of groups of k.
TEST(PreparedOperands, WhatIsComputedOfThem) {
  for (const Producer producer : {Producer::from_bytes, Producer::dequantised,
                                  Producer::dequantised_in_groups, Producer::times_matrix}) {
    for (const bool has_nibbles : {false, true}) {
      ProductText text{.m = 40, .n = 48, .k = 64};
      text.b_producer = producer;
      text.group = producer == Producer::dequantised_in_groups ? 32 : 1;
      text.has_nibbles = has_nibbles;
      for (const bool b_transposed : {false, true}) {
        text.b_transposed = b_transposed;
        EXPECT_EQ(fault_of(text, "b"), "") << text.mlir();
      }
    }
  }
}

// Copies round f32 to tf32, also those that were prepared for another reason.
TEST(PreparedOperands, NumbersRoundedToTf32) {
  for (const bool b_transposed : {false, true}) {
    ProductText text{.m = 40, .n = 48, .k = 32};
    text.a_type = text.b_type = "f32";
    text.b_transposed = b_transposed;
    for (const plan::F32Path f32 : {plan::F32Path::tf32, plan::F32Path::tf32_cut})
      EXPECT_EQ(fault_of(text, b_transposed ? "" : "b", f32), "") << text.mlir();
  }
}

// By itself the compiler does it where that is faster.
TEST(PreparedOperands, LargeProductsOnly) {
  const auto kernels = [](std::int64_t size, Prepare prepare) {
    ProductText text{.m = size, .n = size, .k = size};
    const auto made = compile_sequence(text.mlir(), "test.mlir",
                                       {.target = Target::sm_90a, .prepare = prepare}, Stage::plan);
    return made ? made->kernels.size() : 0;
  };
  EXPECT_EQ(kernels(255, Prepare::where_faster), 1u);
  EXPECT_EQ(kernels(4095, Prepare::where_faster), 4u);
  EXPECT_EQ(kernels(4095, Prepare::never), 1u);
  EXPECT_EQ(kernels(4096, Prepare::always), 1u);
}

}  // namespace prepared_operands_test
}  // namespace heddle::compiler
