// The order of memory accesses between the lanes of a warp.
//
// At warp level a read follows the write before it. In the code of threads another lane may have
// written what a lane reads, so the warp has to wait in between: NVIDIA's lanes run independently
// of each other. A wave of AMD runs in step, but its compiler may reorder accesses if no single
// lane makes both to the same place.
#pragma once

#include "compiler/warp/thread_code.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace heddle::compiler {

class WarpOrder {
 public:
  explicit WarpOrder(ThreadCode& code) : code_(&code) {}

  /// Before the code of a transfer: waits for the warp if an earlier access may be to the same
  /// place by another lane.
  void before(mlir::VectorTransferOpInterface transfer, const layout::LinearLayout& map);

  /// Before a region that may run again or not at all, and after it with what was before.
  void enter(mlir::Region& region);
  void leave(mlir::Region& region, const WarpOrder& before);

  /// The warp has waited: at a barrier of the block.
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
