// How the kernel of a plan sums products.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/compile.h"
#include "heddle/instruction/sum_error.h"

namespace heddle::compiler {

struct PlannedSums {
  instruction::Instruction instruction;
  int parts = 1;            // of k, whose sums are added to each other
  std::int64_t part_k = 0;  // the products of a part, but of the last
};

/// Nothing for a plan without matrix instructions.
std::optional<PlannedSums> planned_sums(const KernelPlan& plan);

/// The error of such sums; nothing where nobody knows how the instruction adds.
std::optional<instruction::SumError> sum_error(const std::optional<PlannedSums>& sums,
                                               instruction::Target target);

}  // namespace heddle::compiler
