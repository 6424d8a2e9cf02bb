// Accesses to try the bank model on, and a second way of counting what they cost.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "heddle/memory/banks.h"

namespace heddle::memory {

/// An Access that owns its addresses.
struct OwnedAccess {
  AccessKind kind = AccessKind::load;
  int bytes = 4;
  int matrices = 0;
  std::uint64_t active = ~std::uint64_t{0};
  std::vector<std::uint32_t> address;

  Access view() const { return {kind, bytes, matrices, active, address}; }
};

/// The lanes of each phase by number, in any order.
using LaneLists = std::vector<std::vector<int>>;

/// Passes beyond the phases, and the phases: from the definition, word by word. For each phase the
/// different words that its active lanes touch are listed, and counted by bank.
inline Cost count_words(const LaneLists& phases, int banks, const OwnedAccess& access) {
  Cost total;
  std::vector<std::uint32_t> words;
  for (const std::vector<int>& phase : phases) {
    words.clear();
    for (const int lane : phase) {
      if ((access.active >> lane & 1) == 0) continue;
      for (int byte = 0; byte < access.bytes; ++byte)
        words.push_back(
            (access.address[static_cast<std::size_t>(lane)] + static_cast<std::uint32_t>(byte)) /
            4);
    }
    if (words.empty()) continue;
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::vector<int> wanted(static_cast<std::size_t>(banks), 0);
    int most = 0;
    for (const std::uint32_t word : words)
      most = std::max(most, ++wanted[word % static_cast<std::uint32_t>(banks)]);
    ++total.phases;
    total.extra_passes += most - 1;
  }
  return total;
}

class RandomAccesses {
 public:
  explicit RandomAccesses(std::uint64_t seed) : random_(seed) {}

  /// Strided rows, xor swizzles, scattered words, broadcasts, few banks and equal neighbours; some
  /// with lanes masked out. Addresses are multiples of 4, those of narrower accesses of their
  /// width.
  OwnedAccess next(int wave, bool with_matrix_moves) {
    OwnedAccess access;
    const std::uint32_t kind = below(with_matrix_moves ? 8 : 6);
    access.kind = kind < 3    ? AccessKind::load
                  : kind < 6  ? AccessKind::store
                  : kind == 6 ? AccessKind::matrix_load
                              : AccessKind::matrix_store;
    constexpr std::array widths{1, 2, 4, 8, 12, 16};
    access.bytes = kind >= 6 ? 16 : widths[below(widths.size())];
    access.matrices = kind >= 6 ? 1 << below(3) : 0;
    mask(access);
    fill(access, wave);
    return access;
  }

 private:
  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  void mask(OwnedAccess& access) {
    switch (below(5)) {
      case 0:
        access.active = random_();
        break;
      case 1:
        access.active = random_() & random_() & random_();
        break;
      case 2:
        access.active = std::uint64_t{0xffff} << below(4) * 16;
        break;
      default:
        break;
    }
  }

  void fill(OwnedAccess& access, int wave) {
    const auto unit = static_cast<std::uint32_t>(below(4) == 0        ? std::min(access.bytes, 4)
                                                 : access.bytes == 12 ? 4
                                                                      : access.bytes);
    const std::uint32_t pattern = below(6);
    const std::uint32_t lanes_a_row = 1u << below(7);
    const std::uint32_t pitch = (1 + below(256)) * unit;
    const std::uint32_t distinct = 1 + below(31);
    const std::uint32_t apart = 1u << below(3);
    std::array<std::uint32_t, 6> bases{};
    for (std::uint32_t& base : bases) base = below(2048);
    access.address.resize(static_cast<std::size_t>(wave));
    for (std::uint32_t lane = 0; lane < access.address.size(); ++lane) {
      std::uint32_t at = 0;
      switch (pattern) {
        case 0:
          at = lane / lanes_a_row * pitch + lane % lanes_a_row * unit;
          break;
        case 1:
          for (std::uint32_t bit = 0; bit < 6; ++bit)
            if ((lane >> bit & 1) != 0) at ^= bases[bit] * unit;
          break;
        case 2:
          at = below(32768);
          break;
        case 3:
          at = bases[(lane * distinct / 7) % 6] * unit;
          break;
        case 4:
          at = bases[lane % 6] * unit + below(8) * 128;
          break;
        default:
          at = (lane & apart) != 0 ? access.address[lane ^ apart] : below(32768);
          break;
      }
      access.address[lane] = at % 32768 / unit * unit;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace heddle::memory
