// The memory of the device that a program and heddle share: a file in memory that both have mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/files/file_descriptor.h"

namespace heddle::program {

/// heddle's side of it. No process can make the file shorter, which would end whoever touches the
/// memory.
class SharedMemory {
 public:
  SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// False where the system gives no memory.
  bool is_there() const { return memory_ != nullptr; }
  int file() const { return file_.number(); }
  /// `count` bytes from `offset`; empty when they reach out of the memory of the device.
  std::span<std::byte> bytes(std::uint64_t offset, std::uint64_t count) const;
  /// The marks of such bytes: which of them somebody wrote. `offset` is inside the memory.
  std::uint8_t* written(std::uint64_t offset) const;

 private:
  runtime::Descriptor file_;
  std::byte* memory_ = nullptr;
};

}  // namespace heddle::program
