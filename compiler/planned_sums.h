// How the kernel of a plan adds up its products: with which instruction and in how many parts.
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

/// The bound of the rounding error of sums that are added as `sums` says; null if it is not known
/// how the instruction adds.
std::optional<instruction::SumError> sum_error(const std::optional<PlannedSums>& sums,
                                               instruction::Target target);

}  // namespace heddle::compiler
