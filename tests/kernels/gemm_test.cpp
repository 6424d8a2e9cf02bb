// Every GEMM kernel against the float64 reference: sizes around tiles and blocks and primes, all
// transpositions, all epilogues, on every target. HEDDLE_SWEEP=all in the environment takes the
// whole cross product of the sizes (minutes), few a part of them. Kernels of row-major operands are
// compiled for each problem, and so their sweep takes one size of four; the compiler's own tests
// have many more (tests/compiler).
#include "kernels/gemm.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "gemm_trial.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::kernels {
namespace gemm_test {

using testing::targets;
using testing::try_gemm;

void expect_right(const GemmProblem& problem, const std::string& target,
                  const testing::TrialOptions& options = {}) {
  const testing::Trial trial = try_gemm(problem, target, options);
  EXPECT_EQ(trial.wrong, "") << testing::text(problem, target);
  EXPECT_TRUE(trial.check.right())
      << testing::text(problem, target) << ": " << trial.check.wrong << " of "
      << trial.check.elements << " wrong; D[" << trial.check.worst_row << "]["
      << trial.check.worst_column << "] is " << trial.check.worst_value << ", the reference "
      << trial.check.worst_reference << " +- " << trial.check.worst_allowed;
}

/// Choices that come out of a number, the same on every host.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_(seed) {}
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(stream_.word(next_++) % count);
  }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::uint32_t>(values.size()))];
  }

 private:
  runtime::RandomStream stream_;
  std::uint64_t next_ = 0;
};

NumberType second(NumberType element) {
  return runtime::is_float(element) ? element : NumberType::i32;
}

/// An epilogue for a problem whose sizes and operands stand.
void draw_epilogue(Draw& draw, GemmProblem& problem) {
  problem.result = draw.of({NumberType::f32, second(problem.element)});
  const bool is_integer = problem.result == NumberType::i32;
  problem.alpha = is_integer ? draw.of({1.0f, -3.0f}) : draw.of({1.0f, 1.0f, 0.5f, -1.75f});
  problem.beta = is_integer ? draw.of({0.0f, 2.0f}) : draw.of({0.0f, 0.0f, 1.0f, -0.375f});
  problem.has_bias = draw.below(2) == 0;
  problem.activation = is_integer ? draw.of({Activation::none, Activation::relu})
                                  : draw.of({Activation::none, Activation::relu, Activation::gelu,
                                             Activation::silu, Activation::sigmoid});
  if (!runtime::is_float(problem.element) && !is_integer) problem.alpha *= 0x1p-12f;
  problem.c_stride = draw.of({0u, problem.n + 3});
  problem.d_stride = draw.of({0u, problem.n + 5});
}

constexpr std::array elements{NumberType::f16, NumberType::bf16, NumberType::i8, NumberType::u8};
bool sweep_is(std::string_view what) {
  const char* sweep = std::getenv("HEDDLE_SWEEP");
  return sweep != nullptr && sweep == what;
}
bool sweeps_all() { return sweep_is("all"); }
const std::vector<std::uint32_t> sizes =
    sweep_is("few") ? std::vector<std::uint32_t>{1, 17, 131}
                    : std::vector<std::uint32_t>{1, 15, 17, 63, 65, 101, 131};

/// Calls visit(m, n, k) for the sweep: all triples, or so many that each pair of sizes of each two
/// dimensions comes up.
template <class Visit>
void for_each_size(Visit visit) {
  const std::size_t count = sizes.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      if (!sweeps_all()) {
        visit(sizes[i], sizes[j], sizes[(i + 2 * j) % count]);
        continue;
      }
      for (std::uint32_t k : sizes) visit(sizes[i], sizes[j], k);
    }
}

TEST(Gemm, OddSizesInEveryTransposition) {
  std::uint64_t seed = 1;
  for (const std::string& target : targets()) {
    for (NumberType element : elements)
      for_each_size([&](std::uint32_t m, std::uint32_t n, std::uint32_t k) {
        Draw draw(++seed);
        // One size of four and one order of four, unless everything is asked for.
        if (!sweeps_all() && seed % 4 != 0) return;
        for (int order = 0; order < 4; ++order) {
          if (!sweeps_all() && order != static_cast<int>(seed / 4 % 4)) continue;
          GemmProblem problem{.element = element,
                              .m = m,
                              .n = n,
                              .k = k,
                              .a_transposed = order % 2 != 0,
                              .b_transposed = order / 2 != 0};
          problem.a_stride = draw.of({0u, (problem.a_transposed ? m : k) + 1});
          problem.b_stride = draw.of({0u, (problem.b_transposed ? k : n) + 7});
          draw_epilogue(draw, problem);
          expect_right(problem, target, {.seed = seed, .exact = draw.below(2) == 0});
        }
      });
  }
}

TEST(Gemm, PackedOperandsOfOddSizes) {
  std::uint64_t seed = 1000;
  for (const std::string& target : targets())
    for (NumberType element : elements)
      for_each_size([&](std::uint32_t m, std::uint32_t n, std::uint32_t k) {
        Draw draw(++seed);
        if (!sweeps_all() && draw.below(2) != 0) return;
        GemmProblem problem{.element = element,
                            .m = m,
                            .n = n,
                            .k = k,
                            .a_transposed = draw.below(2) == 0,
                            .b_transposed = draw.below(2) == 0,
                            .packed = true,
                            .paired_sums = runtime::is_float(element) && draw.below(3) == 0};
        problem.a_stride = draw.of({0u, (problem.a_transposed ? m : k) + 1});
        draw_epilogue(draw, problem);
        expect_right(problem, target, {.seed = seed, .exact = draw.below(2) == 0});
      });
}

TEST(Gemm, KernelsOfRowMajorOperandsAtEveryEdge) {
  std::uint64_t seed = 2000;
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      if (kernel.operands == "packed") continue;
      const std::uint32_t whole = runtime::is_float(kernel.element) ? 64 : 128;
      for (const auto& [m, n] : {std::array{1u, 65u}, std::array{17u, 1u}, std::array{128u, 192u},
                                 std::array{131u, 193u}, std::array{63u, 257u}}) {
        Draw draw(++seed);
        if (!sweeps_all() && draw.below(2) != 0) continue;
        GemmProblem problem{.element = kernel.element,
                            .m = m,
                            .n = n,
                            .k = whole * (1 + draw.below(3)),
                            .a_transposed = kernel.operands[0] == 't',
                            .b_transposed = kernel.operands[1] == 't',
                            .paired_sums = kernel.paired_sums};
        const auto padded = [&](std::uint32_t row) { return (row + 15) / 16 * 16 + 16; };
        problem.a_stride = padded(problem.a_transposed ? m : problem.k);
        problem.b_stride = padded(problem.b_transposed ? problem.k : n);
        draw_epilogue(draw, problem);
        expect_right(problem, target, {.kernel = &kernel, .seed = seed, .exact = true});
      }
    }
}

// Chosen or not: every kernel of packed operands, with blocks that are cut by both edges.
TEST(Gemm, PackedKernelsAtEveryEdge) {
  std::uint64_t seed = 3000;
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      if (kernel.operands != "packed") continue;
      for (auto [m, n] : {std::array{1u, 65u}, std::array{97u, 1u}, std::array{321u, 67u},
                          std::array{193u, 257u}}) {
        Draw draw(++seed);
        GemmProblem problem{.element = kernel.element,
                            .m = m,
                            .n = n,
                            .k = 1 + draw.below(200),
                            .a_transposed = draw.below(2) == 0,
                            .b_transposed = draw.below(2) == 0,
                            .packed = true,
                            .paired_sums = kernel.paired_sums};
        draw_epilogue(draw, problem);
        expect_right(problem, target, {.kernel = &kernel, .seed = seed, .exact = true});
      }
    }
}

// Races in LDS, registers read before their loads have been waited for, values that nobody wrote:
// the waits and barriers here are placed by hand.
TEST(Gemm, TheCheckerFindsNothing) {
  for (const std::string& target : targets())
    for (const GemmKernel& kernel : gemm_kernels()) {
      const std::uint32_t whole = runtime::is_float(kernel.element) ? 64 : 128;
      const bool is_ordinary = kernel.operands != "packed";
      GemmProblem problem{.element = kernel.element,
                          .m = kernel.block_m + 16,
                          .n = kernel.block_n - 16,
                          .k = is_ordinary ? 3 * whole : 2 * whole + 9,
                          .a_transposed = is_ordinary && kernel.operands[0] == 't',
                          .b_transposed = is_ordinary && kernel.operands[1] == 't',
                          .packed = kernel.operands == "packed",
                          .paired_sums = kernel.paired_sums,
                          .beta = 1,
                          .activation = Activation::relu,
                          .has_bias = true};
      const testing::Trial trial =
          try_gemm(problem, target, {.kernel = &kernel, .exact = true, .check = true});
      EXPECT_EQ(trial.wrong, "") << target << " " << kernel.name;
      EXPECT_TRUE(trial.check.right()) << target << " " << kernel.name;
      for (const emulator::Finding& finding : trial.report.findings)
        ADD_FAILURE() << target << "\n" << finding.text(kernel.name);
    }
}

TEST(Gemm, DeepSums) {
  for (const std::string& target : targets())
    for (NumberType element : elements)
      for (bool packed : {false, true}) {
        expect_right({.element = element,
                      .m = 70,
                      .n = 80,
                      .k = 1024,
                      .b_transposed = true,
                      .packed = packed},
                     target, {.seed = 3, .exact = true});
        expect_right({.element = element, .m = 70, .n = 80, .k = 1024, .packed = packed}, target);
      }
}

TEST(Gemm, RowMajorOperandsOnOtherProcessors) {
  for (const std::string target : {"gfx90a", "gfx942", "gfx1250"})
    expect_right(
        {.m = 33, .n = 47, .k = 65, .beta = 0.5f, .activation = Activation::silu, .has_bias = true},
        target);
}

// What the checks are worth: wrong results are found.
TEST(Gemm, AWrongProblemIsFound) {
  GemmProblem problem{.m = 33, .n = 47, .k = 64, .beta = 1, .has_bias = true};
  const std::string target = "gfx1151";
  ASSERT_TRUE(try_gemm(problem, target).check.right());
  GemmOperands operands{std::vector<double>(33 * 64, 0.5), std::vector<double>(64 * 47, 0.25),
                        std::vector<double>(33 * 47, 1), std::vector<double>(47, 2)};
  std::vector<double> d(33 * 47, 64 * 0.125 + 1 + 2);
  EXPECT_TRUE(check_gemm(problem, operands, d).right());
  d[40] += 0.001;
  EXPECT_EQ(check_gemm(problem, operands, d).wrong, 1);
  EXPECT_EQ(check_gemm(problem, operands, d).worst_column, 40);
  problem.activation = Activation::gelu;
  EXPECT_GT(check_gemm(problem, operands, std::vector<double>(33 * 47, 10)).wrong, 1000);
}

TEST(Gemm, WhatCannotBeDoneIsSaid) {
  const auto refusal = [](GemmProblem problem) { return choose_gemm(problem, "gfx1151").error(); };
  EXPECT_EQ(refusal({.element = NumberType::f32, .m = 1, .n = 1, .k = 1}),
            "operands of f32: f16, bf16, i8 and u8 are multiplied");
  EXPECT_EQ(refusal({.result = NumberType::i32, .m = 1, .n = 1, .k = 1}),
            "a result of i32: operands of f16 give f32 or f16");
  EXPECT_EQ(refusal({.m = 0, .n = 1, .k = 1}), "m is 0; a matrix has at least one row");
  EXPECT_EQ(refusal({.m = 4, .n = 8, .k = 2, .b_stride = 7}),
            "b_stride is 7; a row has 8 elements");
  EXPECT_EQ(refusal({.element = NumberType::i8,
                     .result = NumberType::i32,
                     .m = 4,
                     .n = 8,
                     .k = 2,
                     .activation = Activation::gelu}),
            "a result of i32 with an activation other than relu: ask for f32");
  EXPECT_NE(refusal({.m = 4, .n = 8, .k = 20, .paired_sums = true}).find("must be packed or nt"),
            std::string::npos);
  EXPECT_EQ(refusal({.m = 20, .n = 30, .k = 0, .beta = 2}), "k is 0; operands have at least 1");
  const GemmProblem odd{.m = 200, .n = 200, .k = 63, .b_transposed = true, .paired_sums = true};
  EXPECT_EQ(refusal(odd), "gemm_f16_nt_paired: k is 63; it must be a multiple of 64");
  EXPECT_EQ(gemm_launch(*find_gemm("gemm_f16_nt_paired"), odd, {}).error(),
            "gemm_f16_nt_paired cannot do this: k is 63; it must be a multiple of 64");
  EXPECT_EQ(choose_gemm({.m = 1, .n = 1, .k = 1}, "sm_80").error(),
            "no GEMM for 'sm_80'; there is one for AMD processors, such as gfx1151");
  const GemmProblem small{.m = 20, .n = 30, .k = 40}, other{.m = 20, .n = 30, .k = 41};
  const GemmKernel kernel = choose_gemm(small, "gfx1151").value();
  EXPECT_EQ(kernel.name, "gemm_f16_nn");
  EXPECT_EQ(gemm_launch(kernel, other, {}).error(),
            "gemm_f16_nn cannot do this: it was compiled for another problem");
  EXPECT_EQ(find_gemm("gemm_f16_xx"), nullptr);
}

// The reason is that of a kernel for operands like these, with the limit that was met.
TEST(Gemm, SizesBeyondTheLimitsAreRefused) {
  const auto refusal = [](GemmProblem problem) {
    const auto kernel = choose_gemm(problem, "gfx1151");
    return kernel ? "accepted by " + kernel->name : kernel.error();
  };
  const auto paired = [](std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    return GemmProblem{.m = m, .n = n, .k = k, .b_transposed = true, .paired_sums = true};
  };
  EXPECT_EQ(refusal(paired(65535 * 192, 128, 64)), "accepted by gemm_f16_nt_paired");
  EXPECT_EQ(refusal(paired(65535 * 192 + 1, 128, 64)),
            "gemm_f16_nt_paired: m is 12582721; at most 12582720, 65535 blocks of 192 rows");
  EXPECT_EQ(refusal(paired(1, 4294967295u, 64)),
            "gemm_f16_nt_paired: n is 4294967295; at most 4294967232, 22369621 blocks of 192 "
            "columns");
  EXPECT_EQ(refusal({.m = 4294967295u, .n = 1, .k = 1, .packed = true}).substr(0, 30),
            "A of 4294967295 x 1 has 4 GiB ");
  EXPECT_EQ(refusal({.m = 128, .n = 128, .k = 4294967295u, .packed = true}),
            "A of 128 x 4294967295 has 4 GiB or more; a packed operand has less");
  EXPECT_EQ(refusal({.m = 128, .n = 65536, .k = 65536, .packed = true}),
            "B of 65536 x 65536 has 4 GiB or more; a packed operand has less");
  GemmProblem wide = paired(128, 128, 64);
  wide.a_stride = 1u << 24;
  EXPECT_EQ(refusal(wide),
            "gemm_f16_nt_paired: a_stride is 16777216; the 192 rows of a block have at most 4 "
            "GiB: at most 11184810");
  wide.a_stride = 0;
  wide.d_stride = 8388608;
  EXPECT_EQ(refusal(wide),
            "gemm_f16_nt_paired: d_stride is 8388608; the 192 rows of a block have at most 4 GiB: "
            "at most 5592405");
  // C has no limit where it is not read.
  wide.d_stride = 0;
  wide.c_stride = 8388608;
  EXPECT_EQ(refusal(wide), "accepted by gemm_f16_nt_paired");
  wide.beta = 1;
  EXPECT_EQ(refusal(wide).substr(0, 40), "gemm_f16_nt_paired: c_stride is 8388608;");
  // The compiler says where it meets a limit of its own.
  EXPECT_NE(refusal({.m = 4294967295u, .n = 1, .k = 16}).find("gemm:"), std::string::npos);
}

// The last rows of a block beyond the matrix, with the widest rows that a block may have: their
// offsets come close to 2^32.
TEST(Gemm, WideRowsDoNotWrap) {
  for (const std::string& target : targets()) {
    const GemmKernel& paired = *find_gemm("gemm_f16_nt_paired");
    GemmProblem problem{
        .m = 2, .n = 6, .k = 64, .b_transposed = true, .paired_sums = true, .d_stride = 5592405};
    expect_right(problem, target, {.kernel = &paired, .exact = true});
    problem.paired_sums = false;
    expect_right(problem, target, {.exact = true});
  }
}

TEST(Gemm, SizesOfPackedOperandsDoNotWrap) {
  EXPECT_EQ((PackedOperand{NumberType::f16, 32, 4294967295u}.padded_k()), 4294967296u);
  EXPECT_EQ((PackedOperand{NumberType::f16, 4294967295u, 64}.padded_rows()), 4294967296u);
  EXPECT_EQ((PackedOperand{NumberType::i8, 4294967295u, 4294967295u}.bytes()), ~std::uint64_t{0});
  EXPECT_EQ((PackedOperand{NumberType::f16, 33, 65}.bytes()), 64u * 128 * 2);
}

TEST(Gemm, WhatCannotBePackedIsSaid) {
  const emulator::Argument address = emulator::value(std::uint64_t{0});
  const auto refusal = [&](PackedOperand operand, bool k_is_outer, std::uint32_t stride) {
    const auto launch = pack_launch(operand, k_is_outer, stride, address, address);
    return launch ? "accepted" : launch.error();
  };
  EXPECT_EQ(refusal({NumberType::f16, 32, 64}, false, 0), "accepted");
  EXPECT_EQ(refusal({NumberType::f16, 32, 64}, false, 64), "accepted");
  EXPECT_EQ(refusal({NumberType::f16, 32, 64}, false, 63),
            "the stride is 63; a row has 64 elements");
  EXPECT_EQ(refusal({NumberType::f16, 32, 64}, true, 32), "accepted");
  EXPECT_EQ(refusal({NumberType::f16, 32, 64}, true, 31),
            "the stride is 31; a row has 32 elements");
  EXPECT_EQ(refusal({NumberType::f16, 32, 4294967295u}, false, 0),
            "an operand of 32 x 4294967295 has 4 GiB or more; a packed operand has less");
  EXPECT_EQ(refusal({NumberType::f32, 32, 64}, false, 0),
            "elements of f32 are not packed; those of 8 and 16 bits are");
}

// Each buffer of a launch one byte too short; and none is.
TEST(Gemm, BuffersThatEndTooEarlyAreRefused) {
  for (const bool packed : {false, true}) {
    const GemmProblem problem{
        .m = 20, .n = 30, .k = 70, .packed = packed, .d_stride = 40, .beta = 1, .has_bias = true};
    const std::size_t a = packed ? 32 * 128 * 2 : 20 * 70 * 2, b = packed ? a : 70 * 30 * 2;
    const std::array<std::pair<const char*, std::size_t>, 5> needed{
        {{"A", a}, {"B", b}, {"C", 20 * 30 * 4}, {"the bias", 30 * 4}, {"D", (19 * 40 + 30) * 4}}};
    for (std::size_t shorter = 0; shorter <= needed.size(); ++shorter) {
      std::vector<std::vector<std::byte>> bytes;
      for (std::size_t i = 0; i < needed.size(); ++i)
        bytes.emplace_back(needed[i].second - (i == shorter));
      const auto of = [&](std::size_t i) -> emulator::Argument {
        return emulator::buffer(std::span(bytes[i]), needed[i].first);
      };
      const auto launch = gemm_launch(choose_gemm(problem, "gfx1151").value(), problem,
                                      {of(0), of(1), of(2), of(3), of(4)});
      const bool is_short = shorter < needed.size();
      EXPECT_EQ(launch.has_value(), !is_short) << shorter;
      if (is_short && !launch) {
        const auto size = needed[shorter].second;
        EXPECT_EQ(launch.error(), "the buffer of " + std::string(needed[shorter].first) + " is " +
                                      std::to_string(size - 1) + "; its elements need " +
                                      std::to_string(size) + " bytes");
      }
    }
  }
  std::vector<std::byte> from(32 * 64 * 2 - 1), packed(32 * 64 * 2);
  const auto launch =
      pack_launch({NumberType::f16, 32, 64}, false, 0, emulator::buffer(std::span(from), "from"),
                  emulator::buffer(std::span(packed), "packed"));
  EXPECT_EQ(launch ? "accepted" : launch.error(),
            "the buffer of the operand is 4095; its elements need 4096 bytes");
}

}  // namespace gemm_test
}  // namespace heddle::kernels
