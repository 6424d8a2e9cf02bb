// The tensor maps that kernels use: where the boxes of a tensor are in global memory. All fields
// are checked at each use, because a kernel may change them by tensormap.replace or by ordinary
// stores.
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

// A decoded and valid tensor map. Dimension 0 counts units: elements, or groups of elements that
// have fewer than 8 bits.
struct BoxMap {
  uint64_t address = 0;
  uint32_t dimensions = 0, swizzle_bytes = 0;
  uint32_t element_bytes = 0, unit_elements = 1, unit_padding = 0;  // of units
  uint8_t element = 0;
  bool fills_nan = false;
  std::array<uint64_t, 5> sizes{}, strides{};
  std::array<uint32_t, 5> box{};

  // The size of a box in global memory. It is at most 2^43, since a box has at most 256 elements
  // along each of 5 dimensions.
  uint64_t box_bytes() const {
    uint64_t bytes = element_bytes;
    for (unsigned i = 0; i < dimensions; ++i) bytes *= box[i];
    return bytes;
  }
  // The size of a box in shared memory, where padding may follow each unit.
  uint64_t shared_bytes() const {
    return box_bytes() / element_bytes * (element_bytes + unit_padding);
  }
};

// Decodes the 128 bytes of a tensor map. Errors: what is wrong with it.
std::expected<BoxMap, std::string> decode_map(const std::byte* bytes);

}  // namespace heddle::emulator::ptx
