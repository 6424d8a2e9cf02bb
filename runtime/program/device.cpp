#include "runtime/program/device.h"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "emulator/machine/memory.h"
#include "runtime/program/registry.h"

namespace heddle::program {
namespace {

// The most allocations. It is one less than emulator::most_buffers, since the emulator itself needs
// room for one more buffer.
constexpr std::size_t most_slots = 999;

std::uint64_t pages_of(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

bool is_device_address(std::uint64_t address) {
  const std::uint64_t region = address >> emulator::region_shift;
  return region >= 1 && region < emulator::first_buffer_region + most_slots;
}

// Addresses of the device lie outside the memory of any program on this host. If host code reads or
// writes such an address, the system calls this handler, which reports it. The handler calls only
// what a signal handler may call.
void end_on_device_address(int signal, siginfo_t* info, void*) {
  if (is_device_address(reinterpret_cast<std::uint64_t>(info->si_addr))) {
    constexpr char text[] =
        "heddle: the host code reads or writes memory of the device through its pointer; copy it "
        "with hipMemcpy, or allocate it with hipMallocManaged or hipHostMalloc\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, sizeof text - 1);
  }
  ::signal(signal, SIG_DFL);  // on return the access is tried again, and ends the program
}

void watch_for_device_addresses() {
  struct sigaction action = {};
  action.sa_sigaction = end_on_device_address;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, nullptr);
}

}  // namespace

namespace {

thread_local unsigned current_device = 0;

}  // namespace

unsigned ProgramDevice::current() { return current_device; }
void ProgramDevice::set_current(unsigned device) { current_device = device; }

bool ProgramDevice::set_access(unsigned device, unsigned other, bool has) {
  return has ? accesses_.emplace(device, other).second : accesses_.erase({device, other}) > 0;
}

void tell(const std::string& text) { std::fprintf(stderr, "heddle: %s\n", text.c_str()); }

const Kernel* ProgramModule::find_kernel(std::string_view name) const {
  for (const Kernel& kernel : kernels)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

const Variable* ProgramModule::find_variable(std::string_view name) const {
  for (const Variable& variable : variables)
    if (variable.name == name) return &variable;
  return nullptr;
}

// The device is never destroyed, because the program's own destructors may still call it.
ProgramDevice* ProgramDevice::get() {
  static ProgramDevice* const device = []() -> ProgramDevice* {
    auto* made = new ProgramDevice;
    if (const char* text = std::getenv(environment_variable); text && made->open(text)) return made;
    tell("this program runs under `heddle run` or `heddle exec`, and has no device without them");
    return nullptr;
  }();
  return device;
}

bool ProgramDevice::open(const char* text) {
  std::string_view rest = text;
  const auto take = [&](auto& number) {
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (read.ec != std::errc()) return false;
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    if (!rest.starts_with(',')) return false;
    rest.remove_prefix(1);
    return true;
  };
  int checked = 0;
  if (!take(socket_) || !take(file_) || !take(checked) || !take(devices_) || devices_ == 0 ||
      devices_ > most_devices)
    return false;
  is_checked_ = checked != 0;
  processor_ = rest;
  const std::uint64_t bytes = devices_ * device_bytes;
  void* const memory =
      ::mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(memory);
  written_ = reinterpret_cast<std::uint8_t*>(memory_ + bytes);
  // The first page of each device stays unused, so that free ranges of two devices never touch and
  // merge.
  for (unsigned i = 0; i < devices_; ++i)
    room_[i * device_bytes + page_bytes] = device_bytes - page_bytes;
  ::fcntl(socket_, F_SETFD, FD_CLOEXEC);
  ::fcntl(file_, F_SETFD, FD_CLOEXEC);
  watch_for_device_addresses();
  return true;
}

bool ProgramDevice::choose(std::string_view binary) {
  Header header;
  std::string answer;
  ask(Request::choose, binary, header, answer);
  if (header.kind != static_cast<std::uint32_t>(Status::done)) return false;
  processor_ = answer;
  return true;
}

const std::string& ProgramDevice::processor() {
  if (processor_.empty() && std::ranges::none_of(modules_, [&](const ProgramModule& module) {
        return choose(module.binary);
      }))
    choose({});
  return processor_;
}

bool ProgramDevice::ask(Request request, std::string_view bytes, Header& header,
                        std::string& answer) const {
  std::fflush(stdout);  // what the program printed comes before what heddle says
  if (send_message(socket_, static_cast<std::uint32_t>(request), bytes) &&
      receive_message(socket_, header, answer))
    return true;
  header = {static_cast<std::uint32_t>(Status::refused), 0};
  answer.clear();
  return false;
}

namespace {

struct Calls {
  MistakeRequest request;
  std::uint64_t first = 0;  // of the program
};

_Unwind_Reason_Code add_call(_Unwind_Context* context, void* to) {
  Calls& calls = *static_cast<Calls*>(to);
  // Skips the function that the compiler writes for a kernel. The launch is the call of it.
  if (registered_kernel(reinterpret_cast<const void*>(_Unwind_GetRegionStart(context))))
    return _URC_NO_REASON;
  const std::uint64_t address = _Unwind_GetIP(context);
  // The return address points after the call, so the address before it lies in the call.
  if (address > calls.first)
    calls.request.addresses[calls.request.calls++] = address - calls.first - 1;
  return calls.request.calls < MistakeRequest::most_calls ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// Takes the load address of the first object in the loader's list, which is the program itself.
int note_start(dl_phdr_info* info, std::size_t, void* to) {
  static_cast<Calls*>(to)->first = info->dlpi_addr;
  return 1;
}

}  // namespace

void ProgramDevice::tell_mistake(const std::string& text) const {
  tell(text);
  Calls calls;
  ::dl_iterate_phdr(note_start, &calls);
  calls.request.is_launch = is_launching_;
  _Unwind_Backtrace(add_call, &calls);
  Writer writer;
  writer.put(calls.request);
  writer.put_text(text);
  Header header;
  std::string answer;
  ask(Request::mistake, writer.bytes(), header, answer);
}

// --- memory ----------------------------------------------------------------------------------

std::optional<std::uint64_t> ProgramDevice::take_room(std::uint64_t bytes, unsigned device) {
  for (const auto& [offset, size] : room_) {
    if (size < bytes || offset / device_bytes != device) continue;
    const std::uint64_t taken = offset, left = size - bytes;
    room_.erase(taken);
    if (left > 0) room_[taken + bytes] = left;
    return taken;
  }
  return {};
}

void ProgramDevice::give_room(std::uint64_t offset, std::uint64_t bytes) {
  for (const std::uint64_t first : {offset, devices_ * device_bytes + offset})
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                static_cast<off_t>(bytes));
  auto next = room_.lower_bound(offset);
  if (next != room_.end() && next->first == offset + bytes) {
    bytes += next->second;
    next = room_.erase(next);
  }
  if (next != room_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  room_[offset] = bytes;
}

std::uint64_t ProgramDevice::bytes_left() const {
  std::uint64_t left = 0;
  for (const auto& [offset, bytes] : room_)
    if (offset / device_bytes == current()) left += bytes;
  return left;
}

const Allocation* ProgramDevice::allocate(std::uint64_t bytes, MemoryKind kind,
                                          std::byte* registered) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  if (bytes > device_bytes) return nullptr;
  if (slots_.size() == most_slots && free_slots_.empty()) return nullptr;
  // Uses every slot once before it reuses a freed one. So a pointer to freed memory stays invalid
  // for as long as possible, and its use is found.
  const bool is_new = slots_.size() < most_slots;
  const auto slot = is_new ? static_cast<std::uint32_t>(slots_.size()) : free_slots_.front();
  const std::uint64_t address = emulator::buffer_base(emulator::first_buffer_region + slot, bytes);
  const std::uint64_t in_page = address % page_bytes;  // what is mapped begins at a page
  const auto room = take_room(pages_of(in_page + bytes), current());
  if (!room) return nullptr;
  const Allocation made{address,   bytes, *room + in_page, slot, ++allocation_count_,
                        current(), kind,  registered};
  if (made.is_mapped()) {
    void* const wanted = reinterpret_cast<void*>(address - in_page);
    const std::uint64_t size = pages_of(in_page + bytes);
    void* const mapped = ::mmap(wanted, size, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED_NOREPLACE, file_, static_cast<off_t>(*room));
    if (mapped != wanted) {
      if (mapped != MAP_FAILED) ::munmap(mapped, size);
      give_room(*room, size);
      return nullptr;
    }
  } else if (!registered) {
    std::memset(memory_ + made.offset, 0xff, bytes);  // as a launch file's arrays
  }
  if (is_new)
    slots_.emplace_back();
  else
    free_slots_.pop_front();
  slots_[slot] = {
      made.offset, bytes, made.number, kind != MemoryKind::device, 0, kind == MemoryKind::host, 0};
  return &(allocations_[address] = made);
}

bool ProgramDevice::free(const void* pointer) {
  const auto found = allocations_.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found == allocations_.end()) return false;
  const Allocation gone = found->second;
  const std::uint64_t in_page = gone.address % page_bytes;
  if (gone.is_mapped())
    ::munmap(reinterpret_cast<void*>(gone.address - in_page), pages_of(in_page + gone.bytes));
  allocations_.erase(found);
  slots_[gone.slot].bytes = 0;
  slots_[gone.slot].is_freed = 1;
  free_slots_.push_back(gone.slot);
  give_room(gone.offset - in_page, pages_of(in_page + gone.bytes));
  return true;
}

const Allocation* ProgramDevice::find(std::uint64_t address) const {
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return nullptr;
  const Allocation& before = std::prev(next)->second;
  return address - before.address < before.bytes ? &before : nullptr;
}

const Allocation* ProgramDevice::find_registered(const void* memory) const {
  const auto* const place = static_cast<const std::byte*>(memory);
  for (const auto& [address, one] : allocations_)
    if (one.registered && place >= one.registered && place < one.registered + one.bytes)
      return &one;
  return nullptr;
}

void ProgramDevice::copy_registered(bool to_kernels) {
  for (const auto& [address, one] : allocations_) {
    if (!one.registered) continue;
    std::byte* const own = memory_ + one.offset;
    std::memcpy(to_kernels ? own : one.registered, to_kernels ? one.registered : own, one.bytes);
  }
}

std::optional<Place> ProgramDevice::find_place(const void* pointer, std::uint64_t bytes,
                                               const char* call) const {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (!is_device_address(address))
    return Place{static_cast<std::byte*>(const_cast<void*>(pointer)), false, nullptr, nullptr};
  if (const Allocation* in = find(address)) {
    const std::uint64_t first = address - in->address;
    if (bytes <= in->bytes - first && in->registered)
      return Place{in->registered + first, true, in, nullptr};
    if (bytes <= in->bytes - first)
      return Place{memory_ + in->offset + first, true, in, written_ + in->offset + first};
    tell_mistake(std::string(call) + ": " + std::to_string(bytes) + " bytes from byte " +
                 std::to_string(first) + " of allocation " + std::to_string(in->number) +
                 ", which has " + std::to_string(in->bytes) + " bytes");
    return {};
  }
  if (const auto next = symbols_.upper_bound(address); next != symbols_.begin()) {
    const auto& [first, module] = *std::prev(next);
    const std::uint64_t inside = address - first;
    for (const Variable& variable : module->variables) {
      if (variable.address != first || inside >= variable.bytes) continue;
      if (bytes <= variable.bytes - inside)
        return Place{image_of(*module) + variable.offset + inside, true, nullptr, nullptr};
      tell_mistake(std::string(call) + ": " + std::to_string(bytes) + " bytes from byte " +
                   std::to_string(inside) + " of the variable " + variable.name + ", which has " +
                   std::to_string(variable.bytes) + " bytes");
      return {};
    }
  }
  if (bytes == 0) return Place{};
  tell_mistake(std::string(call) +
               ": a pointer into memory of the device that is not allocated, or freed");
  return {};
}

void ProgramDevice::copy(const Place& to, const Place& from, std::uint64_t bytes) {
  if (bytes == 0) return;
  std::memmove(to.host, from.host, bytes);
  if (!to.written || !is_checked_) return;
  if (from.written && from.allocation && from.allocation->kind == MemoryKind::device)
    std::memmove(to.written, from.written, bytes);
  else
    std::memset(to.written, 1, bytes);
}

void ProgramDevice::fill(const Place& to, unsigned char value, std::uint64_t bytes) {
  if (bytes == 0) return;
  std::memset(to.host, value, bytes);
  note_written(to, bytes);
}

void ProgramDevice::note_written(const Place& to, std::uint64_t bytes) {
  if (to.written && is_checked_) std::memset(to.written, 1, bytes);
}

// --- modules ---------------------------------------------------------------------------------

ProgramModule& ProgramDevice::add_module(std::string binary) {
  modules_.emplace_back().binary = std::move(binary);
  return modules_.back();
}

void ProgramDevice::remove_module(ProgramModule& module) {
  if (module.is_loaded && module.problem.empty()) {
    Writer writer;
    writer.put(module.number);
    Header header;
    std::string answer;
    ask(Request::unload, writer.bytes(), header, answer);
  }
  std::erase_if(symbols_, [&](const auto& symbol) { return symbol.second == &module; });
  for (const std::uint64_t offset : module.image_offsets)
    give_room(offset, pages_of(module.image_bytes));
  modules_.remove_if([&](const ProgramModule& one) { return &one == &module; });
}

bool ProgramDevice::load(ProgramModule& module) {
  if (module.is_loaded) return module.problem.empty();
  module.is_loaded = true;
  processor();  // heddle has a device from then on
  Header header;
  std::string answer;
  ask(Request::load, module.binary, header, answer);
  Reader reader(answer);
  if (header.kind != static_cast<std::uint32_t>(Status::done)) {
    module.problem = answer.empty() ? "heddle has gone" : answer;
    tell(module.problem);
    return false;
  }
  module.number = reader.get<std::uint32_t>();
  module.kernels.resize(reader.get<std::uint32_t>());
  for (Kernel& kernel : module.kernels) {
    kernel.name = reader.get_text();
    for (std::uint32_t* value : {&kernel.lds_bytes, &kernel.scratch_bytes, &kernel.registers,
                                 &kernel.most_threads, &kernel.argument_bytes})
      *value = reader.get<std::uint32_t>();
    kernel.arguments.resize(reader.get<std::uint32_t>());
    for (Argument& argument : kernel.arguments) argument = reader.get<Argument>();
  }
  module.variables.resize(reader.get<std::uint32_t>());
  for (Variable& variable : module.variables) {
    variable.name = reader.get_text();
    for (std::uint64_t* value : {&variable.address, &variable.offset, &variable.bytes})
      *value = reader.get<std::uint64_t>();
  }
  const std::string_view image = reader.get_text();
  if (image.empty()) return true;
  module.image_bytes = image.size();
  for (unsigned i = 0; i < devices_; ++i) {
    const auto room = take_room(pages_of(image.size()), i);
    if (!room) {
      module.problem = "there is no memory left for the variables of a module";
      tell(module.problem);
      return false;
    }
    module.image_offsets.push_back(*room);
    std::memcpy(memory_ + *room, image.data(), image.size());
  }
  for (const Variable& variable : module.variables) note_symbol(variable, module);
  return make_managed(module);
}

// Allocates the module's managed variables. The host and the device each have a pointer to such a
// variable; both are set here.
bool ProgramDevice::make_managed(ProgramModule& module) {
  for (const ProgramModule::Managed& managed : module.managed) {
    const Allocation* made = allocate(managed.bytes, MemoryKind::managed);
    const Variable* pointer = module.find_variable(managed.name);
    if (!made) {
      module.problem = "there is no memory left for " + managed.name;
      return false;
    }
    *managed.host = reinterpret_cast<void*>(made->address);
    std::memcpy(*managed.host, managed.initial, managed.bytes);
    if (pointer && pointer->bytes == 8)
      for (const std::uint64_t offset : module.image_offsets)
        std::memcpy(memory_ + offset + pointer->offset, &made->address, 8);
  }
  return true;
}

void ProgramDevice::note_symbol(const Variable& variable, ProgramModule& module) {
  symbols_[variable.address] = &module;
}

// --- launches --------------------------------------------------------------------------------

LaunchOutcome ProgramDevice::launch(ProgramModule& module, const Kernel& kernel,
                                    std::array<std::uint32_t, 3> grid,
                                    std::array<std::uint32_t, 3> block, std::uint32_t lds_bytes,
                                    const std::string& arguments, bool is_cooperative) {
  LaunchRequest request;
  request.module = module.number;
  request.kernel = static_cast<std::uint32_t>(&kernel - module.kernels.data());
  request.grid = grid;
  request.block = block;
  request.lds_bytes = lds_bytes;
  const Variable* printed = module.find_variable(printed_variable);
  request.is_in_order = printed ? 1 : 0;  // what is printed has an order
  request.variables_offset = module.image_offsets.empty() ? 0 : module.image_offsets[current()];
  request.variables_bytes = module.image_bytes;
  request.buffers = static_cast<std::uint32_t>(slots_.size());
  request.argument_bytes = static_cast<std::uint32_t>(arguments.size());
  Writer writer;
  writer.put(request);
  std::vector<BufferEntry> slots = slots_;
  for (const auto& [address, one] : allocations_)
    if (one.kind == MemoryKind::device && !has_access(current(), one.device)) {
      slots[one.slot].bytes = 0;
      slots[one.slot].device = static_cast<std::uint8_t>(one.device + 1);
    }
  for (const BufferEntry& slot : slots) writer.put(slot);
  const Variable* barrier = module.find_variable(grid_barrier_variable);
  if (barrier) {
    const std::array<std::uint32_t, 3> initial{is_cooperative ? 1u : 0u, 0, 0};
    std::memcpy(image_of(module) + barrier->offset, initial.data(), sizeof initial);
  }
  Header header;
  std::string answer;
  copy_registered(true);
  if (!ask(Request::launch, writer.bytes() + arguments, header, answer))
    return {Status::refused, "heddle has gone"};
  copy_registered(false);
  if (header.kind != static_cast<std::uint32_t>(Status::refused)) {
    const std::size_t end = std::min(answer.find('\n'), answer.size());
    if (end + 1 < answer.size()) {
      std::fputs(answer.c_str() + end + 1, stdout);
      std::fflush(stdout);
    }
    answer.resize(end);
  }
  if (printed) print(module);
  if (barrier && !is_cooperative && header.kind == static_cast<std::uint32_t>(Status::fault))
    tell(
        "the source of this kernel lets the blocks of a grid wait for each other (sync() of a "
        "grid_group), and this launch is not cooperative: hipLaunchCooperativeKernel makes one");
  return {static_cast<Status>(header.kind), answer};
}

bool ProgramDevice::compile(std::string_view source, std::string_view options,
                            const HeaderTexts& headers, std::string& code, std::string& log) {
  processor();
  Writer writer;
  writer.put_text(source);
  writer.put_text(options);
  writer.put(static_cast<std::uint32_t>(headers.size()));
  for (const auto& [name, text] : headers) {
    writer.put_text(name);
    writer.put_text(text);
  }
  Header header;
  std::string answer;
  ask(Request::compile, writer.bytes(), header, answer);
  const bool done = header.kind == static_cast<std::uint32_t>(Status::done);
  (done ? code : log) = answer;
  return done;
}

}  // namespace heddle::program
