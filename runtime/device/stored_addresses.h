// Arrays of pointers: words of buffers that hold the addresses of buffers, which each device has of
// its own, while a kernel runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "emulator/record/launch.h"

namespace heddle::runtime {

/// The 8 bytes at `at` hold the address of `to`; of a `to` without a buffer's name the null
/// pointer. Both buffers are among Launch::buffers.
struct StoredAddress {
  emulator::BufferAddress at, to;
};

/// Writes the addresses into the caller's memory, and at its end puts what was there before into
/// every word that still holds its address: a pointer that the kernel has changed stays changed.
class StoredAddresses {
 public:
  using AddressOf = std::function<std::uint64_t(const emulator::BufferAddress&)>;

  /// Words outside of their buffers are left out. `launch` lives longer than this.
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
