#include "heddle/interop/iree_layout.h"

#include <bit>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "library/text/formatted.h"

namespace heddle::interop::iree {
namespace detail {

using Basis = std::uint64_t;
using layout::AxisName;
using MapOrReason = std::expected<layout::LinearLayout, std::string>;

int bits_of(std::int64_t size);

/// The size in each dimension of the tile that these bases span.
Sizes tile_of(const layout::AxisList& dims, const std::vector<Basis>& words);

/// The bases of an input axis. Error: the reason why no nested layout has them.
std::expected<std::vector<Basis>, std::string> words_of(const layout::LinearLayout& map,
                                                        const AxisName& name);

}  // namespace detail

NestedLayout nested(const SubgroupLayout& layout) {
  const std::size_t rank = layout.outer.size();
  const Sizes ones(rank, 1), zeros(rank, 0);
  return {ones, ones, layout.outer, layout.thread, layout.element, zeros, layout.tstrides};
}

namespace detail {

int bits_of(std::int64_t size) { return std::countr_zero(static_cast<Basis>(size)); }

}  // namespace detail

namespace detail {
namespace {

/// Builds the bases of a nested layout. A basis is a flat word, which has the bits of all
/// dimensions.
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
        return formatted(
            "all parts of the layout need one number for each dimension; one has {}, another {}",
            sizes->size(), rank);
    for (std::size_t i = 0; i < rank; ++i) {
      int bits = 0;
      for (const Sizes* sizes : {&layout_.subgroup_tile, &layout_.batch_tile, &layout_.outer_tile,
                                 &layout_.thread_tile, &layout_.element_tile}) {
        const std::int64_t size = (*sizes)[i];
        if (size < 1 || !std::has_single_bit(static_cast<Basis>(size)))
          return formatted(
              "dimension {} has a tile of {}; a linear map has sizes that are powers of two", i,
              size);
        bits += bits_of(size);
      }
      outputs_.push_back({AxisName(std::string_view(formatted("dim{}", i))), bits});
    }
    if (outputs_.bits() > layout::max_bits) return "the dimensions have more than 64 bits together";
    return std::nullopt;
  }

  /// Appends the bases of a count through the tile, in which the last dimension is the fastest.
  /// first[i] is the next free bit of dimension i.
  static void append_tile(std::vector<Basis>& words, const Sizes& tile, std::vector<int>& first) {
    for (std::size_t i = tile.size(); i-- > 0;)
      for (int bit = 0; bit < bits_of(tile[i]); ++bit) words.push_back(Basis{1} << first[i]++);
  }

  /// Sets the bases of an id (of a thread or of a subgroup): in each dimension, id / stride % tile
  /// is the number of the part of the tile that the id holds. `count` is the number of ids; 0 means
  /// as few ids as the layout uses.
  static Reason place_ids(std::vector<Basis>& words, const Sizes& tile, const Sizes& strides,
                          std::vector<int>& first, std::int64_t count, const std::string& id) {
    for (std::size_t i = 0; i < tile.size(); ++i) {
      if (tile[i] == 1) continue;
      const std::string where = formatted(" in dimension {}", i);
      if (strides[i] < 1 || !std::has_single_bit(static_cast<Basis>(strides[i])))
        return formatted(
            "the {} stride is {}{}, which has a tile of {}; a linear map needs a power of two", id,
            strides[i], where, tile[i]);
      const auto begin = static_cast<std::size_t>(bits_of(strides[i]));
      const std::size_t end = begin + static_cast<std::size_t>(bits_of(tile[i]));
      if (end > layout::max_bits) return "the " + id + " ids are beyond 64 bits" + where;
      if (words.size() < end) words.resize(end, 0);
      for (std::size_t bit = begin; bit < end; ++bit) {
        if (words[bit] != 0)
          return formatted(
              "{} bit {} selects twice, the second time{}; tiles of different dimensions must not "
              "overlap",
              id, bit, where);
        words[bit] = Basis{1} << first[i]++;
      }
    }
    if (count == 0) return std::nullopt;
    if (count < 1 || !std::has_single_bit(static_cast<Basis>(count)))
      return formatted("there are {} {}s; a power of two is needed", count, id);
    if (words.size() > static_cast<std::size_t>(bits_of(count)))
      return formatted("the layout uses {} ids below {}, and there are only {}", id,
                       std::uint64_t{1} << words.size(), count);
    words.resize(static_cast<std::size_t>(bits_of(count)), 0);
    return std::nullopt;
  }

  const NestedLayout& layout_;
  std::int64_t lanes_, warps_;
  layout::AxisList outputs_;
};

}  // namespace
}  // namespace detail

std::expected<layout::LinearLayout, std::string> to_distributed(const NestedLayout& layout,
                                                                std::int64_t lanes,
                                                                std::int64_t warps) {
  return detail::Builder(layout, lanes, warps).build();
}

std::expected<layout::LinearLayout, std::string> to_distributed(const SubgroupLayout& layout,
                                                                std::int64_t lanes) {
  return to_distributed(nested(layout), lanes);
}

namespace detail {

Sizes tile_of(const layout::AxisList& dims, const std::vector<Basis>& words) {
  Sizes tile(static_cast<std::size_t>(dims.size()), 1);
  for (const Basis word : words)
    if (word != 0) tile[static_cast<std::size_t>(dims.axis_of_bit(std::countr_zero(word)))] *= 2;
  return tile;
}

namespace {

/// The distance of adjacent ids in each dimension; 0 if all ids are equal.
Sizes strides_of(const layout::AxisList& dims, const std::vector<Basis>& words) {
  Sizes strides(static_cast<std::size_t>(dims.size()), 0);
  for (std::size_t bit = words.size(); bit-- > 0;)
    if (words[bit] != 0)
      strides[static_cast<std::size_t>(dims.axis_of_bit(std::countr_zero(words[bit])))] =
          std::int64_t{1} << bit;
  return strides;
}

}  // namespace

std::expected<std::vector<Basis>, std::string> words_of(const layout::LinearLayout& map,
                                                        const AxisName& name) {
  std::vector<Basis> words;
  const int axis = map.inputs().find(name);
  for (int bit = 0; axis >= 0 && bit < map.inputs()[axis].bits; ++bit) {
    const Basis word = map.basis(map.inputs().offset(axis) + bit);
    const std::string which = formatted("{} bit {}", name.text(), bit);
    if (std::popcount(word) > 1)
      return std::unexpected(which +
                             " moves by more than one bit of the dimensions, as a swizzle "
                             "does; IREE's layouts have no such");
    if (word == 0 && name == AxisName("register"))
      return std::unexpected(which + " is a copy; in IREE's layouts only lanes and subgroups are");
    words.push_back(word);
  }
  return words;
}

}  // namespace detail

std::expected<NestedLayout, std::string> from_distributed(const layout::LinearLayout& map) {
  using detail::AxisName;
  for (const layout::Axis& axis : map.inputs())
    if (axis.bits > 0 && axis.name != AxisName("register") && axis.name != AxisName("lane") &&
        axis.name != AxisName("warp"))
      return std::unexpected("the map has an input axis '" + std::string(axis.name.text()) +
                             "'; IREE's layouts have register, lane and warp");
  const auto registers = detail::words_of(map, "register");
  const auto lanes = detail::words_of(map, "lane");
  const auto warps = detail::words_of(map, "warp");
  for (const auto* words : {&registers, &lanes, &warps})
    if (!*words) return std::unexpected(words->error());
  const layout::AxisList& dims = map.outputs();
  for (std::size_t elements = registers->size() + 1; elements-- > 0;) {
    for (std::size_t inner = registers->size() + 1; inner-- > elements;) {
      const auto part = [&](std::size_t begin, std::size_t end) {
        const auto at = [&](std::size_t i) {
          return registers->begin() + static_cast<std::ptrdiff_t>(i);
        };
        return detail::tile_of(dims, {at(begin), at(end)});
      };
      NestedLayout candidate{detail::tile_of(dims, *warps),
                             part(inner, registers->size()),
                             part(elements, inner),
                             detail::tile_of(dims, *lanes),
                             part(0, elements),
                             detail::strides_of(dims, *warps),
                             detail::strides_of(dims, *lanes)};
      const auto again = to_distributed(candidate, std::int64_t{1} << lanes->size(),
                                        std::int64_t{1} << warps->size());
      if (!again || again->output_bits() != map.output_bits()) continue;
      layout::LinearLayout::Bases bases{};
      std::size_t next = 0;
      for (const auto* words : {&*registers, &*lanes, &*warps})
        for (const detail::Basis word : *words) bases[next++] = word;
      bool same = true;
      for (int bit = 0; bit < again->input_bits(); ++bit)
        same = same && again->basis(bit) == bases[static_cast<std::size_t>(bit)];
      if (same) return candidate;
    }
  }
  return std::unexpected(
      "no nested layout has this order of bits: in each dimension, from the lowest, those of "
      "elements, lanes, outers, batches and subgroups, and registers that count through elements, "
      "outers and batches from the last dimension to the first");
}

std::expected<SubgroupLayout, std::string> subgroup_from_distributed(
    const layout::LinearLayout& map) {
  const auto layout = from_distributed(map);
  if (!layout) return std::unexpected(layout.error());
  for (const Sizes* sizes : {&layout->batch_tile, &layout->subgroup_tile})
    for (const std::int64_t size : *sizes)
      if (size != 1)
        return std::unexpected(std::string("the map needs ") +
                               (sizes == &layout->batch_tile ? "batches" : "several subgroups") +
                               "; the layout of one operand has outer, thread and element alone");
  return SubgroupLayout{layout->outer_tile, layout->thread_tile, layout->thread_strides,
                        layout->element_tile};
}

}  // namespace heddle::interop::iree
