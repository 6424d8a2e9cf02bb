// Maps the lines of compiled PTX to the lines of its source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// For each line of PTX: the source line that it was compiled from, as "file:line:column". For
/// inlined code it is the outermost call, which clang writes as a comment, "@[ … ]".
std::vector<std::string> source_lines_of_ptx(std::string_view text);

/// Replaces places in PTX, which mean nothing to the user of a source, by places in the source.
/// `lines` has the source line of each line of PTX. Does nothing if `lines` is empty.
void place_in_source(KernelRun& run, const std::vector<std::string>& lines);

}  // namespace heddle::tool
