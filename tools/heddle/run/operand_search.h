// Looks for the cause of a wrong result by running its kernel again with other operands
// (runtime/judge/operand_trials.h).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "emulator/record/budget.h"
#include "runtime/device/device.h"
#include "runtime/judge/formula_value.h"
#include "runtime/launch/memory.h"
#include "runtime/launch/text.h"
#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// A launch that was judged, and what it found.
struct JudgedLaunch {
  const runtime::LaunchText& file;
  const runtime::KernelLaunch& launch;
  const runtime::Expectation& expectation;
  const runtime::FormulaValue& reference;
  const runtime::LaunchMemory& memory;  // before the launch
  std::span<const std::byte> variables;
  const emulator::Budget& budget;
};

/// Adds what explains the wrong result, before what else does, or a note if the search was cut.
void add_operand_trials(JudgedArray& judged, const JudgedLaunch& launch,
                        const emulator::RunReport& report, runtime::Module& module);

/// What is done to memory before a reference is computed.
using MemoryChange = std::function<void(runtime::LaunchMemory&)>;

/// Of a product with block scales: adds that several rows share one scale, if the reference is the
/// result where rows of one array of bytes hold what the first of them does. `after`: memory behind
/// the launch.
void add_row_trials(JudgedArray& judged, const runtime::LaunchText& file,
                    const runtime::Expectation& expectation, const runtime::LaunchMemory& after,
                    const emulator::RunReport& report,
                    const std::function<runtime::FormulaValue(const MemoryChange&)>& reference);

}  // namespace heddle::tool
