// The maps of an AMD matrix instruction's operands, in the form that a tile plan takes.
#pragma once

#include "heddle/instruction/instruction.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

/// True if the instruction's registers run along m first, and A and B have the same places in it,
/// so that they may change places. If D lies in rows, neighbours are then stored together, as
/// Triton (isTransposed) and Tensile (SourceSwap) do.
bool exchanges(const instruction::Instruction& row);

/// (element, register, lane) -> (row, k) of a fragment in which a unit of k is two elements, the
/// first two of a lane.
layout::LinearLayout in_units(const layout::LinearLayout& fragment, const Problem& problem);

/// (element, lane) -> (row, k by scale_block elements): the contents of a register of scales,
/// without those that the instruction does not read.
layout::LinearLayout scale_fragment(const instruction::Instruction& row, bool is_a);

}  // namespace heddle::plan
