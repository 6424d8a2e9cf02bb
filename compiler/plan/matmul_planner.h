// Makes the tile plan of a matrix product.
//
//   const MatmulPlan plan = make_plan({.m = 512, .n = 512, .k = 512}, Target::gfx1151);
//   for (const Choice& choice : plan.choices) print(choice.what, choice.value, choice.why);
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "compiler/plan/matmul_plan.h"
#include "compiler/plan/operand_planner.h"
#include "heddle/memory/bank_model.h"

namespace heddle::plan {

/// Decides everything. Any problem that keeps the rules of Problem has a plan.
MatmulPlan make_plan(const Problem& problem, instruction::Target target);

/// The same with block, warps, stages and split_k from `asked`. Error: the impossible choice, and
/// the possible ones.
std::expected<MatmulPlan, std::string> make_plan(const Problem& problem, instruction::Target target,
                                                 const PlanFields& asked);

/// The way of A and B to LDS in the words of a plan file: one name for both, or A's and B's:
/// "direct, registers".
std::string copies_text(const MatmulPlan& plan);

}  // namespace heddle::plan
