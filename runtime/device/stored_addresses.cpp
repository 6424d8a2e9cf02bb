#include "runtime/device/stored_addresses.h"

#include <algorithm>
#include <cstring>

#include "emulator/machine/address_space.h"

namespace heddle::runtime {

StoredAddresses::StoredAddresses(const emulator::Launch& launch,
                                 std::span<const StoredAddress> addresses,
                                 const AddressOf& address_of) {
  for (const StoredAddress& stored : addresses) {
    const auto buffer =
        std::ranges::find(launch.buffers, stored.at.buffer, &emulator::Buffer::name);
    if (buffer == launch.buffers.end() || buffer->bytes.size() < sizeof(std::uint64_t) ||
        stored.at.offset > buffer->bytes.size() - sizeof(std::uint64_t))
      continue;
    Word word{buffer->bytes.data() + stored.at.offset, 0,
              stored.to.buffer.empty() ? 0 : address_of(stored.to)};
    std::memcpy(&word.before, word.place, sizeof word.before);
    std::memcpy(word.place, &word.address, sizeof word.address);
    words_.push_back(word);
  }
}

StoredAddresses::~StoredAddresses() {
  for (const Word& word : words_)
    if (std::memcmp(word.place, &word.address, sizeof word.address) == 0)
      std::memcpy(word.place, &word.before, sizeof word.before);
}

std::uint64_t emulated_address(const emulator::Launch& launch, const emulator::BufferAddress& of) {
  const auto buffer = std::ranges::find(launch.buffers, of.buffer, &emulator::Buffer::name);
  if (buffer == launch.buffers.end()) return 0;
  return emulator::address_of_buffer(static_cast<std::size_t>(buffer - launch.buffers.begin()),
                                     buffer->bytes.size()) +
         of.offset;
}

}  // namespace heddle::runtime
