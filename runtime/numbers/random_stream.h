// Random numbers that depend on a seed and a position only. They are the same on every host.
#pragma once

#include <cstdint>

namespace heddle::runtime {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : first_(mixed(seed)) {}

  std::uint64_t word(std::uint64_t i) const { return mixed(first_ + i); }
  /// Number i, uniform in [-1, 1).
  double uniform(std::uint64_t i) const {
    return static_cast<double>(static_cast<std::int64_t>(word(i)) >> 11) * 0x1p-52;
  }
  /// Number i, a multiple of 1/8 in [-1, 1].
  double eighths(std::uint64_t i) const { return static_cast<double>(word(i) % 17) / 8 - 1; }

 private:
  /// The 64-bit mixing function of SplitMix64 (Steele, Lea, Flood 2014): a counter becomes a random
  /// word, so that element i does not depend on the number of words drawn before it.
  static std::uint64_t mixed(std::uint64_t counter) {
    counter += 0x9e3779b97f4a7c15u;
    counter = (counter ^ counter >> 30) * 0xbf58476d1ce4e5b9u;
    counter = (counter ^ counter >> 27) * 0x94d049bb133111ebu;
    return counter ^ counter >> 31;
  }

  std::uint64_t first_;
};

}  // namespace heddle::runtime
