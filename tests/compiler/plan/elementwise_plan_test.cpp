// The tiles of an elementwise kernel cover D: each element is one thread's.
#include "compiler/plan/elementwise_plan.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::plan {
namespace elementwise_plan_test {

TEST(ElementwisePlan, EveryElementIsOneThreads) {
  for (const ElementwisePlan& shape :
       {ElementwisePlan{.problem = {}, .target = {}, .width = 8, .threads_in_row = 4},
        ElementwisePlan{
            .problem = {}, .target = {}, .width = 1, .threads_in_row = 32, .steps = 8}}) {
    ElementwisePlan plan = shape;
    plan.problem.m = 131, plan.problem.n = 300, plan.problem.batch = 3;
    const std::int64_t tiles_m = (131 + plan.rows() - 1) / plan.rows();
    const std::int64_t tiles_n = (300 + plan.columns() - 1) / plan.columns();
    EXPECT_EQ(plan.grid()[0].value(plan.problem), 3 * tiles_m * tiles_n);
    std::vector<int> times(
        static_cast<std::size_t>(tiles_m * plan.rows() * tiles_n * plan.columns()));
    const auto row_elements = static_cast<std::size_t>(tiles_n * plan.columns());
    for (std::int64_t tile = 0; tile < tiles_m * tiles_n; ++tile) {
      for (int thread = 0; thread < ElementwisePlan::threads; ++thread) {
        const auto row =
            static_cast<std::size_t>(tile / tiles_n * plan.rows() + thread / plan.threads_in_row);
        for (int step = 0; step < plan.steps; ++step) {
          const auto first = static_cast<std::size_t>(tile % tiles_n * plan.columns() +
                                                      step * plan.columns_of_step() +
                                                      thread % plan.threads_in_row * plan.width);
          for (int i = 0; i < plan.width; ++i)
            ++times[row * row_elements + first + static_cast<std::size_t>(i)];
        }
      }
    }
    for (const int count : times) ASSERT_EQ(count, 1);
  }
}

}  // namespace elementwise_plan_test
}  // namespace heddle::plan
