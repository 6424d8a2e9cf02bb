#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/judge/product_check.h"

namespace heddle::runtime {

using instruction::ElementType;

double nibble(std::span<const std::byte> bytes, std::size_t index) {
  const auto both = static_cast<std::uint8_t>(bytes[index / 2]);
  const int number = index % 2 == 0 ? both & 15 : both >> 4;
  return number < 8 ? number : number - 16;
}

void store_nibble(std::span<std::byte> bytes, std::size_t index, int number) {
  const int shift = index % 2 == 0 ? 0 : 4;
  std::byte& both = bytes[index / 2];
  both = (both & static_cast<std::byte>(0xf0 >> shift)) |
         static_cast<std::byte>((number & 15) << shift);
}

bool MatrixView::is_padding(std::int64_t matrix, std::int64_t m, std::int64_t n) const {
  return std::ranges::any_of(padding, [&](const Padding& padded) {
    const std::int64_t at =
        padded.batch.at(matrix) + padded.row.at(m) + padded.column.at(n) - padded.before;
    return at < 0 || at >= padded.size || at % padded.every != 0;
  });
}

double MatrixView::at(std::int64_t matrix, std::int64_t m, std::int64_t n, bool is_unsigned) const {
  if (is_place) return static_cast<double>(place(matrix, m, n));
  if (is_padding(matrix, m, n)) return 0;
  const auto element_bytes = static_cast<std::size_t>(instruction::bits(element)) / 8;
  const auto index = static_cast<std::size_t>(place(matrix, m, n));
  if (element == ElementType::i4) return nibble(bytes, index);
  if (element == ElementType::fp4) {  // OCP Microscaling Formats Specification 1.0, section 5.3.3
    constexpr std::array sizes{0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
    const int code = static_cast<int>(nibble(bytes, index));
    const double size = sizes[static_cast<std::size_t>(code & 7)];
    return code < 0 ? -size : size;
  }
  if (element == ElementType::e8m0) {  // section 5.4.1
    const int code = static_cast<int>(bytes[index]);
    return code == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, code - 127);
  }
  const NumberType type =
      is_unsigned && element == ElementType::i8 ? NumberType::u8 : number_type(element);
  return load_number(type, bytes.data() + index * element_bytes);
}

Interval MatrixView::number(std::int64_t matrix, std::int64_t m, std::int64_t n,
                            bool is_unsigned) const {
  if (is_place) return whole_number(place(matrix, m, n));
  const double value = at(matrix, m, n, is_unsigned);
  if (element != ElementType::i64 || value == 0) return {value, value};  // padding is 0, too
  const auto index = static_cast<std::size_t>(place(matrix, m, n));
  return whole_number(
      static_cast<std::int64_t>(load_integer(NumberType::i64, bytes.data() + index * 8)));
}

}  // namespace heddle::runtime
