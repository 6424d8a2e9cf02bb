#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"
#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// True if the text is to be compiled as a warp-level function. False in two cases: the text has no
/// such function; or the passes for warps refuse the function, and each element of its result can
/// be computed by itself, so that the text is read like a product instead.
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
