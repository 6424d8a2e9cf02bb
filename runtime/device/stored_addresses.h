// Arrays of pointers: the caller's buffers contain addresses of other buffers while a kernel runs.
// Addresses differ between devices, so they are stored for each launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "emulator/record/launch.h"

namespace heddle::runtime {

/// While a kernel runs, the 8 bytes at `at` hold the address of `to`, or the null pointer if `to`
/// names no buffer. The buffers of `at` and of `to` are among Launch::buffers.
struct StoredAddress {
  emulator::BufferAddress at, to;
};

/// Writes the addresses into the caller's memory. The destructor restores every word that still
/// holds the address that was written. A pointer that the kernel has changed stays changed.
class StoredAddresses {
 public:
  using AddressOf = std::function<std::uint64_t(const emulator::BufferAddress&)>;

  /// A word outside of its buffer is ignored. `launch` and its buffers must outlive this object.
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
