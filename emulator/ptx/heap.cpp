#include "emulator/ptx/heap.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace heddle::emulator::ptx {

void Heap::Free::operator()(void* memory) const { std::free(memory); }

// calloc provides pages on first use, so pages that no thread uses cost nothing.
Heap::Heap() : memory_(static_cast<std::byte*>(std::calloc(size, 1))) {
  if (!memory_) throw std::bad_alloc();
}

uint64_t Heap::take(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const uint64_t wanted = (std::clamp<uint64_t>(bytes, 1, size + 1) + 15) / 16 * 16;
  if (wanted > size - used_) return 0;
  given_.insert(address + used_);
  used_ += wanted;
  return address + used_ - wanted;
}

bool Heap::give_back(uint64_t taken) {
  const std::lock_guard lock(mutex_);
  return given_.erase(taken) != 0;
}

}  // namespace heddle::emulator::ptx
