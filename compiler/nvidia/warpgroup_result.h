// Stores a consumer's sums to D in global memory. If there is a tensor map of D, the results are
// written to shared memory and copied to D by the tensor memory accelerator, while the next tile is
// computed. Otherwise they are stored straight from registers.
//
// The results are copied in pieces of 16 rows times 128 bytes. Each warp has 16 rows of every band,
// and works independently of the others: it writes its pieces alternately to two places in shared
// memory that only it uses. But if the columns of D are contiguous, a line of 128 bytes has rows of
// all four warps, and the warps write pieces together.
#pragma once

#include <vector>

#include "compiler/kernel/parts.h"
#include "compiler/nvidia/copies.h"
#include "compiler/nvidia/result_stores.h"
#include "heddle/instruction/instruction.h"
#include "heddle/layout/linear_layout.h"

namespace heddle::compiler {

/// The last arguments of the kernel: the tensor map of D, and pointers (!llvm.ptr<1>) to the other
/// matrices, which the records of the request describe.
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
  /// Waits until the copies have finished reading shared memory and writing D.
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
  /// i32: the address at which the lane writes its values from element (m, n) of the band on, in
  /// the piece that begins at address `place`.
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
  /// Where byte k of row m of a piece lies: (m, k) -> byte. A row has 128 bytes, whose eight units
  /// of 16 bytes are permuted as in the tensor map of D, so that the stores have no bank conflicts.
  layout::LinearLayout piece_;
};

}  // namespace heddle::compiler
