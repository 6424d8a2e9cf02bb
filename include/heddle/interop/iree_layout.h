// IREE's layouts of vectors over subgroups and lanes.
//
// A nested layout cuts each dimension, from the outside in, into subgroups, batches, outers,
// threads and elements:
//
//     dim = (((subgroup * batches + batch) * outers + outer) * threads + thread) * elements +
//     element
//
// The subgroup and the thread come from ids: thread = lane / thread_stride % thread_tile. What a
// lane holds, its registers in order, counts through all elements, then all outers, then all
// batches, each time the last dimension fastest. The layout of one operand of an instruction
// (SubgroupLayout) is the same without subgroups and batches.
//
// Source: iree-org/iree, commit b48a5955: VectorExtAttrs.td (NestedLayoutAttr), VectorExtAttrs.cpp
// (getDistributedShape), IREEGPUAttrs.h (MMASingleSubgroupLayout).
#pragma once

#include <bit>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "heddle/layout/linear_layout.h"
#include "heddle/layout/needs_cxx23.h"

namespace heddle::interop::iree {

/// One number for each dimension.
using Sizes = std::vector<std::int64_t>;

/// #iree_vector_ext.nested_layout. A stride of 0 belongs to a tile of 1.
struct NestedLayout {
  Sizes subgroup_tile, batch_tile, outer_tile, thread_tile, element_tile;
  Sizes subgroup_strides, thread_strides;
  friend bool operator==(const NestedLayout&, const NestedLayout&) = default;
};

/// MMASingleSubgroupLayout: one operand of one instruction.
struct SubgroupLayout {
  Sizes outer, thread, tstrides, element;
  friend bool operator==(const SubgroupLayout&, const SubgroupLayout&) = default;
};

NestedLayout nested(const SubgroupLayout& layout);

namespace detail {

using Basis = std::uint64_t;
using layout::AxisName;
using MapOrReason = std::expected<layout::LinearLayout, std::string>;

int bits_of(std::int64_t size);

/// Builds the bases of a nested layout. Bits are those of the flat word of all dimensions.
class Builder {
 public:
  Builder(const NestedLayout& layout, std::int64_t lanes, std::int64_t warps)
      : layout_(layout), lanes_(lanes), warps_(warps) {}

  MapOrReason build() {
    if (auto reason = check()) return std::unexpected(std::move(*reason));
    const std::size_t rank = layout_.outer_tile.size();
    std::vector<int> first(rank);  // the lowest bit of the level that is being placed
    for (std::size_t i = 0; i < rank; ++i) first[i] = outputs_.offset(static_cast<int>(i));
    std::vector<Basis> registers, lanes, warps;
    append_tile(registers, layout_.element_tile, first);
    if (auto reason =
            place_ids(lanes, layout_.thread_tile, layout_.thread_strides, first, lanes_, "lane"))
      return std::unexpected(std::move(*reason));
    append_tile(registers, layout_.outer_tile, first);
    append_tile(registers, layout_.batch_tile, first);
    if (auto reason = place_ids(warps, layout_.subgroup_tile, layout_.subgroup_strides, first,
                                warps_, "subgroup"))
      return std::unexpected(std::move(*reason));
    const layout::AxisList inputs{{"register", static_cast<int>(registers.size())},
                                  {"lane", static_cast<int>(lanes.size())},
                                  {"warp", static_cast<int>(warps.size())}};
    layout::LinearLayout::Bases bases{};
    std::size_t next = 0;
    if (inputs.bits() > layout::max_bits) return std::unexpected("more than 64 bits of ids");
    for (const auto* part : {&registers, &lanes, &warps})
      for (const Basis word : *part) bases[next++] = word;
    const auto map = layout::LinearLayout::from_words(inputs, outputs_, bases);
    if (!map) return std::unexpected(std::string(map.error().message().view()));
    return *map;
  }

 private:
  using Reason = std::optional<std::string>;

  Reason check() {
    const std::size_t rank = layout_.outer_tile.size();
    if (rank > layout::max_axes) return "more than 8 dimensions";
    for (const Sizes* sizes :
         {&layout_.subgroup_tile, &layout_.batch_tile, &layout_.thread_tile, &layout_.element_tile,
          &layout_.subgroup_strides, &layout_.thread_strides})
      if (sizes->size() != rank)
        return "all parts of the layout need one number for each dimension; one has " +
               std::to_string(sizes->size()) + ", another " + std::to_string(rank);
    for (std::size_t i = 0; i < rank; ++i) {
      int bits = 0;
      for (const Sizes* sizes : {&layout_.subgroup_tile, &layout_.batch_tile, &layout_.outer_tile,
                                 &layout_.thread_tile, &layout_.element_tile}) {
        const std::int64_t size = (*sizes)[i];
        if (size < 1 || !std::has_single_bit(static_cast<Basis>(size)))
          return "dimension " + std::to_string(i) + " has a tile of " + std::to_string(size) +
                 "; a linear map has sizes that are powers of two";
        bits += bits_of(size);
      }
      outputs_.push_back({AxisName(std::string_view("dim" + std::to_string(i))), bits});
    }
    if (outputs_.bits() > layout::max_bits) return "the dimensions have more than 64 bits together";
    return std::nullopt;
  }

  /// What a lane counts through: the last dimension fastest.
  static void append_tile(std::vector<Basis>& words, const Sizes& tile, std::vector<int>& first) {
    for (std::size_t i = tile.size(); i-- > 0;)
      for (int bit = 0; bit < bits_of(tile[i]); ++bit) words.push_back(Basis{1} << first[i]++);
  }

  /// What an id selects: id / stride % tile. `count` ids, or as few as are used for 0.
  static Reason place_ids(std::vector<Basis>& words, const Sizes& tile, const Sizes& strides,
                          std::vector<int>& first, std::int64_t count, const std::string& id) {
    for (std::size_t i = 0; i < tile.size(); ++i) {
      if (tile[i] == 1) continue;
      const std::string where = " in dimension " + std::to_string(i);
      if (strides[i] < 1 || !std::has_single_bit(static_cast<Basis>(strides[i])))
        return "the " + id + " stride is " + std::to_string(strides[i]) + where +
               ", which has a tile of " + std::to_string(tile[i]) +
               "; a linear map needs a power of two";
      const auto begin = static_cast<std::size_t>(bits_of(strides[i]));
      const std::size_t end = begin + static_cast<std::size_t>(bits_of(tile[i]));
      if (end > layout::max_bits) return "the " + id + " ids are beyond 64 bits" + where;
      if (words.size() < end) words.resize(end, 0);
      for (std::size_t bit = begin; bit < end; ++bit) {
        if (words[bit] != 0)
          return id + " bit " + std::to_string(bit) + " selects twice, the second time" + where +
                 "; tiles of different dimensions must not overlap";
        words[bit] = Basis{1} << first[i]++;
      }
    }
    if (count == 0) return std::nullopt;
    if (count < 1 || !std::has_single_bit(static_cast<Basis>(count)))
      return "there are " + std::to_string(count) + " " + id + "s; a power of two is needed";
    if (words.size() > static_cast<std::size_t>(bits_of(count)))
      return "the layout uses " + id + " ids below " +
             std::to_string(std::uint64_t{1} << words.size()) + ", and there are only " +
             std::to_string(count);
    words.resize(static_cast<std::size_t>(bits_of(count)), 0);
    return std::nullopt;
  }

  const NestedLayout& layout_;
  std::int64_t lanes_, warps_;
  layout::AxisList outputs_;
};

}  // namespace detail

/// The map (register, lane, warp) -> (dim0, dim1, …); a lane or warp that selects nothing is a
/// copy. `lanes` and `warps` say how many there are; with 0 as few as the layout uses. Errors:
/// numbers of different ranks, sizes or strides that are no powers of two, ids that select in two
/// dimensions, fewer lanes or warps than the layout uses.
std::expected<layout::LinearLayout, std::string> to_distributed(const NestedLayout& layout,
                                                                std::int64_t lanes = 0,
                                                                std::int64_t warps = 0);
std::expected<layout::LinearLayout, std::string> to_distributed(const SubgroupLayout& layout,
                                                                std::int64_t lanes = 0);

namespace detail {

/// The size of a tile in each dimension, when its bits move by those words.
Sizes tile_of(const layout::AxisList& dims, const std::vector<Basis>& words);

/// The words of an input axis, or why no nested layout has them.
std::expected<std::vector<Basis>, std::string> words_of(const layout::LinearLayout& map,
                                                        const AxisName& name);

}  // namespace detail

/// The nested layout of a map with the inputs register, lane, warp (or some of them), in the order
/// of the dimensions of its outputs. Of several the one with the most elements, then outers. Law:
/// to_distributed(from_distributed(m), lanes of m, warps of m) == m, up to the names of the outputs
/// and the order of the inputs. Errors: other inputs, a basis of several bits, copies in registers,
/// an order of the bits of a dimension that is not elements, lanes, registers, warps, or registers
/// that do not count through the dimensions from the last to the first.
std::expected<NestedLayout, std::string> from_distributed(const layout::LinearLayout& map);

/// The same for one operand: neither batches nor subgroups.
/// Errors: those of from_distributed; a map that needs batches or warps.
std::expected<SubgroupLayout, std::string> subgroup_from_distributed(
    const layout::LinearLayout& map);

}  // namespace heddle::interop::iree
