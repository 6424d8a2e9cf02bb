#include "tools/heddle/run/operand_search.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/record/launch.h"
#include "emulator/record/operand_trial.h"
#include "emulator/record/report.h"
#include "library/text/formatted.h"
#include "runtime/device/launch_binding.h"
#include "runtime/device/stored_addresses.h"
#include "runtime/judge/judgement.h"
#include "runtime/judge/operand_trials.h"
#include "runtime/launch/memory.h"
#include "runtime/launch/text.h"

namespace heddle::tool {
namespace {

/// True if the run executed a matrix instruction whose operands a trial can change: one with
/// descriptors or with selectors of scales.
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
    // The limit is needed because a changed operand may make a kernel wait for ever.
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
    judged.note += formatted(
        "{}the search for a wrong operand was cut after {} instructions: a smaller launch needs "
        "fewer",
        judged.note.empty() ? "" : "; ", runtime::most_instructions_of_trials);
}

void add_row_trials(JudgedArray& judged, const runtime::LaunchText& file,
                    const runtime::Expectation& expectation, const runtime::LaunchMemory& after,
                    const emulator::RunReport& report,
                    const std::function<runtime::FormulaValue(const MemoryChange&)>& reference) {
  constexpr std::size_t most_bytes = std::size_t{1} << 16;
  const bool has_scales =
      std::ranges::any_of(report.opcodes, [](const emulator::OpcodeCount& opcode) {
        return std::string_view(opcode.mnemonic).contains(".block_scale");
      });
  const runtime::Tensor& result = *file.find_tensor(expectation.result);
  for (const runtime::Tensor& tensor : file.tensors) {
    if (!has_scales || tensor.name == result.name || !tensor.inside.empty()) continue;
    const bool is_list = tensor.rows() == 1;
    const auto rows = static_cast<std::size_t>(is_list ? tensor.columns() : tensor.rows());
    const std::size_t size = after.bytes(tensor.name).size();
    // Looks for arrays of scales. A scale is a byte, and a row has fewer scales than elements.
    if (rows < 2 || size > most_bytes || size % rows != 0 || size / rows > 16) continue;
    const std::size_t row = size / rows;
    for (std::size_t shared = rows; shared >= 2; shared /= 2) {
      const runtime::FormulaValue tried = reference([&](runtime::LaunchMemory& memory) {
        const std::span<std::byte> bytes = memory.bytes(tensor.name);
        for (std::size_t i = 0; i < rows; ++i)
          std::ranges::copy(bytes.subspan(i / shared * shared * row, row),
                            bytes.begin() + static_cast<std::ptrdiff_t>(i * row));
      });
      if (tried.values.empty() ||
          !runtime::judge(result, after.values(result), after.unwritten(result), tried,
                          expectation.tolerance, expectation.sums)
               .right())
        continue;
      judged.explanations.push_back(
          {"one-scale-for-several-rows",
           formatted("the result is as if every {} rows of {} held what the first of them does",
                     shared, tensor.name),
           "Give each lane the scale of its own row: `heddle show INSTRUCTION --operand scale_A` "
           "draws which row's scale a lane holds"});
      return;
    }
  }
}

}  // namespace heddle::tool
