#include "answers/instruction/processor_list.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/instruction/processor_argument.h"
#include "answers/text/columns.h"
#include "answers/text/json_text.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/memory/bank_model.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

using instruction::Family;
using instruction::ProcessorRow;

/// What Heddle cannot do for some families of processors: `not_run` names instructions that its
/// emulator does not run; `not_checked` names what `--check` does not check there, although it does
/// so for RDNA or the emulator knows it (docs/emulator.md, docs/checker.md).
struct Gap {
  instruction::Families families;
  std::string_view not_run, not_checked;
};
constexpr std::array gaps{Gap{Family::gfx1250, "", "s_wait_xcnt"}};

const Gap* gap_of(const ProcessorRow& row) {
  const auto found =
      std::ranges::find_if(gaps, [&](const Gap& gap) { return gap.families.contains(row.family); });
  return found == gaps.end() ? nullptr : &*found;
}

struct KnownProcessor {
  const ProcessorRow* row;
  std::ptrdiff_t instructions;
};

std::vector<KnownProcessor> lines_of(const ProcessorRow* only) {
  std::vector<KnownProcessor> all;
  for (const ProcessorRow& row : instruction::processor_rows) {
    if (only != nullptr && row.target != only->target) continue;
    all.push_back({&row, std::ranges::count_if(instruction::all_instructions(),
                                               [&](auto& one) { return one.is_of(row.family); })});
  }
  return all;
}

/// The banks of the processor; they are the same for all of its wave sizes.
memory::BankModel banks_of(const ProcessorRow& row) {
  return memory::bank_model(row.target, instruction::default_wave(row.target));
}

/// Words for whether Heddle can do something for a processor: "yes", "-" for no, or "but for" and
/// the exceptions named in `without`. In text for people, "mostly" replaces the exceptions, and
/// notes() lists them.
std::string words(bool is_there, std::string_view without, bool for_people) {
  if (!is_there) return "-";
  if (without.empty()) return "yes";
  return for_people ? "mostly" : formatted("but for {}", without);
}

Cells cells_of(const std::vector<KnownProcessor>& lines, bool for_people) {
  Cells cells{{"processor", "product", "banks", "shown", "compiled", "run", "checked"}};
  for (const auto& [row, count] : lines) {
    const bool runs = instruction::is_emulated(row->target);
    const Gap* const gap = gap_of(*row);
    cells.push_back({std::string(row->name), std::string(row->product),
                     formatted("{}", banks_of(*row).banks()), formatted("{}", count),
                     words(instruction::is_compiled_for(row->target), "", for_people),
                     words(runs, gap == nullptr ? "" : gap->not_run, for_people),
                     words(runs, gap == nullptr ? "" : gap->not_checked, for_people)});
  }
  return cells;
}

/// The exceptions of those processors.
std::string notes(const std::vector<KnownProcessor>& lines) {
  std::string text;
  for (const Gap& gap : gaps) {
    std::string names;
    for (const auto& [row, count] : lines)
      if (gap_of(*row) == &gap) names += formatted("{}{}", names.empty() ? "" : ", ", row->name);
    if (names.empty()) continue;
    for (const auto& [verb, what] : {std::pair("run", gap.not_run), {"checked", gap.not_checked}})
      if (!what.empty()) text += formatted("{}: not {}: {}\n", names, verb, what);
  }
  return text.empty() ? text : '\n' + text;
}

std::string json_of(const std::vector<KnownProcessor>& lines) {
  std::string text;
  for (const auto& [row, count] : lines) {
    const bool runs = instruction::is_emulated(row->target);
    const Gap* const gap = gap_of(*row);
    text += formatted(
        R"({}{{"processor": "{}", "family": "{}", "product": {}, "banks": {}, "bank_bytes": {}, )"
        R"("instructions": {}, "compiled": {}, "run": {}, "not_run": {}, "checked": {}, "not_checked": {}}})",
        text.empty() ? "\n  " : ",\n  ", row->name, instruction::name(row->family),
        json_string(row->product), banks_of(*row).banks(), banks_of(*row).bank_bytes, count,
        instruction::is_compiled_for(row->target), runs,
        json_string(gap == nullptr ? "" : gap->not_run), runs,
        json_string(gap == nullptr ? "" : gap->not_checked));
  }
  return "{\"processors\": [" + text + "\n]}\n";
}

}  // namespace

std::expected<std::string, std::string> list_processors(const std::string& processor,
                                                        const std::string& format) {
  const ProcessorRow* only = nullptr;
  if (!processor.empty()) {
    const auto target = read_processor(processor);
    if (!target) return std::unexpected(target.error());
    only = &instruction::processor(*target);
  }
  const std::vector<KnownProcessor> lines = lines_of(only);
  if (format == "json") return json_of(lines);
  if (format == "csv") return csv_of(cells_of(lines, false));
  if (format == "md") return markdown_of(cells_of(lines, false));
  if (format != "text")
    return std::unexpected(
        "--format " + format +
        " is of instructions; accepted with --processors: text, json, csv or md");
  return columns_of(cells_of(lines, true), text_width()) + notes(lines);
}

}  // namespace heddle::answers
