// The host's floating-point mode while waves run.
#pragma once

#include <cstdint>

namespace heddle::emulator {

// Puts the rounding and denormal mode of f32 (bits 1..0 and 5..4 of MODE) into the host's control
// register; on hosts other than x86-64, the rounding mode only. The mode of f16 and f64, bits 3..2
// and 7..6, is ignored: both round as f32 does, which is wrong for a kernel that sets them apart
// (LLVM sets both to nearest unless asked). f16 arithmetic is unaffected by
// flushing, as f16 denormals are normal in f32; f64 shares the mode of f32, which differs from the
// hardware only when a kernel flushes f32 and keeps f64 denormals.
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

}  // namespace heddle::emulator
