// Finds and opens the part of the program that compiles and runs kernels.
#pragma once

#include <expected>
#include <string>

#include "tools/heddle/compile/compile_module.h"

namespace heddle::tool {

/// The module, or a sentence that says where it was looked for or why it does not open. It is
/// looked for beside the program and in ../lib of its folder, links to the program followed, and
/// stays open until the program ends.
std::expected<const CompileModule*, std::string> load_compile_module();

}  // namespace heddle::tool
