// The C interface of include/heddle/run.h.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "answers/instruction/processor_argument.h"
#include "emulator/ptx/encoded_map.h"
#include "heddle/run.h"
#include "library/text/formatted.h"
#include "runtime/device/device.h"
#include "runtime/device/offload_bundle.h"
#include "runtime/files/printable.h"
#include "runtime/program/served_modules.h"
#include "tools/heddle/reports/kernel_run.h"
#include "tools/heddle/run/host_memory.h"
#include "tools/heddle/run/launch_record.h"
#include "tools/heddle/run/printed_variable.h"
#include "tools/heddle/run/ptx_lines.h"

// The objects behind the handles of the C API. An object keeps itself alive until its handle is
// freed; objects that were made from it keep it alive, too.
struct heddle_device {
  std::shared_ptr<heddle_device> self;
  std::unique_ptr<heddle::runtime::Device> device;
  heddle::instruction::Target target{};
};

struct heddle_kernel {
  heddle_module* module = nullptr;
  const heddle::emulator::Kernel* kernel = nullptr;
  std::vector<const heddle::emulator::KernelArgument*> parameters;
};

struct heddle_module {
  std::shared_ptr<heddle_module> self;
  std::shared_ptr<heddle_device> device;
  std::unique_ptr<heddle::runtime::Module> module;
  std::string name;
  std::vector<std::string> ptx_lines;
  std::vector<heddle_kernel> kernels;
  std::mutex mutex;                  // of launches, and of the variables
  std::vector<std::byte> variables;  // from launch to launch
  const heddle::emulator::DeviceVariable* printed = nullptr;
};

struct heddle_run {
  std::shared_ptr<heddle_module> module;
  heddle::emulator::Launch launch;  // without memory and arguments
  std::expected<heddle::runtime::LaunchReport, heddle::runtime::Failure> report;
  std::vector<heddle::emulator::Finding> findings;
  std::string printed;
  bool checked = false;
  std::mutex mutex;  // of the texts
  std::string json;
  std::vector<std::string> texts;
};

namespace {

using namespace heddle;

std::string& last_error() {
  static thread_local std::string error;
  return error;
}

std::nullptr_t refuse(std::string message) {
  last_error() = std::move(message);
  return nullptr;
}

/// Calls `make` and turns exceptions, such as lack of memory, into errors. A program in C must not
/// see an exception.
template <class Make>
auto guarded(Make make) -> decltype(make()) try {
  last_error().clear();
  return make();
} catch (const std::bad_alloc&) {
  return refuse("the host has no memory left");
} catch (const std::exception& problem) {
  return refuse(problem.what());
}

std::unique_ptr<runtime::Module> load(const heddle_device& device, std::span<const std::byte> bytes,
                                      std::string& problem) {
  const auto take = [&](std::span<const std::byte> code) -> std::unique_ptr<runtime::Module> {
    auto module = device.device->load(code);
    if (module) return *std::move(module);
    problem = module.error().message;
    return nullptr;
  };
  if (instruction::is_nvidia(instruction::processor(device.target).family)) return take(bytes);
  const auto code =
      runtime::extract_code_object(bytes, std::string(instruction::name(device.target)));
  if (code) return take(*code);
  problem = code.error();
  return nullptr;
}

/// The names of a module's kernels, or of its variables, for a message.
template <class All, class Name>
std::string names_of(const All& all, Name name) {
  std::string names;
  for (const auto& each : all) {
    if (names.size() > 1000) return names + " …";
    names += (names.empty() ? "" : ", ") + std::string(name(each));
  }
  return names.empty() ? "none" : names;
}

constexpr std::uint32_t known_flags = HEDDLE_CHECK | HEDDLE_COOPERATIVE | HEDDLE_PROFILE_ALL;

/// The launch, or why there is none.
std::expected<emulator::Launch, std::string> launch_of(const heddle_kernel& kernel,
                                                       const heddle_launch& given) {
  const heddle_module& module = *kernel.module;
  if (given.size != sizeof given)
    return std::unexpected(formatted("heddle_launch::size is {}, and of this version it is {}",
                                     given.size, sizeof given));
  if ((given.flags & ~known_flags) != 0)
    return std::unexpected("heddle_launch::flags has bits that this version does not know");
  if ((given.argument_bytes != 0 && given.arguments == nullptr) ||
      (given.memory_count != 0 && given.memory == nullptr))
    return std::unexpected("the arguments or the memory of the launch are NULL");
  emulator::Launch launch;
  launch.kernel = kernel.kernel->name;
  launch.argument_bytes = {static_cast<const std::byte*>(given.arguments), given.argument_bytes};
  launch.memory.reserve(given.memory_count);
  for (const heddle_memory& memory : std::span(given.memory, given.memory_count)) {
    emulator::Buffer part;
    part.bytes = {static_cast<std::byte*>(memory.address), memory.bytes};
    if (memory.name != nullptr) part.name = memory.name;
    part.writable = (memory.flags & HEDDLE_WRITABLE) != 0;
    part.initialised = (memory.flags & HEDDLE_NOT_INITIALISED) == 0;
    launch.memory.push_back(std::move(part));
  }
  if (const auto problem = tool::why_not_usable(launch.memory)) return std::unexpected(*problem);
  std::ranges::copy(given.grid, launch.grid.begin());
  std::ranges::copy(given.block, launch.workgroup.begin());
  std::ranges::copy(given.cluster, launch.cluster.begin());
  launch.dynamic_lds_bytes = given.shared_bytes;
  launch.check = (given.flags & HEDDLE_CHECK) != 0;
  launch.threads = module.printed && given.threads == 0 ? 1 : given.threads;  // text has an order
  if ((given.flags & HEDDLE_PROFILE_ALL) != 0) launch.profile = emulator::Profile::all;
  const auto limit = [](std::uint64_t asked, std::uint64_t& budget) {
    if (asked != 0) budget = asked;
  };
  limit(given.most_instructions_of_workgroup, launch.budget.instructions_per_workgroup);
  limit(given.most_instructions, launch.budget.instructions);
  limit(given.most_memory_bytes, launch.budget.memory_bytes);
  limit(given.most_bulk_bytes, launch.budget.bulk_bytes);
  limit(given.most_pending, launch.budget.pending_copies);
  launch.unordered = program::unordered_of(module.module->variables());
  return launch;
}

/// The record from which reports are made.
tool::KernelRun record_of(const heddle_run& of) {
  const heddle_module& module = *of.module;
  tool::KernelRun run;
  run.file = module.name;
  tool::record_launch(run, *module.module, *module.device->device, of.launch);
  run.checked = of.checked;
  run.printed = of.printed;
  if (of.report)
    tool::record_report(run, *module.module, *of.report);
  else
    tool::record_failure(run, *module.module, of.report.error());
  tool::place_in_source(run, module.ptx_lines);
  return run;
}

const emulator::RunReport* counts_of(const heddle_run& run) {
  return run.report && run.report->emulated ? &*run.report->emulated : nullptr;
}

}  // namespace

extern "C" {

const char* heddle_version() { return HEDDLE_VERSION; }

const char* heddle_error() { return last_error().c_str(); }

heddle_device* heddle_open(const char* target) {
  return guarded([&]() -> heddle_device* {
    if (target == nullptr) return refuse("heddle_open: the target is NULL");
    const auto known = answers::read_processor(target);
    if (!known) return refuse(known.error());
    const bool is_nvidia = instruction::is_nvidia(instruction::processor(*known).family);
    auto opened = runtime::Device::open((is_nvidia ? "ptx:" : "emulator:") +
                                        std::string(instruction::name(*known)));
    if (!opened) return refuse(opened.error().message);
    auto device = std::make_shared<heddle_device>();
    device->device = *std::move(opened);
    device->target = *known;
    device->self = device;
    return device.get();
  });
}

int heddle_encode_tensor_map(const heddle_tensor_map* map, void* into) {
  last_error().clear();
  const auto bad = [](std::string message) {
    refuse(std::move(message));
    return -1;
  };
  if (map == nullptr || into == nullptr || map->size != sizeof *map)
    return bad("heddle_encode_tensor_map: an argument is NULL or of another size");
  if (map->dimensions < 1 || map->dimensions > 5)
    return bad("the tensor map is refused: 1 to 5 dimensions are possible");
  const emulator::ptx::TiledMap asked{.element = emulator::ptx::element_of_driver(map->type),
                                      .address = reinterpret_cast<uint64_t>(map->address),
                                      .sizes = {map->sizes, map->dimensions},
                                      .strides = {map->strides, map->dimensions - 1},
                                      .box = {map->box, map->dimensions},
                                      .element_strides = {map->element_strides, map->dimensions},
                                      .interleave = map->interleave,
                                      .swizzle = map->swizzle,
                                      .fills_nan = map->fill != 0};
  const auto made = emulator::ptx::encode_tiled(asked);
  if (!made) return bad("the tensor map is refused: " + made.error());
  std::memcpy(into, &*made, sizeof *made);
  return 0;
}

uint32_t heddle_wave(const heddle_device* device) {
  return device == nullptr
             ? 0
             : static_cast<uint32_t>(
                   instruction::row(instruction::processor(device->target).family).wave);
}

void heddle_close(heddle_device* device) {
  if (device != nullptr) const auto last = std::move(device->self);
}

heddle_module* heddle_load(heddle_device* device, const void* bytes, size_t size,
                           const char* name) {
  return guarded([&]() -> heddle_module* {
    if (device == nullptr || bytes == nullptr)
      return refuse("heddle_load: the device or the code is NULL");
    const std::span code(static_cast<const std::byte*>(bytes), size);
    std::string problem;
    auto loaded = load(*device, code, problem);
    if (!loaded) return refuse(problem);
    auto module = std::make_shared<heddle_module>();
    module->device = device->self;
    module->module = std::move(loaded);
    const bool is_ptx = module->module->code_object() == nullptr;
    module->name = name != nullptr ? name : is_ptx ? "kernel.ptx" : "kernel.co";
    if (is_ptx)
      module->ptx_lines = tool::source_lines_of_ptx({static_cast<const char*>(bytes), size});
    // If PTX does not name its source lines, the report has lines of the PTX.
    if (std::ranges::all_of(module->ptx_lines, &std::string::empty)) module->ptx_lines.clear();
    module->variables = module->module->image();
    module->printed = tool::find_printed(*module->module, module->variables);
    for (const emulator::Kernel& kernel : module->module->kernels()) {
      heddle_kernel& made = module->kernels.emplace_back(module.get(), &kernel);
      for (const emulator::KernelArgument& argument : kernel.arguments)
        if (!argument.hidden()) made.parameters.push_back(&argument);
    }
    module->self = module;
    return module.get();
  });
}

void heddle_unload(heddle_module* module) {
  if (module != nullptr) const auto last = std::move(module->self);
}

size_t heddle_kernel_count(const heddle_module* module) {
  return module == nullptr ? 0 : module->kernels.size();
}

heddle_kernel* heddle_kernel_at(heddle_module* module, size_t number) {
  return guarded([&]() -> heddle_kernel* {
    if (number < heddle_kernel_count(module)) return &module->kernels[number];
    return refuse(formatted("the module has {} kernels", heddle_kernel_count(module)));
  });
}

heddle_kernel* heddle_find_kernel(heddle_module* module, const char* name) {
  return guarded([&]() -> heddle_kernel* {
    if (module == nullptr || name == nullptr)
      return refuse("heddle_find_kernel: the module or the name is NULL");
    for (heddle_kernel& kernel : module->kernels)
      if (kernel.kernel->name == name) return &kernel;
    return refuse("the module has no kernel \"" + std::string(name) + "\"; it has " +
                  names_of(module->kernels, [](const auto& each) { return each.kernel->name; }));
  });
}

const char* heddle_kernel_name(const heddle_kernel* kernel) {
  return kernel == nullptr ? "" : kernel->kernel->name.c_str();
}

size_t heddle_parameter_count(const heddle_kernel* kernel) {
  return kernel == nullptr ? 0 : kernel->parameters.size();
}

int heddle_parameter_at(const heddle_kernel* kernel, size_t number, heddle_parameter* into) {
  if (into == nullptr || number >= heddle_parameter_count(kernel)) return -1;
  const emulator::KernelArgument& argument = *kernel->parameters[number];
  *into = {argument.name.c_str(), argument.value_kind.c_str(), argument.offset, argument.size};
  return 0;
}

int heddle_find_variable(heddle_module* module, const char* name, heddle_variable* into) {
  const char* const found = guarded([&]() -> const char* {
    if (module == nullptr || name == nullptr || into == nullptr)
      return refuse("heddle_find_variable: the module, the name or the place is NULL");
    const auto all = module->module->variables();
    for (const emulator::DeviceVariable& variable : all) {
      if (variable.name != name || variable.offset + variable.size > module->variables.size())
        continue;
      *into = {module->variables.data() + variable.offset, variable.address, variable.size};
      return name;
    }
    return refuse("the module has no variable \"" + std::string(name) + "\"; it has " +
                  names_of(all, [](const auto& each) { return each.name; }));
  });
  return found != nullptr ? 0 : -1;
}

heddle_run* heddle_run_kernel(heddle_kernel* kernel, const heddle_launch* given) {
  return guarded([&]() -> heddle_run* {
    if (kernel == nullptr || given == nullptr)
      return refuse("heddle_run_kernel: the kernel or the launch is NULL");
    heddle_module& module = *kernel->module;
    auto launch = launch_of(*kernel, *given);
    if (!launch) return refuse(launch.error());
    auto run = std::make_unique<heddle_run>();
    {
      const std::lock_guard lock(module.mutex);
      launch->variables = module.variables;
      std::string printed;
      launch->printed = &printed;
      run->report = module.module->launch(*launch);
      if (module.printed) run->printed = tool::take_printed(module.variables, *module.printed);
      run->printed += runtime::printable(printed);
    }
    if (!run->report) {
      const auto& fault = run->report.error().fault;
      if (!fault || fault->kind == emulator::FaultKind::bad_launch)
        return refuse(fault ? fault->message : run->report.error().message);
      run->findings.push_back(emulator::finding_of(*fault));
    } else if (const emulator::RunReport* report = counts_of(*run)) {
      run->findings = report->findings;
    }
    run->module = module.self;
    run->checked = launch->check;
    run->launch.kernel = launch->kernel;
    run->launch.grid = launch->grid;
    run->launch.workgroup = launch->workgroup;
    run->launch.dynamic_lds_bytes = launch->dynamic_lds_bytes;
    return run.release();
  });
}

int heddle_run_finished(const heddle_run* run) {
  const emulator::RunReport* report = run == nullptr ? nullptr : counts_of(*run);
  return report != nullptr && !report->fault ? 1 : 0;
}

size_t heddle_finding_count(const heddle_run* run) {
  return run == nullptr ? 0 : run->findings.size();
}

const char* heddle_finding_text(heddle_run* run, size_t number) {
  return guarded([&]() -> const char* {
    if (run == nullptr || number >= run->findings.size())
      return refuse(formatted("the run has {} findings", heddle_finding_count(run)));
    const std::lock_guard lock(run->mutex);
    if (run->texts.empty())
      for (const emulator::Finding& finding : run->findings)
        run->texts.push_back(finding.text(run->launch.kernel));
    return run->texts[number].c_str();
  });
}

const char* heddle_run_printed(const heddle_run* run) {
  return run == nullptr ? "" : run->printed.c_str();
}

const char* heddle_run_json(heddle_run* run) {
  return guarded([&]() -> const char* {
    if (run == nullptr) return refuse("heddle_run_json: the run is NULL");
    const std::lock_guard lock(run->mutex);
    if (run->json.empty()) run->json = tool::kernel_run_json(record_of(*run));
    return run->json.c_str();
  });
}

void heddle_run_counts(const heddle_run* run, heddle_counts* into) {
  if (into == nullptr) return;
  *into = {};
  const emulator::RunReport* report = run == nullptr ? nullptr : counts_of(*run);
  if (report == nullptr) return;
  *into = {report->instructions,
           report->wmma,
           report->barriers,
           report->global_bytes_read,
           report->global_bytes_written,
           report->lds_bytes_read,
           report->lds_bytes_written,
           report->seconds};
}

void heddle_free_run(heddle_run* run) { delete run; }

}  // extern "C"
