// Tensor maps: where the boxes of a tensor lie in global memory. PTX does not specify their 128
// bytes. The simulator has the fields of cuTensorMapEncodeTiled in them, and checks all of them at
// each use, as a kernel may write them with tensormap.replace or otherwise.
//
// Source: PTX ISA 9.0, "tensormap.replace"; CUDA Driver API 13.0, cuTensorMapEncodeTiled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "emulator/ptx/source.h"

namespace heddle::emulator::ptx {

// The numbers of the fields elemtype, swizzle_mode and fill_mode are those of PTX.
struct EncodedMap {
  uint64_t check = 0;        // sum() of the rest, so that stray stores into a map are seen
  uint64_t address = 0;      // of the first element
  uint64_t sizes[5] = {};    // elements
  uint64_t strides[5] = {};  // in bytes, from dimension 1 on
  uint16_t box[5] = {};
  uint8_t element_strides[5] = {};
  uint8_t last_dimension = 0, element = 0, interleave = 0, swizzle = 0, atomicity = 0, fill = 0;
  uint8_t reserved[11] = {};

  uint64_t sum() const;
  void seal();
};
static_assert(sizeof(EncodedMap) == 128);

struct ElementRow {
  uint8_t bytes;
  std::string_view type;  // of PTX, for reductions
  bool is_float;
};
// By the number of elemtype; those of fewer than 8 bits are missing.
inline constexpr std::array map_elements{
    ElementRow{1, "u8", false},  ElementRow{2, "u16", false}, ElementRow{4, "u32", false},
    ElementRow{4, "s32", false}, ElementRow{8, "u64", false}, ElementRow{8, "s64", false},
    ElementRow{2, "f16", true},  ElementRow{4, "f32", true},  ElementRow{4, "f32", true},
    ElementRow{8, "f64", true},  ElementRow{2, "bf16", true}, ElementRow{4, "tf32", true},
    ElementRow{4, "tf32", true}};
constexpr uint8_t element_tf32 = 11, element_tf32_ftz = 12;

// A map that was read and is right.
struct BoxMap {
  uint64_t address = 0;
  uint32_t dimensions = 0, element_bytes = 0, swizzle_bytes = 0;
  uint8_t element = 0;
  bool fills_nan = false;
  std::array<uint64_t, 5> sizes{}, strides{};
  std::array<uint32_t, 5> box{};

  // At most 2^43: the elements of a box are 256 along each of 5 dimensions.
  uint64_t box_bytes() const {
    uint64_t bytes = element_bytes;
    for (unsigned i = 0; i < dimensions; ++i) bytes *= box[i];
    return bytes;
  }
};

// The map in 128 bytes, or what is wrong with it.
std::expected<BoxMap, std::string> decode_map(const std::byte* bytes);

}  // namespace heddle::emulator::ptx
