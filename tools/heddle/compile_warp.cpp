#include "tools/heddle/compile_warp.h"

#include "compiler/warp_kernel/compile.h"
#include "tools/heddle/source_file.h"

namespace heddle::tool {

std::expected<std::string, std::string> compile_warp(const CompileArguments& arguments,
                                                     const std::string& text,
                                                     compiler::Stage stage) {
  const auto target = read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  auto compiled = compiler::compile_warp_function(
      text, arguments.file, {.target = *target, .tf32 = arguments.f32 == "tf32"}, stage);
  if (!compiled) return std::unexpected(std::move(compiled).error());
  if (!compiled->remarks.empty()) print_error(compiled->remarks);
  if (stage == compiler::Stage::object)
    return std::string(compiled->object.begin(), compiled->object.end());
  return compiled->text;
}

}  // namespace heddle::tool
