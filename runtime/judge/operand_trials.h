// Explains a wrong result of matrix instructions whose operands are given by matrix descriptors
// (wgmma, tcgen05.mma) or by selectors of scales. It runs the kernel again and again, each time
// with one change to the descriptors or selectors of A, of B or of both, and accepts a change only
// if the result is then right.
#pragma once

#include <cstdint>
#include <functional>

#include "emulator/record/operand_trial.h"
#include "runtime/judge/explanation.h"

namespace heddle::runtime {

/// The outcome of a launch with a trial.
struct TrialRun {
  bool is_right = false;  // it ended, and every element of the result is right
  std::uint64_t instructions = 0;
};

/// Launches the kernel with this trial. Memory has the contents that it had before the launch whose
/// result is wrong.
using RunTrial = std::function<TrialRun(emulator::OperandTrial&)>;

/// The search ends after so many instructions of all trials together.
inline constexpr std::uint64_t most_instructions_of_trials = std::uint64_t{1} << 26;

/// Returns the first change that makes the result right, or none. Changes of A or of B alone are
/// tried before changes of A and B together. Precondition: without a change the result is wrong.
Explanations try_operands(const RunTrial& run,
                          std::uint64_t most_instructions = most_instructions_of_trials);

}  // namespace heddle::runtime
