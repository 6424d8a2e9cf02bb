// Numbers in a kernel's memory and arguments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// fp8 is E4M3, bf8 is E5M2 (OCP 8-bit Floating Point Specification, revision 1.0). The _fnuz types
/// of CDNA3 have as many bits, a bias that is 1 larger, one NaN (0x80), no infinities and no
/// negative zero (AMD Instinct MI300 Instruction Set Architecture, "FP8 and BF8").
enum class NumberType : std::uint8_t {
  f16,
  f32,
  f64,
  bf16,
  fp8,
  bf8,
  fp8_fnuz,
  bf8_fnuz,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
};

struct NumberRow {
  NumberType type;
  std::string_view name;
  int bytes;
  int precision;   // significant bits of a float, the hidden one included; 0: an integer
  int exponents;   // bits of the exponent of a float
  bool is_signed;  // for an integer
};

inline constexpr std::array number_rows{
    NumberRow{NumberType::f16, "f16", 2, 11, 5, true},
    NumberRow{NumberType::f32, "f32", 4, 24, 8, true},
    NumberRow{NumberType::f64, "f64", 8, 53, 11, true},
    NumberRow{NumberType::bf16, "bf16", 2, 8, 8, true},
    NumberRow{NumberType::fp8, "fp8", 1, 4, 4, true},
    NumberRow{NumberType::bf8, "bf8", 1, 3, 5, true},
    NumberRow{NumberType::fp8_fnuz, "fp8_fnuz", 1, 4, 4, true},
    NumberRow{NumberType::bf8_fnuz, "bf8_fnuz", 1, 3, 5, true},
    NumberRow{NumberType::i8, "i8", 1, 0, 0, true},
    NumberRow{NumberType::i16, "i16", 2, 0, 0, true},
    NumberRow{NumberType::i32, "i32", 4, 0, 0, true},
    NumberRow{NumberType::i64, "i64", 8, 0, 0, true},
    NumberRow{NumberType::u8, "u8", 1, 0, 0, false},
    NumberRow{NumberType::u16, "u16", 2, 0, 0, false},
    NumberRow{NumberType::u32, "u32", 4, 0, 0, false},
    NumberRow{NumberType::u64, "u64", 8, 0, 0, false},
};

constexpr const NumberRow& row(NumberType type) {
  return number_rows[static_cast<std::size_t>(type)];
}
constexpr std::string_view name(NumberType type) { return row(type).name; }
constexpr bool is_float(NumberType type) { return row(type).precision > 0; }

/// Null when no type has this name.
constexpr const NumberRow* find_number_type(std::string_view text) {
  for (const NumberRow& candidate : number_rows)
    if (candidate.name == text) return &candidate;
  return nullptr;
}

/// The number at `place`, which needs no alignment. 64-bit integers beyond 2^53 are rounded.
double load_number(NumberType type, const std::byte* place);

/// The integer at `place`, sign-extended to 64 bits. Not for floats.
std::uint64_t load_integer(NumberType type, const std::byte* place);

/// wrapped: `integer` modulo 2^bits of the type. integer_text: `integer` modulo 2^bits as a decimal
/// text. Not for floats.
std::uint64_t wrapped(NumberType type, std::uint64_t integer);
std::string integer_text(NumberType type, std::uint64_t integer);

/// Writes `value`. Floats are rounded to nearest, ties to even; 16-bit floats by way of f32. A
/// value beyond the largest 8-bit float becomes that largest one, as in the clamping conversions of
/// gfx12. Integers are rounded to nearest and taken modulo 2^bits.
void store_number(NumberType type, std::byte* place, double value);

/// The largest finite number of a float type.
double largest_finite(NumberType type);

/// `value` after it was stored and loaded.
double rounded(NumberType type, double value);

/// `value` rounded to `type`. A value beyond the largest 8-bit float becomes infinity, as in LLVM's
/// APFloat and MLIR's arith.truncf. All 8-bit types except E5M2 have no infinity and store it as
/// NaN.
double rounded_or_infinity(NumberType type, double value);

/// True if a float type has no infinity: NaN takes its place.
bool lacks_infinity(NumberType type);

}  // namespace heddle::runtime
