// Modifiers that change layouts: if one is set, an instruction reads an operand from other lanes or
// other bits than its fragment says. Modifiers that change only values (NEG, CLAMP, signs of
// integers) are not here.
//
//   CBSZ, ABID  of A with several blocks: in each group of 2^CBSZ blocks, all read block ABID of it
//   BLGP        of B: a broadcast of 32 or 16 lanes, or a rotation by 16 lanes
//   ABID        of the index of a sparse A on CDNA: which part of the register; CBSZ 1 says part 0
//   OPSEL       of the index on RDNA4: which part of the register; of 16-bit C and D on RDNA3,
//               which have a register for each element: 4 says the upper half; of scales on CDNA4:
//               which byte of the register; on gfx1250 (MATRIX_SCALE_ROW): which half of the lanes
//   CBSZ, BLGP  of CDNA4's f8f6f4, and
//   formats     of gfx1250's (MATRIX_A_FMT, MATRIX_B_FMT): the types of A and B. They choose
//               another row (with_formats); `reading` ignores them
//
// Sources: AMD Instinct MI300 Instruction Set Architecture, matrix arithmetic instructions (CBSZ,
// ABID, BLGP); RDNA3 and RDNA4 Instruction Set Architecture, WMMA (OPSEL). AMD's matrix instruction
// calculator 1.3.2 confirms all of it; tests/instruction/modifiers_test.cpp compares every recorded
// case. For gfx950, which the calculator does not know: AMD Instinct CDNA4 Instruction Set
// Architecture, sections 7.1.6, 7.2.1 and 7.5. For gfx1250: LLVM 22, and the widths of the
// operands: an index that fills its registers has no parts. According to the calculator, the f64
// instructions of CDNA3 have BLGP. But there these bits negate operands, and LLVM's assembler
// rejects BLGP, as this code does.
//
// v_mfma_f32_4x4x4_16b_f16 with cbsz 2 and abid 1: blocks 0 to 3 all read block 1 of A, blocks 4 to
// 7 read block 5, and so on. With blgp 1 all lanes read B as lanes 0 to 31 hold it.
//
//     why_refused(row, {.cbsz = 5})      "… takes cbsz 0 to 4"
//     reading(row, Operand::a, m)        from which lane each lane's A is read
//     places(row, Operand::a, order, m)  where each element is, with these modifiers
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"

namespace heddle::instruction {

/// The modifiers with the assembler's names: cbsz:2 abid:1 blgp:0. 0 is the default.
struct Modifiers {
  int cbsz = 0;
  int abid = 0;
  int blgp = 0;
  int opsel = 0;
  int a_format = 0;  // places in the row's formats, where CBSZ and BLGP are not these
  int b_format = 0;

  constexpr bool any() const {
    return cbsz != 0 || abid != 0 || blgp != 0 || opsel != 0 || a_format != 0 || b_format != 0;
  }
};

/// The row with the types of A and B that the modifiers choose; the row itself if it has no
/// formats. Precondition: the instruction takes these modifiers (why_refused).
constexpr Instruction with_formats(const Instruction& row, const Modifiers& modifiers) {
  if (row.formats.empty()) return row;
  return is_cdna(row.family()) ? *with_formats(row, modifiers.cbsz, modifiers.blgp)
                               : *with_formats(row, modifiers.a_format, modifiers.b_format);
}

/// The number of values of the selector of an operand's scales: the number of scales in the
/// operand's registers divided by the number of scales that an instruction reads. 1 if the row has
/// no such operand.
constexpr int scale_parts(const Instruction& row, Operand operand) {
  if (!row.has(operand)) return 1;
  const layout::LinearLayout map = isa_fragment(row, operand);
  return map.outputs().contains("selector") ? static_cast<int>(map.output_size("selector")) : 1;
}

/// The largest value of each modifier that the instruction takes; 0 if it does not have the
/// modifier. The largest ABID depends on CBSZ.
constexpr Modifiers largest_modifiers(const Instruction& row, int cbsz) {
  if (row.kind != Kind::multiply) return {};
  const bool cdna = is_cdna(row.family());
  const bool broadcasts = row.blocks > 1 && row.d_type != ElementType::f64;
  const bool older = !has(row.family(), Feature::gfx940_code);
  const bool permutes = cdna && !row.is_sparse() && row.d_type != ElementType::f64 &&
                        (older || row.blocks > 1 || row.a_type == ElementType::f32);
  int parts = 1;  // of the index
  if (row.is_sparse()) {
    const auto places = isa_fragment(row, Operand::index).input_size("element");
    parts = 32 / (static_cast<int>(places) * row.index.bits);
  }
  const int scales =
      std::max(scale_parts(row, Operand::scale_a), scale_parts(row, Operand::scale_b));
  Modifiers largest;
  largest.blgp = permutes ? 7 : 0;
  if (!cdna) {
    const bool halves =
        row.d.bits == 16 && isa_fragment(row, Operand::d).input_size("element") == 1;
    if (!is_nvidia(row.family())) largest.opsel = halves ? 4 : std::max(parts, scales) - 1;
    if (!row.formats.empty())
      largest.a_format = largest.b_format = static_cast<int>(row.formats.size()) - 1;
    return largest;
  }
  largest.opsel = scales - 1;
  if (!row.formats.empty()) {
    largest.cbsz = largest.blgp = static_cast<int>(row.formats.size()) - 1;
  } else if (row.is_sparse()) {
    largest.cbsz = parts > 1 ? 1 : 0;
    largest.abid = parts - 1;
  } else if (broadcasts) {
    largest.cbsz = static_cast<int>(std::bit_width(static_cast<unsigned>(row.blocks))) - 1;
    largest.abid = cbsz > largest.cbsz ? 0 : (1 << cbsz) - 1;
  }
  return largest;
}

/// The reason why the instruction does not take these modifiers, and what it takes; empty if it
/// takes them.
constexpr Sentence why_refused(const Instruction& row, const Modifiers& modifiers) {
  const Modifiers largest = largest_modifiers(row, modifiers.cbsz);
  const bool halves = largest.opsel == 4;
  Sentence sentence;
  const auto check = [&](std::string_view modifier, int value, int most) {
    const bool between = most == 4 && halves && value != 0 && value != 4;
    if (!sentence.view().empty() || (value >= 0 && value <= most && !between)) return;
    sentence.append(row.name);
    if (most == 0) {
      sentence.append(" has no ");
      sentence.append(modifier);
      if (modifier == "abid" && largest.cbsz > 0 && row.formats.empty())
        sentence.append(" without cbsz");
      return;
    }
    sentence.append(" takes ");
    sentence.append(modifier);
    sentence.append(most == 4 && halves ? " 0 or " : " 0 to ");
    sentence.append_number(static_cast<std::uint64_t>(most));
    if (modifier == "abid" && !row.is_sparse()) {
      sentence.append(" with cbsz ");
      sentence.append_number(static_cast<std::uint64_t>(modifiers.cbsz));
    }
  };
  check("cbsz", modifiers.cbsz, largest.cbsz);
  check("abid", modifiers.abid, largest.abid);
  check("blgp", modifiers.blgp, largest.blgp);
  check("opsel", modifiers.opsel, largest.opsel);
  check("format of A", modifiers.a_format, largest.a_format);
  check("format of B", modifiers.b_format, largest.b_format);
  return sentence;
}

/// How modifiers change the place from which an operand is read. Without modifiers, lane l reads
/// its own registers. With them it gets what lane lanes(l) ^ flip holds, from `bits` bits higher in
/// the register.
struct Reading {
  layout::LinearLayout lanes;  // lane -> lane
  std::uint64_t flip = 0;
  int bits = 0;

  constexpr int lane(int from) const {
    return static_cast<int>(lanes.apply(static_cast<std::uint64_t>(from)) ^ flip);
  }
};

/// The effect of a BLGP value on lane bits 4 and 5: the bits to which they map, and the bits that
/// are then flipped.
struct LaneGroupPattern {
  std::uint64_t of_16, of_32;  // the images of the lane bits 16 and 32
  std::uint64_t flip;
};

inline constexpr std::array lane_group_patterns{
    LaneGroupPattern{16, 32, 0},   // as it is
    LaneGroupPattern{16, 0, 0},    // lanes 0-31 for all
    LaneGroupPattern{16, 0, 32},   // lanes 32-63 for all
    LaneGroupPattern{48, 32, 16},  // 16 lanes on: one more, modulo 4, in bits 5 and 4
    LaneGroupPattern{0, 0, 0},     // lanes 0-15 for all
    LaneGroupPattern{0, 0, 16},    // lanes 16-31
    LaneGroupPattern{0, 0, 32},    // lanes 32-47
    LaneGroupPattern{0, 0, 48},    // lanes 48-63
};

/// The places from which `operand` is read with these modifiers. Precondition: the instruction
/// takes these modifiers (why_refused).
constexpr Reading reading(const Instruction& row, Operand operand, const Modifiers& modifiers) {
  const layout::LinearLayout map = isa_fragment(row, operand);
  const int lane_bits = map.inputs().bits_of("lane");
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < lane_bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = std::uint64_t{1} << bit;
  Reading result;
  if (operand == Operand::a && !row.is_sparse()) {
    for (int bit = 0; bit < lane_bits; ++bit) {
      const std::uint64_t block = map.basis("lane", bit, "block");
      if (block == 0 || block >> modifiers.cbsz != 0) continue;  // not in the group's number
      bases[static_cast<std::size_t>(bit)] = 0;
      if ((static_cast<std::uint64_t>(modifiers.abid) & block) != 0)
        result.flip |= std::uint64_t{1} << bit;
    }
  }
  if (operand == Operand::b && modifiers.blgp != 0 && row.formats.empty()) {
    const LaneGroupPattern& pattern = lane_group_patterns[static_cast<std::size_t>(modifiers.blgp)];
    bases[4] = pattern.of_16;
    bases[5] = pattern.of_32;
    result.flip = pattern.flip;
  }
  if (operand == Operand::index) {
    const int part = modifiers.cbsz != 0 ? 0 : modifiers.abid + modifiers.opsel;
    result.bits = part * static_cast<int>(map.input_size("element")) * row.index.bits;
  }
  if ((operand == Operand::c || operand == Operand::d) && modifiers.opsel == 4) result.bits = 16;
  result.lanes =
      layout::LinearLayout::from_words({{"lane", lane_bits}}, {{"lane", lane_bits}}, bases).value();
  return result;
}

/// The places of the elements of an operand as the instruction reads them (for D: writes them) with
/// these modifiers.
inline Places places(const Instruction& row, Operand operand, KOrder order,
                     const Modifiers& modifiers) {
  const int part = modifiers.opsel < scale_parts(row, operand) ? modifiers.opsel : 0;
  Places result = places(row, operand, order, part);
  const Reading read = reading(row, operand, modifiers);
  for (int& lane : result.lane) lane = read.lane(lane);
  for (int& bit : result.bit) bit += read.bits;
  return result;
}

}  // namespace heddle::instruction
