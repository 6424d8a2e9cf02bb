// Ping-pong: consumers begin their products in turn, by named barriers, so that one multiplies
// while another computes what stands between its products.
#pragma once

#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// Consumers are warpgroups 1 to `consumers`. Without `takes_turns` nobody waits. The context
/// outlives it.
class ConsumerTurns {
 public:
  ConsumerTurns(const WarpgroupContext& context, int consumers, bool takes_turns)
      : context_(context), consumers_(consumers), takes_turns_(takes_turns) {}

  /// Gives the first consumer the first turn.
  void begin() const;
  void wait() const;
  /// Gives the next consumer its turn.
  void give() const;

 private:
  mlir::Value barrier_of(mlir::Value consumer) const;
  void arrive(mlir::Value consumer) const;

  const WarpgroupContext& context_;
  int consumers_;
  bool takes_turns_;
};

}  // namespace heddle::compiler
