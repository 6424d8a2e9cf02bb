// `heddle compile --tune FILE`: tries plans on the GPU of this machine, and keeps the fastest.
#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"
#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// The fastest plan and how it was found, for the plan's report.
struct TunedPlan {
  compiler::PlanFields fields;
  plan::Choice found;
};

/// Returns the plan that the file arguments.tune has for this text, target and GPU. If the file has
/// none, this function measures the plans that are likely to be fast, and adds the fastest plan to
/// the file. `options` are those of the compilation. Error: a text with several products or dynamic
/// sizes, no GPU, a file of another kind.
std::expected<TunedPlan, std::string> tuned_plan(const CompileArguments& arguments,
                                                 const std::string& text,
                                                 const compiler::Options& options);

}  // namespace heddle::tool
