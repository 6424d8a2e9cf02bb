// A ring of stages in shared memory, which a producer fills by copies and consumers read. Each
// stage has two mbarriers: `full` counts the bytes that copies have brought to the stage, and
// `empty` counts the warps that have finished reading the stage.
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

/// A position in the ring is a list of two values: the number of the stage, and a parity, which
/// flips each time the ring begins again.
class StageRing {
 public:
  explicit StageRing(const WarpgroupContext& context)
      : StageRing(context, RingPlan::of(context.plan)) {}
  StageRing(const WarpgroupContext& context, const RingPlan& plan)
      : context_(context), plan_(plan) {}

  /// Initialises the barriers. One thread of the thread block must call it before any thread uses
  /// the ring. A stage is full when the producer's thread and `arrivals` more threads have arrived
  /// at its barrier, and the expected bytes have come.
  void initialise(int arrivals) const;

  std::vector<mlir::Value> first() const;
  std::vector<mlir::Value> next(const std::vector<mlir::Value>& position) const;
  /// The position before `position`. Only its stage number is valid, not its parity.
  std::vector<mlir::Value> previous(const std::vector<mlir::Value>& position) const;

  /// `stage` returns the address of the stage's bytes, `full` that of the stage's barrier `full`
  /// (i32).
  mlir::Value stage(const std::vector<mlir::Value>& position) const;
  mlir::Value full(const std::vector<mlir::Value>& position) const;

  /// For the producer. wait_empty waits until all consumers in the cluster have read the stage.
  /// expect tells the stage's barrier `full` how many bytes copies will bring.
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
