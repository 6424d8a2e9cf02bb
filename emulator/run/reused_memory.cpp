#include "emulator/run/reused_memory.h"

#include <mutex>
#include <new>
#include <vector>

namespace heddle::emulator {
namespace {

constexpr std::align_val_t alignment{128};

// The blocks of memory that no launch uses at the moment, the oldest first.
class Pool {
 public:
  std::byte* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = kept_.size(); i-- > 0;) {
      if (kept_[i].bytes != bytes) continue;
      std::byte* const found = kept_[i].data;
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
      bytes_ -= bytes;
      return found;
    }
    return nullptr;
  }

  // Keeps a block for reuse. False if it is too large or there is no memory to note it; then the
  // caller frees the block.
  bool give(std::byte* data, std::size_t bytes) try {
    if (bytes > most_bytes) return false;
    const std::lock_guard lock(mutex_);
    while (!kept_.empty() && (bytes_ + bytes > most_bytes || kept_.size() >= most_pieces)) {
      bytes_ -= kept_.front().bytes;
      ::operator delete(kept_.front().data, alignment);
      kept_.erase(kept_.begin());
    }
    kept_.push_back({data, bytes});
    bytes_ += bytes;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{64} << 20, most_pieces = 256;
  struct Piece {
    std::byte* data;
    std::size_t bytes;
  };
  std::mutex mutex_;
  std::vector<Piece> kept_;
  std::size_t bytes_ = 0;
};

// The pool is never destroyed, because threads may still run when static objects are destroyed.
Pool& pool() {
  static Pool* const only = new Pool;
  return *only;
}

}  // namespace

ReusedMemory::ReusedMemory(std::size_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  data_ = pool().take(bytes);
  if (!data_) data_ = static_cast<std::byte*>(::operator new(bytes, alignment));
}

ReusedMemory::~ReusedMemory() {
  if (data_ && !pool().give(data_, size_)) ::operator delete(data_, alignment);
}

}  // namespace heddle::emulator
