// Executes a wave of 64 lanes as two halves of 32 lanes, each with a Wavefront.
//
// The lower half's Wavefront has the scalar registers, the program counter and the barrier. A
// vector instruction becomes two instructions, one for each half. The two differ if a scalar
// register has a bit for each lane: the upper half's instruction then reads and writes the
// register's second word.
//
// Before the upper half's instruction runs, its Wavefront gets a copy of the scalar registers as
// they were before the lower half's instruction. In this copy, the upper words of EXEC and VCC are
// where a wave of 32 lanes has EXEC and VCC. Instructions that move data between the halves have
// separate handlers (Row::wave).
#pragma once

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Copies the scalar registers of the lower half, `w`, to the upper half, where the words of EXEC
// and VCC are the upper half's.
void lend_scalars(const Wavefront& w, Wavefront& upper);

// Executes the two instructions at `in->target`, one for each half. If the upper half's instruction
// writes a scalar register, that is `in->destination2` of `upper`; it is then copied to
// `in->destination` of `w`.
const Instruction* run_halves(Wavefront& w, const Instruction* in);
// Like run_halves, for instructions in which each half may read the other half's first source, the
// register `in->source[0].index` (DPP of CDNA). Before the first half's instruction runs,
// share_source() copies this register, in both halves, to the register first_spare_register + 1.
const Instruction* run_halves_that_share(Wavefront& w, const Instruction* in);
void share_source(Wavefront& w, const Instruction* in);

// Like run_halves, for instructions by which each half writes its EXEC. The two words of EXEC are
// also copied to the two scalar registers from `in->source[0].index` on.
const Instruction* run_halves_that_write_exec(Wavefront& w, const Instruction* in);

// Whether a handler is one of these.
bool runs_halves(Handler handler);

// Changes `in` from the instruction of the lower half to that of the upper half. Bit i of
// `mask_sources` says that source i is a mask with a bit for each lane; `mask_destination` says
// that the destination is such a mask.
void move_to_upper_half(Instruction& in, unsigned mask_sources, bool mask_destination,
                        bool carry_out);

}  // namespace heddle::emulator
