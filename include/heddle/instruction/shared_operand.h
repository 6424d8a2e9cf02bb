// Operands of wgmma and tcgen05.mma in shared memory: the layout of a tile, and the 64-bit
// descriptor that tells the layout to the instruction.
//
//   constexpr SharedTile tile{.operand = Operand::b, .mn = 128, .k = 64, .bits = 16,
//                             .major = Major::k, .swizzle = Swizzle::bytes128};
//   constexpr LinearLayout map = shared_operand_map(tile);        // byte -> (n, k)
//   const std::uint64_t word = encode(matrix_descriptor(tile, address, 0, 16),
//                                     DescriptorForm::sm_90);     // the second 16 k of the tile
//
// Sources: PTX ISA 9.0, "Shared Memory Matrix Layout", "Major-ness supported by Strides" and
// "Matrix Descriptor Format" of wgmma; "Shared memory descriptor" and "Shared Memory Layout and
// Swizzling" of tcgen05. CuTe's make_gmma_desc and make_umma_desc have the same canonical layouts;
// tests/instruction/shared_operand_test.cpp compares.
//
// THE 128-BYTE SWIZZLE, which most tiles use. An atom is eight rows (of a k-major tile) of 128
// bytes. Bits 4 to 6 of an address, which number the 16-byte units of a row, are xored with bits 7
// to 9, which number the rows:
//
//     row    bytes 0-15   16-31   32-47   48-63   64-79   80-95   96-111   112-127
//     0      unit 0       1       2       3       4       5       6        7
//     1      unit 1       0       3       2       5       4       7        6
//     2      unit 2       3       0       1       6       7       4        5
//     …
//     7      unit 7       6       5       4       3       2       1        0
//
// Units are numbered along k: unit 0 holds k = 0 to 7 of 16-bit elements. A tile of 128 rows and k
// = 64 is sixteen contiguous atoms of 1024 bytes. The swizzles of 64 and 32 bytes do the same with
// two bits and one bit.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heddle/instruction/instruction.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::instruction {

/// The axis that is contiguous in memory: k, or mn, which is the rows of A (m) or the columns of B
/// (n).
enum class Major : std::uint8_t { k, mn };

/// How 16-byte units are permuted. The number in the name is the length in bytes of the line within
/// which the units move. bytes128_atom32 moves pairs of units and exists on sm_100 only.
enum class Swizzle : std::uint8_t { none, bytes32, bytes64, bytes128, bytes128_atom32 };

/// A swizzle. An atom has `lines` contiguous lines of `line_bytes` bytes each along the contiguous
/// axis. The `bits` address bits from `first_bit` on are xored with the bits that are `shift`
/// higher.
struct SwizzleRow {
  Swizzle swizzle;
  std::string_view name;
  int line_bytes, lines;
  int bits, first_bit, shift;
  int sm_90_code, sm_100_code;  // in the descriptor; -1: there is none
};

inline constexpr std::array swizzle_rows{
    SwizzleRow{Swizzle::none, "none", 16, 8, 0, 4, 3, 0, 0},
    SwizzleRow{Swizzle::bytes32, "32", 32, 8, 1, 4, 3, 3, 6},
    SwizzleRow{Swizzle::bytes64, "64", 64, 8, 2, 4, 3, 2, 4},
    SwizzleRow{Swizzle::bytes128, "128", 128, 8, 3, 4, 3, 1, 2},
    SwizzleRow{Swizzle::bytes128_atom32, "128-atom32", 128, 4, 2, 5, 2, -1, 1},
};

constexpr const SwizzleRow& row(Swizzle swizzle) {
  return swizzle_rows[static_cast<std::size_t>(swizzle)];
}

constexpr std::string_view name(Swizzle swizzle) { return row(swizzle).name; }
constexpr std::string_view name(Major major) { return major == Major::k ? "k" : "mn"; }

/// A tile of A (m x k) or B (k x n) in shared memory, with sizes in elements: the operand of one
/// instruction, or of several adjacent ones.
/// - `bits` of an element: 1, 4, 8, 16 or 32.
/// - If a 16-byte unit holds 16 elements of 6 or 4 bits, the elements count as 8-bit elements here;
/// element j of a unit then begins at bit 6 * j or 4 * j of the unit.
/// - A sparse A is given as the matrix of its stored elements, so k counts only these.
struct SharedTile {
  Operand operand = Operand::b;
  int mn = 0;
  int k = 0;
  int bits = 0;
  Major major = Major::k;
  Swizzle swizzle = Swizzle::none;
};

/// The sizes of a tile, rounded up to whole atoms and powers of two, as exponents of 2.
struct SharedExtents {
  int element;        // positions inside a byte; 0 for elements of 8 bits and more
  int within;         // bytes of one element
  int line, lines;    // elements of an atom's line; its lines
  int major, across;  // the tile, in elements, along both
  constexpr int atom_bytes() const { return line - element + within + lines; }
};

constexpr SharedExtents shared_extents(const SharedTile& tile) {
  const auto exponent = [](int count) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(count - 1)));
  };
  const SwizzleRow& swizzle = row(tile.swizzle);
  SharedExtents extents{};
  extents.element = tile.bits < 8 ? exponent(8 / tile.bits) : 0;
  extents.within = tile.bits > 8 ? exponent(tile.bits / 8) : 0;
  extents.line = exponent(swizzle.line_bytes * 8 / tile.bits);
  extents.lines = exponent(swizzle.lines);
  const int major = exponent(tile.major == Major::k ? tile.k : tile.mn);
  const int across = exponent(tile.major == Major::k ? tile.mn : tile.k);
  extents.major = major > extents.line ? major : extents.line;
  extents.across = across > extents.lines ? across : extents.lines;
  return extents;
}

/// The map of a tile whose atoms follow each other along m or n first, then along k. Its input axes
/// are
///
///   element   position within a byte, lowest bits first; of size 1 if elements have 8 bits or more
///   byte      offset from the tile's first byte, whose address is a multiple of the atom's size
///
/// and its output axes are `m`, `k` (A) or `n`, `k` (B). If an element has several bytes, each of
/// them maps to the element. The tile is rounded up to whole atoms and to powers of two;
/// instructions read its lower part. Precondition: mn, k > 0, and bits as at SharedTile.
constexpr layout::LinearLayout shared_operand_map(const SharedTile& tile) {
  const SharedExtents extents = shared_extents(tile);
  const SwizzleRow& swizzle = row(tile.swizzle);
  const bool k_major = tile.major == Major::k;
  const int mn_bits = k_major ? extents.across : extents.major;
  const int k_bits = k_major ? extents.major : extents.across;
  layout::LinearLayout::Bases bases{};
  std::size_t count = 0;
  std::uint64_t next_mn = 1, next_k = std::uint64_t{1} << mn_bits;
  const auto append = [&](std::uint64_t& next, int times) {
    for (; times > 0; --times, next <<= 1) bases[count++] = next;
  };
  std::uint64_t& along = k_major ? next_k : next_mn;
  std::uint64_t& across = k_major ? next_mn : next_k;
  append(along, extents.element);
  count += static_cast<std::size_t>(extents.within);
  append(along, extents.line - extents.element);
  append(across, extents.lines);
  append(next_mn, mn_bits - (k_major ? extents.lines : extents.line));
  append(next_k, k_bits - (k_major ? extents.line : extents.lines));
  const int byte_bits = static_cast<int>(count) - extents.element;
  for (int low = swizzle.first_bit; low < swizzle.first_bit + swizzle.bits; ++low) {
    if (low + swizzle.shift >= byte_bits) continue;
    const auto at = [&](int byte_bit) {
      return static_cast<std::size_t>(extents.element + byte_bit);
    };
    bases[at(low + swizzle.shift)] ^= bases[at(low)];
  }
  return layout::LinearLayout::from_words(
             {{"element", extents.element}, {"byte", byte_bits}},
             {{tile.operand == Operand::a ? layout::AxisName("m") : layout::AxisName("n"), mn_bits},
              {"k", k_bits}},
             bases)
      .value();
}

/// The fields of a matrix descriptor, in bytes. The start address and the offsets are multiples of
/// 16 and less than 2^18.
struct MatrixDescriptor {
  std::uint32_t start_address = 0;  // in shared memory
  std::uint32_t leading_bytes = 0;
  std::uint32_t stride_bytes = 0;
  std::uint32_t base_offset = 0;  // 0 to 7
  Swizzle swizzle = Swizzle::none;
  bool leading_is_address = false;  // sm_103: leading_bytes is where the next buffer begins

  friend constexpr bool operator==(const MatrixDescriptor&, const MatrixDescriptor&) = default;
};

/// The two encodings of a descriptor as a 64-bit word: that of wgmma (sm_90) and that of
/// tcgen05.mma (sm_100).
enum class DescriptorForm : std::uint8_t { sm_90, sm_100 };

/// The descriptor of the part of `tile` that begins at element (mn_begin, k_begin), if the first
/// byte of the tile is at `address` in shared memory. Preconditions:
/// - `address` is a multiple of 16, and with a swizzle a multiple of the line length;
/// - an atom begins at mn_begin and k_begin; in a k-major tile k_begin may also be any multiple of
/// 16 bytes.
///
/// The PTX ISA defines the two offsets as distances in bytes:
///   k-major, stride                     from 8 rows to the next 8 rows
///   k-major, leading, no swizzle        from 16 bytes of k to the next 16 bytes
///   k-major, leading, with a swizzle    from the k of one line to the k of the next line; 16 if
///                                       there is only one line
///   mn-major, leading                   from the m or n of one line to those of the next line
///   mn-major, stride                    from 8 k to the next 8 k
///   mn-major without a swizzle          leading and stride are swapped
constexpr MatrixDescriptor matrix_descriptor(const SharedTile& tile, std::uint32_t address,
                                             int mn_begin = 0, int k_begin = 0) {
  const SharedExtents extents = shared_extents(tile);
  const SwizzleRow& swizzle = row(tile.swizzle);
  const bool k_major = tile.major == Major::k;
  const int mn_atom = k_major ? extents.lines : extents.line;
  const int k_atom = k_major ? extents.line : extents.lines;
  const int mn_bits = k_major ? extents.across : extents.major;
  const std::uint32_t next_mn = 1u << extents.atom_bytes();
  const std::uint32_t next_k = next_mn << (mn_bits - mn_atom);
  // The hardware adds offsets to the start address and then applies the swizzle's xor to the sum.
  // So the start address is given without the xor.
  const auto part = [](int begin, int atom) { return static_cast<std::uint32_t>(begin >> atom); };
  const auto inside = static_cast<std::uint32_t>(
      (k_major ? k_begin & ((1 << k_atom) - 1) : mn_begin & ((1 << mn_atom) - 1)) * tile.bits / 8);
  MatrixDescriptor descriptor;
  descriptor.start_address =
      address + part(mn_begin, mn_atom) * next_mn + part(k_begin, k_atom) * next_k + inside;
  const bool swapped = tile.swizzle == Swizzle::none && !k_major;
  const bool leading_is_mn = !k_major && !swapped;
  descriptor.leading_bytes = leading_is_mn ? next_mn : next_k;
  descriptor.stride_bytes = leading_is_mn ? next_k : next_mn;
  const bool one_line = tile.k * tile.bits <= swizzle.line_bytes * 8;
  if (k_major && tile.swizzle != Swizzle::none && one_line) descriptor.leading_bytes = 16;
  descriptor.swizzle = tile.swizzle;
  const auto pattern = static_cast<std::uint32_t>(8 * swizzle.line_bytes);
  if (tile.swizzle != Swizzle::none && address % pattern != 0)
    descriptor.base_offset = address >> 7 & 7;
  return descriptor;
}

/// Encodes a descriptor as a 64-bit word.
///
///   bits     sm_90                      sm_100
///   0-13     start address / 16         the same
///   16-29    leading byte offset / 16   the same, or the address of the next buffer / 16
///   32-45    stride byte offset / 16    the same
///   46-48    0                          1
///   49-51    base offset                the same
///   52       0                          1: bits 16-29 are an address
///   61-63    swizzle, from bit 62 on    swizzle
///
/// Precondition: the encoding has this swizzle (SwizzleRow), and for sm_90 the leading offset is
/// not an address.
constexpr std::uint64_t encode(const MatrixDescriptor& descriptor, DescriptorForm form) {
  const auto sixteenths = [](std::uint32_t bytes) {
    return static_cast<std::uint64_t>((bytes & 0x3ffff) >> 4);
  };
  const SwizzleRow& swizzle = row(descriptor.swizzle);
  std::uint64_t word = sixteenths(descriptor.start_address) |
                       sixteenths(descriptor.leading_bytes) << 16 |
                       sixteenths(descriptor.stride_bytes) << 32 |
                       static_cast<std::uint64_t>(descriptor.base_offset & 7) << 49;
  if (form == DescriptorForm::sm_90)
    return word | static_cast<std::uint64_t>(swizzle.sm_90_code) << 62;
  word |= std::uint64_t{1} << 46 | static_cast<std::uint64_t>(descriptor.leading_is_address) << 52;
  return word | static_cast<std::uint64_t>(swizzle.sm_100_code) << 61;
}

/// Decodes a word to a descriptor. Nothing if the word is not valid: unknown bits are set, or the
/// encoding does not have the swizzle.
///
/// Law: decode(encode(d, form), form) is d.
constexpr std::optional<MatrixDescriptor> decode(std::uint64_t word, DescriptorForm form) {
  const bool sm_90 = form == DescriptorForm::sm_90;
  const auto bytes = [&](int first) {
    return static_cast<std::uint32_t>(word >> first & 0x3fff) << 4;
  };
  MatrixDescriptor descriptor{.start_address = bytes(0),
                              .leading_bytes = bytes(16),
                              .stride_bytes = bytes(32),
                              .base_offset = static_cast<std::uint32_t>(word >> 49 & 7),
                              .swizzle = Swizzle::none,
                              .leading_is_address = !sm_90 && (word >> 52 & 1) != 0};
  const int code = static_cast<int>(sm_90 ? word >> 62 : word >> 61);
  for (const SwizzleRow& candidate : swizzle_rows) {
    if (code != (sm_90 ? candidate.sm_90_code : candidate.sm_100_code)) continue;
    descriptor.swizzle = candidate.swizzle;
    if (encode(descriptor, form) == word) return descriptor;
  }
  return std::nullopt;
}

/// True if the instruction can read the operand from shared memory. An instruction that reads B
/// from shared memory can also read A from there, even if the row's map of A is that of registers
/// or tensor memory.
constexpr bool may_be_shared(const Instruction& instruction, Operand operand) {
  return (operand == Operand::a || operand == Operand::b) &&
         instruction.b.storage == Storage::shared_memory;
}

/// True if the operand may be mn-major with this swizzle. Sources: PTX ISA 9.0, `wgmma.mma_async`
/// ("the transpose operation is only supported for .f16 and .bf16"); tcgen05, "Valid Combinations
/// of Type-Size, Major-ness and Swizzling".
constexpr bool may_be_mn_major(const Instruction& instruction, Operand operand, Swizzle swizzle) {
  const int width = bits(instruction.type(operand));
  if (instruction.is_of(Family::sm90)) return width == 16;
  return width == 32 ? swizzle == Swizzle::bytes128_atom32
                     : width >= 8 && swizzle != Swizzle::bytes128_atom32;
}

/// The tile of the operand that one instruction reads from the shared memory of one CTA. If two
/// CTAs execute the instruction together, each CTA has half of the rows of A and half of the
/// columns of B. Precondition: may_be_shared.
constexpr SharedTile shared_tile(const Instruction& instruction, Operand operand, Major major,
                                 Swizzle swizzle) {
  const bool is_a = operand == Operand::a;
  return {.operand = operand,
          .mn = (is_a ? instruction.m : instruction.n) / (instruction.wave == 256 ? 2 : 1),
          .k = is_a && instruction.is_sparse() ? instruction.k / 2 : instruction.k,
          .bits = instruction.b.bits,
          .major = major,
          .swizzle = swizzle};
}

}  // namespace heddle::instruction
