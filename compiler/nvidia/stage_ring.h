// The ring of stages in shared memory. Each stage has two mbarriers: full counts the bytes that
// copies have brought, and empty counts the consumers that have read them.
//
// Sources: PTX ISA 8.0, "Parallel Synchronization and Communication Instructions: mbarrier", and
// "Tracking asynchronous operations by the mbarrier object".
#pragma once

#include <vector>

#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// Where a ring lies in shared memory, and who uses it.
struct RingPlan {
  int stages, stage_bytes;
  int start, barriers_start;  // bytes before its stages and before its barriers
  int readers;                // warps that release a stage, of all blocks of the cluster
  int blocks = 1;             // of the cluster

  static RingPlan of(const plan::WarpgroupPlan& plan) {
    return {plan.stages,
            plan.stage_bytes(),
            0,
            plan.barriers_start(),
            plan::warps_of_warpgroup * plan.consumers * plan.cluster(),
            plan.cluster()};
  }
  /// Two barriers for each stage.
  int barrier_bytes() const { return 2 * 8 * stages; }
};

/// A position in the ring is two values: the number of the stage, and the parity of the round.
class StageRing {
 public:
  explicit StageRing(const WarpgroupContext& context)
      : StageRing(context, RingPlan::of(context.plan)) {}
  StageRing(const WarpgroupContext& context, const RingPlan& plan)
      : context_(context), plan_(plan) {}

  /// For one thread of the block, before any other uses the ring. `arrivals` threads arrive at a
  /// full stage besides the producer's.
  void initialise(int arrivals) const;

  std::vector<mlir::Value> first() const;
  std::vector<mlir::Value> next(const std::vector<mlir::Value>& position) const;
  /// The position before; its parity is not to be used.
  std::vector<mlir::Value> previous(const std::vector<mlir::Value>& position) const;

  /// i32: the addresses of the stage's bytes and of its full barrier.
  mlir::Value stage(const std::vector<mlir::Value>& position) const;
  mlir::Value full(const std::vector<mlir::Value>& position) const;

  /// For the producer: wait_empty waits until all consumers of the cluster have read the stage;
  /// expect announces the number of bytes that will come.
  void wait_empty(const std::vector<mlir::Value>& position) const;
  void expect(const std::vector<mlir::Value>& position, mlir::Value bytes) const;

  /// For a producer that writes the stage itself, all threads of a warp together: its bytes are
  /// there, also for wgmma.
  void fill(const std::vector<mlir::Value>& position) const;

  /// For the consumers, all threads of a warp together: wait_full waits until the bytes are there;
  /// release tells all blocks of the cluster that they have been read.
  void wait_full(const std::vector<mlir::Value>& position) const;
  void release(const std::vector<mlir::Value>& position) const;

 private:
  mlir::Value empty(const std::vector<mlir::Value>& position) const;
  void wait(mlir::Value barrier, mlir::Value parity) const;

  const WarpgroupContext& context_;
  RingPlan plan_;
};

}  // namespace heddle::compiler
