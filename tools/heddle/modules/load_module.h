// Finds and opens the parts of the program that compile and run.
#pragma once

#include <expected>
#include <string>

#include "tools/heddle/modules/compile_module.h"
#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// A module, or a sentence that says where it was looked for or why it does not open. It is looked
/// for beside the program and in ../lib of its folder, links to the program followed, and stays
/// open until the program ends.
std::expected<const CompileModule*, std::string> load_compile_module();
std::expected<const RunModule*, std::string> load_run_module();

}  // namespace heddle::tool
