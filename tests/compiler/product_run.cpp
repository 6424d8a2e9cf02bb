#include "product_run.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <expected>
#include <limits>
#include <memory>
#include <sstream>
#include <tuple>

#include "compiler/check/part_check.h"
#include "compiler/launch.h"
#include "runtime/device/device.h"
#include "runtime/numbers/matrix.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Target;

plan::Problem actual(const Compilation& kernel, const ProductText& text, bool swapped) {
  plan::Problem problem = kernel.problem;
  problem.m = swapped ? text.n : text.m;
  problem.n = swapped ? text.m : text.n;
  problem.k = text.k;
  problem.batch = std::max<std::int64_t>(text.batch, 1);
  return problem;
}

double number(const BufferRecord& buffer, Operands operands, const runtime::RandomStream& stream,
              std::uint64_t i) {
  if (buffer.element == ElementType::e8m0) {  // 1 or NaN, or from 1/4 to 2
    if (operands == Operands::all) return i % 15 == 0 ? 255 : 127;
    return 125 + static_cast<double>(stream.word(i) % 4);
  }
  const ElementType type = array_type(buffer.element);
  if (operands == Operands::all)
    return type == ElementType::f32
               ? std::bit_cast<float>(static_cast<std::uint32_t>(stream.word(i)))
               : 0;
  if (buffer.is_i1) return static_cast<double>(stream.word(i) % 2);
  if (type == ElementType::i8) return static_cast<double>(stream.word(i) % 256) - 128;
  if (type == ElementType::i16) return static_cast<double>(stream.word(i) % 65536) - 32768;
  if (instruction::is_integer(type))
    return static_cast<double>(stream.word(i) % 2'000'000) - 1'000'000;
  return operands == Operands::exact ? stream.eighths(i) : stream.uniform(i);
}

std::vector<std::byte> filled(const BufferRecord& buffer, const plan::Problem& problem,
                              Operands operands, std::uint64_t seed) {
  std::vector<std::byte> bytes(byte_count(buffer, problem), std::byte{0xff});
  if (!buffer.constant.empty()) return buffer.constant;
  if (buffer.role == Role::d) return bytes;
  const runtime::RandomStream stream(seed);
  const ElementType type = array_type(buffer.element);
  const auto step = static_cast<std::size_t>(instruction::bits(type)) / 8;
  if (operands == Operands::all && is_small_float(type)) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 256);
    return bytes;
  }
  for (std::size_t i = 0; i * step < bytes.size(); ++i)
    runtime::store_number(runtime::number_type(type), bytes.data() + i * step,
                          number(buffer, operands, stream, i));
  return bytes;
}

bool is_nvidia(Target target) {
  return instruction::is_nvidia(instruction::processor(target).family);
}

runtime::Device& device_for(Target target) {
  static const auto emulator = runtime::Device::open("emulator");
  static const auto simulator = runtime::Device::open("ptx");
  return is_nvidia(target) ? **simulator : **emulator;
}

// A kernel and what it was made of.
struct Made {
  std::string mlir;
  Options options;
  Compilation kernel;
  std::unique_ptr<runtime::Module> module;

  bool is_of(const std::string& text, const Options& wanted) const {
    return module != nullptr && mlir == text && wanted.plan_places.empty() &&
           std::tuple(options.target, options.f32, options.f8, options.prepare, options.plan) ==
               std::tuple(wanted.target, wanted.f32, wanted.f8, wanted.prepare, wanted.plan);
  }
};

// Compiled once where runs of one kernel follow each other, with other sizes or other operands.
std::expected<const Made*, std::string> made(const std::string& mlir, const Options& options) {
  static auto& last = *new Made;  // who is destroyed last needs no order
  if (last.is_of(mlir, options)) return &last;
  last = {};
  auto kernel = compile(mlir, "test.mlir", options, Stage::object);
  if (!kernel) return std::unexpected(kernel.error());
  auto module = device_for(options.target).load(std::as_bytes(std::span(kernel->object)));
  if (!module) return std::unexpected(module.error().message);
  last = {mlir, options, *std::move(kernel), *std::move(module)};
  return &last;
}

bool is_swapped(const Compilation& kernel) {
  return kernel.request.a.parameter == 1;  // B's columns are D's rows
}

std::vector<double> numbers(const std::vector<std::byte>& bytes, ElementType type) {
  std::vector<double> values;
  if (shares_bytes(type)) {  // the low half of a byte is the first
    constexpr std::array f4{0.0,  0.5,  1.0,  1.5,  2.0,  3.0,  4.0,  6.0,
                            -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0};
    for (const std::byte both : bytes)
      for (const int half : {static_cast<int>(both) % 16, static_cast<int>(both) / 16})
        values.push_back(type == ElementType::fp4 ? f4[static_cast<std::size_t>(half)]
                         : half < 8               ? half
                                                  : half - 16);
    return values;
  }
  if (type == ElementType::e8m0) {
    for (const std::byte code : bytes)
      values.push_back(code == std::byte{255} ? std::numeric_limits<double>::quiet_NaN()
                                              : std::pow(2.0, static_cast<int>(code) - 127));
    return values;
  }
  const auto step = static_cast<std::size_t>(instruction::bits(type)) / 8;
  for (std::size_t i = 0; i * step < bytes.size(); ++i)
    values.push_back(runtime::load_number(runtime::number_type(type), bytes.data() + i * step));
  return values;
}

}  // namespace

Outcome run(const std::string& mlir, const Options& options, Operands operands, std::uint64_t seed,
            const std::function<plan::Problem(const Compilation&)>& sizes) {
  Outcome done;
  const auto known = made(mlir, options);
  if (!known) return {known.error(), {}, {}, {}, {}, {}};
  done.problem = sizes((*known)->kernel);
  done.kernel = kernel_for((*known)->kernel, done.problem);
  for (const BufferRecord& buffer : done.kernel.request.buffers)
    done.before.push_back(filled(buffer, done.problem, operands, seed++));
  done.after = done.before;
  emulator::Launch launch;
  const bool has_workspace = done.kernel.parameters.back().role == Role::workspace;
  launch.check = !is_nvidia(options.target) || has_workspace;
  if (has_workspace) done.after.emplace_back(done.kernel.parameters.back().bytes);
  bind_launch(done.kernel, done.problem, done.after, launch);
  const auto report = (*known)->module->launch(launch);
  if (report && report->emulated) done.timeline = report->emulated->timeline;
  if (!report) {
    done.error = report.error().message;
  } else if (report->emulated && !report->emulated->findings.empty()) {
    done.error = report->emulated->findings.front().text(done.kernel.kernel_name);
  }
  if (has_workspace) {
    const std::vector<std::byte>& workspace = done.after.back();
    const auto counters = workspace.begin() + 4 * done.kernel.split_memory.tiles;
    if (std::any_of(workspace.begin(), counters, [](std::byte x) { return x != std::byte{0}; }))
      done.error = "counters that are not zero again";
    done.after.pop_back();
  }
  return done;
}

std::vector<std::span<const std::byte>> views(const Buffers& buffers) {
  return {buffers.begin(), buffers.end()};
}

Outcome run(const ProductText& text, const Options& options, Operands operands,
            std::uint64_t seed) {
  return run(text.mlir(), options, operands, seed,
             [&](const Compilation& kernel) { return actual(kernel, text, is_swapped(kernel)); });
}

std::vector<std::vector<double>> arguments(const Outcome& done) {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i + 1 < done.before.size(); ++i)
    all.push_back(numbers(done.before[i], done.kernel.request.buffers[i].element));
  return all;
}

std::string difference(const Outcome& done, const std::vector<double>& expected) {
  const auto result = static_cast<std::size_t>(done.kernel.request.d.parameter);
  const ElementType type = done.kernel.request.buffers[result].element;
  const std::vector<double> found = numbers(done.after[result], type);
  if (expected.size() != found.size()) return "a result of another size";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const runtime::NumberType number = runtime::number_type(type);
    const double right = runtime::rounded_or_infinity(number, expected[i]);
    const bool is_nan = std::isnan(right) || (std::isinf(right) && runtime::lacks_infinity(number));
    if (found[i] == right || (is_nan && std::isnan(found[i]))) continue;
    std::ostringstream words;
    words << "element " << i << " is " << found[i] << " instead of " << right;
    return words.str();
  }
  return "";
}

std::string difference(const ProductText& text, const Options& options, std::uint64_t seed) {
  const Outcome done = run(text, options, Operands::exact, seed);
  if (!done.error.empty()) return done.error;
  return difference(done, text.reference(arguments(done)));
}

runtime::MatmulCheck judged(const Outcome& done) {
  // Of sums that no product's kernel takes a kernel computes each element by itself.
  const auto checks =
      check_part(done.kernel.request, done.problem, views(done.before), views(done.after));
  if (!checks) {
    ADD_FAILURE() << checks.error();
    return {};
  }
  const auto wrong = std::ranges::find_if_not(*checks, &runtime::MatmulCheck::right);
  return wrong == checks->end() ? checks->front() : *wrong;
}

std::vector<double> ProductText::reference(
    const std::vector<std::vector<double>>& arguments) const {
  std::size_t next = 2;
  const std::vector<double>* c = accumulates ? &arguments[next++] : nullptr;
  const std::vector<double>* extra = extra_dims().empty() ? nullptr : &arguments[next++];
  struct Beside {
    const std::vector<double>& elements;
    Strides strides;
  };
  std::vector<Beside> beside_a, beside_b;
  for (const Further& one : further(true))
    beside_a.push_back({arguments[next++], strides(one.dims)});
  for (const Further& one : further(false))
    beside_b.push_back({arguments[next++], strides(one.dims)});
  const auto read = [](const std::vector<Beside>& matrices, std::int64_t b, std::int64_t i,
                       std::int64_t j, std::int64_t l) {
    std::vector<double> all;
    for (const auto& [elements, steps] : matrices) all.push_back(elements[steps.at(b, i, j, l)]);
    return all;
  };
  std::vector<double> d(static_cast<std::size_t>(count(d_dims())));
  const Strides of_a = strides(a_dims()), of_b = strides(b_dims()), of_c = strides(c_dims()),
                of_d = strides(d_dims()), of_extra = strides(extra_dims());
  for (std::int64_t b = 0; b < std::max<std::int64_t>(batch, 1); ++b) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = c != nullptr ? (*c)[of_c.at(b, i, j, 0)] : 0;
        for (std::int64_t l = 0; l < k; ++l) {
          const double x =
              factor(arguments[0][of_a.at(b, i, j, l)], producer, read(beside_a, b, i, j, l));
          const double y =
              factor(arguments[1][of_b.at(b, i, j, l)], b_producer, read(beside_b, b, i, j, l));
          sum += x * y;
        }
        const auto wrapped = [&](double x) {  // i32 after every step; those of i64 are less
          return sum_type == "i32" ? runtime::rounded(ElementType::i32, x) : x;
        };
        sum = wrapped(sum);
        const double e = extra != nullptr ? (*extra)[of_extra.at(b, i, j, 0)] : 0;
        double& result = d[of_d.at(b, i, j, 0)];
        switch (epilogue) {
          case Epilogue::relu:
          case Epilogue::bias_relu:
            result = std::max(wrapped(sum + e), 0.0);
            break;
          case Epilogue::scale_residual:
            result = 2 * sum + e;
            break;
          default:
            result = sum + e;
        }
      }
    }
  }
  return d;
}

namespace {

// A float of 8 bits, from the tables of its definition: that with an exponent `bias`, of which the
// last exponent is for numbers too where `last_is_number` says so, and which has no negative zero
// where it is `fnuz`.
double small_float(int code, int mantissa_bits, int bias, bool last_is_number, bool fnuz) {
  const int exponent = (code & 0x7f) >> mantissa_bits;
  const int mantissa = code & ((1 << mantissa_bits) - 1);
  const double sign = code >= 128 ? -1 : 1;
  const bool is_last = exponent == (0x7f >> mantissa_bits);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (fnuz && code == 128) return nan;
  if (!fnuz && is_last && !last_is_number) return mantissa == 0 ? sign / 0.0 : nan;
  if (!fnuz && is_last && mantissa == (1 << mantissa_bits) - 1) return nan;
  const double fraction = std::ldexp(mantissa, -mantissa_bits);
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias)
                               : std::ldexp(1 + fraction, exponent - bias));
}

}  // namespace

std::string difference_of_codes(const std::string& type, const Options& options) {
  const bool fnuz = type.ends_with("FNUZ"), is_e4 = type.starts_with("f8E4");
  const std::string a = "tensor<256x1x" + type + ">", b = "tensor<1x256x" + type + ">";
  const std::string d = "tensor<256x256xf32>";
  const Outcome done = run(
      "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + d + ") -> " + d +
          " {\n  %z = arith.constant 0.0 : f32\n  %f = linalg.fill ins(%z : f32) outs(%c : " + d +
          ") -> " + d + "\n  %d = linalg.matmul ins(%a, %b : " + a + ", " + b + ") outs(%f : " + d +
          ") -> " + d + "\n  return %d : " + d + "\n}\n",
      options, Operands::all, 1, [](const Compilation& kernel) { return kernel.problem; });
  if (!done.error.empty()) return done.error;
  const std::vector<double> found = numbers(done.after.back(), ElementType::f32);
  const auto number = [&](std::size_t code) {
    return small_float(static_cast<int>(code), is_e4 ? 3 : 2, (is_e4 ? 7 : 15) + (fnuz ? 1 : 0),
                       is_e4, fnuz);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double right = number(i / 256) * number(i % 256);
    if (found[i] == right || (std::isnan(found[i]) && std::isnan(right))) continue;
    std::ostringstream words;
    words << "codes " << i / 256 << " and " << i % 256 << " make " << found[i] << ", not " << right;
    return words.str();
  }
  return found.size() == 65536 ? "" : "a result of another size";
}

ProductText any_product() {
  // Whether rows are aligned decides how cp.async copies them, and how deep k is whether it is
  // split: multiples of 16 are drawn too.
  const auto any_size = rc::gen::inRange<std::int64_t>(1, 140);
  const auto round_size = rc::gen::element<std::int64_t>(16, 32, 48, 64, 128, 160, 256);
  const auto size = [&] { return *rc::gen::oneOf(any_size, round_size); };
  ProductText text{size(), size(), size()};
  text.batch = *rc::gen::element(0, 0, 1, 3);
  std::vector<std::string> types{"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"};
  std::ranges::copy(small_floats, std::back_inserter(types));
  text.a_type = text.b_type = *rc::gen::elementOf(types);
  const auto coin = [] { return *rc::gen::arbitrary<bool>(); };
  text.sum_type = text.a_type.starts_with("i") ? "i32" : "f32";
  if (text.a_type.ends_with("64") ||
      (!text.a_type.starts_with("f8") && *rc::gen::inRange(0, 8) == 0))
    text.sum_type.replace(1, 2, "64");
  text.is_unsigned = text.a_type == "i8" && coin();
  text.a_transposed = coin();
  text.b_transposed = coin();
  text.accumulates = coin();
  text.style = coin() ? Style::named : Style::generic;
  text.c_transposed = text.style == Style::generic && coin();
  if (text.style == Style::generic) {
    std::array<int, 4> order{0, 1, 2, 3};
    for (std::size_t i = 3; i > 0; --i)
      std::swap(order[i],
                order[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i) + 1))]);
    text.loop_order = order;
  }
  std::vector<Producer> producers{Producer::none};
  if (text.a_type == "i8") producers.push_back(Producer::at_least_three);
  if (text.is_integer()) producers.push_back(Producer::at_least);
  if (!text.is_integer() && !text.a_type.starts_with("f8"))
    producers.insert(producers.end(),
                     {Producer::halved, Producer::from_bytes, Producer::from_small_floats,
                      Producer::dequantised, Producer::dequantised_in_groups,
                      Producer::scaled_along_k, Producer::times_matrix, Producer::masked});
  if (text.a_type.ends_with("f16")) producers.push_back(Producer::from_floats);
  for (Producer* const producer : {&text.producer, &text.b_producer})
    if (coin()) *producer = *rc::gen::elementOf(producers);
  std::vector<std::int64_t> groups;
  for (std::int64_t group = 1; group <= text.k; ++group)
    if (text.k % group == 0) groups.push_back(group);
  text.group = *rc::gen::elementOf(groups);
  text.epilogue = *rc::gen::element(Epilogue::none, Epilogue::relu, Epilogue::bias_relu,
                                    Epilogue::scale_residual, Epilogue::narrowed,
                                    Epilogue::row_bias_transposed);
  if (text.sum_type != "f64")
    text.narrow_type = *rc::gen::element<std::string>("f16", "f8E4M3FN", "f8E5M2", "f8E5M2FNUZ");
  text.dynamic = *rc::gen::element(0u, 0u, *rc::gen::inRange(0u, 16u));
  if (text.batch == 0) text.dynamic &= 7u;
  text.has_nibbles = coin();
  const auto in_groups = Producer::dequantised_in_groups;
  if (text.producer == in_groups || text.b_producer == in_groups) text.dynamic &= ~4u;
  return text;
}

}  // namespace heddle::compiler
