// Functions of the sum on every machine: each row of runtime/numbers/math_functions.h, and what
// models write with them. The judge's reference is float64's; that it would see another function,
// and a result a little off, is tested too.
#include <gtest/gtest.h>

#include <cstring>

#include "math_text.h"
#include "product_run.h"

namespace heddle::compiler {
namespace math_test {

using instruction::Target;

constexpr std::array targets{Target::gfx1151, Target::sm_80, Target::gfx1201, Target::sm_90a};

Outcome run_on(Target target, const std::string& mlir, Operands operands = Operands::uniform) {
  return run(mlir, {.target = target}, operands, 1,
             [](const Compilation& kernel) { return kernel.problem; });
}

void expect_right(Target target, const std::string& mlir, Operands operands = Operands::uniform) {
  const Outcome done = run_on(target, mlir, operands);
  ASSERT_EQ(done.error, "") << instruction::name(target) << "\n" << mlir;
  EXPECT_TRUE(judged(done).right()) << instruction::name(target) << "\n" << mlir;
}

TEST(Math, EveryFunctionIsRight) {
  std::size_t number = 0;
  for (const runtime::MathFunction& function : runtime::math_functions()) {
    const bool is_float = function.reading == runtime::Reading::floats;
    const std::string type = is_float ? "f32" : "i32";
    const std::string mlir = math_text(body_of(function), type, type);
    expect_right(targets[number % 2], mlir);
    expect_right(targets[(number + 1) % 2], mlir);
    ++number;
  }
}

TEST(Math, ExactFunctionsAreRightOf64Bits) {
  std::size_t number = 0;
  for (const runtime::MathFunction& function : runtime::math_functions()) {
    if (!runtime::is_exact(function)) continue;
    const bool is_float = function.reading == runtime::Reading::floats;
    const std::string type = is_float ? "f64" : "i64";
    expect_right(targets[number++ % 4], math_text(body_of(function, "64"), type, type));
  }
}

// Of any bits that a register can hold: also where a polynomial has its ends.
TEST(Math, EveryFunctionIsRightOfAllNumbers) {
  for (const runtime::MathFunction& function : runtime::math_functions()) {
    if (function.reading != runtime::Reading::floats) continue;
    const std::string name(function.name);
    std::string operands = "%t";
    if (function.operands == 2) operands += ", %s";
    if (name == "math.fma") operands += ", %s, %low";
    if (name == "math.clampf") operands += " to [%low, %s]";
    const std::string body = "    %low = arith.constant -2.0 : f32\n    %v = " + name + " " +
                             operands + " : f32\n    %r = arith.addf %v, %x : f32\n";
    for (const Target target : {Target::gfx1151, Target::sm_80})
      expect_right(target, math_text(body, "f32", "f32", "1024"), Operands::all);
  }
}

// C, F.10.4.4: of zeros, infinities, NaN and ones, whose judge is the host's pow.
TEST(Math, PowersOfSpecialNumbersAreRight) {
  const char *infinite = "0x7F800000", *below = "0xFF800000", *none = "0x7FC00000";
  using Pair = std::array<const char*, 2>;
  std::size_t number = 0;
  for (const Pair& base :
       {Pair{infinite, below}, Pair{"0.0", "-0.0"}, Pair{"1.0", "-1.0"}, Pair{none, "-2.0"}})
    for (const Pair& exponent :
         {Pair{"-1.5", "3.0"}, Pair{"2.0", "-3.0"}, Pair{infinite, below}, Pair{"0.0", none}}) {
      // No constant of a power, which would be folded.
      const auto either = [](const std::string& name, const std::string& by, const Pair& pair) {
        return "    %" + name + "0 = arith.constant " + pair[0] + " : f32\n    %" + name +
               "1 = arith.constant " + pair[1] + " : f32\n    %" + name + "c = arith.cmpf ogt, %" +
               by + ", %z : f32\n    %" + name + " = arith.select %" + name + "c, %" + name +
               "0, %" + name + "1 : f32\n";
      };
      expect_right(targets[number++ % 4],
                   math_text(either("base", "t", base) + either("power", "x", exponent) +
                             "    %r = math.powf %base, %power : f32\n"));
    }
}

TEST(Math, WhatModelsDoIsRightOnEveryMachine) {
  const std::array bodies{
      math_text("    %h = arith.constant 0.5 : f32\n    %1 = arith.constant 1.0 : f32\n"
                "    %k = arith.constant 0.70710678 : f32\n    %v = arith.mulf %x, %k : f32\n"
                "    %w = math.erf %v : f32\n    %y = arith.addf %w, %1 : f32\n"
                "    %q = arith.mulf %x, %h : f32\n    %r = arith.mulf %q, %y : f32\n"),  // GELU
      math_text("    %h = arith.constant 0.5 : f32\n    %1 = arith.constant 1.0 : f32\n"
                "    %3 = arith.constant 3.0 : f32\n    %k = arith.constant 0.044715 : f32\n"
                "    %l = arith.constant 0.7978845608 : f32\n    %v = math.powf %x, %3 : f32\n"
                "    %w = arith.mulf %v, %k : f32\n    %y = arith.addf %x, %w : f32\n"
                "    %q = arith.mulf %y, %l : f32\n    %i = math.tanh %q : f32\n"
                "    %j = arith.addf %i, %1 : f32\n    %g = arith.mulf %x, %h : f32\n"
                "    %f = arith.mulf %g, %j : f32\n    %r = arith.truncf %f : f32 to f16\n",
                "f16"),  // GELU by tanh
      math_text(
          "    %1 = arith.constant 1.0 : f32\n    %n = arith.negf %x : f32\n"
          "    %v = math.exp %n : f32\n    %w = arith.addf %v, %1 : f32\n"
          "    %q = arith.divf %x, %w : f32\n    %r = arith.mulf %q, %t : f32\n"),  // SiLU, gated
      math_text("    %v = math.absf %x : f32\n    %n = arith.negf %v : f32\n"
                "    %w = math.exp %n : f32\n    %l = math.log1p %w : f32\n"
                "    %0 = arith.constant 0.0 : f32\n    %m = arith.maximumf %x, %0 : f32\n"
                "    %r = arith.addf %l, %m : f32\n"),  // softplus
      math_text("    %0 = arith.sitofp %x : i32 to f32\n    %1 = arith.mulf %0, %s : f32\n"
                "    %2 = math.roundeven %1 : f32\n    %zp = arith.constant 3.0 : f32\n"
                "    %3 = arith.addf %2, %zp : f32\n    %l = arith.constant -128.0 : f32\n"
                "    %h = arith.constant 127.0 : f32\n    %4 = math.clampf %3 to [%l, %h] : f32\n"
                "    %r = arith.fptosi %4 : f32 to i8\n",
                "i8", "i32"),  // int8 again: scales of channels, a zero point
      math_text("    %h = arith.truncf %x : f32 to f16\n    %v = math.exp %h : f16\n"
                "    %r = math.cos %v : f16\n",
                "f16"),
      math_text("    %0 = arith.cmpf ueq, %x, %t : f32\n    %1 = arith.cmpf ord, %x, %t : f32\n"
                "    %2 = arith.cmpf one, %x, %t : f32\n    %3 = arith.andi %1, %2 : i1\n"
                "    %4 = arith.ori %3, %0 : i1\n    %r = arith.select %4, %x, %s : f32\n"),
      math_text("    %k = arith.constant -7 : i32\n    %0 = arith.cmpi ult, %x, %k : i32\n"
                "    %1 = arith.cmpi uge, %x, %k : i32\n    %2 = arith.extui %0 : i1 to i32\n"
                "    %3 = arith.extsi %1 : i1 to i32\n    %4 = arith.muli %2, %x : i32\n"
                "    %r = arith.addi %4, %3 : i32\n",
                "i32", "i32"),
  };
  for (const Target target : targets)
    for (const std::string& mlir : bodies) expect_right(target, mlir);
}

TEST(Math, OneAndTanhOfExactSumsIsRight) {
  const std::string mlir = math_text(
      "    %1 = arith.constant 1.0 : f32\n    %h = arith.constant 0.0625 : f32\n"
      "    %v = arith.mulf %x, %h : f32\n    %w = math.tanh %v : f32\n"
      "    %r = arith.addf %w, %1 : f32\n");
  for (const Target target : targets) expect_right(target, mlir, Operands::exact);
}

// exp of what comes from memory, in f32 and rounded to f16.
TEST(Math, ProducersAreRight) {
  const std::string mlir =
      "func.func @f(%a: tensor<40x36xf16>, %b: tensor<36x48xf16>, %c: tensor<40x48xf32>) -> "
      "tensor<40x48xf32> {\n  %e = tensor.empty() : tensor<40x36xf16>\n"
      "  %x = linalg.exp ins(%a : tensor<40x36xf16>) outs(%e : tensor<40x36xf16>) -> "
      "tensor<40x36xf16>\n  %d = linalg.matmul ins(%x, %b : tensor<40x36xf16>, tensor<36x48xf16>) "
      "outs(%c : tensor<40x48xf32>) -> tensor<40x48xf32>\n  return %d : tensor<40x48xf32>\n}\n";
  for (const Target target : targets) {
    expect_right(target, mlir);
    Outcome done = run_on(target, mlir);
    for (Node& node : done.kernel.request.a_producer.nodes)
      if (node.step == Step::function1) node.index = runtime::find_math_function("math.exp2");
    EXPECT_FALSE(judged(done).right());
  }
}

// arith and math on tensors, without linalg around them: SiLU with a gate.
TEST(Math, OperationsOnWholeTensorsAreRight) {
  const std::string f32 = "tensor<42x64xf32>", f16 = "tensor<42x64xf16>";
  const std::string mlir =
      "func.func @f(%a: tensor<42x32xf32>, %b: tensor<32x64xf16>, %c: " + f32 + ", %s: " + f32 +
      ") -> " + f16 +
      " {\n  %h = arith.truncf %a : tensor<42x32xf32> to tensor<42x32xf16>\n"
      "  %d = linalg.matmul ins(%h, %b : tensor<42x32xf16>, tensor<32x64xf16>) outs(%c : " +
      f32 + ") -> " + f32 + "\n  %one = arith.constant dense<1.0> : " + f32 +
      "\n  %n = arith.negf %d : " + f32 + "\n  %e = math.exp %n : " + f32 +
      "\n  %p = arith.addf %e, %one : " + f32 + "\n  %q = arith.divf %d, %p : " + f32 +
      "\n  %g = arith.mulf %q, %s : " + f32 + "\n  %r = arith.truncf %g : " + f32 + " to " + f16 +
      "\n  return %r : " + f16 + "\n}\n";
  for (const Target target : targets) expect_right(target, mlir);
}

TEST(Math, AnotherFunctionIsSeen) {
  const auto is_wrong_as = [](const std::string& made, std::string_view judged_as) {
    Outcome done =
        run_on(Target::gfx1151, math_text("    %r = " + made + " %x : f32\n"), Operands::exact);
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right()) << made;
    for (Node& node : done.kernel.request.epilogue.nodes)
      if (node.step == Step::function1) node.index = runtime::find_math_function(judged_as);
    EXPECT_FALSE(judged(done).right()) << made << " is taken for " << judged_as;
  };
  is_wrong_as("math.exp", "math.exp2");
  is_wrong_as("math.exp", "math.expm1");
  is_wrong_as("math.tanh", "math.erf");
  is_wrong_as("math.sin", "math.cos");
  is_wrong_as("math.round", "math.floor");
  is_wrong_as("math.ceil", "math.trunc");
}

// 32 units in the last place, of one element.
TEST(Math, AResultALittleOffIsSeen) {
  for (const char* function : {"math.exp", "math.tanh", "math.erf", "math.exp2"}) {
    Outcome done =
        run_on(Target::gfx1151, math_text(std::string("    %r = ") + function + " %x : f32\n"),
               Operands::exact);
    ASSERT_EQ(done.error, "");
    std::uint32_t word = 0;
    std::memcpy(&word, done.after.back().data(), 4);
    word += 32;
    std::memcpy(done.after.back().data(), &word, 4);
    EXPECT_EQ(judged(done).wrong, 1) << function;
  }
}

}  // namespace math_test
}  // namespace heddle::compiler
