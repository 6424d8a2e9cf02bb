// The host's floating-point mode while waves run.
#pragma once

#include <cstdint>

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Puts the rounding and denormal mode of f32 (bits 1..0 and 5..4 of MODE) into the host's control
// register; on hosts other than x86-64, the rounding mode only. Flushing does not affect f16
// arithmetic, since f16 denormals are normal in f32. run_in_other_mode() handles the mode of f16
// and f64.
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

// Runs an instruction on f16 or f64 in their mode, by its handler in Wavefront::inner_handlers. The
// decoder uses this handler only if a code object may have two modes. Denormals of f16 are kept in
// any mode.
const Instruction* run_in_other_mode(Wavefront& w, const Instruction* in);

}  // namespace heddle::emulator
