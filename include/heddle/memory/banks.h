// Which lanes of one shared-memory access collide in which bank, and how many extra passes it
// costs.
//
// A wave's access is served in phases: the lanes of one phase go through the banks together. Within
// a phase every bank can deliver one word a pass; lanes that want the same word share it (a
// broadcast), lanes that want different words of one bank wait for each other. So
//
//   passes(phase)  = max over banks of the number of different words wanted there
//   extra passes   = sum over phases of passes(phase) - 1        (0 is ideal)
//
// Example, gfx1151, ds_load_b128 of a 16x16 half fragment, one row a lane, rows 64 bytes apart:
// phase 0 is lanes 0-3 and 20-23, that is rows 0..7. Rows 0, 2, 4, 6 all start in bank 0, rows
// 1, 3, 5, 7 in bank 16: four passes where one would do, three extra. A pitch of 80 bytes puts the
// eight rows at banks 0 20 8 28 16 4 24 12, four words each: all 32 banks, one pass.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::memory {

/// How far a row of the model is to be trusted.
enum class Evidence : std::uint8_t { measured, documented, assumed };

constexpr std::string_view name(Evidence evidence) {
  constexpr std::array<std::string_view, 3> names{"measured", "documented", "assumed"};
  return names[static_cast<std::size_t>(evidence)];
}

/// The lanes served together, one 32-bit lane mask a phase, for one access width.
struct Phases {
  int bytes_per_lane;
  int count;
  std::array<std::uint32_t, 4> lanes;
  Evidence evidence;
};

/// Shared memory of one processor as its banks see it. Widths below 4 bytes are served like 4.
struct BankModel {
  std::string_view name;
  int banks;
  int bank_bytes;
  std::array<Phases, 3> widths;  // 4, 8 and 16 bytes a lane
  std::string_view source;

  /// The phases of an access of `bytes_per_lane` (1, 2, 4, 8, 12 or 16).
  /// 12-byte accesses are taken like 16-byte ones.
  constexpr const Phases& phases(int bytes_per_lane) const {
    if (bytes_per_lane <= 4) return widths[0];
    return bytes_per_lane <= 8 ? widths[1] : widths[2];
  }
};

namespace detail {

constexpr Phases one_phase(Evidence evidence) { return {4, 1, {0xffffffffu}, evidence}; }
constexpr Phases half_waves(Evidence evidence) {
  return {8, 2, {0x0000ffffu, 0xffff0000u}, evidence};
}
/// RDNA3: eight lanes a phase, taken crosswise from both half-waves.
constexpr Phases crossed_eights(Evidence evidence) {
  return {16, 4, {0x00f0000fu, 0x000f00f0u, 0xf0000f00u, 0x0f00f000u}, evidence};
}
constexpr Phases straight_eights(Evidence evidence) {
  return {16, 4, {0x000000ffu, 0x0000ff00u, 0x00ff0000u, 0xff000000u}, evidence};
}

}  // namespace detail

/// One model for each row of `instruction::target_rows`, in its order.
/// Loads: measured on a W7900 (gfx1100) and an RX 9070 XT (gfx1201) by latency, published with
/// AMD's shark-ai, docs/empirical-lds; recorded in tests/data/lds_banks.json. Other processors of a
/// family, and all stores, are assumed to follow them.
inline constexpr auto bank_models = [] {
  std::array<BankModel, instruction::target_rows.size()> models{};
  for (std::size_t i = 0; i < models.size(); ++i) {
    using instruction::Target;
    const instruction::TargetRow& row = instruction::target_rows[i];
    const bool measured = row.target == Target::gfx1100 || row.target == Target::gfx1201;
    const bool crossed = row.family == instruction::Family::gfx11;
    const Evidence evidence = measured ? Evidence::measured : Evidence::assumed;
    models[i] = {row.name,
                 32,
                 4,
                 {detail::one_phase(evidence), detail::half_waves(evidence),
                  crossed ? detail::crossed_eights(evidence) : detail::straight_eights(evidence)},
                 crossed ? "load latencies of gfx1100" : "load latencies of gfx1201"};
  }
  return models;
}();

constexpr const BankModel& bank_model(instruction::Target target) {
  return bank_models[static_cast<std::size_t>(instruction::row(target).target)];
}

/// What one access of one wave costs.
struct Cost {
  int phases = 0;        // phases with at least one active lane; the passes of an ideal access
  int extra_passes = 0;  // passes beyond that
};

/// Cost of an access in which lane l touches `bytes_per_lane` bytes at byte address `address[l]`,
/// for the lanes set in `active`.
/// Preconditions: `address` has 32 entries; `bytes_per_lane` is 1, 2, 4, 8, 12 or 16.
constexpr Cost cost(const BankModel& model, int bytes_per_lane,
                    std::span<const std::uint32_t, 32> address,
                    std::uint32_t active = 0xffffffffu) {
  constexpr int most_words = 32 * 5;
  const Phases& phases = model.phases(bytes_per_lane);
  Cost total;
  for (int phase = 0; phase < phases.count; ++phase) {
    const std::uint32_t lanes = phases.lanes[static_cast<std::size_t>(phase)] & active;
    if (lanes == 0) continue;
    std::array<std::uint32_t, most_words> words{};
    int count = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1u) == 0) continue;
      const auto word_bytes = static_cast<std::uint32_t>(model.bank_bytes);
      const std::uint32_t first = address[lane] / word_bytes;
      const std::uint32_t last =
          (address[lane] + static_cast<std::uint32_t>(bytes_per_lane) - 1) / word_bytes;
      for (std::uint32_t word = first; word <= last; ++word)
        words[static_cast<std::size_t>(count++)] = word;
    }
    std::sort(words.begin(), words.begin() + count);
    const auto end = std::unique(words.begin(), words.begin() + count);
    std::array<int, 64> wanted{};
    int passes = 0;
    for (auto word = words.begin(); word != end; ++word)
      passes = std::max(passes, ++wanted[*word % static_cast<std::uint32_t>(model.banks)]);
    ++total.phases;
    total.extra_passes += passes - 1;
  }
  return total;
}

/// Shorthand for `cost(...).extra_passes`.
constexpr int extra_passes(const BankModel& model, int bytes_per_lane,
                           std::span<const std::uint32_t, 32> address,
                           std::uint32_t active = 0xffffffffu) {
  return cost(model, bytes_per_lane, address, active).extra_passes;
}

}  // namespace heddle::memory
