// Remembers which bytes of scratch and of output buffers were never written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/machine/address_space.h"

namespace heddle::emulator::check {

// A bit for each byte of the scratch of a workgroup: whether it is undefined. The bytes of one lane
// follow those of the lane before. At the start all are undefined.
class ScratchShadow {
 public:
  void start(uint64_t bytes);
  // Of up to 16 bytes at `offset`, those that are undefined: a bit for each.
  uint16_t load(uint64_t offset, uint32_t bytes) const;
  void store(uint64_t offset, uint32_t bytes, uint16_t undefined);

 private:
  std::vector<uint8_t> undefined_;
};

// Records which bytes were written, for the buffers that a launch declares as not initialised. All
// threads of the host share it.
class GlobalShadow {
 public:
  explicit GlobalShadow(const AddressSpace& memory);
  // Resets to the state before the launch: only bytes that were written before it count as written.
  void clear();
  // Copies the record of written bytes to those buffers that keep it after the launch
  // (emulator::Buffer::written).
  void keep() const;
  // Bytes of the host that it takes.
  static uint64_t bytes_of(const AddressSpace& memory);

  // True if there is no such buffer.
  bool is_empty() const { return buffers_.empty(); }
  // True if the buffer that contains the address remains after the launch, because a program with
  // several launches owns it.
  bool is_kept(uint64_t address) const;
  // Of up to 64 bytes at `address`, those that were never written: a bit for each.
  uint64_t load(uint64_t address, uint32_t bytes) const;
  // Records a store to `bytes` bytes. A byte whose stored value was itself never written still
  // counts as not written: `unwritten` has a bit for each such byte among the first 64.
  void store(uint64_t address, uint32_t bytes, uint64_t unwritten = 0);

 private:
  struct Buffer {
    uint64_t base, size;
    std::unique_ptr<uint8_t[]> written;
    uint8_t* owners = nullptr;  // emulator::Buffer::written
  };
  const Buffer* find(uint64_t address) const;
  std::vector<Buffer> buffers_;
};

}  // namespace heddle::emulator::check
