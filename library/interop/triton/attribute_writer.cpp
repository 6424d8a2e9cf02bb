#include "heddle/interop/triton/attribute_writer.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "library/text/formatted.h"

namespace heddle::interop::triton {
namespace detail {
namespace {

/// Triton's text of a CGA layout; nothing for one CTA.
std::string cga_text(const Bases& cga) {
  return cga.empty() ? "" : ", CGALayout = " + list_text(cga);
}

std::string flag_text(bool flag) { return flag ? "true" : "false"; }

bool are_ones(const Numbers& numbers) {
  return std::ranges::all_of(numbers, [](std::int64_t n) { return n == 1; });
}

}  // namespace

bool is_identity(const Bases& offsets, const Numbers& shape, const Numbers& order) {
  const auto straight = PaddedSharedLayout::with_identity_for({{1, 1}}, shape, order);
  return straight && straight->offset_bases == offsets;
}

}  // namespace detail

std::string attribute(const BlockedLayout& layout) {
  return "#ttg.blocked<{sizePerThread = " + list_text(layout.size_per_thread) +
         ", threadsPerWarp = " + list_text(layout.threads_per_warp) +
         ", warpsPerCTA = " + list_text(layout.warps_per_cta) +
         ", order = " + list_text(layout.order) + detail::cga_text(layout.cga_layout) + "}>";
}

std::string attribute(const DistributedLinearLayout& layout) {
  return "#ttg.linear<{register = " + list_text(layout.reg_bases) +
         ", lane = " + list_text(layout.lane_bases) + ", warp = " + list_text(layout.warp_bases) +
         ", block = " + list_text(layout.block_bases) + "}>";
}

std::string attribute(const NVMMADistributedLayout& layout) {
  return formatted(
      "#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = {}, warpsPerCTA = {}{}, instrShape = "
      "{}}}>",
      layout.version[0], layout.version[1], list_text(layout.warps_per_cta),
      detail::cga_text(layout.cga_layout), list_text(layout.instr_shape));
}

std::string attribute(const AMDMFMALayout& layout) {
  std::string text = formatted(
      "#ttg.amd_mfma<{{version = {}, warpsPerCTA = {}, instrShape = {}, isTransposed = {}{}",
      layout.version, list_text(layout.warps_per_cta), list_text(layout.instr_shape),
      detail::flag_text(layout.transposed), detail::cga_text(layout.cga_layout));
  if (!detail::are_ones(layout.tiles())) text += ", tilesPerWarp = " + list_text(layout.tiles());
  if (layout.element_bitwidth != 32)
    text += formatted(", elementBitWidth = {}", layout.element_bitwidth);
  return text + "}>";
}

std::string attribute(const AMDWMMALayout& layout) {
  std::string text =
      formatted("#ttg.amd_wmma<{{version = {}, isTranspose = {}, warpsPerCTA = {}{}",
                layout.version, detail::flag_text(layout.transposed),
                list_text(layout.warps_per_cta), detail::cga_text(layout.cga_layout));
  if (!detail::are_ones(layout.tiles())) text += ", tilesPerWarp = " + list_text(layout.tiles());
  if (layout.instr_shape != Numbers{16, 16, 16})
    text += ", instrShape = " + list_text(layout.instr_shape);
  return text + "}>";
}

std::string attribute(const SliceLayout& layout) {
  return formatted("#ttg.slice<{{dim = {}, parent = {}}}>", layout.dim, attribute(*layout.parent));
}

std::string attribute(const DotOperandLayout& layout) {
  return formatted("#ttg.dot_op<{{opIdx = {}, parent = {}{}}}>", layout.operand_index,
                   attribute(*layout.parent),
                   layout.k_width == 0 ? "" : formatted(", kWidth = {}", layout.k_width));
}

std::string attribute(const AutoLayout&) { return "#gluon.auto_encoding"; }

std::string attribute(const DistributedLayout& layout) {
  return detail::visit_layout([](const auto& own) { return attribute(own); }, layout);
}

std::string attribute(const SwizzledSharedLayout& layout) {
  return formatted(
      "{}{}, perPhase = {}, maxPhase = {}, order = {}{}}}>",
      layout.is_rotating ? "#ttg.amd_rotating_shared<{vec = " : "#ttg.swizzled_shared<{vec = ",
      layout.vec, layout.per_phase, layout.max_phase, list_text(layout.order),
      detail::cga_text(layout.cga_layout));
}

std::string attribute(const NVMMASharedLayout& layout) {
  std::string text = formatted(
      "#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, elementBitWidth = {}",
      layout.swizzle_byte_width, detail::flag_text(layout.transposed), layout.element_bitwidth);
  if (layout.fp4_padded) text += ", fp4Padded = true";
  if (layout.cga_layout.empty() && layout.rank != 2) text += formatted(", rank = {}", layout.rank);
  return text + detail::cga_text(layout.cga_layout) + "}>";
}

std::string attribute(const SharedLinearLayout& layout) {
  return formatted("#ttg.shared_linear<{{offset = {}{}}}, alignment = {}>",
                   list_text(layout.offset_bases),
                   layout.block_bases.empty() ? "" : ", block = " + list_text(layout.block_bases),
                   layout.alignment);
}

std::string attribute(const PaddedSharedLayout& layout) {
  std::string text = "#ttg.padded_shared<[";
  for (const Numbers& pair : layout.interval_padding_pairs)
    text += formatted("{}{}:+{}", text.ends_with("[") ? "" : ", ", pair[0], pair[1]);
  const Numbers order = order_of(layout.offset_bases, layout.rank());
  if (layout.cga_layout.empty() && detail::is_identity(layout.offset_bases, layout.shape, order))
    return text + "] {order = " + list_text(order) + ", shape = " + list_text(layout.shape) + "}>";
  // In the text, the bases of `block` count elements; in the layout, they count in units of the
  // part that one CTA has.
  const Numbers part = reached({{"offset", layout.offset_bases}}, layout.rank());
  Bases blocks = layout.cga_layout;
  for (Numbers& basis : blocks) {
    for (std::size_t dim = 0; dim < part.size(); ++dim) basis[dim] *= part[dim];
  }
  return text + "] {offset = " + list_text(layout.offset_bases) + ", block = " + list_text(blocks) +
         "}>";
}

std::string attribute(const PartitionedSharedLayout& layout) {
  return formatted(
      "#ttg.partitioned_shared<{{numPartitions = {}, numGroups = {}, partitionDim = {}, "
      "partitionLayout = {}}}>",
      layout.num_partitions, layout.num_groups, layout.partition_dim,
      std::visit([](const auto& piece) { return attribute(piece); }, layout.partition_layout));
}

std::string attribute(const TensorMemoryLayout& layout) {
  std::string text = formatted(
      "#ttng.tensor_memory_encoding<blockM = {}, blockN = {}, colStride = {}{}", layout.block_m,
      layout.block_n, layout.col_stride, detail::cga_text(layout.cga_layout));
  if (layout.two_ctas) text += ", twoCTAs = true";
  if (layout.fp4_padded) text += ", fp4Padded = true";
  return text + ">";
}

std::string attribute(const TensorMemoryScalesLayout& layout) {
  const std::string cga = detail::cga_text(layout.cga_layout);  // with a comma before it
  return "#ttng.tensor_memory_scales_encoding<" + (cga.empty() ? cga : cga.substr(2)) + ">";
}

std::string attribute(const Layout& layout) {
  return std::visit([](const auto& own) { return attribute(own); }, layout);
}

namespace detail {
namespace {

/// Checks that `map` has the axes of an attribute. Its inputs must be some of `inputs`, in that
/// order. Its outputs may have any names: they are taken as the dimensions, in their order.
Result<void> check_axes(const layout::LinearLayout& map, const layout::NameList& inputs,
                        std::string_view attribute) {
  int next = 0;
  for (const layout::Axis& axis : map.inputs()) {
    while (next < inputs.size() && inputs[next] != axis.name) ++next;
    if (next < inputs.size()) continue;
    std::string names;
    for (const layout::AxisName& name : inputs)
      names += (names.empty() ? "" : ", ") + std::string(name.text());
    return wrong("the input axis '" + std::string(axis.name.text()) + "' is out of place: " +
                 std::string(attribute) + " has " + names + ", in that order");
  }
  for (const layout::Axis& axis : map.outputs()) {
    if (axis.bits <= 31) continue;
    return wrong(formatted("the output axis '{}' has 2^{} coordinates; Triton counts to 2^31",
                           axis.name.text(), axis.bits));
  }
  if (map.outputs().size() == 0) return wrong("the layout has no output axis");
  return {};
}

/// Checks the shape that the bases of a map reach, because readers take it for the tensor's shape.
Result<void> check_reached(const layout::LinearLayout& map) {
  for (int dim = 0; dim < map.outputs().size(); ++dim) {
    std::uint64_t moved = 0;
    for (int bit = 0; bit < map.input_bits(); ++bit)
      moved |= map.outputs().coordinate(map.basis(bit), dim);
    if (static_cast<int>(std::bit_width(moved)) == map.outputs()[dim].bits) continue;
    return wrong("no basis reaches the upper half of the output axis '" +
                 std::string(map.outputs()[dim].name.text()) +
                 "'; an attribute's shape is what its bases reach");
  }
  if (map.input_bits() == 0)
    return wrong(
        "the layout has no basis; an attribute would not say how "
        "many dimensions it has");
  if (layout::is_surjective(map)) return {};
  return wrong("the bases do not reach every element; Triton's layouts are onto");
}

}  // namespace

std::optional<Numbers> sizes_of(const Bases& bases, std::size_t rank) {
  Numbers sizes(rank, 1);
  for (const Numbers& basis : bases) {
    const auto moved = std::ranges::count_if(basis, [](std::int64_t c) { return c != 0; });
    if (moved != 1) return {};
    const auto dim = std::ranges::find_if(basis, [](std::int64_t c) { return c != 0; });
    sizes[static_cast<std::size_t>(dim - basis.begin())] *= 2;
  }
  return sizes;
}

namespace {

/// Tries every order of the dimensions until one succeeds. The first is the one with the last
/// dimension first.
template <class Try>
bool for_each_order(std::size_t rank, const Try& attempt) {
  Numbers order = last_first(rank);
  std::ranges::sort(order);
  Bases orders;
  do orders.push_back(order);
  while (std::ranges::next_permutation(order).found);
  std::ranges::reverse(orders);
  return std::ranges::any_of(orders, attempt);
}

/// The blocked layout whose map for this shape is `map`, if there is one. It is searched only for
/// at most three dimensions and one CTA.
std::optional<BlockedLayout> blocked_of(const layout::LinearLayout& map) {
  const auto rank = static_cast<std::size_t>(map.outputs().size());
  if (rank > 3 || map.inputs().bits_of("block") > 0) return {};
  const Bases registers = bases_of(map, "register");
  const auto lanes = sizes_of(bases_of(map, "lane"), rank);
  const auto warps = sizes_of(bases_of(map, "warp"), rank);
  if (!lanes || !warps) return {};
  BlockedLayout found;
  const auto fits = [&](const Numbers& order) {
    for (std::size_t own = 0; own <= registers.size(); ++own) {
      const auto sizes = sizes_of(
          Bases(registers.begin(), registers.begin() + static_cast<std::ptrdiff_t>(own)), rank);
      if (!sizes) return false;
      found = {*sizes, *lanes, *warps, order, {}};
      const auto own_map = found.to_linear(shape_of(map));
      if (own_map && *own_map == map) return true;
    }
    return false;
  };
  if (!for_each_order(rank, fits)) return {};
  return found;
}

/// The swizzled layout whose map for this shape is that of `shared`, if there is one. It is
/// searched only for at most three dimensions, one CTA and no padding.
std::optional<SwizzledSharedLayout> swizzled_of(const memory::SharedLayout& shared) {
  const auto rank = static_cast<std::size_t>(shared.map.outputs().size());
  const Numbers shape = shape_of(shared.map);
  if (rank > 3 || shared.map.inputs().bits_of("block") > 0) return {};
  SwizzledSharedLayout found{1, 1, 1, {}};
  const auto fits = [&](const Numbers& order) {
    const std::int64_t columns = shape[static_cast<std::size_t>(order[0])];
    const std::int64_t rows = rank > 1 ? shape[static_cast<std::size_t>(order[1])] : 1;
    found.order = order;
    for (found.max_phase = 1; found.max_phase <= rows; found.max_phase *= 2) {
      for (found.per_phase = 1; found.per_phase * found.max_phase <= rows; found.per_phase *= 2) {
        for (found.vec = 1; found.vec <= columns; found.vec *= 2) {
          if (found.vec * found.max_phase > 2 * columns) break;
          const auto own = found.to_shared(shape);
          if (own && own->map == shared.map) return true;
          // nothing is exchanged, so vec and per_phase do not matter
          if (found.max_phase == 1) break;
        }
        if (found.max_phase == 1) break;
      }
    }
    return false;
  };
  if (!for_each_order(rank, fits)) return {};
  return found;
}

/// The map with the names dim0, dim1, … that an attribute's dimensions have.
layout::LinearLayout with_standard_dimensions(const layout::LinearLayout& map) {
  layout::AxisList outputs;
  for (int dim = 0; dim < map.outputs().size(); ++dim)
    outputs.push_back({dimension(static_cast<std::size_t>(dim)), map.outputs()[dim].bits});
  return layout::with_axes(map, map.inputs(), outputs);
}

}  // namespace
}  // namespace detail

std::optional<Layout> short_layout(const layout::LinearLayout& map) {
  const auto blocked = detail::blocked_of(detail::with_standard_dimensions(map));
  if (!blocked) return {};
  return DistributedLayout(*blocked);
}

std::optional<Layout> short_layout(const memory::SharedLayout& shared) {
  if (!shared.padding.empty()) return {};
  const auto swizzled =
      detail::swizzled_of({detail::with_standard_dimensions(shared.map), shared.padding});
  if (!swizzled) return {};
  return *swizzled;
}

Result<Layout> chosen_layout(const layout::LinearLayout& map) {
  const auto axes = detail::check_axes(map, {"register", "lane", "warp", "block"}, "#ttg.linear");
  if (!axes) return wrong(axes.error());
  if (const auto checked = detail::check_reached(map); !checked) return wrong(checked.error());
  const layout::LinearLayout own = detail::with_standard_dimensions(map);
  if (const auto blocked = detail::blocked_of(own)) {
    // The text has no shape, so only a map that covers the tile once can be read back.
    if (blocked->tile() == shape_of(own)) return Layout(DistributedLayout(*blocked));
  }
  return Layout(DistributedLayout(
      DistributedLinearLayout{bases_of(own, "register"), bases_of(own, "lane"),
                              bases_of(own, "warp"), bases_of(own, "block"), shape_of(own)}));
}

Result<Layout> chosen_layout(const memory::SharedLayout& shared) {
  const auto axes = detail::check_axes(shared.map, {"offset", "block"}, "#ttg.shared_linear");
  if (!axes) return wrong(axes.error());
  if (const auto checked = detail::check_reached(shared.map); !checked)
    return wrong(checked.error());
  const memory::SharedLayout own{detail::with_standard_dimensions(shared.map), shared.padding};
  if (!own.padding.empty()) {
    PaddedSharedLayout padded{{}, bases_of(own.map, "offset"), {}, shape_of(own.map)};
    for (const memory::Padding& pad : own.padding)
      padded.interval_padding_pairs.push_back(
          {static_cast<std::int64_t>(pad.interval), static_cast<std::int64_t>(pad.amount)});
    const Numbers part = reached({{"offset", padded.offset_bases}}, padded.rank());
    for (Numbers basis : bases_of(own.map, "block")) {
      for (std::size_t dim = 0; dim < part.size(); ++dim) {
        if (basis[dim] % part[dim] != 0)
          return wrong("the basis " + list_text(basis) +
                       " of block moves inside the part of a CTA, " + list_text(part) +
                       "; #ttg.padded_shared cannot say that");
        basis[dim] /= part[dim];
      }
      padded.cga_layout.push_back(basis);
    }
    const auto back = padded.to_shared();
    if (!back) return wrong(back.error());
    return Layout(padded);
  }
  if (const auto swizzled = detail::swizzled_of(own)) return Layout(*swizzled);
  const SharedLinearLayout linear{bases_of(own.map, "offset"), bases_of(own.map, "block"), 16};
  if (const auto verified = linear.verify(); !verified) return wrong(verified.error());
  return Layout(linear);
}

Result<std::string> write(const layout::LinearLayout& map) {
  const auto layout = chosen_layout(map);
  if (!layout) return wrong(layout.error());
  return attribute(*layout);
}

Result<std::string> write(const memory::SharedLayout& shared) {
  const auto layout = chosen_layout(shared);
  if (!layout) return wrong(layout.error());
  return attribute(*layout);
}

}  // namespace heddle::interop::triton
