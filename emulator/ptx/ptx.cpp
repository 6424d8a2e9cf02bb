#include "emulator/ptx/ptx.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <optional>

#include "emulator/check/other_orders.h"
#include "emulator/ptx/cluster.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptx/races.h"
#include "emulator/record/host_threads.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

std::string error_at(const ParseError& error) {
  return formatted("{}:{}: {}", error.place.line, error.place.column, error.message);
}

Kernel kernel_of(const Program& program) {
  const Function& function = *program.kernel;
  Kernel kernel;
  kernel.name = function.name;
  kernel.entry = 0;
  kernel.lds_bytes = program.shared_bytes;
  kernel.scratch_bytes = program.local_bytes - 16;
  kernel.argument_bytes = program.parameter_bytes;
  kernel.max_workgroup_size = function.most_threads != 0 ? function.most_threads : 1024;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Variable& variable = function.variables[function.parameters[i]];
    kernel.arguments.push_back({variable.name, variable.is_pointer ? "global_buffer" : "by_value",
                                program.parameter_offsets[i], static_cast<uint32_t>(variable.size),
                                static_cast<uint32_t>(variable.alignment)});
  }
  return kernel;
}

RunReport report_of(const Dispatch& dispatch, const Schedule& schedule) {
  const Program& program = dispatch.program();
  RunReport report;
  std::vector<uint64_t> executed(program.records.size());
  std::vector<SharedStatistics> shared(program.records.size());
  std::map<uint32_t, SectorCount> global;
  for (const ClusterRunner& runner : schedule.runners<ClusterRunner>()) {
    const Cluster& cluster = runner.cluster();
    if (!runner.timeline().waves.empty()) report.timeline = runner.timeline();
    for (std::size_t i = 0; i < executed.size(); ++i) {
      executed[i] += cluster.executed[i];
      shared[i].issued += cluster.shared_statistics[i].issued;
      shared[i].ideal_passes += cluster.shared_statistics[i].ideal_passes;
      shared[i].extra_passes += cluster.shared_statistics[i].extra_passes;
    }
    for (const auto& [number, count] : cluster.global_statistics) global[number].add(count);
    report.wmma += cluster.counts.matrix;
    report.barriers += cluster.counts.barriers;
    report.global_bytes_read += cluster.counts.global_read;
    report.global_bytes_written += cluster.counts.global_written;
    report.lds_bytes_read += cluster.counts.shared_read;
    report.lds_bytes_written += cluster.counts.shared_written;
    report.scratch_bytes += cluster.counts.local;
  }
  const auto placed = [&](auto access, std::size_t number) {
    const Record& record = program.records[number];
    const Place place = program.place_of(record);
    access.program_counter = number;
    access.instruction = program.text_of(record);
    access.source = formatted("PTX:{}:{}", place.line, place.column);
    return access;
  };
  std::vector<uint64_t> opcodes(program.mnemonics.size());
  for (std::size_t i = 0; i < executed.size(); ++i) {
    const Record& record = program.records[i];
    report.instructions += executed[i];
    if (executed[i] == 0) continue;
    opcodes[program.mnemonic_numbers[i]] += executed[i];
    const Place place = program.place_of(record);
    report.executed.push_back({i, executed[i], place.line, place.column});
    if (shared[i].issued == 0) continue;
    LdsAccess access;
    access.bytes_per_lane = record.bytes * record.count;
    access.issued = shared[i].issued;
    access.ideal_passes = shared[i].ideal_passes;
    access.extra_passes = shared[i].extra_passes;
    report.lds.push_back(placed(std::move(access), i));
  }
  for (const auto& [number, count] : global)
    report.global.push_back(placed(count.access(), number));
  for (std::size_t i = 0; i < opcodes.size(); ++i)
    if (opcodes[i] > 0) report.opcodes.push_back({program.mnemonics[i], opcodes[i]});
  std::ranges::sort(report.opcodes, [](const OpcodeCount& a, const OpcodeCount& b) {
    return a.count != b.count ? a.count > b.count : a.mnemonic < b.mnemonic;
  });
  report.workgroups = dispatch.clusters() * dispatch.blocks_per_cluster();
  report.waves = report.workgroups * dispatch.warps();
  const Profile profile = dispatch.launch().profile;
  report.profiled_workgroups = profile == Profile::none  ? 0
                               : profile == Profile::all ? report.workgroups
                                                         : dispatch.blocks_per_cluster();
  report.simd = "portable";
  return report;
}

// The number of the host's threads to use: at most the number asked for, the number of clusters,
// and the number for which the budget of memory suffices; 0 if the budget does not suffice for one
// thread. A checked launch uses one thread, because the race detector needs all accesses in one
// order.
unsigned thread_count(const Dispatch& dispatch) {
  const unsigned chosen = dispatch.launch().check ? 1 : dispatch.launch().threads;
  const uint64_t wanted = std::min<uint64_t>(host_threads(chosen), dispatch.clusters());
  unsigned threads = 0;
  while (threads < wanted &&
         dispatch.meter().charge(Resource::memory_bytes, ClusterRunner::bytes(dispatch)))
    ++threads;
  return threads;
}

Fault refused(FaultKind kind, const Launch& launch, std::string message) {
  Fault fault;
  fault.kind = kind;
  fault.kernel = launch.kernel;
  fault.message = std::move(message);
  return fault;
}

std::expected<std::size_t, Fault> find(std::span<const Kernel> kernels, const Launch& launch) {
  if (launch.kernel.empty() && kernels.size() == 1) return 0;
  std::string names;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].name == launch.kernel) return i;
    names += (names.empty() ? "" : ", ") + kernels[i].name;
  }
  Fault fault;
  fault.kind = FaultKind::bad_launch;
  fault.message = formatted("the module has no kernel \"{}\"; it has {}", launch.kernel,
                            names.empty() ? std::string("none") : names);
  return std::unexpected(std::move(fault));
}

}  // namespace

std::expected<Module, std::string> Module::parse(std::string_view text, const Budget& budget) {
  // PTX text that is meant for the driver may end with null characters.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  Meter meter(budget);
  auto source = ptx::parse(std::string(text), meter);
  if (!source) return std::unexpected(error_at(source.error()));
  Module module;
  module.source_ = std::move(*source);
  auto variables = place_variables(*module.source_, meter);
  if (!variables) return std::unexpected(error_at(variables.error()));
  for (const Function& function : module.source_->functions) {
    if (!function.is_entry || !function.is_defined) continue;
    auto program = decode(*module.source_, function, *variables, meter);
    if (!program) return std::unexpected(error_at(program.error()));
    module.kernels_.push_back(kernel_of(**program));
    module.programs_.push_back(*std::move(program));
  }
  if (!module.programs_.empty()) module.variables_ = (*variables)->variables;
  return module;
}

// The module's variables come first in the image, at the same places for all kernels. The variables
// that the functions of a kernel declare follow.
std::vector<std::byte> Module::image() const {
  std::vector<std::byte> image;
  for (const auto& program : programs_) {
    const std::size_t known = image.size();
    if (program->image_bytes <= known) continue;
    image.resize(program->image_bytes);
    place_first_values(*program, image);
  }
  return image;
}

const Kernel* Module::find_kernel(std::string_view name) const {
  for (const Kernel& kernel : kernels_)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

const std::string& Module::target() const { return source_->target; }

std::vector<std::string> Module::unknown_instructions() const {
  std::vector<std::string> all;
  for (const auto& program : programs_)
    for (const Record& record : program->records) {
      if (!is_unknown(record)) continue;
      const Place place = program->place_of(record);
      all.push_back(formatted("{}:{} {}", place.line, place.column, program->text_of(record)));
    }
  return all;
}

std::optional<Fault> check_launch(const Module& module, const Launch& launch) {
  const auto number = find(module.kernels_, launch);
  if (!number) return number.error();
  const auto dispatch =
      Dispatch::prepare(*module.programs_[*number], module.kernels_[*number], launch);
  return dispatch ? std::nullopt : std::optional(dispatch.error());
}

namespace {

struct Prepared {
  std::unique_ptr<Dispatch> dispatch;
  unsigned threads = 0;
};

std::expected<Prepared, Fault> prepare(const Program& program, const Kernel& kernel,
                                       const Launch& launch) {
  auto dispatch = Dispatch::prepare(program, kernel, launch);
  if (!dispatch) return std::unexpected(dispatch.error());
  const unsigned threads = thread_count(**dispatch);
  if (threads > 0) return Prepared{*std::move(dispatch), threads};
  return std::unexpected(
      refused(FaultKind::budget_spent, launch,
              formatted("a cluster of blocks needs {} bytes for its registers, local and shared "
                        "memory; {}",
                        ClusterRunner::bytes(**dispatch),
                        (*dispatch)->meter().message(Resource::memory_bytes))));
}

// True if the launch added floats by atom or red: then rounding depends on the order of the blocks.
bool adds_floats(const RunReport& report) {
  return std::ranges::any_of(report.opcodes, [](const OpcodeCount& opcode) {
    const std::string_view name = opcode.mnemonic;
    return (name.starts_with("red.") || name.starts_with("atom.")) && name.contains(".add") &&
           (name.contains(".f16") || name.contains(".bf16") || name.contains(".f32") ||
            name.contains(".f64"));
  });
}

// Runs the launch in other orders of its blocks, because a kernel may be right in one order only.
// One of these runs also looks for races.
void try_other_orders(const Program& program, const Kernel& kernel, const Launch& launch,
                      const Dispatch& dispatch, const check::BufferContents& inputs,
                      const RunReport& report, Races& races) {
  using enum check::OtherRuns::End;
  const auto again = [&](WorkgroupOrder order, uint64_t most) {
    const auto prepared = prepare(program, kernel, launch);
    if (!prepared) return cut;
    const bool looks = order == WorkgroupOrder::falling;
    if (looks) races.begin(*prepared->dispatch);
    Schedule schedule(clusters_of(*prepared->dispatch, 1, looks ? &races : nullptr), order);
    schedule.limit(most);
    schedule.run();
    races.end();
    if (races.has_findings()) return finding;
    return schedule.was_cut() || schedule.fault() ? cut : whole;
  };
  const check::OrderDependence found = check::try_other_orders(
      dispatch.memory(), {.executed = dispatch.meter().used(Resource::instructions) - launch.spent,
                          .adds_floats = adds_floats(report),
                          .restore = [&] { inputs.put_back(); },
                          .run = again});
  for (const std::string& what : found.unchecked) races.note_unchecked(what);
  if (found.difference)
    races.note_difference(dispatch, found.difference->address,
                          found.difference->text(dispatch.memory()));
}

}  // namespace

std::expected<RunReport, Fault> run(const Module& module, const Launch& launch) try {
  const auto number = find(module.kernels_, launch);
  if (!number) return std::unexpected(number.error());
  const Program& program = *module.programs_[*number];
  const Kernel& kernel = module.kernels_[*number];
  const auto prepared = prepare(program, kernel, launch);
  if (!prepared) return std::unexpected(prepared.error());
  const Dispatch& dispatch = *prepared->dispatch;
  const auto begin = std::chrono::steady_clock::now();
  std::optional<Races> races;
  std::optional<check::BufferContents> inputs;
  if (launch.check) {
    races.emplace().begin(dispatch);
    // Memory for two copies of the buffers: their contents before the launch and after it.
    if (dispatch.clusters() > 1 &&
        dispatch.meter().charge(Resource::memory_bytes,
                                2 * check::BufferContents::bytes(dispatch.memory())))
      inputs.emplace(dispatch.memory());
  }
  Schedule schedule(clusters_of(dispatch, prepared->threads, races ? &*races : nullptr));
  schedule.run();
  if (races) races->end();
  if (races) races->keep_written();
  if (launch.printed != nullptr) *launch.printed = dispatch.printed().text();
  if (schedule.fault() && !races) return std::unexpected(*schedule.fault());
  RunReport report = report_of(dispatch, schedule);
  report.fault = schedule.fault();
  if (races && !schedule.fault() && !races->has_findings() && races->depend_on_blocks()) {
    if (inputs)
      try_other_orders(program, kernel, launch, dispatch, *inputs, report, *races);
    else if (dispatch.clusters() == 1)
      races->note_unchecked("other orders of the blocks of one cluster, which run side by side");
    else
      races->note_unchecked(
          "other orders of the blocks, as there is no memory for copies of the buffers");
  }
  if (races) {
    report.findings = races->findings();
    const auto is_note = [](const Finding& finding) { return description(finding.kind).is_note; };
    std::ranges::copy_if(report.findings, std::back_inserter(report.notes), is_note);
    std::erase_if(report.findings, is_note);
    report.unchecked = races->unchecked();
    if (report.fault) report.findings.push_back(finding_of(*report.fault));
  }
  report.spent = dispatch.meter().used(Resource::instructions);
  report.threads = prepared->threads;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
} catch (const std::bad_alloc&) {
  return std::unexpected(
      refused(FaultKind::bad_launch, launch,
              "the host has no memory left for the registers and shared memory of this launch; "
              "fewer threads of the host need less"));
}

}  // namespace heddle::emulator::ptx
