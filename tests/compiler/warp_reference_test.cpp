// The reference of warp-level functions against loops written by hand, and its refusals.
#include "compiler/check/warp_reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/check/warp_case.h"
#include "warp_draw.h"
#include "warp_text.h"

namespace heddle::compiler {
namespace warp_reference_test {

using instruction::Target;

WarpCase case_of(std::string_view text, const WarpCaseOptions& options = {}) {
  auto made = make_warp_case(text, "input", options);
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error());
  return made ? *std::move(made) : WarpCase();
}

std::string refusal(std::string_view text) {
  const auto made = make_warp_case(text, "input", {});
  return made ? "" : made.error();
}

double at(const WarpCase& trial, std::size_t argument, std::int64_t place) {
  const auto type = trial.arguments[argument].element;
  const auto size = static_cast<std::size_t>(runtime::row(type).bytes);
  return runtime::load_number(type,
                              &trial.memory[argument][static_cast<std::size_t>(place) * size]);
}

const Cell& cell(const WarpCase& trial, std::size_t argument, std::int64_t place) {
  return trial.expected[argument][static_cast<std::size_t>(place)];
}

// A at [1, 3], B at [3, 3], C and D at [0, 0]: D[i][j] = C[i][j] + sum A[1+i][3+k] B[3+k][3+j].
void expect_seed(const WarpCase& trial) {
  ASSERT_EQ(trial.memory.size(), 3u);
  for (int i = 0; i < 42; ++i) {
    for (int j = 0; j < 64; ++j) {
      const Cell& d = cell(trial, 2, i * 64 + j);
      ASSERT_EQ(d.written, i < 16 && j < 8) << i << ", " << j;
      if (!d.written) continue;
      double sum = at(trial, 2, i * 64 + j);
      for (int k = 0; k < 16; ++k)
        sum += at(trial, 0, (1 + i) * 32 + 3 + k) * at(trial, 1, (3 + k) * 64 + 3 + j);
      EXPECT_EQ(d.number.value, sum);
      EXPECT_TRUE(d.number.is_point());
    }
  }
}

TEST(WarpReference, TheSeed) {
  expect_seed(case_of(seed_text));
  expect_seed(case_of(seed_text_transposed_apart));
}

// What is not read begins as NaN, in A all but a tile of 16x16.
TEST(WarpReference, WhatIsNotReadIsPoisoned) {
  const WarpCase trial = case_of(seed_text);
  int numbers = 0;
  for (int i = 0; i < 42 * 32; ++i) numbers += std::isnan(at(trial, 0, i)) ? 0 : 1;
  EXPECT_EQ(numbers, 16 * 16);
}

TEST(WarpReference, UniformInputsLeaveAnInterval) {
  const WarpCase trial = case_of(seed_text, {.inputs = WarpInputs::uniform});
  const Interval number = cell(trial, 2, 0).number;
  EXPECT_LT(number.low, number.value);
  EXPECT_LT(number.value, number.high);
  EXPECT_LT(number.high - number.low, 1.0);
}

constexpr std::string_view padded = R"(
func.func @padded(%from: memref<3x5xi32, strided<[7, 1], offset: 2>>, %to: memref<4x4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %nine = arith.constant 9 : i32
  %v = vector.transfer_read %from[%c1, %c3], %nine {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [false, false]} : memref<3x5xi32, strided<[7, 1], offset: 2>>, vector<4x3xi32>
  vector.transfer_write %v, %to[%c1, %c0] {in_bounds = [false, true]} : vector<4x3xi32>, memref<4x4xi32>
  return
})";

TEST(WarpReference, PaddingAndStrides) {
  const WarpCase trial = case_of(padded);
  ASSERT_EQ(trial.memory[0].size(), (2 + 2 * 7 + 4 + 1) * 4u);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      // v[i][j] = from[1 + j][3 + i]
      const bool inside = 1 + j < 3 && 3 + i < 5;
      const double wanted = inside ? at(trial, 0, 2 + (1 + j) * 7 + 3 + i) : 9;
      EXPECT_EQ(cell(trial, 1, (1 + i) * 4 + j).number.value, wanted) << i << ", " << j;
    }
  }
  EXPECT_FALSE(cell(trial, 1, 0).written);
  EXPECT_FALSE(cell(trial, 1, 7).written);
}

std::string elementwise(std::string_view operation) {
  return "func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %to: memref<4xf32>) {\n"
         "%c0 = arith.constant 0 : index\n%z = arith.constant 0.0 : f32\n"
         "%one = arith.constant dense<1.0> : vector<4xf32>\n"
         "%x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<4xf32>, "
         "vector<4xf32>\n"
         "%y = vector.transfer_read %b[%c0], %z {in_bounds = [true]} : memref<4xf32>, "
         "vector<4xf32>\n" +
         std::string(operation) +
         "\nvector.transfer_write %r, %to[%c0] {in_bounds = [true]} : vector<4xf32>, "
         "memref<4xf32>\n"
         "return\n}\n";
}

TEST(WarpReference, ElementwiseOperationsAreThoseOfTheHost) {
  struct Row {
    const char* operation;
    float (*function)(float, float);
  };
  const Row rows[] = {
      {"%r = arith.addf %x, %y : vector<4xf32>", [](float x, float y) { return x + y; }},
      {"%r = arith.subf %x, %y : vector<4xf32>", [](float x, float y) { return x - y; }},
      {"%r = arith.mulf %x, %y : vector<4xf32>", [](float x, float y) { return x * y; }},
      {"%r = arith.divf %x, %y : vector<4xf32>", [](float x, float y) { return x / y; }},
      {"%r = arith.negf %x : vector<4xf32>", [](float x, float) { return -x; }},
      {"%r = arith.maximumf %x, %y : vector<4xf32>",
       [](float x, float y) { return std::max(x, y); }},
      {"%r = arith.minnumf %x, %y : vector<4xf32>",
       [](float x, float y) { return std::min(x, y); }},
      {"%c = arith.cmpf olt, %x, %y : vector<4xf32>\n%r = arith.select %c, %x, %one : "
       "vector<4xi1>, vector<4xf32>",
       [](float x, float y) { return x < y ? x : 1.0f; }},
      {"%h = arith.truncf %x : vector<4xf32> to vector<4xf16>\n%r = arith.extf %h : vector<4xf16> "
       "to vector<4xf32>",
       [](float x, float) { return static_cast<float>(static_cast<_Float16>(x)); }},
  };
  for (const Row& row : rows) {
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const WarpCase trial =
          case_of(elementwise(row.operation), {.seed = seed, .inputs = WarpInputs::uniform});
      for (int i = 0; i < 4; ++i) {
        const auto x = static_cast<float>(at(trial, 0, i));
        const auto y = static_cast<float>(at(trial, 1, i));
        if (std::isnan(y)) continue;  // not read: the operation has one operand
        EXPECT_EQ(cell(trial, 2, i).number.value, row.function(x, y)) << row.operation;
      }
    }
  }
}

TEST(WarpReference, LoopsCarryVectors) {
  const WarpCase trial = case_of(
      elementwise("%c2 = arith.constant 2 : index\n%c7 = arith.constant 7 : index\n"
                  "%r = scf.for %i = %c0 to %c7 step %c2 iter_args(%s = %y) -> vector<4xf32> {\n"
                  "%n = arith.addf %s, %x : vector<4xf32>\nscf.yield %n : vector<4xf32>\n}"));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(cell(trial, 2, i).number.value, at(trial, 1, i) + 4 * at(trial, 0, i));
}

TEST(WarpReference, IntegersWrap) {
  const WarpCase trial = case_of(R"(
func.func @f(%a: memref<1x64xi8>, %b: memref<64x1xi8>, %c: memref<1x1xi32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  %big = arith.constant dense<2147483647> : vector<1x1xi32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<1x64xi8>, vector<1x64xi8>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x1xi8>, vector<64x1xi8>
  %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %big : vector<1x64xi8>, vector<64x1xi8> into vector<1x1xi32>
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<1x1xi32>, memref<1x1xi32>
  return
})");
  std::uint32_t sum = 2147483647;
  for (int k = 0; k < 64; ++k)
    sum += static_cast<std::uint32_t>(static_cast<int>(at(trial, 0, k) * at(trial, 1, k)));
  EXPECT_EQ(cell(trial, 2, 0).number.value, static_cast<std::int32_t>(sum));
}

TEST(WarpReference, WhatHasNoMeaningIsRefusedWithItsPlace) {
  std::string outside(padded);
  outside.replace(outside.find("[false, false]"), 14, "[true, true]");
  EXPECT_EQ(
      refusal(outside),
      "input:7:8: error: a read outside the memref that says in_bounds; accepted: in_bounds = "
      "[false, ...] where the tile leaves the memref\n");
  EXPECT_NE(refusal("func.func @f(%a: f32) {\n  return\n}\n")
                .find("input:1:14: error: an argument of f32; accepted: memrefs and indices"),
            std::string::npos)
      << refusal("func.func @f(%a: f32) {\n  return\n}\n");
  EXPECT_NE(refusal("func.func @f(%a: memref<4xi4>) {\n  return\n}\n").find("elements of i4"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f(%a: memref<4xf32, 5>) {\n  return\n}\n").find("memory space"),
            std::string::npos);
  EXPECT_NE(refusal("func.func @f() {\n  gpu.barrier\n  return\n}\n")
                .find("input:2:3: error: the operation gpu.barrier"),
            std::string::npos);
}

// Strides that the type leaves open are row-major in a run: then these rows overlap.
TEST(WarpReference, WritesOfSeveralElementsToOnePlaceAreRefused) {
  EXPECT_EQ(refusal(R"(func.func @f(%a: memref<8x8xf32, strided<[3, ?]>>) {
  %i = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8x8xf32>
  vector.transfer_write %v, %a[%i, %i] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32, strided<[3, ?]>>
  return
})"),
            "input:4:3: error: a write of several elements to one place; accepted: strides each "
            "larger than all that the smaller ones span, as row-major ones are\n");
}

// The reference ends, whatever the function asks for, and so do the memrefs of a run.
TEST(WarpReference, TakesNoMoreStepsAndElementsThanItMay) {
  const auto loop = [](const std::string& times) {
    return R"(func.func @f(%a: memref<4xf32>) {
  %i = arith.constant 0 : index
  %step = arith.constant 1 : index
  %n = arith.constant )" + times + R"( : index
  %v = arith.constant dense<1.0> : vector<4xf32>
  scf.for %k = %i to %n step %step {
    vector.transfer_write %v, %a[%i] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  }
  return
})";
  };
  EXPECT_EQ(refusal(loop("1000")), "");
  for (const char* times : {"100000000", "1000000000000", "9223372036854775807"})
    EXPECT_TRUE(refusal(loop(times)).contains("more than 200000000 steps of the reference"))
        << refusal(loop(times));
  EXPECT_EQ(refusal("func.func @f(%a: memref<?x?xf32, strided<[4611686018427387904, 1]>>) {\n"
                    "  return\n}\n"),
            "input:1:14: error: 576460752303423488 elements from the first to the last of all "
            "memrefs; accepted: at most 16777216 in a run\n");
}

// Every drawn function is one that the reference takes, and that writes something.
TEST(WarpReference, TakesWhatIsDrawn) {
  for (const Target target : {Target::sm_80, Target::sm_90, Target::gfx1151, Target::gfx1201}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const WarpDraw draw = draw_warp_function(target, seed);
      const WarpCase trial = case_of(draw.text, {.seed = seed});
      ASSERT_FALSE(trial.memory.empty()) << draw.text;
      // The reference's own answer is right; one element beside it is not.
      auto results = trial.memory;
      for (std::size_t i = 0; i < trial.arguments.size(); ++i) {
        const auto type = trial.arguments[i].element;
        const auto size = static_cast<std::size_t>(runtime::row(type).bytes);
        for (std::size_t k = 0; k < trial.expected[i].size(); ++k)
          if (trial.expected[i][k].written)
            runtime::store_number(type, &results[i][k * size], trial.expected[i][k].number.value);
      }
      EXPECT_TRUE(judge(trial, results).right())
          << draw.text << judge(trial, results).first_fault();
      results.back()[results.back().size() / 2] ^= std::byte{0x40};
      EXPECT_FALSE(judge(trial, results).right()) << draw.text;
    }
  }
}

}  // namespace warp_reference_test
}  // namespace heddle::compiler
