// The operands of the sums that tests/emulator/ptx/record_sums.py recorded, drawn again as
// drawn_sums.py specifies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::emulator::ptx::testing {

struct DrawnInstruction {
  std::string name;
  std::uint64_t m, n, k;  // k: elements of A that a row keeps
  std::string a, b, c;    // types; D has that of C
};

// How a kind draws: the steps of k, whose D is the C of the next, and the exponents' spread.
struct DrawnKind {
  std::string_view name;
  std::uint64_t steps;
  std::int64_t spread;
  enum class Rule : std::uint8_t {
    bits,
    finite,
    spread,
    cancel,
    alternate,
    subnormal,
    ties,
    whole
  } rule;
};
const DrawnKind* drawn_kind(std::string_view name);

struct DrawnFormat {
  int exponent, fraction, counted;
  bool has_infinity;
  int bits() const { return 1 + exponent + fraction; }
  std::int64_t bias() const { return (std::int64_t{1} << (exponent - 1)) - 1; }
  std::int64_t ones() const { return (std::int64_t{1} << exponent) - 1; }
  std::int64_t top() const { return ones() - 1; }
  std::uint64_t sign() const { return std::uint64_t{1} << (bits() - 1); }
};

class DrawnSums {
 public:
  DrawnSums(const DrawnInstruction& instruction, const DrawnKind& kind);
  // Elements as bits.
  std::uint64_t a(std::uint64_t number, std::uint64_t step, std::uint64_t m, std::uint64_t k) const;
  std::uint64_t b(std::uint64_t number, std::uint64_t step, std::uint64_t n, std::uint64_t k) const;
  std::uint64_t c(std::uint64_t number, std::uint64_t m, std::uint64_t n) const;

 private:
  std::uint64_t word(std::uint64_t number, std::uint64_t step, std::uint64_t operand,
                     std::uint64_t index) const;
  static std::uint64_t integer(std::uint64_t operand, const DrawnFormat& f, std::uint64_t r,
                               std::int64_t choice);
  std::uint64_t element(std::uint64_t operand, const DrawnFormat& f, std::uint64_t r) const;
  std::uint64_t fraction_of(const DrawnFormat& f, std::uint64_t r, std::int64_t u) const;
  std::int64_t level(std::uint64_t number) const;

  const DrawnInstruction& instruction_;
  const DrawnKind& kind_;
  DrawnFormat a_, b_, c_;
  std::int64_t centre_[3] = {};
  std::uint64_t key_;
};

// The finaliser of splitmix64, and the hash of a block of sums.
std::uint64_t mixed(std::uint64_t z);
std::uint64_t block_hash(const std::vector<std::uint64_t>& bits);

}  // namespace heddle::emulator::ptx::testing
