#include "emulator/check/sharing.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace heddle::emulator::check {
namespace {

// The limit on the size of the table of owners of one buffer, which has an entry for each group of
// bytes. A larger buffer has larger groups. Waves that use neighbouring bytes may then seem to
// share memory; the last run, which follows all accesses, finds out that they do not.
constexpr uint64_t most_owners = uint64_t{1} << 24;

constexpr uint64_t several = 0xffffffffu;

}  // namespace

Sharing::Sharing(const AddressSpace& memory)
    : memory_(memory), buffers_(memory.region_count() - first_written_region) {
  for (uint32_t i = 0; i < buffers_.size(); ++i)
    if (memory.is_writable(first_written_region + i))
      buffers_[i].region = memory.regions()[first_written_region + i];
}

// Copies of all buffers, twice, and the owners of words.
uint64_t Sharing::bytes() const {
  uint64_t bytes = 0;
  for (const Buffer& buffer : buffers_)
    bytes += 2 * buffer.region.size +
             std::min(2 * buffer.region.size, most_owners * sizeof(std::atomic<uint64_t>));
  return bytes;
}

void Sharing::begin(Look look) {
  look_ = look;
  stopped_ = restart_ = shared_ = false;
  for (Buffer& buffer : buffers_) {
    buffer.read = false;
    buffer.owners.reset();
    if (buffer.written && look != Look::none) make_owners(buffer);
  }
}

void Sharing::make_owners(Buffer& buffer) {
  buffer.shift = look_ == Look::lines ? 6 : 2;
  while ((buffer.region.size >> buffer.shift) >= most_owners) ++buffer.shift;
  const uint64_t count = (buffer.region.size >> buffer.shift) + 1;
  buffer.owners.reset(
      static_cast<std::atomic<uint64_t>*>(std::calloc(count, sizeof(std::atomic<uint64_t>))));
  if (!buffer.owners) found_shared();  // nobody knows that they do not
}

void Sharing::first_write(Buffer& buffer) {
  const std::lock_guard lock(mutex_);
  if (buffer.written) return;
  if (!no_copy_) {
    buffer.before.reset(new (std::nothrow) std::byte[buffer.region.size]);
    if (buffer.before)
      std::memcpy(buffer.before.get(), buffer.region.host, buffer.region.size);
    else
      no_copy_ = true;
  }
  if (look_ != Look::none) make_owners(buffer);
  buffer.written = true;
  if (buffer.read) restart_ = true;
  if (buffer.read && !no_copy_) stopped_ = true;
}

void Sharing::use(uint64_t wave, uint64_t address, uint64_t bytes, bool writes) {
  if (shared_.load(std::memory_order_relaxed)) return;
  Buffer* const buffer = find(address);
  if (!buffer || !buffer->owners) return;
  const uint64_t self = (wave + 1) & 0x7fffffffu;
  const uint64_t first = (address - buffer->region.base) >> buffer->shift;
  const uint64_t last = (address + bytes - 1 - buffer->region.base) >> buffer->shift;
  for (uint64_t i = first; i <= last; ++i) {
    std::atomic<uint64_t>& owners = buffer->owners[i];
    uint64_t old = owners.load(std::memory_order_relaxed), now;
    if (writes && old >> 32 == self && (old & several) == 0) continue;
    do {
      const uint64_t writer = old >> 32, reader = old & several;
      const bool others_read = reader != 0 && reader != self;
      if ((writer != 0 && writer != self) || (writes && others_read)) return found_shared();
      now = writes ? self << 32 | reader : writer << 32 | (others_read ? several : self);
    } while (now != old && !owners.compare_exchange_weak(old, now));
  }
}

void Sharing::restore() {
  for (Buffer& buffer : buffers_)
    if (buffer.before) std::memcpy(buffer.region.host, buffer.before.get(), buffer.region.size);
}

}  // namespace heddle::emulator::check
