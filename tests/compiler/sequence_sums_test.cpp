// Sums and maxima between two products, and what has a kernel of its own without a product, each
// result against float64.
#include "sequence_run.h"

namespace heddle::compiler {
namespace sequence_sums_test {

const std::string x = "%x : tensor<37x48xf16>";

// y = x * a, divided by the sum of its row on the way into y * b; and plus that sum, in the
// epilogue of a product that comes after the sum whatever the order of the text.
TEST(SequenceSums, SumsOfRowsBetweenProducts) {
  const std::string d = "tensor<37x32xf32>", n = "tensor<37x32xf16>", e = "tensor<37x40xf32>",
                    row = "tensor<37xf32>";
  const std::string maps = "#col = affine_map<(m, n) -> (m)>\n";
  const auto sums = [&](Text& text, const std::string& of) {
    text.line("%s_e = tensor.empty() : " + row)
        .line("%s_z = linalg.fill ins(%zero : f32) outs(%s_e : " + row + ") -> " + row)
        .line(
            "%s = linalg.generic {indexing_maps = [#id, #col], iterator_types = [\"parallel\", "
            "\"reduction\"]} ins(" +
            of + ") outs(%s_z : " + row + ") {\n  ^bb0(%u: f32, %t: f32):")
        .line("%v = arith.addf %t, %u : f32\n  linalg.yield %v : f32\n  } -> " + row);
  };
  const auto with_sums = [&](Text& text, const std::string& name, const std::string& of,
                             const std::string& type, const std::string& operation) {
    text.line("%" + name + "_e = tensor.empty() : " + type)
        .line("%" + name +
              " = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = "
              "[\"parallel\", \"parallel\"]} ins(" +
              of + ", %s : " + type + ", " + row + ") outs(%" + name + "_e : " + type +
              ") {\n  ^bb0(%u: f32, %t: f32, %unused: f32):")
        .line("%v = " + operation + " %u, %t : f32\n  linalg.yield %v : f32\n  } -> " + type);
  };
  const auto sum_of = [](const Numbers& y, std::int64_t m) {
    double sum = 0;
    for (std::int64_t i = 0; i < y.columns; ++i) sum += y.at(m, i);
    return sum;
  };
  Text text("%x: tensor<37x48xf16>, %a: tensor<48x32xf16>, %b: tensor<32x40xf32>", e, maps);
  text.product("y", x, "%a : tensor<48x32xf16>", d);
  sums(text, "%y : " + d);
  with_sums(text, "q", "%y", d, "arith.mulf");
  text.product("e", "%q : " + d, "%b : tensor<32x40xf32>", e);
  expect_right(text.returns("%e : " + e), 3, [&](const auto& a) {
    Numbers y = a[0] * a[1], q = y;
    for (std::int64_t m = 0; m < q.rows; ++m)
      for (std::int64_t i = 0; i < q.columns; ++i) q.at(m, i) *= sum_of(y, m);
    return std::vector<Numbers>{q * a[2]};
  });
  Text after("%x: tensor<37x48xf16>, %a: tensor<48x32xf16>, %b: tensor<37x40xf32>", d, maps);
  after.product("y", x, "%a : tensor<48x32xf16>", d);
  sums(after, "%b : tensor<37x40xf32>");
  with_sums(after, "q", "%y", d, "arith.addf");
  expect_right(after.returns("%q : " + d), 2, [&](const auto& a) {
    Numbers y = a[0] * a[1];
    for (std::int64_t m = 0; m < y.rows; ++m)
      for (std::int64_t i = 0; i < y.columns; ++i) y.at(m, i) += sum_of(a[2], m);
    return std::vector<Numbers>{y};
  });
}

// Each row less its largest number, which is itself a part between two products.
TEST(SequenceSums, MaximumBetweenProducts) {
  const std::string mlir = R"(
#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<37x48xf16>, %a: tensor<48x30xf16>, %b: tensor<30x40xf32>)
    -> tensor<37x40xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %ye = tensor.empty() : tensor<37x30xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<37x30xf32>) -> tensor<37x30xf32>
  %y = linalg.matmul ins(%x, %a : tensor<37x48xf16>, tensor<48x30xf16>)
      outs(%yz : tensor<37x30xf32>) -> tensor<37x30xf32>
  %se = tensor.empty() : tensor<37xf32>
  %sl = linalg.fill ins(%low : f32) outs(%se : tensor<37xf32>) -> tensor<37xf32>
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<37x30xf32>) outs(%sl : tensor<37xf32>) {
  ^bb0(%u: f32, %t: f32):
    %v = arith.maximumf %t, %u : f32
    linalg.yield %v : f32
  } -> tensor<37xf32>
  %q = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %s : tensor<37x30xf32>, tensor<37xf32>) outs(%ye : tensor<37x30xf32>) {
  ^bb0(%u: f32, %t: f32, %unused: f32):
    %v = arith.subf %u, %t : f32
    linalg.yield %v : f32
  } -> tensor<37x30xf32>
  %ee = tensor.empty() : tensor<37x40xf32>
  %ez = linalg.fill ins(%zero : f32) outs(%ee : tensor<37x40xf32>) -> tensor<37x40xf32>
  %e = linalg.matmul ins(%q, %b : tensor<37x30xf32>, tensor<30x40xf32>)
      outs(%ez : tensor<37x40xf32>) -> tensor<37x40xf32>
  return %e : tensor<37x40xf32>
}
)";
  expect_right(mlir, 3, [&](const auto& a) {
    const Numbers y = a[0] * a[1];
    Numbers q = y;
    for (std::int64_t m = 0; m < q.rows; ++m) {
      double most = y.at(m, 0);
      for (std::int64_t i = 1; i < q.columns; ++i) most = std::max(most, y.at(m, i));
      for (std::int64_t i = 0; i < q.columns; ++i) q.at(m, i) -= most;
    }
    return std::vector<Numbers>{q * a[2]};
  });
}

// Attention of one head: MLIR's softmax is a maximum, exponentials, their sum and a division.
TEST(SequenceSums, SoftmaxBetweenProducts) {
  const std::string mlir = R"(
#t = affine_map<(m, n, k) -> (n, k)>
func.func @f(%q: tensor<37x24xf16>, %k: tensor<30x24xf16>, %v: tensor<30x40xf32>)
    -> tensor<37x40xf32> {
  %zero = arith.constant 0.0 : f32
  %se = tensor.empty() : tensor<37x30xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<37x30xf32>) -> tensor<37x30xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, #t,
      affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<37x24xf16>, tensor<30x24xf16>)
      outs(%sz : tensor<37x30xf32>) -> tensor<37x30xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<37x30xf32>) outs(%se : tensor<37x30xf32>)
      -> tensor<37x30xf32>
  %oe = tensor.empty() : tensor<37x40xf32>
  %oz = linalg.fill ins(%zero : f32) outs(%oe : tensor<37x40xf32>) -> tensor<37x40xf32>
  %o = linalg.matmul ins(%p, %v : tensor<37x30xf32>, tensor<30x40xf32>)
      outs(%oz : tensor<37x40xf32>) -> tensor<37x40xf32>
  return %o : tensor<37x40xf32>
}
)";
  const auto expected = [](const auto& a) {
    Numbers p = zeros(a[0].rows, a[1].rows);
    for (std::int64_t m = 0; m < p.rows; ++m) {
      double sum = 0;
      for (std::int64_t n = 0; n < p.columns; ++n) {
        for (std::int64_t k = 0; k < a[0].columns; ++k) p.at(m, n) += a[0].at(m, k) * a[1].at(n, k);
        sum += std::exp(p.at(m, n));
      }
      for (std::int64_t n = 0; n < p.columns; ++n) p.at(m, n) = std::exp(p.at(m, n)) / sum;
    }
    return std::vector<Numbers>{p * a[2]};
  };
  expect_right(mlir, 4, expected, 0, 0x1p-18);
}

// A text that sums the squares of each row of %x, of `type`, and adds one (of integers 2^33) to the
// sum, which is %m. The lines of `last` make the result's element %n of it and of the element %a of
// %x.
std::string rows_with_sums(const std::string& type, const std::string& last) {
  const std::string letter = type[0] == 'f' ? "f" : "i";
  std::string text = R"(
#id = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (m)>
func.func @f(%x: tensor<37x48xTYPE>) -> tensor<37x48xTYPE> {
  %zero = arith.constant ZERO : TYPE
  %one = arith.constant ONE : TYPE
  %r = tensor.empty() : tensor<37xTYPE>
  %z = linalg.fill ins(%zero : TYPE) outs(%r : tensor<37xTYPE>) -> tensor<37xTYPE>
  %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<37x48xTYPE>) outs(%z : tensor<37xTYPE>) {
  ^bb0(%a: TYPE, %t: TYPE):
    %q = arith.mulL %a, %a : TYPE
    %n = arith.addL %t, %q : TYPE
    linalg.yield %n : TYPE
  } -> tensor<37xTYPE>
  %e = tensor.empty() : tensor<37x48xTYPE>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<37x48xTYPE>, tensor<37xTYPE>) outs(%e : tensor<37x48xTYPE>) {
  ^bb0(%a: TYPE, %t: TYPE, %unused: TYPE):
    %m = arith.addL %t, %one : TYPE
LAST
    linalg.yield %n : TYPE
  } -> tensor<37x48xTYPE>
  return %y : tensor<37x48xTYPE>
}
)";
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("LAST", last);
  replace("ZERO", letter == "f" ? "0.0" : "0");
  replace("ONE", letter == "f" ? "1.0" : "8589934592");  // more than 32 bits hold
  replace("mulL", "mul" + letter);
  replace("addL", "add" + letter);
  replace("TYPE", type);
  return text;
}

std::vector<Numbers> with_sums_of_squares(const std::vector<Numbers>& a, double first,
                                          const std::function<double(double, double)>& last) {
  Numbers y = a[0];
  for (std::int64_t m = 0; m < y.rows; ++m) {
    double sum = first;
    for (std::int64_t n = 0; n < y.columns; ++n) sum += y.at(m, n) * y.at(m, n);
    for (std::int64_t n = 0; n < y.columns; ++n) y.at(m, n) = last(y.at(m, n), sum);
  }
  return {y};
}

// A matrix of which each element needs the sum of its row: the sums are a kernel, the matrix
// another, in which no element computes its row's sum again.
TEST(SequenceSums, SumsOfRowsInAResult) {
  const std::string root = "    %p = math.rsqrt %m : f32\n    %n = arith.mulf %a, %p : f32";
  const auto by_root = [](const std::vector<Numbers>& a) {
    return with_sums_of_squares(a, 1, [](double x, double sum) { return x / std::sqrt(sum); });
  };
  expect_right(rows_with_sums("f32", root), 2, by_root, 0, 0x1p-20);
  const auto by_quotient = [](const std::vector<Numbers>& a) {
    return with_sums_of_squares(a, 1, [](double x, double sum) { return x / sum; });
  };
  expect_right(rows_with_sums("f64", "    %n = arith.divf %a, %m : f64"), 2, by_quotient, 0,
               0x1p-50);
  const auto by_product = [](const std::vector<Numbers>& a) {
    return with_sums_of_squares(a, 0x1p33, [](double x, double sum) { return x * sum; });
  };
  expect_right(rows_with_sums("i64", "    %n = arith.muli %a, %m : i64"), 2, by_product);
}

// Where a number of f32 is only copied, no way to multiply f32 changes it.
TEST(SequenceSums, ACopyIsExactHoweverProductsAreMultiplied) {
  const std::string root = "    %p = math.rsqrt %m : f32\n    %n = arith.mulf %a, %p : f32";
  for (const auto& [target, path] : {std::pair{Target::sm_80, plan::F32Path::tf32},
                                     std::pair{Target::gfx1151, plan::F32Path::bf16x3}}) {
    const SequenceOutcome done =
        run_sequence(rows_with_sums("f32", root), {.target = target, .f32 = path}, 0);
    ASSERT_EQ(done.error, "");
    ASSERT_EQ(done.all.sequence.parts.size(), 2u);
    EXPECT_EQ(done.all.sequence.parts[0].request.problem.f32, path);
    EXPECT_EQ(done.all.sequence.parts[1].request.problem.f32, plan::F32Path::exact);
  }
}

// Softmax as a result: a maximum, a sum of exponentials, and the quotients.
TEST(SequenceSums, SoftmaxAsAResult) {
  const std::string mlir = R"(
func.func @f(%x: tensor<37x30xf32>) -> tensor<37x30xf32> {
  %e = tensor.empty() : tensor<37x30xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<37x30xf32>) outs(%e : tensor<37x30xf32>)
      -> tensor<37x30xf32>
  return %p : tensor<37x30xf32>
}
)";
  const auto expected = [](const auto& a) {
    Numbers p = each(a[0], [](double x) { return std::exp(x); });
    for (std::int64_t m = 0; m < p.rows; ++m) {
      double sum = 0;
      for (std::int64_t n = 0; n < p.columns; ++n) sum += p.at(m, n);
      for (std::int64_t n = 0; n < p.columns; ++n) p.at(m, n) /= sum;
    }
    return std::vector<Numbers>{p};
  };
  expect_right(mlir, 3, expected, 0, 0x1p-18);
}

// The same of a product: softmax(x * a). The quotients are no epilogue of the product, on which
// their sums depend.
TEST(SequenceSums, SoftmaxOfAProductAsAResult) {
  const std::string d = "tensor<37x30xf32>";
  Text text("%x: tensor<37x48xf16>, %a: tensor<48x30xf16>", d);
  text.product("y", x, "%a : tensor<48x30xf16>", d)
      .line("%p_e = tensor.empty() : " + d)
      .line("%p = linalg.softmax dimension(1) ins(%y : " + d + ") outs(%p_e : " + d + ") -> " + d);
  const auto expected = [](const auto& a) {
    Numbers p = each(a[0] * a[1], [](double value) { return std::exp(value); });
    for (std::int64_t m = 0; m < p.rows; ++m) {
      double sum = 0;
      for (std::int64_t n = 0; n < p.columns; ++n) sum += p.at(m, n);
      for (std::int64_t n = 0; n < p.columns; ++n) p.at(m, n) /= sum;
    }
    return std::vector<Numbers>{p};
  };
  expect_right(text.returns("%p : " + d), 4, expected, 0, 0x1p-15);
}

// What no product can compute on its way has a kernel of its own: M + transposed(M).
TEST(SequenceSums, TransposedOfTheSameProduct) {
  const std::string d = "tensor<40x40xf32>";
  Text text("%x: tensor<40x48xf16>, %a: tensor<48x40xf16>", d,
            "#other = affine_map<(m, n) -> (n, m)>\n");
  text.product("p", "%x : tensor<40x48xf16>", "%a : tensor<48x40xf16>", d)
      .line(
          "%d = linalg.generic {indexing_maps = [#id, #other, #id], iterator_types = "
          "[\"parallel\", \"parallel\"]} ins(%p, %p : " +
          d + ", " + d + ") outs(%p_e : " + d + ") {")
      .line("^bb0(%u: f32, %v: f32, %o: f32):\n  %r = arith.addf %u, %v : f32")
      .line("linalg.yield %r : f32\n  } -> " + d);
  expect_right(text.returns("%d : " + d), 2, [](const auto& a) {
    const Numbers product = a[0] * a[1];
    Numbers sum = product;
    for (std::int64_t i = 0; i < 40; ++i)
      for (std::int64_t j = 0; j < 40; ++j) sum.at(i, j) += product.at(j, i);
    return std::vector<Numbers>{sum};
  });
}

// A result of no product is written beside one of its type, or by a kernel of its own.
TEST(SequenceSums, ResultsWithoutAProduct) {
  const std::string d = "tensor<37x56xf32>", e = "tensor<9x20xf16>";
  Text text("%x: tensor<37x48xf16>, %a: tensor<48x56xf16>, %c: " + d + ", %e: " + e,
            d + ", " + d + ", " + e);
  text.product("p", x, "%a : tensor<48x56xf16>", d)
      .elementwise("q", {"%c : " + d}, d, "%r = arith.negf %x0 : f32")
      .elementwise("r", {"%e : " + e}, e, "%r = arith.addf %x0, %x0 : f16");
  expect_right(text.returns("%p, %q, %r : " + d + ", " + d + ", " + e), 2, [](const auto& a) {
    return std::vector<Numbers>{a[0] * a[1], each(a[2], [](double number) { return -number; }),
                                each(a[3], [](double number) { return 2 * number; })};
  });
}

// Zeros around a result, by tensor.pad and by linalg.pack of what linalg.unpack gave.
TEST(SequenceSums, PaddingAroundAResult) {
  const std::string d = "tensor<37x56xf32>", wide = "tensor<40x60xf32>";
  Text text("%x: tensor<37x48xf16>, %a: tensor<48x56xf16>", wide);
  text.product("p", x, "%a : tensor<48x56xf16>", d)
      .line("%d = tensor.pad %p low[1, 0] high[2, 4] {\n  ^bb0(%i: index, %j: index):")
      .line("tensor.yield %zero : f32\n  } : " + d + " to " + wide);
  expect_right(text.returns("%d : " + wide), 2, [](const auto& a) {
    const Numbers product = a[0] * a[1];
    Numbers padded = zeros(40, 60);
    for (std::int64_t i = 0; i < 37; ++i)
      for (std::int64_t j = 0; j < 56; ++j) padded.at(i + 1, j) = product.at(i, j);
    return std::vector<Numbers>{padded};
  });
  const std::string tiles = "tensor<5x7x8x8xf32>";
  Text packed("%x: tensor<5x48x8xf16>, %a: tensor<7x48x8xf16>", tiles,
              "#x = affine_map<(i, j, k, m, n) -> (i, k, m)>\n"
              "#a = affine_map<(i, j, k, m, n) -> (j, k, n)>\n"
              "#d = affine_map<(i, j, k, m, n) -> (i, j, m, n)>\n");
  packed.line("%e = tensor.empty() : " + tiles)
      .line("%z = linalg.fill ins(%zero : f32) outs(%e : " + tiles + ") -> " + tiles)
      .line(
          "%p = linalg.contract indexing_maps = [#x, #a, #d] ins(%x, %a : "
          "tensor<5x48x8xf16>, tensor<7x48x8xf16>) outs(%z : " +
          tiles + ") -> " + tiles)
      .line("%f = tensor.empty() : " + d)
      .line("%u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %f : " +
            tiles + " -> " + d)
      .line(
          "%d = linalg.pack %u padding_value(%zero : f32) inner_dims_pos = [0, 1] "
          "inner_tiles = [8, 8] into %e : " +
          d + " -> " + tiles);
  expect_right(packed.returns("%d : " + tiles), 2, [](const auto& a) {
    Numbers result = zeros(5, 7 * 64);
    for (std::int64_t i = 0; i < 37; ++i)
      for (std::int64_t j = 0; j < 56; ++j)
        for (std::int64_t k = 0; k < 48; ++k)
          result.at(i / 8, j / 8 * 64 + i % 8 * 8 + j % 8) +=
              a[0].values[static_cast<std::size_t>((i / 8 * 48 + k) * 8 + i % 8)] *
              a[1].values[static_cast<std::size_t>((j / 8 * 48 + k) * 8 + j % 8)];
    return std::vector<Numbers>{result};
  });
}

}  // namespace sequence_sums_test
}  // namespace heddle::compiler
