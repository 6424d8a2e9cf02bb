// One matrix instruction as a row of data: its shape, the maps of its operands, and who says so.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/element_type.h"
#include "heddle/instruction/target.h"

namespace heddle::instruction {

/// D = A * B + C, with A of m x k, B of k x n, C and D of m x n. `index` is the operand of a sparse
/// instruction that says which elements of A are present.
enum class Operand : std::uint8_t { a, b, c, d, index };

inline constexpr std::array all_operands{Operand::a, Operand::b, Operand::c, Operand::d,
                                         Operand::index};

/// The letter of the ISA documents; the index of a sparse A is "K" in AMD's calculator.
constexpr std::string_view name(Operand operand) {
  constexpr std::array<std::string_view, 5> names{"A", "B", "C", "D", "K"};
  return names[static_cast<std::size_t>(operand)];
}

/// Where an operand lies in a wave. `text` is a layout (heddle/layout/text.h):
///
///   element   position inside a 32-bit register; position p begins at bit p * bits
///   register  32-bit register (AMD: VGPR) of the operand's tuple, 0 first; of 64-bit positions the
///             pair of registers
///   lane      lane of the wave; a zero basis is a copy, which the hardware requires to be equal
///
/// to `m`, `k`, `n` of the matrix (A: m, k; B: k, n; C and D: m, n). A sparse A and its index go to
/// `m`, `group` instead: k in groups of 4, of which two elements survive; a position then holds
/// both survivors, or both their 2-bit places. An instruction that multiplies several matrices at
/// once adds `block` behind these two.
///
/// Every map has these three input axes; one of size 1 has no bases. A position of fewer than 32
/// bits with an `element` axis of size 1 is unpacked: one per register, in its low bits.
struct OperandMap {
  int registers;  // 32-bit registers per lane, of CDNA either VGPRs or AGPRs
  int bits;       // width of one position
  std::string_view text;
};

/// What the hardware demands beside the registers, as bits of `Instruction::constraints`.
enum class Constraint : std::uint8_t {
  exec_all_ones = 1,  // every lane enabled, or the result is undefined
  equal_copies = 2,   // lanes that hold copies of A or B hold the same data
  accumulation_registers = 4,
  even_tuples = 8,
};

struct ConstraintRow {
  Constraint constraint;
  std::string_view sentence;
};

/// Sources: RDNA3 and RDNA4 Instruction Set Architecture, "Wave Matrix Multiply Accumulate (WMMA)";
/// of CDNA's registers LLVM's assembler, which refuses others (a test tries).
inline constexpr std::array constraint_rows{
    ConstraintRow{Constraint::exec_all_ones, "EXEC must be all ones"},
    ConstraintRow{Constraint::equal_copies, "copies of A and B in other lanes must be equal"},
    ConstraintRow{Constraint::accumulation_registers,
                  "C and D in AGPRs; A and B in VGPRs or AGPRs"},
    ConstraintRow{Constraint::even_tuples,
                  "tuples begin at an even register; A and B in VGPRs or AGPRs; C and D both in "
                  "VGPRs or both in AGPRs"},
};

/// Who confirms a row, as bits of `Instruction::witnesses`.
enum class Witness : std::uint8_t {
  calculator = 1,  // its own tables
  tilelang = 4,
  llvm = 8,
  iree = 16,
  predecessor = 2,  // the calculator's tables of this instruction on gfx942
};

struct WitnessRow {
  Witness witness;
  bool of_map;  // confirms where elements lie; else only register counts and encoding
  std::string_view sentence;
};

/// A test repeats each of these confirmations.
inline constexpr std::array witness_rows{
    WitnessRow{Witness::calculator, true, "AMD matrix instruction calculator 1.3.2"},
    WitnessRow{Witness::predecessor, true,
               "AMD matrix instruction calculator 1.3.2 for this instruction on gfx942"},
    WitnessRow{Witness::tilelang, true, "TileLang wmma_layout.py"},
    WitnessRow{Witness::iree, true, "IREE IREEGPUAttrs.cpp"},
    WitnessRow{Witness::llvm, false, "LLVM 22"},
};

/// A row of the catalogue. One row per name, family and wave size.
struct Instruction {
  std::string_view name;  // the assembler's mnemonic
  Family family;
  int wave;  // lanes: 32 or 64
  int m, n, k, blocks;
  ElementType a_type, b_type, d_type;
  OperandMap a, b, d;          // C has the map of D
  OperandMap index;            // registers == 0 unless A is sparse
  std::string_view intrinsic;  // LLVM's, without the suffix of the overloaded types
  std::uint8_t constraints;
  std::uint8_t witnesses;

  constexpr bool is_sparse() const { return index.registers > 0; }
  constexpr bool has(Operand operand) const { return operand != Operand::index || is_sparse(); }
  constexpr bool has(Constraint constraint) const {
    return (constraints & static_cast<std::uint8_t>(constraint)) != 0;
  }
  constexpr bool has(Witness witness) const {
    return (witnesses & static_cast<std::uint8_t>(witness)) != 0;
  }
  /// How many independent witnesses say where the elements lie.
  constexpr int map_witnesses() const {
    int count = 0;
    for (const WitnessRow& row : witness_rows) count += row.of_map && has(row.witness);
    return count;
  }

  constexpr const OperandMap& map(Operand operand) const {
    switch (operand) {
      case Operand::a:
        return a;
      case Operand::b:
        return b;
      case Operand::index:
        return index;
      default:
        return d;
    }
  }
  /// The assembler's letter for the registers of an operand: v (VGPRs; of gfx90a and later CDNA
  /// AGPRs as well) or a (AGPRs only).
  constexpr char register_letter(Operand operand) const {
    const bool accumulates = operand == Operand::c || operand == Operand::d;
    return accumulates && has(Constraint::accumulation_registers) ? 'a' : 'v';
  }
  /// The element type; of a sparse index, that of the A it belongs to.
  constexpr ElementType type(Operand operand) const {
    if (operand == Operand::b) return b_type;
    return operand == Operand::c || operand == Operand::d ? d_type : a_type;
  }
};

}  // namespace heddle::instruction
