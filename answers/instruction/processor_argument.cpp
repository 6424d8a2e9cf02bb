#include "answers/instruction/processor_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "heddle/instruction/nearest.h"
#include "heddle/instruction/processor_name.h"

namespace heddle::answers {

namespace {

/// That there is no such target, the nearest name, and all names.
std::string no_target(const std::string& text, const auto& rows, std::string_view which) {
  std::string names;
  std::string wanted = text;
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  // Of equally near names the one that begins alike: gfx1152 is rather gfx1151 than gfx1102.
  std::string_view guess;
  std::size_t alike = 0;
  for (const auto& row : rows) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
    const std::string_view name = row.name;
    const auto same =
        static_cast<std::size_t>(std::ranges::mismatch(wanted, name).in2 - name.begin());
    if (instruction::edit_distance(wanted, name) > 1 || same < alike) continue;
    if (same > alike || guess.empty()) guess = name;
    alike = same;
  }
  const bool near = !guess.empty();
  return fmt::format("no target '{}'{}; {}the targets are {}", text, which,
                     near ? fmt::format("did you mean {}? ", guess) : std::string(), names);
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

}  // namespace heddle::answers
