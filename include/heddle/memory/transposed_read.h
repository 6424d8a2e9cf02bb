// Which lane reads what, where a fragment is loaded by one of AMD's loads from shared memory that
// transpose (instruction/transpose_load_table.h).
//
// Each lane reads a run at an address of its own, and then the lanes exchange the elements. To the
// banks such a load is a plain one of another layout: who reads what before the exchange. With D
// the catalogue's map of what lanes get, and P that of whose address is which row's,
//
//   read_by(load, held) = held ∘ inverse(D) ∘ (elements along n, P)
//
// For host code; it allocates.
//
// Why it is needed: ds_read_b64_tr_b16 of gfx950 gives a lane elements of four rows, of which other
// lanes read at least three. Counting banks by who gets an element would be wrong; counting by who
// reads it is what the memory sees.
#pragma once

#include <expected>
#include <string>

#include "heddle/instruction/fragment.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::memory {

/// Whether the instruction is such a load.
constexpr bool is_transposing_load(const instruction::Instruction& row) {
  return row.kind == instruction::Kind::load && !instruction::is_nvidia(row.family()) &&
         row.address.bits == 32;
}

/// The bytes that a lane reads.
constexpr int bytes_read(const instruction::Instruction& load) { return 4 * load.d.registers; }

/// Who reads what, with the axes (register, lane, …) of `held` and its element axis in that of the
/// registers: the first elements of a lane are what one instruction reads, in the order of memory.
/// Elements narrower than those of the load move several at once.
/// Precondition: is_transposing_load(load).
/// Errors: sentences, of elements that are wider or no power of two narrower, of lanes that have
/// fewer elements than the load gives them, of lanes that are fewer than a wave's.
std::expected<layout::LinearLayout, std::string> read_by(const instruction::Instruction& load,
                                                         const layout::LinearLayout& held,
                                                         int element_bits);

}  // namespace heddle::memory
