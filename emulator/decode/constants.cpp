#include "emulator/decode/constants.h"

#include <bit>
#include <cmath>

namespace heddle::emulator {
namespace {

// 1/(2*pi) is the only inline constant of the hardware that is not exact. These are the bits that
// the hardware uses for it.
constexpr double inverse_two_pi = 0.15915494309189532;
constexpr uint16_t inverse_two_pi_f16 = 0x3118;
constexpr uint32_t inverse_two_pi_f32 = 0x3e22f983;

bool is_inverse_two_pi(double x) { return std::abs(std::abs(x) - inverse_two_pi) < 1e-6; }

// The bits of an inline constant in f16. All except 1/(2*pi) are exact in f16, so they can be made
// from the upper bits of the f32.
uint16_t half_bits(double x) {
  if (is_inverse_two_pi(x)) return inverse_two_pi_f16;
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  if ((bits & 0x7fffffffu) == 0) return static_cast<uint16_t>(bits >> 16);
  const uint32_t exponent = (bits >> 23 & 255u) - 127 + 15;
  return static_cast<uint16_t>(bits >> 31 << 15 | exponent << 10 | (bits >> 13 & 0x3ffu));
}

}  // namespace

Source real_constant(double x, Type type) {
  Source s;
  const uint32_t single = is_inverse_two_pi(x) ? inverse_two_pi_f32 | (x < 0 ? 0x80000000u : 0u)
                                               : std::bit_cast<uint32_t>(static_cast<float>(x));
  if (type == Type::bf16 || type == Type::packed_bf16) {
    s.constant = single >> 16;  // exact: all have few bits, and 1 / (2 pi) is cut off by LLVM too
  } else if (type == Type::f16 || type == Type::packed_f16) {
    s.constant = half_bits(x);
  } else if (is_double_word(type)) {
    if (is_inverse_two_pi(x)) s.flags |= constant_inverse_two_pi;
    s.constant = static_cast<uint32_t>(std::bit_cast<uint64_t>(x) >> 32);
    s.flags |= constant_in_high_word;
  } else {
    s.constant = single;
  }
  return s;
}

bool is_wide_literal(const TextOperand& operand) {
  return static_cast<uint64_t>(operand.integer) >> 32 != 0;
}

Source integer_constant(const TextOperand& operand, Type type) {
  Source s;
  s.constant = static_cast<uint32_t>(operand.integer);
  if (!is_double_word(type)) return s;
  // For gfx1250, LLVM prints all literals with 64 bits, even those of 32 bits that the hardware
  // extends.
  if (operand.hexadecimal && is_wide_literal(operand)) {
    if (operand.integer == static_cast<int32_t>(operand.integer)) {
      s.flags |= constant_sign_extended;
    } else if (s.constant == 0) {
      s.constant = static_cast<uint32_t>(static_cast<uint64_t>(operand.integer) >> 32);
      s.flags |= constant_in_high_word;
    }
    return s;
  }
  if (!operand.hexadecimal || type == Type::i64 || type == Type::scalar_i64)
    s.flags |= constant_sign_extended;
  else if (type == Type::f64)
    s.flags |= constant_in_high_word;
  return s;
}

}  // namespace heddle::emulator
