// Explains a wrong result of matrix instructions whose operands are given by matrix descriptors
// (wgmma, tcgen05.mma) or by selectors of scales. It runs the kernel again with one of these
// changed, and accepts a change only if it makes the result right.
#pragma once

#include <cstdint>
#include <functional>

#include "emulator/record/operand_trial.h"
#include "runtime/judge/explanation.h"

namespace heddle::runtime {

/// What a launch with a trial came to.
struct TrialRun {
  bool is_right = false;  // it ended, and every element of the result is right
  std::uint64_t instructions = 0;
};

/// Launches the kernel on the memory that it found, with this trial.
using RunTrial = std::function<TrialRun(emulator::OperandTrial&)>;

/// All trials of one result are cut after so many instructions.
inline constexpr std::uint64_t most_instructions_of_trials = std::uint64_t{1} << 26;

/// The first change that makes the result right, or none. Those of one operand are tried before
/// those of both.
/// Precondition: without a change the result is wrong.
Explanations try_operands(const RunTrial& run,
                          std::uint64_t most_instructions = most_instructions_of_trials);

}  // namespace heddle::runtime
