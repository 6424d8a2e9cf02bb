#include "tools/heddle/run/run_kernel.h"

#include <llvm/Support/JSON.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "answers/instruction/processor_argument.h"
#include "answers/text/input_file.h"
#include "answers/text/marked_text.h"
#include "answers/text/paragraph.h"
#include "library/text/formatted.h"
#include "runtime/device/launch_binding.h"
#include "runtime/files/printable.h"
#include "runtime/launch/memory.h"
#include "runtime/numbers/npy.h"
#include "runtime/program/served_modules.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/reports/launches_report.h"
#include "tools/heddle/run/kernel_file.h"
#include "tools/heddle/run/launch_record.h"
#include "tools/heddle/run/operand_search.h"
#include "tools/heddle/run/printed_variable.h"
#include "tools/heddle/run/progress.h"
#include "tools/heddle/run/ptx_lines.h"
#include "tools/heddle/run/run_place.h"

namespace heddle::tool {
namespace {

/// The refusal of a PTX file, as "file:line:column: error: …; accepted: …". `message` comes from a
/// device and usually begins with "line:column: ".
std::string ptx_refusal(const std::string& path, std::string_view message) {
  const std::size_t end = message.find(": ");
  const bool has_place =
      end != std::string_view::npos && end > 0 &&
      message.substr(0, end).find_first_not_of("0123456789:") == std::string_view::npos;
  const std::string_view place = has_place ? message.substr(0, end) : "1:1";
  if (has_place) message.remove_prefix(end + 2);
  return formatted(
      "{}:{}: error: {}{}", path, place, message,
      message.contains("; accepted: ") ? "" : "; accepted: the PTX of docs/emulator.md");
}

/// Line `number` of a text, counted from 1.
std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// The launch file and its text, for messages about places in it.
struct LaunchFile {
  std::string path, text;
  runtime::LaunchText launch;

  std::unexpected<Stop> refuse(const runtime::LaunchError& error) const {
    return refused(formatted(
        "{}:{}:{}: error: {}\n{}", path, error.place.line, error.place.column, error.message,
        answers::marked_text(line_of(text, error.place.line), error.place.column)));
  }
  std::string folder() const { return std::filesystem::path(path).parent_path().string(); }
};

std::expected<LaunchFile, Stop> read_launch(const std::string& path) {
  auto text = answers::read_file(path);
  if (!text) return refused(text.error());
  LaunchFile file{path, *std::move(text), {}};
  auto launch = runtime::parse_launch(file.text);
  if (!launch) return file.refuse(launch.error());
  file.launch = *std::move(launch);
  return file;
}

/// The array and the file of one --dump.
struct ArrayDump {
  std::string option;  // the user's text, for errors
  const runtime::Tensor* tensor = nullptr;
  std::string path;
};

/// Reads NAME=FILE; the launch file must have an array NAME.
std::expected<ArrayDump, Stop> read_dump(const std::string& text, const LaunchFile& file) {
  const std::size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    return refused(formatted("--dump '{}'; accepted: NAME=FILE, such as C=c.npy", text));
  const std::string name = text.substr(0, equal);
  const runtime::Tensor* tensor = file.launch.find_tensor(name);
  if (tensor && !tensor->addresses.empty())
    return refused(
        formatted("--dump: '{}' holds pointers, which are of no use behind the run", name));
  if (tensor) return ArrayDump{"--dump " + name, tensor, text.substr(equal + 1)};
  std::string names;
  for (const runtime::Tensor& known : file.launch.tensors)
    names += (names.empty() ? "" : ", ") + known.name;
  return refused(formatted("--dump: {} has no array '{}'; accepted: {}", file.path, name, names));
}

/// The state of one command.
class KernelCommand {
 public:
  explicit KernelCommand(const RunArguments& arguments) : arguments_(arguments) {}

  /// Runs the launches of the file in order. If a fault ends a launch, that launch is the last in
  /// the result.
  std::expected<std::vector<KernelRun>, Stop> run() {
    auto file = read_launch(arguments_.launch);
    if (!file) return std::unexpected(file.error());
    file_ = *std::move(file);
    for (const std::string& text : arguments_.dumps) {
      const auto dump = read_dump(text, file_);
      if (!dump) return std::unexpected(dump.error());
      dumps_.push_back(*dump);
    }
    if (auto stop = open_device()) return std::unexpected(*stop);
    auto module = load(arguments_.file);
    if (!module) return std::unexpected(module.error());
    auto memory = runtime::LaunchMemory::fill(file_.launch, file_.folder());
    if (!memory) return file_.refuse(memory.error());
    variables_ = (*module)->image();
    std::vector<KernelRun> runs;
    for (const runtime::KernelLaunch& one : file_.launch.launches) {
      launch_ = &one;
      const runtime::LaunchMemory before = *memory;
      variables_before_ = variables_;
      if (auto stop = launch(**module, *memory)) return std::unexpected(*stop);
      if (auto stop = judge(**module, before, *memory)) return std::unexpected(*stop);
      if (&one == &file_.launch.launches.back())
        if (auto stop = dump(*memory)) return std::unexpected(*stop);
      runs.push_back(std::exchange(run_, {}));
      if (!runs.back().finished) break;
    }
    return runs;
  }

  /// The number of launches in the file.
  std::size_t launches() const { return file_.launch.launches.size(); }

 private:
  std::optional<Stop> open_device() {
    const bool is_ptx = is_ptx_file(arguments_.file);
    // PTX runs on the device that the user named, or, if none was named, on the simulator.
    const bool for_ptx =
        arguments_.device.starts_with("ptx") || arguments_.device.starts_with("cuda");
    if (is_ptx && !for_ptx && arguments_.device != "emulator")
      return Stop{2, formatted("'{}' is PTX, and --device {} runs code objects of AMD: give ptx "
                               "(the simulator) or cuda",
                               arguments_.file, arguments_.device)};
    if (!is_ptx && for_ptx && !arguments_.file.ends_with(".cu"))
      return Stop{2, formatted("--device {} runs PTX and CUDA's text, and '{}' is neither by its "
                               "name: it ends in .ptx or .cu",
                               arguments_.device, arguments_.file)};
    if (is_ptx) return open_for_ptx(arguments_.target);
    const auto processor = answers::read_processor(arguments_.target);
    const bool is_for_nvidia =
        processor && instruction::is_nvidia(instruction::processor(*processor).family);
    if (arguments_.file.ends_with(".cu")) {
      if (for_ptx || is_for_nvidia) return open_for_cuda(processor, is_for_nvidia);
    } else if (is_for_nvidia) {
      return Stop{2,
                  formatted("--target {} is NVIDIA's, for which kernels are CUDA's text (.cu) or "
                            "PTX (.ptx), and '{}' is neither by its name",
                            arguments_.target, arguments_.file)};
    }
    std::string wanted;
    if (!arguments_.target.empty()) {
      const auto target = answers::read_target(arguments_.target);
      if (!target) return Stop{2, target.error()};
      wanted = instruction::name(*target);
    }
    auto device = runtime::Device::open(arguments_.device);
    if (!device) return Stop{2, device.error().message};
    device_ = *std::move(device);
    const std::string of_device = device_->processor();
    if (!of_device.empty() && !wanted.empty() && of_device != wanted)
      return Stop{2, formatted("--target is {}, and the device {} is a {}", arguments_.target,
                               arguments_.device, of_device)};
    target_ = of_device.empty() ? wanted : of_device;
    return {};
  }

  std::optional<Stop> open_for_ptx(const std::string& target) {
    std::string name = arguments_.device == "emulator" ? "ptx" : arguments_.device;
    if (name == "ptx" && !target.empty()) name += ":" + target;
    auto device = runtime::Device::open(name);
    if (!device) return Stop{2, device.error().message};
    device_ = *std::move(device);
    if (!target.empty() && !runtime::runs_on(target, device_->processor()))
      return Stop{2, formatted("--target is {}, and the device {} is an {}", arguments_.target,
                               arguments_.device, device_->processor())};
    return {};
  }

  /// Opens the device for kernels that clang compiles to PTX. The PTX is for --target or, without
  /// it, for the processor of the device.
  std::optional<Stop> open_for_cuda(
      const std::expected<instruction::Target, std::string>& processor, bool is_for_nvidia) {
    if (!arguments_.target.empty() && !is_for_nvidia)
      return Stop{2, processor ? formatted("--device {} is for NVIDIA, and --target {} is not",
                                           arguments_.device, arguments_.target)
                               : processor.error()};
    // clang also has targets such as sm_90a, which have more instructions. So the target's name is
    // kept as the user wrote it.
    const std::string target(!is_for_nvidia ? ""
                             : arguments_.target.starts_with("sm_")
                                 ? arguments_.target
                                 : instruction::name(*processor));
    if (auto stop = open_for_ptx(target)) return stop;
    const std::string of_device = device_->processor();
    target_ = !target.empty() ? target : of_device.empty() ? "sm_80" : of_device;
    is_compiled_to_ptx_ = true;
    return {};
  }

  std::expected<std::unique_ptr<runtime::Module>, Stop> load(const std::string& path) {
    progress_.show(formatted("{} {}", is_kernel_source(path) ? "compiling" : "reading", path));
    const Stopwatch watch;
    const auto bytes = read_kernel_file(path, {target_, arguments_.flags, arguments_.link, false,
                                               arguments_.rocm, false, arguments_.compile_seconds});
    run_.compile_seconds += watch.seconds();
    if (!bytes) return refused(bytes.error());
    auto module = device_->load(*bytes);
    if (is_compiled_to_ptx_ && path == arguments_.file)
      ptx_lines_ =
          source_lines_of_ptx({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
    const bool is_source = is_kernel_source(path);
    const bool is_empty = !module && module.error().message.contains("no executable segment");
    if (is_source && (is_empty || (module && (*module)->kernels().empty())))
      return refused(formatted(
          "'{}' has no kernel: no __global__ function is compiled, nor is a template of one used",
          path));
    if (!module && is_ptx_file(path)) return refused(ptx_refusal(path, module.error().message));
    if (!module) return refused(formatted("'{}': {}", path, module.error().message));
    const std::string target = (*module)->target();
    if (!target_.empty() && target != target_)
      return refused(formatted("'{}' is for {}, and --target is {}", path, target, target_));
    return *std::move(module);
  }

  std::optional<Stop> launch(runtime::Module& module, runtime::LaunchMemory& memory) {
    auto bound = runtime::bind(file_.launch, runtime::call_of(*launch_), module.kernels(), memory);
    if (!bound) return file_.refuse(bound.error()).error();
    if (!device_->is_hardware()) bound->variables = variables_;
    bound->check = arguments_.check;
    bound->threads = arguments_.threads;
    const emulator::DeviceVariable* const printed =
        device_->is_hardware() ? nullptr : find_printed(module, variables_);
    if (printed && bound->threads == 0) bound->threads = 1;  // what is printed has an order
    bound->unordered = program::unordered_of(module.variables());
    bound->budget = arguments_.budget;
    bound->spent = spent_;
    bound->profile =
        arguments_.profile_all ? emulator::Profile::all : emulator::Profile::first_workgroup;
    const Ticking ticking(progress_);
    bound->progress = [&](std::uint64_t done, std::uint64_t total) { ticking.note(done, total); };
    describe(module, *bound);
    std::string text;
    bound->printed = &text;
    const Stopwatch watch;
    auto report = module.launch(*bound, runtime::stored_addresses(file_.launch));
    if (printed) run_.printed = take_printed(variables_, *printed);
    run_.printed += runtime::printable(text);
    if (!report) {
      run_.report.seconds = watch.seconds();
      auto stop = record_failure(run_, module, report.error());
      place_in_source(run_, ptx_lines_);
      return stop;
    }
    if (report->emulated) spent_ = report->emulated->spent;
    record_report(run_, module, *std::move(report));
    place_in_source(run_, ptx_lines_);
    return {};
  }

  void describe(const runtime::Module& module, const emulator::Launch& bound) {
    run_.file = arguments_.file;
    run_.launch_file = arguments_.launch;
    record_launch(run_, module, *device_, bound);
    for (const std::string& flag : arguments_.flags)
      if (flag.starts_with("-O")) run_.unoptimised = flag == "-O0";
    run_.checked = arguments_.check && !run_.on_hardware;
    for (const runtime::SpelledArgument& argument :
         runtime::spelled_arguments(runtime::call_of(*launch_), run_.kernel))
      run_.spelled.emplace_back(
          formatted("{}:{}:{}", file_.path, argument.place.line, argument.place.column),
          argument.text);
  }

  std::optional<Stop> judge(runtime::Module& module, const runtime::LaunchMemory& initial,
                            const runtime::LaunchMemory& memory) {
    if (!run_.finished) return {};
    run_.changes = runtime::memory_changes(file_.launch, *launch_, initial, memory);
    for (const runtime::Expectation& expectation : launch_->expectations) {
      progress_.show("checking against float64");
      const runtime::Tensor& tensor = *file_.launch.find_tensor(expectation.result);
      const runtime::TensorValues values = [&](const runtime::Tensor& t) {
        return initial.values(t);
      };
      auto reference = reference_of(module, expectation, tensor, values, initial);
      if (!reference) return reference.error();
      const std::size_t line = expectation.place.line;
      JudgedArray judged{runtime::judge(tensor, memory.values(tensor), memory.unwritten(tensor),
                                        *reference, expectation.tolerance, expectation.sums),
                         std::string(line_of(file_.text, line)),
                         line,
                         runtime::has_one_product(expectation),
                         {},
                         {}};
      judged.note = note_of(expectation, judged.judgement);
      if (is_right_with_short_sums(expectation, tensor, memory, *reference, judged.judgement))
        judged.note = formatted(
            "every element is where sums in {0} may be: if the kernel sums in {0}, say so with "
            "'sums {0}' behind the formula",
            name(tensor.type));
      runtime::Explanations explanations =
          runtime::explain(file_.launch, expectation, values, judged.judgement, tile(module));
      judged.explanations = std::move(explanations.found);
      if (judged.judgement.wrong > 0 && run_.report.emulated)
        add_operand_trials(judged,
                           {file_.launch, *launch_, expectation, *reference, initial,
                            variables_before_, arguments_.budget},
                           *run_.report.emulated, module);
      if (judged.judgement.wrong > 0 && run_.report.emulated && judged.explanations.empty())
        add_row_trials(judged, file_.launch, expectation, memory, *run_.report.emulated,
                       [&](const MemoryChange& change) {
                         return reference_of(module, expectation, tensor, values, initial, change)
                             .value_or(runtime::FormulaValue{});
                       });
      if (explanations.was_cut)
        judged.note += formatted(
            "{}the search for the mistake was cut after {} multiplications: smaller matrices need "
            "fewer",
            judged.note.empty() ? "" : "; ", runtime::most_multiplications_of_search);
      run_.results.push_back(std::move(judged));
    }
    return {};
  }

  /// The tile of the matrix instruction that was executed most often. After a run on a GPU this
  /// instruction is unknown, and the tile is the processor's default.
  runtime::MatrixTile tile(const runtime::Module& module) const {
    std::vector<std::string> mnemonics;
    if (run_.report.emulated)
      for (const emulator::OpcodeCount& opcode : run_.report.emulated->opcodes)
        mnemonics.push_back(opcode.mnemonic);
    return runtime::tile_of(module.target(), mnemonics);
  }

  /// True if the launch file does not say in which type the kernel adds up sums, and the wrong
  /// result would be right if sums were in the result's own type instead of f32.
  static bool is_right_with_short_sums(const runtime::Expectation& expectation,
                                       const runtime::Tensor& tensor,
                                       const runtime::LaunchMemory& memory,
                                       const runtime::FormulaValue& reference,
                                       const runtime::Judgement& judgement) {
    const bool is_short =
        tensor.type == runtime::NumberType::f16 || tensor.type == runtime::NumberType::bf16;
    if (judgement.right() || !is_short || expectation.sums || expectation.tolerance) return false;
    return runtime::judge(tensor, memory.values(tensor), memory.unwritten(tensor), reference, {},
                          tensor.type)
        .right();
  }

  /// Writes the files of --dump. Nothing is written if a fault ended the run.
  std::optional<Stop> dump(const runtime::LaunchMemory& memory) {
    for (const ArrayDump& dump : dumps_) {
      if (!run_.finished) continue;
      const auto done = runtime::write_file(
          dump.path,
          runtime::npy_file(dump.tensor->type, dump.tensor->sizes, memory.elements(*dump.tensor)));
      if (!done) return Stop{2, dump.option + ": " + done.error()};
      run_.dumped.push_back(dump.path);
    }
    return {};
  }

  /// Remarks on a result: why the reference is no number, how much the limit allows, and why the
  /// limit is what it is.
  std::string note_of(const runtime::Expectation& expectation,
                      const runtime::Judgement& judgement) const {
    if (!judgement.right() && judgement.reference_unwritten > 0)
      return formatted("the reference kernel does not write {} of the elements",
                       judgement.reference_unwritten);
    if (!judgement.right() && std::isnan(judgement.worst_reference))
      if (const auto* formula = std::get_if<runtime::Expression>(&expectation.reference))
        if (const std::string empty = empty_operand(*formula); !empty.empty()) {
          if (launch_ != &file_.launch.launches.front())
            return formatted("what no launch before has written of {} is NaN", empty);
          return formatted(
              "{} holds nothing before the launch, so that what is computed from it "
              "is NaN: give it values, such as {} = … random or zero",
              empty, empty);
        }
    const bool sums_are_said = expectation.sums && !expectation.tolerance;
    std::string sums = sums_are_said
                           ? formatted("the limit follows from sums in {}", name(*expectation.sums))
                           : "";
    if (judgement.is_not_judged() && expectation.tolerance)
      return "the tolerance lets any of these numbers pass: a smaller one tells right from wrong";
    if (judgement.is_not_judged())
      return sums + (sums.empty() ? "" : "; ") +
             "judge each product by itself, with an array and an 'expect' for every intermediate "
             "result, or use 'exact' instead of 'random', with which sums must be right to the "
             "last "
             "bit";
    if (judgement.hides_a_term && !expectation.tolerance)
      return sums + (sums.empty() ? "" : "; ") +
             "this limit would hide a missing product: sums of so many terms may err by more; use "
             "'exact' instead of 'random', with which the sums must be right to the last bit";
    return sums;
  }

  /// The first array of the formula that has no value before the launch.
  std::string empty_operand(const runtime::Expression& formula) const {
    const runtime::Tensor* tensor = file_.launch.find_tensor(formula.name);
    if (tensor && !tensor->inside.empty()) tensor = file_.launch.find_tensor(tensor->inside);
    if (tensor && tensor->initial == runtime::InitialValue::none) return formula.name;
    for (const runtime::Expression& operand : formula.operands)
      if (std::string empty = empty_operand(operand); !empty.empty()) return empty;
    return "";
  }

  /// The byte that fills the memory of a reference kernel. The memory of the tested kernel is
  /// filled with another byte, so that an element that neither kernel writes counts as different.
  static constexpr std::byte reference_empty{0x7f};

  std::expected<runtime::FormulaValue, Stop> reference_of(runtime::Module& module,
                                                          const runtime::Expectation& expectation,
                                                          const runtime::Tensor& tensor,
                                                          const runtime::TensorValues& values,
                                                          const runtime::LaunchMemory& before,
                                                          const MemoryChange& change = {}) {
    if (const auto* formula = std::get_if<runtime::Expression>(&expectation.reference)) {
      if (!change) return runtime::evaluate(file_.launch, *formula, values);
      runtime::LaunchMemory changed = before;
      change(changed);
      return runtime::evaluate(file_.launch, *formula,
                               [&](const runtime::Tensor& t) { return changed.values(t); });
    }
    const auto& reference = std::get<runtime::ReferenceKernel>(expectation.reference);
    // Only before the first launch of a file is memory new; later it has the results of earlier
    // launches.
    runtime::LaunchMemory memory = before;
    if (launch_ == &file_.launch.launches.front()) {
      auto filled = runtime::LaunchMemory::fill(file_.launch, file_.folder(), reference_empty);
      if (!filled) return file_.refuse(filled.error());
      memory = *std::move(filled);
    }
    if (change) change(memory);
    std::unique_ptr<runtime::Module> other;
    if (!reference.file.empty()) {
      const std::string path = (std::filesystem::path(file_.folder()) / reference.file).string();
      if (const auto found = runtime::launch_files(file_.folder()).find(path); !found)
        return file_.refuse({expectation.place, found.error()});
      auto loaded = load(path);
      if (!loaded) return std::unexpected(loaded.error());
      other = *std::move(loaded);
    }
    runtime::Module& used = other ? *other : module;
    auto bound =
        runtime::bind(file_.launch, runtime::call_of(*launch_, reference), used.kernels(), memory);
    if (!bound) return file_.refuse(bound.error());
    bound->threads = arguments_.threads;
    bound->budget = arguments_.budget;
    const Ticking ticking(progress_);
    bound->progress = [&](std::uint64_t done, std::uint64_t total) { ticking.note(done, total); };
    std::vector<std::byte> variables = used.image();
    if (!device_->is_hardware()) bound->variables = variables;
    if (auto report = used.launch(*bound, runtime::stored_addresses(file_.launch)); !report)
      return refused(formatted("the reference kernel fails: {}", report.error().message));
    runtime::FormulaValue value;
    value.size = {tensor.rows(), tensor.columns()};
    runtime::ElementValues elements = memory.values(tensor);
    value.values = std::move(elements.values);
    value.integers = std::move(elements.integers);
    value.unwritten = memory.unwritten(tensor);
    value.magnitudes.assign(value.values.size(), 0);
    return value;
  }

  const RunArguments& arguments_;
  const Progress progress_;
  LaunchFile file_;
  std::vector<ArrayDump> dumps_;
  std::unique_ptr<runtime::Device> device_;
  std::string target_;
  bool is_compiled_to_ptx_ = false;          // CUDA's text for NVIDIA
  std::vector<std::string> ptx_lines_;       // the lines of that text, see ptx_lines.h
  std::vector<std::byte> variables_;         // of the module, from launch to launch
  std::vector<std::byte> variables_before_;  // the launch that is judged
  const runtime::KernelLaunch* launch_ = nullptr;
  std::uint64_t spent_ = 0;  // of the budget of the whole run, by the launches before
  KernelRun run_;
};

std::string report_of(const std::vector<KernelRun>& runs, std::size_t launches,
                      const std::string& format) {
  const int width = answers::output_width();
  if (launches == 1) {
    if (format == "json") return kernel_run_json(runs[0]);
    if (format == "sarif") return kernel_run_sarif(runs[0]);
    if (format == "html") return kernel_run_html(runs[0]);
    return kernel_run_text(runs[0], width);
  }
  if (format == "json") return launches_json(runs);
  if (format == "sarif") return kernel_run_sarif(merged(runs));
  if (format == "html") return kernel_run_html(merged(runs));
  return launches_text(runs, launches, width);
}

/// The refusal as a report on standard output, for SARIF and HTML. Other formats need none: people
/// read standard error, and refuse() writes the JSON.
std::string refusal_of(const std::string& message, const RunArguments& arguments) {
  if (arguments.report == "sarif") return refusal_sarif(message, arguments.file);
  if (arguments.report == "html") return refusal_html(message);
  return "";
}

}  // namespace

int run_kernel(const RunArguments& arguments) {
  KernelCommand command(arguments);
  const auto runs = command.run();
  if (!runs) {
    const std::string message = llvm::json::fixUTF8(runs.error().message);
    stopped({runs.error().status, message}, arguments);
    const std::string report = refusal_of(shortened(message), arguments);
    if (const auto printed = print_output(report); !printed) print_error(printed.error());
    return runs.error().status;
  }
  // Sources are quoted unchanged, in any encoding.
  const std::string report =
      llvm::json::fixUTF8(report_of(*runs, command.launches(), arguments.report));
  if (const auto printed = print_output(report); !printed) {
    print_error(printed.error());
    return 2;
  }
  return std::ranges::all_of(*runs, &KernelRun::right) ? 0 : 1;
}

}  // namespace heddle::tool
