// The host's floating-point mode while waves run.
#pragma once

#include <cstdint>

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Puts the rounding and denormal mode of f32 (bits 1..0 and 5..4 of MODE) into the host's control
// register; on hosts other than x86-64, the rounding mode only. f16 arithmetic is unaffected by
// flushing, as f16 denormals are normal in f32. The mode of f16 and f64 is run_in_other_mode()'s.
void install_float_mode(uint32_t mode);

// Restores the host's own mode at the end of the scope.
class FloatModeScope {
 public:
  FloatModeScope();
  ~FloatModeScope();
  FloatModeScope(const FloatModeScope&) = delete;
  FloatModeScope& operator=(const FloatModeScope&) = delete;

 private:
  uint32_t saved_;
};

// Whether MODE has another rounding or denormal mode for f16 and f64 than for f32 (bits 7..0).
bool has_two_float_modes(uint32_t mode);

// Runs an instruction on f16 or f64 in their mode: Wavefront::inner_handlers says what it does. The
// decoder puts this handler in only where a code object may have two modes at all. Denormals of f16
// are kept in any mode.
const Instruction* run_in_other_mode(Wavefront& w, const Instruction* in);

}  // namespace heddle::emulator
