// Gluon's BlockedLayout and DistributedLinearLayout.
//
// Blocked: a thread holds a small box of elements, the threads of a warp form a box of such boxes,
// the warps a box of those; `order` names the dimensions, fastest first, in which all three run.
//
// Source: Triton 3.6.0, python/triton/experimental/gluon/language/_layouts.py, and
// lib/Dialect/TritonGPU/IR (BlockedEncodingAttr, LinearEncodingAttr).
#pragma once

#include "heddle/interop/triton/tile.h"
#include "heddle/layout/solve.h"

namespace heddle::interop::triton {

struct BlockedLayout {
  Numbers size_per_thread;   // elements a thread holds in each dimension
  Numbers threads_per_warp;  // threads of a warp in each dimension
  Numbers warps_per_cta;     // warps of a CTA in each dimension
  Numbers order;             // the dimensions, fastest first
  Bases cga_layout{};        // how CTAs share the tensor; empty: one CTA

  std::size_t rank() const { return order.size(); }

  /// Errors: lists of different lengths, sizes that are no powers of two, an order that is none.
  Result<void> verify() const {
    const auto same = [&](std::string_view name, const Numbers& numbers) -> Result<void> {
      if (numbers.size() == size_per_thread.size()) return {};
      return wrong(std::string(name) + " " + list_text(numbers) + " has " +
                   std::to_string(numbers.size()) + " entries; size_per_thread " +
                   list_text(size_per_thread) + " has " + std::to_string(size_per_thread.size()));
    };
    if (size_per_thread.empty() || size_per_thread.size() > layout::max_axes)
      return wrong("size_per_thread " + list_text(size_per_thread) + " has " +
                   std::to_string(size_per_thread.size()) +
                   " entries; a layout has 1 to 8 dimensions");
    if (const auto checked = same("threads_per_warp", threads_per_warp); !checked) return checked;
    if (const auto checked = same("warps_per_cta", warps_per_cta); !checked) return checked;
    if (const auto checked = same("order", order); !checked) return checked;
    if (!are_powers_of_two(size_per_thread))
      return wrong("Every element in sizePerThread must be a power of two.");
    if (!are_powers_of_two(threads_per_warp))
      return wrong("Every element in threadsPerWarp must be a power of two.");
    if (!are_powers_of_two(warps_per_cta))
      return wrong("Every element in warpsPerCTA must be a power of two.");
    if (!is_permutation_of(order, rank()))
      return wrong("order must be a permutation of 0..(rank-1), but was " + list_text(order));
    return check_bases("cga_layout", cga_layout, rank());
  }

  std::string mangle() const {
    return "B" + joined(size_per_thread, "_") + "_" + joined(threads_per_warp, "_") + "_" +
           joined(warps_per_cta, "_") + "_" + joined(order, "_") + "_" + mangled(cga_layout) + "B";
  }

  /// The shape that the layout covers once. Precondition: verify().
  Numbers tile() const {
    Numbers shape = reached({{"block", cga_layout}}, rank());
    for (std::size_t dim = 0; dim < rank(); ++dim)
      shape[dim] *= size_per_thread[dim] * threads_per_warp[dim] * warps_per_cta[dim];
    return shape;
  }

  /// (register, lane, warp, block) -> (dim0, dim1, …).
  Result<layout::LinearLayout> to_linear(const Numbers& shape) const {
    if (const auto checked = verify(); !checked) return wrong(checked.error());
    if (const auto checked = check_shape(shape, rank()); !checked) return wrong(checked.error());
    return Tile(distributed_inputs(), order)
        .spread_all("register", size_per_thread, order)
        .spread_all("lane", threads_per_warp, order)
        .spread_all("warp", warps_per_cta, order)
        .fill(cga_layout, shape);
  }
};

struct DistributedLinearLayout {
  Bases reg_bases;
  Bases lane_bases;
  Bases warp_bases;
  Bases block_bases;
  Numbers shape;

  std::size_t rank() const { return shape.size(); }

  /// Errors: bases of another rank or outside the shape, bases that do not reach all of it.
  Result<void> verify() const {
    const auto map = map_of(inputs(), shape);
    if (!map) return wrong(map.error());
    if (!layout::is_surjective(*map))
      return wrong("the bases reach only some of the elements of the shape " + list_text(shape) +
                   "; every element needs an owner");
    return {};
  }

  std::string mangle() const {
    return "DLL" + list_text(reg_bases) + "_" + list_text(lane_bases) + "_" +
           list_text(warp_bases) + "_" + list_text(block_bases) + "_" + list_text(shape) + "DLL";
  }

  Numbers tile() const { return shape; }

  /// The map itself for its own shape; repeated in registers for a larger one; for a smaller one
  /// without the registers, and with copies in the lanes and warps, that would lead outside.
  Result<layout::LinearLayout> to_linear(const Numbers& wanted) const {
    if (const auto checked = verify(); !checked) return wrong(checked.error());
    if (const auto checked = check_shape(wanted, rank()); !checked) return wrong(checked.error());
    auto map = map_of(inputs(), shape);
    if (!map) return map;
    layout::NameList by_register;
    for (const std::int64_t dim : order_of(reg_bases, rank()))
      by_register.push_back(dimension(static_cast<std::size_t>(dim)));
    const layout::NameList standard = layout::names_of(map->outputs());
    auto result = layout::transpose_outputs(*map, by_register);
    if (result) result = grown(*result, wanted);
    if (result) result = cut(*result, wanted, Outside::dropped);
    if (result) result = layout::transpose_outputs(*result, standard);
    if (!result) return wrong(std::string(result.error().message().view()));
    return *result;
  }

 private:
  std::vector<NamedBases> inputs() const {
    return {{"register", reg_bases},
            {"lane", lane_bases},
            {"warp", warp_bases},
            {"block", block_bases}};
  }
};

}  // namespace heddle::interop::triton
