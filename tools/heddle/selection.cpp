#include "tools/heddle/selection.h"

#include <fmt/format.h>

#include <array>
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
  command.add_option("instruction", arguments.name, "mnemonic; `heddle list` has them all")
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

/// In waves of `wave` lanes, or of as many as are usual there.
const Instruction* find_row(const std::string& name, Target target, int wave) {
  return wave == 0 ? instruction::find(name, target) : instruction::find(name, target, wave);
}

/// The row on gfx1151, or else on the first processor that has it.
std::expected<RowSelection, std::string> select_anywhere(const RowArguments& arguments) {
  if (const Instruction* row = find_row(arguments.name, Target::gfx1151, arguments.wave))
    return RowSelection{*row, Target::gfx1151};
  for (const instruction::ProcessorRow& processor : instruction::processor_rows)
    if (const Instruction* row = find_row(arguments.name, processor.target, arguments.wave))
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

}  // namespace

namespace {

std::expected<RowSelection, std::string> select_for_any_n(const RowArguments& arguments) {
  if (arguments.target.empty()) return select_anywhere(arguments);
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  if (const Instruction* row = find_row(arguments.name, *target, arguments.wave))
    return RowSelection{*row, *target};
  const int wave = arguments.wave == 0 ? instruction::default_wave(*target) : arguments.wave;
  return std::unexpected(
      std::string(instruction::why_missing(arguments.name, *target, wave).view()));
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
  const RowArguments arguments = with_n_of_name(wanted);
  auto selected = select_for_any_n(arguments);
  if (!selected || arguments.n == 0) return selected;
  const auto narrower = instruction::with_n(selected->row, arguments.n);
  if (!narrower)
    return std::unexpected(fmt::format("{} has no n = {}; it has {}", selected->row.name,
                                       arguments.n, all_n(selected->row)));
  selected->row = *narrower;
  return selected;
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
  const auto selected = select_row(arguments);
  if (!selected) return std::unexpected(selected.error());
  const auto modifiers = modifiers_of(selected->row, arguments);
  if (!modifiers) return std::unexpected(modifiers.error());
  const KOrder order = arguments.k_order == "isa" ? KOrder::isa : KOrder::contiguous;
  Selection selection{*selected, order, *modifiers};
  selection.row = instruction::with_formats(selected->row, *modifiers);
  return selection;
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
