#include "answers/instruction/selection.h"

#include <climits>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "answers/instruction/processor_argument.h"
#include "answers/instruction/similar_names.h"
#include "heddle/instruction/processor_name.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {

using instruction::Instruction;
using instruction::KOrder;
using instruction::Major;
using instruction::Modifiers;
using instruction::Operand;
using instruction::SharedTile;
using instruction::Swizzle;
using instruction::Target;

namespace {

/// The row that the arguments name, as an instruction of gfx1151 or, if gfx1151 does not have it,
/// as one of the first processor that has it.
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
          formatted("{} is not of waves of {}, but of {}", row.name, arguments.wave, row.wave));
  if (instruction::find_processor_by_any_name(arguments.name) != nullptr)
    return std::unexpected(
        formatted("'{0}' is a processor, and no instruction; `heddle list --arch {0}` lists its "
                  "instructions, and `heddle list --processors {0}` says what can be done for it",
                  arguments.name));
  return std::unexpected(formatted("no instruction '{}'; {}", arguments.name,
                                   similar_names(arguments.name, std::nullopt)));
}

/// If the name has the form "v_wmma_f32_16x16x16_f16.D", with which layouts name an operand: an
/// error message. It says that here the instruction and the operand are two arguments. Empty for
/// other names.
std::string operand_in_name(const RowArguments& arguments) {
  const std::size_t point = arguments.name.rfind('.');
  if (point == std::string::npos) return "";
  const std::string letter = arguments.name.substr(point + 1);
  const std::string name = arguments.name.substr(0, point);
  for (const Operand operand : instruction::all_operands)
    if (instruction::name(operand) == letter)
      for (const instruction::ProcessorRow& processor : instruction::processor_rows)
        if (instruction::find_by_any_name(name, processor.target, arguments.wave))
          return formatted(
              "'{}' is operand {} of {}; here the instruction is named alone, and its "
              "operand as --operand {}",
              arguments.name, letter, name, letter);
  return "";
}

std::expected<RowSelection, std::string> select_for_any_n(const RowArguments& arguments) {
  if (arguments.target.empty()) return select_anywhere(arguments);
  const auto target = read_processor_or_generic(arguments.target);
  if (!target) return std::unexpected(target.error());
  if (const auto row = instruction::find_by_any_name(arguments.name, *target, arguments.wave))
    return RowSelection{*row, *target};
  const auto reason = instruction::why_missing_by_any_name(arguments.name, *target, arguments.wave);
  std::string text(reason.view());
  if (const std::size_t guess = text.find("; nearest names there: "); guess != std::string::npos)
    text = text.substr(0, guess) + "; " + similar_names(arguments.name, *target);
  return std::unexpected(std::move(text));
}

/// "m64n128k16" is the row "m64nNk16" for n = 128.
RowArguments with_n_of_name(RowArguments arguments) {
  constexpr const char* digits = "0123456789";
  const std::string& name = arguments.name;
  for (std::size_t m = name.find(".m"); m != std::string::npos; m = name.find(".m", m + 1)) {
    const std::size_t n = name.find_first_not_of(digits, m + 2);
    if (n == m + 2 || n == std::string::npos || name[n] != 'n') continue;
    const std::size_t k = name.find_first_not_of(digits, n + 1);
    if (k == n + 1 || k == std::string::npos || name[k] != 'k' || k - n > 4) continue;
    RowArguments generic = arguments;
    generic.n = std::stoi(name.substr(n + 1, k - n - 1));
    generic.name.replace(n + 1, k - n - 1, "N");
    for (const instruction::ProcessorRow& processor : instruction::processor_rows)
      if (instruction::find_by_any_name(generic.name, processor.target, generic.wave))
        return generic;
  }
  return arguments;
}

/// "8, 16, 24, ..., 256".
std::string all_n(const Instruction& row) {
  std::string text;
  for (int n = 1; n <= row.n; ++n)
    if (instruction::takes_n(row, n)) text += formatted("{}{}", text.empty() ? "" : ", ", n);
  return text;
}

}  // namespace

std::expected<RowSelection, std::string> select_row(const RowArguments& wanted) {
  auto selected = select_for_any_n(wanted);
  if (!selected)
    if (std::string text = operand_in_name(wanted); !text.empty())
      return std::unexpected(std::move(text));
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
    return std::unexpected(formatted("{} has no n = {}; it has {}", selected->row.name, arguments.n,
                                     all_n(selected->row)));
  selected->row = *narrower;
  return selected;
}

namespace {

/// The position of `name` in the row's formats. Error: a sentence with the valid formats.
std::expected<int, std::string> format_named(const Instruction& row, const std::string& name) {
  std::string known;
  for (std::size_t i = 0; i < row.formats.size(); ++i) {
    const std::string_view type = instruction::name(row.formats[i].type);
    if (type == name) return static_cast<int>(i);
    known += formatted("{}{}", known.empty() ? "" : ", ", type);
  }
  if (known.empty()) return std::unexpected(formatted("{} has no choice of formats", row.name));
  return std::unexpected(formatted("no format {}; {} has {}", name, row.name, known));
}

/// The modifiers that the user gave, together with those that select the formats of A and B that
/// the user gave by name.
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

/// The reason why the user's `selector` cannot be used for the operands named `wanted` (one
/// operand, or "all"): it is out of range for one of these operands, or none of them has parts from
/// which to select. Empty if it can be used.
std::string why_not_selected(const Instruction& row, const std::string& wanted, int selector) {
  if (selector == 0) return "";
  if (!is_nvidia(row.family()))
    return formatted("--selector is of NVIDIA; {} has the modifiers of AMD", row.name);
  bool selects = false;
  for (const Operand operand : instruction::all_operands) {
    if (wanted != "all" && wanted != instruction::name(operand)) continue;
    const auto map = instruction::isa_fragment(row, operand);
    if (!map.outputs().contains("selector")) continue;
    const auto parts = static_cast<int>(map.output_size("selector"));
    if (selector >= parts)
      return formatted("selector {}: {} of {} has 0 to {}", selector, instruction::name(operand),
                       row.name, parts - 1);
    selects = true;
  }
  return selects ? "" : formatted("{} has nothing to select from in {}", row.name, wanted);
}

}  // namespace

std::expected<Selection, std::string> select(const SelectionArguments& arguments) {
  const auto selected = select_row(arguments);
  if (!selected) return std::unexpected(selected.error());
  const auto modifiers = modifiers_of(selected->row, arguments);
  if (!modifiers) return std::unexpected(modifiers.error());
  const std::string unselected =
      why_not_selected(selected->row, arguments.operand, arguments.selector);
  if (!unselected.empty()) return std::unexpected(unselected);
  const KOrder order = arguments.k_order == "isa" ? KOrder::isa : KOrder::contiguous;
  Selection selection{*selected, order, *modifiers, arguments.selector, std::nullopt, Major::k};
  selection.row = instruction::with_formats(selected->row, *modifiers);
  if (arguments.major == "mn") selection.major = Major::mn;
  for (const instruction::SwizzleRow& swizzle : instruction::swizzle_rows)
    if (swizzle.name == arguments.swizzle) selection.swizzle = swizzle.swizzle;
  const bool is_of_shared = selection.swizzle || selection.major == Major::mn;
  if (is_of_shared && !instruction::may_be_shared(selection.row, Operand::b))
    return std::unexpected(formatted("no operand of {} lies in shared memory; leave out {}",
                                     selection.row.name,
                                     selection.swizzle ? "--swizzle" : "--major"));
  return selection;
}

namespace {

/// The names of the swizzles that the instruction accepts for an operand whose elements are
/// contiguous in shared memory along `major`: along k, or along m or n.
std::vector<std::string_view> swizzles_of(const Instruction& row, Operand operand, Major major) {
  std::vector<std::string_view> names;
  for (const instruction::SwizzleRow& swizzle : instruction::swizzle_rows) {
    if (row.is_of(instruction::Family::sm90) && swizzle.sm_90_code < 0) continue;
    const bool taken = major == Major::k
                           ? swizzle.swizzle != Swizzle::bytes128_atom32
                           : instruction::may_be_mn_major(row, operand, swizzle.swizzle);
    if (taken) names.push_back(swizzle.name);
  }
  return names;
}

std::expected<SharedTile, std::string> shared_tile_of(const Selection& selection, Operand operand) {
  const Instruction& row = selection.row;
  const std::string_view name = instruction::name(operand);
  if (!instruction::may_be_shared(row, operand))
    return std::unexpected(formatted(
        "{} of {} does not lie in shared memory; leave out --swizzle and --major", name, row.name));
  const auto names = swizzles_of(row, operand, selection.major);
  if (!selection.swizzle)
    return std::unexpected(
        formatted("{} of {} lies in shared memory, as its descriptor says; add --swizzle {}, and "
                  "--major k or "
                  "mn",
                  name, row.name, joined(names, ", ")));
  if (names.empty())
    return std::unexpected(
        formatted("{} of {} is {} bits wide and can only be k-major; its --major is k", name,
                  row.name, instruction::bits(row.type(operand))));
  if (std::ranges::find(names, instruction::name(*selection.swizzle)) == names.end())
    return std::unexpected(formatted("{} of {} takes no swizzle {} when {}-major; it takes {}",
                                     name, row.name, instruction::name(*selection.swizzle),
                                     instruction::name(selection.major), joined(names, ", ")));
  return instruction::shared_tile(row, operand, selection.major, *selection.swizzle);
}

}  // namespace

std::expected<std::vector<SeenOperand>, std::string> operands_of(const Selection& selection,
                                                                 const std::string& wanted) {
  const Instruction& row = selection.row;
  std::vector<SeenOperand> operands;
  std::string names;
  for (Operand operand : instruction::all_operands) {
    if (!row.has(operand)) continue;
    names += formatted("{}{}", names.empty() ? "" : ", ", instruction::name(operand));
    const bool is_named = instruction::name(operand) == wanted;
    const bool as_d = operand == Operand::c && !exists(row.c);
    if (!is_named && (wanted != "all" || as_d)) continue;
    const bool only_shared = row.map(operand).storage == instruction::Storage::shared_memory;
    if (only_shared && !is_named && !selection.swizzle) continue;
    if (only_shared || (is_named && selection.swizzle)) {
      const auto tile = shared_tile_of(selection, operand);
      if (!tile) return std::unexpected(tile.error());
      operands.push_back({operand, *tile});
    } else if (!row.map(operand).text.empty()) {
      operands.push_back({operand, std::nullopt});
    } else if (is_named) {
      return std::unexpected(formatted(
          "{} of {} lies in tensor memory, no compared source says where", wanted, row.name));
    }
  }
  if (operands.empty())
    return std::unexpected(
        formatted("{} has no operand {}; its operands are {}", row.name, wanted, names));
  return operands;
}

instruction::Places places_of(const Selection& selection, Operand operand) {
  if (instruction::is_nvidia(selection.row.family()))
    return instruction::places(selection.row, operand, selection.order, selection.selector);
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
    if (value != 0) text += formatted("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

}  // namespace heddle::answers
