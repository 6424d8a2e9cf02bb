// The requests of a program about its modules, read as from anybody: whatever a message holds, each
// is answered or refused, and no launch reaches memory that is not the device's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/program/protocol.h"
#include "runtime/program/shared_memory.h"

namespace heddle::program {

/// At a time. A program that loads one module after the other unloads them, too.
inline constexpr std::size_t most_modules = 4096;

/// The variables that hold what kernels print and allocate, in whatever order they came. Of a
/// module that has both, what lies between them too.
emulator::Launch::Range unordered_of(std::span<const emulator::DeviceVariable> variables);

class ServedModules {
 public:
  /// `device` is for `processor`, and `own` has the kernels of the program's sources, which it
  /// names by their numbers; both live longer than this.
  ServedModules(runtime::Device& device, std::string processor,
                std::span<const std::vector<std::byte>> own)
      : device_(device), processor_(std::move(processor)), own_(own) {}

  /// Request::load: the number of the module that is there now. Error: why there is none.
  std::expected<std::uint32_t, std::string> load(std::string_view bytes);
  /// Request::unload. False: there is none of that number.
  bool unload(std::string_view bytes);

  /// What the program is told about a module: its number; for each kernel name, sizes and
  /// arguments; variables; and their first bytes. ProgramDevice::load reads it.
  std::string description(std::uint32_t number) const;

  /// A launch that a program asks for.
  struct Asked {
    std::uint32_t module = 0;
    emulator::Launch launch;
  };
  /// Request::launch: nothing where the request contradicts itself or the module. `checked`: with
  /// the marks of what somebody wrote. The launch is of `memory`.
  std::optional<Asked> launch_of(std::string_view bytes, const SharedMemory& memory,
                                 bool checked) const;

  /// Precondition: a number that load() gave and nobody unloaded.
  runtime::Module& operator[](std::uint32_t number) const { return *modules_[number].module; }
  /// The bytes that it was loaded from: of PTX its text.
  std::string_view text(std::uint32_t number) const { return modules_[number].text; }

 private:
  struct Served {
    std::unique_ptr<runtime::Module> module;  // null: unloaded
    std::string text;
  };

  bool is_there(std::uint32_t number) const {
    return number < modules_.size() && modules_[number].module;
  }

  runtime::Device& device_;
  std::string processor_;
  std::span<const std::vector<std::byte>> own_;
  std::vector<Served> modules_;
};

}  // namespace heddle::program
