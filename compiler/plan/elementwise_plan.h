// The plan of a kernel without a product that computes each element of D from the elements of other
// matrices at the same row and column. It serves, for example, to copy operands into the order that
// an instruction reads.
#pragma once

#include "compiler/plan/launch_grid.h"
#include "heddle/instruction/target.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

struct ElementwisePlan {
  Problem problem;
  instruction::Target target{};
  int width = 1;           // neighbours in a row of D that a thread computes: a power of two
  int threads_in_row = 1;  // of a block, a power of two: the others take the rows after it
  int steps = 1;           // pieces of `width` that a thread computes, all threads' side by side

  static constexpr int threads = 256;  // of a block

  constexpr int rows() const { return threads / threads_in_row; }
  constexpr int columns_of_step() const { return threads_in_row * width; }
  constexpr int columns() const { return steps * columns_of_step(); }
  /// One thread block for each tile of D: along the rows of tiles, row by row, then matrix by
  /// matrix.
  constexpr LaunchGrid grid() const {
    return {LaunchNumber{1, {{{Loop::m, rows()}, {Loop::n, columns()}, {Loop::batch, 1}}}}};
  }
};

}  // namespace heddle::plan
