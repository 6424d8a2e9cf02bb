#include "answers/layout/layout_view.h"

#include <algorithm>
#include <map>
#include <set>

#include "answers/instruction/processor_argument.h"
#include "answers/text/counted.h"
#include "heddle/interop/tilelang_functions.h"
#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

namespace cute = interop::cute;
using layout::LinearLayout;

template <class T>
using Answer = std::expected<T, std::string>;

/// The name by which Gluon calls this Triton layout in the names of compiled functions; empty if
/// Gluon has no class for the layout.
std::string gluon_name(const LayoutArgument& argument) {
  if (argument.dialect != interop::Dialect::triton && argument.dialect != interop::Dialect::gluon)
    return "";
  const auto read = interop::triton::read(argument.text);
  if (!read) return "";
  const auto* swizzled = std::get_if<interop::triton::SwizzledSharedLayout>(&read->layout);
  if (swizzled != nullptr && argument.text.find("amd_rotating_shared") != std::string::npos)
    return "";
  return interop::triton::mangle(read->layout);
}

/// True if no input bit other than the first `bits` bits of the input axis changes the low `bits`
/// bits of the output dimension. If so, every aligned group of 2^bits inputs has contiguous
/// elements, not only the group that begins at input 0.
bool keeps_order(const LinearLayout& map, int input_begin, int dim, int bits) {
  const std::uint64_t low = layout::low_bits(bits) << map.outputs().offset(dim);
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    const bool is_own = bit >= input_begin && bit < input_begin + bits;
    if (!is_own && (map.basis(bit) & low) != 0) return false;
  }
  return true;
}

/// Finds the largest power of two such that every aligned group of that many values of `input` has
/// contiguous elements along one dimension. Stores it, and the dimension, in `view`.
void find_vector(LayoutView& view, const LinearLayout& map, const layout::AxisName& input) {
  const int axis = map.inputs().find(input);
  if (axis < 0) return;
  const int begin = map.inputs().offset(axis);
  for (int dim = 0; dim < map.outputs().size(); ++dim) {
    int bits = 0;
    while (bits < map.inputs()[axis].bits && bits < map.outputs()[dim].bits &&
           map.basis(begin + bits) == std::uint64_t{1} << (map.outputs().offset(dim) + bits))
      ++bits;
    while (bits > 0 && !keeps_order(map, begin, dim, bits)) --bits;
    if (bits <= view.vector_bits) continue;
    view.vector_bits = bits;
    view.vector_axis = static_cast<std::size_t>(dim);
  }
}

void find_copies(LayoutView& view, const LinearLayout& map) {
  const int rank = layout::rank(map);
  view.copy_bits = map.input_bits() - rank;
  view.missing_bits = map.output_bits() - rank;
  const layout::Coordinates masks = layout::free_variable_masks(map);
  for (int axis = 0; axis < map.inputs().size(); ++axis) {
    for (int bit = 0; bit < map.inputs()[axis].bits; ++bit) {
      if ((masks[axis].value >> bit & 1) == 0) continue;
      view.free_bits.push_back({std::string(map.inputs()[axis].name.text()), bit,
                                map.basis(map.inputs().offset(axis) + bit) == 0});
    }
  }
}

void add_axes(LayoutView& view, const layout::AxisList& axes) {
  for (const layout::Axis& axis : axes) {
    view.axes.emplace_back(axis.name.text());
    view.sizes.push_back(axis.size());
  }
}

const cute::Layout& plain(const cute::AnyLayout& any) {
  const auto* composed = std::get_if<cute::ComposedLayout>(&any);
  return composed != nullptr ? composed->layout : std::get<cute::Layout>(any);
}

void add_modes(LayoutView& view, const cute::Layout& layout) {
  const std::size_t modes = layout.is_leaf() ? 1 : layout.rank();
  for (std::size_t mode = 0; mode < modes; ++mode) {
    view.axes.push_back(formatted("mode {}", mode));
    view.sizes.push_back(
        static_cast<std::uint64_t>(cute::size(layout.is_leaf() ? layout : layout[mode])));
  }
}

/// A hint that the CuTe text can also be read in another way: as a thread-value layout, or as a
/// swizzle of byte addresses. Empty if it cannot.
std::string other_meaning(const std::string& text) {
  const auto read = cute::read_text(text);
  if (!read || read->element_bits != 0 || !read->tile.empty()) return "";
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&read->layout))
    return composed->swizzle.bits == 0
               ? ""
               : "taken for a swizzle of indices of elements; CuTe writes one of byte addresses "
                 "with a pointer in place of the offset, as smem_ptr[16b](unset)";
  const auto* layout = std::get_if<cute::Layout>(&read->layout);
  if (layout == nullptr || layout->is_leaf() || layout->rank() != 2 || !cute::to_linear(*layout))
    return "";
  return "taken for coordinates -> offset; with the sizes of a tile, as --shape 16x8, it is a "
         "thread-value layout of that tile";
}

std::string meaning_text(const LayoutView& view) {
  if (view.kind == LayoutKind::shared) {
    std::string text =
        formatted("where a tile of {} lies in {}", sizes_text(view),
                  view.argument.dialect == interop::Dialect::cute ? "memory: coordinates -> offset"
                                                                  : "shared memory");
    for (const std::string_view axis : {"block", "partition"}) {
      const int bits = view.shared().map.inputs().bits_of(layout::AxisName(axis));
      if (bits > 0) text += formatted(" of {} {}s", count_text(bits), axis);
    }
    return text;
  }
  if (view.kind == LayoutKind::held) {
    const layout::AxisList& inputs = view.held.inputs();
    const int lanes = inputs.bits_of("lane");
    // In some layouts several elements share a register, and the text then has an input axis
    // "element". In `inputs`, the axis `register` counts the elements of a lane.
    const bool shares = view.map() != nullptr && view.map()->inputs().bits_of("element") > 0;
    std::string text =
        formatted("who holds a tile of {}: {} in {}{}", sizes_text(view),
                  counted(count_text(inputs.bits_of("register")), shares ? "element" : "register"),
                  lanes == 0 ? "" : "each of ", counted(count_text(lanes), "lane"));
    for (const char* axis : {"warp", "block"}) {
      const int bits = inputs.bits_of(layout::AxisName(std::string_view(axis)));
      if (bits > 0) text += ", " + counted(count_text(bits), axis);
    }
    return text;
  }
  if (!view.uneven_tile.empty())
    return formatted("who holds a tile of {}: the index in it of each of {} threads and values",
                     joined(view.uneven_tile, "x"), sizes_text(view));
  if (view.cute() != nullptr)
    return formatted("the offset at each of {} coordinates", sizes_text(view));
  return formatted("a map from {} to {}", joined(view.axes, ", "), [&] {
    std::string names;
    for (const layout::Axis& axis : view.map()->outputs())
      names += (names.empty() ? "" : ", ") + std::string(axis.name.text());
    return names;
  }());
}

/// An input bit that makes copies, in words: "lane bit 4 (lane 16 is as lane 0)".
std::string free_bit_text(const FreeBit& free) {
  if (!free.is_zero)
    return formatted("{} bit {} (its basis is a sum of others)", free.axis, free.bit);
  return formatted("{} bit {} ({} {} is as {} 0)", free.axis, free.bit, free.axis,
                   count_text(free.bit), free.axis);
}

std::string copies_text(const LayoutView& view) {
  std::vector<std::string> bits;
  for (const FreeBit& free : view.free_bits) bits.push_back(free_bit_text(free));
  return formatted("{} of each: {}", count_text(view.copy_bits), joined(bits, ", "));
}

std::string padding_text(const memory::SharedLayout& shared) {
  std::vector<std::string> pairs;
  for (const memory::Padding& pad : shared.padding)
    pairs.push_back(formatted("{} after every {}", pad.amount, pad.interval));
  const std::uint64_t places = shared.size();
  const int bits = shared.map.inputs().bits_of("offset");
  return formatted("{} places for {} elements, {} of them left free: {}", places, count_text(bits),
                   places - (std::uint64_t{1} << bits), joined(pairs, ", "));
}

std::string vector_text(const LayoutView& view) {
  const std::string count = count_text(view.vector_bits);
  const bool is_held = view.kind == LayoutKind::held;
  if (view.vector_bits == 0)
    return is_held ? "1: the elements of neighbouring registers are no neighbours"
                   : "1: elements at neighbouring offsets are no neighbours";
  return formatted("{} elements along {} {}", count, view.axes[view.vector_axis],
                   is_held ? "lie in consecutive registers" : "lie one after the other");
}

/// A short Triton attribute with the same map as this layout for the tile's shape. Empty if no
/// attribute has this map, or if the layout was given in Triton's dialect anyway.
std::string short_triton_text(const LayoutView& view) {
  if (view.argument.dialect == interop::Dialect::triton) return "";
  std::optional<interop::triton::Layout> found;
  if (view.kind == LayoutKind::held) found = interop::triton::short_layout(view.held);
  if (view.kind == LayoutKind::shared) found = interop::triton::short_layout(view.shared());
  return found ? interop::triton::attribute(*found) : "";
}

std::vector<LayoutFact> map_facts(const LayoutView& view) {
  const LinearLayout& map = *view.map();
  std::vector<LayoutFact> facts;
  const bool is_function = view.kind == LayoutKind::function;
  const std::string_view what = is_function ? "output" : "element";
  std::string elements = counted(count_text(map.output_bits()), what);
  if (view.missing_bits > 0)
    elements += formatted("; only {} of them {}, so the map is not onto",
                          count_text(map.output_bits() - view.missing_bits),
                          view.kind == LayoutKind::held     ? "are held"
                          : view.kind == LayoutKind::shared ? "have a place"
                                                            : "are reached");
  else
    elements += view.copy_bits == 0 ? ", each once" : "";
  facts.push_back({"tile", elements});
  if (is_function) facts.back().label = "reaches";
  if (view.copy_bits > 0) facts.push_back({"copies", copies_text(view)});
  if (view.kind == LayoutKind::shared && !view.shared().padding.empty())
    facts.push_back({"padding", padding_text(view.shared())});
  if (!is_function) facts.push_back({"vector", vector_text(view)});
  return facts;
}

/// The width of the elements, and what says so: --type, the text or, in a CuTe layout, the type of
/// the pointer. For a CuTe pointer also the layout as it is without the pointer: its swizzle then
/// permutes indices of elements instead of byte addresses.
std::string elements_text(const LayoutView& view) {
  if (!view.type.empty())
    return formatted("of {} bits, as --type {} says", view.element_bits, view.type);
  const bool is_cute = view.argument.dialect == interop::Dialect::cute;
  std::string text =
      formatted("of {} bits, as the {} says", view.element_bits, is_cute ? "pointer" : "text");
  if (!is_cute) return text;
  const auto read = cute::read_text(view.argument.text);
  const auto* composed = read ? std::get_if<cute::ComposedLayout>(&read->layout) : nullptr;
  if (composed != nullptr)
    text += formatted("; without it the layout is {}", cute::text(*composed));
  return text;
}

/// The number of bytes that a tile takes in shared memory, and the banks of the processor's shared
/// memory.
std::string memory_text(const LayoutView& view) {
  return formatted("{}; {} has {} banks of {} bytes",
                   counted(memory::bytes(view.shared(), view.element_bits), "byte"),
                   view.model.name, view.model.banks(), view.model.bank_bytes);
}

std::vector<LayoutFact> function_facts(const cute::AnyLayout& layout) {
  std::vector<LayoutFact> facts;
  const auto reached = reached_offsets(layout);
  const auto size = static_cast<std::uint64_t>(cute::size(layout));
  if (reached) {
    const std::uint64_t range = static_cast<std::uint64_t>(reached->most - reached->least) + 1;
    facts.push_back(
        {"reaches",
         formatted("offsets {} to {}, {}{}", reached->least, reached->most,
                   reached->different == range
                       ? std::string("all of them")
                       : formatted("{} of those {}", reached->different, range),
                   reached->different == size ? ", each once"
                                              : formatted("; {} coordinates share them", size))});
  } else {
    facts.push_back({"reaches", formatted("offsets of {} coordinates: too many to count", size)});
  }
  if (const auto shared = cute::to_shared(layout); !shared)
    facts.push_back({"memory", "not taken for a tile in shared memory: " + shared.error()});
  return facts;
}

std::vector<std::int64_t> coordinates_of(std::int64_t index,
                                         const std::vector<std::int64_t>& tile) {
  std::vector<std::int64_t> at;
  for (const std::int64_t size : tile) {
    at.push_back(index % size);
    index /= size;
  }
  return at;
}

/// Says where the elements with these indices are in the tile: "dim1 20 to 31" if they fill a box
/// of the tile; otherwise the coordinates of the first few of them.
std::string where_text(const std::vector<std::int64_t>& indices,
                       const std::vector<std::int64_t>& tile) {
  std::vector<std::int64_t> least(tile), most(tile.size(), 0);
  for (const std::int64_t index : indices) {
    const std::vector<std::int64_t> at = coordinates_of(index, tile);
    for (std::size_t dim = 0; dim < tile.size(); ++dim) {
      least[dim] = std::min(least[dim], at[dim]);
      most[dim] = std::max(most[dim], at[dim]);
    }
  }
  std::size_t box = 1;
  std::vector<std::string> sides;
  for (std::size_t dim = 0; dim < tile.size(); ++dim) {
    box *= static_cast<std::size_t>(most[dim] - least[dim] + 1);
    if (least[dim] > 0 || most[dim] + 1 < tile[dim])
      sides.push_back(least[dim] == most[dim]
                          ? formatted("dim{} {}", dim, least[dim])
                          : formatted("dim{} {} to {}", dim, least[dim], most[dim]));
  }
  if (box == indices.size()) return joined(sides, ", ");
  constexpr std::size_t most_shown = 4;
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(most_shown, indices.size()); ++i)
    first.push_back(formatted("({})", joined(coordinates_of(indices[i], tile), ",")));
  return formatted("{}{}", joined(first, " "), indices.size() > most_shown ? " …" : "");
}

std::vector<LayoutFact> uneven_facts(const LayoutView& view) {
  std::int64_t elements = 1;
  for (const std::int64_t size : view.uneven_tile) elements *= size;
  std::vector<std::string> parts;
  for (const HeldElements& held : held_elements(view)) {
    const std::string times = held.times == 0   ? "held by nobody"
                              : held.times == 1 ? "held once"
                              : held.times == 2 ? "held twice"
                                                : formatted("held {} times", held.times);
    parts.push_back(formatted("{} {}{}", held.indices.size(), times,
                              held.where.empty() ? "" : ": " + held.where));
  }
  return {{"tile", formatted("{} elements, {}", elements, joined(parts, "; "))}};
}

}  // namespace

std::optional<LayoutView> uneven_view(const LayoutArguments& arguments) {
  constexpr cute::Number most = 1 << 20;
  if (interop::dialect_of(arguments.text) != interop::Dialect::cute) return std::nullopt;
  const auto read = cute::read_text(arguments.text);
  const auto tile = read_shape("--shape", arguments.shape);
  const auto* layout = read ? std::get_if<cute::Layout>(&read->layout) : nullptr;
  if (!tile || layout == nullptr || layout->is_leaf() || layout->rank() != 2) return std::nullopt;
  cute::Number elements = 1;
  for (const std::int64_t size : *tile) {
    if (size < 1 || size > most) return std::nullopt;
    elements *= size;
    if (elements > most) return std::nullopt;
  }
  if (cute::size(*layout) > most) return std::nullopt;
  for (cute::Number at = 0; at < cute::size(*layout); ++at) {
    const cute::Number index = cute::evaluate(cute::AnyLayout(*layout), at);
    if (index < 0 || index >= elements) return std::nullopt;
  }
  LayoutView view = layout_view({arguments.text, "CuTe's thread-value layout",
                                 cute::AnyLayout(*layout), 0, "", interop::Dialect::cute},
                                true);
  view.uneven_tile = *tile;
  return view;
}

std::vector<HeldElements> held_elements(const LayoutView& view) {
  std::map<std::int64_t, int> times;
  std::int64_t elements = 1;
  for (const std::int64_t size : view.uneven_tile) elements *= size;
  for (std::int64_t index = 0; index < elements; ++index) times[index] = 0;
  for (cute::Number at = 0; at < cute::size(*view.cute()); ++at)
    ++times[cute::evaluate(*view.cute(), at)];
  std::map<int, HeldElements> by_times;
  for (const auto& [index, count] : times) by_times[count].indices.push_back(index);
  std::vector<HeldElements> all;
  for (auto& [count, held] : by_times) {
    held.times = count;
    held.where = where_text(held.indices, view.uneven_tile);
    all.push_back(std::move(held));
  }
  return all;
}

Answer<LayoutArgument> read_layout_arguments(const LayoutArguments& arguments) {
  LayoutContext context;
  context.any_target = arguments.target.empty();
  if (!arguments.target.empty()) {
    const auto target = read_processor_or_generic(arguments.target);
    if (!target) return std::unexpected(target.error());
    context.target = *target;
    context.lanes = instruction::default_wave(*target);
  }
  if (arguments.lanes != 0) context.lanes = arguments.lanes;
  if (!arguments.shape.empty()) {
    auto shape = read_shape("--shape", arguments.shape);
    if (!shape) return std::unexpected(shape.error());
    if (shape->size() == 2) {
      const auto tile = read_tile(arguments.shape, arguments.warps);
      if (!tile) {  // of --tile, as other commands have it
        std::string reason = tile.error();
        if (reason.starts_with("--tile")) reason.replace(0, 6, "--shape");
        return std::unexpected(std::move(reason));
      }
      context.tile = *tile;
    }
    context.shape = *std::move(shape);
  } else if (!arguments.warps.empty()) {
    return std::unexpected("--warps needs the tile that they share, as --shape 64x32");
  }
  auto argument = read_layout_argument("layout", arguments.text, context);
  if (argument && !argument->target) argument->target = context.target;
  return argument;
}

std::string_view name(LayoutKind kind) {
  if (kind == LayoutKind::held) return "held";
  return kind == LayoutKind::shared ? "shared" : "function";
}

const LinearLayout* LayoutView::map() const {
  if (kind == LayoutKind::held) return &held;
  if (kind == LayoutKind::shared) return &shared().map;
  return std::get_if<LinearLayout>(&argument.meaning);
}

LayoutView layout_view(LayoutArgument argument, bool has_shape) {
  LayoutView view;
  view.argument = std::move(argument);
  view.gluon = gluon_name(view.argument);
  if (view.argument.dialect == interop::Dialect::cute && !has_shape)
    view.hint = other_meaning(view.argument.text);
  if (view.argument.dialect == interop::Dialect::tilelang)
    view.hint = interop::tilelang::remark_on_function(view.argument.text);
  if (const auto* linear = std::get_if<LinearLayout>(&view.argument.meaning)) {
    const auto standard = interop::detail::standard_distributed(*linear);
    if (standard) {
      view.kind = LayoutKind::held;
      view.held = *standard;
      add_axes(view, linear->outputs());
      find_vector(view, view.held, "register");
    } else {
      add_axes(view, linear->inputs());
    }
  } else if (view.cute() != nullptr) {
    add_modes(view, plain(*view.cute()));
  } else {
    view.kind = LayoutKind::shared;
    add_axes(view, view.shared().map.outputs());
    find_vector(view, view.shared().map, "offset");
    for (const memory::Padding& pad : view.shared().padding)
      view.vector_bits = std::min(view.vector_bits, std::countr_zero(pad.interval));
  }
  if (view.map() != nullptr) find_copies(view, *view.map());
  return view;
}

Answer<LayoutView> layout_view(const LayoutArguments& arguments) {
  auto argument = read_layout_arguments(arguments);
  if (!argument) return std::unexpected(argument.error());
  const auto bits =
      element_bits_of(arguments.type, argument->element_bits, argument->dialect.has_value());
  if (!bits) return std::unexpected(bits.error());
  const instruction::Target target = argument->target.value_or(LayoutContext{}.target);
  LayoutView view = layout_view(*std::move(argument), !arguments.shape.empty());
  view.element_bits = *bits;
  view.type = arguments.type;
  view.model = memory::bank_model(target, instruction::default_wave(target));
  return view;
}

std::string count_text(int bits) {
  return bits < 40 ? formatted("{}", std::uint64_t{1} << bits) : formatted("2^{}", bits);
}

std::string sizes_text(const LayoutView& view) {
  if (view.sizes.empty()) return "1";
  std::string text;
  for (const std::uint64_t size : view.sizes)
    text += formatted("{}{}", text.empty() ? "" : "x", size == 0 ? "2^64" : formatted("{}", size));
  return text;
}

std::optional<ReachedOffsets> reached_offsets(const cute::AnyLayout& layout) {
  constexpr cute::Number most_coordinates = 1 << 20;
  const cute::Number size = cute::size(layout);
  if (size > most_coordinates) return std::nullopt;
  std::vector<cute::Number> offsets;
  for (cute::Number at = 0; at < size; ++at) offsets.push_back(cute::evaluate(layout, at));
  std::ranges::sort(offsets);
  const ReachedOffsets reached{offsets.front(), offsets.back(), 0};
  const auto different = std::ranges::unique(offsets).begin() - offsets.begin();
  return ReachedOffsets{reached.least, reached.most, static_cast<std::uint64_t>(different)};
}

Answer<std::string> native_text(const LayoutView& view) {
  return interop::write_layout(view.argument.meaning, interop::Dialect::native);
}

std::vector<LayoutFact> layout_facts(const LayoutView& view) {
  std::vector<LayoutFact> facts{{"read as", view.argument.what}, {"means", meaning_text(view)}};
  const bool is_said = view.argument.dialect && view.argument.element_bits != 0;
  if (is_said || !view.type.empty()) {
    facts.push_back({"elements", elements_text(view)});
    if (view.kind == LayoutKind::shared) facts.push_back({"memory", memory_text(view)});
  }
  const auto native = native_text(view);
  facts.push_back({"map", native ? *native : "none over bits: " + native.error()});
  const std::vector<LayoutFact> more = !view.uneven_tile.empty() ? uneven_facts(view)
                                       : view.cute() != nullptr  ? function_facts(*view.cute())
                                                                 : map_facts(view);
  facts.insert(facts.end(), more.begin(), more.end());
  if (const std::string triton = short_triton_text(view); !triton.empty())
    facts.push_back({"Triton", triton + " for this shape"});
  if (!view.gluon.empty()) facts.push_back({"Gluon", view.gluon});
  const bool is_other = view.argument.dialect == interop::Dialect::cute;
  if (!view.hint.empty()) facts.push_back({is_other ? "or" : "note", view.hint});
  return facts;
}

}  // namespace heddle::answers
