// Makes the tile plan of a matrix product.
//
//   const MatmulPlan plan = make_plan({.m = 512, .n = 512, .k = 512}, Target::gfx1151);
//   for (const Choice& choice : plan.choices) print(choice.what, choice.value, choice.why);
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "heddle/memory/bank_model.h"
#include "heddle/plan/matmul_plan.h"
#include "heddle/plan/operand_planner.h"

namespace heddle::plan {

/// Decisions that the user made; 0: the planner's.
struct Decided {
  int block_m = 0, block_n = 0, block_k = 0;
  int warps_m = 0, warps_n = 0;
  int buffers = 0;  // 1 or 2
  int splits = 0;   // of k
};

/// Decides everything. Any problem that keeps the rules of Problem has a plan.
MatmulPlan make_plan(const Problem& problem, instruction::Target target);

/// The same with what `decided` says. Error: what cannot be, and what can.
std::expected<MatmulPlan, std::string> make_plan(const Problem& problem, instruction::Target target,
                                                 const Decided& decided);

}  // namespace heddle::plan
