#include "tools/heddle/reports/report_json.h"

#include <llvm/Support/FormatVariadic.h>

#include <cmath>

#include "answers/text/json_text.h"
#include "tools/heddle/reports/code_address.h"
#include "tools/heddle/reports/report_text.h"

namespace heddle::tool {
namespace {

using llvm::json::Array;
using llvm::json::Object;

Array lds_json(const emulator::RunReport& report, std::string_view target) {
  Array all;
  for (const emulator::LdsAccess& access : report.lds) {
    Array phases;
    for (const emulator::ConflictPhase& phase : access.conflicts)
      phases.push_back(Object{{"phase", phase.number},
                              {"extra_passes", phase.extra_passes},
                              {"passes", phase.passes},
                              {"bank", phase.bank},
                              {"lanes", phase.lanes}});
    Object object = place_json({access.program_counter, access.instruction, access.source}, target);
    object["bytes_per_lane"] = access.bytes_per_lane;
    object["issued"] = access.issued;
    object["ideal_passes"] = access.ideal_passes;
    object["extra_passes"] = access.extra_passes;
    object["conflicts"] = std::move(phases);
    all.push_back(std::move(object));
  }
  return all;
}

Array global_json(const emulator::RunReport& report, std::string_view target) {
  Array all;
  for (const emulator::GlobalAccess& access : report.global) {
    Object object = place_json({access.program_counter, access.instruction, access.source}, target);
    object["bytes_per_lane"] = access.bytes_per_lane;
    object["issued"] = access.issued;
    object["lanes"] = access.lanes;
    object["sectors_touched"] = access.sectors_touched;
    object["sectors_needed"] = access.sectors_needed;
    all.push_back(std::move(object));
  }
  return all;
}

Object mix_json(const emulator::RunReport& report, bool is_ptx) {
  Object classes, opcodes;
  for (const auto& [name, count] : instruction_mix(report, is_ptx))
    classes[llvm::StringRef(name)] = count;
  for (const emulator::OpcodeCount& opcode : report.opcodes)
    opcodes[opcode.mnemonic] = opcode.count;
  const double all = static_cast<double>(std::max<std::uint64_t>(report.instructions, 1));
  return Object{{"wavefront_instructions", report.instructions},
                {"wmma_share", static_cast<double>(report.wmma) / all},
                {"classes", std::move(classes)},
                {"opcodes", std::move(opcodes)}};
}

// For each wave: the intervals between its barriers. Each interval is a list of instruction counts,
// in the order of `classes`; classes that never occur are left out.
llvm::json::Value timeline_json(const emulator::RunReport& report, bool is_ptx) {
  if (!report.timeline) return nullptr;
  const emulator::Timeline& timeline = *report.timeline;
  const auto classes = emulator::instruction_classes(is_ptx);
  std::vector<std::size_t> occurring;
  Array names;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const bool occurs = std::ranges::any_of(timeline.waves, [&](const auto& intervals) {
      return std::ranges::any_of(intervals, [&](const auto& counts) { return counts[i] > 0; });
    });
    if (!occurs) continue;
    occurring.push_back(i);
    names.push_back(llvm::StringRef(classes[i].name));
  }
  Array waves;
  for (const auto& intervals : timeline.waves) {
    Array wave;
    for (const emulator::Timeline::Interval& counts : intervals) {
      Array interval;
      for (const std::size_t i : occurring) interval.push_back(counts[i]);
      wave.push_back(std::move(interval));
    }
    waves.push_back(std::move(wave));
  }
  return Object{
      {"classes", std::move(names)}, {"waves", std::move(waves)}, {"cut", timeline.is_cut}};
}

}  // namespace

Object run_report_json(llvm::StringRef kind) {
  return Object{{"schema", answers::json_schema},
                {"report", kind},
                {"file", ""},
                {"launch", nullptr},
                {"kernel", ""},
                {"symbol", ""},
                {"target", ""},
                {"executed_on", "emulator"},
                {"device", ""},
                {"hardware", false},
                {"checked", false},
                {"finished", true},
                {"right", nullptr},
                {"grid", Array{}},
                {"block", Array{}},
                {"resources", nullptr},
                {"occupancy", nullptr},
                {"findings", Array{}},
                {"changes", Array{}},
                {"remarks", Array{}},
                {"results", Array{}},
                {"emulated", nullptr},
                {"seconds", Object{}}};
}

llvm::json::Value number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

llvm::json::Value verdict_json(bool is_right, bool is_not_judged) {
  return is_not_judged ? llvm::json::Value(nullptr) : llvm::json::Value(is_right);
}

Array sizes_json(const std::array<std::uint32_t, 3>& sizes) {
  return Array{sizes[0], sizes[1], sizes[2]};
}

Object place_json(const emulator::Place& place, std::string_view target) {
  const auto address = code_address(place, target);
  return Object{{"program_counter", address ? llvm::json::Value(*address) : nullptr},
                {"instruction", llvm::json::fixUTF8(place.instruction)},
                {"source", llvm::json::fixUTF8(place.source)}};
}

Object finding_json(const emulator::Finding& finding, std::string_view target) {
  Object object = place_json(finding.place, target);
  object["kind"] = llvm::StringRef(emulator::finding_kind_name(finding.kind));
  object["message"] = finding.message;
  object["fix"] = finding.fix;
  object["workgroup"] = sizes_json(finding.workgroup);
  object["wave"] = finding.wave;
  object["lanes"] = finding.lanes;
  object["count"] = finding.count;
  Array related;
  for (const emulator::RelatedPlace& place : finding.related) {
    Object one = place_json(place.place, target);
    one["role"] = place.role;
    related.push_back(std::move(one));
  }
  object["related"] = std::move(related);
  return object;
}

Object resources_json(const emulator::Kernel& kernel, std::uint32_t dynamic_lds_bytes) {
  return Object{{"vgprs", kernel.vgpr_count},           {"sgprs", kernel.sgpr_count},
                {"vgpr_spills", kernel.vgpr_spills},    {"sgpr_spills", kernel.sgpr_spills},
                {"lds_bytes", kernel.lds_bytes},        {"dynamic_lds_bytes", dynamic_lds_bytes},
                {"scratch_bytes", kernel.scratch_bytes}};
}

Object emulated_json(const emulator::RunReport& report, std::string_view target) {
  Array unchecked;
  for (const std::string& what : report.unchecked) unchecked.push_back(what);
  return Object{{"mix", mix_json(report, target.starts_with("sm_"))},
                {"timeline", timeline_json(report, target.starts_with("sm_"))},
                {"lines", Array{}},
                {"lds", lds_json(report, target)},
                {"global", global_json(report, target)},
                {"profiled_workgroups", report.profiled_workgroups},
                {"workgroups", report.workgroups},
                {"bytes_read", report.global_bytes_read},
                {"bytes_written", report.global_bytes_written},
                {"simd", report.simd},
                {"host_threads", report.threads},
                {"unchecked", std::move(unchecked)}};
}

std::string json_text(Object report) {
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(report))).str();
}

}  // namespace heddle::tool
