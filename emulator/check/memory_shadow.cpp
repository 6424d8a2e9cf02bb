#include "emulator/check/memory_shadow.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace heddle::emulator::check {

void ScratchShadow::start(uint64_t bytes) {
  undefined_.assign(bytes == 0 ? 0 : (bytes + 7) / 8 + 8, 0xff);
}

uint16_t ScratchShadow::load(uint64_t offset, uint32_t bytes) const {
  uint32_t word;
  std::memcpy(&word, undefined_.data() + offset / 8, 4);
  return static_cast<uint16_t>(word >> offset % 8 & ((1u << bytes) - 1));
}

void ScratchShadow::store(uint64_t offset, uint32_t bytes, uint16_t undefined) {
  const uint32_t mask = ((1u << bytes) - 1) << offset % 8;
  uint32_t word;
  std::memcpy(&word, undefined_.data() + offset / 8, 4);
  word = (word & ~mask) | (uint32_t{undefined} << offset % 8 & mask);
  std::memcpy(undefined_.data() + offset / 8, &word, 4);
}

GlobalShadow::GlobalShadow(const AddressSpace& memory) {
  for (uint32_t i = first_buffer_region; i < memory.region_count(); ++i) {
    const Region& region = memory.regions()[i];
    if (memory.is_initialised(i) || region.size == 0) continue;
    buffers_.push_back(
        {region.base, region.size, std::make_unique<uint8_t[]>(region.size), memory.written(i)});
  }
}

void GlobalShadow::clear() {
  for (Buffer& buffer : buffers_)
    if (buffer.owners)
      std::memcpy(buffer.written.get(), buffer.owners, buffer.size);
    else
      std::memset(buffer.written.get(), 0, buffer.size);
}

void GlobalShadow::keep() const {
  for (const Buffer& buffer : buffers_)
    if (buffer.owners) std::memcpy(buffer.owners, buffer.written.get(), buffer.size);
}

uint64_t GlobalShadow::bytes_of(const AddressSpace& memory) {
  uint64_t bytes = 0;
  for (uint32_t i = first_buffer_region; i < memory.region_count(); ++i)
    if (!memory.is_initialised(i)) bytes += memory.regions()[i].size;
  return bytes;
}

const GlobalShadow::Buffer* GlobalShadow::find(uint64_t address) const {
  for (const Buffer& buffer : buffers_)
    if (address - buffer.base < buffer.size) return &buffer;
  return nullptr;
}

bool GlobalShadow::is_kept(uint64_t address) const {
  const Buffer* const buffer = find(address);
  return buffer && buffer->owners;
}

uint64_t GlobalShadow::load(uint64_t address, uint32_t bytes) const {
  const Buffer* buffer = find(address);
  if (!buffer) return 0;
  uint64_t unwritten = 0;
  const uint64_t first = address - buffer->base;
  for (uint64_t i = 0; i < bytes && first + i < buffer->size; ++i) {
    // Flags are read atomically, byte by byte, since another workgroup may be setting them
    // meanwhile.
    const std::atomic_ref<uint8_t> written(buffer->written[first + i]);
    if (!written.load(std::memory_order_relaxed)) unwritten |= uint64_t{1} << i;
  }
  return unwritten;
}

void GlobalShadow::store(uint64_t address, uint32_t bytes, uint64_t unwritten) {
  const Buffer* buffer = find(address);
  if (!buffer) return;
  const uint64_t first = address - buffer->base;
  for (uint64_t i = 0; i < bytes && first + i < buffer->size; ++i)
    std::atomic_ref<uint8_t>(buffer->written[first + i])
        .store(i < 64 && (unwritten >> i & 1) ? 0 : 1, std::memory_order_relaxed);
}

}  // namespace heddle::emulator::check
