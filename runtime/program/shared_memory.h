// The memory of the devices: a file without a name, which the system keeps in memory. The program
// and heddle both map this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/files/file_descriptor.h"

namespace heddle::program {

/// The mapping of the file in heddle. The file is sealed, so that no process can shorten it. If the
/// file were shortened, a process that accesses the missing part would be ended.
class SharedMemory {
 public:
  explicit SharedMemory(unsigned devices = 1);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// False if the system had no memory.
  bool is_there() const { return memory_ != nullptr; }
  int file() const { return file_.number(); }
  /// The `count` bytes from `offset` on. Empty if they are not all inside the memory of the
  /// devices.
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
