#include "heddle/interop/triton/distributed.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "library/text/formatted.h"

namespace heddle::interop::triton {

std::shared_ptr<const DistributedLayout> shared(DistributedLayout layout) {
  return std::make_shared<const DistributedLayout>(std::move(layout));
}

namespace detail {

Numbers without(Numbers numbers, std::int64_t dim) {
  numbers.erase(numbers.begin() + dim);
  return numbers;
}

namespace {

Result<void> verify_slice(const SliceLayout& slice) {
  if (!slice.parent) return wrong("SliceLayout has no parent");
  if (const auto checked = triton::verify(*slice.parent); !checked) return checked;
  const auto rank = static_cast<std::int64_t>(rank_of(*slice.parent));
  if (rank <= 1) return wrong("parent layout must have at least rank >= 2");
  if (slice.dim < 0 || slice.dim >= rank)
    return wrong(formatted("slice dim={} must be less than the parent rank={}", slice.dim, rank));
  return {};
}

Result<void> verify_dot(const DotOperandLayout& dot) {
  if (dot.operand_index != 0 && dot.operand_index != 1)
    return wrong(formatted("ttg.dot_op opIdx parameter can be 0 or 1, got: {}", dot.operand_index));
  if (!dot.parent) return wrong("ttg.dot_op parent parameter cannot be null");
  if (const auto checked = triton::verify(*dot.parent); !checked) return checked;
  if (dot.k_width != 0 && (!is_power_of_two(dot.k_width) || dot.k_width > 256))
    return wrong(formatted("ttg.dot_op kWidth parameter must be a power of two up to 256, got: {}",
                           dot.k_width));
  return visit_layout(
      Cases{
          [&](const BlockedLayout& parent) -> Result<void> {
            if (parent.rank() < 2)
              return wrong("ttg.dot_op parent layout must have at least rank >= 2");
            if (dot.k_width == 0) return {};
            return wrong(
                "ttg.dot_op kWidth parameter is not supported when the parent is a blocked layout");
          },
          [&](const NVMMADistributedLayout& parent) -> Result<void> {
            if (dot.k_width == 0)
              return wrong(
                  "ttg.dot_op kWidth parameter is mandatory for Ampere or Hopper MMA parent");
            if (dot.operand_index == 0 || parent.version[0] != 3) return {};
            return wrong(
                "ttg.dot_op opIdx parameter must be 0 for Hopper MMA parent, since Hopper WGMMA "
                "only "
                "allows first operand to be in registers");
          },
          [&](const AMDMFMALayout&) -> Result<void> {
            if (dot.k_width != 0) return {};
            return wrong("ttg.dot_op kWidth parameter is mandatory for MFMA parent");
          },
          [&](const AMDWMMALayout& parent) -> Result<void> {
            const std::int64_t width = dot.k_width;
            if (parent.version == 1 && width != 8 && width != 16)
              return wrong(
                  "ttg.dot_op kWidth parameter must be 8/16 for WMMA v1 (including packed cases "
                  "for "
                  "`scaled_dot`)");
            if (parent.version == 2 && width != 4 && width != 8 && width != 16)
              return wrong(
                  "ttg.dot_op kWidth parameter must be 4/8/16 for WMMA v2 (including packed cases "
                  "for "
                  "`scaled_dot`)");
            if (width == 0)
              return wrong("ttg.dot_op kWidth parameter is mandatory for WMMA parent");
            return {};
          },
          [](const auto&) -> Result<void> {
            return wrong(
                "ttg.dot_op parent must be a blocked layout or the layout of a matrix core's "
                "result");
          },
      },
      *dot.parent);
}

/// An operand of a product in which each thread computes its own elements of the result. A thread
/// has all of k in its registers. Threads and warps that are spread along k's dimension in the
/// layout of the result hold copies of the operand.
Result<layout::LinearLayout> blocked_operand(const BlockedLayout& parent, DotOperand operand,
                                             const Bases& cga, const Numbers& shape) {
  const std::int64_t k = MatrixDims(parent.rank()).k(operand);
  Numbers sizes = parent.size_per_thread;
  sizes[static_cast<std::size_t>(k)] = at(shape, k);
  return Tile(distributed_inputs(), parent.order)
      .spread_all("register", sizes, parent.order)
      .spread_but("lane", parent.threads_per_warp, parent.order, k)
      .spread_but("warp", parent.warps_per_cta, parent.order, k)
      .fill(cga, shape);
}

Result<layout::LinearLayout> slice_to_linear(const SliceLayout& slice, Numbers shape) {
  const std::size_t rank = rank_of(*slice.parent);
  if (const auto checked = check_shape(shape, rank - 1); !checked) return wrong(checked.error());
  shape.insert(shape.begin() + slice.dim, 1);
  const auto whole = to_linear(*slice.parent, shape);
  if (!whole) return whole;
  std::vector<NamedBases> inputs;
  for (const layout::Axis& axis : whole->inputs()) {
    NamedBases kept{axis.name, {}};
    for (const Numbers& basis : bases_of(*whole, axis.name)) {
      const Numbers rest = without(basis, slice.dim);
      const bool is_copy = std::ranges::all_of(rest, [](std::int64_t c) { return c == 0; });
      if (!is_copy || axis.name != layout::AxisName("register")) kept.bases.push_back(rest);
    }
    inputs.push_back(kept);
  }
  return map_of(inputs, without(shape, slice.dim));
}

Result<layout::LinearLayout> dot_to_linear(const DotOperandLayout& dot, const Numbers& shape) {
  const auto operand = static_cast<DotOperand>(dot.operand_index);
  const std::size_t rank = rank_of(*dot.parent);
  if (const auto checked = check_shape(shape, rank); !checked) return wrong(checked.error());
  const Bases cga = cga_layout_of(dot);
  return visit_layout(
      Cases{
          [&](const BlockedLayout& parent) { return blocked_operand(parent, operand, cga, shape); },
          [&](const NVMMADistributedLayout& parent) {
            return parent.operand_to_linear(operand, dot.k_width, cga, shape);
          },
          [&](const AMDMFMALayout& parent) {
            return parent.operand_to_linear(operand, dot.k_width, shape);
          },
          [&](const AMDWMMALayout& parent) {
            return parent.operand_to_linear(operand, dot.k_width, shape);
          },
          [](const auto&) -> Result<layout::LinearLayout> {
            return wrong("no operand of that parent");
          },
      },
      *dot.parent);
}

/// The tile that the parent's warps cover once, with as much of k as one instruction takes.
Numbers dot_tile(const DotOperandLayout& dot) {
  const auto operand = static_cast<DotOperand>(dot.operand_index);
  const Numbers tile = tile_of(*dot.parent);
  const std::int64_t k = visit_layout(
      Cases{[&](const NVMMADistributedLayout&) { return 8 * dot.k_width; },
            [&](const AMDMFMALayout& parent) { return parent.operand_k(operand, dot.k_width); },
            [&](const AMDWMMALayout& parent) {
              return parent.version == 1 ? std::max(parent.instr_shape[2], dot.k_width)
                                         : parent.operand_k(dot.k_width);
            },
            [&](const auto&) { return at(tile, MatrixDims(tile.size()).k(operand)); }},
      *dot.parent);
  return operand_tile(tile, operand, k);
}

}  // namespace
}  // namespace detail

std::size_t rank_of(const DistributedLayout& layout) {
  return detail::visit_layout(
      detail::Cases{[](const SliceLayout& slice) { return rank_of(*slice.parent) - 1; },
                    [](const DotOperandLayout& dot) { return rank_of(*dot.parent); },
                    [](const AutoLayout&) { return std::size_t{0}; },
                    [](const auto& other) { return other.rank(); }},
      layout);
}

Bases cga_layout_of(const DistributedLayout& layout) {
  return detail::visit_layout(
      detail::Cases{[](const SliceLayout& slice) {
                      Bases bases = cga_layout_of(*slice.parent);
                      for (Numbers& basis : bases) basis = detail::without(basis, slice.dim);
                      return bases;
                    },
                    [](const DotOperandLayout& dot) {  // all CTAs need all of k
                      Bases bases = cga_layout_of(*dot.parent);
                      const detail::MatrixDims dims(rank_of(*dot.parent));
                      const auto k = dims.k(static_cast<DotOperand>(dot.operand_index));
                      for (Numbers& basis : bases) basis[static_cast<std::size_t>(k)] = 0;
                      return bases;
                    },
                    [](const AutoLayout&) { return Bases{}; },
                    [](const DistributedLinearLayout& linear) { return linear.block_bases; },
                    [](const auto& other) { return other.cga_layout; }},
      layout);
}

Result<void> verify(const DistributedLayout& layout) {
  return detail::visit_layout(
      detail::Cases{[](const SliceLayout& slice) { return detail::verify_slice(slice); },
                    [](const DotOperandLayout& dot) { return detail::verify_dot(dot); },
                    [](const AutoLayout&) -> Result<void> {
                      return wrong(std::string(detail::auto_has_no_map));
                    },
                    [](const auto& other) { return other.verify(); }},
      layout);
}

std::string mangle(const DistributedLayout& layout) {
  return detail::visit_layout(detail::Cases{[](const SliceLayout& slice) {
                                              return formatted("SL{}_{}SL", slice.dim,
                                                               mangle(*slice.parent));
                                            },
                                            [](const DotOperandLayout& dot) {
                                              return formatted("DO{}_{}_{}DO", dot.operand_index,
                                                               mangle(*dot.parent), dot.k_width);
                                            },
                                            [](const auto& other) { return other.mangle(); }},
                              layout);
}

Numbers tile_of(const DistributedLayout& layout) {
  return detail::visit_layout(
      detail::Cases{[](const SliceLayout& slice) {
                      return detail::without(tile_of(*slice.parent), slice.dim);
                    },
                    [](const DotOperandLayout& dot) { return detail::dot_tile(dot); },
                    [](const AutoLayout&) { return Numbers{}; },
                    [](const auto& other) { return other.tile(); }},
      layout);
}

Result<layout::LinearLayout> to_linear(const DistributedLayout& layout, const Numbers& shape) {
  if (const auto checked = verify(layout); !checked) return wrong(checked.error());
  return detail::visit_layout(
      detail::Cases{[&](const SliceLayout& slice) { return detail::slice_to_linear(slice, shape); },
                    [&](const DotOperandLayout& dot) { return detail::dot_to_linear(dot, shape); },
                    [](const AutoLayout&) -> Result<layout::LinearLayout> {
                      return wrong(std::string(detail::auto_has_no_map));
                    },
                    [&](const auto& other) { return other.to_linear(shape); }},
      layout);
}

}  // namespace heddle::interop::triton
