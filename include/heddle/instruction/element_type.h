// The number formats that matrix instructions read and write.
//
//     bits(ElementType::fp6)          6
//     name(ElementType::fp8)          "fp8"        ptx_name(ElementType::fp8)     "e4m3"
//     is_integer(ElementType::b1)     false: single bits are combined, not added
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/layout/needs_cxx20.h"

namespace heddle::instruction {

/// The floats of fewer than 32 bits:
///
///   type       name elsewhere   sign  exp.  mantissa  bias   largest   smallest > 0  also
///   f16                            1    5       10         15     65504   2^-24         inf, NaN
///   bf16                           1    8        7        127    3.4e38   2^-133        inf, NaN
///   xf32       tf32                1    8       10        127    3.4e38   2^-136        inf, NaN
///   fp8        E4M3, e4m3          1    4        3          7       448   2^-9          NaN
///   bf8        E5M2, e5m2          1    5        2         15     57344   2^-16         inf, NaN
///   fp8_fnuz   E4M3FNUZ            1    4        3          8       240   2^-10         NaN, 0x80
///   bf8_fnuz   E5M2FNUZ            1    5        2         16     57344   2^-17         NaN, 0x80
///   fp6        E2M3, e2m3          1    2        3          1       7.5   0.125         none
///   bf6        E3M2, e3m2          1    3        2          3        28   0.0625        none
///   fp4        E2M1, e2m1          1    2        1          1         6   0.5           none
///   e8m0       UE8M0, ue8m0        0    8        0        127     2^127   2^-127        NaN, 0xff
///   ue4m3      UE4M3               0    4        3          7       448   2^-9          NaN
///
/// fp8 is E4M3, bf8 is E5M2 (OCP 8-bit Floating Point Specification, revision 1.0). The _fnuz types
/// are CDNA3's: they have no infinities and no negative zero, and another bias. xf32, NVIDIA's
/// tf32, is an f32 of which the instruction reads 19 bits. fp6 is E2M3, bf6 is E3M2, fp4 is E2M1,
/// and e8m0 is a power of two that scales a block of consecutive elements (OCP Microscaling Formats
/// Specification, revision 1.0). ue4m3 is an unsigned fp8 that scales such a block.
///
/// i8 and i4 are signed, u8 and u4 unsigned; iu8 and iu4 are AMD's types that are signed or
/// unsigned, as a modifier chooses. b1 is a single bit. i16 and i64 are signed, and no matrix
/// instruction multiplies them. b4, b6, b8, b16 and b32 are bits that an instruction moves without
/// interpreting them.
enum class ElementType : std::uint8_t {
  f32,       // IEEE 754 binary32
  f16,       // IEEE 754 binary16
  bf16,      // the upper half of an f32
  fp8,       // E4M3
  bf8,       // E5M2
  i32,       // signed: sums of integers
  iu8,       // signed or unsigned by a modifier (AMD)
  iu4,       // the same of 4 bits
  f64,       // IEEE 754 binary64
  xf32,      // f32 of which 19 bits are read; tf32
  i8,        // signed
  fp8_fnuz,  // E4M3 of CDNA3
  bf8_fnuz,  // E5M2 of CDNA3
  u8,        // unsigned
  i4,        // signed
  u4,        // unsigned
  b1,        // single bits
  fp6,       // E2M3
  bf6,       // E3M2
  fp4,       // E2M1
  e8m0,      // a power of two: the scale of a block
  ue4m3,     // an unsigned fp8 as a scale
  b4,        // 4 bits that are moved
  b6,        // 6 bits that are moved
  b8,        // 8 bits that are moved
  b16,       // 16 bits that are moved
  b32,       // 32 bits that are moved
  i16,       // signed; no instruction multiplies it
  i64,       // signed; no instruction multiplies it
};

/// The rows are in the order of ElementType, so that a type is the index of its row.
struct ElementTypeRow {
  ElementType type;
  std::string_view name;
  int bits;
  std::string_view ptx =
      {};  // PTX ISA 9.0, "Fundamental Types" and the types of mma; empty: as `name`
};

inline constexpr std::array element_type_rows{
    ElementTypeRow{ElementType::f32, "f32", 32},
    ElementTypeRow{ElementType::f16, "f16", 16},
    ElementTypeRow{ElementType::bf16, "bf16", 16},
    ElementTypeRow{ElementType::fp8, "fp8", 8, "e4m3"},
    ElementTypeRow{ElementType::bf8, "bf8", 8, "e5m2"},
    ElementTypeRow{ElementType::i32, "i32", 32, "s32"},
    ElementTypeRow{ElementType::iu8, "iu8", 8},
    ElementTypeRow{ElementType::iu4, "iu4", 4},
    ElementTypeRow{ElementType::f64, "f64", 64},
    ElementTypeRow{ElementType::xf32, "xf32", 32, "tf32"},
    ElementTypeRow{ElementType::i8, "i8", 8, "s8"},
    ElementTypeRow{ElementType::fp8_fnuz, "fp8_fnuz", 8},
    ElementTypeRow{ElementType::bf8_fnuz, "bf8_fnuz", 8},
    ElementTypeRow{ElementType::u8, "u8", 8},
    ElementTypeRow{ElementType::i4, "i4", 4, "s4"},
    ElementTypeRow{ElementType::u4, "u4", 4},
    ElementTypeRow{ElementType::b1, "b1", 1},
    ElementTypeRow{ElementType::fp6, "fp6", 6, "e2m3"},
    ElementTypeRow{ElementType::bf6, "bf6", 6, "e3m2"},
    ElementTypeRow{ElementType::fp4, "fp4", 4, "e2m1"},
    ElementTypeRow{ElementType::e8m0, "e8m0", 8, "ue8m0"},
    ElementTypeRow{ElementType::ue4m3, "ue4m3", 8},
    ElementTypeRow{ElementType::b4, "b4", 4},
    ElementTypeRow{ElementType::b6, "b6", 6},
    ElementTypeRow{ElementType::b8, "b8", 8},
    ElementTypeRow{ElementType::b16, "b16", 16},
    ElementTypeRow{ElementType::b32, "b32", 32},
    ElementTypeRow{ElementType::i16, "i16", 16, "s16"},
    ElementTypeRow{ElementType::i64, "i64", 64, "s64"},
};

constexpr const ElementTypeRow& row(ElementType type) {
  return element_type_rows[static_cast<std::size_t>(type)];
}

constexpr std::string_view name(ElementType type) { return row(type).name; }

/// The name in PTX, which differs from name() for signed integers, tf32 and the small floats.
constexpr std::string_view ptx_name(ElementType type) {
  return row(type).ptx.empty() ? name(type) : row(type).ptx;
}

/// Width of one element in bits.
constexpr int bits(ElementType type) { return row(type).bits; }

/// True if the type is an integer of more than one bit.
constexpr bool is_integer(ElementType type) {
  using enum ElementType;
  return type == i64 || type == i32 || type == i16 || type == i8 || type == u8 || type == iu8 ||
         type == i4 || type == u4 || type == iu4;
}

}  // namespace heddle::instruction
