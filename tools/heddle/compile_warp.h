#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"
#include "tools/heddle/compile_module.h"

namespace heddle::tool {

/// `heddle compile` of a warp-level function, the text of `arguments.file`: what it writes.
std::expected<std::string, std::string> compile_warp(const CompileArguments& arguments,
                                                     const std::string& text,
                                                     compiler::Stage stage);

}  // namespace heddle::tool
