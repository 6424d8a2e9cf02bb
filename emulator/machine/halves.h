// A wave of 64 lanes, executed as two halves of 32.
//
// Scalar registers, the program counter and the barrier are those of the lower half's Wavefront. A
// vector instruction becomes two instructions, one for each half, which differ where a scalar
// register holds a bit per lane: the upper half reads and writes the second word. Before the upper
// half runs, its Wavefront gets the earlier scalar registers, with the upper words of EXEC and VCC
// in the places of a wave of 32. Instructions that move data across the halves have separate
// handlers (Row::wave).
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Gives the upper half the scalar registers as it sees them.
void lend_scalars(const Wavefront& w, Wavefront& upper);

// Executes the two instructions at `in->target`, then takes over the one word that the upper half
// may have written to a scalar register: from `in->destination2` to `in->destination`.
const Instruction* run_halves(Wavefront& w, const Instruction* in);
// The same if either half may read the first source of the other, the register
// `in->source[0].index` (DPP of CDNA). first_spare_register + 1 of both halves then holds its old
// value.
const Instruction* run_halves_that_share(Wavefront& w, const Instruction* in);
void share_source(Wavefront& w, const Instruction* in);

// The same, and EXEC, which both have written, goes to the two words at `in->source[0].index` too.
const Instruction* run_halves_that_write_exec(Wavefront& w, const Instruction* in);

// Whether a handler is one of these.
bool runs_halves(Handler handler);

// Rewrites the lower half's instruction for the upper half. Bit i of `mask_sources` is set if
// source i holds a bit per lane; `mask_destination` says the same of the destination.
void move_to_upper_half(Instruction& in, unsigned mask_sources, bool mask_destination,
                        bool carry_out);

}  // namespace heddle::emulator
