#include "tools/heddle/selection.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/heddle/source_file.h"

namespace heddle::tool {

using instruction::Instruction;
using instruction::KOrder;
using instruction::Modifiers;
using instruction::Operand;
using instruction::Target;

void add_row_selection(CLI::App& command, RowArguments& arguments) {
  command
      .add_option("instruction", arguments.name,
                  "mnemonic (`heddle list` has them all), or its name in CUTLASS, LLVM or clang")
      ->required();
  command.add_option("--arch", arguments.target,
                     "GPU; without it gfx1151, or the first that has the instruction");
  command.add_option("--wave", arguments.wave, "lanes of a wave; without it 32, on CDNA 64")
      ->check(CLI::IsMember({32, 64}));
  command.add_option("--n", arguments.n, "columns of B, of an instruction for several numbers")
      ->check(CLI::PositiveNumber);
}

void add_selection(CLI::App& command, SelectionArguments& arguments) {
  add_row_selection(command, arguments);
  command
      .add_option("--operand", arguments.operand,
                  "A, B, C, D, K (index of a sparse A), SA, SB (scales), P (addresses), all")
      ->transform(
          CLI::IsMember({"A", "B", "C", "D", "K", "SA", "SB", "P", "all"}, CLI::ignore_case))
      ->capture_default_str();
  command.add_option("--k-order", arguments.k_order, "numbering of k: isa or contiguous")
      ->check(CLI::IsMember({"isa", "contiguous"}))
      ->capture_default_str();
  command.add_option("--cbsz", arguments.modifiers.cbsz, "CDNA: 2^N blocks of A read one");
  command.add_option("--abid", arguments.modifiers.abid, "CDNA: which block, or part of the index");
  command.add_option("--blgp", arguments.modifiers.blgp, "CDNA: the lanes that B is read from");
  command.add_option("--opsel", arguments.modifiers.opsel,
                     "RDNA: the part of the index, or 4: the upper half of 16-bit C and D");
  command
      .add_option("--selector", arguments.selector,
                  "NVIDIA: the sparsity selector, or the part of the scales that is read")
      ->check(CLI::NonNegativeNumber);
}

namespace {

/// The row on gfx1151, or else on the first processor that has it.
std::expected<RowSelection, std::string> select_anywhere(const RowArguments& arguments) {
  const auto select_on = [&](Target target) -> std::optional<RowSelection> {
    const auto row = instruction::find_by_any_name(arguments.name, target, arguments.wave);
    return row ? std::optional(RowSelection{*row, target}) : std::nullopt;
  };
  if (const auto usual = select_on(Target::gfx1151)) return *usual;
  for (const instruction::ProcessorRow& processor : instruction::processor_rows)
    if (const auto selected = select_on(processor.target)) return *selected;
  for (const Instruction& row : instruction::all_instructions())
    if (row.name == arguments.name)
      return std::unexpected(
          fmt::format("{} is not of waves of {}, but of {}", row.name, arguments.wave, row.wave));
  std::string nearest;
  for (const Instruction* row : instruction::nearest_by_any_name(arguments.name))
    if (row != nullptr)
      nearest += fmt::format("{}{}", nearest.empty() ? "" : ", ",
                             instruction::name_in_style(*row, arguments.name).view());
  return std::unexpected(
      fmt::format("no instruction '{}'; the nearest names are {}", arguments.name, nearest));
}

std::expected<RowSelection, std::string> select_for_any_n(const RowArguments& arguments) {
  if (arguments.target.empty()) return select_anywhere(arguments);
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  if (const auto row = instruction::find_by_any_name(arguments.name, *target, arguments.wave))
    return RowSelection{*row, *target};
  return std::unexpected(std::string(
      instruction::why_missing_by_any_name(arguments.name, *target, arguments.wave).view()));
}

/// "m64n128k16" is the row "m64nNk16" for n = 128.
RowArguments with_n_of_name(RowArguments arguments) {
  const std::size_t m = arguments.name.find(".m64n");
  const std::size_t first = m + 5;
  const std::size_t last = arguments.name.find_first_not_of("0123456789", first);
  if (m == std::string::npos || last == first || last == std::string::npos) return arguments;
  if (arguments.name[last] != 'k' || last - first > 3) return arguments;
  arguments.n = std::stoi(arguments.name.substr(first, last - first));
  arguments.name.replace(first, last - first, "N");
  return arguments;
}

/// "8, 16, 24, ..., 256".
std::string all_n(const Instruction& row) {
  std::string text;
  for (int n = 1; n <= row.n; ++n)
    if (instruction::takes_n(row, n)) text += fmt::format("{}{}", text.empty() ? "" : ", ", n);
  return text;
}

}  // namespace

std::expected<RowSelection, std::string> select_row(const RowArguments& wanted) {
  auto selected = select_for_any_n(wanted);
  RowArguments arguments = wanted;
  if (!selected) {  // perhaps for its n only
    arguments = with_n_of_name(wanted);
    if (arguments.name == wanted.name) return selected;
    const auto of_all_n = select_for_any_n(arguments);
    if (!of_all_n) return selected;
    selected = of_all_n;
  }
  if (arguments.n == 0) return selected;
  const auto narrower = instruction::with_n(selected->row, arguments.n);
  if (!narrower)
    return std::unexpected(fmt::format("{} has no n = {}; it has {}", selected->row.name,
                                       arguments.n, all_n(selected->row)));
  selected->row = *narrower;
  return selected;
}

namespace {

/// Why one of the operands named `wanted` is not read with this selector; empty if all are.
std::string why_not_selected(const Instruction& row, const std::string& wanted, int selector) {
  if (selector == 0) return "";
  bool selects = false;
  for (const Operand operand : instruction::all_operands) {
    if (wanted != "all" && wanted != instruction::name(operand)) continue;
    const auto map = instruction::isa_fragment(row, operand);
    if (!map.outputs().contains("selector")) continue;
    const auto parts = static_cast<int>(map.output_size("selector"));
    if (selector >= parts)
      return fmt::format("selector {}: {} of {} has 0 to {}", selector, instruction::name(operand),
                         row.name, parts - 1);
    selects = true;
  }
  return selects ? "" : fmt::format("{} has nothing to select from in {}", row.name, wanted);
}

}  // namespace

std::expected<Selection, std::string> select(const SelectionArguments& arguments) {
  const auto selected = select_row(arguments);
  if (!selected) return std::unexpected(selected.error());
  const auto refused = instruction::why_refused(selected->row, arguments.modifiers);
  if (!refused.view().empty()) return std::unexpected(std::string(refused.view()));
  const std::string unselected =
      why_not_selected(selected->row, arguments.operand, arguments.selector);
  if (!unselected.empty()) return std::unexpected(unselected);
  const KOrder order = arguments.k_order == "isa" ? KOrder::isa : KOrder::contiguous;
  return Selection{*selected, order, arguments.modifiers, arguments.selector};
}

std::expected<std::vector<Operand>, std::string> operands_of(const Instruction& row,
                                                             const std::string& wanted) {
  std::vector<Operand> operands;
  std::string names;
  for (Operand operand : instruction::all_operands) {
    if (!row.has(operand)) continue;
    const bool is_named = instruction::name(operand) == wanted;
    if (row.map(operand).storage == instruction::Storage::shared_memory) {
      if (is_named)
        return std::unexpected(fmt::format(
            "{} of {} lies in shared memory, where its descriptor says", wanted, row.name));
      continue;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", instruction::name(operand));
    const bool as_d = operand == Operand::c && !exists(row.c);
    if (is_named || (wanted == "all" && !as_d)) operands.push_back(operand);
  }
  if (operands.empty())
    return std::unexpected(
        fmt::format("{} has no operand {}; its operands are {}", row.name, wanted, names));
  return operands;
}

instruction::Places places_of(const Selection& selection, Operand operand) {
  if (instruction::is_nvidia(selection.row.family()))
    return instruction::places(selection.row, operand, selection.order, selection.selector);
  return instruction::places(selection.row, operand, selection.order, selection.modifiers);
}

std::string words(const Modifiers& modifiers) {
  const std::array<std::pair<const char*, int>, 4> all{{{"cbsz", modifiers.cbsz},
                                                        {"abid", modifiers.abid},
                                                        {"blgp", modifiers.blgp},
                                                        {"opsel", modifiers.opsel}}};
  std::string text;
  for (const auto& [name, value] : all)
    if (value != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

}  // namespace heddle::tool
