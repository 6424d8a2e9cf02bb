#include "compiler/check/warp_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/codegen/guarded.h"
#include "library/text/formatted.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::compiler {
namespace {

using runtime::NumberType;

std::size_t bytes_of(const WarpArgument& argument) {
  return static_cast<std::size_t>(runtime::row(argument.element).bytes);
}

std::vector<std::byte> random_memory(const WarpArgument& argument, WarpInputs inputs,
                                     std::uint64_t seed) {
  const runtime::RandomStream stream(seed);
  const std::size_t size = bytes_of(argument);
  std::vector<std::byte> memory(static_cast<std::size_t>(argument.span()) * size);
  for (std::size_t i = 0; i < memory.size() / size; ++i) {
    const std::uint64_t word = stream.word(i);
    if (!runtime::is_float(argument.element))
      std::memcpy(&memory[i * size], &word, size);
    else
      runtime::store_number(argument.element, &memory[i * size],
                            inputs == WarpInputs::uniform ? stream.uniform(i)
                                                          : static_cast<double>(word % 9) / 4 - 1);
  }
  return memory;
}

std::vector<Cell> cells_of(const WarpArgument& argument, const std::vector<std::byte>& memory) {
  const std::size_t size = bytes_of(argument);
  std::vector<Cell> cells(memory.size() / size);
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i].number = Interval::point(runtime::load_number(argument.element, &memory[i * size]));
  return cells;
}

void poison_unread(const WarpArgument& argument, const std::vector<Cell>& cells,
                   std::vector<std::byte>& memory) {
  const std::size_t size = bytes_of(argument);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!cells[i].read) std::memset(&memory[i * size], 0xff, size);
}

bool is_right(NumberType type, double value, Interval expected) {
  if (expected.is_nan()) return std::isnan(value);
  if (value == runtime::rounded(type, expected.value)) return true;
  return runtime::rounded(type, expected.low) <= value &&
         value <= runtime::rounded(type, expected.high);
}

// The name of an element of an argument: "arg2[3, 5]". If no indices lead to the element (it lies
// in a gap between rows), its position in the memory from the pointer on.
std::string element_name(const WarpArgument& argument, std::int64_t place) {
  std::int64_t rest = place - *argument.offset;
  std::vector<std::size_t> order(argument.sizes.size());
  for (std::size_t dim = 0; dim < order.size(); ++dim) order[dim] = dim;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(*argument.strides[b], a) < std::pair(*argument.strides[a], b);
  });
  std::vector<std::int64_t> position(order.size(), 0);
  for (const std::size_t dim : order) {
    if (*argument.strides[dim] == 0) continue;
    position[dim] = rest / *argument.strides[dim];
    rest -= position[dim] * *argument.strides[dim];
    if (rest < 0 || position[dim] >= *argument.sizes[dim]) rest = -1;
    if (rest < 0) break;
  }
  if (rest != 0) return formatted("element {} of {}'s memory, outside it", place, argument.name);
  std::string text = argument.name + "[";
  for (std::size_t dim = 0; dim < position.size(); ++dim)
    text += formatted("{}{}", dim == 0 ? "" : ", ", position[dim]);
  return text + "]";
}

std::string expected_text(NumberType type, Interval expected) {
  if (expected.is_point()) return formatted("{}", runtime::rounded(type, expected.value));
  return formatted("{} within [{}, {}]", expected.value, expected.low, expected.high);
}

ArgumentVerdict judge_argument(const WarpArgument& argument, const std::vector<Cell>& expected,
                               const std::vector<std::byte>& before,
                               const std::vector<std::byte>& after) {
  ArgumentVerdict verdict;
  verdict.name = argument.name;
  verdict.element = argument.element;
  const std::size_t size = bytes_of(argument);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = runtime::load_number(argument.element, &after[i * size]);
    const auto fault = [&](const std::string& wanted) {
      if (verdict.first_fault.empty())
        verdict.first_fault =
            formatted("{} is {}, expected {}", element_name(argument, static_cast<std::int64_t>(i)),
                      value, wanted);
    };
    if (!expected[i].written) {
      if (std::memcmp(&before[i * size], &after[i * size], size) == 0) continue;
      ++verdict.changed;
      fault("no change");
      continue;
    }
    ++verdict.written;
    verdict.exact += expected[i].number.is_point();
    if (is_right(argument.element, value, expected[i].number)) continue;
    ++verdict.wrong;
    fault(expected_text(argument.element, expected[i].number));
  }
  return verdict;
}

// The most elements that all arguments of a run may have together. The reference needs some 40
// bytes for each element.
constexpr std::int64_t most_elements = std::int64_t{1} << 24;

// The message that the arguments take more memory than a run has; empty if all fit.
std::string too_large(const std::vector<WarpArgument>& arguments, std::string_view file_name) {
  std::int64_t elements = 0;
  for (const WarpArgument& argument : arguments) {
    if (!argument.is_memref) continue;
    elements += argument.span();
    if (elements > most_elements)
      return formatted(
          "{}:{}:{}: error: {} elements from the first to the last of all memrefs; accepted: at "
          "most {} in a run\n",
          file_name, std::max(argument.line, 1u), std::max(argument.column, 1u), elements,
          most_elements);
  }
  return {};
}

// Fills `trial` with the function's arguments, their values before the run, and the values that the
// reference expects after it. Returns the reason why this is impossible; empty on success.
std::string fill(WarpCase& trial, std::string_view text, std::string_view file_name,
                 const WarpCaseOptions& options) {
  std::string errors;
  const auto reference = WarpReference::read(text, file_name, errors);
  if (!reference) return errors;
  trial.function = reference->name();
  trial.arguments = reference->arguments();
  for (WarpArgument& argument : trial.arguments) argument.bind(options.open_size);
  if (errors = too_large(trial.arguments, file_name); !errors.empty()) return errors;
  for (std::size_t i = 0; i < trial.arguments.size(); ++i) {
    const WarpArgument& argument = trial.arguments[i];
    trial.memory.emplace_back();
    if (argument.is_memref)
      trial.memory.back() = random_memory(argument, options.inputs, options.seed * 64 + i);
    trial.expected.push_back(cells_of(argument, trial.memory.back()));
  }
  if (!reference->run(trial.arguments, trial.expected, options.reference, errors)) return errors;
  for (std::size_t i = 0; i < trial.arguments.size(); ++i)
    poison_unread(trial.arguments[i], trial.expected[i], trial.memory[i]);
  return {};
}

}  // namespace

std::expected<WarpCase, std::string> make_warp_case(std::string_view text,
                                                    std::string_view file_name,
                                                    const WarpCaseOptions& options) {
  WarpCase trial;
  std::string errors;
  const auto survived =
      guarded("the reference", [&] { errors = fill(trial, text, file_name, options); });
  if (!survived)
    errors = std::string(file_name) +
             ":1:1: error: internal error of the compiler: " + survived.error() +
             "; accepted: a function such as examples/warp.mlir\n";
  if (!errors.empty()) return std::unexpected(errors);
  return trial;
}

bool WarpVerdict::right() const {
  const auto fine = [](const ArgumentVerdict& one) { return one.wrong == 0 && one.changed == 0; };
  const auto writes = [](const ArgumentVerdict& one) { return one.written > 0; };
  return std::ranges::all_of(arguments, fine) && std::ranges::any_of(arguments, writes);
}

std::string WarpVerdict::first_fault() const {
  for (const ArgumentVerdict& argument : arguments)
    if (!argument.first_fault.empty()) return argument.first_fault;
  return right() ? "" : "the function writes nothing";
}

WarpVerdict judge(const WarpCase& trial, const std::vector<std::vector<std::byte>>& results) {
  WarpVerdict verdict;
  for (std::size_t i = 0; i < trial.arguments.size(); ++i)
    if (trial.arguments[i].is_memref)
      verdict.arguments.push_back(
          judge_argument(trial.arguments[i], trial.expected[i], trial.memory[i], results[i]));
  return verdict;
}

}  // namespace heddle::compiler
