// Ping-pong: the warpgroups that multiply (consumers) take turns to begin their products, so that
// one multiplies while another computes what comes between its products. They wait for their turns
// at named barriers.
#pragma once

#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// The consumers are warpgroups 1 to `consumers` of the thread block. If `takes_turns` is false, no
/// consumer ever waits. `context` must outlive this object.
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
