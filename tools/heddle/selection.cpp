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
  command
      .add_option("--operand", arguments.operand,
                  "A, B, C, D, K (index of a sparse A), SA, SB (scales), all")
      ->transform(CLI::IsMember({"A", "B", "C", "D", "K", "SA", "SB", "all"}, CLI::ignore_case))
      ->capture_default_str();
  command.add_option("--k-order", arguments.k_order, "numbering of k: isa or contiguous")
      ->check(CLI::IsMember({"isa", "contiguous"}))
      ->capture_default_str();
  command.add_option("--cbsz", arguments.modifiers.cbsz,
                     "CDNA: 2^N blocks of A read one; of f8f6f4 the format of A");
  command.add_option("--abid", arguments.modifiers.abid, "CDNA: which block, or part of the index");
  command.add_option("--blgp", arguments.modifiers.blgp,
                     "CDNA: the lanes that B is read from; of f8f6f4 the format of B");
  command.add_option("--opsel", arguments.modifiers.opsel,
                     "RDNA: the part of the index, or 4: the upper half of 16-bit C and D; of "
                     "scales the byte or the half of the lanes");
  command.add_option("--a-format", arguments.a_format,
                     "of f8f6f4: fp8, bf8, fp6, bf6 or fp4; on CDNA4 another name of --cbsz");
  command.add_option("--b-format", arguments.b_format, "the same of B; another name of --blgp");
}

namespace {

/// The place of `name` in the row's formats, or a sentence that says what there is.
std::expected<int, std::string> format_named(const Instruction& row, const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < row.formats.size(); ++i) {
    const std::string_view type = instruction::name(row.formats[i].type);
    if (type == name) return static_cast<int>(i);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", type);
  }
  if (known.empty()) return std::unexpected(fmt::format("{} has no choice of formats", row.name));
  return std::unexpected(fmt::format("no format {}; {} has {}", name, row.name, known));
}

/// The modifiers, with those that stand for the formats named.
std::expected<Modifiers, std::string> modifiers_of(const Instruction& row,
                                                   const SelectionArguments& arguments) {
  Modifiers modifiers = arguments.modifiers;
  const bool cdna = instruction::is_cdna(row.family());
  const std::array<std::pair<const std::string*, int*>, 2> formats{
      {{&arguments.a_format, cdna ? &modifiers.cbsz : &modifiers.a_format},
       {&arguments.b_format, cdna ? &modifiers.blgp : &modifiers.b_format}}};
  for (const auto& [name, modifier] : formats) {
    if (name->empty()) continue;
    const auto format = format_named(row, *name);
    if (!format) return std::unexpected(format.error());
    *modifier = *format;
  }
  const auto refused = instruction::why_refused(row, modifiers);
  if (!refused.view().empty()) return std::unexpected(std::string(refused.view()));
  return modifiers;
}

}  // namespace

std::expected<Selection, std::string> select(const SelectionArguments& arguments) {
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  const int wave = arguments.wave == 0 ? instruction::default_wave(*target) : arguments.wave;
  const Instruction* row = instruction::find(arguments.name, *target, wave);
  if (row == nullptr)
    return std::unexpected(
        std::string(instruction::why_missing(arguments.name, *target, wave).view()));
  const auto modifiers = modifiers_of(*row, arguments);
  if (!modifiers) return std::unexpected(modifiers.error());
  const KOrder order = arguments.k_order == "isa" ? KOrder::isa : KOrder::contiguous;
  return Selection{instruction::with_formats(*row, *modifiers), *target, order, *modifiers};
}

std::expected<std::vector<Operand>, std::string> operands_of(const Instruction& row,
                                                             const std::string& wanted) {
  std::vector<Operand> operands;
  std::string names;
  for (Operand operand : instruction::all_operands) {
    if (!row.has(operand)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", instruction::name(operand));
    const bool all = wanted == "all" && (operand != Operand::c || instruction::exists(row.c));
    if (all || instruction::name(operand) == wanted) operands.push_back(operand);
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
  const std::array<std::pair<const char*, int>, 6> all{{{"cbsz", modifiers.cbsz},
                                                        {"abid", modifiers.abid},
                                                        {"blgp", modifiers.blgp},
                                                        {"opsel", modifiers.opsel},
                                                        {"matrix_a_fmt", modifiers.a_format},
                                                        {"matrix_b_fmt", modifiers.b_format}}};
  std::string text;
  for (const auto& [name, value] : all)
    if (value != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

}  // namespace heddle::tool
