// From a consumer's sums to D in global memory: rounded, through shared memory, by copies of the
// tensor memory accelerator that go on while the next tile is multiplied.
//
// Each warp has 16 rows of every band and works for itself: pieces of 16 rows times 128 bytes go
// through its own two places in shared memory in turn.
#pragma once

#include <array>
#include <vector>

#include "compiler/nvidia/tile_order.h"
#include "compiler/nvidia/warpgroup_context.h"
#include "heddle/instruction/instruction.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::compiler {

/// Where an element of a piece lies: rows of 128 bytes whose 16-byte units are permuted, which is
/// what the tensor map of D says too, and what makes the stores free of bank conflicts.
class PieceMap {
 public:
  explicit PieceMap(const plan::WarpgroupPlan& plan);
  /// Byte offset of row m, column n.
  int offset(std::uint64_t m, std::uint64_t n) const;

 private:
  std::size_t columns_;
  std::vector<int> offsets_;
};

class WarpgroupResult {
 public:
  /// `map`: !llvm.ptr to D's tensor map. `c`: !llvm.ptr<1> to what is added, row-major like D, or
  /// null; then `constant` is added.
  WarpgroupResult(const WarpgroupContext& context, mlir::Value map, mlir::Value c, double constant);

  void store(const Tile& tile, mlir::Value sums);
  /// Waits until shared memory is read and D is written.
  void finish() const;

 private:
  void piece(const std::vector<mlir::Value>& values, int number, mlir::Value row,
             mlir::Value column);
  void write_matrices(const std::vector<mlir::Value>& values, mlir::Value place) const;
  void write_pairs(const std::vector<mlir::Value>& values, mlir::Value place) const;
  /// i32: where the lane writes what has element (m, n) of the piece at `place` first.
  mlir::Value address(mlir::Value place, std::uint64_t m, std::uint64_t n) const;
  mlir::Value packed(mlir::Value low, mlir::Value high) const;
  mlir::Value lane_coordinate(const layout::AxisName& axis) const;
  std::array<mlir::Value, 2> with_initial(mlir::Value low, mlir::Value high, mlir::Value row,
                                          mlir::Value column, int register_number) const;
  std::array<mlir::Value, 2> initial(mlir::Value row, mlir::Value column,
                                     int register_number) const;

  const WarpgroupContext& context_;
  mlir::Value map_, c_;
  double constant_;
  instruction::Instruction instruction_;
  layout::LinearLayout fragment_;  // (element, register, lane) -> (m, n)
  PieceMap piece_map_;
  mlir::Value places_;      // i32: the warp's two places in shared memory
  mlir::Value first_lane_;  // i1
  mlir::Type sums_element_;
  mlir::Value lane_row_, lane_column_;  // i32: of C, null without
  mlir::Value lane_offset_;             // i32: bytes inside a place that depend on the lane
};

}  // namespace heddle::compiler
