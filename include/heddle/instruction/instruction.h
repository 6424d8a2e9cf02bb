// One matrix instruction as a row of data: its shape, the maps of its operands, and who says so.
//
// HOW TO READ A ROW. v_wmma_f32_16x16x16_f16 of gfx11 in waves of 32 has A in this map:
//
//     {8, 16, "element: (0,1); register: (0,2) (0,4) (0,8);
//              lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16"}
//
// There are eight registers with positions of 16 bits. The two elements of a register are
// neighbours in k, and register bits step through k by 2, 4 and 8: a lane holds all sixteen k of
// one row. Lane bits 0 to 3 choose the row m. Lane bit 4 has a zero basis: lanes 16 to 31 hold the
// same again. So A(m = 3, k = 5) is in register 2, bits 16 to 31, of lanes 3 and 19.
//
//     row.m, row.n, row.k              16, 16, 16
//     row.type(Operand::c)             f32, as D
//     row.a.registers                  8 of a lane
//     row.has(Constraint::equal_copies), row.map_witnesses()
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/instruction/element_type.h"
#include "heddle/instruction/target.h"

namespace heddle::instruction {

/// D = A * B + C, with A of m x k, B of k x n, C and D of m x n. `index` is the operand of a sparse
/// instruction that says which elements of A are present. `scale_a` and `scale_b` are the factors
/// of a block-scaled product, each for a run of k. `address` is the operand of a load or store that
/// says where a row of a matrix begins in memory; each lane holds one.
enum class Operand : std::uint8_t { a, b, c, d, index, scale_a, scale_b, address };

inline constexpr std::array all_operands{Operand::a,       Operand::b,      Operand::c,
                                         Operand::d,       Operand::index,  Operand::scale_a,
                                         Operand::scale_b, Operand::address};

/// The letter of the ISA documents; the index of a sparse A is "K" in AMD's calculator.
constexpr std::string_view name(Operand operand) {
  constexpr std::array<std::string_view, all_operands.size()> names{"A", "B",  "C",  "D",
                                                                    "K", "SA", "SB", "P"};
  return names[static_cast<std::size_t>(operand)];
}

/// The operation of an instruction on its operands.
///
///   multiply   D = A * B + C
///   load       D = a matrix in memory; m rows, n columns, `blocks` matrices. a_type is the type of
///              its elements there. An address of 64 bits is one in global memory
///   store      a matrix in memory = D, in the same words
///   transpose  D = A transposed, both in registers
enum class Kind : std::uint8_t { multiply, load, store, transpose };

/// Where an operand lies: in registers of the lanes, in shared memory at places that a descriptor
/// gives (shared_operand.h), or in the tensor memory of sm_100. Its 32-bit columns then stand for
/// the registers of a map, and its lanes for the map's lanes.
enum class Storage : std::uint8_t { registers, shared_memory, tensor_memory };

/// Where an operand lies in a wave. `text` is a layout (heddle/layout/text.h):
///
///   element   position inside a 32-bit register; position p begins at bit p * bits
///   register  32-bit register (AMD: VGPR) of the operand's tuple, 0 first; of 64-bit positions the
///             pair of registers
///   lane      lane of the wave, of NVIDIA's warpgroups 0 to 127; a zero basis is a copy, which the
///             hardware requires to be equal
///
/// to `m`, `k`, `n` of the matrix (A: m, k; B: k, n; C and D: m, n). A sparse A and its index go to
/// `m`, `group` instead: k is cut into groups (see k_per_group), and half of each group survives. A
/// position then holds all survivors of a group, or all their places. An instruction that
/// multiplies several matrices at once adds `block` after these two. One that cuts n into equal
/// parts adds `part`: n counts inside the part, and the column is part * (n / parts) + n. Scales go
/// to `m`, `group` (A) or `group`, `n` (B), a group being a run of k. If the instruction reads or
/// writes only a part of an operand, the map adds `selector` last: the instruction uses the places
/// whose selector is its own. Scales do the same if a register holds more of them than an
/// instruction reads. An address goes to `m` and `block`, the row that begins there. A zero basis
/// marks lanes whose address is not read.
///
/// Every map has these three input axes; one of size 1 has no bases. A position of fewer than 32
/// bits with an `element` axis of size 1 is unpacked: one per register, in its low bits. Positions
/// of 6 bits cross registers: then the `register` axis has size 1 and position p begins at bit
/// 6 * p of the whole tuple.
///
/// Axes are powers of two. If `n` is not a power of two (wgmma), the map has the next power of two,
/// and positions in registers from `registers` on do not exist. The text may have even more
/// registers: instructions that differ only in their number of registers share one text, and
/// isa_fragment cuts it.
struct OperandMap {
  int registers;  // 32-bit registers per lane, of CDNA either VGPRs or AGPRs
  int bits;       // width of one position
  std::string_view text;
  Storage storage = Storage::registers;
};

/// Whether the instruction has such an operand.
constexpr bool exists(const OperandMap& map) {
  return map.registers > 0 || map.storage != Storage::registers;
}

/// The hardware's requirements besides the registers, as bits of `Instruction::constraints`.
enum class Constraint : std::uint16_t {
  exec_all_ones = 1,  // every lane enabled, or the result is undefined
  equal_copies = 2,   // lanes that hold copies hold the same data
  accumulation_registers = 4,
  even_tuples = 8,
  converged_warp = 16,
  warpgroup = 32,
  quarter_of_tensor_memory = 128,
  one_thread = 256,
  not_on_sm_103 = 512,
  byte_containers = 1024,
  even_registers = 2048,
  wide_addresses = 4096,
};

struct ConstraintRow {
  Constraint constraint;
  std::string_view sentence;
};

/// Sources: RDNA3 and RDNA4 Instruction Set Architecture, "Wave Matrix Multiply Accumulate (WMMA)";
/// for CDNA's and gfx1250's registers, LLVM's assembler, which refuses others (a test tries); PTX
/// ISA 9.0, "Warp Level Matrix Multiply-Accumulate Instructions", "Asynchronous Warpgroup Level
/// Matrix Instructions" and "TensorCore 5th Generation Family Instructions"; for wide addresses, a
/// comment of rocRoller's TransposeLoadsTest.cpp, which pads its tiles for this reason.
inline constexpr std::array constraint_rows{
    ConstraintRow{Constraint::exec_all_ones, "EXEC must be all ones"},
    ConstraintRow{Constraint::equal_copies, "copies in other lanes must be equal"},
    ConstraintRow{Constraint::accumulation_registers,
                  "C and D in AGPRs; A and B in VGPRs or AGPRs"},
    ConstraintRow{Constraint::even_tuples,
                  "tuples begin at an even register; A and B in VGPRs or AGPRs; C and D both in "
                  "VGPRs or both in AGPRs"},
    ConstraintRow{Constraint::even_registers, "tuples begin at an even register"},
    ConstraintRow{Constraint::wide_addresses, "each lane's address is a multiple of 16"},
    ConstraintRow{Constraint::converged_warp,
                  "all 32 threads of the warp execute it together, with the same qualifiers"},
    ConstraintRow{Constraint::warpgroup,
                  "all 128 threads of a warpgroup (four consecutive warps, the first a multiple of "
                  "four) execute it together"},
    ConstraintRow{
        Constraint::byte_containers,
        "elements of A and B fill a byte each: of 6 bits its low ones, of 4 bits its bits "
        "2 to 5"},
    ConstraintRow{Constraint::quarter_of_tensor_memory,
                  "warp w reaches lanes 32 * (w % 4) to 32 * (w % 4) + 31 of tensor memory only"},
    ConstraintRow{Constraint::one_thread, "one thread issues it, of a CTA or of a pair of them"},
    ConstraintRow{Constraint::not_on_sm_103, "sm_100 and sm_110 have it, sm_103 does not"},
};

/// The sources that confirm a row, as bits of `Instruction::witnesses`.
///
/// A row is as good as its witnesses: the vendor's documents, other people's programs that were
/// tried on the hardware, and the hardware itself. map_witnesses() counts the witnesses that
/// independently say where elements lie.
enum class Witness : std::uint16_t {
  calculator = 1,  // its own tables
  tilelang = 4,
  llvm = 8,
  iree = 16,
  predecessor = 2,  // the calculator's tables of this instruction on gfx942
  cutlass = 32,
  document = 64,  // the formula that the ISA document publishes, transcribed in the tests
  probe = 128,    // read from a GPU by `heddle probe`; up to the numbering of m, n and k
  ptxas = 256,
  // Of these three k may be numbered otherwise on AMD, in A and B alike.
  triton = 512,
  composable_kernel = 1024,
  rocjitsu = 2048,     // an emulator by AMD
  measurement = 4096,  // that somebody published; tests/data/amd_witnesses.json says who
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
    WitnessRow{Witness::cutlass, true, "CUTLASS's CuTe traits"},
    WitnessRow{Witness::triton, true, "Triton's layouts"},
    WitnessRow{Witness::composable_kernel, true, "AMD Composable Kernel"},
    WitnessRow{Witness::rocjitsu, true, "AMD's emulator rocjitsu"},
    WitnessRow{Witness::measurement, true, "a published measurement"},
    WitnessRow{Witness::document, true, "the ISA document's formula"},
    WitnessRow{Witness::probe, true, "an NVIDIA H200, by heddle probe"},
    WitnessRow{Witness::llvm, false, "LLVM 22"},
    WitnessRow{Witness::ptxas, false, "ptxas 13.0"},
};

/// A number format of A or B that a modifier can choose. `a` and `b` are the maps of an operand of
/// that type. It may have fewer registers than the first format: in CDNA4's f8f6f4, fp8 takes 8
/// registers, fp6 and bf6 take 6, and fp4 takes 4.
struct FormatRow {
  ElementType type;
  OperandMap a, b;
};

/// A row of the catalogue. One row per name, wave size and set of families.
///
///     sizes    m, n and k of one block; with `blocks`, as many pairs are multiplied at once
///     types    of A, B and D; C has D's unless c_type is used
///     maps     of A, B and D, of C where it differs, and of what else there is (exists())
///     others   the rules for a kernel (constraints), the sources (witnesses), and doubts
struct Instruction {
  std::string_view name;  // the assembler's mnemonic; of PTX with all qualifiers
  Families families;      // that have it
  int wave;               // lanes: 32 or 64; 128 for a warpgroup; of tcgen05.mma those of tensor
                          // memory, 256 of a pair of CTAs
  int m, n, k, blocks;
  ElementType a_type, b_type, d_type;
  OperandMap a, b, d;
  OperandMap index;            // does not exist unless A is sparse
  std::string_view intrinsic;  // LLVM's, without the suffix of the overloaded types
  std::uint16_t constraints;
  std::uint16_t witnesses;
  // Fields that few instructions have.
  Kind kind = Kind::multiply;
  std::uint32_t n_sizes = 0;  // bit i: the row is for n = 8 * (i + 1) too (see with_n)
  OperandMap c{};             // does not exist where C has the map and the type of D
  ElementType c_type{};
  OperandMap scale_a{}, scale_b{};
  ElementType scale_type{};
  OperandMap address{};
  // If this list is not empty, modifiers choose the types of A and B by their index in it. The row
  // itself describes the first format for both (see with_formats).
  std::span<const FormatRow> formats{};
  std::string_view doubt{};  // what the witnesses disagree about, or none of them says

  constexpr bool is_sparse() const { return exists(index); }
  constexpr bool is_of(Family family) const { return families.contains(family); }
  /// The first family that has it.
  constexpr Family family() const { return families.first(); }
  constexpr bool has(Operand operand) const { return exists(map(operand)); }
  constexpr bool has(Constraint constraint) const {
    return (constraints & static_cast<std::uint16_t>(constraint)) != 0;
  }
  constexpr bool has(Witness witness) const {
    return (witnesses & static_cast<std::uint16_t>(witness)) != 0;
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
      case Operand::c:
        return kind == Kind::multiply && !exists(c) ? d : c;
      case Operand::d:
        return d;
      case Operand::index:
        return index;
      case Operand::scale_a:
        return scale_a;
      case Operand::scale_b:
        return scale_b;
      case Operand::address:
        return address;
    }
    return d;
  }
  /// The assembler's letter for the registers of an operand: v (VGPRs; of gfx90a and later CDNA
  /// AGPRs as well) or a (AGPRs only).
  constexpr char register_letter(Operand operand) const {
    const bool accumulates = operand == Operand::c || operand == Operand::d;
    return accumulates && has(Constraint::accumulation_registers) ? 'a' : 'v';
  }
  /// The element type; of a sparse index, that of the A it belongs to.
  constexpr ElementType type(Operand operand) const {
    switch (operand) {
      case Operand::a:
      case Operand::index:
        return a_type;
      case Operand::b:
        return b_type;
      case Operand::c:
        return exists(c) ? c_type : d_type;
      case Operand::scale_a:
      case Operand::scale_b:
        return scale_type;
      default:
        return d_type;
    }
  }
};

}  // namespace heddle::instruction
