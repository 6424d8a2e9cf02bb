// The device as a program's host code sees it: memory, modules, and launches, which heddle
// executes. hip_api.cpp and registration.cpp turn these into HIP's and CUDA's functions.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/program/protocol.h"

namespace heddle::program {

struct Argument {
  std::uint32_t offset = 0, bytes = 0;
};

struct Kernel {
  std::string name;  // the symbol
  std::uint32_t lds_bytes = 0, scratch_bytes = 0, registers = 0, most_threads = 0;
  std::uint32_t argument_bytes = 0;
  std::vector<Argument> arguments;
};

struct Variable {
  std::string name;
  std::uint64_t address = 0, offset = 0, bytes = 0;
};

struct ProgramModule {
  std::string binary;  // the code that heddle is asked to load
  bool is_loaded = false;
  std::string problem;  // the reason why it cannot be loaded
  std::uint32_t number = 0;
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;
  std::vector<std::uint64_t> image_offsets;  // in the memory of each device
  std::uint64_t image_bytes = 0;
  // A __managed__ variable. Its memory is allocated when the module is loaded.
  struct Managed {
    void** host;
    const void* initial;
    std::string name;
    std::uint64_t bytes;
  };
  std::vector<Managed> managed;

  const Kernel* find_kernel(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

enum class MemoryKind : std::uint8_t { device, host, managed };

struct Allocation {
  std::uint64_t address = 0, bytes = 0, offset = 0;
  std::uint32_t slot = 0, number = 0;
  unsigned device = 0;
  MemoryKind kind = MemoryKind::device;
  // Host memory that the program has registered for use by kernels. Kernels work on a copy of this
  // memory, which is made before a launch and copied back after the launch. Null: the allocation
  // has its own memory.
  std::byte* registered = nullptr;

  bool is_mapped() const { return kind != MemoryKind::device && !registered; }
};

/// The memory behind a pointer that a call of the program names: its address on the host, and its
/// allocation. Memory that only the host has, and variables of kernels, have no allocation.
struct Place {
  std::byte* host = nullptr;
  bool is_device = false;
  const Allocation* allocation = nullptr;
  std::uint8_t* written = nullptr;  // the marks of device memory
};

/// The headers that a source for hiprtc may include: their names and texts.
using HeaderTexts = std::vector<std::pair<std::string, std::string>>;

struct LaunchOutcome {
  Status status = Status::done;
  std::string message;
};

class ProgramDevice {
 public:
  /// The device of this process. If heddle did not start the process, it is null, and a message
  /// says so once.
  static ProgramDevice* get();

  unsigned devices() const { return devices_; }
  /// The device of this thread, from 0.
  static unsigned current();
  static void set_current(unsigned device);
  /// True if kernels of `device` may use memory of the device `other`.
  bool has_access(unsigned device, unsigned other) const {
    return device == other || accesses_.contains({device, other});
  }
  /// Allows or forbids that. Returns false if nothing changes.
  bool set_access(unsigned device, unsigned other, bool has);

  /// The name of the processor. If the user named none, heddle chooses one for which a module has
  /// code, at the first call.
  const std::string& processor();
  bool is_nvidia() { return processor().starts_with("sm_"); }
  std::recursive_mutex& mutex() { return mutex_; }

  /// Allocates memory; null if there is no room.
  const Allocation* allocate(std::uint64_t bytes, MemoryKind kind, std::byte* registered = nullptr);
  /// Frees an allocation; false if none begins there.
  bool free(const void* pointer);
  const Allocation* find(std::uint64_t address) const;
  /// The allocation for the registered host memory in which `memory` lies; null if there is none.
  const Allocation* find_registered(const void* memory) const;
  const Allocation* find(const void* pointer) const {
    return find(reinterpret_cast<std::uint64_t>(pointer));
  }
  std::uint64_t bytes_left() const;  // on the device of this thread

  /// The place of `bytes` bytes at `pointer`. If `pointer` is an address of the device and these
  /// bytes are not all in one allocation or variable, returns nothing and reports a mistake in the
  /// call named `call` to the user.
  std::optional<Place> find_place(const void* pointer, std::uint64_t bytes, const char* call) const;
  void copy(const Place& to, const Place& from, std::uint64_t bytes);
  void fill(const Place& to, unsigned char value, std::uint64_t bytes);
  /// Marks bytes as written.
  void note_written(const Place& to, std::uint64_t bytes);

  ProgramModule& add_module(std::string binary);
  void remove_module(ProgramModule& module);
  /// Asks heddle to load the module, unless it is loaded already. On failure returns false and sets
  /// module.problem.
  bool load(ProgramModule& module);
  /// Records the variable's address and its module.
  void note_symbol(const Variable& variable, ProgramModule& module);

  LaunchOutcome launch(ProgramModule& module, const Kernel& kernel,
                       std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                       std::uint32_t lds_bytes, const std::string& arguments, bool is_cooperative);
  /// Compiles a source. On success returns true and sets `code` to the code object; otherwise `log`
  /// has the compiler's messages.
  bool compile(std::string_view source, std::string_view options, const HeaderTexts& headers,
               std::string& code, std::string& log);

  /// Reports a mistake of the host code to the user and to heddle. heddle finds the source line of
  /// the call that is the mistake.
  void tell_mistake(const std::string& text) const;
  /// See MistakeRequest::is_launch.
  void set_launching(bool launching) { is_launching_ = launching; }

 private:
  bool is_launching_ = false;
  ProgramDevice() = default;
  std::byte* image_of(const ProgramModule& module) const {
    return memory_ + module.image_offsets[current()];
  }
  bool open(const char* text);
  bool choose(std::string_view binary);
  bool ask(Request request, std::string_view bytes, Header& header, std::string& answer) const;
  std::optional<std::uint64_t> take_room(std::uint64_t bytes, unsigned device);
  void give_room(std::uint64_t offset, std::uint64_t bytes);
  bool make_managed(ProgramModule& module);
  void print(ProgramModule& module);
  void copy_registered(bool to_kernels);
  std::string text_at(const ProgramModule& module, std::uint64_t address) const;
  const std::byte* bytes_at(const ProgramModule& module, std::uint64_t address,
                            std::uint64_t& left) const;

  int socket_ = -1, file_ = -1;
  bool is_checked_ = false;
  unsigned devices_ = 1;
  std::set<std::pair<unsigned, unsigned>> accesses_;
  std::string processor_;
  std::byte* memory_ = nullptr;
  std::uint8_t* written_ = nullptr;
  std::recursive_mutex mutex_;
  std::map<std::uint64_t, Allocation> allocations_;  // by address
  std::vector<BufferEntry> slots_;
  std::list<std::uint32_t> free_slots_;
  std::map<std::uint64_t, std::uint64_t> room_;  // offset and size of each free range
  std::uint32_t allocation_count_ = 0;
  std::list<ProgramModule> modules_;
  std::map<std::uint64_t, ProgramModule*> symbols_;  // by address of the variable
};

/// Writes the line "heddle: TEXT" to standard error.
void tell(const std::string& text);

}  // namespace heddle::program
