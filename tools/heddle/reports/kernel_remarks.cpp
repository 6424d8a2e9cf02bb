
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "answers/text/counted.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/occupancy.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"
#include "runtime/files/printable.h"
#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {
namespace {

/// Cuts off the number after the last colon of `text` and returns it; 0 if there is none.
std::size_t cut_number(std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::size_t number = 0;
  if (colon == std::string::npos) return 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + colon + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return 0;
  text.resize(colon);
  return number;
}

/// Groups the bad accesses by source line, or by instruction if there is no line. Groups are in the
/// order of their first access.
template <class Access>
std::vector<std::vector<const Access*>> by_line(const std::vector<Access>& accesses,
                                                bool (*is_bad)(const Access&)) {
  std::vector<std::vector<const Access*>> groups;
  std::map<std::pair<std::string, std::size_t>, std::size_t> known;
  for (const Access& access : accesses) {
    if (!is_bad(access)) continue;
    const SourcePlace place = source_place(access.source);
    const auto key = place.line != 0 ? std::pair(place.file, place.line)
                                     : std::pair(std::string(), access.program_counter);
    const auto [group, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[group->second].push_back(&access);
  }
  return groups;
}

std::string instructions_text(std::size_t count) {
  return count == 1 ? "" : formatted(" of {} instructions", count);
}

Remark conflict(const std::vector<const emulator::LdsAccess*>& accesses) {
  std::uint64_t extra = 0, issued = 0, ideal = 0;
  const emulator::LdsAccess* worst = accesses[0];
  for (const emulator::LdsAccess* access : accesses) {
    extra += access->extra_passes;
    issued += access->issued;
    ideal += access->ideal_passes;
    if (access->extra_passes * worst->issued > worst->extra_passes * access->issued) worst = access;
  }
  std::string phases;
  for (const emulator::ConflictPhase& phase : worst->conflicts)
    phases += formatted(
        "{}phase {}: {}, lanes {} want different words of bank {}", phases.empty() ? "" : "; ",
        phase.number, answers::counted(phase.passes, "pass"), lanes_text(phase.lanes), phase.bank);
  return {"bank-conflict",
          formatted("{} in {}{}, which need {}{}{}", answers::counted(extra, "extra pass"),
                    answers::counted(issued, "access"), instructions_text(accesses.size()), ideal,
                    phases.empty() ? "" : ": ", phases),
          "lay the rows further apart or swizzle them: `heddle place` finds the layout with the "
          "fewest passes, `heddle banks` shows the lanes that collide",
          {worst->program_counter, worst->instruction, worst->source}};
}

Remark uncoalesced(const std::vector<const emulator::GlobalAccess*>& accesses) {
  std::uint64_t touched = 0, needed = 0, issued = 0;
  for (const emulator::GlobalAccess* access : accesses) {
    touched += access->sectors_touched;
    needed += access->sectors_needed;
    issued += access->issued;
  }
  const emulator::GlobalAccess& first = *accesses[0];
  return {"uncoalesced-access",
          formatted(
              "touches {} of {} bytes where {} would hold the bytes it moves, in {}{} of {} a lane",
              answers::counted(touched, "sector"), emulator::GlobalAccess::sector_bytes, needed,
              answers::counted(issued, "access"), instructions_text(accesses.size()),
              answers::counted(first.bytes_per_lane, "byte")),
          "let neighbouring lanes access neighbouring addresses, or a lane more bytes at once",
          {first.program_counter, first.instruction, first.source}};
}

/// Adds a remark for each executed matrix instruction about which the sources of the catalogue
/// disagree.
void add_doubts(const KernelRun& run, std::vector<Remark>& all) {
  const instruction::ProcessorRow* target = instruction::find_target(run.target);
  if (target == nullptr) return;
  for (const emulator::OpcodeCount& opcode : run.report.emulated->opcodes) {
    const instruction::Instruction* row = instruction::find(opcode.mnemonic, target->target);
    if (row == nullptr || row->doubt.empty()) continue;
    all.push_back({"in-doubt",
                   formatted("{} is executed as the catalogue has it, where something is in "
                             "doubt: {}",
                             opcode.mnemonic, row->doubt),
                   formatted("compare a result with a GPU's; `heddle show {} --arch {}` draws "
                             "what the emulator does",
                             opcode.mnemonic, target->name),
                   {}});
  }
}

}  // namespace

std::string lanes_text(std::uint64_t lanes) {
  std::string text;
  for (int lane = 0; lane < 64; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const int first = lane;
    while (lane < 63 && lanes >> (lane + 1) & 1) ++lane;
    text += formatted("{}{}", text.empty() ? "" : ",", first);
    if (lane > first) text += formatted("-{}", lane);
  }
  return text;
}

SourcePlace source_place(const std::string& source) {
  SourcePlace place{source, 0, 0};
  const std::size_t last = cut_number(place.file);
  const std::size_t before = cut_number(place.file);
  place.line = before != 0 ? before : last;
  place.column = before != 0 ? last : 0;
  return place;
}

std::string near_source(const std::string& source) {
  const SourcePlace place = source_place(source);
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  auto path = std::filesystem::path(place.file).lexically_normal();
  const auto relative = path.lexically_relative(here);
  if (!error && !relative.empty() && *relative.begin() != "..") path = relative;
  return runtime::printable_line(path.string() + source.substr(place.file.size()));
}

std::vector<AlikeFindings> alike_findings(const KernelRun& run) {
  const auto line_of = [](const emulator::Place& place) {
    const SourcePlace source = source_place(place.source);
    return source.line != 0 ? formatted("{}:{}", source.file, source.line)
                            : formatted("{:#x}", place.program_counter);
  };
  std::vector<AlikeFindings> groups;
  std::map<std::string, std::size_t> known;
  for (const emulator::Finding& finding : run.findings) {
    std::string key =
        formatted("{} {}", emulator::finding_kind_name(finding.kind), line_of(finding.place));
    for (const emulator::RelatedPlace& related : finding.related)
      key += " " + line_of(related.place);
    const auto [group, is_new] = known.emplace(std::move(key), groups.size());
    if (is_new) groups.push_back({&finding});
    ++groups[group->second].count;
  }
  return groups;
}

std::vector<Remark> remarks(const KernelRun& run) {
  std::vector<Remark> all;
  if (run.kernel.vgpr_spills + run.kernel.sgpr_spills > 0)
    all.push_back(
        {"register-spill",
         formatted("the compiler spilled {} and {}: {} of scratch a lane",
                   answers::counted(run.kernel.vgpr_spills, "VGPR"),
                   answers::counted(run.kernel.sgpr_spills, "SGPR"),
                   answers::counted(run.kernel.scratch_bytes, "byte")),
         run.unoptimised
             ? "-O0 keeps every variable in scratch: compile with optimisation before looking here"
             : "keep fewer values alive at a time (smaller tiles a wave), or allow more "
               "registers: a larger workgroup than is launched may be declared",
         {}});
  // If nothing else explains a wrong result, numbers whose type was guessed may be the cause.
  const bool is_puzzling =
      run.findings.empty() && std::ranges::any_of(run.results, [](const JudgedArray& result) {
        return result.judgement.wrong > 0 && result.explanations.empty();
      });
  if (is_puzzling && !run.spelled.empty()) {
    std::string numbers;
    for (const auto& [place, text] : run.spelled) numbers += (numbers.empty() ? "" : ", ") + text;
    all.push_back({"number-by-spelling",
                   numbers + ": an extern \"C\" kernel does not say its types",
                   "where the parameter is a float, write 2.0; where it is an integer, write 2",
                   {}});
    all.back().place.source = run.spelled.front().first;
  }
  if (!run.report.emulated) return all;
  const emulator::RunReport& report = *run.report.emulated;
  add_doubts(run, all);
  for (const emulator::Finding& note : report.notes)
    all.push_back({std::string(emulator::finding_kind_name(note.kind)), note.message, note.fix,
                   note.place, note.order});
  for (const auto& line : by_line<emulator::LdsAccess>(
           report.lds, [](const emulator::LdsAccess& access) { return access.extra_passes > 0; }))
    all.push_back(conflict(line));
  for (const auto& line :
       by_line<emulator::GlobalAccess>(report.global, [](const emulator::GlobalAccess& access) {
         return access.sectors_touched > 2 * access.sectors_needed;
       }))
    all.push_back(uncoalesced(line));
  std::ranges::sort(all, {}, [](const Remark& remark) {
    return std::pair(remark.order, remark.place.program_counter);
  });
  return all;
}

instruction::Occupancy occupancy(const KernelRun& run) {
  const instruction::ProcessorRow* target = instruction::find_target(run.target);
  if (target == nullptr) return {};
  return instruction::occupancy(*target, run.kernel.wave32 ? 32 : 64, run.kernel.vgpr_count,
                                run.kernel.lds_bytes + run.dynamic_lds_bytes,
                                std::uint64_t{run.block[0]} * run.block[1] * run.block[2]);
}

}  // namespace heddle::tool
