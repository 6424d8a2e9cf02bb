// Which lane reads which elements, if one of AMD's transposing loads from shared memory loads a
// fragment (instruction/transpose_load_table.h).
//
// Each lane reads a run of elements at its own address, and then the lanes exchange the elements.
// For the banks this is a plain load of another layout: the elements that each lane reads before
// the exchange. D is the catalogue's map of the elements that lanes get. P is the catalogue's map
// from each lane to the row that begins at the lane's address. Then
//
//   read_by(load, held) = held ∘ inverse(D) ∘ (elements along n, P)
//
// For host code; it allocates.
//
// Why it is needed: ds_read_b64_tr_b16 of gfx950 gives a lane elements of four rows, of which other
// lanes read at least three. The banks serve the lane that reads an element, so counting by the
// lane that gets it would be wrong.
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

/// The elements that each lane reads, with the axes (register, lane, …) of `held`; the element axis
/// is part of the register axis. The first elements of a lane are those that one instruction reads,
/// in the order of memory. If the elements of `held` are narrower than the elements of the load,
/// the load moves several of them as one.
///
/// Precondition: is_transposing_load(load). Errors are sentences: elements that are wider than the
/// load's, or narrower by a factor that is no power of two; lanes that have fewer elements than the
/// load gives them; fewer lanes than a wave has.
std::expected<layout::LinearLayout, std::string> read_by(const instruction::Instruction& load,
                                                         const layout::LinearLayout& held,
                                                         int element_bits);

}  // namespace heddle::memory
