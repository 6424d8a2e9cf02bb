// Stores a consumer's sums to D in global memory. They go through shared memory, by copies of the
// tensor memory accelerator that overlap with the next tile. If D has no tensor map, they are
// stored straight from registers.
//
// Each warp has 16 rows of every band and works for itself: pieces of 16 rows times 128 bytes go
// through its own two places in shared memory in turn. If D lies by columns, a line of 128 bytes
// has rows of all four warps, and they work together.
#pragma once

#include <vector>

#include "compiler/kernel/parts.h"
#include "compiler/nvidia/copies.h"
#include "compiler/nvidia/result_stores.h"
#include "heddle/instruction/instruction.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::compiler {

/// The arguments at the end of the kernel: !llvm.ptr<1>, each as its record says, except `map`.
struct ResultArguments {
  MappedMatrix map;  // of D; without dimensions results leave straight from registers
  mlir::Value d;     // null where there is a map
  mlir::Value c;     // null: the constant is added
  std::vector<mlir::Value> extras;
  std::vector<mlir::Value> further;  // results; none where there is a map
  mlir::Value workspace;             // in which the parts of k meet; null where there is one
};

class WarpgroupResult {
 public:
  WarpgroupResult(const WarpgroupContext& context, const MatmulRequest& request,
                  const ResultArguments& arguments);

  void store(const BlockTile& tile, mlir::Value sums);
  /// Waits until the copies have read shared memory and written D.
  void finish() const;

 private:
  GlobalMatrices matrices(mlir::Value batch) const;
  std::vector<mlir::Value> registers(mlir::Value sums) const;
  std::vector<mlir::Value> with_constant(std::vector<mlir::Value> sums) const;
  void add_parts_of(const BlockTile& tile, const std::vector<mlir::Value>& sums,
                    llvm::function_ref<void(ReadSums)> finish) const;
  HeldSums held() const;
  void store_band(const BlockTile& tile, ReadSums sums, const GlobalMatrices& all);
  int piece_offset(std::uint64_t m, std::uint64_t n) const;
  std::vector<mlir::Value> results(const ResultElements& elements, const MatrixPlace& thread,
                                   llvm::ArrayRef<mlir::Value> sums, int band, int first) const;
  void piece(const std::vector<mlir::Value>& values, int number, const LoopNumbers& corner);
  void synchronise_piece() const;
  void write_matrices(const std::vector<mlir::Value>& pairs, mlir::Value place) const;
  void write_pairs(const std::vector<mlir::Value>& pairs, mlir::Value place) const;
  /// i32: the address in the piece at `place` to which the lane writes the values from element (m,
  /// n) on.
  mlir::Value address(mlir::Value place, std::uint64_t m, std::uint64_t n) const;

  const WarpgroupContext& context_;
  const MatmulRequest& request_;
  const ResultArguments& arguments_;
  instruction::Instruction instruction_;
  layout::LinearLayout fragment_;  // (element, register, lane) -> (m, n)
  mlir::Value places_;             // i32: the two places of its pieces in shared memory
  mlir::Value is_copier_;          // i1: whether the thread copies its pieces to D
  mlir::Value lane_m_, lane_n_;    // i32: of the thread's first element
  mlir::Value lane_offset_;        // i32: bytes inside a place that depend on the lane
  /// (m, k) -> byte of a piece, where k counts bytes. Rows have 128 bytes, whose 16-byte units are
  /// permuted, as in the tensor map of D. This keeps the stores free of bank conflicts.
  layout::LinearLayout piece_;
};

}  // namespace heddle::compiler
