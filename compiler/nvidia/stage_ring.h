// The ring of stages in shared memory. Each stage has two mbarriers: full counts the bytes that
// copies have brought, and empty counts the consumers that have read them.
//
// Sources: PTX ISA 8.0, "Parallel Synchronization and Communication Instructions: mbarrier", and
// "Tracking asynchronous operations by the mbarrier object".
#pragma once

#include <vector>

#include "compiler/nvidia/warpgroup_context.h"

namespace heddle::compiler {

/// A position in the ring is two values: the number of the stage, and the parity of the round.
class StageRing {
 public:
  explicit StageRing(const WarpgroupContext& context) : context_(context) {}

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

  /// For the consumers, all threads of a warp together: wait_full waits until the bytes are there;
  /// release tells all blocks of the cluster that they have been read.
  void wait_full(const std::vector<mlir::Value>& position) const;
  void release(const std::vector<mlir::Value>& position) const;

 private:
  mlir::Value empty(const std::vector<mlir::Value>& position) const;
  void wait(mlir::Value barrier, mlir::Value parity) const;

  const WarpgroupContext& context_;
};

}  // namespace heddle::compiler
