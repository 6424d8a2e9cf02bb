// Linear layouts as code. The part of a map that depends on lane and warp becomes ands, shifts and
// xors; the part that is known now becomes constants.
#pragma once

#include <map>

#include "compiler/kernel/thread_context.h"
#include "heddle/layout/linear_layout.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::compiler {

/// The coordinate on `out` of `layout` for the thread's lane and warp, with all other inputs 0:
/// i32. Bits that move by the same distance go together: (lane & 6) << 3.
mlir::Value thread_coordinate(const ThreadContext& context, const layout::LinearLayout& layout,
                              const layout::AxisName& out);

/// The places of accesses to an operand's tile in LDS, as a register and an immediate.
///
/// An offset is thread ^ constant. Bits of the constant that no thread moves are added after
/// padding (see SharedLayout::place). The other bits are xored before, into a base of their own.
/// Without a swizzle there are none, and one base serves all accesses.
class SharedAddresses {
 public:
  /// `offsets`: (…, lane, …, warp, …) -> offset in `shared`; `start` is the tile's first element.
  SharedAddresses(const ThreadContext& context, const memory::SharedLayout& shared,
                  const layout::LinearLayout& offsets, std::uint32_t start);

  /// The registers of all accesses: i32, elements.
  std::vector<mlir::Value> bases() const;

  struct Place {
    mlir::Value base;       // i32, elements
    std::size_t number;     // of the base among bases()
    std::int64_t constant;  // elements
  };
  /// The place for these inputs of `offsets` (lane and warp are the thread's).
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
