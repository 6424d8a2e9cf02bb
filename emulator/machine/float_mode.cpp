#include "emulator/machine/float_mode.h"

#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::emulator {

// The field of MODE for rounding: 0 to nearest, 1 up, 2 down, 3 toward zero (RDNA3 ISA, "MODE
// register").
#if defined(__x86_64__)
namespace {

constexpr uint32_t flush_results = 1u << 15, flush_operands = 1u << 6;
constexpr uint32_t all_exceptions_masked = 0x1f80;
// For each rounding mode in MODE's numbering, its number in MXCSR: 0 nearest, 1 down, 2 up, 3
// toward zero.
constexpr uint32_t rounding[] = {0, 2, 1, 3};

}  // namespace

void install_float_mode(uint32_t mode) {
  uint32_t control = all_exceptions_masked | rounding[mode & 3u] << 13;
  if (!(mode >> 4 & 1u)) control |= flush_operands;
  if (!(mode >> 5 & 1u)) control |= flush_results;
  _mm_setcsr(control);
}

FloatModeScope::FloatModeScope() : saved_(_mm_getcsr()) {}
FloatModeScope::~FloatModeScope() { _mm_setcsr(saved_); }
#else
void install_float_mode(uint32_t mode) {
  constexpr int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::fesetround(rounding[mode & 3u]);
}

FloatModeScope::FloatModeScope() : saved_(static_cast<uint32_t>(std::fegetround())) {}
FloatModeScope::~FloatModeScope() { std::fesetround(static_cast<int>(saved_)); }
#endif

bool has_two_float_modes(uint32_t mode) {
  return (mode & 3u) != (mode >> 2 & 3u) || (mode >> 4 & 3u) != (mode >> 6 & 3u);
}

const Instruction* run_in_other_mode(Wavefront& w, const Instruction* in) {
  const Handler inner = w.inner_handlers[in->index];
  if (!has_two_float_modes(w.mode)) return inner(w, in);
  install_float_mode((w.mode >> 2 & 3u) | (w.mode >> 6 & 3u) << 4);
  const Instruction* next = inner(w, in);
  install_float_mode(w.mode);
  return next;
}

}  // namespace heddle::emulator
