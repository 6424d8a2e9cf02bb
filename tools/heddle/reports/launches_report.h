// The report of `heddle run KERNEL LAUNCH` for a launch file with several launches.
#pragma once

#include <string>
#include <vector>

#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// The report of each launch in order, and which launch is the first wrong one. `launches` is the
/// number in the file. If a fault ended a launch, it is the last of `runs`.
std::string launches_text(const std::vector<KernelRun>& runs, std::size_t launches, int width);
std::string launches_json(const std::vector<KernelRun>& runs);
/// One run of all launches together, for the reports by line: SARIF and HTML.
KernelRun merged(const std::vector<KernelRun>& runs);

}  // namespace heddle::tool
