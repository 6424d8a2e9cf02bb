// Looks for the cause of a wrong result: runs the kernel again with other matrix descriptors or
// other selectors of scales (runtime/judge/operand_trials.h).
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

/// A launch whose result was judged, with everything that is needed to run it and judge it again.
struct JudgedLaunch {
  const runtime::LaunchText& file;
  const runtime::KernelLaunch& launch;
  const runtime::Expectation& expectation;
  const runtime::FormulaValue& reference;
  const runtime::LaunchMemory& memory;  // before the launch
  std::span<const std::byte> variables;
  const emulator::Budget& budget;
};

/// Runs trials, and puts the explanations of the wrong result that they find before the
/// explanations that `judged` already has. If the search was cut, adds a note.
void add_operand_trials(JudgedArray& judged, const JudgedLaunch& launch,
                        const emulator::RunReport& report, runtime::Module& module);

/// A change to memory that is made before a reference is computed.
using MemoryChange = std::function<void(runtime::LaunchMemory&)>;

/// For a product with block scales: looks for rows that wrongly share one scale. In one array of
/// bytes, several rows get the contents of the first of these rows. If the reference that is
/// computed from this array equals the kernel's result, an explanation is added. `after` is the
/// memory after the launch.
void add_row_trials(JudgedArray& judged, const runtime::LaunchText& file,
                    const runtime::Expectation& expectation, const runtime::LaunchMemory& after,
                    const emulator::RunReport& report,
                    const std::function<runtime::FormulaValue(const MemoryChange&)>& reference);

}  // namespace heddle::tool
