// Functions with several products or results, each result against a chain of products in float64
// that this file computes.
#include "sequence_run.h"

namespace heddle::compiler {
namespace sequence_test {

const std::string x = "%x : tensor<37x48xf16>";
const std::string narrow_relu =
    "%p = arith.maximumf %x0, %zero : f32\n"
    "    %r = arith.truncf %p : f32 to f16";

std::string mlp(const std::string& m, const std::string& rows) {
  const std::string input = "%x : tensor<" + m + "x48xf16>";
  const std::string hidden = "tensor<" + m + "x80xf32>", narrow = "tensor<" + m + "x80xf16>",
                    out = "tensor<" + m + "x56xf32>";
  Text text("%x: tensor<" + m + "x48xf16>, %w1: tensor<48x80xf16>, %b1: tensor<80xf32>, " +
                "%w2: tensor<80x56xf16>, %b2: tensor<56xf32>",
            out);
  if (!rows.empty()) text.line("%rows = tensor.dim %x, %c0 : tensor<" + m + "x48xf16>");
  text.product("s", input, "%w1 : tensor<48x80xf16>", hidden, rows)
      .elementwise("h", {"%s : " + hidden, "%b1 : tensor<80xf32>"}, narrow,
                   "%y = arith.addf %x0, %x1 : f32\n    %p = arith.maximumf %y, %zero : f32\n"
                   "    %r = arith.truncf %p : f32 to f16",
                   rows);
  // The size of what one part computes, in another.
  if (!rows.empty()) text.line("%rows2 = tensor.dim %h, %c0 : " + narrow);
  return text
      .product("t", "%h : " + narrow, "%w2 : tensor<80x56xf16>", out, rows.empty() ? "" : "%rows2")
      .elementwise("d", {"%t : " + out, "%b2 : tensor<56xf32>"}, out,
                   "%r = arith.addf %x0, %x1 : f32", rows)
      .returns("%d : " + out);
}

std::vector<Numbers> mlp_in_float64(const std::vector<Numbers>& a) {
  return {with_bias(each(with_bias(a[0] * a[1], a[2]), relu) * a[3], a[4])};
}

TEST(Sequence, LayersWithBiasAndRelu) { expect_right(mlp("37", ""), 2, mlp_in_float64); }

TEST(Sequence, LayersOfDynamicRows) {
  expect_right(mlp("?", "%rows"), 2, mlp_in_float64, 37);
  expect_right(mlp("?", "%rows"), 2, mlp_in_float64, 130);
}

// act(x * g) * (x * u), then * w.
std::string gated(const std::string& activation) {
  const std::string wide = "tensor<37x80xf32>", narrow = "tensor<37x80xf16>",
                    out = "tensor<37x56xf32>";
  return Text(
             "%x: tensor<37x48xf16>, %g: tensor<48x80xf16>, %u: tensor<48x80xf16>, "
             "%w: tensor<80x56xf16>",
             out)
      .product("gate", x, "%g : tensor<48x80xf16>", wide)
      .product("up", x, "%u : tensor<48x80xf16>", wide)
      .elementwise("act", {"%gate : " + wide}, wide, activation)
      .elementwise("h", {"%act : " + wide, "%up : " + wide}, narrow,
                   "%p = arith.mulf %x0, %x1 : f32\n    %r = arith.truncf %p : f32 to f16")
      .product("d", "%h : " + narrow, "%w : tensor<80x56xf16>", out)
      .returns("%d : " + out);
}

TEST(Sequence, GateOfRelu) {
  expect_right(gated("%r = arith.maximumf %x0, %zero : f32"), 3, [](const auto& a) {
    const Numbers h = both(each(a[0] * a[1], relu), a[0] * a[2], std::multiplies<>());
    return std::vector<Numbers>{h * a[3]};
  });
}

TEST(Sequence, GateOfSilu) {
  const std::string silu =
      "%one = arith.constant 1.0 : f32\n    %n = arith.negf %x0 : f32\n"
      "    %e = math.exp %n : f32\n    %q = arith.addf %e, %one : f32\n"
      "    %r = arith.divf %x0, %q : f32";
  const auto expected = [](const auto& a) {
    const Numbers gate = each(a[0] * a[1], [](double z) { return z / (1 + std::exp(-z)); });
    return std::vector<Numbers>{both(gate, a[0] * a[2], std::multiplies<>()) * a[3]};
  };
  expect_right(gated(silu), 3, expected, 0, 0x1p-9);  // the hidden layer is f16
}

TEST(Sequence, ChainOfThree) {
  const std::string t1 = "tensor<37x64xf32>", n1 = "tensor<37x64xf16>", t2 = "tensor<37x40xf32>",
                    n2 = "tensor<37x40xf16>", t3 = "tensor<37x33xf32>";
  const std::string text =
      Text(
          "%x: tensor<37x48xf16>, %a: tensor<48x64xf16>, %b: tensor<64x40xf16>, "
          "%c: tensor<40x33xf16>",
          t3)
          .product("p", x, "%a : tensor<48x64xf16>", t1)
          .elementwise("pn", {"%p : " + t1}, n1, "%r = arith.truncf %x0 : f32 to f16")
          .product("q", "%pn : " + n1, "%b : tensor<64x40xf16>", t2)
          .elementwise("qn", {"%q : " + t2}, n2, "%r = arith.truncf %x0 : f32 to f16")
          .product("d", "%qn : " + n2, "%c : tensor<40x33xf16>", t3)
          .returns("%d : " + t3);
  expect_right(text, 3,
               [](const auto& a) { return std::vector<Numbers>{a[0] * a[1] * a[2] * a[3]}; });
}

TEST(Sequence, IndependentProducts) {
  const std::string d = "tensor<37x80xf32>", e = "tensor<37x56xf16>", s = "tensor<37x56xf32>";
  const std::string text =
      Text("%x: tensor<37x48xf16>, %a: tensor<48x80xf16>, %b: tensor<48x56xf16>", d + ", " + e)
          .product("d", x, "%a : tensor<48x80xf16>", d)
          .product("s", x, "%b : tensor<48x56xf16>", s)
          .elementwise("e", {"%s : " + s}, e, narrow_relu)
          .returns("%d, %e : " + d + ", " + e);
  expect_right(text, 2, [](const auto& a) {
    return std::vector<Numbers>{a[0] * a[1], each(a[0] * a[2], relu)};
  });
}

// What a part after it needs is computed there when the function returns something else of it.
TEST(Sequence, ResultThatIsReadToo) {
  const std::string h = "tensor<37x80xf32>", n = "tensor<37x80xf16>", d = "tensor<37x56xf32>";
  const std::string text =
      Text("%x: tensor<37x48xf16>, %a: tensor<48x80xf16>, %b: tensor<80x56xf16>", d + ", " + h)
          .product("h", x, "%a : tensor<48x80xf16>", h)
          .elementwise("n", {"%h : " + h}, n, narrow_relu)
          .product("d", "%n : " + n, "%b : tensor<80x56xf16>", d)
          .returns("%d, %h : " + d + ", " + h);
  expect_right(text, 2, [](const auto& a) {
    const Numbers hidden = a[0] * a[1];
    return std::vector<Numbers>{each(hidden, relu) * a[2], hidden};
  });
}

// Both are written by the kernel of the product, also one that a part after it needs.
TEST(Sequence, ResultsOfOneProduct) {
  const std::string d = "tensor<37x56xf32>", n = "tensor<37x56xf16>", t = "tensor<56x37xf32>",
                    e = "tensor<37x40xf32>";
  const std::string transposed = "%t_e = tensor.empty() : " + t +
                                 "\n  %t = linalg.transpose ins(%d : " + d + ") outs(%t_e : " + t +
                                 ") permutation = [1, 0]";
  Text text("%x: tensor<37x48xf16>, %a: tensor<48x56xf16>, %b: tensor<56xf32>",
            n + ", " + d + ", " + t);
  text.product("d", x, "%a : tensor<48x56xf16>", d)
      .elementwise("n", {"%d : " + d, "%b : tensor<56xf32>"}, n,
                   "%y = arith.addf %x0, %x1 : f32\n    %r = arith.truncf %y : f32 to f16")
      .line(transposed);
  expect_right(text.returns("%n, %d, %t : " + n + ", " + d + ", " + t), 1, [](const auto& a) {
    const Numbers product = a[0] * a[1];
    Numbers turned = zeros(product.columns, product.rows);
    for (std::int64_t i = 0; i < turned.rows; ++i)
      for (std::int64_t j = 0; j < turned.columns; ++j) turned.at(i, j) = product.at(j, i);
    return std::vector<Numbers>{with_bias(product, a[2]), product, turned};
  });
  Text needed("%x: tensor<37x48xf16>, %a: tensor<48x56xf16>, %b: tensor<56x40xf16>", n + ", " + e);
  needed.product("d", x, "%a : tensor<48x56xf16>", d)
      .elementwise("n", {"%d : " + d}, n, narrow_relu)
      .elementwise("h", {"%d : " + d}, n, "%r = arith.truncf %x0 : f32 to f16")
      .product("e", "%h : " + n, "%b : tensor<56x40xf16>", e);
  expect_right(needed.returns("%n, %e : " + n + ", " + e), 2, [](const auto& a) {
    const Numbers product = a[0] * a[1];
    return std::vector<Numbers>{each(product, relu), product * a[2]};
  });
}

// The first product is added to the second: an initial value, and one that an epilogue adds.
TEST(Sequence, Residual) {
  const std::string d = "tensor<37x56xf32>";
  for (const bool is_initial : {false, true}) {
    Text text("%x: tensor<37x48xf16>, %a: tensor<48x56xf16>, %b: tensor<48x56xf16>", d);
    text.product("p", x, "%a : tensor<48x56xf16>", d);
    if (is_initial) {
      text.line("%d = linalg.matmul ins(%x, %b : tensor<37x48xf16>, tensor<48x56xf16>) outs(%p : " +
                d + ") -> " + d);
    } else {
      text.product("q", x, "%b : tensor<48x56xf16>", d)
          .elementwise("d", {"%p : " + d, "%q : " + d}, d, "%r = arith.addf %x0, %x1 : f32");
    }
    expect_right(text.returns("%d : " + d), 2, [](const auto& a) {
      return std::vector<Numbers>{both(a[0] * a[1], a[0] * a[2], std::plus<>())};
    });
  }
}

// One linalg.generic that multiplies with two matrices.
TEST(Sequence, OneOperationWithTwoProducts) {
  const std::string d = "tensor<37x56xf32>";
  Text text("%x: tensor<37x48xf16>, %a: tensor<56x48xf16>, %b: tensor<56x48xf16>", d + ", " + d,
            "#a = affine_map<(m, n, k) -> (m, k)>\n#b = affine_map<(m, n, k) -> (n, k)>\n"
            "#d = affine_map<(m, n, k) -> (m, n)>\n");
  text.line("%e = tensor.empty() : " + d)
      .line("%z = linalg.fill ins(%zero : f32) outs(%e : " + d + ") -> " + d)
      .line(
          "%p:2 = linalg.generic {indexing_maps = [#a, #b, #b, #d, #d], iterator_types = "
          "[\"parallel\", \"parallel\", \"reduction\"]} ins(%x, %a, %b : tensor<37x48xf16>, "
          "tensor<56x48xf16>, tensor<56x48xf16>) outs(%z, %z : " +
          d + ", " + d + ") {")
      .line("^bb0(%u: f16, %v: f16, %w: f16, %s: f32, %t: f32):")
      .line("%u1 = arith.extf %u : f16 to f32\n  %v1 = arith.extf %v : f16 to f32")
      .line("%w1 = arith.extf %w : f16 to f32")
      .line("%uv = arith.mulf %u1, %v1 : f32\n  %uw = arith.mulf %u1, %w1 : f32")
      .line("%s1 = arith.addf %s, %uv : f32\n  %t1 = arith.addf %t, %uw : f32")
      .line("linalg.yield %s1, %t1 : f32, f32\n  } -> (" + d + ", " + d + ")");
  const auto transposed = [](const Numbers& y) {
    Numbers result = zeros(y.columns, y.rows);
    for (std::int64_t i = 0; i < y.rows; ++i)
      for (std::int64_t j = 0; j < y.columns; ++j) result.at(j, i) = y.at(i, j);
    return result;
  };
  expect_right(text.returns("%p#0, %p#1 : " + d + ", " + d), 2, [&](const auto& a) {
    return std::vector<Numbers>{a[0] * transposed(a[1]), a[0] * transposed(a[2])};
  });
}

// One linalg.generic behind two products: each result belongs to the product that it reads.
TEST(Sequence, OneOperationBehindTwoProducts) {
  const std::string d = "tensor<37x56xf32>", n = "tensor<37x56xf16>";
  Text text("%x: tensor<37x48xf16>, %a: tensor<48x56xf16>, %b: tensor<48x56xf16>", n + ", " + n);
  text.product("p", x, "%a : tensor<48x56xf16>", d)
      .product("q", x, "%b : tensor<48x56xf16>", d)
      .line("%e = tensor.empty() : " + n)
      .line(
          "%r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = "
          "[\"parallel\", \"parallel\"]} ins(%p, %q : " +
          d + ", " + d + ") outs(%e, %e : " + n + ", " + n + ") {")
      .line("^bb0(%u: f32, %v: f32, %s: f16, %t: f16):")
      .line("%u1 = arith.truncf %u : f32 to f16\n  %v1 = arith.truncf %v : f32 to f16")
      .line("linalg.yield %u1, %v1 : f16, f16\n  } -> (" + n + ", " + n + ")");
  expect_right(text.returns("%r#0, %r#1 : " + n + ", " + n), 2,
               [](const auto& a) { return std::vector<Numbers>{a[0] * a[1], a[0] * a[2]}; });
}

TEST(Sequence, WhatNothingUsesIsLeftOut) {
  const std::string d = "tensor<37x56xf32>";
  const std::string text =
      Text("%x: tensor<37x48xf16>, %a: tensor<48x56xf16>, %b: tensor<48x56xf16>", d)
          .product("p", x, "%a : tensor<48x56xf16>", d)
          .product("q", x, "%b : tensor<48x56xf16>", d)
          .elementwise("e", {"%p : " + d, "%q : " + d}, d, "%r = arith.addf %x0, %x1 : f32")
          .returns("%q : " + d);
  expect_right(text, 1, [](const auto& a) { return std::vector<Numbers>{a[0] * a[2]}; });
  // A size of the unused one may still be asked for.
  EXPECT_TRUE(compile(text, "test.mlir", {}, Stage::plan).has_value());
}

TEST(Sequence, MoreProductsThanAFunctionMayHave) {
  const auto chain = [](int products) {
    const std::string type = "tensor<16x16xf32>";
    Text text("%v0: " + type, type);
    for (int i = 1; i <= products; ++i) {
      const std::string before = "%v" + std::to_string(i - 1) + " : " + type;
      text.product("v" + std::to_string(i), before, before, type);
    }
    return text.returns("%v" + std::to_string(products) + " : " + type);
  };
  const auto most = compile_sequence(chain(64), "test.mlir", {}, Stage::plan);
  ASSERT_TRUE(most.has_value()) << most.error();
  EXPECT_EQ(most->kernels.size(), 64u);
  const auto more = compile_sequence(chain(65), "test.mlir", {}, Stage::plan);
  ASSERT_FALSE(more.has_value());
  EXPECT_NE(more.error().find("a function with 65 products; accepted: at most 64"),
            std::string::npos)
      << more.error();
}

TEST(Sequence, OneKernelIsNotMany) {
  const auto compiled = compile(mlp("37", ""), "test.mlir", {}, Stage::plan);
  ASSERT_FALSE(compiled.has_value());
  EXPECT_NE(compiled.error().find("several products or results; accepted: one"), std::string::npos)
      << compiled.error();
}

}  // namespace sequence_test
}  // namespace heddle::compiler
