// Which bytes of scratch and of output buffers nobody has written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/machine/address_space.h"

namespace heddle::emulator::check {

// A bit for each byte of the scratch of a workgroup's waves, lane after lane; all undefined at the
// start.
class ScratchShadow {
 public:
  void start(uint64_t bytes);
  // The undefined ones of up to 16 bytes, a bit each.
  uint16_t load(uint64_t offset, uint32_t bytes) const;
  void store(uint64_t offset, uint32_t bytes, uint16_t undefined);

 private:
  std::vector<uint8_t> undefined_;
};

// The buffers that a launch declares as not initialised, shared by all threads of the host.
class GlobalShadow {
 public:
  explicit GlobalShadow(const AddressSpace& memory);
  // Only the bytes that were written before the launch.
  void clear();
  // Tells the owners of the buffers what was written.
  void keep() const;
  // Bytes of the host that it takes.
  static uint64_t bytes_of(const AddressSpace& memory);

  // True if there is no such buffer.
  bool is_empty() const { return buffers_.empty(); }
  // Whether the buffer with the address lives on after the launch: a program's.
  bool is_kept(uint64_t address) const;
  // A bit for each of up to 64 bytes that was not written.
  uint64_t load(uint64_t address, uint32_t bytes) const;
  // `unwritten`: bytes of the store that nobody wrote either, a bit for each of the first 64.
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
