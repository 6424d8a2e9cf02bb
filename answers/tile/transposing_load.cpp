#include "answers/tile/transposing_load.h"

#include <optional>
#include <vector>

#include "heddle/instruction/names.h"
#include "heddle/memory/transposed_read.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

/// The names of the instructions, other than plain loads and stores, that move tiles on this
/// processor. On NVIDIA these are ldmatrix and the like; on AMD the loads that transpose, for any
/// wave size.
std::vector<std::string_view> names_there(instruction::Target target) {
  if (is_nvidia(instruction::processor(target).family))
    return {moves_of_matrices.begin(), moves_of_matrices.end()};
  std::vector<std::string_view> names;
  for (const instruction::Instruction& row : instruction::all_instructions())
    if (memory::is_transposing_load(row) && instruction::exists_on(row, target))
      names.push_back(row.name);
  return names;
}

/// "did you mean ldmatrix? " if `name` looks like a typo of one of the names; otherwise empty.
std::string guess_of(std::string_view name, const std::vector<std::string_view>& names) {
  constexpr int most_edits = 3;
  instruction::NearestNames nearest(name);
  for (const std::string_view known : names) nearest.consider(known);
  const std::string_view guess = nearest.names()[0];
  const bool is_near = !guess.empty() && instruction::edit_distance(name, guess) <= most_edits;
  return is_near ? formatted("did you mean {}? ", guess) : std::string();
}

}  // namespace

bool names_transposing_load(const std::string& name) {
  const instruction::PlainMnemonic plain = instruction::plain_mnemonic(name);
  const std::string_view known = plain.size > 0 ? plain.view() : std::string_view(name);
  for (const instruction::Instruction& row : instruction::all_instructions())
    if (memory::is_transposing_load(row) && instruction::match_any_name(row, known, std::nullopt))
      return true;
  return false;
}

std::expected<instruction::Instruction, std::string> transposing_load(const std::string& name,
                                                                      instruction::Target target,
                                                                      int wave) {
  const instruction::ProcessorRow& processor = instruction::processor(target);
  const auto row =
      instruction::find_by_any_name(name, target, is_nvidia(processor.family) ? 0 : wave);
  if (row && memory::is_transposing_load(*row)) return *row;
  const std::vector<std::string_view> names = names_there(target);
  const std::string there =
      names.empty() ? formatted("{} has no load from shared memory that transposes", processor.name)
                    : formatted("there are {}", joined(names, ", "));
  if (row)
    return std::unexpected(
        formatted("{} moves nothing between registers and shared memory; {}", name, there));
  if (names_transposing_load(name))
    return std::unexpected(formatted("{} has no {}; {}", processor.name, name, there));
  return std::unexpected(
      formatted("no '{}' on {}; {}{}", name, processor.name, guess_of(name, names), there));
}

}  // namespace heddle::answers
