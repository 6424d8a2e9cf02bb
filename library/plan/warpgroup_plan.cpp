#include "heddle/plan/warpgroup_plan.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::plan {

std::string instruction_text(const WarpgroupPlan& plan) {
  std::string name(wgmma_of(plan).name);
  return name.replace(name.find("nN"), 2, "n" + std::to_string(plan.block_n));
}

}  // namespace heddle::plan
