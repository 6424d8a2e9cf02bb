#include "gemm_trial.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "runtime/numbers/number.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::kernels::testing {
namespace {

using runtime::row;

/// A matrix in memory with room between its rows.
struct Stored {
  NumberType type;
  std::uint32_t rows, columns, stride;
  std::vector<std::byte> bytes;

  Stored(NumberType type_, std::uint32_t rows_, std::uint32_t columns_, std::uint32_t stride_)
      : type(type_),
        rows(rows_),
        columns(columns_),
        stride(stride_ != 0 ? stride_ : columns_),
        // The last row ends where its elements do.
        bytes((std::size_t{stride} * (rows - 1) + columns) *
                  static_cast<std::size_t>(row(type).bytes),
              std::byte{0xff}) {}

  std::byte* place(std::size_t i, std::size_t j) {
    return bytes.data() + (i * stride + j) * static_cast<std::size_t>(row(type).bytes);
  }
  void fill(bool transposed, const std::vector<double>& values) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        runtime::store_number(type, place(i, j),
                              transposed ? values[j * rows + i] : values[i * columns + j]);
  }
  std::vector<double> values() {
    std::vector<double> result;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        result.push_back(runtime::load_number(type, place(i, j)));
    return result;
  }
  bool padding_is_untouched() {
    const auto size = static_cast<std::size_t>(row(type).bytes);
    for (std::size_t i = 0; i + 1 < rows; ++i)
      for (std::byte* at = place(i, columns); at != place(i + 1, 0); ++at)
        if (*at != std::byte{0xff}) return false;
    return size > 0;
  }
  emulator::Buffer buffer(std::string name) { return {std::span(bytes), std::move(name)}; }
};

std::vector<double> drawn(NumberType type, std::size_t count, std::uint64_t seed, bool exact) {
  const runtime::RandomStream stream(seed);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = runtime::is_float(type)  ? (exact ? stream.eighths(i) : stream.uniform(i))
                     : type == NumberType::i8 ? static_cast<std::int8_t>(stream.word(i))
                     : type == NumberType::u8 ? static_cast<std::uint8_t>(stream.word(i))
                                              : static_cast<std::int32_t>(stream.word(i));
    values[i] = runtime::rounded(type, x);
  }
  return values;
}

std::expected<emulator::RunReport, std::string> launched(
    runtime::Module& module, std::expected<emulator::Launch, std::string> launch,
    emulator::Profile profile, bool check = false) {
  if (!launch) return std::unexpected(launch.error());
  launch->profile = profile;
  launch->check = check;
  launch->threads = 2;
  launch->check = true;
  const auto report = module.launch(*launch);
  if (!report) return std::unexpected(report.error().message);
  const emulator::RunReport& emulated = report->emulated.value();
  if (!emulated.findings.empty())
    return std::unexpected(emulated.findings.front().text(launch->kernel));
  return emulated;
}

/// Packs `stored` with the kernel.
std::vector<std::byte> packed(const PackedOperand& operand, bool k_is_outer, Stored& stored,
                              const std::string& target, Trial& trial,
                              emulator::RunReport& report) {
  std::vector<std::byte> result(operand.bytes(), std::byte{0xff});
  const auto run =
      launched(module_of(pack_file(target), target),
               pack_launch(operand, k_is_outer, stored.stride, stored.buffer("operand"),
                           emulator::buffer(std::span(result), "packed")),
               emulator::Profile::none);
  if (run)
    report = *run;
  else
    trial.wrong = run.error();
  return result;
}

}  // namespace

namespace {

runtime::Device& device_of(const std::string& target) {
  static std::map<std::string, std::unique_ptr<runtime::Device>> devices;
  std::unique_ptr<runtime::Device>& device = devices[target];
  if (!device) device = runtime::Device::open("emulator:" + target).value();
  return *device;
}

}  // namespace

runtime::Module& module_of(const std::string& file, const std::string& target) {
  static std::map<std::string, std::unique_ptr<runtime::Module>> modules;
  std::unique_ptr<runtime::Module>& module = modules[file];
  if (module) return *module;
  std::ifstream stream(std::string(HEDDLE_KERNEL_FOLDER) + "/" + file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  auto found = device_of(target).load(std::as_bytes(std::span(text)));
  if (!found) {
    ADD_FAILURE() << file << ": " << found.error().message;
    std::exit(1);
  }
  module = std::move(*found);
  return *module;
}

std::unique_ptr<runtime::Module> loaded(const GemmKernel& kernel, const std::string& target) {
  return device_of(target).load(code_object(kernel, HEDDLE_KERNEL_FOLDER, target).value()).value();
}

Trial try_gemm(const GemmProblem& problem, const std::string& target, const TrialOptions& options) {
  Trial trial;
  const auto chosen = options.kernel != nullptr
                          ? std::expected<GemmKernel, std::string>(*options.kernel)
                          : choose_gemm(problem, target);
  if (!chosen) {
    trial.wrong = chosen.error();
    return trial;
  }
  const std::uint32_t m = problem.m, n = problem.n, k = problem.k;
  const bool draws_exact = options.exact;
  GemmOperands operands{
      drawn(problem.element, std::size_t{m} * k, options.seed, draws_exact),
      drawn(problem.element, std::size_t{k} * n, options.seed + 1, draws_exact),
      drawn(problem.result, problem.beta != 0 ? std::size_t{m} * n : 0, options.seed + 2,
            draws_exact),
      drawn(problem.result, problem.has_bias ? n : 0, options.seed + 3, draws_exact)};
  const bool ta = problem.a_transposed, tb = problem.b_transposed;
  Stored a(problem.element, std::max(ta ? k : m, 1u), ta ? m : k, problem.a_stride);
  Stored b(problem.element, std::max(tb ? n : k, 1u), tb ? k : n, problem.b_stride);
  Stored d(problem.result, m, n, problem.d_stride);
  if (k > 0) {
    a.fill(ta, operands.a);
    b.fill(tb, operands.b);
  }
  Stored c(problem.result, m, n, problem.c_stride), bias(problem.result, 1, n, 0);
  GemmBuffers buffers{a.buffer("A"), b.buffer("B"), {}, {}, d.buffer("D")};
  if (problem.beta != 0) {
    c.fill(false, operands.c);
    buffers.c = c.buffer("C");
  }
  if (problem.has_bias) {
    bias.fill(false, operands.bias);
    buffers.bias = bias.buffer("bias");
  }
  std::vector<std::byte> packed_a, packed_b;
  if (problem.packed) {
    packed_a = packed({problem.element, m, k}, ta, a, target, trial, trial.pack_a);
    packed_b = packed({problem.element, n, k}, !tb, b, target, trial, trial.pack_b);
    buffers.a = emulator::buffer(std::span(packed_a), "packed A");
    buffers.b = emulator::buffer(std::span(packed_b), "packed B");
    if (!trial.wrong.empty()) return trial;
  }
  std::unique_ptr<runtime::Module> compiled;
  if (chosen->compiled) compiled = loaded(*chosen, target);
  const auto run =
      launched(compiled ? *compiled : module_of(gemm_file(problem.element, target), target),
               gemm_launch(*chosen, problem, buffers), options.profile, options.check);
  if (!run) {
    trial.wrong = run.error();
    return trial;
  }
  trial.report = *run;
  trial.check = check_gemm(problem, operands, d.values());
  if (!d.padding_is_untouched()) trial.wrong = "the padding of D was written";
  return trial;
}

std::string text(const GemmProblem& problem, const std::string& target) {
  constexpr std::array activations{"none", "relu", "gelu", "silu", "sigmoid"};
  std::string result = target + " " + std::string(runtime::name(problem.element)) + " " +
                       (problem.a_transposed ? "t" : "n") + (problem.b_transposed ? "t" : "n") +
                       (problem.packed ? " packed" : "") + (problem.paired_sums ? " paired" : "") +
                       " to " + std::string(runtime::name(problem.result)) + ", " +
                       std::to_string(problem.m) + "x" + std::to_string(problem.n) + "x" +
                       std::to_string(problem.k) + ", alpha " + std::to_string(problem.alpha) +
                       ", beta " + std::to_string(problem.beta) + ", activation " +
                       activations[static_cast<std::size_t>(problem.activation)];
  if (problem.has_bias) result += ", bias";
  for (std::uint32_t stride :
       {problem.a_stride, problem.b_stride, problem.c_stride, problem.d_stride})
    result += ", stride " + std::to_string(stride);
  return result;
}

}  // namespace heddle::kernels::testing
