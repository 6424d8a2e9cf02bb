#include "tests/emulator/ptx/drawn_sums.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace heddle::emulator::ptx::testing {
namespace {

using Rule = DrawnKind::Rule;
constexpr std::uint64_t step_of_words = 0x9e3779b97f4a7c15;
constexpr std::uint64_t operand_a = 0, operand_b = 1, operand_c = 2, shared = 3;

constexpr std::array kinds{
    DrawnKind{"bits", 1, 0, Rule::bits},
    DrawnKind{"finite", 1, 0, Rule::finite},
    DrawnKind{"spread 0", 1, 0, Rule::spread},
    DrawnKind{"spread 1", 1, 1, Rule::spread},
    DrawnKind{"spread 3", 1, 3, Rule::spread},
    DrawnKind{"spread 6", 1, 6, Rule::spread},
    DrawnKind{"spread 12", 1, 12, Rule::spread},
    DrawnKind{"cancel", 1, 3, Rule::cancel},
    DrawnKind{"alternate", 1, 3, Rule::alternate},
    DrawnKind{"subnormal", 1, 0, Rule::subnormal},
    DrawnKind{"underflow", 1, 6, Rule::spread},
    DrawnKind{"overflow", 1, 3, Rule::spread},
    DrawnKind{"ties", 1, 12, Rule::ties},
    DrawnKind{"infinite", 1, 3, Rule::spread},
    DrawnKind{"nan", 1, 3, Rule::spread},
    DrawnKind{"zeros", 1, 1, Rule::spread},
    DrawnKind{"whole", 4, 0, Rule::whole},
    DrawnKind{"chain spread 1", 4, 1, Rule::spread},
    DrawnKind{"chain spread 12", 8, 12, Rule::spread},
    DrawnKind{"chain cancel", 16, 3, Rule::cancel},
    DrawnKind{"low bits", 1, 3, Rule::spread},
    // Of integers, which draw by rules of their own.
    DrawnKind{"chain bits", 4, 0, Rule::bits},
};

DrawnFormat format_named(std::string_view name) {
  if (name == "f64") return {11, 52, 52, true};
  if (name == "f32") return {8, 23, 23, true};
  if (name == "tf32") return {8, 23, 10, true};
  if (name == "f16") return {5, 10, 10, true};
  if (name == "bf16") return {8, 7, 7, true};
  if (name == "e4m3") return {4, 3, 3, false};
  if (name == "e5m2") return {5, 2, 2, true};
  // Of integers only the width counts: s32, s8, u4, b1.
  return {0, static_cast<int>(std::strtol(name.data() + 1, nullptr, 10)) - 1, 0, false};
}

std::uint64_t bits_of(const DrawnFormat& f, bool negative, std::int64_t field,
                      std::uint64_t fraction) {
  return (negative ? f.sign() : 0) | static_cast<std::uint64_t>(field) << f.fraction | fraction;
}

// Integers below 2048 as floats.
std::uint64_t whole(const DrawnFormat& f, std::int64_t value) {
  const auto size = static_cast<std::uint64_t>(std::abs(value));
  const int top = size == 0 ? 0 : static_cast<int>(std::bit_width(size)) - 1;
  const std::uint64_t fraction =
      (size << f.fraction >> top) & ((std::uint64_t{1} << f.fraction) - 1);
  return bits_of(f, value < 0, size == 0 ? 0 : top + f.bias(), fraction);
}

std::int64_t floor_half(std::int64_t x) { return x >> 1; }

}  // namespace

const DrawnKind* drawn_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kinds, name, &DrawnKind::name);
  return found == kinds.end() ? nullptr : found;
}

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

std::uint64_t block_hash(const std::vector<std::uint64_t>& bits) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) hash += mixed(bits[i] + step_of_words * (i + 1));
  return hash;
}

DrawnSums::DrawnSums(const DrawnInstruction& instruction, const DrawnKind& kind)
    : instruction_(instruction),
      kind_(kind),
      a_(format_named(instruction.a)),
      b_(format_named(instruction.b)),
      c_(format_named(instruction.c)) {
  key_ = 0xcbf29ce484222325;
  for (const char byte : instruction.name + "/" + std::string(kind.name))
    key_ = (key_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  std::int64_t both = 0;
  if (kind.name == "underflow") both = 1 - c_.bias() - c_.fraction / 2;
  if (kind.name == "overflow") both = c_.bias();
  centre_[operand_a] = floor_half(both);
  centre_[operand_b] = both - floor_half(both);
  centre_[operand_c] = both;
}

std::uint64_t DrawnSums::word(std::uint64_t number, std::uint64_t step, std::uint64_t operand,
                              std::uint64_t index) const {
  const std::uint64_t i = ((number * 32 + step) * 4 + operand) * 65536 + index;
  return mixed(key_ + step_of_words * (i + 1));
}

std::uint64_t DrawnSums::fraction_of(const DrawnFormat& f, std::uint64_t r, std::int64_t u) const {
  const std::uint64_t over = std::uint64_t{1} << f.fraction;
  const std::uint64_t lowest = std::uint64_t{1} << (f.fraction - f.counted);
  std::uint64_t fraction = r & (over - 1);
  if (kind_.rule == Rule::ties) {
    const std::array<std::uint64_t, 4> chosen{0, over - 1, lowest, over >> 1};
    const auto choice = static_cast<std::size_t>(u >> 4 & 7);
    if (choice < 4) fraction = chosen[choice];
  }
  if (f.counted < f.fraction && kind_.name != "low bits") fraction &= ~(lowest - 1);
  return fraction;
}

// The largest and the smallest number are more frequent. Of C they are only near.
std::uint64_t DrawnSums::integer(std::uint64_t operand, const DrawnFormat& f, std::uint64_t r,
                                 std::int64_t choice) {
  const std::uint64_t top = f.sign(), small = r & 0xff;
  if (operand == operand_c && choice < 2) return top - 1 - small;
  if (operand == operand_c && choice < 4) return top + small;
  if (operand != operand_c && f.bits() > 1 && choice < 2) return choice == 0 ? top : top - 1;
  return r & (2 * top - 1);
}

std::uint64_t DrawnSums::element(std::uint64_t operand, const DrawnFormat& f,
                                 std::uint64_t r) const {
  const std::uint64_t q = mixed(r + step_of_words);
  const auto t = static_cast<std::int64_t>(q & 0xffffffff), u = static_cast<std::int64_t>(q >> 32);
  if (f.exponent == 0) return integer(operand, f, r, u & 15);
  if (kind_.rule == Rule::bits)
    return f.bits() == 64 ? r : r & ((std::uint64_t{1} << f.bits()) - 1);
  if (kind_.rule == Rule::whole) return whole(f, operand == operand_c ? t % 129 - 64 : t % 9 - 4);
  const bool is_c = operand == operand_c, negative = r >> 63 != 0;
  std::uint64_t fraction = fraction_of(f, r, u);
  const std::uint64_t ones = (std::uint64_t{1} << f.fraction) - 1;
  const std::int64_t choice = u & 3;
  std::int64_t field = 0;
  bool zero = false;
  if (kind_.rule == Rule::finite) {
    field = static_cast<std::int64_t>(r >> f.fraction) & f.ones();
    if (field == f.ones() && (f.has_infinity || fraction == ones)) field = f.ones() >> 1;
    zero = is_c && choice == 0;
  } else if (kind_.rule == Rule::subnormal) {
    if (operand == operand_a) {
      field = choice < 2 ? 0 : t % 4;
    } else if (is_c) {
      field = choice == 1 ? 0 : choice == 2 ? t % 8 : t % (f.top() + 1);
      zero = choice == 0;
    } else {
      field = t % (f.top() + 1);
    }
  } else if (is_c) {
    const std::int64_t offset = choice == 1 ? t % 9 - 4 : choice == 2 ? -(t % 33) : t % 33;
    field = std::clamp<std::int64_t>(centre_[operand] + f.bias() + offset, 0, f.top());
    zero = choice == 0;
  } else {
    field = std::clamp<std::int64_t>(
        centre_[operand] + f.bias() + t % (2 * kind_.spread + 1) - kind_.spread, 1, f.top());
  }
  const std::int64_t chance = u >> 8 & 63;
  if (kind_.name == "zeros") zero |= chance >= 8;
  if (kind_.rule == Rule::ties) zero |= chance >= 16;
  if (kind_.name == "infinite") zero |= chance == 1 || chance == 2;
  if (zero) field = 0, fraction = 0;
  const std::uint64_t lowest = std::uint64_t{1} << (f.fraction - f.counted);
  if ((kind_.name == "infinite" || kind_.name == "nan") && chance == 0) {
    field = f.ones();
    fraction = f.has_infinity ? 0 : ones - 1;
  }
  if (kind_.name == "nan" && chance == 1) {
    field = f.ones();
    fraction = f.has_infinity ? fraction | lowest : ones;
  }
  if (kind_.name == "low bits" && f.counted < f.fraction && chance == 0) {
    field = f.ones();
    fraction = (fraction & (lowest - 1)) | 1;
  }
  return bits_of(f, negative, field, fraction);
}

std::int64_t DrawnSums::level(std::uint64_t number) const {
  const auto levels = static_cast<std::uint64_t>(std::bit_width(instruction_.k) - 1);
  return static_cast<std::int64_t>(word(number, 0, shared, 0) % levels);
}

std::uint64_t DrawnSums::a(std::uint64_t number, std::uint64_t step, std::uint64_t m,
                           std::uint64_t k) const {
  const auto drawn = [&](std::uint64_t at) {
    return element(operand_a, a_, word(number, step, operand_a, m * instruction_.k + at));
  };
  if (kind_.rule != Rule::cancel && kind_.rule != Rule::alternate) return drawn(k);
  const std::int64_t shift = level(number);
  const bool is_second = (k >> shift & 1) != 0;
  if (kind_.rule == Rule::alternate)
    return (drawn(k) & (a_.sign() - 1)) | (is_second ? a_.sign() : 0);
  return is_second ? drawn(k & ~(std::uint64_t{1} << shift)) ^ a_.sign() : drawn(k);
}

std::uint64_t DrawnSums::b(std::uint64_t number, std::uint64_t step, std::uint64_t n,
                           std::uint64_t k) const {
  const auto drawn = [&](std::uint64_t at) {
    return element(operand_b, b_, word(number, step, operand_b, n * instruction_.k + at));
  };
  if (kind_.rule != Rule::cancel && kind_.rule != Rule::alternate) return drawn(k);
  if (kind_.rule == Rule::alternate) return drawn(k) & (b_.sign() - 1);
  const std::int64_t shift = level(number);
  if ((k >> shift & 1) == 0) return drawn(k);
  const std::uint64_t lowest = std::uint64_t{1} << (b_.fraction - b_.counted);
  return drawn(k & ~(std::uint64_t{1} << shift)) ^ (drawn(k) & lowest);
}

std::uint64_t DrawnSums::c(std::uint64_t number, std::uint64_t m, std::uint64_t n) const {
  return element(operand_c, c_, word(number, 0, operand_c, m * instruction_.n + n));
}

}  // namespace heddle::emulator::ptx::testing
