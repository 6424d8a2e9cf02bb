// The maps of the operands of AMD's matrix instructions, in the form in which the planner of
// products needs them.
#pragma once

#include "heddle/instruction/instruction.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

/// True if it is possible and useful to exchange A and B in the instruction, so that it computes D
/// transposed: A and B have the same layout, and the registers of the instruction's D run along m
/// first. After the exchange they run along n. If rows of D are contiguous in memory, a lane can
/// then store adjacent elements together, as Triton (isTransposed) and Tensile (SourceSwap) do.
bool exchanges(const instruction::Instruction& row);

/// The same fragment, (element, register, lane) -> (row, k), in which k counts units of the problem
/// instead of elements (Problem::elements_of_unit: a unit of 4-bit floats is two elements). If a
/// unit is two elements, a lane's first two elements are its first unit.
layout::LinearLayout in_units(const layout::LinearLayout& fragment, const Problem& problem);

/// Which scales a register of scales has, without those that the instruction does not read:
/// (element, lane) -> (row, k), where k counts blocks of scale_block elements.
layout::LinearLayout scale_fragment(const instruction::Instruction& row, bool is_a);

}  // namespace heddle::plan
