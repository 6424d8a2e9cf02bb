// A matrix instruction as a row of data: its shape, the maps of its operands, and the sources
// (witnesses) that confirm it.
//
// HOW TO READ A ROW. v_wmma_f32_16x16x16_f16 of gfx11 in waves of 32 has this map of A:
//
//     {8, 16, "element: (0,1); register: (0,2) (0,4) (0,8);
//              lane: (1,0) (2,0) (4,0) (8,0) (0,0) -> m: 16, k: 16"}
//
// There are eight registers, with elements of 16 bits. The two elements of a register are
// consecutive in k, and the bits of the register number step through k by 2, 4 and 8: a lane holds
// all sixteen k of one row. Lane bits 0 to 3 choose the row m. Lane bit 4 has a zero basis: lanes
// 16 to 31 hold copies. So A(m = 3, k = 5) is in register 2, bits 16 to 31, of lanes 3 and 19.
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

/// The operands of an instruction:
///
///   a, b, c, d         of D = A * B + C; A is m x k, B is k x n, C and D are m x n
///   index              of a sparse instruction: says which elements of A are stored
///   scale_a, scale_b   of a block-scaled product: the factors of A and B, each for a range of k
///   address            of a load or store: where a row of a matrix begins in memory; a lane
///                      holds one address
enum class Operand : std::uint8_t { a, b, c, d, index, scale_a, scale_b, address };

inline constexpr std::array all_operands{Operand::a,       Operand::b,      Operand::c,
                                         Operand::d,       Operand::index,  Operand::scale_a,
                                         Operand::scale_b, Operand::address};

/// The letter that the ISA documents use for an operand. The index of a sparse A is "K" in AMD's
/// calculator.
constexpr std::string_view name(Operand operand) {
  constexpr std::array<std::string_view, all_operands.size()> names{"A", "B",  "C",  "D",
                                                                    "K", "SA", "SB", "P"};
  return names[static_cast<std::size_t>(operand)];
}

/// The operation of an instruction.
///
///   multiply   D = A * B + C
///   load       D = matrices in memory: `blocks` matrices of m rows and n columns. a_type is the
///              type of their elements in memory. If addresses have 64 bits, it is global memory
///   store      matrices in memory = D; the fields have the same meaning
///   transpose  D = A transposed, both in registers
enum class Kind : std::uint8_t { multiply, load, store, transpose };

/// Where an operand is:
/// - in registers of the lanes;
/// - in shared memory as a descriptor says (shared_operand.h);
/// - in the tensor memory of sm_100: then the axis `register` of the map means the 32-bit columns
/// of tensor memory, and the axis `lane` its lanes.
enum class Storage : std::uint8_t { registers, shared_memory, tensor_memory };

/// The layout of an operand in a wave. `text` is a layout (heddle/layout/text.h) whose input axes
/// are
///
///   element   position in a 32-bit register; position p begins at bit p * bits
///   register  index of the 32-bit register (AMD: VGPR) in the operand's tuple; of the pair of
///             registers if positions have 64 bits
///   lane      lane of the wave (of NVIDIA's warpgroups 0 to 127). A zero basis means copies, which
///             the hardware requires to be equal
///
/// and whose output axes are two of `m`, `k`, `n` of the matrix (A: m, k; B: k, n; C and D: m, n).
/// There are these variations:
/// - A sparse A and its index have `m`, `group`: k is divided into groups (see k_per_group), and
/// half of the elements of each group are stored. A position holds all stored elements of a group,
/// or all their indices.
/// - An instruction that multiplies several matrices at once has a third output axis, `block`. One
/// that divides n into equal parts has `part`: n counts within the part, and the column is part *
/// (n / parts) + n.
/// - Scales have `m`, `group` (A) or `group`, `n` (B); here a group is a range of consecutive k.
/// - If the instruction reads or writes only a part of the registers' contents, the last output
/// axis is `selector`: the instruction uses the positions whose selector is the one that it names.
/// Scales have a selector too, if a register holds more of them than an instruction reads.
/// - An address has `m` and `block`: the row that begins there. A zero basis marks lanes whose
/// address is not read.
///
/// Every map has all three input axes; an axis of size 1 has no bases. If the `element` axis has
/// size 1 and positions have fewer than 32 bits, each register holds one position, in its low bits
/// (unpacked). Positions of 6 bits cross from one register to the next: then the `register` axis
/// has size 1, and position p begins at bit 6 * p of the whole tuple.
///
/// The sizes of axes are powers of two. If `n` is not a power of two (wgmma), the map has the next
/// power of two, and positions in registers from `registers` on do not exist. The text may have
/// even more registers, because instructions that differ only in their number of registers share
/// one text; isa_fragment cuts it.
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

/// Requirements of the hardware other than the layout, as bits of `Instruction::constraints`.
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
/// for the registers of CDNA and gfx1250, LLVM's assembler, which rejects all others (a test tries
/// this); PTX ISA 9.0, "Warp Level Matrix Multiply-Accumulate Instructions", "Asynchronous
/// Warpgroup Level Matrix Instructions" and "TensorCore 5th Generation Family Instructions"; for
/// wide addresses, a comment in rocRoller's TransposeLoadsTest.cpp, which pads its tiles for this
/// reason.
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

/// The sources that confirm a row, as bits of `Instruction::witnesses`: the vendor's documents,
/// other projects' programs that were tested on the hardware, and the hardware itself. A row is as
/// reliable as its witnesses. map_witnesses() counts those that independently say which lane and
/// register holds which element.
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
  // On AMD, these three may number k differently, alike in A and B.
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

/// A number format of A or B that a modifier can choose. `a` and `b` are the maps of operands with
/// this format. The maps may have fewer registers than those of the first format: in CDNA4's
/// f8f6f4, fp8 takes 8 registers, fp6 and bf6 take 6, and fp4 takes 4.
struct FormatRow {
  ElementType type;
  OperandMap a, b;
};

/// A row of the catalogue. There is one row for each name, wave size and set of families.
///
///     sizes    m, n and k of one block; `blocks` pairs of matrices are multiplied at once
///     types    of A, B and D; C has D's type unless c_type is used
///     maps     of A, B and D, of C if it differs, and of other operands if they exist (exists())
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
  // If this list is not empty, modifiers choose the types of A and B: they are indices in this
  // list. The row itself has the first format for A and for B (see with_formats).
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
  /// The number of independent witnesses that say which lane and register holds which element.
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
  /// The assembler's letter for the registers of an operand: v for VGPRs (on gfx90a and later CDNA
  /// also AGPRs), a for AGPRs only.
  constexpr char register_letter(Operand operand) const {
    const bool accumulates = operand == Operand::c || operand == Operand::d;
    return accumulates && has(Constraint::accumulation_registers) ? 'a' : 'v';
  }
  /// The element type of an operand; for the index of a sparse A, the type of A.
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
