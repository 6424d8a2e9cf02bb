#include "answers/instruction/processor_argument.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "heddle/instruction/nearest.h"
#include "heddle/instruction/processor_name.h"
#include "library/text/formatted.h"

namespace heddle::answers {

namespace {

std::string lower(const std::string& text) {
  std::string result = text;
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// A generic target of LLVM, whose code runs on several processors. Source: LLVM AMDGPUUsage,
/// "Generic Processors"; tests/instruction/encoding_test.cpp compares with LLVM's assembler.
struct GenericTarget {
  std::string_view name;
  std::optional<instruction::Target> processor;  // that has the same matrix instructions
  std::string_view meaning;
};

constexpr std::array generic_targets{
    GenericTarget{"gfx11-generic", instruction::Target::gfx1100, "code for gfx1100 to gfx1153"},
    GenericTarget{"gfx12-generic", instruction::Target::gfx1200, "code for gfx1200 and gfx1201"},
    GenericTarget{
        "gfx9-4-generic", std::nullopt,
        "code for gfx942 and gfx950: the instructions of gfx942 without those of 8-bit floats "
        "and xf32"},
    GenericTarget{"gfx9-generic", std::nullopt,
                  "code for gfx900 to gfx90c, which have no matrix instructions"},
};

const GenericTarget* find_generic(const std::string& text) {
  const std::string name = lower(text);
  for (const GenericTarget& generic : generic_targets)
    if (generic.name == name) return &generic;
  return nullptr;
}

/// Names of processors and products without matrix instructions; a name with a * is the beginning
/// of several. Sources: LLVM AMDGPUUsage, "Processors"; CUDA C++ Programming Guide, "Compute
/// Capabilities".
constexpr std::array<std::string_view, 22> without_matrix_instructions{
    "gfx10*", "gfx6*",  "gfx7*", "gfx8*",  "gfx900",  "gfx902", "gfx904", "gfx906",
    "gfx909", "gfx90c", "rdna1", "rdna2",  "vega*",   "mi25",   "mi50",   "mi60",
    "sm_3*",  "sm_5*",  "sm_6*", "pascal", "maxwell", "navi 2*"};

bool is_without_matrix_instructions(std::string_view name) {
  name = name.substr(0, name.find(':'));  // gfx906:xnack-
  return std::ranges::any_of(without_matrix_instructions, [&](std::string_view known) {
    return known.ends_with('*') ? name.starts_with(known.substr(0, known.size() - 1))
                                : name == known;
  });
}

/// "RDNA3 (gfx1100), RDNA3.5 (gfx1151)": the products and architectures whose names begin with
/// `text`, one name for each processor, at most 8. Empty if no name begins so, or if `text` has
/// fewer than two letters.
std::string names_that_begin_as(const std::string& text) {
  constexpr std::size_t most = 8;
  const std::string wanted = instruction::bare_processor_name(text);
  std::vector<instruction::Target> shown;
  std::string names;
  for (const instruction::ProcessorName& each : instruction::processor_names()) {
    if (wanted.size() < 2 || shown.size() == most) break;
    if (!instruction::bare_processor_name(each.name).starts_with(wanted) ||
        std::ranges::find(shown, each.target) != shown.end())
      continue;
    shown.push_back(each.target);
    names += formatted("{}{} ({})", names.empty() ? "" : ", ", each.name,
                       instruction::name(each.target));
  }
  return names;
}

/// The message for an unknown target, with the nearest name and all names.
std::string no_target(const std::string& text, const auto& rows, std::string_view which) {
  if (const GenericTarget* generic = find_generic(text))
    return formatted("{} is {}; name one processor", generic->name, generic->meaning);
  std::string names;
  const std::string wanted = lower(text);
  // Among equally near names the guess is the one with the longest common beginning: gfx1152 means
  // gfx1151 rather than gfx1102.
  std::string_view guess;
  std::size_t alike = 0;
  for (const auto& row : rows) {
    names += formatted("{}{}", names.empty() ? "" : ", ", row.name);
    const std::string_view name = row.name;
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(wanted, name).in2 - name.begin());
    if (instruction::edit_distance(wanted, name) > 1 || same < alike) continue;
    if (same > alike || guess.empty()) guess = name;
    alike = same;
  }
  if (is_without_matrix_instructions(wanted))
    return formatted(
        "{} has no matrix instructions; of AMD's those from MI100 and RDNA3 on, of NVIDIA's those "
        "from sm_70 on have. The targets are {}",
        text, names);
  const bool near = !guess.empty();
  // "rdna" is several architectures.
  if (const std::string known = names_that_begin_as(text); !near && !known.empty())
    return formatted("no target '{}'{}; there are {}", text, which, known);
  return formatted("no target '{}'{}; {}the targets are {}", text, which,
                   near ? formatted("did you mean {}? ", guess) : std::string(), names);
}

}  // namespace

std::expected<instruction::Target, std::string> read_target(const std::string& text) {
  const auto* row = instruction::find_processor_by_any_name(text);
  if (row && instruction::has_kernels(row->target)) return row->target;
  const bool in_catalogue = row != nullptr;
  return std::unexpected(
      no_target(text, instruction::target_rows, in_catalogue ? " to compile for" : ""));
}

std::expected<instruction::Target, std::string> read_processor(const std::string& text) {
  if (const auto* row = instruction::find_processor_by_any_name(text)) return row->target;
  return std::unexpected(no_target(text, instruction::processor_rows, ""));
}

std::expected<instruction::Target, std::string> read_processor_or_generic(const std::string& text) {
  const GenericTarget* generic = find_generic(text);
  if (generic != nullptr && generic->processor) return *generic->processor;
  return read_processor(text);
}

}  // namespace heddle::answers
