// Finds and opens the parts of the program that compile and run.
#pragma once

#include <expected>
#include <string>

#include "tools/heddle/modules/compile_module.h"
#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// Opens a module. It is looked for next to the program and in ../lib of its folder, after
/// following links to the program, and stays open until the program ends. Error: a sentence with
/// the places that were tried, or the reason why it does not open.
std::expected<const CompileModule*, std::string> load_compile_module();
std::expected<const RunModule*, std::string> load_run_module();

}  // namespace heddle::tool
