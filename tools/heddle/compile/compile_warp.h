#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"
#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// `heddle compile` of a warp-level function, the text of `arguments.file`. Returns the output.
std::expected<std::string, std::string> compile_warp(const CompileArguments& arguments,
                                                     const std::string& text,
                                                     compiler::Stage stage);

/// True if f32 is multiplied as tf32, from the value of --f32. Errors: another value, or a plan
/// file, which a warp-level function does not use.
std::expected<bool, std::string> rounds_to_tf32(const std::string& f32, const std::string& plan);

}  // namespace heddle::tool
