// Problems and targets that the plan tests draw.
#pragma once

#include <rapidcheck.h>

#include <ostream>

#include "compiler/plan/block_tile.h"

namespace heddle::plan {

inline void showValue(const Problem& problem, std::ostream& out) {
  out << problem.m << "x" << problem.n << "x" << problem.k;
}

namespace property {

/// Sizes of which some are small, some around tile edges, some large and odd.
inline std::int64_t any_size() {
  return *rc::gen::oneOf(
      rc::gen::inRange<std::int64_t>(1, 40),
      rc::gen::map(rc::gen::pair(rc::gen::inRange<std::int64_t>(1, 40),
                                 rc::gen::inRange<std::int64_t>(-1, 2)),
                   [](const auto& near) { return near.first * 32 + near.second; }),
      rc::gen::inRange<std::int64_t>(1, 9000));
}

inline Problem any_problem() {
  using instruction::ElementType;
  Problem problem{any_size(), any_size(), any_size()};
  problem.input = *rc::gen::element(ElementType::f16, ElementType::bf16);
  problem.result = *rc::gen::element(ElementType::f32, problem.input);
  return problem;
}

inline instruction::Target any_target() {
  const auto index = *rc::gen::inRange<std::size_t>(0, instruction::target_rows.size());
  return instruction::target_rows[index].target;
}

}  // namespace property
}  // namespace heddle::plan
