// The lines of a source that compiled PTX comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {

/// By line of a text of PTX, the line of the source that it was compiled from: "file:line:column".
/// Of code that was inlined it is the outermost call, which clang writes as a comment, "@[ … ]".
std::vector<std::string> source_lines_of_ptx(std::string_view text);

/// Puts these lines in the place of those of PTX, which are nothing to the user of a source. Does
/// nothing without lines.
void place_in_source(KernelRun& run, const std::vector<std::string>& lines);

}  // namespace heddle::tool
