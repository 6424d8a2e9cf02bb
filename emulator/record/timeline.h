// A timeline of a workgroup: which instructions each wave executed between two barriers of the
// workgroup.
//
// Time is counted in instructions, because the emulator does not simulate cycles. When a barrier of
// the workgroup completes, an interval ends and the next one begins, for all waves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/record/instruction_class.h"

namespace heddle::emulator {

struct Timeline {
  static constexpr uint32_t most_intervals = 64;
  static constexpr std::size_t most_classes = std::max(amd_classes.size(), ptx_classes.size());

  /// The instructions of each class (emulator/record/instruction_class.h).
  using Interval = std::array<uint64_t, most_classes>;
  /// The intervals of each wave, up to the last one in which it executed something.
  std::vector<std::vector<Interval>> waves;
  bool is_cut = false;  // the last interval also holds all later instructions
};

/// Writes a timeline while a workgroup runs.
class TimelineRecorder {
 public:
  /// Sets the classes of all instructions of the program (class_of). The array to which `classes`
  /// refers must outlive this object.
  void set_classes(std::span<const uint8_t> classes) { classes_ = classes; }
  /// Begins the timeline of a workgroup.
  void start(std::size_t waves) {
    timeline_.waves.assign(waves, {});
    timeline_.is_cut = false;
  }
  /// Counts an instruction of a wave, which has passed `barriers` barriers so far.
  void note(std::size_t wave, std::size_t instruction, uint32_t barriers) {
    auto& intervals = timeline_.waves[wave];
    timeline_.is_cut |= barriers >= Timeline::most_intervals;
    const std::size_t at = std::min(barriers, Timeline::most_intervals - 1);
    if (intervals.size() <= at) intervals.resize(at + 1);
    ++intervals[at][classes_[instruction]];
  }
  /// Undoes the last note() of a wave: the instruction waits, so it will be executed and noted
  /// again.
  void take_back(std::size_t wave, std::size_t instruction) {
    --timeline_.waves[wave].back()[classes_[instruction]];
  }
  const Timeline& timeline() const { return timeline_; }

 private:
  std::span<const uint8_t> classes_;
  Timeline timeline_;
};

}  // namespace heddle::emulator
