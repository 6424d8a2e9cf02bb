// The host's floating-point mode while waves run.
#pragma once

#include <cstdint>

#include "emulator/machine/wavefront.h"

namespace heddle::emulator {

// Sets the host's float mode to the kernel's mode for f32: rounding (bits 1..0 of MODE) and
// denormals (bits 5..4). On hosts other than x86-64, only the rounding is set. If denormals are
// flushed, f16 arithmetic is not affected, since f16 denormals are normal numbers in f32. The mode
// for f16 and f64 is set by run_in_other_mode().
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

// True if MODE (bits 7..0) has another rounding or denormal mode for f16 and f64 than for f32.
bool has_two_float_modes(uint32_t mode);

// Runs an instruction on f16 or f64 in the float mode that MODE has for these types: sets that
// mode, and calls the instruction's handler in Wavefront::inner_handlers. The decoder uses this
// function as the handler only if the code object may have two modes. Denormals of f16 are kept in
// every mode.
const Instruction* run_in_other_mode(Wavefront& w, const Instruction* in);

}  // namespace heddle::emulator
