// Serves a program's requests about its modules. A request may come from anybody: each is answered
// or refused, and no launch reaches memory outside the memory of the devices.
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

/// The most modules at a time. A program that loads many must unload some.
inline constexpr std::size_t most_modules = 4096;

/// The range of a module's image with the variables of printf and malloc, to which kernels write in
/// any order. If a module has both variables, the range includes everything between them.
emulator::Launch::Range unordered_of(std::span<const emulator::DeviceVariable> variables);

class ServedModules {
 public:
  /// `device` runs the launches; it is a device for `processor`. `own` has the compiled kernels of
  /// each source of the program; the program names them by the number of the source. `device` and
  /// `own` must outlive this object.
  ServedModules(runtime::Device& device, std::string processor,
                std::span<const std::vector<std::byte>> own)
      : device_(device), processor_(std::move(processor)), own_(own) {}

  /// Request::load: returns the number of the loaded module. Error: the reason for a failure.
  std::expected<std::uint32_t, std::string> load(std::string_view bytes);
  /// Request::unload: returns false if no module has that number.
  bool unload(std::string_view bytes);

  /// The description of a module for the program: its number; the name, sizes and arguments of each
  /// kernel; its variables; and their initial bytes. ProgramDevice::load reads it.
  std::string description(std::uint32_t number) const;

  /// A launch that a program requests.
  struct Asked {
    std::uint32_t module = 0;
    emulator::Launch launch;
  };
  /// Reads Request::launch. Returns nothing if the request contradicts itself or the module.
  /// `checked`: the launch also marks the bytes that it writes. The kernel will read and write
  /// `memory` in place.
  std::optional<Asked> launch_of(std::string_view bytes, const SharedMemory& memory,
                                 bool checked) const;

  /// Precondition: load() returned `number` and it was not unloaded since.
  runtime::Module& operator[](std::uint32_t number) const { return *modules_[number].module; }
  /// The bytes that the module was loaded from; for PTX its text.
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
