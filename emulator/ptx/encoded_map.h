// The 128 bytes of a tensor map, and the simulator's cuTensorMapEncodeTiled, which makes them.
// NVIDIA publishes neither the fields nor their order, so the format is the simulator's own. All
// code that makes maps calls this function: launches, programs that call the driver, and
// heddle.Device.
//
// Sources: CUDA Driver API 13.0, "Tensor Map Object Management"; PTX ISA 9.0, "tensormap.replace".
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace heddle::emulator::ptx {

// The fields `element`, `swizzle` and `fill` hold the numbers that PTX's tensormap.replace uses.
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

// The arguments of cuTensorMapEncodeTiled. Dimension 0 is the innermost one.
struct TiledMap {
  uint32_t element = 0;  // the number of elemtype
  uint64_t address = 0;
  std::span<const uint64_t> sizes, strides;  // strides: bytes, of all dimensions but the first
  std::span<const uint32_t> box;
  std::span<const uint32_t> element_strides;  // empty: 1
  uint32_t interleave = 0, swizzle = 0;       // the driver's numbers
  bool fills_nan = false;
};

// The map, or what cuTensorMapEncodeTiled refuses.
std::expected<EncodedMap, std::string> encode_tiled(const TiledMap& map);

// An element type of tensor maps. Elements of 4 and 6 bits are copied in units of several elements,
// others in units of one. Sources: PTX ISA 9.0, "Padding and alignment of the sub-byte types"; CUDA
// Driver API 13.0, cuTensorMapEncodeTiled.
struct ElementRow {
  uint8_t bytes;          // of a unit in global memory
  std::string_view type;  // of PTX, for reductions
  bool is_float;
  uint8_t elements = 1;  // of a unit
  uint8_t padding = 0;   // bytes that follow a unit in shared memory
};
// By the number of elemtype.
inline constexpr std::array map_elements{ElementRow{1, "u8", false},
                                         ElementRow{2, "u16", false},
                                         ElementRow{4, "u32", false},
                                         ElementRow{4, "s32", false},
                                         ElementRow{8, "u64", false},
                                         ElementRow{8, "s64", false},
                                         ElementRow{2, "f16", true},
                                         ElementRow{4, "f32", true},
                                         ElementRow{4, "f32", true},
                                         ElementRow{8, "f64", true},
                                         ElementRow{2, "bf16", true},
                                         ElementRow{4, "tf32", true},
                                         ElementRow{4, "tf32", true},
                                         ElementRow{1, "b4x16", false, 2},
                                         ElementRow{8, "b4x16_p64", false, 16, 8},
                                         ElementRow{12, "b6x16_p32", false, 16, 4}};
constexpr uint8_t element_tf32 = 11, element_tf32_ftz = 12;

// The reason why a map of elements of 4 or 6 bits is invalid. Empty if the map is valid, and for
// maps of all other element types.
std::string unit_problem(const ElementRow& element, uint64_t address,
                         std::span<const uint64_t> sizes, std::span<const uint64_t> strides,
                         uint32_t box);

// Converts a CUtensorMapDataType to PTX's number of the element type. The driver numbers f32.ftz
// after bf16, and PTX after f32.
constexpr uint32_t element_of_driver(uint32_t type) {
  return type == 10 ? 8 : type == 8 || type == 9 ? type + 1 : type;
}

}  // namespace heddle::emulator::ptx
