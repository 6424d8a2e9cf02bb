// What `heddle run KERNEL LAUNCH` says of a launch file with several launches.
#pragma once

#include <string>
#include <vector>

#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// The report of each launch, in their order, and which is the first that is wrong. `runs` end with
/// the launch that a fault ended, if one did; the file has `launches`.
std::string launches_text(const std::vector<KernelRun>& runs, std::size_t launches, int width);
std::string launches_json(const std::vector<KernelRun>& runs);
/// One run of all launches together, for the reports by line: SARIF and HTML.
KernelRun merged(const std::vector<KernelRun>& runs);

}  // namespace heddle::tool
