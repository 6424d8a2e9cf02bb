#include "emulator/ptx/encoded_map.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

namespace heddle::emulator::ptx {
namespace {

std::string hexadecimal(uint64_t value) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  while ((value /= 16) != 0);
  return "0x" + digits;
}

// The reason why the driver rejects the size, stride or box of a dimension; empty if it accepts
// them.
std::string dimension_problem(const TiledMap& map, std::size_t i) {
  const auto text = [](uint64_t value) { return std::to_string(value); };
  const std::string of = " of dimension " + text(i);
  if (map.sizes[i] < 1 || map.sizes[i] > uint64_t{1} << 32)
    return "a size of " + text(map.sizes[i]) + of + ": 1 to 2^32 elements are possible";
  if (map.box[i] < 1 || map.box[i] > 256)
    return "a box of " + text(map.box[i]) + of + ": 1 to 256 elements are possible";
  if (!map.element_strides.empty() && (map.element_strides[i] < 1 || map.element_strides[i] > 8))
    return "an element stride of " + text(map.element_strides[i]) + of + ": 1 to 8 are possible";
  if (i > 0 && (map.strides[i - 1] % 16 != 0 || map.strides[i - 1] >= uint64_t{1} << 40))
    return "a stride of " + text(map.strides[i - 1]) + " bytes" + of +
           ": a multiple of 16 below 2^40 is needed";
  return "";
}

std::string problem_of(const TiledMap& map) {
  const auto text = [](uint64_t value) { return std::to_string(value); };
  const std::size_t rank = map.sizes.size();
  if (rank < 1 || rank > 5 || map.box.size() != rank || map.strides.size() + 1 != rank ||
      (!map.element_strides.empty() && map.element_strides.size() != rank))
    return text(rank) + " sizes, " + text(map.strides.size()) + " strides and a box of " +
           text(map.box.size()) + ": 1 to 5 sizes, one stride less, and a box of as many";
  if (map.element >= map_elements.size())
    return "elements of type " + text(map.element) + ": 0 to 15 are possible";
  if (map.interleave > 2 || map.swizzle > 6)
    return "interleave " + text(map.interleave) + " and swizzle " + text(map.swizzle) +
           ": 0 to 2 and 0 to 6 are possible";
  const uint64_t alignment = map.interleave == 2 ? 32 : 16;
  if (map.address % alignment != 0)
    return "a tensor that begins at " + hexadecimal(map.address) + ": a multiple of " +
           text(alignment) + " is needed";
  for (std::size_t i = 0; i < rank; ++i)
    if (const std::string problem = dimension_problem(map, i); !problem.empty()) return problem;
  const ElementRow& element = map_elements[map.element];
  if (map.fills_nan && !element.is_float) return "a fill of NaN for integers";
  if (std::string problem = unit_problem(element, map.address, map.sizes, map.strides, map.box[0]);
      !problem.empty())
    return problem;
  if (element.padding != 0 && map.swizzle != 0 && map.swizzle != 3 && map.swizzle != 4)
    return "swizzle " + text(map.swizzle) + " of elements with padding: 0, 3 and 4 are possible";
  if (map.interleave != 0) return "";
  const uint64_t row = uint64_t{map.box[0]} / element.elements * (element.bytes + element.padding);
  const uint64_t most = map.swizzle == 0 ? row : map.swizzle < 3 ? 16u << map.swizzle : 128;
  if (row % 16 != 0)
    return "a row of " + text(row) + " bytes in the box: a multiple of 16 is needed";
  if (row > most)
    return "a row of " + text(row) + " bytes in the box: with this swizzle " + text(most) +
           " are possible";
  return "";
}

}  // namespace

std::string unit_problem(const ElementRow& element, uint64_t address,
                         std::span<const uint64_t> sizes, std::span<const uint64_t> strides,
                         uint32_t box) {
  const std::string of = " of elements " + std::string(element.type) + ": ";
  const uint64_t least = element.padding != 0 ? 128 : element.elements;
  const auto bad = [&](const std::string& what, uint64_t wanted) {
    return what + of + "a multiple of " + std::to_string(wanted) + " is needed";
  };
  if (sizes[0] % least != 0) return bad("a size of " + std::to_string(sizes[0]), least);
  if (box % element.elements != 0) return bad("a box of " + std::to_string(box), least);
  if (element.padding == 0) return "";
  if (box != 128) return "a box of " + std::to_string(box) + of + "128 are possible";
  if (address % 32 != 0) return bad("address " + hexadecimal(address), 32);
  for (const uint64_t stride : strides)
    if (stride % 32 != 0) return bad("a stride of " + std::to_string(stride), 32);
  return "";
}

void EncodedMap::seal() { check = sum(); }

uint64_t EncodedMap::sum() const {
  std::array<uint64_t, sizeof(EncodedMap) / 8> words{};
  std::memcpy(words.data(), this, sizeof *this);
  uint64_t sum = 0x70616d6c656464ull;
  for (std::size_t i = 1; i < words.size(); ++i) sum = (sum ^ words[i]) * 0x100000001b3u;
  return sum;
}

std::expected<EncodedMap, std::string> encode_tiled(const TiledMap& map) {
  if (std::string problem = problem_of(map); !problem.empty())
    return std::unexpected(std::move(problem));
  EncodedMap made;
  made.address = map.address;
  made.last_dimension = static_cast<uint8_t>(map.sizes.size() - 1);
  made.element = static_cast<uint8_t>(map.element);
  made.interleave = static_cast<uint8_t>(map.interleave);
  // The driver's number stands for a swizzle and its atomicity together: 3 and above are the
  // swizzle of 128 bytes with different atomicities.
  made.swizzle = static_cast<uint8_t>(map.swizzle < 3 ? map.swizzle : 3);
  made.atomicity = static_cast<uint8_t>(map.swizzle - made.swizzle);
  made.fill = map.fills_nan ? 1 : 0;
  for (std::size_t i = 0; i < map.sizes.size(); ++i) {
    made.sizes[i] = map.sizes[i];
    made.box[i] = static_cast<uint16_t>(map.box[i]);
    made.element_strides[i] =
        static_cast<uint8_t>(map.element_strides.empty() ? 1 : map.element_strides[i]);
    if (i > 0) made.strides[i] = map.strides[i - 1];
  }
  made.seal();
  return made;
}

}  // namespace heddle::emulator::ptx
