#include "compiler/plan/warpgroup_plan.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "library/text/formatted.h"

namespace heddle::plan {

instruction::Instruction wgmma_of(const WarpgroupPlan& plan) {
  using instruction::ElementType;
  const ElementType input =
      plan.problem.input == ElementType::f32 ? ElementType::xf32 : plan.problem.input;
  const instruction::Instruction* found = instruction::find_dense(
      instruction::Target::sm_90a, input, plan.problem.sum_type(), warpgroup_lanes);
  return *instruction::with_n(*found, plan.block_n);
}

std::string instruction_text(const WarpgroupPlan& plan) {
  std::string name(wgmma_of(plan).name);
  return name.replace(name.find("nN"), 2, formatted("n{}", plan.block_n));
}

}  // namespace heddle::plan
