// The order in which a thread block of attention by wgmma goes through its tiles of queries, and
// the blocks of keys that each tile needs.
#pragma once

#include <vector>

#include "compiler/nvidia/warpgroup_context.h"
#include "compiler/plan/warpgroup_attention.h"
#include "compiler/tile/score_code.h"

namespace heddle::compiler {

class AttentionTiles {
 public:
  using Values = std::vector<mlir::Value>;

  /// The referenced objects must outlive this object. `context` is the context of the product P V.
  AttentionTiles(const WarpgroupContext& context, const plan::WarpgroupAttentionPlan& plan,
                 const ScoreFormula& formula)
      : context_(context), plan_(plan), formula_(formula) {}

  /// Runs `body` for each tile of this thread block; the values that `body` returns are passed to
  /// it for the next tile, and `first` for the first one.
  ///
  /// If tiles differ in length, the tiles of a group of heads are ordered by length, the longest
  /// first, and taken in rounds: in each round every thread block takes one tile. To balance the
  /// thread blocks, the first one gets the longest tile of one round, and the last one gets the
  /// longest tile of the next round.
  Values for_each(const Values& first,
                  llvm::function_ref<Values(const BlockTile&, const Values&)> body) const;

  /// Numbers of blocks of keys (i32). A tile needs the blocks of keys from `first` to `end`, at
  /// least one. In those from `first_plain` to `end_plain`, no key is masked for the consumer's
  /// queries; that the last block of keys may be partial is not considered.
  struct KeySteps {
    mlir::Value first, first_plain, end_plain, end;
  };
  KeySteps steps(const BlockTile& tile, const ScoreCode& scores) const;

  /// Runs `body` for each block of keys, in descending order: from number `end` - 1 down to
  /// `first`.
  Values for_blocks(mlir::Value first, mlir::Value end, const Values& carried,
                    llvm::function_ref<Values(mlir::Value, const Values&)> body) const;

 private:
  BlockTile by_length(mlir::Value number) const;

  const WarpgroupContext& context_;
  const plan::WarpgroupAttentionPlan& plan_;
  const ScoreFormula& formula_;
};

}  // namespace heddle::compiler
