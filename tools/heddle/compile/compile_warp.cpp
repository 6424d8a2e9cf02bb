#include "tools/heddle/compile/compile_warp.h"
#include "tools/heddle/host/compile_timer.h"

#include "answers/instruction/processor_argument.h"
#include "compiler/warp_kernel/compile.h"
#include "tools/heddle/host/output.h"

namespace heddle::tool {

std::expected<bool, std::string> rounds_to_tf32(const std::string& f32, const std::string& plan) {
  if (!plan.empty())
    return std::unexpected(
        "--plan is for a matmul; a warp-level function says itself which tiles it multiplies");
  if (f32 == "tf32" || f32 == "exact") return f32 == "tf32";
  return std::unexpected(
      "--f32 " + f32 + "; accepted for a warp-level function: exact, or tf32 on NVIDIA and gfx942");
}

bool goes_by_warps(const std::string& text, const std::string& file, instruction::Target target,
                   const std::string& function) {
  if (!compiler::is_warp_level(text)) return false;
  if (compiler::compile_warp_function(text, file, {.target = target}, compiler::Stage::mlir))
    return true;
  compiler::Options options{.target = target};
  options.function = function;
  return !compiler::compile_sequence(text, file, options, compiler::Stage::plan).has_value();
}

std::expected<std::string, std::string> compile_warp(const CompileArguments& arguments,
                                                     const std::string& text,
                                                     compiler::Stage stage) {
  const auto target = answers::read_processor(arguments.target);
  if (!target) return std::unexpected(target.error());
  const auto tf32 = rounds_to_tf32(arguments.f32, arguments.plan);
  if (!tf32) return std::unexpected(tf32.error());
  const CompileTimer timer(arguments.compile_seconds, arguments.file, arguments.format);
  auto compiled = compiler::compile_warp_function(text, arguments.file,
                                                  {.target = *target, .tf32 = *tf32}, stage);
  if (!compiled) return std::unexpected(std::move(compiled).error());
  if (!compiled->remarks.empty()) print_error(compiled->remarks);
  if (stage == compiler::Stage::object)
    return std::string(compiled->object.begin(), compiled->object.end());
  return compiled->text;
}

}  // namespace heddle::tool
