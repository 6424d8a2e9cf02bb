#include "compiler/plan/matmul_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "compiler/plan/matmul_planner.h"
#include "heddle/layout/solve.h"
#include "tests/compiler/plan/random_problems.h"

namespace heddle::plan {
namespace matmul_plan_test {

RC_GTEST_PROP(MatmulPlan, AccumulatorsHoldEachElementOnce, ()) {
  const MatmulPlan plan = make_plan(property::any_problem(), property::any_target());
  RC_ASSERT(layout::is_invertible(plan.result));
  RC_ASSERT(plan.result.output_size("m") == static_cast<std::uint64_t>(plan.tiles.m));
  RC_ASSERT(plan.result.output_size("n") == static_cast<std::uint64_t>(plan.tiles.n));
}

// A wave's accumulator atom (i, j) is the product of its A atom i and its B atom j: they must lie
// in the same rows and columns.
RC_GTEST_PROP(MatmulPlan, AtomsOfResultAndOperandsMeet, ()) {
  const MatmulPlan plan = make_plan(property::any_problem(), property::any_target());
  for (int bit = 0; bit < bits_of(plan.tiles.warps()); ++bit) {
    RC_ASSERT(plan.result.basis("warp", bit, "m") == plan.a.fragment.basis("warp", bit, "m"));
    RC_ASSERT(plan.result.basis("warp", bit, "n") == plan.b.fragment.basis("warp", bit, "n"));
  }
  for (int bit = 0; bit < bits_of(plan.atoms_m()); ++bit)
    RC_ASSERT(plan.result.basis("atom_m", bit, "m") == plan.a.fragment.basis("atom", bit, "m"));
  for (int bit = 0; bit < bits_of(plan.atoms_n()); ++bit)
    RC_ASSERT(plan.result.basis("atom_n", bit, "n") == plan.b.fragment.basis("atom", bit, "n"));
}

}  // namespace matmul_plan_test
}  // namespace heddle::plan
