// Tensor maps that kernels use: where the boxes of a tensor lie in global memory. All fields are
// checked at each use, as a kernel may write them with tensormap.replace or otherwise.
//
// Source: PTX ISA 9.0, "tensormap.replace"; CUDA Driver API 13.0, cuTensorMapEncodeTiled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "emulator/ptx/encoded_map.h"

namespace heddle::emulator::ptx {

// A map that was read and is right. Dimension 0 counts units, which are elements if these have at
// least 8 bits.
struct BoxMap {
  uint64_t address = 0;
  uint32_t dimensions = 0, swizzle_bytes = 0;
  uint32_t element_bytes = 0, unit_elements = 1, unit_padding = 0;  // of units
  uint8_t element = 0;
  bool fills_nan = false;
  std::array<uint64_t, 5> sizes{}, strides{};
  std::array<uint32_t, 5> box{};

  // In global memory. At most 2^43: the elements of a box are 256 along each of 5 dimensions.
  uint64_t box_bytes() const {
    uint64_t bytes = element_bytes;
    for (unsigned i = 0; i < dimensions; ++i) bytes *= box[i];
    return bytes;
  }
  // The same in shared memory, with the padding that follows units.
  uint64_t shared_bytes() const {
    return box_bytes() / element_bytes * (element_bytes + unit_padding);
  }
};

// The map in 128 bytes, or what is wrong with it.
std::expected<BoxMap, std::string> decode_map(const std::byte* bytes);

}  // namespace heddle::emulator::ptx
