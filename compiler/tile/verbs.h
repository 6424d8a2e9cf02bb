// The verbs on tiles in registers: multiply, convert, reduce, and the elements of pieces.
#pragma once

#include <functional>
#include <vector>

#include "compiler/tile/machine.h"
#include "compiler/tile/tile.h"
#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// The registers of a tile one by one, and tiles of pieces of so many registers.
std::vector<mlir::Value> registers_of(ThreadCode& code, const Tile& tile);
Pieces pieces_of(ThreadCode& code, llvm::ArrayRef<mlir::Value> registers, std::size_t each);

/// D += A * B by instructions, of pieces by number: A's of (m, k), B's of (n, k), D's of (m, n).
struct MultiplyShape {
  std::size_t m = 1, n = 1;
};
void multiply(ThreadCode& code, const instruction::Instruction& row, MultiplyShape atoms,
              llvm::ArrayRef<mlir::Value> a, llvm::ArrayRef<mlir::Value> b, Pieces& d);

/// The tile in the layout `to`, in pieces of `each` registers, by the planner of conversions:
/// nothing moves, registers change places, or lanes exchange some.
Tile convert(ThreadCode& code, const Tile& tile, const layout::LinearLayout& to, std::size_t each);

/// Registers that have the same place on all axes but `axis`, in groups: the number of each
/// register's group. Groups are numbered by their first registers.
struct Groups {
  std::vector<std::size_t> of_register;
  std::vector<std::uint64_t> first;  // register of each group
  std::size_t count() const { return first.size(); }
};
Groups groups_along(const layout::LinearLayout& map, const layout::AxisName& axis);

using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;

/// A value for each group of registers of a thread, combined in a tree.
std::vector<mlir::Value> reduce_registers(const std::vector<mlir::Value>& registers,
                                          const Groups& groups, Combine combine);
/// Each value combined over the lanes that differ along `axis`: all of them then have it.
std::vector<mlir::Value> reduce_lanes(const Machine& machine, const layout::LinearLayout& map,
                                      const layout::AxisName& axis, std::vector<mlir::Value> values,
                                      Combine combine);

}  // namespace heddle::compiler
