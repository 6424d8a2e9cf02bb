// Keeps the order of memory accesses between the lanes of a warp.
//
// At warp level a read sees what an earlier write has written. In the code of one thread, the
// element that a lane reads may have been written by another lane, so the warp must wait between
// the write and the read. NVIDIA's lanes run independently of each other. The lanes of an AMD wave
// run in lockstep, but AMD's compiler may reorder two accesses unless the same lane makes both to
// the same address.
#pragma once

#include "compiler/warp/thread_code.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace heddle::compiler {

class WarpOrder {
 public:
  explicit WarpOrder(ThreadCode& code) : code_(&code) {}

  /// Call before the code of a transfer is emitted. If another lane may have accessed the same
  /// address since the warp last waited, and one of the two accesses writes, emits code that makes
  /// the warp wait.
  void before(mlir::VectorTransferOpInterface transfer, const layout::LinearLayout& map);

  /// Call enter() before the code of a region that may run several times or not at all. Call
  /// leave() after the region; `before` is a copy of this object from before the region.
  void enter(mlir::Region& region);
  void leave(mlir::Region& region, const WarpOrder& before);

  /// Call after a barrier of the thread block has been emitted: the warp has waited there.
  void waited() { accesses_.clear(); }

 private:
  struct Access {
    mlir::VectorTransferOpInterface transfer;
    std::optional<layout::LinearLayout> map;  // not known of those that may come again
  };
  static bool may_meet(const Access& earlier, const Access& later);
  void remember(mlir::Region& region);

  ThreadCode* code_;
  std::vector<Access> accesses_;  // since the warp last waited
};

}  // namespace heddle::compiler
