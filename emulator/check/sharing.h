// Finds out which buffers a checked launch writes, and whether its waves share memory that one of
// them writes.
//
// Most kernels read some buffers and write others, and each wave writes separate memory. Such waves
// cannot race, and for such buffers no reads have to be remembered. So:
// - A run begins as if no buffer were written, and remembers no reads.
// - If a buffer is written that was read before, the run begins again and remembers reads of this
// buffer.
// - If several waves use the same cache line and one writes it, the next run looks at words. If
// waves share a word too, the run after it follows all accesses (check/races.h).
#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "emulator/machine/address_space.h"

namespace heddle::emulator::check {

class Sharing {
 public:
  explicit Sharing(const AddressSpace& memory);
  // The most bytes of the host that this object takes.
  uint64_t bytes() const;
  // Call if the host has no memory for copies of the buffers. The run can then not begin again.
  void keep_none() { no_copy_ = true; }

  // The granularity at which a run looks for memory that waves share: cache lines or words. `none`:
  // the run does not look for it, since it follows all accesses.
  enum class Look : uint8_t { lines, words, none };
  void begin(Look look);
  // True if the rest of this run is useless, since it will be repeated with more knowledge.
  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // True if this run wrote a buffer that it had read before without remembering the reads: it must
  // begin again.
  bool must_restart() const { return restart_; }
  // True if two waves use the same bytes (at the granularity of this run), and one of them writes.
  bool is_shared() const { return shared_; }
  // True if a run can begin again, because there are copies of the buffers.
  bool has_copies() const { return !no_copy_; }

  // Call read() before a read, and write() before a write. read() returns true if the caller must
  // also record the read by use().
  bool read(uint64_t address) {
    Buffer* const buffer = find(address);
    if (!buffer) return false;
    if (!buffer->read.load(std::memory_order_relaxed)) buffer->read = true;
    return buffer->written;
  }
  void write(uint64_t address) {
    Buffer* const buffer = find(address);
    if (buffer && !buffer->written) first_write(*buffer);
  }
  // Records that wave number `wave` of the launch reads or writes consecutive bytes of a buffer.
  // Call it only for buffers that are written.
  void use(uint64_t wave, uint64_t address, uint64_t bytes, bool writes);
  // Records an access through the scalar cache. That cache does not show even what its own wave
  // writes by vector instructions, so it counts as a separate wave. Memory that is written through
  // it always counts as shared, since the waves that use the scalar cache are not distinguished
  // here.
  void use_scalar(uint64_t address, uint64_t bytes, bool writes) {
    constexpr uint64_t scalar_cache = 0x7ffffffd;
    use(scalar_cache, address, bytes, writes);
    if (writes) use(scalar_cache - 1, address, bytes, writes);
  }

  // Gives the buffers the values that they had before the launch.
  void restore();

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  // For each group of bytes, the wave that writes it (upper 32 bits) and the wave that reads it
  // (lower 32 bits): the number of the wave plus 1; 0 if there is none; all ones if there are
  // several.
  using Owners = std::unique_ptr<std::atomic<uint64_t>[], Free>;
  struct Buffer {
    Region region;
    std::atomic<bool> read = false, written = false;
    std::unique_ptr<std::byte[]> before;
    Owners owners;
    int shift = 2;  // log2 of the bytes of a group
  };

  Buffer* find(uint64_t address) {
    const uint64_t index = memory_.region_at(address) - first_written_region;
    return index < buffers_.size() ? &buffers_[index] : nullptr;
  }
  void first_write(Buffer& buffer);
  void make_owners(Buffer& buffer);
  void found_shared() {
    shared_ = true;
    if (!no_copy_) stopped_ = true;
  }

  const AddressSpace& memory_;
  std::vector<Buffer> buffers_;
  std::mutex mutex_;
  Look look_ = Look::none;
  std::atomic<bool> stopped_ = false, restart_ = false, shared_ = false, no_copy_ = false;
};

}  // namespace heddle::emulator::check
