// What each wave of a workgroup did between the barriers of the workgroup.
//
// Time is counted in instructions: the emulator knows no cycles. An interval begins when a barrier
// of the workgroup completes, for all its waves, and ends when the next one does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/record/instruction_class.h"

namespace heddle::emulator {

struct Timeline {
  static constexpr uint32_t most_intervals = 64;
  static constexpr std::size_t most_classes = std::max(amd_classes.size(), ptx_classes.size());

  /// Instructions by number of class (emulator/record/instruction_class.h).
  using Interval = std::array<uint64_t, most_classes>;
  /// By wave; a wave has intervals up to the last in which it executed something.
  std::vector<std::vector<Interval>> waves;
  bool is_cut = false;  // the last interval holds all that came after it
};

/// Writes a timeline while a workgroup runs.
class TimelineRecorder {
 public:
  /// For each instruction of the kernel, in order, its mnemonic.
  void set_instructions(auto&& mnemonics, bool is_ptx) {
    if (!classes_.empty()) return;
    for (const auto& mnemonic : mnemonics)
      classes_.push_back(
          static_cast<uint8_t>(class_of(instruction_classes(is_ptx), std::string_view(mnemonic))));
  }
  /// A workgroup starts.
  void start(std::size_t waves) {
    timeline_.waves.assign(waves, {});
    timeline_.is_cut = false;
  }
  /// A wave executes an instruction after so many barriers.
  void note(std::size_t wave, std::size_t instruction, uint32_t barriers) {
    auto& intervals = timeline_.waves[wave];
    timeline_.is_cut |= barriers >= Timeline::most_intervals;
    const std::size_t at = std::min(barriers, Timeline::most_intervals - 1);
    if (intervals.size() <= at) intervals.resize(at + 1);
    ++intervals[at][classes_[instruction]];
  }
  /// What was noted last of a wave waits, and is executed and noted again.
  void take_back(std::size_t wave, std::size_t instruction) {
    --timeline_.waves[wave].back()[classes_[instruction]];
  }
  const Timeline& timeline() const { return timeline_; }

 private:
  std::vector<uint8_t> classes_;
  Timeline timeline_;
};

}  // namespace heddle::emulator
