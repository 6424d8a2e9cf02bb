// Tensors of i1: masks of results and of inputs, masks that are multiplied, and results that are
// masks, on every kind of kernel, against formulas in plain C++ and by the judge of `heddle run`.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "product_run.h"
#include "runtime/numbers/matrix.h"
#include "runtime/numbers/number.h"

namespace heddle::compiler {
namespace masks_test {

using instruction::Target;

constexpr std::array targets{Target::gfx1100, Target::gfx1151, Target::gfx1201, Target::sm_80,
                             Target::sm_90a};
constexpr int m = 20, n = 24, k = 17;

/// An argument of the function: its name, and its rows and columns.
struct Argument {
  std::string name, type;
  int rows, columns;

  std::string shaped(const std::string& kind) const {
    return kind + "<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
  }
};

/// The elements of an argument.
struct Numbers {
  std::vector<double> values;
  int columns = 1;
  double at(int row, int column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};
using Inputs = std::vector<Numbers>;

double product(
    const Inputs& in, int row, int column,
    const std::function<double(double)>& of_a = [](double x) { return x; }) {
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += of_a(in[0].at(row, i)) * in[1].at(i, column);
  return sum;
}

struct Case {
  std::string name;
  std::vector<Argument> arguments;
  std::string result;  // its element type
  std::string body;    // of the function; %d is returned
  std::function<double(const Inputs& in, int row, int column)> expected;

  std::string mlir() const {
    const std::string d = Argument{"", result, m, n}.shaped("tensor");
    std::string text = "#same = affine_map<(i, j) -> (i, j)>\nfunc.func @f(";
    for (const Argument& argument : arguments)
      text += (&argument == arguments.data() ? "%" : ", %") + argument.name + ": " +
              argument.shaped("tensor");
    return text + ") -> " + d + " {\n" + body + "  return %d : " + d + "\n}\n";
  }
};

std::string matmul(const std::string& a = "tensor<20x17xf16>", const std::string& from = "%a",
                   const std::string& to = "%r") {
  return "  %zero = arith.constant 0.0 : f32\n  %empty = tensor.empty() : tensor<20x24xf32>\n"
         "  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<20x24xf32>) -> "
         "tensor<20x24xf32>\n  " +
         to + " = linalg.matmul ins(" + from + ", %b : " + a + ", tensor<17x24x" +
         a.substr(a.size() - 4, 3) + ">) outs(%none : tensor<20x24xf32>) -> tensor<20x24xf32>\n";
}

/// An elementwise operation `to` = steps(inputs), each of the inputs "%name : type element".
std::string elementwise(const std::string& to,
                        const std::vector<std::array<std::string, 3>>& inputs,
                        const std::string& shape, const std::string& element,
                        const std::string& steps) {
  std::string names, types, arguments, maps;
  for (const auto& [name, type, argument] : inputs) {
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "tensor<" : ", tensor<") + shape + type + ">";
    arguments += argument + ": " + type + ", ";
    maps += "#same, ";
  }
  const std::string type = "tensor<" + shape + element + ">";
  return "  %out_" + to + " = tensor.empty() : " + type + "\n  %" + to +
         " = linalg.generic {indexing_maps = [" + maps +
         "#same], iterator_types = [\"parallel\", \"parallel\"]} ins(" + names + " : " + types +
         ") outs(%out_" + to + " : " + type + ") {\n  ^bb0(" + arguments + "%unused: " + element +
         "):\n" + steps + "  } -> " + type + "\n";
}

const Argument a16{"a", "f16", m, k}, b16{"b", "f16", k, n}, mask{"x", "i1", m, n},
    other{"y", "i1", m, n};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back(
      {"select of a result",
       {a16, b16, mask},
       "f32",
       matmul() + elementwise("d", {{"%r", "f32", "%s"}, {"%x", "i1", "%keep"}}, "20x24x", "f32",
                              "    %low = arith.constant -1.0 : f32\n"
                              "    %t = arith.select %keep, %s, %low : f32\n"
                              "    linalg.yield %t : f32\n"),
       [](const Inputs& in, int i, int j) {
         return in[2].at(i, j) != 0 ? product(in, i, j) : -1;
       }});
  for (const bool is_signed : {false, true})
    all.push_back(
        {is_signed ? "added, true is -1" : "added, true is 1",
         {a16, b16, mask},
         "f32",
         matmul() + elementwise("d", {{"%x", "i1", "%bit"}, {"%r", "f32", "%s"}}, "20x24x", "f32",
                                std::string("    %f = arith.") + (is_signed ? "sitofp" : "uitofp") +
                                    " %bit : i1 to f32\n"
                                    "    %t = arith.addf %f, %s : f32\n"
                                    "    linalg.yield %t : f32\n"),
         [is_signed](const Inputs& in, int i, int j) {
           return product(in, i, j) + (is_signed ? -1 : 1) * in[2].at(i, j);
         }});
  for (const std::string type : {"f32", "f16"})
    all.push_back({"a matrix of bits times " + type,
                   {{"a", "i1", m, k}, {"b", type, k, n}},
                   "f32",
                   elementwise("w", {{"%a", "i1", "%bit"}}, "20x17x", type,
                               "    %f = arith.uitofp %bit : i1 to " + type +
                                   "\n    linalg.yield %f : " + type + "\n") +
                       matmul("tensor<20x17x" + type + ">", "%w", "%d"),
                   [](const Inputs& in, int i, int j) { return product(in, i, j); }});
  for (const bool is_signed : {false, true}) {
    const std::string cast = is_signed ? "arith.extsi" : "arith.extui";
    all.push_back({"a matrix of bits times bytes, " + cast,
                   {{"a", "i1", m, k}, {"b", "i8", k, n}},
                   "i32",
                   "  %zero = arith.constant 0 : i32\n  %e = tensor.empty() : tensor<20x24xi32>\n"
                   "  %none = linalg.fill ins(%zero : i32) outs(%e : tensor<20x24xi32>) -> "
                   "tensor<20x24xi32>\n"
                   "  %d = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, "
                   "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], "
                   "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%a, %b : "
                   "tensor<20x17xi1>, tensor<17x24xi8>) outs(%none : tensor<20x24xi32>) {\n"
                   "  ^bb0(%p: i1, %q: i8, %s: i32):\n    %v = " +
                       cast +
                       " %p : i1 to i32\n    %w = arith.extsi %q : i8 to i32\n"
                       "    %vw = arith.muli %v, %w : i32\n    %t = arith.addi %s, %vw : i32\n"
                       "    linalg.yield %t : i32\n  } -> tensor<20x24xi32>\n",
                   [is_signed](const Inputs& in, int i, int j) {
                     return (is_signed ? -1 : 1) * product(in, i, j);
                   }});
  }
  all.push_back({"a mask of an input",
                 {{"a", "i1", m, k}, b16},
                 "f32",
                 elementwise("w", {{"%a", "i1", "%bit"}}, "20x17x", "f16",
                             "    %p = arith.constant 3.0 : f16\n    %q = arith.constant 0.5 : "
                             "f16\n    %f = arith.select %bit, %p, %q : f16\n"
                             "    linalg.yield %f : f16\n") +
                     matmul("tensor<20x17xf16>", "%w", "%d"),
                 [](const Inputs& in, int i, int j) {
                   return product(in, i, j, [](double x) { return x != 0 ? 3 : 0.5; });
                 }});
  all.push_back({"a result that is a mask",
                 {a16, b16},
                 "i1",
                 matmul() + elementwise("d", {{"%r", "f32", "%s"}}, "20x24x", "i1",
                                        "    %z = arith.constant 0.25 : f32\n"
                                        "    %t = arith.cmpf ogt, %s, %z : f32\n"
                                        "    linalg.yield %t : i1\n"),
                 [](const Inputs& in, int i, int j) { return product(in, i, j) > 0.25 ? 1 : 0; }});
  // Every operation of two bits, in one sum of powers of two.
  const std::array<std::string, 13> operations{
      "andi",  "ori",   "xori",     "muli",     "addi",     "maxsi",  "minsi",
      "maxui", "minui", "cmpi slt", "cmpi sle", "cmpi sgt", "cmpi ne"};
  std::string steps = "    %t0 = arith.constant 0.0 : f32\n";
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::string number = std::to_string(i), next = std::to_string(i + 1);
    const bool compares = operations[i].starts_with("cmpi");
    steps += "    %o" + number + " = arith." + operations[i] + (compares ? ", " : " ") +
             "%p, %q : i1\n    %w" + number + " = arith.constant " + std::to_string(1 << i) +
             ".0 : f32\n    %z" + number + " = arith.uitofp %o" + number + " : i1 to f32\n    %v" +
             number + " = arith.mulf %z" + number + ", %w" + number + " : f32\n    %t" + next +
             " = arith.addf %t" + number + ", %v" + number + " : f32\n";
  }
  steps +=
      "    %zero_sum = arith.constant 0.0 : f32\n    %gone = arith.mulf %s, %zero_sum : f32\n"
      "    %t = arith.addf %t13, %gone : f32\n    linalg.yield %t : f32\n";
  all.push_back(
      {"operations on bits",
       {a16, b16, mask, other},
       "f32",
       matmul() + elementwise("d", {{"%r", "f32", "%s"}, {"%x", "i1", "%p"}, {"%y", "i1", "%q"}},
                              "20x24x", "f32", steps),
       [](const Inputs& in, int i, int j) {
         const bool p = in[2].at(i, j) != 0, q = in[3].at(i, j) != 0;
         const int x = p ? -1 : 0, y = q ? -1 : 0;  // as signed numbers of one bit
         const std::array<bool, 13> bits{p && q,
                                         p || q,
                                         p != q,
                                         p && q,
                                         p != q,
                                         std::max(x, y) != 0,
                                         std::min(x, y) != 0,
                                         p || q,
                                         p && q,
                                         x<y, x <= y, x>
                                             y,
                                         x != y};
         double sum = 0;
         for (std::size_t b = 0; b < bits.size(); ++b) sum += bits[b] ? 1 << b : 0;
         return sum;
       }});
  all.push_back(
      {"the lowest bit of a byte",
       {a16, b16, {"x", "i8", m, n}},
       "f32",
       matmul() + elementwise("d", {{"%r", "f32", "%s"}, {"%x", "i8", "%byte"}}, "20x24x", "f32",
                              "    %bit = arith.trunci %byte : i8 to i1\n"
                              "    %n = arith.negf %s : f32\n"
                              "    %t = arith.select %bit, %s, %n : f32\n"
                              "    linalg.yield %t : f32\n"),
       [](const Inputs& in, int i, int j) {
         const bool odd = std::fmod(in[2].at(i, j), 2) != 0;
         return (odd ? 1 : -1) * product(in, i, j);
       }});
  return all;
}

Numbers numbers(const std::vector<std::byte>& bytes, instruction::ElementType type, int columns) {
  Numbers result{{}, columns};
  const auto step = static_cast<std::size_t>(instruction::bits(type)) / 8;
  for (std::size_t i = 0; i * step < bytes.size(); ++i)
    result.values.push_back(
        runtime::load_number(runtime::number_type(type), bytes.data() + i * step));
  return result;
}

TEST(Masks, AreRightOnEveryTarget) {
  int ran = 0;
  for (const Target target : targets) {
    for (const Case& one : cases()) {
      SCOPED_TRACE(std::string(instruction::name(target)) + ": " + one.name + "\n" + one.mlir());
      const Outcome done = run(one.mlir(), {.target = target}, Operands::exact, 1,
                               [](const Compilation& kernel) { return kernel.problem; });
      ASSERT_EQ(done.error, "");
      EXPECT_TRUE(judged(done).right());
      Inputs in;
      for (std::size_t i = 0; i < one.arguments.size(); ++i)
        in.push_back(numbers(done.before[i], done.kernel.request.buffers[i].element,
                             one.arguments[i].columns));
      const Numbers found =
          numbers(done.after.back(), done.kernel.request.buffers.back().element, n);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          ASSERT_EQ(found.at(i, j), one.expected(in, i, j)) << i << "," << j;
      ++ran;
    }
  }
  EXPECT_EQ(ran, 55);
}

// In memrefs a mask has strides in bytes, and every byte but 0 is true.
TEST(Masks, OfMemrefsAreBytes) {
  const std::string text =
      "#same = affine_map<(i, j) -> (i, j)>\n"
      "func.func @f(%a: memref<20x17xf16>, %b: memref<17x24xf16>, %x: memref<20x24xi1, "
      "strided<[40, "
      "1], offset: 3>>, %d: memref<20x24xf32>) {\n"
      "  %z = arith.constant 0.0 : f32\n"
      "  linalg.fill ins(%z : f32) outs(%d : memref<20x24xf32>)\n"
      "  linalg.matmul ins(%a, %b : memref<20x17xf16>, memref<17x24xf16>) outs(%d : "
      "memref<20x24xf32>)\n"
      "  linalg.generic {indexing_maps = [#same, #same], iterator_types = [\"parallel\", "
      "\"parallel\"]} ins(%x : memref<20x24xi1, strided<[40, 1], offset: 3>>) outs(%d : "
      "memref<20x24xf32>) {\n"
      "  ^bb0(%bit: i1, %s: f32):\n    %t = arith.select %bit, %s, %z : f32\n"
      "    linalg.yield %t : f32\n  }\n  return\n}\n";
  for (const Target target : targets) {
    SCOPED_TRACE(instruction::name(target));
    const Outcome done = run(text, {.target = target}, Operands::exact, 1,
                             [](const Compilation& kernel) { return kernel.problem; });
    ASSERT_EQ(done.error, "");
    EXPECT_TRUE(judged(done).right());
    EXPECT_EQ(done.before[2].size(), 3u + 19 * 40 + 24);
    const Inputs in{numbers(done.before[0], instruction::ElementType::f16, k),
                    numbers(done.before[1], instruction::ElementType::f16, n)};
    const Numbers found = numbers(done.after[3], instruction::ElementType::f32, n);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        const bool keep = done.before[2][static_cast<std::size_t>(3 + i * 40 + j)] != std::byte{0};
        ASSERT_EQ(found.at(i, j), keep ? product(in, i, j) : 0) << i << "," << j;
      }
    }
  }
}

}  // namespace masks_test
}  // namespace heddle::compiler
