#include "answers/tile/banks_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "answers/text/counted.h"
#include "answers/text/json_text.h"
#include "answers/text/paragraph.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using memory::PhaseReport;
using memory::WantedWord;

constexpr int label_columns = 10;
constexpr std::size_t most_words_shown = 8;
constexpr std::size_t most_kinds_shown = 8;

/// Describes a collision: the bank in which a phase wants the most words, and the first `most` of
/// these words, as in "bank 0: lane 0 byte 0, lane 20 byte 128".
std::string collision_text(const PhaseReport& phase, std::size_t most) {
  const std::vector<WantedWord> words = phase.words_of(phase.bank);
  std::string text = formatted("bank {}:", phase.bank);
  for (std::size_t i = 0; i < words.size() && i < most; ++i) {
    const std::vector<std::uint64_t> lanes = lanes_of(words[i].lanes);
    text += formatted("{} lane{} {} byte {}", i == 0 ? "" : ",", lanes.size() == 1 ? "" : "s",
                      ranges_text(lanes), words[i].address);
  }
  if (words.size() > most) text += formatted(", {} more", words.size() - most);
  return text;
}

/// The text of a phase's collision with as many words as fit into `columns` characters, but at
/// least two words.
std::string collision_within(const PhaseReport& phase, std::size_t columns) {
  std::size_t most = most_words_shown;
  while (most > 2 && collision_text(phase, most).size() > columns) --most;
  return collision_text(phase, most);
}

/// Which elements of each lane an instruction moves, and for which warp: "elements 0-3, warp 1".
std::string moved_text(const memory::IssuedAccess& access) {
  std::string text = formatted("element{} {}", access.positions.size() == 1 ? "" : "s",
                               ranges_text(access.positions));
  for (const layout::Coordinate& coordinate : access.of)
    text += formatted(", {} {}", coordinate.axis.text(), coordinate.value);
  return text;
}

std::string phases_text(const MemoryView& memory, const AlikeAccesses& kind, int columns) {
  std::string text = "  " + moved_text(memory.issued.list[kind.first]);
  if (kind.count > 1) text += formatted(", and {} more like it", kind.count - 1);
  if (memory.reports[kind.first].is_merged) text += "; lanes agree in pairs: two phases as one";
  text += "\n  phase  passes  extra  ";
  std::size_t width = 5;
  const auto lanes = [](const PhaseReport& phase) { return ranges_text(lanes_of(phase.lanes)); };
  const std::vector<PhaseReport>& phases = memory.reports[kind.first].phases;
  for (const PhaseReport& phase : phases) width = std::max(width, lanes(phase).size());
  text += fmt::format("{:<{}}  fullest bank\n", "lanes", width);
  const auto left =
      static_cast<std::size_t>(columns) - std::min(static_cast<std::size_t>(columns), width + 26);
  for (const PhaseReport& phase : phases)
    text += fmt::format("  {:>5}  {:>6}  {:>5}  {:<{}}  {}\n", phase.number, phase.passes,
                        phase.extra_passes(), lanes(phase), width,
                        phase.passes > 1 ? collision_within(phase, left) : "no conflict");
  return text;
}

std::string total_text(const MemoryView& memory) {
  const memory::Cost& total = memory.total;
  return formatted("{}: {} in {}", counted(total.extra_passes, "extra pass"), total.passes(),
                   counted(total.phases, "phase"));
}

/// The partitions of shared memory that each warp accesses, and the remark that nobody has measured
/// what it costs if several warps access the same partition.
std::string partitions_text(const MemoryView& memory) {
  std::map<std::vector<std::uint64_t>, std::set<std::uint64_t>> warps_of;
  for (const memory::IssuedAccess& access : memory.issued.list) {
    warps_of[partitions_of(memory, access)].insert(access.of.at_or("warp", 0));
  }
  std::string text;
  for (const auto& [partitions, warps] : warps_of)
    text += formatted("{}warp{} {} reach{} {}", text.empty() ? "" : "; ",
                      warps.size() == 1 ? "" : "s", ranges_text({warps.begin(), warps.end()}),
                      warps.size() == 1 ? "es" : "", ranges_text(partitions));
  return formatted(
      "{} partitions of {} bytes, each in a segment of its own: {}. Waves that meet "
      "at a segment are not counted; banks are assumed to be those of one memory",
      memory.partitions, memory.part_bytes, text);
}

std::string memory_text(const AccessView& access, const MemoryView& memory, int width) {
  std::string text =
      paragraph("memory",
                formatted("{}; {}", memory.name,
                          counted(memory::bytes(memory.shared, access.move.element_bits), "byte")),
                label_columns, width);
  text += paragraph("issued",
                    formatted("{}; phases {}", instructions_text(access, memory),
                              memory::name(evidence(access, memory))),
                    label_columns, width);
  if (memory.partitions > 1)
    text += paragraph("segments", partitions_text(memory), label_columns, width);
  const std::vector<AlikeAccesses> kinds = alike(memory);
  for (std::size_t i = 0; i < kinds.size() && i < most_kinds_shown; ++i)
    text += phases_text(memory, kinds[i], width);
  if (kinds.size() > most_kinds_shown)
    text += formatted("  and {} more kinds of instructions; --format json has them all\n",
                      kinds.size() - most_kinds_shown);
  text += paragraph("total", total_text(memory), label_columns, width);
  if (memory.reasons.empty())
    return text + paragraph("why", std::string(memory::no_conflict_sentence), label_columns, width);
  std::string_view label = "why";
  for (const memory::ConflictReason& reason : memory.reasons) {
    text += paragraph(label,
                      formatted("{} ({}, {} extra)", reason.sentence(),
                                counted(reason.phases, "phase"), reason.passes),
                      label_columns, width);
    label = "";
  }
  return text;
}

/// The banks that each access uses, and the source of that fact: "32 of 4 bytes, by load latencies
/// of gfx1100". If several accesses have the same text, it stands only once.
std::string banks_of(const BanksView& view) {
  const memory::BankModel& model = view.access.model;
  std::vector<std::string> all;
  for (const MemoryView& memory : view.memories)
    for (const memory::IssuedAccess& access : memory.issued.list) {
      const memory::Phases& phases = model.phases(access.kind, access.bytes);
      const std::string words =
          formatted("{} of {} bytes, by {}", phases.banks, model.bank_bytes, phases.source);
      if (std::ranges::find(all, words) == all.end()) all.push_back(words);
    }
  return joined(all, "; ");
}

std::string phase_json(const PhaseReport& phase) {
  std::string collisions;
  for (const WantedWord& word : phase.words) {
    if (phase.words_of(word.bank).size() < 2) continue;
    collisions +=
        formatted(R"({}{{"bank": {}, "byte": {}, "lanes": [{}]}})", collisions.empty() ? "" : ", ",
                  word.bank, word.address, joined(lanes_of(word.lanes), ", "));
  }
  return formatted(
      R"({{"phase": {}, "lanes": [{}], "passes": {}, "extra_passes": {}, "fullest_bank": {}, )"
      R"("collisions": [{}]}})",
      phase.number, joined(lanes_of(phase.lanes), ", "), phase.passes, phase.extra_passes(),
      phase.bank, collisions);
}

std::string instruction_json(const memory::IssuedAccess& access,
                             const memory::AccessReport& report) {
  std::string of, phases;
  for (const layout::Coordinate& coordinate : access.of)
    of += formatted(R"("{}": {}, )", coordinate.axis.text(), coordinate.value);
  for (const PhaseReport& phase : report.phases)
    phases += (phases.empty() ? "\n       " : ",\n       ") + phase_json(phase);
  return formatted(
      "\n     {{{}\"elements\": [{}], \"bytes\": {}, \"matrices\": {}, \"active\": [{}],\n"
      "      \"addresses\": [{}],\n      \"merged\": {}, \"extra_passes\": {}, \"phases\": [{}]}}",
      of, joined(access.positions, ", "), access.bytes, access.matrices,
      joined(lanes_of(access.active), ", "), joined(access.address, ", "), report.is_merged,
      report.cost().extra_passes, phases);
}

std::string memory_json(const AccessView& access, const MemoryView& memory) {
  std::string reasons, instructions;
  for (const memory::ConflictReason& reason : memory.reasons)
    reasons += formatted(R"({}{{"who": {}, "why": {}, "phases": {}, "extra_passes": {}}})",
                         reasons.empty() ? "" : ", ", json_string(reason.who),
                         json_string(reason.why), reason.phases, reason.passes);
  for (std::size_t i = 0; i < memory.issued.list.size(); ++i)
    instructions += (instructions.empty() ? "" : ",") +
                    instruction_json(memory.issued.list[i], memory.reports[i]);
  return formatted(
      "\n   {{\"memory\": {}, \"bytes\": {}, \"partitions\": {}, \"evidence\": \"{}\",\n"
      "    \"phases\": {}, \"extra_passes\": {},\n"
      "    \"reasons\": [{}],\n    \"instructions\": [{}]}}",
      json_string(memory.name), memory::bytes(memory.shared, access.move.element_bits),
      memory.partitions, memory::name(evidence(access, memory)), memory.total.phases,
      memory.total.extra_passes, reasons, instructions);
}

}  // namespace

std::string banks_text(const BanksView& view, int width) {
  const memory::BankModel& model = view.access.model;
  std::string text = paragraph("access",
                               formatted("{} of {}, {}, waves of {}", view.access.name,
                                         view.access.type, model.name, model.wave),
                               label_columns, width);
  text += paragraph("banks", banks_of(view), label_columns, width);
  for (const MemoryView& memory : view.memories)
    text += "\n" + memory_text(view.access, memory, width);
  return text;
}

std::string banks_json(const BanksView& view) {
  const memory::BankModel& model = view.access.model;
  const memory::IssuedAccess& first = view.memories.front().issued.list.front();
  const memory::Phases& served = model.phases(first.kind, first.bytes);
  std::string memories;
  for (const MemoryView& memory : view.memories)
    memories += (memories.empty() ? "" : ",") + memory_json(view.access, memory);
  return formatted(
      "{{\"arch\": \"{}\", \"wave\": {}, \"banks\": {}, \"bank_bytes\": {}, \"element_bits\": {},\n"
      " \"source\": {},\n"
      " \"access\": {}, \"type\": \"{}\", \"kind\": \"{}{}\",\n \"memories\": [{}]}}\n",
      model.name, model.wave, served.banks, model.bank_bytes, view.access.move.element_bits,
      json_string(served.source), json_string(view.access.name), view.access.type,
      view.access.instruction.empty() ? memory::name(first.kind) : view.access.instruction,
      view.access.move.transposed ? ".trans" : "", memories);
}

}  // namespace heddle::answers
