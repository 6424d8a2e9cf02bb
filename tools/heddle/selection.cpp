#include "tools/heddle/selection.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "tools/heddle/source_file.h"

namespace heddle::tool {

using instruction::Instruction;
using instruction::KOrder;
using instruction::Modifiers;
using instruction::Operand;

void add_selection(CLI::App& command, SelectionArguments& arguments) {
  command.add_option("instruction", arguments.name, "mnemonic; `heddle list` has them all")
      ->required();
  command.add_option("--arch", arguments.target, "GPU")->capture_default_str();
  command.add_option("--wave", arguments.wave, "lanes of a wave; without it 32, on CDNA 64")
      ->check(CLI::IsMember({32, 64}));
  command.add_option("--operand", arguments.operand, "A, B, C, D, K (index of a sparse A), all")
      ->transform(CLI::IsMember({"A", "B", "C", "D", "K", "all"}, CLI::ignore_case))
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

std::expected<Selection, std::string> select(const SelectionArguments& arguments) {
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  const int wave = arguments.wave == 0 ? instruction::default_wave(*target) : arguments.wave;
  const Instruction* row = instruction::find(arguments.name, *target, wave);
  if (row == nullptr)
    return std::unexpected(
        std::string(instruction::why_missing(arguments.name, *target, wave).view()));
  const auto refused = instruction::why_refused(*row, arguments.modifiers);
  if (!refused.view().empty()) return std::unexpected(std::string(refused.view()));
  const KOrder order = arguments.k_order == "isa" ? KOrder::isa : KOrder::contiguous;
  return Selection{row, *target, order, arguments.modifiers};
}

std::expected<std::vector<Operand>, std::string> operands_of(const Instruction& row,
                                                             const std::string& wanted) {
  std::vector<Operand> operands;
  std::string names;
  for (Operand operand : instruction::all_operands) {
    if (!row.has(operand)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", instruction::name(operand));
    const bool all = wanted == "all" && operand != Operand::c;
    if (all || instruction::name(operand) == wanted) operands.push_back(operand);
  }
  if (operands.empty())
    return std::unexpected(
        fmt::format("{} has no operand {}; its operands are {}", row.name, wanted, names));
  return operands;
}

instruction::Places places_of(const Selection& selection, Operand operand) {
  return instruction::places(*selection.row, operand, selection.order, selection.modifiers);
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
