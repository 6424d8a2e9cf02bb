// Finishes attention: warps and thread blocks that share queries join their sums; O is divided by
// the sums of exponentials and stored.
#pragma once

#include <utility>
#include <vector>

#include "compiler/kernel/global_matrix.h"
#include "compiler/plan/attention_plan.h"
#include "compiler/request/matmul_request.h"
#include "compiler/tile/machine.h"
#include "compiler/tile/softmax_sums.h"
#include "compiler/tile/verbs.h"
#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// A thread's sums over the keys so far.
struct RowSums {
  Pieces o;
  std::vector<mlir::Value> largest, sums;  // of each row that the thread has: m, and its part of l
};

class AttentionResult {
 public:
  /// The maps of a thread's registers: of the scores, with the axes query and key, and of O, with
  /// the axes query and column.
  struct Maps {
    const layout::LinearLayout &scores, &result;
    const Groups& rows;  // of the scores' registers
  };
  /// All stay where they are.
  AttentionResult(ThreadCode& code, const GlobalContext& context, const Machine& machine,
                  const MatmulRequest& request, const plan::AttentionPlan& plan,
                  mlir::gpu::GPUFuncOp function, const Maps& maps)
      : code_(code),
        context_(context),
        machine_(machine),
        request_(request),
        plan_(plan),
        function_(function),
        maps_(maps) {}

  /// Multiplies each element of O by the number in `by` that belongs to the element's row.
  void scale(Pieces& o, const std::vector<mlir::Value>& by) const;

  /// The position of the thread (i32): its thread block, matrix of the batch, part of the keys and
  /// warp among those that share queries. A value is null if there is only one such thing.
  struct Place {
    mlir::Value block, batch, part;
    mlir::Value sharing_warp;          // of those that share queries
    std::vector<mlir::Value> queries;  // the number of each of the thread's rows
    mlir::Value shared;                // !llvm.ptr<3>: that of the tiles, which nobody writes now
    double factor = 1;                 // of scores, which are exponents of 2 then
  };
  void join_and_store(RowSums sums, const Place& place) const;

 private:
  // The sums that a thread joins with those of other threads: some elements of O, and the numbers m
  // and l of some rows.
  struct Joined {
    std::vector<std::pair<std::size_t, std::size_t>> elements;  // piece, number in it
    std::vector<std::size_t> rows;
    SoftmaxSums form;
  };
  Joined joined_form(std::size_t pieces, double factor) const;
  std::vector<mlir::Value> listed(const RowSums& sums, const Joined& as) const;
  RowSums with(RowSums sums, const Joined& as, const std::vector<mlir::Value>& all) const;
  RowSums joined_by_warps(RowSums sums, const Place& place) const;
  void store(const RowSums& sums, const Place& place) const;
  void store_rows(const std::vector<mlir::Value>& largest, const std::vector<mlir::Value>& whole,
                  const Place& place) const;
  void store_run(llvm::ArrayRef<mlir::Value> sums, std::uint64_t reg, mlir::Value column_of_lane,
                 const GlobalMatrix& d, const Place& place) const;
  std::size_t run_at(std::uint64_t reg, std::size_t most, const GlobalMatrix& d) const;
  std::size_t row_of(std::uint64_t reg) const;
  std::uint64_t first_register(std::size_t piece) const;
  GlobalMatrix matrix(const MatrixRecord& record, const Place& place) const;
  mlir::Value number(double value) const;
  mlir::ImplicitLocOpBuilder& builder() const { return context_.builder; }
  std::size_t sum_elements() const {
    return instruction::fragment(*plan_.instruction, instruction::Operand::d)
        .input_size("register");
  }
  int atom_columns() const {
    return plan_.keys_are_rows ? plan_.instruction->m : plan_.instruction->n;
  }

  ThreadCode& code_;
  const GlobalContext& context_;
  const Machine& machine_;
  const MatmulRequest& request_;
  const plan::AttentionPlan& plan_;
  mutable mlir::gpu::GPUFuncOp function_;
  Maps maps_;
};

}  // namespace heddle::compiler
