// Where PTX ISA 9.0 says that the elements of mma.sync lie: its formulas, section by section
// ("Matrix Fragments for mma.mXnYkZ", 9.7.14.5.1 to 9.7.14.5.13, and of sparse ones, 9.7.14.6.2.1
// to 9.7.14.6.2.8), written down as they are printed and without a look at the catalogue. Element i
// of a fragment begins at bit i * width of its registers. What the document has in figures only is
// not here: the index of a sparse A, scales, and B where it is deeper than any dense one.
#pragma once

#include <array>

#include "heddle/instruction/instruction.h"

namespace heddle::test {

struct RowColumn {
  int row, column;

  friend bool operator==(const RowColumn&, const RowColumn&) = default;
};

/// lane, i -> row and column of element i of that lane.
using Fragment = RowColumn (*)(int lane, int i);

namespace ptx {

inline int group_of(int lane) { return lane >> 2; }
inline int thread_of(int lane) { return lane % 4; }

// 9.7.14.5.1: m8n8k4 with .f16. Which of the four multiplications a lane is of: lanes 0-3 and 16-19
// the first, 4-7 and 20-23 the second, and so on.
inline int computation_of(int lane) { return lane % 16 / 4; }

inline RowColumn a_884_row(int lane, int i) { return {lane < 16 ? lane % 4 : lane % 4 + 4, i}; }
inline RowColumn a_884_col(int lane, int i) { return {lane < 16 ? i % 4 : i % 4 + 4, lane % 4}; }
inline RowColumn b_884_row(int lane, int i) { return {lane % 4, lane < 16 ? i : i + 4}; }
inline RowColumn b_884_col(int lane, int i) { return {i, lane < 16 ? lane % 4 : lane % 4 + 4}; }
inline RowColumn c_884_f16(int lane, int i) { return {lane < 16 ? lane % 4 : lane % 4 + 4, i}; }
inline RowColumn c_884_f32(int lane, int i) {
  const int x = (lane & 0b1) + (i & 0b10);
  return {lane < 16 ? x : x + 4, (i & 0b100) + (lane & 0b10) + (i & 0b1)};
}

// 9.7.14.5.2: m8n8k4 with .f64.
inline RowColumn a_884_f64(int lane, int) { return {lane >> 2, lane % 4}; }
inline RowColumn b_884_f64(int lane, int) { return {lane % 4, lane >> 2}; }
inline RowColumn c_884_f64(int lane, int i) {
  return {group_of(lane), thread_of(lane) * 2 + (i & 0x1)};
}

// 9.7.14.5.3: m8n8k16.
inline RowColumn a_8816(int lane, int i) { return {group_of(lane), thread_of(lane) * 4 + i}; }
inline RowColumn b_8816(int lane, int i) { return {thread_of(lane) * 4 + i, group_of(lane)}; }
inline RowColumn c_8816(int lane, int i) { return {group_of(lane), thread_of(lane) * 2 + i}; }

// 9.7.14.5.4: m8n8k32.
inline RowColumn a_8832(int lane, int i) { return {group_of(lane), thread_of(lane) * 8 + i}; }
inline RowColumn b_8832(int lane, int i) { return {thread_of(lane) * 8 + i, group_of(lane)}; }
inline RowColumn c_8832(int lane, int i) { return {group_of(lane), thread_of(lane) * 2 + i}; }

// 9.7.14.5.5: m8n8k128.
inline RowColumn a_88128(int lane, int i) { return {group_of(lane), thread_of(lane) * 32 + i}; }
inline RowColumn b_88128(int lane, int i) { return {thread_of(lane) * 32 + i, group_of(lane)}; }
inline RowColumn c_88128(int lane, int i) { return {group_of(lane), thread_of(lane) * 2 + i}; }

// 9.7.14.5.6: m16n8k4, .tf32 and .f64.
inline RowColumn a_1684(int lane, int i) {
  return {i == 0 ? group_of(lane) : group_of(lane) + 8, thread_of(lane)};
}
inline RowColumn b_1684(int lane, int) { return {thread_of(lane), group_of(lane)}; }
inline RowColumn c_1684(int lane, int i) {
  return {i == 0 || i == 1 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 2 + (i & 0x1)};
}

// 9.7.14.5.7: m16n8k8, .f16 and .bf16.
inline RowColumn a_1688(int lane, int i) {
  return {i == 0 || i == 1 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 2 + (i & 0x1)};
}
inline RowColumn b_1688(int lane, int i) { return {thread_of(lane) * 2 + i, group_of(lane)}; }
inline RowColumn c_1688(int lane, int i) { return c_1684(lane, i); }

// The same section: .tf32 and .f64.
inline RowColumn a_1688_wide(int lane, int i) {
  return {i == 0 || i == 2 ? group_of(lane) : group_of(lane) + 8,
          i == 0 || i == 1 ? thread_of(lane) : thread_of(lane) + 4};
}
inline RowColumn b_1688_wide(int lane, int i) {
  return {i == 0 ? thread_of(lane) : thread_of(lane) + 4, group_of(lane)};
}

// 9.7.14.5.8: m16n8k16, .f16 and .bf16.
inline RowColumn a_16816(int lane, int i) {
  return {(0 <= i && i < 2) || (4 <= i && i < 6) ? group_of(lane) : group_of(lane) + 8,
          i < 4 ? thread_of(lane) * 2 + (i & 0x1) : thread_of(lane) * 2 + (i & 0x1) + 8};
}
inline RowColumn b_16816(int lane, int i) {
  return {i < 2 ? thread_of(lane) * 2 + (i & 0x1) : thread_of(lane) * 2 + (i & 0x1) + 8,
          group_of(lane)};
}
inline RowColumn c_16816(int lane, int i) {
  return {i < 2 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 2 + (i & 0x1)};
}

// The same section: .f64.
inline RowColumn a_16816_f64(int lane, int i) {
  return {i % 2 == 0 ? group_of(lane) : group_of(lane) + 8,
          i % 2 == 0 ? i * 2 + thread_of(lane) : i * 2 - 2 + thread_of(lane)};
}
inline RowColumn b_16816_f64(int lane, int i) { return {thread_of(lane) + i * 4, group_of(lane)}; }

// 9.7.14.5.9: m16n8k16, 8 bits.
inline RowColumn a_16816_i8(int lane, int i) {
  return {i < 4 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 4 + (i & 0x3)};
}
inline RowColumn b_16816_i8(int lane, int i) { return {thread_of(lane) * 4 + i, group_of(lane)}; }

// 9.7.14.5.10: m16n8k32, 4 bits.
inline RowColumn a_16832_i4(int lane, int i) {
  return {i < 8 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 8 + (i & 0x7)};
}
inline RowColumn b_16832_i4(int lane, int i) {
  return {thread_of(lane) * 8 + (i & 0x7), group_of(lane)};
}

// The same section: 8 bits.
inline RowColumn a_16832_i8(int lane, int i) {
  return {(0 <= i && i < 4) || (8 <= i && i < 12) ? group_of(lane) : group_of(lane) + 8,
          i < 8 ? thread_of(lane) * 4 + (i & 0x3) : thread_of(lane) * 4 + (i & 0x3) + 16};
}
inline RowColumn b_16832_i8(int lane, int i) {
  return {i < 4 ? thread_of(lane) * 4 + (i & 0x3) : thread_of(lane) * 4 + (i & 0x3) + 16,
          group_of(lane)};
}

// 9.7.14.5.11: m16n8k64.
inline RowColumn a_16864(int lane, int i) {
  return {(0 <= i && i < 8) || (16 <= i && i < 24) ? group_of(lane) : group_of(lane) + 8,
          i < 16 ? thread_of(lane) * 8 + (i & 0x7) : thread_of(lane) * 8 + (i & 0x7) + 32};
}
inline RowColumn b_16864(int lane, int i) {
  return {i < 8 ? thread_of(lane) * 8 + (i & 0x7) : thread_of(lane) * 8 + (i & 0x7) + 32,
          group_of(lane)};
}

// 9.7.14.5.12: m16n8k128.
inline RowColumn a_168128(int lane, int i) {
  return {i < 32 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 32 + (i & 0x1F)};
}
inline RowColumn b_168128(int lane, int i) { return {thread_of(lane) * 32 + i, group_of(lane)}; }

// 9.7.14.5.13: m16n8k256. For i < 64 the document prints column threadID_in_group * 32 + i, without
// the mask that it has for the others; that would place elements 32 to 63 in columns of the next
// thread, and those of the last thread in columns 128 to 159.
inline RowColumn a_168256(int lane, int i) {
  return {(0 <= i && i < 32) || (64 <= i && i < 96) ? group_of(lane) : group_of(lane) + 8,
          i < 64 ? thread_of(lane) * 32 + (i & 0x1F) : thread_of(lane) * 32 + (i & 0x1F) + 128};
}
inline RowColumn b_168256(int lane, int i) {
  return {i < 32 ? thread_of(lane) * 32 + (i & 0x1F) : thread_of(lane) * 32 + (i & 0x1F) + 128,
          group_of(lane)};
}

// 9.7.14.6.2.1 to 9.7.14.6.2.8, A of sparse ones: the row of element i, and the first of the
// columns that its register's elements survive from; the last is so many behind as a register has
// columns.
inline RowColumn sparse_a_16816(int lane, int i) {
  return {i == 0 || i == 1 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 4};
}
inline RowColumn sparse_a_16832(int lane, int i) {
  return {(0 <= i && i < 2) || (4 <= i && i < 6) ? group_of(lane) : group_of(lane) + 8,
          i < 4 ? thread_of(lane) * 4 : thread_of(lane) * 4 + 16};
}
inline RowColumn sparse_a_16816_tf32(int lane, int i) {
  return {i == 0 || i == 2 ? group_of(lane) : group_of(lane) + 8,
          i == 0 || i == 1 ? thread_of(lane) * 2 : thread_of(lane) * 2 + 8};
}
inline RowColumn sparse_a_1688_tf32(int lane, int i) {
  return {i == 0 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 2};
}
inline RowColumn sparse_a_16832_i8(int lane, int i) {
  return {0 <= i && i < 4 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 8};
}
inline RowColumn sparse_a_16864_i8(int lane, int i) {
  return {(0 <= i && i < 4) || (8 <= i && i < 12) ? group_of(lane) : group_of(lane) + 8,
          i < 8 ? thread_of(lane) * 8 : thread_of(lane) * 8 + 32};
}
inline RowColumn sparse_a_16864_i4(int lane, int i) {
  return {0 <= i && i < 8 ? group_of(lane) : group_of(lane) + 8, thread_of(lane) * 16};
}
inline RowColumn sparse_a_168128_i4(int lane, int i) {
  return {(0 <= i && i < 8) || (16 <= i && i < 24) ? group_of(lane) : group_of(lane) + 8,
          i < 16 ? thread_of(lane) * 16 : thread_of(lane) * 16 + 64};
}

}  // namespace ptx

/// The formulas of one shape and width of A and B, in bits.
struct MmaFormulas {
  int m, k, bits;
  Fragment a, b, c;
};

inline constexpr std::array mma_formulas{
    MmaFormulas{8, 4, 64, ptx::a_884_f64, ptx::b_884_f64, ptx::c_884_f64},
    MmaFormulas{8, 16, 8, ptx::a_8816, ptx::b_8816, ptx::c_8816},
    MmaFormulas{8, 32, 4, ptx::a_8832, ptx::b_8832, ptx::c_8832},
    MmaFormulas{8, 128, 1, ptx::a_88128, ptx::b_88128, ptx::c_88128},
    MmaFormulas{16, 4, 32, ptx::a_1684, ptx::b_1684, ptx::c_1684},
    MmaFormulas{16, 4, 64, ptx::a_1684, ptx::b_1684, ptx::c_1684},
    MmaFormulas{16, 8, 16, ptx::a_1688, ptx::b_1688, ptx::c_1688},
    MmaFormulas{16, 8, 32, ptx::a_1688_wide, ptx::b_1688_wide, ptx::c_1688},
    MmaFormulas{16, 8, 64, ptx::a_1688_wide, ptx::b_1688_wide, ptx::c_1688},
    MmaFormulas{16, 16, 16, ptx::a_16816, ptx::b_16816, ptx::c_16816},
    MmaFormulas{16, 16, 64, ptx::a_16816_f64, ptx::b_16816_f64, ptx::c_16816},
    MmaFormulas{16, 16, 8, ptx::a_16816_i8, ptx::b_16816_i8, ptx::c_16816},
    MmaFormulas{16, 32, 4, ptx::a_16832_i4, ptx::b_16832_i4, ptx::c_16816},
    MmaFormulas{16, 32, 8, ptx::a_16832_i8, ptx::b_16832_i8, ptx::c_16816},
    MmaFormulas{16, 64, 4, ptx::a_16864, ptx::b_16864, ptx::c_16816},
    MmaFormulas{16, 128, 1, ptx::a_168128, ptx::b_168128, ptx::c_16816},
    MmaFormulas{16, 256, 1, ptx::a_168256, ptx::b_168256, ptx::c_16816},
};

/// Of a sparse A: its formula gives the first column, and a register has so many of them. So many
/// lanes of a quad hold the index: those whose number divided by it is the sparsity selector
/// (9.7.14.6.1, "The sparsity selector indicates the threads which contribute metadata").
struct SparseFormula {
  int k, bits;
  Fragment a;
  int columns, index_lanes;
};

inline constexpr std::array sparse_formulas{
    SparseFormula{16, 16, ptx::sparse_a_16816, 4, 1},
    SparseFormula{32, 16, ptx::sparse_a_16832, 4, 2},
    SparseFormula{16, 32, ptx::sparse_a_16816_tf32, 2, 2},
    SparseFormula{8, 32, ptx::sparse_a_1688_tf32, 2, 1},
    SparseFormula{32, 8, ptx::sparse_a_16832_i8, 8, 2},
    SparseFormula{64, 8, ptx::sparse_a_16864_i8, 8, 4},
    SparseFormula{64, 4, ptx::sparse_a_16864_i4, 16, 2},
    SparseFormula{128, 4, ptx::sparse_a_168128_i4, 16, 4},
};

/// Bits that an element of A or B takes in its register.
inline int position_bits(const instruction::Instruction& row) {
  // "individual 4-bit and 6-bit floating point type elements must be packed in an 8-bit container"
  return row.name.find("f8f6f4") != row.name.npos ? 8 : instruction::bits(row.a_type);
}

inline const SparseFormula* sparse_formula(const instruction::Instruction& row) {
  for (const SparseFormula& formula : sparse_formulas)
    if (formula.k == row.k && formula.bits == position_bits(row)) return &formula;
  return nullptr;
}

/// The formula of B, C or D, or of a dense A; nullptr where the document has none.
inline Fragment mma_formula(const instruction::Instruction& row, instruction::Operand operand) {
  using instruction::Operand;
  const bool is_a = operand == Operand::a, is_b = operand == Operand::b;
  if (row.blocks == 4) {  // 9.7.14.5.1
    const bool a_row =
        row.name.find(".row.row.") != row.name.npos || row.name.find(".row.col.") != row.name.npos;
    const bool b_row =
        row.name.find(".row.row.") != row.name.npos || row.name.find(".col.row.") != row.name.npos;
    if (is_a) return a_row ? ptx::a_884_row : ptx::a_884_col;
    if (is_b) return b_row ? ptx::b_884_row : ptx::b_884_col;
    return row.type(operand) == instruction::ElementType::f16 ? ptx::c_884_f16 : ptx::c_884_f32;
  }
  // "Matrix fragments for accumulators C and D are the same as in case of mma.m16n8k16" and others
  // of m16n8.
  if (!is_a && !is_b && row.is_sparse()) return ptx::c_16816;
  for (const MmaFormulas& formulas : mma_formulas)
    if (formulas.m == row.m && formulas.k == row.k && formulas.bits == position_bits(row))
      return is_a ? formulas.a : is_b ? formulas.b : formulas.c;
  return nullptr;
}

}  // namespace heddle::test
