#include "tools/heddle/compile/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <fstream>

#include "answers/text/input_file.h"
#include "answers/text/paragraph.h"
#include "heddle/instruction/target.h"
#include "runtime/launch_binding.h"
#include "runtime/offload_bundle.h"
#include "runtime/program/protocol.h"
#include "tools/heddle/compile/kernel_file.h"
#include "tools/heddle/compile/launch_record.h"
#include "tools/heddle/compile/progress.h"
#include "tools/heddle/compile/run_place.h"
#include "tools/heddle/output.h"
#include "tools/heddle/reports/program_run.h"

namespace heddle::tool {
namespace {

using program::BufferEntry;
using program::Request;
using program::Status;

/// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  void set(int number) { number_ = number; }
  int number() const { return number_; }

 private:
  int number_;
};

/// The memory of the device, which the program has mapped too.
class SharedMemory {
 public:
  SharedMemory() : file_(::memfd_create("heddle", MFD_CLOEXEC)) {
    if (file_.number() < 0) return;
    if (::ftruncate(file_.number(), static_cast<off_t>(program::shared_bytes)) != 0) return;
    void* const memory = ::mmap(nullptr, program::shared_bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_NORESERVE, file_.number(), 0);
    if (memory != MAP_FAILED) memory_ = static_cast<std::byte*>(memory);
  }
  SharedMemory(const SharedMemory&) = delete;
  ~SharedMemory() {
    if (memory_ != nullptr) ::munmap(memory_, program::shared_bytes);
  }
  int file() const { return file_.number(); }
  bool is_there() const { return memory_ != nullptr; }
  /// Empty when they reach out of the memory of the device.
  std::span<std::byte> bytes(std::uint64_t offset, std::uint64_t count) const {
    if (offset > program::device_bytes || count > program::device_bytes - offset) return {};
    return {memory_ + offset, count};
  }
  std::uint8_t* written(std::uint64_t offset) const {
    return reinterpret_cast<std::uint8_t*>(memory_ + program::device_bytes + offset);
  }

 private:
  Descriptor file_;
  std::byte* memory_ = nullptr;
};

/// The first words of a line.
std::vector<std::string_view> words_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> words;
  while (words.size() < most && !line.empty()) {
    const std::size_t stop = std::min(line.find_first_of(" \t,"), line.size());
    if (stop > 0) words.push_back(line.substr(0, stop));
    line.remove_prefix(std::min(stop + 1, line.size()));
  }
  return words;
}

/// By line of a text of PTX, the line of the source that it was compiled from: "file:line:column".
/// Of code that was inlined it is the outermost call, which clang writes as a comment, "@[ … ]".
std::vector<std::string> source_lines_of_ptx(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    all.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::map<std::string, std::string, std::less<>> files;
  for (const std::string_view line : all)
    if (line.starts_with(".file")) {
      const auto words = words_of(line, 2);
      const std::size_t open = line.find('"'), close = line.rfind('"');
      if (words.size() == 2 && open < close)
        files[std::string(words[1])] = std::string(line.substr(open + 1, close - open - 1));
    }
  std::vector<std::string> lines(1);
  std::string place;
  for (const std::string_view line : all) {
    if (line.starts_with("}")) place.clear();
    if (line.starts_with(".loc")) {
      const auto words = words_of(line, 4);
      const std::size_t call = line.rfind("@[ ");
      if (call != std::string_view::npos)
        place = std::string(line.substr(call + 3, line.find(' ', call + 3) - call - 3));
      else if (words.size() == 4 && words[2] != "0")
        if (const auto file = files.find(words[1]); file != files.end())
          place = fmt::format("{}:{}:{}", file->second, words[2], words[3]);
    }
    lines.push_back(place);
  }
  return lines;
}

/// Serves one program from its start to its end.
class ProgramCommand {
 public:
  explicit ProgramCommand(const RunArguments& arguments) : arguments_(arguments) {}

  std::expected<ProgramRun, Stop> run() {
    if (auto stop = open_device()) return std::unexpected(*stop);
    progress_.show(fmt::format("compiling {}", arguments_.file));
    const Stopwatch compiling;
    auto compiled = compile_program(arguments_.file, {arguments_.target, arguments_.compile_flags});
    if (!compiled) return refused(compiled.error());
    run_.compile_seconds = compiling.seconds();
    run_.file = arguments_.file;
    run_.target = compiled->target;
    run_.checked = arguments_.check;
    if (auto stop = open_device_for(compiled->target)) return std::unexpected(*stop);
    run_.device = device_->description();
    kernels_ = std::move(compiled->kernels);
    progress_.show("");
    if (!memory_.is_there()) return refused("the system gives no memory to share with a program");
    const Stopwatch running;
    if (auto stop = start(compiled->executable)) return std::unexpected(*stop);
    serve();
    run_.seconds = running.seconds();
    return std::move(run_);
  }

 private:
  std::optional<Stop> open_device() const {
    if (arguments_.device == "emulator" || arguments_.device.starts_with("ptx")) return {};
    return Stop{2,
                fmt::format("--device {}: programs run on the emulator or the simulator; on a GPU "
                            "compile them with its own compiler",
                            arguments_.device)};
  }

  std::optional<Stop> open_device_for(const std::string& target) {
    auto device =
        runtime::Device::open((target.starts_with("sm_") ? "ptx:" : "emulator:") + target);
    if (!device) return Stop{2, device.error().message};
    device_ = *std::move(device);
    return {};
  }

  std::optional<Stop> start(const std::string& executable) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return Stop{2, "the system gives no socket to talk to a program"};
    socket_.set(ends[0]);
    Descriptor other(ends[1]);
    // Everything is made before the fork: behind it only what a signal handler may do is done.
    const std::string variable =
        fmt::format("{}={},{},{},{}", program::environment_variable, other.number(), memory_.file(),
                    arguments_.check ? 1 : 0, run_.target);
    std::vector<std::string> words{executable};
    words.insert(words.end(), arguments_.flags.begin(), arguments_.flags.end());
    std::vector<char*> argument_list, environment;
    for (std::string& word : words) argument_list.push_back(word.data());
    argument_list.push_back(nullptr);
    for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
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
      // Where a program reads the report, it is alone on the standard output.
      if (arguments_.report != "text") ::dup2(STDERR_FILENO, STDOUT_FILENO);
      ::execve(executable.c_str(), argument_list.data(), environment.data());
      ::_exit(127);
    }
    return {};
  }

  /// Until the program has ended: its children may keep the socket open for longer.
  void serve() {
    const Descriptor ended(static_cast<int>(::syscall(SYS_pidfd_open, child_, 0)));
    for (;;) {
      std::array<pollfd, 2> waiting{{{socket_.number(), POLLIN, 0}, {ended.number(), POLLIN, 0}}};
      if (::poll(waiting.data(), waiting.size(), -1) < 0) {
        if (errno == EINTR) continue;
        break;
      }
      if ((waiting[0].revents & POLLIN) != 0) {
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
    if (!program::receive_message(socket_.number(), header, bytes)) return false;
    Status status = Status::refused;
    std::string text;
    switch (static_cast<Request>(header.kind)) {
      case Request::load:
        status = load(bytes, text);
        break;
      case Request::launch:
        status = launch(bytes, text);
        break;
      case Request::compile:
        status = compile(bytes, text);
        break;
      default:
        text = "an unknown request";
    }
    return program::send_message(socket_.number(), static_cast<std::uint32_t>(status), text);
  }

  /// `answer` is what Device::load reads, or why there is no module.
  Status load(std::string_view bytes, std::string& answer) {
    std::vector<std::byte> object;
    if (bytes.starts_with(program::module_mark)) {
      object = kernels_;
    } else {
      const auto found = std::as_bytes(std::span(bytes));
      if (run_.target.starts_with("sm_")) {
        object.assign(found.begin(), found.end());
      } else {
        auto extracted = runtime::extract_code_object(found, run_.target);
        if (!extracted) return answer = extracted.error(), Status::refused;
        object = *std::move(extracted);
      }
    }
    auto module = device_->load(object);
    if (!module) {
      answer = fmt::format("the kernels of '{}' cannot be loaded: {}", arguments_.file,
                           module.error().message);
      return Status::refused;
    }
    if (run_.target.starts_with("sm_"))
      ptx_lines_.push_back(
          source_lines_of_ptx({reinterpret_cast<const char*>(object.data()), object.size()}));
    else
      ptx_lines_.emplace_back();
    modules_.push_back(*std::move(module));
    answer = description_of(*modules_.back());
    return Status::done;
  }

  std::string description_of(const runtime::Module& module) const {
    program::Writer writer;
    writer.put(static_cast<std::uint32_t>(modules_.size() - 1));
    writer.put(static_cast<std::uint32_t>(module.kernels().size()));
    for (const emulator::Kernel& kernel : module.kernels()) {
      writer.put_text(kernel.name);
      std::vector<std::pair<std::uint32_t, std::uint32_t>> arguments;
      std::uint32_t end = 0;
      for (const emulator::KernelArgument& argument : kernel.arguments) {
        if (argument.hidden()) continue;
        arguments.emplace_back(argument.offset, argument.size);
        end = std::max(end, argument.offset + argument.size);
      }
      for (const std::uint32_t value : {kernel.lds_bytes, kernel.scratch_bytes, kernel.vgpr_count,
                                        kernel.max_workgroup_size, end})
        writer.put(value);
      writer.put(static_cast<std::uint32_t>(arguments.size()));
      for (const auto& [offset, size] : arguments) {
        writer.put(offset);
        writer.put(size);
      }
    }
    writer.put(static_cast<std::uint32_t>(module.variables().size()));
    for (const emulator::DeviceVariable& variable : module.variables()) {
      writer.put_text(variable.name);
      for (const std::uint64_t value : {variable.address, variable.offset, variable.size})
        writer.put(value);
    }
    const std::vector<std::byte> image = module.image();
    writer.put_text({reinterpret_cast<const char*>(image.data()), image.size()});
    return writer.bytes();
  }

  /// Nothing when the request does not make sense: the program wrote it itself.
  std::optional<emulator::Launch> launch_of(std::string_view bytes,
                                            program::LaunchRequest& request) {
    program::Reader reader(bytes);
    request = reader.get<program::LaunchRequest>();
    if (request.module >= modules_.size() || request.buffers > emulator::most_buffers) return {};
    const runtime::Module& module = *modules_[request.module];
    if (request.kernel >= module.kernels().size()) return {};
    const emulator::Kernel& kernel = module.kernels()[request.kernel];
    emulator::Launch launch;
    launch.kernel = kernel.name;
    launch.grid = request.grid;
    launch.workgroup = request.block;
    launch.dynamic_lds_bytes = request.lds_bytes;
    launch.threads = request.threads != 0 ? request.threads : arguments_.threads;
    launch.variables = memory_.bytes(request.variables_offset, request.variables_bytes);
    if (launch.variables.size() != module.image().size()) return {};
    for (const emulator::DeviceVariable& variable : module.variables())
      if (variable.name == program::printed_variable)
        launch.unordered = {variable.address, variable.size};
    for (std::uint32_t i = 0; i < request.buffers; ++i) {
      const auto entry = reader.get<BufferEntry>();
      emulator::Buffer buffer;
      buffer.bytes = memory_.bytes(entry.offset, entry.bytes);
      if (buffer.bytes.size() != entry.bytes) return {};
      buffer.name = fmt::format("{}{}{}", entry.number, entry.is_host != 0 ? " of the host" : "",
                                entry.is_freed != 0 ? ", which was freed" : "");
      buffer.initialised = entry.is_initialised != 0 || !arguments_.check;
      if (!buffer.initialised) buffer.written = memory_.written(entry.offset);
      launch.buffers.push_back(std::move(buffer));
    }
    const std::string_view arguments = reader.take(request.argument_bytes);
    if (!reader.is_good()) return {};
    for (const emulator::KernelArgument& argument : kernel.arguments) {
      if (argument.hidden()) continue;
      if (argument.offset > arguments.size() || argument.size > arguments.size() - argument.offset)
        return {};
      const auto part = std::as_bytes(std::span(arguments.substr(argument.offset, argument.size)));
      launch.arguments.emplace_back(emulator::Value(part.begin(), part.end()));
    }
    return launch;
  }

  Status launch(std::string_view bytes, std::string& answer) {
    program::LaunchRequest request;
    auto launch = launch_of(bytes, request);
    if (!launch) return answer = "a request that makes no sense", Status::refused;
    launch->check = arguments_.check;
    launch->budget = arguments_.budget;
    launch->profile =
        arguments_.profile_all ? emulator::Profile::all : emulator::Profile::first_workgroup;
    const Ticking ticking(progress_);
    launch->progress = [&](std::uint64_t done, std::uint64_t total) { ticking.note(done, total); };
    runtime::Module& module = *modules_[request.module];
    KernelRun run;
    run.file = arguments_.file;
    run.checked = arguments_.check;
    record_launch(run, module, *device_, *launch);
    const Stopwatch watch;
    auto report = module.launch(*launch);
    if (report) {
      record_report(run, module, *std::move(report));
    } else {
      run.report.seconds = watch.seconds();
      if (const auto stop = record_failure(run, module, report.error())) {
        answer = fmt::format("kernel {}: {}", run.kernel_name, stop->message);
        answer.erase(answer.find_last_not_of('\n') + 1);
        if (run_.refusals.size() < 100) run_.refusals.push_back(answer);
        return Status::refused;
      }
    }
    place_in_source(run, ptx_lines_[request.module]);
    const bool finished = run.finished;
    if (!finished) answer = is_of_address(run.findings.back().kind) ? "address" : "other";
    run_.total_of(run.kernel).add(std::move(run), ++run_.launches);
    return finished ? Status::done : Status::fault;
  }

  static bool is_of_address(emulator::FindingKind kind) {
    using enum emulator::FindingKind;
    return kind == global_out_of_bounds || kind == global_read_only || kind == misaligned;
  }

  /// A line of PTX is nothing to the user: the line of the source that it comes from is.
  void place_in_source(KernelRun& run, const std::vector<std::string>& lines) const {
    if (lines.empty()) return;
    const auto place = [&](std::string& source) {
      const SourcePlace at = source_place(source);
      source = at.line < lines.size() && !lines[at.line].empty() ? near_source(lines[at.line]) : "";
    };
    for (emulator::Finding& finding : run.findings) {
      place(finding.place.source);
      for (emulator::RelatedPlace& related : finding.related) place(related.place.source);
    }
    if (!run.report.emulated) return;
    for (emulator::LdsAccess& access : run.report.emulated->lds) place(access.source);
    for (emulator::GlobalAccess& access : run.report.emulated->global) place(access.source);
  }

  /// hiprtc: the source and its options, which are words.
  Status compile(std::string_view bytes, std::string& answer) {
    program::Reader reader(bytes);
    const std::string_view source = reader.get_text(), options = reader.get_text();
    std::vector<std::pair<std::string, std::string>> headers;
    for (auto left = reader.get<std::uint32_t>(); left > 0 && reader.is_good(); --left) {
      const std::string_view name = reader.get_text(), text = reader.get_text();
      headers.emplace_back(name, text);
    }
    if (!reader.is_good()) return answer = "a request that makes no sense", Status::refused;
    auto code =
        compile_source_text(std::string(source), std::string(options), headers, run_.target);
    if (!code) return answer = code.error(), Status::refused;
    answer.assign(reinterpret_cast<const char*>(code->data()), code->size());
    return Status::done;
  }

  const RunArguments& arguments_;
  const Progress progress_;
  SharedMemory memory_;
  Descriptor socket_;
  pid_t child_ = -1;
  std::vector<std::byte> kernels_;
  std::unique_ptr<runtime::Device> device_;
  std::vector<std::unique_ptr<runtime::Module>> modules_;
  std::vector<std::vector<std::string>> ptx_lines_;  // of each module
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
