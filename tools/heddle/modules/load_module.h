// Finds and opens the two modules of the program, libheddle_compile.so and libheddle_run.so.
#pragma once

#include <expected>
#include <string>

#include "tools/heddle/modules/compile_module.h"
#include "tools/heddle/modules/run_module.h"

namespace heddle::tool {

/// Opens a module, which stays open until the program ends. The module is searched in the program's
/// folder and in ../lib. If the program was started by a symbolic link, the folder is that of the
/// file to which the link leads. Error: a sentence with the places that were tried, or the reason
/// why the module cannot be opened.
std::expected<const CompileModule*, std::string> load_compile_module();
std::expected<const RunModule*, std::string> load_run_module();

}  // namespace heddle::tool
