// A distributed layout of any kind, and the two kinds that are derived from a parent layout:
// SliceLayout drops a dimension of its parent; DotOperandLayout is the layout of an operand of a
// product whose result has the parent's layout.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py, and
// lib/Dialect/TritonGPU/IR (SliceEncodingAttr, DotOperandEncodingAttr).
#pragma once

#include <memory>
#include <variant>

#include "heddle/interop/triton/matrix.h"

namespace heddle::interop::triton {

struct DistributedLayout;

/// A placeholder for a layout that Triton chooses later.
struct AutoLayout {
  std::string mangle() const { return "AL"; }
};

/// The parent without dimension `dim`. Registers that would only hold copies are dropped.
struct SliceLayout {
  std::int64_t dim;
  std::shared_ptr<const DistributedLayout> parent;
};

struct DotOperandLayout {
  std::int64_t operand_index;  // 0: A, 1: B
  std::shared_ptr<const DistributedLayout> parent;
  std::int64_t k_width = 0;  // consecutive elements of k in a thread; 0 for a blocked parent
};

struct DistributedLayout
    : std::variant<BlockedLayout, DistributedLinearLayout, NVMMADistributedLayout, AMDMFMALayout,
                   AMDWMMALayout, SliceLayout, DotOperandLayout, AutoLayout> {
  using variant::variant;
};

std::shared_ptr<const DistributedLayout> shared(DistributedLayout layout);

/// The number of dimensions. Precondition: verify(layout).
std::size_t rank_of(const DistributedLayout& layout);

/// The bases that say how CTAs share a tensor of this layout. Precondition: verify(layout).
Bases cga_layout_of(const DistributedLayout& layout);

/// The error for a layout that Triton rejects, with Triton's message if it has one.
Result<void> verify(const DistributedLayout& layout);

/// Gluon's mangled name.
std::string mangle(const DistributedLayout& layout);

/// The shape of the tile that the layout covers without repetition. Precondition: verify(layout).
Numbers tile_of(const DistributedLayout& layout);

/// The map (register, lane, warp, block) -> (dim0, dim1, …) for a tensor of this shape, which may
/// be larger or smaller than the layout's tile. Errors: those of verify, a shape of another rank or
/// with a size that is not a power of two, more than 64 bits.
Result<layout::LinearLayout> to_linear(const DistributedLayout& layout, const Numbers& shape);

namespace detail {

inline constexpr std::string_view auto_has_no_map =
    "AutoLayout stands for a layout that Triton chooses later; it has no map yet: name a layout";

/// A visitor from functions.
template <class... Functions>
struct Cases : Functions... {
  using Functions::operator()...;
};

template <class Visitor>
decltype(auto) visit_layout(Visitor&& visitor, const DistributedLayout& layout) {
  using Variant =
      std::variant<BlockedLayout, DistributedLinearLayout, NVMMADistributedLayout, AMDMFMALayout,
                   AMDWMMALayout, SliceLayout, DotOperandLayout, AutoLayout>;
  return std::visit(std::forward<Visitor>(visitor), static_cast<const Variant&>(layout));
}

/// A list without its entry `dim`.
Numbers without(Numbers numbers, std::int64_t dim);

}  // namespace detail

std::size_t rank_of(const DistributedLayout& layout);

Bases cga_layout_of(const DistributedLayout& layout);

Result<void> verify(const DistributedLayout& layout);

std::string mangle(const DistributedLayout& layout);

Numbers tile_of(const DistributedLayout& layout);

Result<layout::LinearLayout> to_linear(const DistributedLayout& layout, const Numbers& shape);

}  // namespace heddle::interop::triton
