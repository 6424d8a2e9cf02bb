// Scores that several warps of a block compute together, each for some of the depth: their sums
// through shared memory.
//
//   each warp:   put its parts  --barrier-->  read those of all, and add them up
//
// All warps add in the same order, so that their scores have the same bits.
#pragma once

#include "compiler/kernel/global_matrix.h"
#include "compiler/plan/attention_plan.h"
#include "compiler/tile/tile.h"
#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

class ScoreParts {
 public:
  /// `shared` (!llvm.ptr<3>) is the block's shared memory. All stay where they are.
  ScoreParts(ThreadCode& code, const GlobalContext& context, const plan::AttentionPlan& plan,
             mlir::Value shared)
      : code_(code), context_(context), plan_(plan), shared_(shared) {}

  /// Writes the warp's parts. Barriers have to be before it, since the last `sum`, and after it.
  void put(const Tile& scores) const;
  /// The sums of all parts, in the layout of `scores`.
  Tile sum(const Tile& scores) const;

 private:
  mlir::Value place(mlir::Value warp, std::size_t first_register) const;

  ThreadCode& code_;
  const GlobalContext& context_;
  const plan::AttentionPlan& plan_;
  mlir::Value shared_;
};

}  // namespace heddle::compiler
