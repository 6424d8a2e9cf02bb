#include "heddle/interop/triton/attribute_reader.h"

#include <algorithm>
#include <array>

#include "heddle/interop/triton/attribute_text.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "heddle/interop/triton/gluon_reader.h"
#include "library/interop/triton/attribute_fields.h"
#include "library/text/formatted.h"

namespace heddle::interop::triton {
namespace detail {
namespace {

template <class T>
using Read = std::expected<T, TextError>;

Read<Layout> build(const AttributeText& attribute);

/// Builds the parent of a layout: the distributed layout from which the layout is derived. Null if
/// the attribute is missing, which has been reported.
Read<std::shared_ptr<const DistributedLayout>> build_parent(const AttributeText* attribute) {
  if (!attribute) return nullptr;  // the error is the field's
  const auto layout = build(*attribute);
  if (!layout) return std::unexpected(layout.error());
  if (const auto* parent = std::get_if<DistributedLayout>(&*layout)) return shared(*parent);
  return std::unexpected(TextError{attribute->column, full_name(*attribute) +
                                                          " lies in shared memory; a parent is a "
                                                          "distributed layout, as #ttg.blocked"});
}

/// Builds a padded layout: the map of offset and block to the shape that these two axes reach
/// together. In the text of an attribute, a basis of `block` counts elements. In Gluon's
/// cga_layout, it counts in units of the part of the tensor that one CTA has.
Read<Layout> build_padded(const AttributeText& attribute, Fields& fields) {
  PaddedSharedLayout layout;
  for (const ValueText& pair : attribute.pairs.value_or(std::vector<ValueText>{}))
    layout.interval_padding_pairs.push_back({pair.list[0].number, pair.list[1].number});
  if (!attribute.pairs)
    fields.fail(attribute.column, "#ttg.padded_shared lacks its pairs, as <[4:+2] {…}>");
  if (fields.has("offset") || fields.has("block")) {
    layout.offset_bases = fields.bases("offset");
    const Bases blocks = fields.bases_or_none("block");
    if (const auto error = fields.error()) return std::unexpected(*error);
    const std::size_t rank = layout.offset_bases.empty() ? blocks.empty() ? 0 : blocks[0].size()
                                                         : layout.offset_bases[0].size();
    for (const auto& [name, bases] :
         {std::pair{"offset", &std::as_const(layout.offset_bases)}, std::pair{"block", &blocks}}) {
      const auto checked = check_bases(name, *bases, rank);
      if (!checked) return std::unexpected(TextError{attribute.column, checked.error()});
    }
    layout.shape = reached({{"offset", layout.offset_bases}, {"block", blocks}}, rank);
    const Numbers part = reached({{"offset", layout.offset_bases}}, rank);
    for (Numbers basis : blocks) {
      for (std::size_t dim = 0; dim < rank; ++dim) {
        if (basis[dim] % part[dim] != 0)
          return std::unexpected(
              TextError{attribute.column, "the basis " + list_text(basis) +
                                              " of block moves inside the part of a CTA, " +
                                              list_text(part)});
        basis[dim] /= part[dim];
      }
      layout.cga_layout.push_back(basis);
    }
    return Layout(layout);
  }
  const Numbers order = fields.numbers("order");
  layout.shape = fields.numbers("shape");
  if (const auto error = fields.error()) return std::unexpected(*error);
  const auto made =
      PaddedSharedLayout::with_identity_for(layout.interval_padding_pairs, layout.shape, order);
  if (!made) return std::unexpected(TextError{attribute.column, made.error()});
  return Layout(*made);
}

Read<Layout> build_distributed(const AttributeText& attribute, Fields& fields) {
  const std::string& name = attribute.name;
  if (name == "blocked") {
    const Numbers order = fields.numbers("order");
    return DistributedLayout(
        BlockedLayout{fields.numbers("sizePerThread"), fields.numbers("threadsPerWarp"),
                      fields.numbers("warpsPerCTA"), order, fields.cga(order.size())});
  }
  if (name == "nvidia_mma" || name == "mma") {  // mma: before 3.0
    const Numbers warps = fields.numbers("warpsPerCTA");
    return DistributedLayout(
        NVMMADistributedLayout{{fields.number("versionMajor"), fields.number("versionMinor", 0)},
                               warps,
                               fields.numbers("instrShape"),
                               fields.cga(warps.size())});
  }
  if (name == "amd_mfma" || name == "mfma") {  // mfma: before 3.0
    // Releases before 3.5 write versionMajor and versionMinor, and leave k out of instrShape.
    const bool is_old = fields.has("versionMajor");
    const std::int64_t version = fields.number(is_old ? "versionMajor" : "version");
    if (is_old) fields.number("versionMinor", 0);
    const Numbers warps = fields.numbers("warpsPerCTA");
    Numbers instruction = fields.numbers("instrShape");
    if (instruction.size() == 2) instruction.push_back(1);
    return DistributedLayout(AMDMFMALayout{version, instruction, fields.flag("isTransposed"), warps,
                                           fields.number("elementBitWidth", 32),
                                           fields.numbers("tilesPerWarp", {}),
                                           fields.cga(warps.size())});
  }
  if (name == "amd_wmma") {
    const Numbers warps =
        fields.has("ctaLayout") ? fields.warps_of_cta_layout() : fields.numbers("warpsPerCTA");
    return DistributedLayout(
        // Releases before 3.1 have no version, because they had RDNA3 only.
        AMDWMMALayout{fields.number("version", 1), fields.flag("isTranspose", false), warps,
                      fields.numbers("instrShape", {16, 16, 16}),
                      fields.numbers("tilesPerWarp", {}), fields.cga(warps.size())});
  }
  if (name == "slice" || name == "dot_op") {
    const bool is_slice = name == "slice";
    const std::int64_t number = fields.number(is_slice ? "dim" : "opIdx");
    const std::int64_t width = is_slice ? 0 : fields.number("kWidth", 0);
    const auto parent = build_parent(fields.attribute("parent"));
    if (!parent) return std::unexpected(parent.error());
    if (is_slice) return DistributedLayout(SliceLayout{number, *parent});
    return DistributedLayout(DotOperandLayout{number, *parent, width});
  }
  DistributedLinearLayout linear{fields.bases_or_none("register"),
                                 fields.bases_or_none("lane"),
                                 fields.bases_or_none("warp"),
                                 fields.bases_or_none("block"),
                                 {}};
  const std::array lists{&linear.reg_bases, &linear.lane_bases, &linear.warp_bases,
                         &linear.block_bases};
  const auto first = std::ranges::find_if(lists, [](const Bases* list) { return !list->empty(); });
  const std::size_t rank = first == lists.end() ? 0 : (*first)->front().size();
  for (const Bases* list : lists) {
    const auto checked = check_bases("#ttg.linear", *list, rank);
    if (!checked) fields.fail(attribute.column, checked.error());
  }
  if (rank == 0)
    fields.fail(attribute.column, "#ttg.linear has no basis; its dimensions are unknown");
  if (const auto error = fields.error()) return std::unexpected(*error);
  linear.shape = reached({{"register", linear.reg_bases},
                          {"lane", linear.lane_bases},
                          {"warp", linear.warp_bases},
                          {"block", linear.block_bases}},
                         rank);
  return DistributedLayout(linear);
}

Read<Layout> build_partitioned(Fields& fields) {
  PartitionedSharedLayout layout{fields.number("numPartitions"), fields.number("numGroups"),
                                 fields.number("partitionDim"), PaddedSharedLayout{}};
  const AttributeText* inner = fields.attribute("partitionLayout");
  if (!inner) return std::unexpected(*fields.error());
  const auto piece = build(*inner);
  if (!piece) return std::unexpected(piece.error());
  const bool is_piece = std::visit(
      [&](const auto& own) {
        const bool fits = requires { layout.partition_layout = own; };
        if constexpr (requires { layout.partition_layout = own; }) layout.partition_layout = own;
        return fits;
      },
      *piece);
  if (is_piece) return Layout(layout);
  return std::unexpected(
      TextError{inner->column, "#ttg." + inner->name +
                                   " is no layout of a piece in shared memory; write "
                                   "#ttg.padded_shared, #ttg.swizzled_shared, "
                                   "#ttg.nvmma_shared or #ttg.shared_linear"});
}

/// #ttg.shared of releases before 3.3. With hasLeadingOffset it was a layout of wgmma: vectors have
/// 16 bytes, and rows are split into lines of 128 / perPhase bytes. Source: Triton 3.2,
/// lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (sharedToLinearLayoutLeadingOffset).
Read<Layout> build_old_shared(const AttributeText& attribute, Fields& fields) {
  const Numbers order = fields.numbers("order");
  const SwizzledSharedLayout old{fields.number("vec"), fields.number("perPhase"),
                                 fields.number("maxPhase"), order, fields.cga(order.size())};
  const bool has_leading_offset = fields.flag("hasLeadingOffset", false);
  if (const auto error = fields.error()) return std::unexpected(*error);
  if (const auto checked = old.verify(); !checked)
    return std::unexpected(TextError{attribute.column, checked.error()});
  if (!has_leading_offset) return Layout(old);
  const auto wrong_numbers = [&](std::string message) {
    return std::unexpected(TextError{attribute.column,
                                     "#ttg.shared with hasLeadingOffset = true is the old name of "
                                     "#ttg.nvmma_shared; " +
                                         std::move(message)});
  };
  const std::int64_t rank = std::ssize(order);
  const bool is_transposed = rank > 1 && order[0] == 0;
  const bool is_straight = order == last_first(static_cast<std::size_t>(rank));
  const bool is_known = old.per_phase * old.max_phase == 8 && old.per_phase <= 4 &&
                        (is_straight || (is_transposed && rank == 2));
  if (!is_known)
    return wrong_numbers(
        formatted("perPhase and maxPhase are then 1 and 8, 2 and 4 or 4 and 2; these are {} and "
                  "{}, with order = {}",
                  old.per_phase, old.max_phase, list_text(order)));
  const bool has_width = old.vec >= 2 && old.vec <= 16;
  const NVMMASharedLayout now{
      128 / old.per_phase, has_width ? 128 / old.vec : 16, rank, is_transposed, false,
      old.cga_layout};
  if (!has_width)
    return wrong_numbers(
        formatted("vec = {} does not tell the width of an element: write {} with the tensor's "
                  "elementBitWidth",
                  old.vec, triton::attribute(now)));
  return Layout(now);
}

Read<Layout> build_shared(const AttributeText& attribute, Fields& fields) {
  const std::string& name = attribute.name;
  if (name == "nvmma_shared") {
    // With several CTAs, their layout gives the number of dimensions.
    std::int64_t rank = fields.number("rank", 2);
    if (fields.has("CTAOrder")) rank = std::ssize(fields.numbers("CTAOrder"));
    const Bases cga = fields.cga(static_cast<std::size_t>(std::max<std::int64_t>(0, rank)));
    if (!cga.empty()) rank = std::ssize(cga[0]);
    const NVMMASharedLayout layout{
        fields.number("swizzlingByteWidth"), fields.number("elementBitWidth"), rank,
        fields.flag("transposed", false),    fields.flag("fp4Padded", false),  cga};
    return Layout(layout);
  }
  if (name == "shared_linear") {
    SharedLinearLayout layout{fields.bases("offset"), fields.bases_or_none("block"), 16};
    if (attribute.alignment) layout.alignment = attribute.alignment->number;
    return Layout(layout);
  }
  if (name == "shared") return build_old_shared(attribute, fields);
  if (name == "padded_shared") return build_padded(attribute, fields);
  if (name == "partitioned_shared") return build_partitioned(fields);
  const Numbers order = fields.numbers("order");
  return Layout(SwizzledSharedLayout{fields.number("vec"), fields.number("perPhase"),
                                     fields.number("maxPhase"), order, fields.cga(order.size()),
                                     name == "amd_rotating_shared"});
}

/// Reads tensor memory. Older releases write other fields: CTASplitM and CTASplitN are the number
/// of parts into which the CTAs split each dimension. `unpacked` says that small elements have
/// columns of their own; it is read and ignored, because the maps of those releases ignored it.
Read<Layout> build_tensor_memory(const AttributeText& attribute, Fields& fields) {
  Bases cga = fields.bases_or_none("CGALayout");
  const Numbers split{fields.number("CTASplitM", 1), fields.number("CTASplitN", 1)};
  for (const std::size_t dim : {0u, 1u}) {
    if (split[dim] < 1 || split[dim] > 1024)
      fields.fail(attribute.column,
                  formatted("the CTAs split a dimension in 1 to 1024 parts, not {}", split[dim]));
    for (std::int64_t step = 1; step < std::min<std::int64_t>(split[dim], 1024); step *= 2) {
      cga.push_back({0, 0});
      cga.back()[dim] = step;
    }
  }
  if (attribute.name == "tensor_memory_scales_encoding")
    return Layout(TensorMemoryScalesLayout{cga});
  fields.flag("unpacked", false);
  return Layout(TensorMemoryLayout{fields.number("blockM"), fields.number("blockN"),
                                   fields.number("colStride", 1), cga,
                                   fields.flag("twoCTAs", false), fields.flag("fp4Padded", false)});
}

/// For an attribute that is not read: a message that names what can be read in its place, or the
/// reason why there is nothing to read in its place.
std::optional<TextError> reason_not_read(const AttributeText& attribute) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, std::string_view(attribute.name)) != names.end();
  };
  const std::initializer_list<std::string_view> read_here{"blocked",
                                                          "linear",
                                                          "generic_linear",
                                                          "nvidia_mma",
                                                          "amd_mfma",
                                                          "mfma",
                                                          "amd_wmma",
                                                          "slice",
                                                          "dot_op",
                                                          "padded_shared",
                                                          "swizzled_shared",
                                                          "amd_rotating_shared",
                                                          "nvmma_shared",
                                                          "shared_linear",
                                                          "partitioned_shared",
                                                          "tensor_memory_encoding",
                                                          "tensor_memory_scales_encoding"};
  if (is_one_of(read_here) || is_one_of({"shared", "mma"})) return {};
  if (is_one_of({"auto_encoding", "coalesced_encoding"}))
    return TextError{attribute.column, std::string(auto_has_no_map)};
  return TextError{attribute.column,
                   "there is no layout " + full_name(attribute) + "; " +
                       did_you_mean(attribute.name, read_here) +
                       "there are blocked, linear, nvidia_mma, amd_mfma, amd_wmma, slice, dot_op, "
                       "padded_shared, swizzled_shared, amd_rotating_shared, nvmma_shared, "
                       "shared_linear and partitioned_shared, and #ttng.tensor_memory_encoding and "
                       "#ttng.tensor_memory_scales_encoding"};
}

Read<Layout> build(const AttributeText& attribute) {
  if (const auto error = reason_not_read(attribute)) return std::unexpected(*error);
  Fields fields(attribute);
  if (attribute.pairs && attribute.name != "padded_shared")
    fields.fail(attribute.column, full_name(attribute) + " has no pairs of interval and padding");
  if (attribute.alignment && attribute.name != "shared_linear")
    fields.fail(attribute.alignment->column, full_name(attribute) + " has no alignment");
  auto layout = attribute.name.starts_with("tensor_memory") ? build_tensor_memory(attribute, fields)
                : attribute.name.ends_with("shared") || attribute.name == "shared_linear"
                    ? build_shared(attribute, fields)
                    : build_distributed(attribute, fields);
  if (const auto error = fields.error()) return std::unexpected(*error);
  if (!layout) return layout;
  if (const auto verified = verify(*layout); !verified)
    return std::unexpected(TextError{attribute.column, verified.error()});
  return layout;
}

}  // namespace
}  // namespace detail

bool is_attribute_text(std::string_view text) {
  if (is_gluon_text(text)) return true;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(begin);
  if (text.starts_with("tensor<ptr<")) return false;  // CuTe's
  for (const std::string_view start : {"#ttg.", "#ttng.", "#triton_gpu.", "#gluon.", "tensor<",
                                       "!ttg.memdesc<", "!triton_gpu.memdesc<", "!tt.memdesc<"}) {
    if (text.starts_with(start)) return true;
  }
  return text.starts_with("#") && (text.find("= #ttg.") != std::string_view::npos ||
                                   text.find("= #ttng.") != std::string_view::npos ||
                                   text.find("= #triton_gpu.") != std::string_view::npos);
}

std::expected<ReadLayout, TextError> read(std::string_view text,
                                          const std::optional<Numbers>& shape) {
  std::expected<TypeText, TextError> type;
  if (is_gluon_text(text)) {
    auto attribute = read_gluon(text);
    if (!attribute) return std::unexpected(attribute.error());
    type->attribute = *std::move(attribute);
  } else {
    type = read_attribute_text(text);
    if (!type) return std::unexpected(type.error());
  }
  const auto layout = detail::build(type->attribute);
  if (!layout) return std::unexpected(layout.error());
  const Numbers wanted = shape ? *shape : type->shape ? *type->shape : tile_of(*layout);
  const std::size_t column = !shape && type->shape ? type->shape_column : type->attribute.column;
  const auto map = to_map(*layout, wanted);
  if (!map) return std::unexpected(TextError{column, map.error()});
  int bits = type->element_bits;
  if (const auto* nvmma = std::get_if<NVMMASharedLayout>(&*layout); nvmma != nullptr && bits == 0)
    bits = static_cast<int>(nvmma->element_bitwidth);
  return ReadLayout{*layout, wanted, *map, bits};
}

}  // namespace heddle::interop::triton
