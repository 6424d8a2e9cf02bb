#include "tools/heddle/run/run_program.h"

#include <fcntl.h>
#include <llvm/Support/JSON.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "answers/instruction/processor_argument.h"
#include "answers/text/input_file.h"
#include "answers/text/paragraph.h"
#include "emulator/decode/elf_file.h"
#include "emulator/decode/source_lines.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"
#include "runtime/device/launch_binding.h"
#include "runtime/device/offload_bundle.h"
#include "runtime/files/files.h"
#include "runtime/files/printable.h"
#include "runtime/program/protocol.h"
#include "runtime/program/served_modules.h"
#include "tools/heddle/host/include_folders.h"
#include "tools/heddle/host/output.h"
#include "tools/heddle/reports/program_run.h"
#include "tools/heddle/run/kernel_file.h"
#include "tools/heddle/run/launch_record.h"
#include "tools/heddle/run/progress.h"
#include "tools/heddle/run/ptx_lines.h"
#include "tools/heddle/run/run_place.h"

namespace heddle::tool {
namespace {

using program::Request;
using program::Status;

constexpr std::size_t most_refusals = 100;  // that a report names

/// Starts one program and serves its requests until it ends.
class ProgramCommand {
 public:
  explicit ProgramCommand(const RunArguments& arguments)
      : arguments_(arguments), memory_(arguments.devices) {}

  std::expected<ProgramRun, Stop> run() {
    if (auto stop = open_device()) return std::unexpected(*stop);
    const auto target = read_target();
    if (!target) return std::unexpected(target.error());
    run_.checked = arguments_.check;
    run_.is_built = arguments_.is_built;
    run_.file = arguments_.file;
    std::string executable = arguments_.file;
    if (!arguments_.is_built) {
      if (auto stop = compile(*target)) return std::unexpected(*stop);
      executable = compiled_->executable;
    } else if (!target->empty()) {
      if (auto stop = use_target(*target)) return std::unexpected(*stop);
    }
    if (!memory_.is_there()) return refused("the system gives no memory to share with a program");
    const Stopwatch running;
    if (auto stop = start(executable)) return std::unexpected(*stop);
    serve();
    run_.seconds = running.seconds();
    return std::move(run_);
  }

 private:
  std::optional<Stop> compile(const std::string& target) {
    std::vector<std::string> sources{arguments_.file};
    sources.insert(sources.end(), arguments_.sources.begin(), arguments_.sources.end());
    run_.file = joined(sources, " ");
    progress_.show(formatted("compiling {}", run_.file));
    const Stopwatch compiling;
    auto compiled =
        compile_program(sources, {target, arguments_.compile_flags, arguments_.link, true,
                                  arguments_.rocm, false, arguments_.compile_seconds});
    if (!compiled) return Stop{2, compiled.error()};
    run_.compile_seconds = compiling.seconds();
    compiled_.emplace(*std::move(compiled));
    progress_.show("");
    return use_target(compiled_->target);
  }

  /// From then on there is a device.
  std::optional<Stop> use_target(const std::string& target) {
    auto device =
        runtime::Device::open((target.starts_with("sm_") ? "ptx:" : "emulator:") + target);
    if (!device) return Stop{2, device.error().message};
    device_ = *std::move(device);
    run_.target = target;
    run_.device = device_->description();
    modules_.emplace(*device_, target,
                     compiled_ ? std::span<const std::vector<std::byte>>(compiled_->kernels)
                               : std::span<const std::vector<std::byte>>());
    return {};
  }

  /// The processor that the user named with --target, under LLVM's name. Empty if none was named.
  std::expected<std::string, Stop> read_target() const {
    if (arguments_.target.empty()) return "";
    const auto processor = answers::read_processor(arguments_.target);
    if (!processor) return std::unexpected(Stop{2, processor.error()});
    // clang also has targets such as sm_90a, which have more instructions. So the target's name is
    // kept as the user wrote it.
    if (arguments_.target.starts_with("sm_")) return arguments_.target;
    if (instruction::is_nvidia(instruction::processor(*processor).family))
      return std::string(instruction::name(*processor));
    const auto target = answers::read_target(arguments_.target);
    if (!target) return std::unexpected(Stop{2, target.error()});
    return std::string(instruction::name(*target));
  }

  std::optional<Stop> open_device() const {
    if (arguments_.device == "emulator" || arguments_.device.starts_with("ptx")) return {};
    return Stop{2, formatted("--device {}: programs run on the emulator or the simulator; on a GPU "
                             "compile them with its own compiler",
                             arguments_.device)};
  }

  std::optional<Stop> start(const std::string& executable) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return Stop{2, "the system gives no socket to talk to a program"};
    socket_.open(ends[0]);
    const runtime::Descriptor other(ends[1]);
    // Everything is allocated before the fork: after it, only calls that are allowed in a signal
    // handler are safe.
    const std::string variable =
        formatted("{}={},{},{},{},{}", program::environment_variable, other.number(),
                  memory_.file(), arguments_.check ? 1 : 0, arguments_.devices, run_.target);
    std::vector<std::string> words{executable};
    words.insert(words.end(), arguments_.flags.begin(), arguments_.flags.end());
    std::vector<char*> argument_list, environment;
    for (std::string& word : words) argument_list.push_back(word.data());
    argument_list.push_back(nullptr);
    std::string libraries = "LD_LIBRARY_PATH=" + include_folders().hip_library;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      constexpr std::string_view folders = "LD_LIBRARY_PATH=";
      if (!arguments_.is_built || !text.starts_with(folders))
        environment.push_back(*entry);
      else if (text.size() > folders.size())
        libraries += formatted(":{}", text.substr(folders.size()));
    }
    if (arguments_.is_built) environment.push_back(libraries.data());
    environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);
    rlimit data{};
    ::getrlimit(RLIMIT_DATA, &data);
    data.rlim_cur = data.rlim_max;  // Heddle's ceiling is not the program's
    child_ = ::fork();
    if (child_ < 0) return Stop{2, "the system starts no further process"};
    if (child_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::setrlimit(RLIMIT_DATA, &data);
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
      ::fcntl(other.number(), F_SETFD, 0);
      ::fcntl(memory_.file(), F_SETFD, 0);
      // If another program reads the report, standard output is for the report alone. So the output
      // of the program goes to standard error.
      if (arguments_.report != "text") ::dup2(STDERR_FILENO, STDOUT_FILENO);
      ::execve(executable.c_str(), argument_list.data(), environment.data());
      ::_exit(127);
    }
    return {};
  }

  /// Serves requests until the program ends. Waiting for the socket to close would not do, because
  /// children of the program may keep it open for longer.
  void serve() {
    ended_.open(static_cast<int>(::syscall(SYS_pidfd_open, child_, 0)));
    for (;;) {
      std::array<pollfd, 2> waiting{{{socket_.number(), POLLIN, 0}, {ended_.number(), POLLIN, 0}}};
      if (::poll(waiting.data(), waiting.size(), -1) < 0) {
        if (errno == EINTR) continue;
        break;
      }
      if ((waiting[0].revents & POLLIN) != 0) {
        if (compiled_) compiled_->remove_files();  // a program that asks is running
        if (!answer()) break;
      } else if (waiting[0].revents != 0 || waiting[1].revents != 0) {
        break;
      }
    }
    socket_.close();
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    run_.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    run_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  bool answer() {
    program::Header header;
    std::string bytes;
    if (!program::receive_message(socket_.number(), header, bytes, ended_.number())) return false;
    Status status = Status::refused;
    std::string text;
    switch (static_cast<Request>(header.kind)) {
      case Request::load:
        status = load(bytes, text);
        break;
      case Request::choose:
        status = choose(bytes, text);
        break;
      case Request::unload:
        status = modules_ && modules_->unload(bytes) ? Status::done : Status::refused;
        break;
      case Request::launch:
        status = launch(bytes, text);
        break;
      case Request::compile:
        status = compile(bytes, text);
        break;
      case Request::mistake:
        note_mistake(bytes);
        status = Status::done;
        break;
      default:
        text = "an unknown request";
    }
    return program::send_message(socket_.number(), static_cast<std::uint32_t>(status), text,
                                 ended_.number());
  }

  /// Request::choose: chooses the processor. From a bundle it takes the first processor that Heddle
  /// knows. Without a bundle it takes the default for programs.
  Status choose(std::string_view bytes, std::string& answer) {
    if (modules_) return answer = run_.target, Status::done;
    const auto offered = runtime::bundled_processors(std::as_bytes(std::span(bytes)));
    std::string target = bytes.empty() ? std::string(default_hip_target) : "";
    for (const std::string& name : offered.value_or(std::vector<std::string>()))
      if (target.empty() && instruction::find_target(name) != nullptr) target = name;
    if (target.empty() || use_target(target)) return Status::refused;
    if (offered) run_.offered = *offered;
    answer = target;
    return Status::done;
  }

  /// Request::load: loads a module. `answer` becomes the description that ProgramDevice::load
  /// reads, or the reason why the module cannot be loaded.
  Status load(std::string_view bytes, std::string& answer) {
    if (!modules_) return answer = "no device was chosen", Status::refused;
    const auto number = modules_->load(bytes);
    if (!number) {
      answer = formatted("the kernels of '{}' cannot be loaded: {}", run_.file, number.error());
      if (arguments_.is_built && run_.refusals.size() < most_refusals)
        run_.refusals.push_back(answer);
      return Status::refused;
    }
    if (ptx_lines_.size() <= *number) ptx_lines_.resize(*number + 1);
    ptx_lines_[*number] = run_.target.starts_with("sm_")
                              ? source_lines_of_ptx(modules_->text(*number))
                              : std::vector<std::string>();
    answer = modules_->description(*number);
    return Status::done;
  }

  Status launch(std::string_view bytes, std::string& answer) {
    auto asked = modules_ ? modules_->launch_of(bytes, memory_, arguments_.check) : std::nullopt;
    if (!asked) return answer = "a request that makes no sense", Status::refused;
    emulator::Launch& launch = asked->launch;
    if (launch.threads == 0) launch.threads = arguments_.threads;
    launch.check = arguments_.check;
    launch.budget = arguments_.budget;
    launch.profile =
        arguments_.profile_all ? emulator::Profile::all : emulator::Profile::first_workgroup;
    const Ticking ticking(progress_);
    launch.progress = [&](std::uint64_t done, std::uint64_t total) { ticking.note(done, total); };
    runtime::Module& module = (*modules_)[asked->module];
    KernelRun run;
    run.file = run_.file;
    run.checked = arguments_.check;
    record_launch(run, module, *device_, launch);
    const Stopwatch watch;
    std::string printed;
    launch.printed = &printed;
    auto report = module.launch(launch);
    if (report) {
      record_report(run, module, *std::move(report));
    } else {
      run.report.seconds = watch.seconds();
      if (const auto stop = record_failure(run, module, report.error())) {
        answer = formatted("kernel {}: {}", run.kernel_name, stop->message);
        answer.erase(answer.find_last_not_of('\n') + 1);
        if (run_.refusals.size() < most_refusals) run_.refusals.push_back(answer);
        return Status::refused;
      }
    }
    place_in_source(run, ptx_lines_[asked->module]);
    const bool finished = run.finished;
    if (!finished) answer = is_of_address(run.findings.back().kind) ? "address" : "other";
    answer += "\n" + printed;
    run_.total_of(run.kernel).add(std::move(run), ++run_.launches);
    return finished ? Status::done : Status::fault;
  }

  /// Notes a mistake of the host code. The line of the mistake is the line of the innermost call
  /// that has a line: the function that HIP's compiler writes for a launch has none, and the
  /// function that CUDA's compiler writes is inlined.
  void note_mistake(std::string_view bytes) {
    constexpr std::size_t most_mistakes = 100;
    program::Reader reader(bytes);
    const auto request = reader.get<program::MistakeRequest>();
    HostMistake mistake;
    mistake.message = runtime::printable_line(std::string(reader.get_text()));
    if (!reader.is_good() || run_.mistakes.size() >= most_mistakes) return;
    for (std::uint32_t i = 0; i < request.calls && i < request.most_calls; ++i)
      if (const std::string line = host_lines().find(request.addresses[i]); !line.empty()) {
        const auto callers = request.is_launch ? host_lines().find_callers(request.addresses[i])
                                               : std::vector<std::string>();
        mistake.source = near_source(callers.empty() ? line : callers.front());
        break;
      }
    // A mistake in a loop is reported only once, as findings of kernels are.
    const auto is_same = [&](const HostMistake& other) {
      return other.message == mistake.message && other.source == mistake.source;
    };
    if (std::ranges::none_of(run_.mistakes, is_same)) run_.mistakes.push_back(std::move(mistake));
  }

  /// The source lines of the program's host code, read from the executable of the process. The
  /// process still runs, because it waits for heddle's answer, so its executable can be read.
  emulator::SourceLines& host_lines() {
    if (!host_lines_) {
      const auto bytes = runtime::read_file(formatted("/proc/{}/exe", child_), std::size_t{1} << 28,
                                            runtime::FileKind::any);
      host_lines_.emplace(bytes ? emulator::debug_sections(std::as_bytes(std::span(*bytes)))
                                : emulator::DebugSections());
    }
    return *host_lines_;
  }

  static bool is_of_address(emulator::FindingKind kind) {
    using enum emulator::FindingKind;
    return kind == global_out_of_bounds || kind == global_read_only || kind == misaligned;
  }

  /// Request::compile, for hiprtc: compiles a source with options, which are words, and headers.
  Status compile(std::string_view bytes, std::string& answer) {
    program::Reader reader(bytes);
    const std::string_view source = reader.get_text(), options = reader.get_text();
    std::vector<std::pair<std::string, std::string>> headers;
    for (auto left = reader.get<std::uint32_t>(); left > 0 && reader.is_good(); --left) {
      const std::string_view name = reader.get_text(), text = reader.get_text();
      headers.emplace_back(name, text);
    }
    if (!reader.is_good() || !modules_)
      return answer = "a request that makes no sense", Status::refused;
    auto code = compile_source_text(std::string(source), std::string(options), headers, run_.target,
                                    arguments_.link, arguments_.compile_seconds);
    if (!code) return answer = code.error(), Status::refused;
    answer.assign(reinterpret_cast<const char*>(code->data()), code->size());
    return Status::done;
  }

  const RunArguments& arguments_;
  const Progress progress_;
  program::SharedMemory memory_;
  runtime::Descriptor socket_, ended_;
  pid_t child_ = -1;
  std::optional<CompiledProgram> compiled_;
  std::unique_ptr<runtime::Device> device_;
  std::optional<program::ServedModules> modules_;
  std::vector<std::vector<std::string>> ptx_lines_;  // of each module
  std::optional<emulator::SourceLines> host_lines_;
  ProgramRun run_;
};

}  // namespace

int run_program(const RunArguments& arguments) {
  const auto run = ProgramCommand(arguments).run();
  if (!run)
    return stopped({run.error().status, llvm::json::fixUTF8(run.error().message)}, arguments);
  if (arguments.report == "text") {
    // The standard output is the program's.
    std::string report = llvm::json::fixUTF8(program_run_text(*run, answers::output_width()));
    if (!report.empty() && report.back() == '\n') report.pop_back();
    print_error(report);
    return run->status();
  }
  const std::string report = arguments.report == "json"    ? program_run_json(*run)
                             : arguments.report == "sarif" ? kernel_run_sarif(merged(*run))
                                                           : kernel_run_html(merged(*run));
  if (const auto printed = print_output(llvm::json::fixUTF8(report)); !printed) {
    print_error(printed.error());
    return 2;
  }
  return run->status();
}

}  // namespace heddle::tool
