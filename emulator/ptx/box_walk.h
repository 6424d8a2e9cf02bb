// Which bytes of global memory a box of a tensor contains, and how a tensor map (CUtensorMap)
// changes these bytes on the way to shared memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/tensor_map.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

// Calls use(global address, offset in the box, bytes) for each row of the box: for the contiguous
// bytes of the row that are inside the tensor. Stops if use() returns false. Returns false in this
// case, else true.
template <class F>
bool for_box(const BoxMap& map, const std::array<int32_t, 5>& coordinates, F use) {
  const uint32_t row_bytes = uint32_t{map.box[0]} * map.element_bytes;
  const int64_t first = std::max<int64_t>(0, -int64_t{coordinates[0]});
  const int64_t last =
      std::min<int64_t>(map.box[0], static_cast<int64_t>(map.sizes[0]) - coordinates[0]);
  std::array<uint32_t, 5> index{};
  uint32_t row = 0;
  for (;;) {
    bool inside = first < last;
    uint64_t address = map.address;
    for (unsigned i = 1; i < map.dimensions; ++i) {
      const int64_t at = int64_t{coordinates[i]} + index[i];
      inside &= at >= 0 && at < static_cast<int64_t>(map.sizes[i]);
      address += static_cast<uint64_t>(at) * map.strides[i];
    }
    if (inside) {
      address += static_cast<uint64_t>(coordinates[0] + first) * map.element_bytes;
      if (!use(address, row * row_bytes + static_cast<uint32_t>(first) * map.element_bytes,
               static_cast<uint32_t>(last - first) * map.element_bytes))
        return false;
    }
    ++row;
    unsigned i = 1;
    for (; i < map.dimensions; ++i) {
      if (++index[i] < map.box[i]) break;
      index[i] = 0;
    }
    if (i >= map.dimensions) return true;
  }
}

// Like for_box(), but also for .gather4 and .scatter4, for which `rows` is not 1. Then `map`
// describes a box of one row, and the walk visits `rows` such boxes: box i has the coordinates
// {coordinates[0], coordinates[1 + i]}.
template <class F>
bool for_rows(uint32_t rows, const BoxMap& map, const std::array<int32_t, 5>& coordinates, F use) {
  if (rows == 1) return for_box(map, coordinates, use);
  const auto bytes = static_cast<uint32_t>(map.box_bytes());
  for (uint32_t row = 0; row < rows; ++row)
    if (!for_box(map, {coordinates[0], coordinates[1 + row]},
                 [&](uint64_t address, uint32_t offset, uint32_t size) {
                   return use(address, row * bytes + offset, size);
                 }))
      return false;
  return true;
}

// Converts the coordinate of dimension 0 from elements to units of the map; false after a fault. A
// box must begin at a multiple of 16 bytes (PTX ISA 9.0, "Bounding Box"), which is checked for
// elements of less than 8 bits.
inline bool to_units(Warp& w, const Record& in, unsigned lane, const BoxMap& map,
                     std::array<int32_t, 5>& coordinates) {
  const auto elements = static_cast<int32_t>(map.unit_elements);
  if (elements == 1) return true;
  const int64_t bytes = int64_t{coordinates[0]} / elements * map.element_bytes;
  if (coordinates[0] % elements == 0 && bytes % 16 == 0) {
    coordinates[0] /= elements;
    return true;
  }
  raise(w, in, FaultKind::misaligned, static_cast<int>(lane),
        formatted("a box at element {} of 4 or 6 bits, which does not begin at a multiple of 16 "
                  "bytes",
                  coordinates[0]));
  return false;
}

// The data of a box as they are in shared memory: each unit is followed by padding, whose bytes
// count as not initialized (all ones).
inline std::vector<std::byte> with_padding(const BoxMap& map, std::vector<std::byte> data) {
  if (map.unit_padding == 0) return data;
  const std::size_t unit = map.element_bytes, step = unit + map.unit_padding;
  std::vector<std::byte> padded(data.size() / unit * step, std::byte{0xff});
  for (std::size_t i = 0; i * unit < data.size(); ++i)
    std::memcpy(padded.data() + i * step, data.data() + i * unit, unit);
  return padded;
}

// Copies a row of a box out of shared memory and undoes the swizzle: `bytes` bytes, from offset
// `place` on, go to `row`. False if the row reaches beyond the block's shared memory.
inline bool take_row(const Block& block, uint32_t place, const BoxMap& map, uint32_t bytes,
                     std::vector<std::byte>& row) {
  row.resize(bytes);
  for (uint32_t i = 0; i < bytes; ++i) {
    const uint32_t at = swizzled(place + i, map.swizzle_bytes);
    if (at >= block.shared.size()) return false;
    row[i] = block.shared[at];
  }
  return true;
}

// Rounds f32 values as a tensor map of type tf32 does: to the nearest number with 11 significant
// bits, ties to even. Every NaN becomes the same NaN. Observed on an H100:
// tests/data/nvidia_rounded_boxes_h100.json.gz.
inline void round_to_tf32(std::span<std::byte> numbers) {
  constexpr uint32_t cut = 0x1fff, infinity = 0x7f800000, sign = 0x80000000, nan = 0x7fffe000;
  for (std::size_t at = 0; at + 4 <= numbers.size(); at += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, numbers.data() + at, 4);
    const uint32_t to_even = (cut >> 1) + (bits >> 13 & 1);
    bits = (bits & ~sign) > infinity ? nan : (bits + to_even) & ~cut;
    std::memcpy(numbers.data() + at, &bits, 4);
  }
}

}  // namespace heddle::emulator::ptx
