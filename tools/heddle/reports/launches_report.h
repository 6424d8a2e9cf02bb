// The report of `heddle run KERNEL LAUNCH` for a launch file with several launches.
#pragma once

#include <string>
#include <vector>

#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// The reports of all launches in order, and the number of the first wrong launch. `launches` is
/// the number of launches in the file. `runs` has fewer launches if a fault ended one of them; the
/// launch with the fault is then the last.
std::string launches_text(const std::vector<KernelRun>& runs, std::size_t launches, int width);
std::string launches_json(const std::vector<KernelRun>& runs);
/// All launches as one run. The reports that go by source lines, SARIF and HTML, need this.
KernelRun merged(const std::vector<KernelRun>& runs);

}  // namespace heddle::tool
