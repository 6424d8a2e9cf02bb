// Functions with several products or results, on the emulator with its checker silent and on the
// simulator of PTX: each result against a chain of products in float64 that this file computes. All
// operands are small integers, so every sum is exact and results are right to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "compiler/launch.h"
#include "product_run.h"
#include "runtime/device.h"
#include "runtime/matrix.h"
#include "runtime/random_stream.h"

namespace heddle::compiler {
namespace {

using instruction::Target;

constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::sm_80, Target::sm_90a};

struct Numbers {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values = {};

  double& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

Numbers zeros(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
}

Numbers operator*(const Numbers& a, const Numbers& b) {
  Numbers product = zeros(a.rows, b.columns);
  for (std::int64_t m = 0; m < a.rows; ++m)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t n = 0; n < b.columns; ++n) product.at(m, n) += a.at(m, k) * b.at(k, n);
  return product;
}

Numbers each(Numbers x, const std::function<double(double)>& function) {
  for (double& value : x.values) value = function(value);
  return x;
}

Numbers both(Numbers x, const Numbers& y, const std::function<double(double, double)>& function) {
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = function(x.values[i], y.values[i]);
  return x;
}

// `row` is added to each row of `x`.
Numbers with_bias(Numbers x, const Numbers& row) {
  for (std::int64_t m = 0; m < x.rows; ++m)
    for (std::int64_t n = 0; n < x.columns; ++n) x.at(m, n) += row.at(0, n);
  return x;
}

double relu(double x) { return std::max(x, 0.0); }

// The text of a function, line by line.
class Text {
 public:
  explicit Text(std::string arguments, std::string results, std::string prefix = "")
      : text_(std::move(prefix) +
              "#id = affine_map<(m, n) -> (m, n)>\n#row = affine_map<(m, n) -> (n)>\n" +
              "func.func @f(" + std::move(arguments) + ") -> (" + std::move(results) + ") {\n" +
              "  %zero = arith.constant 0.0 : f32\n  %c0 = arith.constant 0 : index\n") {}

  Text& line(const std::string& line) {
    text_ += "  " + line + "\n";
    return *this;
  }
  // %name = %a * %b, where `a` is "%a : tensor<42x32xf16>".
  Text& product(const std::string& name, const std::string& a, const std::string& b,
                const std::string& type, const std::string& rows = "") {
    const auto [a_name, a_type] = split(a);
    const auto [b_name, b_type] = split(b);
    line("%" + name + "_e = tensor.empty(" + rows + ") : " + type);
    line("%" + name + "_z = linalg.fill ins(%zero : f32) outs(%" + name + "_e : " + type + ") -> " +
         type);
    return line("%" + name + " = linalg.matmul ins(" + a_name + ", " + b_name + " : " + a_type +
                ", " + b_type + ") outs(%" + name + "_z : " + type + ") -> " + type);
  }
  // %name of the elements of `inputs`, the last line of `body` yields %r of `element`.
  Text& elementwise(const std::string& name, const std::vector<std::string>& inputs,
                    const std::string& type, const std::string& body,
                    const std::string& rows = "") {
    line("%" + name + "_e = tensor.empty(" + rows + ") : " + type);
    std::string maps, names, types, arguments;
    int number = 0;
    for (const std::string& input : inputs) {
      const auto [value, input_type] = split(input);
      maps += input_type.find('x') == input_type.rfind('x') ? "#row, " : "#id, ";
      names += (names.empty() ? "" : ", ") + value;
      types += (types.empty() ? "" : ", ") + input_type;
      arguments += "%x" + std::to_string(number++) + ": " + element(input_type) + ", ";
    }
    line("%" + name + " = linalg.generic {indexing_maps = [" + maps +
         "#id], iterator_types = [\"parallel\", \"parallel\"]} ins(" + names + " : " + types +
         ") outs(%" + name + "_e : " + type + ") {");
    line("^bb0(" + arguments + "%unused: " + element(type) + "):");
    line(body);
    line("linalg.yield %r : " + element(type));
    return line("} -> " + type);
  }
  std::string returns(const std::string& values) { return text_ + "  return " + values + "\n}\n"; }

 private:
  static std::pair<std::string, std::string> split(const std::string& typed) {
    const std::size_t colon = typed.find(" : ");
    return {typed.substr(0, colon), typed.substr(colon + 3)};
  }
  static std::string element(const std::string& type) {
    const std::size_t x = type.rfind('x');
    return type.substr(x + 1, type.size() - x - 2);
  }

  std::string text_;
};

runtime::Device& device_of(Target target) {
  static const auto emulator = runtime::Device::open("emulator");
  static const auto simulator = runtime::Device::open("ptx");
  return instruction::is_nvidia(instruction::processor(target).family) ? **simulator : **emulator;
}

struct SequenceOutcome {
  std::string error;  // empty when it ran
  SequenceCompilation all;
  std::vector<Numbers> arguments;  // of the function
  std::vector<Numbers> results;
  std::vector<runtime::MatmulCheck> checks;  // of each kernel
};

Numbers numbers_of(const BufferRecord& buffer, const plan::Problem& problem,
                   const std::vector<std::byte>& bytes) {
  const std::vector<std::int64_t> sizes = shape(buffer, problem);
  Numbers numbers{sizes.size() < 2 ? 1 : sizes[0], sizes.empty() ? 1 : sizes.back(), {}};
  const auto step = static_cast<std::size_t>(instruction::bits(buffer.element)) / 8;
  for (std::size_t i = 0; i * step < bytes.size(); ++i)
    numbers.values.push_back(
        runtime::load_number(runtime::number_type(buffer.element), bytes.data() + i * step));
  return numbers;
}

// Runs the kernels in their order. A dynamic m is `rows`. Arguments are integers from -1 to 1.
SequenceOutcome run_sequence(const std::string& mlir, Target target, std::int64_t rows = 0) {
  SequenceOutcome done;
  auto compiled = compile_sequence(mlir, "test.mlir", {.target = target}, Stage::object);
  if (!compiled) {
    done.error = compiled.error();
    return done;
  }
  done.all = *std::move(compiled);
  const ProductSequence& sequence = done.all.sequence;
  const auto module = device_of(target).load(std::as_bytes(std::span(done.all.object)));
  if (!module) {
    done.error = module.error().message;
    return done;
  }
  Buffers memory(sequence.buffers.size());
  std::vector<plan::Problem> problems;
  done.arguments.resize(16);
  for (std::size_t part = 0; part < sequence.parts.size(); ++part) {
    const SequencePart& one = sequence.parts[part];
    plan::Problem problem = one.request.problem;
    if (problem.is_dynamic(plan::Loop::m)) problem.m = rows;
    problems.push_back(problem);
    Buffers buffers;
    for (std::size_t i = 0; i < one.buffers.size(); ++i) {
      const BufferRecord& record = one.request.buffers[i];
      const SequenceBuffer& buffer = sequence.buffers[static_cast<std::size_t>(one.buffers[i])];
      std::vector<std::byte>& bytes = memory[static_cast<std::size_t>(one.buffers[i])];
      if (bytes.empty()) {
        bytes.assign(byte_count(record, problem), std::byte{0xff});
        const auto step = static_cast<std::size_t>(instruction::bits(record.element)) / 8;
        const runtime::RandomStream stream(static_cast<std::uint64_t>(buffer.number) + 7);
        const bool is_argument = buffer.kind == SequenceBuffer::Kind::argument;
        for (std::size_t at = 0; is_argument && at * step < bytes.size(); ++at)
          runtime::store_number(runtime::number_type(record.element), bytes.data() + at * step,
                                static_cast<double>(stream.word(at) % 3) - 1);
        if (is_argument)
          done.arguments[static_cast<std::size_t>(buffer.number)] =
              numbers_of(record, problem, bytes);
      }
      buffers.push_back(bytes);
    }
    const Buffers before = buffers;
    const Compilation& kernel = done.all.kernels[part];
    if (kernel.parameters.back().role == Role::workspace)
      buffers.emplace_back(kernel.parameters.back().bytes);
    emulator::Launch launch;
    launch.check = !instruction::is_nvidia(instruction::processor(target).family);
    bind_launch(kernel, problem, buffers, launch);
    const auto report = (*module)->launch(launch);
    if (!report) {
      done.error = report.error().message;
      return done;
    }
    if (report->emulated && !report->emulated->findings.empty()) {
      done.error = report->emulated->findings.front().text(kernel.kernel_name);
      return done;
    }
    buffers.resize(before.size());
    for (std::size_t result = 0; result <= one.request.further.size(); ++result)
      done.checks.push_back(runtime::check_product(
          actual_product(one.request, problem, views(before), views(buffers), result)));
    for (std::size_t i = 0; i < one.buffers.size(); ++i)
      memory[static_cast<std::size_t>(one.buffers[i])] = std::move(buffers[i]);
  }
  for (const int number : sequence.results) {
    const SequenceBuffer& buffer = sequence.buffers[static_cast<std::size_t>(number)];
    done.results.push_back(numbers_of(record(sequence, buffer),
                                      problems[static_cast<std::size_t>(buffer.part)],
                                      memory[static_cast<std::size_t>(number)]));
  }
  return done;
}

using Expected = std::function<std::vector<Numbers>(const std::vector<Numbers>& arguments)>;

// On all targets, every kernel right for what it read, and the results as expected: to the last
// bit, or within `tolerance` of the largest.
void expect_right(const std::string& mlir, std::size_t kernels, const Expected& expected,
                  std::int64_t rows = 0, double tolerance = 0) {
  for (const Target target : targets) {
    SCOPED_TRACE(instruction::name(target));
    const SequenceOutcome done = run_sequence(mlir, target, rows);
    ASSERT_EQ(done.error, "") << mlir;
    EXPECT_EQ(done.all.kernels.size(), kernels) << mlir;
    for (const runtime::MatmulCheck& check : done.checks) EXPECT_TRUE(check.right()) << mlir;
    const std::vector<Numbers> wanted = expected(done.arguments);
    ASSERT_EQ(done.results.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(done.results[i].values.size(), wanted[i].values.size());
      double largest = 0;
      for (const double value : wanted[i].values) largest = std::max(largest, std::abs(value));
      EXPECT_GT(largest, 0);
      for (std::size_t at = 0; at < wanted[i].values.size(); ++at)
        ASSERT_LE(std::abs(done.results[i].values[at] - wanted[i].values[at]), tolerance * largest)
            << "result " << i << ", element " << at << "\n"
            << mlir;
    }
  }
}

const std::string x = "%x : tensor<37x48xf16>";
const std::string narrow_relu =
    "%p = arith.maximumf %x0, %zero : f32\n"
    "    %r = arith.truncf %p : f32 to f16";

std::string mlp(const std::string& m, const std::string& rows) {
  const std::string x = "%x : tensor<" + m + "x48xf16>";
  const std::string hidden = "tensor<" + m + "x80xf32>", narrow = "tensor<" + m + "x80xf16>",
                    out = "tensor<" + m + "x56xf32>";
  Text text("%x: tensor<" + m + "x48xf16>, %w1: tensor<48x80xf16>, %b1: tensor<80xf32>, " +
                "%w2: tensor<80x56xf16>, %b2: tensor<56xf32>",
            out);
  if (!rows.empty()) text.line("%rows = tensor.dim %x, %c0 : tensor<" + m + "x48xf16>");
  text.product("s", x, "%w1 : tensor<48x80xf16>", hidden, rows)
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

// y = x * a, divided by the sum of its row on the way into y * b; and plus that sum, in the
// epilogue of a product that comes after the sum whatever the order of the text.
TEST(Sequence, SumsOfRowsBetweenProducts) {
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
TEST(Sequence, MaximumBetweenProducts) {
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
TEST(Sequence, SoftmaxBetweenProducts) {
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

}  // namespace
}  // namespace heddle::compiler
