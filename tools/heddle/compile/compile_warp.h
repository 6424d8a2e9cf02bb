#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"
#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// True if a text has a function of a warp's vectors. One that the passes for warps refuse, and of
/// which each element can be computed by itself, is read like a product instead.
bool goes_by_warps(const std::string& text, const std::string& file, instruction::Target target,
                   const std::string& function);

/// `heddle compile` of a warp-level function, the text of `arguments.file`. Returns the output.
std::expected<std::string, std::string> compile_warp(const CompileArguments& arguments,
                                                     const std::string& text,
                                                     compiler::Stage stage);

/// True if f32 is multiplied as tf32, from the value of --f32. Errors: another value, or a plan
/// file, which a warp-level function does not use.
std::expected<bool, std::string> rounds_to_tf32(const std::string& f32, const std::string& plan);

}  // namespace heddle::tool
