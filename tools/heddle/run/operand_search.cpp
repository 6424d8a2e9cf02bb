#include "tools/heddle/run/operand_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/record/launch.h"
#include "emulator/record/operand_trial.h"
#include "emulator/record/report.h"
#include "runtime/device/launch_binding.h"
#include "runtime/device/stored_addresses.h"
#include "runtime/judge/judgement.h"
#include "runtime/judge/operand_trials.h"
#include "runtime/launch/memory.h"
#include "runtime/launch/text.h"

namespace heddle::tool {
namespace {

/// True if the run executed an instruction whose operands a trial can change.
bool multiplies_told_operands(const emulator::RunReport& report) {
  return std::ranges::any_of(report.opcodes, [](const emulator::OpcodeCount& opcode) {
    const std::string_view name = opcode.mnemonic;
    return name.starts_with("wgmma.mma_async") || name.starts_with("tcgen05.mma") ||
           name.contains(".block_scale");
  });
}

}  // namespace

void add_operand_trials(JudgedArray& judged, const JudgedLaunch& launch,
                        const emulator::RunReport& report, runtime::Module& module) {
  if (!multiplies_told_operands(report)) return;
  const runtime::Tensor& tensor = *launch.file.find_tensor(launch.expectation.result);
  const auto run = [&](emulator::OperandTrial& trial) -> runtime::TrialRun {
    runtime::LaunchMemory memory = launch.memory;
    std::vector<std::byte> variables(launch.variables.begin(), launch.variables.end());
    auto bound =
        runtime::bind(launch.file, runtime::call_of(launch.launch), module.kernels(), memory);
    if (!bound) return {};
    bound->variables = variables;
    bound->threads = 1;
    bound->profile = emulator::Profile::none;
    bound->trial = &trial;
    bound->budget = launch.budget;
    // A change may make a kernel wait for ever.
    bound->budget.instructions = std::min(bound->budget.instructions, 4 * report.spent + 1'000'000);
    const auto again = module.launch(*bound, runtime::stored_addresses(launch.file));
    if (!again || !again->emulated) return {};
    const runtime::Judgement judgement =
        runtime::judge(tensor, memory.values(tensor), memory.unwritten(tensor), launch.reference,
                       launch.expectation.tolerance, launch.expectation.sums);
    return {judgement.right(), again->emulated->spent};
  };
  runtime::Explanations explanations = runtime::try_operands(run);
  judged.explanations.insert(judged.explanations.begin(), explanations.found.begin(),
                             explanations.found.end());
  if (explanations.was_cut)
    judged.note += fmt::format(
        "{}the search for a wrong operand was cut after {} instructions: a smaller launch needs "
        "fewer",
        judged.note.empty() ? "" : "; ", runtime::most_instructions_of_trials);
}

}  // namespace heddle::tool
