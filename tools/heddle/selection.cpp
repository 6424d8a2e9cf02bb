#include "tools/heddle/selection.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "heddle/instruction/names.h"
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
                  "mnemonic, CUTLASS atom, LLVM intrinsic or clang builtin; `heddle list` has all "
                  "mnemonics")
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
}

namespace {

/// The instruction by any name it has. A name of the catalogue is found whatever its lanes are.
std::optional<Instruction> find_row(const RowArguments& arguments, Target target) {
  if (auto row = instruction::find_by_any_name(arguments.name, target, arguments.wave)) return row;
  const Instruction* row = instruction::find(arguments.name, target);
  return row == nullptr || arguments.wave != 0 ? std::nullopt : std::optional(*row);
}

/// The row on gfx1151, or else on the first processor that has it.
std::expected<RowSelection, std::string> select_anywhere(const RowArguments& arguments) {
  if (auto row = find_row(arguments, Target::gfx1151)) return RowSelection{*row, Target::gfx1151};
  for (const instruction::ProcessorRow& processor : instruction::processor_rows)
    if (auto row = find_row(arguments, processor.target))
      return RowSelection{*row, processor.target};
  instruction::NearestNames nearest(arguments.name);
  for (const Instruction& row : instruction::all_instructions()) {
    if (row.name == arguments.name)
      return std::unexpected(
          fmt::format("{} is not of waves of {}, but of {}", row.name, arguments.wave, row.wave));
    nearest.consider(row.name);
  }
  return std::unexpected(fmt::format("no instruction '{}'; the nearest names are {}",
                                     arguments.name, fmt::join(nearest.names(), ", ")));
}

std::expected<RowSelection, std::string> select_for_any_n(const RowArguments& arguments) {
  if (arguments.target.empty()) return select_anywhere(arguments);
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  if (auto row = find_row(arguments, *target)) return RowSelection{*row, *target};
  return std::unexpected(std::string(
      instruction::why_missing_by_any_name(arguments.name, *target, arguments.wave).view()));
}

/// "8, 16, 24, ..., 256".
std::string all_n(const Instruction& row) {
  std::string text;
  for (int n = 1; n <= row.n; ++n)
    if (instruction::takes_n(row, n)) text += fmt::format("{}{}", text.empty() ? "" : ", ", n);
  return text;
}

}  // namespace

std::expected<RowSelection, std::string> select_row(const RowArguments& arguments) {
  auto selected = select_for_any_n(arguments);
  if (!selected || arguments.n == 0) return selected;
  const auto narrower = instruction::with_n(selected->row, arguments.n);
  if (!narrower)
    return std::unexpected(fmt::format("{} has no n = {}; it has {}", selected->row.name,
                                       arguments.n, all_n(selected->row)));
  selected->row = *narrower;
  return selected;
}

std::expected<Selection, std::string> select(const SelectionArguments& arguments) {
  const auto selected = select_row(arguments);
  if (!selected) return std::unexpected(selected.error());
  const auto refused = instruction::why_refused(selected->row, arguments.modifiers);
  if (!refused.view().empty()) return std::unexpected(std::string(refused.view()));
  const KOrder order = arguments.k_order == "isa" ? KOrder::isa : KOrder::contiguous;
  return Selection{*selected, order, arguments.modifiers};
}

std::string_view where_unmapped(const Instruction& row, Operand operand) {
  return row.map(operand).storage == instruction::Storage::shared_memory
             ? "in shared memory, where its descriptor says"
             : "in tensor memory, at places that no witness gives";
}

std::expected<std::vector<Operand>, std::string> operands_of(const Instruction& row,
                                                             const std::string& wanted) {
  std::vector<Operand> operands;
  std::string names;
  for (Operand operand : instruction::all_operands) {
    if (!row.has(operand)) continue;
    const bool is_named = instruction::name(operand) == wanted;
    if (row.map(operand).text.empty()) {
      if (is_named)
        return std::unexpected(
            fmt::format("{} of {} lies {}", wanted, row.name, where_unmapped(row, operand)));
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
