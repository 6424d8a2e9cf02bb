// The waves of a workgroup in two halves that change places at barriers ("ping-pong"): while one
// half multiplies, the other loads and stores. Waves w and w + 4 of eight share a SIMD of a compute
// unit, and each half has one of the two.
//
//   lower half: load | multiply | load     | multiply | … | load     | multiply | store D
//   upper half:      | load     | multiply | load     | … | multiply | load     | multiply, store D
//
// Every bar is a barrier of the whole workgroup. Between two of them a wave either multiplies or
// does everything else. The upper half waits for one barrier more before its first turn, and the
// lower half for one more behind its last, so that all waves meet equally many barriers.
//
// What the upper half writes to LDS in a turn, the lower half reads in the next one. What it reads,
// the lower half may overwrite in the next one.
#pragma once

#include "compiler/amd/kernel_context.h"

namespace heddle::compiler {

/// Where all waves have met: from here on the halves take turns, and it is the lower half's to
/// load. Until end_turns, all barriers are those of turns.
void begin_turns(const KernelContext& context);

/// The wave has multiplied for the last time: the halves have met equally many barriers.
void end_turns(const KernelContext& context);

/// The wave has loaded and stored, and multiplies next, before the other half of the waves. What it
/// loads from LDS has arrived by then, and what it stores there has been written.
void begin_multiplying(const KernelContext& context);

/// The wave has multiplied, and the other half multiplies next.
void end_multiplying(const KernelContext& context);

}  // namespace heddle::compiler
