// Arrays of pointers: while a kernel runs, words of buffers hold addresses of buffers. Each device
// has its own addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "emulator/record/launch.h"

namespace heddle::runtime {

/// The 8 bytes at `at` hold the address of `to`, or the null pointer if `to` names no buffer. Both
/// buffers are among Launch::buffers.
struct StoredAddress {
  emulator::BufferAddress at, to;
};

/// Writes the addresses into the caller's memory. Its destructor restores every word that still
/// holds its address; a pointer that the kernel has changed stays changed.
class StoredAddresses {
 public:
  using AddressOf = std::function<std::uint64_t(const emulator::BufferAddress&)>;

  /// Ignores words outside of their buffers. `launch` must outlive this object.
  StoredAddresses(const emulator::Launch& launch, std::span<const StoredAddress> addresses,
                  const AddressOf& address_of);
  StoredAddresses(const StoredAddresses&) = delete;
  StoredAddresses& operator=(const StoredAddresses&) = delete;
  ~StoredAddresses();

 private:
  struct Word {
    std::byte* place;
    std::uint64_t before, address;
  };
  std::vector<Word> words_;
};

/// The addresses of Launch::buffers on the emulator and the simulator.
std::uint64_t emulated_address(const emulator::Launch& launch, const emulator::BufferAddress& of);

}  // namespace heddle::runtime
