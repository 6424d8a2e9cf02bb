// The tiles of queries that a block of attention by wgmma goes through, in which order, and the
// blocks of keys that each needs.
#pragma once

#include <vector>

#include "compiler/nvidia/warpgroup_context.h"
#include "compiler/plan/warpgroup_attention.h"
#include "compiler/tile/score_code.h"

namespace heddle::compiler {

class AttentionTiles {
 public:
  using Values = std::vector<mlir::Value>;

  /// All of these stay where they are. `context` is that of the product with V.
  AttentionTiles(const WarpgroupContext& context, const plan::WarpgroupAttentionPlan& plan,
                 const ScoreFormula& formula)
      : context_(context), plan_(plan), formula_(formula) {}

  /// Runs `body` for the block's tiles; values go from each to the next. If tiles are not all as
  /// long, the longest of some heads come first. Of those taken at the same time the first block
  /// has the longest in one round, and the last block in the next.
  Values for_each(const Values& first,
                  llvm::function_ref<Values(const BlockTile&, const Values&)> body) const;

  /// Blocks of keys (i32): a tile needs those from `first` to `end`, at least one. Of those before
  /// the last, the consumer's queries see all keys from `first_plain` to `end_plain`.
  struct KeySteps {
    mlir::Value first, first_plain, end_plain, end;
  };
  KeySteps steps(const BlockTile& tile, const ScoreCode& scores) const;

  /// Runs `body` for blocks of keys from the one before `end` down to `first`.
  Values for_blocks(mlir::Value first, mlir::Value end, const Values& carried,
                    llvm::function_ref<Values(mlir::Value, const Values&)> body) const;

 private:
  BlockTile by_length(mlir::Value number) const;

  const WarpgroupContext& context_;
  const plan::WarpgroupAttentionPlan& plan_;
  const ScoreFormula& formula_;
};

}  // namespace heddle::compiler
