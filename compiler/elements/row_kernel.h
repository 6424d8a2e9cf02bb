// The kernel of a function whose elements depend on reductions of rows (row_function.h). Each
// thread reduces a part of a row. The threads then exchange their partial results, between the
// lanes of a warp and through shared memory, until all of them have the results of the row. Short
// rows stay in registers in the meantime.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "compiler/elements/element_tiles.h"
#include "compiler/elements/row_function.h"
#include "compiler/kernel/global_matrix.h"
#include "compiler/tile/machine.h"

namespace heddle::compiler {

class RowKernel {
 public:
  RowKernel(const ElementFrame& frame, RowFunction rows);

  void write(mlir::Value thread, mlir::Value block);

 private:
  using Values = std::vector<mlir::Value>;
  using Step = llvm::function_ref<Values(mlir::Value step, const Values&)>;

  void find_rows(mlir::Value thread, mlir::Value block);
  void make_shared_memory();
  Places loops_of(const SharedReduction& one, const Places& row) const;
  void reduce(std::size_t number);
  Values begin(const SharedReduction& one, mlir::Value is_first);
  Values with_element(const SharedReduction& one, const Places& row, const Places& element,
                      const Values& so_far);
  Values merged(const SharedReduction& one, const Values& x, const Values& y);
  Values merged_rows(const SharedReduction& one, const Values& x, const Values& y);
  Values merged_threads(std::size_t number, Values values);
  Values merged_lanes(const SharedReduction& one, Values values);
  Values merged_shared(std::size_t number, const Values& values, mlir::Value slot,
                       mlir::Value first, int count, int stride);
  Values again_for_nan(const SharedReduction& one, const Values& values);
  mlir::Value of_lane(mlir::Value x, int mask);
  Values words_of(mlir::Value x) const;
  mlir::Value of_words(mlir::Type type, llvm::ArrayRef<mlir::Value> words) const;
  void finish(std::size_t number, const Values& values);
  void share_parts(std::size_t number, const Values& values);
  void write_results();
  void write_columns(unsigned result);

  /// Steps from `begin` on, which the threads of a row share. Those from `end` on are not the
  /// row's.
  struct Share {
    mlir::Value begin;
    std::int64_t steps, end;
    bool may_end_before;
  };
  Values strided(std::int64_t steps, const Values& first, Step each);
  Values strided(const Share& share, const Values& first, Step each);
  Values guarded(mlir::Value valid, mlir::Value step, const Values& before, Step each);
  /// The steps of a thread in a short row, each with a flag (i1) that it lies inside the row; a
  /// null flag means that it certainly does.
  using Unrolled = std::vector<std::pair<mlir::Value, mlir::Value>>;
  const Unrolled& unrolled(std::int64_t steps);
  mlir::Value limited(mlir::Value step, std::int64_t steps) const;
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) const;
  mlir::Value both(mlir::Value x, mlir::Value y) const;
  mlir::Value remainder(mlir::Value x, std::int64_t y) const;
  mlir::Value quotient(mlir::Value x, std::int64_t y) const;
  const std::vector<Places>& elements(mlir::Value step, const std::vector<std::int64_t>& sizes);
  int lanes_of_warp() const;

  const ElementFrame& frame_;
  const plan::ElementRows& plan_;
  GlobalContext context_;
  std::unique_ptr<Machine> machine_;
  RowFunction function_;
  ElementCode code_;
  mlir::Value thread_, lane_, part_, tile_;  // i32; `lane_` among the threads that share a row
  mlir::Value group_;                        // i32: of rows that the thread reduces; the last one
  mlir::Value has_group_;                    // i1: there is such a group; null: always
  std::vector<Places> rows_;                 // of the group
  mlir::Value shared_;
  std::vector<std::int64_t> shared_begin_;  // of each reduction; the last is that of four bytes
  std::map<std::pair<const void*, std::vector<std::int64_t>>, std::vector<Places>> elements_;
  std::map<std::int64_t, Unrolled> unrolled_;
};

}  // namespace heddle::compiler
