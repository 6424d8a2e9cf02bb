// Divides the waves of a workgroup into two halves that take turns ("ping-pong"): while one half
// multiplies, the other half loads and stores. At each barrier the halves change places. Of eight
// waves, w and w + 4 share a SIMD of a compute unit; one of them is in the lower half, the other in
// the upper.
//
//   lower half: load | multiply | load     | multiply | … | load     | multiply | store D
//   upper half:      | load     | multiply | load     | … | multiply | load     | multiply, store D
//
// Every bar is a barrier of the whole workgroup, and what a half does between two bars is a turn:
// it either multiplies, or does everything else. The upper half executes one more barrier before
// its first turn, and the lower half one more after its last, so that all waves execute equally
// many barriers.
//
// In a turn, the lower half reads the data that the upper half wrote to LDS in the previous turn.
// The lower half may overwrite data one turn after the upper half has read them.
#pragma once

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

/// Begins the turns. Call it where all waves have just met at a barrier. The lower half has the
/// first turn and loads. From here to end_turns, a kernel may have no barriers except those between
/// turns.
void begin_turns(const KernelContext& context);

/// Ends the turns. Call it after the wave's last multiplications. Afterwards both halves have
/// executed equally many barriers.
void end_turns(const KernelContext& context);

/// Ends the wave's turn of loads and stores; its next turn is one of multiplications. Waits until
/// the wave's loads from LDS have arrived and the wave's stores to LDS have been written.
void begin_multiplying(const KernelContext& context);

/// Ends a turn of multiplications; the other half multiplies next.
void end_multiplying(const KernelContext& context);

}  // namespace heddle::compiler
