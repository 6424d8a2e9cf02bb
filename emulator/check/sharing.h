// Which buffers a checked launch writes, and whether its waves share memory that one of them
// writes.
//
// Most kernels read some buffers and write others, each wave its own part. For these no reads have
// to be remembered, and their waves cannot race. So a run begins as if no buffer were written. If a
// buffer is written that was read before, the run begins again and looks at reads of that buffer.
// If several waves use memory, the next run follows all accesses (check/races.h).
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
  // Bytes of the host that it may take.
  uint64_t bytes() const;
  // There is no memory for copies of the buffers.
  void keep_none() { no_copy_ = true; }

  // The granularity at which a run looks for sharing: cache lines, words, or none, because all
  // accesses are followed.
  enum class Look : uint8_t { lines, words, none };
  void begin(Look look);
  // The run is over for its purpose: the one after it knows more.
  bool is_stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // A buffer was written after reads of it had been let pass.
  bool must_restart() const { return restart_; }
  // Two waves use the same bytes (as closely as was looked), and one of them writes.
  bool is_shared() const { return shared_; }
  // Whether a run can begin anew: false where there are no copies of the buffers.
  bool has_copies() const { return !no_copy_; }

  // To be told before an access of memory. Of a read: whether it matters.
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
  // The wave with this number in the launch reads or writes consecutive bytes of a buffer that is
  // written.
  void use(uint64_t wave, uint64_t address, uint64_t bytes, bool writes);
  // A scalar access. The scalar cache does not even show what its own wave writes by other
  // instructions. Memory written through it counts as shared, since its other users have no numbers
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
  // For each group of bytes: its writer in the upper word, its reader in the lower one. 0 means
  // nobody, all ones several waves, and other numbers are the wave's number plus 1.
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
