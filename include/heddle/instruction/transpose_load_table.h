// AMD's loads that transpose: ds_read_b64_tr_b16 and similar ones of gfx950, global_load_tr_b128
// and _b64 of gfx12, and those of gfx1250, from LDS and from global memory.
//
// Each lane reads 8, 12 or 16 bytes at its own address, and then the lanes of a block of lanes
// exchange elements. So in the maps here, the bytes of one lane are a row of the matrix in memory:
// m is the lane's number in its block of lanes, n counts along its bytes, and the address of row m
// comes from lane m. A row of the tile as users see it may consist of several such rows: lanes 4 *
// row to 4 * row + 3 of sixteen read a row of the 4 x 16 halves of ds_read_b64_tr_b16.
//
// Sources for which lane gets which elements:
//
//   gfx950   rocRoller's tests, which run on a gfx950 (ROCm/rocm-libraries,
//            TransposeLoadsTest.cpp): a block of sixteen lanes is transposed as a tile of rows of
//            sixteen elements
//   gfx12    measurements that users of gfx1201 published. RDNA4 ISA, "WMMA Matrix Load Ops with
//            Transpose", gives the registers, and says that waves of 64 read from the addresses of
//            lanes 0 to 31. In rocjitsu, lanes 32 to 63 then get the contents of the upper
//            registers
//   gfx1250  measurements that users published for 16 bits, and for 8 bits from LDS; Triton's
//            lowering agrees with both. For 6 and 4 bits the only source is AMD's emulator
//            rocjitsu
//
// tests/instruction/transpose_load_table_test.cpp compares with each and runs every row in the
// emulator.
//
// EXAMPLE, ds_read_b64_tr_b16 of gfx950: each of sixteen lanes reads four halves, 8 bytes. Lane l
// gets half number l % 4 from each of lanes l / 4, l / 4 + 4, l / 4 + 8 and l / 4 + 12:
//
//     reads     lane 0: a0 a1 a2 a3    lane 1: b0 b1 b2 b3    lane 4: e0 e1 e2 e3    …
//     gets      lane 0: a0 e0 i0 m0    lane 1: a1 e1 i1 m1    lane 4: b0 f0 j0 n0    …
//
// If lanes 0 to 3 read one row of memory, lanes 4 to 7 the next and so on, this is a tile of 4 rows
// of 16 halves, and each lane gets a column.
#pragma once

#include "heddle/instruction/instruction.h"
#include "heddle/instruction/matrix_move_table.h"

namespace heddle::instruction {

// clang-format off
namespace transpose_load {
// gfx950: blocks of sixteen lanes.
inline constexpr OperandMap tile_of_16_bits{2, 16,
    "element: (4,0,0); register: (8,0,0); lane: (0,1,0) (0,2,0) (1,0,0) (2,0,0) (0,0,1) (0,0,2) -> m: 16, n: 4, block: 4"};
inline constexpr OperandMap tile_of_8_bits{2, 8,
    "element: (2,0,0) (4,0,0); register: (8,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (1,0,0) (0,0,1) (0,0,2) -> m: 16, n: 8, block: 4"};
inline constexpr OperandMap tile_of_6_bits{3, 6,
    "element: (1,0,0) (2,0,0) (4,0,0) (8,0,0); register:; lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) (0,0,2) -> m: 16, n: 16, block: 4"};
inline constexpr OperandMap tile_of_4_bits{2, 4,
    "element: (1,0,0) (2,0,0) (4,0,0); register: (8,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,0,1) (0,0,2) -> m: 16, n: 16, block: 4"};
// Maps of gfx12 and gfx1250, which transpose squares. With 8 bits, lanes 0 to 3 and 8 to 11 have a
// square, and lanes 4 to 7 and 12 to 15 have another.
inline constexpr OperandMap square_of_16_bits{4, 16,
    "element: (1,0,0); register: (2,0,0) (4,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,0,1) (0,0,2) -> m: 8, n: 8, block: 4"};
inline constexpr OperandMap square_of_8_bits{2, 8,
    "element: (1,0,0) (2,0,0); register: (8,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (4,0,0) (0,0,1) -> m: 16, n: 8, block: 2"};
inline constexpr OperandMap square_of_6_bits{3, 6,
    "element: (1,0) (2,0) (8,0) (16,0); register:; lane: (0,1) (0,2) (0,4) (0,8) (4,0) -> m: 32, n: 16"};
inline constexpr OperandMap square_of_4_bits{2, 4,
    "element: (1,0) (2,0) (4,0); register: (16,0); lane: (0,1) (0,2) (0,4) (0,8) (8,0) -> m: 32, n: 16"};
// The same in waves of 64.
inline constexpr OperandMap wide_square_of_16_bits{2, 16,
    "element: (1,0,0); register: (2,0,0); lane: (0,1,0) (0,2,0) (0,4,0) (0,0,1) (0,0,2) (4,0,0) -> m: 8, n: 8, block: 4"};
inline constexpr OperandMap wide_square_of_8_bits{1, 8,
    "element: (1,0,0) (2,0,0); register:; lane: (0,1,0) (0,2,0) (0,4,0) (4,0,0) (0,0,1) (8,0,0) -> m: 16, n: 8, block: 2"};

inline constexpr std::string_view rows_of_sixteen_lanes = "element:; register:; lane: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) -> m: 16, block: 4";
inline constexpr std::string_view rows_of_32_lanes = "element:; register:; lane: (1) (2) (4) (8) (16) -> m: 32";
inline constexpr std::string_view rows_of_lower_eights = "element:; register:; lane: (1,0) (2,0) (4,0) (0,1) (0,2) (0,0) -> m: 8, block: 4";
inline constexpr std::string_view rows_of_lower_sixteens = "element:; register:; lane: (1,0) (2,0) (4,0) (8,0) (0,1) (0,0) -> m: 16, block: 2";

constexpr OperandMap in_shared_memory(std::string_view lanes) { return {1, 32, lanes}; }
constexpr OperandMap in_global_memory(std::string_view lanes) { return {2, 64, lanes}; }

constexpr std::uint16_t bits_of(auto... flags) {
  return static_cast<std::uint16_t>((0 | ... | static_cast<int>(flags)));
}

inline constexpr auto seen = bits_of(Witness::llvm, Witness::measurement);
inline constexpr auto seen_by_many = bits_of(Witness::llvm, Witness::measurement, Witness::triton, Witness::rocjitsu);
inline constexpr auto emulated = bits_of(Witness::llvm, Witness::rocjitsu);
inline constexpr auto nobody = bits_of(Witness::llvm);

inline constexpr auto even = bits_of(Constraint::even_registers);
inline constexpr auto all_on = bits_of(Constraint::exec_all_ones);
inline constexpr auto even_all_on = bits_of(Constraint::even_registers, Constraint::exec_all_ones);
inline constexpr auto wide_addresses = bits_of(Constraint::wide_addresses);

inline constexpr std::string_view doubt_of_global_bytes =
    "rocjitsu exchanges eight lanes in a row; users of gfx1201 measured what is here";
inline constexpr std::string_view doubt_of_assumed_bytes =
    "nobody published a measurement on gfx1250: assumed to be as ds_load_tr8_b64 there and as "
    "global_load_tr_b64 measured on gfx1201; rocjitsu exchanges eight lanes in a row";
inline constexpr std::string_view doubt_of_wide_bytes =
    "nobody published a measurement in waves of 64: assumed to be as in waves of 32; rocjitsu "
    "exchanges eight lanes in a row";
inline constexpr std::string_view doubt_of_small =
    "nobody published a measurement; AMD's translator of binaries (comgr) exchanges sixteen lanes "
    "in a row, as gfx950 does, where it knows the instruction";

/// A row of the catalogue: its lanes form `blocks` blocks of m lanes, and each lane reads n
/// elements.
constexpr Instruction load(std::string_view name, Families families, int wave, int m, int n,
                           int blocks, ElementType type, const OperandMap& d,
                           const OperandMap& address, std::string_view intrinsic,
                           std::uint16_t constraints, std::uint16_t witnesses,
                           std::string_view doubt = {}) {
  return {.name = name, .families = families, .wave = wave, .m = m, .n = n, .k = 1,
          .blocks = blocks, .a_type = type, .b_type = type, .d_type = type, .a = {}, .b = {},
          .d = d, .index = {}, .intrinsic = intrinsic, .constraints = constraints,
          .witnesses = witnesses, .kind = Kind::load, .address = address, .doubt = doubt};
}
}  // namespace transpose_load

inline constexpr auto transpose_load_instructions = [] {
  using enum ElementType;
  using namespace transpose_load;
  constexpr Families gfx950 = Families(Family::gfx950), gfx12 = Families(Family::gfx12), gfx1250 = Families(Family::gfx1250);
  constexpr OperandMap sixteens = in_shared_memory(rows_of_sixteen_lanes);
  constexpr OperandMap all = in_shared_memory(rows_of_32_lanes);
  constexpr std::string_view eights_of_32 = matrix_move::rows_x4.text, sixteens_of_32 = matrix_move::rows_16_x2.text;
  return std::array{
      load("ds_read_b64_tr_b16", gfx950, 64, 16, 4, 4, b16, tile_of_16_bits, sixteens, "llvm.amdgcn.ds.read.tr16.b64", even, seen_by_many),
      load("ds_read_b64_tr_b8", gfx950, 64, 16, 8, 4, b8, tile_of_8_bits, sixteens, "llvm.amdgcn.ds.read.tr8.b64", even, seen_by_many),
      load("ds_read_b96_tr_b6", gfx950, 64, 16, 16, 4, b6, tile_of_6_bits, sixteens, "llvm.amdgcn.ds.read.tr6.b96", wide_addresses, seen),
      load("ds_read_b64_tr_b4", gfx950, 64, 16, 16, 4, b4, tile_of_4_bits, sixteens, "llvm.amdgcn.ds.read.tr4.b64", even, seen),

      load("global_load_tr_b128", gfx12, 32, 8, 8, 4, b16, square_of_16_bits, in_global_memory(eights_of_32), "llvm.amdgcn.global.load.tr.b128", all_on, bits_of(Witness::llvm, Witness::measurement, Witness::rocjitsu)),
      load("global_load_tr_b64", gfx12, 32, 16, 8, 2, b8, square_of_8_bits, in_global_memory(sixteens_of_32), "llvm.amdgcn.global.load.tr.b64", all_on, seen, doubt_of_global_bytes),
      load("global_load_tr_b128", gfx12, 64, 8, 8, 4, b16, wide_square_of_16_bits, in_global_memory(rows_of_lower_eights), "llvm.amdgcn.global.load.tr.b128", all_on, emulated),
      load("global_load_tr_b64", gfx12, 64, 16, 8, 2, b8, wide_square_of_8_bits, in_global_memory(rows_of_lower_sixteens), "llvm.amdgcn.global.load.tr.b64", all_on, nobody, doubt_of_wide_bytes),

      load("ds_load_tr16_b128", gfx1250, 32, 8, 8, 4, b16, square_of_16_bits, in_shared_memory(eights_of_32), "llvm.amdgcn.ds.load.tr16.b128", even_all_on, seen_by_many),
      load("ds_load_tr8_b64", gfx1250, 32, 16, 8, 2, b8, square_of_8_bits, in_shared_memory(sixteens_of_32), "llvm.amdgcn.ds.load.tr8.b64", even_all_on, seen_by_many),
      load("ds_load_tr6_b96", gfx1250, 32, 32, 16, 1, b6, square_of_6_bits, all, "llvm.amdgcn.ds.load.tr6.b96", all_on, emulated, doubt_of_small),
      load("ds_load_tr4_b64", gfx1250, 32, 32, 16, 1, b4, square_of_4_bits, all, "llvm.amdgcn.ds.load.tr4.b64", even_all_on, emulated, doubt_of_small),
      load("global_load_tr16_b128", gfx1250, 32, 8, 8, 4, b16, square_of_16_bits, in_global_memory(eights_of_32), "llvm.amdgcn.global.load.tr.b128", even_all_on, bits_of(Witness::llvm, Witness::measurement, Witness::rocjitsu)),
      load("global_load_tr8_b64", gfx1250, 32, 16, 8, 2, b8, square_of_8_bits, in_global_memory(sixteens_of_32), "llvm.amdgcn.global.load.tr.b64", even_all_on, nobody, doubt_of_assumed_bytes),
      load("global_load_tr6_b96", gfx1250, 32, 32, 16, 1, b6, square_of_6_bits, in_global_memory(rows_of_32_lanes), "llvm.amdgcn.global.load.tr6.b96", all_on, emulated, doubt_of_small),
      load("global_load_tr4_b64", gfx1250, 32, 32, 16, 1, b4, square_of_4_bits, in_global_memory(rows_of_32_lanes), "llvm.amdgcn.global.load.tr4.b64", even_all_on, emulated, doubt_of_small),
  };
}();
// clang-format on

}  // namespace heddle::instruction
