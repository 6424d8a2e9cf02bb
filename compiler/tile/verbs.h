// Operations on tiles in registers (verbs): multiply, convert, reduce, and access to single
// registers of a tile.
#pragma once

#include <functional>
#include <vector>

#include "compiler/tile/machine.h"
#include "compiler/tile/tile.h"
#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// registers_of() takes a tile apart into its single registers. pieces_of() does the reverse: it
/// makes pieces of `each` registers.
std::vector<mlir::Value> registers_of(ThreadCode& code, const Tile& tile);
Pieces pieces_of(ThreadCode& code, llvm::ArrayRef<mlir::Value> registers, std::size_t each);

/// D += A * B by matrix instructions, of which there is one along k. m and n count instructions
/// along the other axes of the tile. `a` has a piece for each m, `b` for each n, and `d` for each
/// (m, n): piece m * atoms.n + n.
struct MultiplyShape {
  std::size_t m = 1, n = 1;
};
void multiply(ThreadCode& code, const instruction::Instruction& row, MultiplyShape atoms,
              llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b, Pieces& d);

/// Returns the tile in the layout `to`, in pieces of `each` registers. The planner of conversions
/// chooses the cheapest way: nothing moves, values move between the registers of a thread, or lanes
/// exchange values.
Tile convert(ThreadCode& code, const Tile& tile, const layout::LinearLayout& to, std::size_t each);

/// Divides the registers of `map` into groups: registers of one group have the same coordinates on
/// all axes except `axis`. Groups are numbered in the order of their first registers.
struct Groups {
  std::vector<std::size_t> of_register;
  std::vector<std::uint64_t> first;  // register of each group
  std::size_t count() const { return first.size(); }
};
Groups groups_along(const layout::LinearLayout& map, const layout::AxisName& axis);

using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;

/// Reduces each group of a thread's registers to one value, in a tree.
std::vector<mlir::Value> reduce_registers(const std::vector<mlir::Value>& registers,
                                          const Groups& groups, Combine combine);
/// Reduces each value over the lanes that differ along `axis`. All of these lanes get the result.
std::vector<mlir::Value> reduce_lanes(const Machine& machine, const layout::LinearLayout& map,
                                      const layout::AxisName& axis, std::vector<mlir::Value> values,
                                      Combine combine);

}  // namespace heddle::compiler
