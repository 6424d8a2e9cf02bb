// The memory of the device, a file in memory that the program and heddle have mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/files/file_descriptor.h"

namespace heddle::program {

/// heddle's mapping of it. No process can shorten the file, which would end every process that
/// touches the memory.
class SharedMemory {
 public:
  explicit SharedMemory(unsigned devices = 1);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// False if the system had no memory.
  bool is_there() const { return memory_ != nullptr; }
  int file() const { return file_.number(); }
  /// `count` bytes from `offset`; empty if they are not all in the memory of the device.
  std::span<std::byte> bytes(std::uint64_t offset, std::uint64_t count) const;
  /// The marks of the bytes from `offset`, which is inside the memory: not 0 for a byte that was
  /// written.
  std::uint8_t* written(std::uint64_t offset) const;

 private:
  std::uint64_t bytes_;  // of all devices, without the marks
  runtime::Descriptor file_;
  std::byte* memory_ = nullptr;
};

}  // namespace heddle::program
