#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"
#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// `heddle compile` of a warp-level function, the text of `arguments.file`: what it writes.
std::expected<std::string, std::string> compile_warp(const CompileArguments& arguments,
                                                     const std::string& text,
                                                     compiler::Stage stage);

/// Whether f32 is multiplied as tf32, by --f32. Errors: another value, or a plan file, which a
/// warp-level function has no use for.
std::expected<bool, std::string> rounds_to_tf32(const std::string& f32, const std::string& plan);

}  // namespace heddle::tool
