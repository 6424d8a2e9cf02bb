// The waves of a workgroup in two halves that change places at barriers ("ping-pong"): while one
// half multiplies, the other loads and stores. Waves w and w + 4 of eight share a SIMD of a compute
// unit, and each half has one of the two.
//
//   lower half: load | multiply | load     | multiply | … | load     | multiply | store D
//   upper half:      | load     | multiply | load     | … | multiply | load     | multiply, store D
//
// Every bar is a barrier of the whole workgroup. Between two of them a wave either multiplies or
// does everything else. The upper half waits for an extra barrier before its first turn, and the
// lower half for one behind its last, so that all waves meet equally many barriers.
//
// In a turn, the lower half reads the data that the upper half wrote to LDS in the previous turn.
// The lower half may overwrite data one turn after the upper half has read them.
#pragma once

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

/// Begins the turns, where all waves have met; the lower half loads first. Until end_turns, all
/// barriers are those of turns.
void begin_turns(const KernelContext& context);

/// Ends the turns: the wave has multiplied for the last time, and the halves have met equally many
/// barriers.
void end_turns(const KernelContext& context);

/// Ends a turn of loads and stores; the wave multiplies next, before the other half. By then its
/// loads from LDS have arrived, and its stores there have been written.
void begin_multiplying(const KernelContext& context);

/// Ends a turn of multiplications; the other half multiplies next.
void end_multiplying(const KernelContext& context);

}  // namespace heddle::compiler
