// Builds code that computes linear layouts. What depends on lane and warp becomes ands, shifts and
// xors; what is known at compile time becomes constants.
#pragma once

#include <map>

#include "compiler/kernel/thread_context.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::compiler {

/// The output `out` of `layout` (i32) for the lane and warp of the thread; all other inputs are 0.
/// Input bits that move by the same distance are shifted together: (lane & 6) << 3.
mlir::Value thread_coordinate(const ThreadContext& context, const layout::LinearLayout& layout,
                              const layout::AxisName& out);

/// The addresses at which a thread accesses an operand's tile in shared memory, each as a base
/// register plus a constant.
///
/// The offset of an access is a value that depends on the thread, xor a constant. Those bits of the
/// constant that no thread's value has can be added to the address, after the padding (see
/// SharedLayout::place). The other bits must be xored before the padding is added, so there is a
/// base register for each combination of them. Without a swizzle there are no such bits, and one
/// base register serves all accesses.
class SharedAddresses {
 public:
  /// `offsets` maps the inputs of an access, among them lane and warp, to an offset in `shared`.
  /// `start` is the position (in elements) at which the tile begins in shared memory. `shared` and
  /// `offsets` must outlive this object.
  SharedAddresses(const ThreadContext& context, const memory::SharedLayout& shared,
                  const layout::LinearLayout& offsets, std::uint32_t start);

  /// The registers of all accesses: i32, elements.
  std::vector<mlir::Value> bases() const;

  struct Place {
    mlir::Value base;       // i32, elements
    std::size_t number;     // of the base among bases()
    std::int64_t constant;  // elements
  };
  /// The address of the access with these inputs of `offsets`. Lane and warp are not among them;
  /// they are the thread's.
  Place at(const layout::Coordinates& inputs) const;

 private:
  mlir::Value base(std::uint64_t flipped) const;

  const ThreadContext& context_;
  const memory::SharedLayout& shared_;
  const layout::LinearLayout& offsets_;
  std::uint32_t start_;
  std::uint64_t moving_ = 0;  // offset bits that depend on the thread
  mlir::Value thread_;
  std::map<std::uint64_t, mlir::Value> bases_;
};

}  // namespace heddle::compiler
