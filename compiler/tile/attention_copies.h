// The producer of attention by wgmma: the rings of stages in shared memory, and the warpgroup that
// fills them.
#pragma once

#include "compiler/nvidia/copies.h"
#include "compiler/nvidia/stage_ring.h"
#include "compiler/tile/attention_tiles.h"

namespace heddle::compiler {

struct AttentionRings {
  /// `context` stays where it is.
  AttentionRings(const WarpgroupContext& context, const plan::WarpgroupAttentionPlan& plan);

  /// For one thread of the block, before any other uses them.
  void initialise() const;

  const bool transposes;
  StageRing q, k, v;
  StageRing copied;  // V as it lies, where v has V^T
};

class AttentionProducer {
 public:
  /// The contexts of both products; `scores_of` makes a tile's scores. All stay where they are.
  AttentionProducer(const WarpgroupContext& scores, const WarpgroupContext& values,
                    const plan::WarpgroupAttentionPlan& plan, const AttentionTiles& tiles,
                    llvm::function_ref<ScoreCode(const BlockTile&)> scores_of);

  struct Matrices {
    const MappedMatrix &q, &k, &v;
  };
  /// For the warpgroup. One thread copies; of 8-bit floats, the other warps transpose V.
  void produce(const Matrices& matrices) const;

 private:
  using Position = std::vector<mlir::Value>;
  void copy_all(const Matrices& matrices) const;
  void transpose_all() const;
  void copy(const StageRing& ring, const Position& position, const Copies& copies,
            instruction::Operand operand, int bytes, const LoopNumbers& numbers) const;

  const WarpgroupContext &scores_, &values_;
  const plan::WarpgroupAttentionPlan& plan_;
  const AttentionTiles& tiles_;
  llvm::function_ref<ScoreCode(const BlockTile&)> scores_of_;
};

}  // namespace heddle::compiler
