// What the imitations of GPU libraries share: the log of calls, settings by environment variables,
// and memory of the host that stands for a GPU's.
//
// Every call is written, one line each, to the file that HEDDLE_IMITATION_CALLS names.
// HEDDLE_IMITATION_FAILS names a function that then answers error 999; HEDDLE_IMITATION_GPUS is the
// number of GPUs (1).
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "emulator/run/run.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace heddle::imitation {

inline std::map<std::byte*, std::size_t>& allocations() {
  static std::map<std::byte*, std::size_t> all;
  return all;
}

inline const char* setting(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

/// Writes the call down; its answer.
inline int called(const std::string& function, const std::string& arguments = "") {
  const bool fails = function == setting("HEDDLE_IMITATION_FAILS", "");
  if (std::FILE* log = std::fopen(setting("HEDDLE_IMITATION_CALLS", "/dev/null"), "a")) {
    std::fprintf(log, "%s%s%s%s\n", function.c_str(), arguments.empty() ? "" : " ",
                 arguments.c_str(), fails ? " FAILS" : "");
    std::fclose(log);
  }
  return fails ? 999 : 0;
}

inline std::string name_of(const std::byte* first) {
  return std::to_string(reinterpret_cast<std::uintptr_t>(first));
}

/// An argument as the kernel gets it: a pointer into an allocation stays one.
inline emulator::Argument argument_of(const emulator::KernelArgument& kind, const void* place) {
  if (kind.size == 8) {
    std::byte* pointer = nullptr;
    std::memcpy(&pointer, place, 8);
    for (const auto& [first, size] : allocations())
      if (pointer >= first && pointer <= first + size)
        return emulator::BufferAddress{name_of(first), static_cast<std::uint64_t>(pointer - first)};
  }
  const auto* bytes = static_cast<const std::byte*>(place);
  return emulator::Value(bytes, bytes + kind.size);
}

/// A kernel of a loaded module, as the library's handles of functions mean it. A name's handle
/// stays the same.
template <class Module>
struct Function {
  const Module* module;
  std::string name;

  static Function* of(void* module, const char* name) {
    static std::map<std::string, std::unique_ptr<Function>> functions;
    auto& found = functions[name];
    found = std::make_unique<Function>(Function{static_cast<Module*>(module), name});
    return found.get();
  }
};

/// All memory as the buffers of a launch.
inline void add_allocations(emulator::Launch& launch) {
  for (const auto& [first, size] : allocations())
    launch.buffers.push_back({{first, size}, name_of(first)});
}

inline void* allocate(std::size_t bytes) {
  auto* memory = static_cast<std::byte*>(std::malloc(bytes));
  allocations()[memory] = bytes;
  return memory;
}
inline void release(void* memory) {
  allocations().erase(static_cast<std::byte*>(memory));
  std::free(memory);
}

}  // namespace heddle::imitation
