// Functions with several products or results: their texts, line by line, and how tests run them, on
// the emulator with its checker silent and on the simulator of PTX. All operands are small
// integers, so every sum is exact and results are right to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "compiler/check/part_check.h"
#include "compiler/decisions/sequence_sizes.h"
#include "compiler/launch.h"
#include "product_run.h"
#include "runtime/device/device.h"
#include "runtime/numbers/matrix.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::compiler {

using instruction::Target;

inline constexpr std::array targets{Target::gfx1151, Target::gfx1201, Target::sm_80,
                                    Target::sm_90a};

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

inline Numbers zeros(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
}

inline Numbers operator*(const Numbers& a, const Numbers& b) {
  Numbers product = zeros(a.rows, b.columns);
  for (std::int64_t m = 0; m < a.rows; ++m)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t n = 0; n < b.columns; ++n) product.at(m, n) += a.at(m, k) * b.at(k, n);
  return product;
}

inline Numbers each(Numbers x, const std::function<double(double)>& function) {
  for (double& value : x.values) value = function(value);
  return x;
}

inline Numbers both(Numbers x, const Numbers& y,
                    const std::function<double(double, double)>& function) {
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = function(x.values[i], y.values[i]);
  return x;
}

// `row` is added to each row of `x`.
inline Numbers with_bias(Numbers x, const Numbers& row) {
  for (std::int64_t m = 0; m < x.rows; ++m)
    for (std::int64_t n = 0; n < x.columns; ++n) x.at(m, n) += row.at(0, n);
  return x;
}

inline double relu(double x) { return std::max(x, 0.0); }

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

inline runtime::Device& device_of(Target target) {
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

inline Numbers numbers_of(const BufferRecord& buffer, const plan::Problem& problem,
                          const std::vector<std::byte>& bytes) {
  const std::vector<std::int64_t> sizes = shape(buffer, problem);
  Numbers numbers{sizes.size() < 2 ? 1 : sizes[0], sizes.empty() ? 1 : sizes.back(), {}};
  if (buffer.element == instruction::ElementType::i4) {
    for (std::int64_t i = 0; i < element_count(buffer, problem); ++i) {
      const auto byte = std::to_integer<int>(bytes[static_cast<std::size_t>(i / 2)]);
      const int half = i % 2 == 0 ? byte & 15 : byte >> 4;
      numbers.values.push_back(half < 8 ? half : half - 16);
    }
    return numbers;
  }
  const auto step = static_cast<std::size_t>(instruction::bits(buffer.element)) / 8;
  for (std::size_t i = 0; i * step < bytes.size(); ++i)
    numbers.values.push_back(
        runtime::load_number(runtime::number_type(buffer.element), bytes.data() + i * step));
  return numbers;
}

// Runs the kernels in their order. A dynamic m is `rows`. Arguments are integers from -1 to 1, or
// `given`, by their numbers: all elements, or one for all. `shapes` of the arguments tell dynamic
// sizes where there are some.
inline SequenceOutcome run_sequence(const std::string& mlir, const Options& options,
                                    std::int64_t rows = 0,
                                    const std::map<int, std::vector<double>>& given = {},
                                    const std::vector<std::vector<std::int64_t>>& shapes = {}) {
  const Target target = options.target;
  SequenceOutcome done;
  auto compiled = compile_sequence(mlir, "test.mlir", options, Stage::object);
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
  std::vector<std::vector<std::int64_t>> of_buffers(sequence.buffers.size());
  for (std::size_t i = 0; i < of_buffers.size() && !shapes.empty(); ++i)
    if (sequence.buffers[i].kind == SequenceBuffer::Kind::argument)
      of_buffers[i] = shapes.at(static_cast<std::size_t>(sequence.buffers[i].number));
  SequenceSizes sizes(sequence, std::move(of_buffers));
  for (std::size_t part = 0; part < sequence.parts.size(); ++part) {
    const SequencePart& one = sequence.parts[part];
    plan::Problem problem = one.request.problem;
    if (shapes.empty() && problem.is_dynamic(plan::Loop::m)) problem.m = rows;
    if (!shapes.empty() && !sizes.learn(part, one.request)) {
      done.error = "shapes of arguments do not tell all sizes";
      return done;
    }
    if (!shapes.empty()) problem = sizes.of(part, one.request);
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
        constexpr std::array halves{0x00, 0x01, 0x0f, 0x10, 0xf0, 0x1f, 0xf1};  // of i4: -1 to 1
        for (std::size_t at = 0; is_argument && step == 0 && at < bytes.size(); ++at)
          bytes[at] = std::byte(halves[stream.word(at) % halves.size()]);
        const auto end = static_cast<std::uint64_t>(record.index_end);
        const auto known = given.find(buffer.number);
        for (std::size_t at = 0; is_argument && step != 0 && at * step < bytes.size(); ++at)
          runtime::store_number(runtime::number_type(record.element), bytes.data() + at * step,
                                known != given.end() ? known->second[at % known->second.size()]
                                : end != 0 ? static_cast<double>(stream.word(at) % end)
                                           : static_cast<double>(stream.word(at) % 3) - 1);
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
    const auto checks = check_part(one.request, problem, views(before), views(buffers));
    if (!checks) {
      done.error = checks.error();
      return done;
    }
    done.checks.insert(done.checks.end(), checks->begin(), checks->end());
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
inline void expect_right(const std::string& mlir, std::size_t kernels, const Expected& expected,
                         std::int64_t rows = 0, double tolerance = 0) {
  for (const Target target : targets) {
    SCOPED_TRACE(instruction::name(target));
    const SequenceOutcome done = run_sequence(mlir, {.target = target}, rows);
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

}  // namespace heddle::compiler
