// The heap of a launch, for malloc and free in kernels. It has 8 MiB, as CUDA's default (CUDA C++
// Programming Guide 13.0, "Dynamic Global Memory Allocation and Operations").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>

#include "emulator/machine/memory.h"

namespace heddle::emulator::ptx {

constexpr uint32_t heap_region = packet_region;  // PTX has no packet

class Heap {
 public:
  static constexpr uint64_t size = uint64_t{8} << 20;
  static constexpr uint64_t address = region_start(heap_region);

  Heap();
  std::span<std::byte> bytes() { return {memory_.get(), size}; }
  // Allocates memory: returns an address that is a multiple of 16, or 0 if too little is left.
  // Freed memory is not reused.
  uint64_t take(uint64_t bytes);
  // Frees memory. False if take() has not returned this address, or if it was freed before.
  bool give_back(uint64_t taken);

 private:
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<std::byte[], Free> memory_;
  std::mutex mutex_;
  uint64_t used_ = 0;
  std::set<uint64_t> given_;
};

}  // namespace heddle::emulator::ptx
