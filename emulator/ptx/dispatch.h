// One launch: its kernel, memory and arguments, as all clusters see them.
#pragma once

#include <expected>
#include <memory>
#include <vector>

#include "emulator/launch.h"
#include "emulator/machine/address_space.h"
#include "emulator/ptx/program.h"

namespace heddle::emulator::ptx {

class Dispatch {
 public:
  static std::expected<std::unique_ptr<Dispatch>, Fault> prepare(const Program& program,
                                                                 const Kernel& kernel,
                                                                 const Launch& launch);

  const Program& program() const { return *program_; }
  const Launch& launch() const { return *launch_; }
  const AddressSpace& memory() const { return memory_; }
  std::array<uint32_t, 3> cluster() const { return cluster_; }
  uint32_t blocks_per_cluster() const { return cluster_[0] * cluster_[1] * cluster_[2]; }
  uint64_t clusters() const;
  uint32_t threads() const { return threads_; }
  uint32_t warps() const { return (threads_ + 31) / 32; }
  // From address 0 of the shared window: what the system has, static and dynamic memory.
  uint32_t shared_end() const;
  std::array<uint32_t, 3> first_block(uint64_t cluster) const;
  uint64_t value(Special special, const Warp& w, unsigned lane) const;

 private:
  std::optional<std::string> check(const Kernel& kernel);
  std::optional<std::string> place_arguments(const Kernel& kernel);
  std::optional<std::string> encode(const TensorMap& map, std::byte* place) const;

  const Program* program_ = nullptr;
  const Launch* launch_ = nullptr;
  AddressSpace memory_;
  std::array<uint32_t, 3> cluster_{1, 1, 1};
  uint32_t threads_ = 0;
  std::vector<std::byte> image_, parameters_;
};

// A tensor map as the simulator keeps it in its 128 bytes.
struct EncodedMap {
  uint64_t magic = 0;
  uint64_t address = 0;  // of the first element
  uint8_t dimensions = 0, element_bytes = 0, swizzle_bytes = 0, element = 0;
  uint32_t sizes[5] = {};
  uint64_t strides[5] = {};  // bytes; of dimension 0 the element's
  uint16_t box[5] = {};
  uint8_t reserved[24] = {};
};
static_assert(sizeof(EncodedMap) <= 128);
constexpr uint64_t map_magic = 0x70616d6c656464ull;

}  // namespace heddle::emulator::ptx
