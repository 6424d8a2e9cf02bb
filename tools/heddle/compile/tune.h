// `heddle compile --tune FILE`: plans are tried on the GPU of this machine, and the fastest is
// kept.
#pragma once

#include <expected>
#include <string>

#include "compiler/compile.h"
#include "tools/heddle/modules/compile_module.h"

namespace heddle::tool {

/// What the fastest plan decides, and how that was found, for the plan's report.
struct TunedPlan {
  compiler::PlanFields fields;
  plan::Choice found;
};

/// The plan that the file arguments.tune has of this text, target and GPU; else the fastest of the
/// likely ones by a measurement, which is then written there. `options` are those of the
/// compilation. Error: a text with several products or dynamic sizes, no GPU, a file that is none
/// of these.
std::expected<TunedPlan, std::string> tuned_plan(const CompileArguments& arguments,
                                                 const std::string& text,
                                                 const compiler::Options& options);

}  // namespace heddle::tool
