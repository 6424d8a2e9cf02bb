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

/// Makes a plan, in which the planner decides everything. There is a plan for every problem that
/// keeps the rules of Problem.
MatmulPlan make_plan(const Problem& problem, instruction::Target target);

/// Makes a plan with those decisions of `asked` that are set. Error: the decision that is
/// impossible, and which ones are possible.
std::expected<MatmulPlan, std::string> make_plan(const Problem& problem, instruction::Target target,
                                                 const PlanFields& asked);

/// How A and B get to LDS, in the words of a plan file: a single name if it is the same for A and
/// B, otherwise A's and B's name, such as "direct, registers".
std::string copies_text(const MatmulPlan& plan);

}  // namespace heddle::plan
