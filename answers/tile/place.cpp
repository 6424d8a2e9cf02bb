#include "answers/tile/place.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

#include "answers/layout/layout_code.h"
#include "answers/text/counted.h"
#include "answers/text/json_text.h"
#include "answers/text/paragraph.h"
#include "answers/tile/tile_options.h"
#include "answers/tile/transposing_load.h"
#include "heddle/interop/any_layout.h"
#include "heddle/interop/triton/attribute_writer.h"
#include "heddle/interop/triton/gluon_writer.h"
#include "heddle/memory/transposed_read.h"
#include "heddle/plan/placement.h"
#include "library/text/formatted.h"
#include "library/text/joined.h"

namespace heddle::answers {
namespace {

using plan::Means;
using plan::Move;

template <class T>
using Answer = std::expected<T, std::string>;

/// `text` has a layout, perhaps after the name of the instruction that moves the tile. Removes this
/// name, so that `text` is only the layout, and returns which kind of instruction it is. If it is a
/// load that transposes, `load` becomes its name. Error: the option is --store but the instruction
/// loads, or the other way round.
Answer<Move> take_move(std::string& text, bool is_store, std::string& load) {
  MovedLayout moved = split_move(text);
  if (!moved.load.empty()) {
    if (is_store)
      return std::unexpected(formatted("--store: {} loads; give it to --load", moved.load));
    text = std::move(moved.layout);
    load = std::move(moved.load);
    return Move::load;
  }
  if (!moved.move) return is_store ? Move::store : Move::load;
  if (plan::is_store(*moved.move) != is_store)
    return std::unexpected(formatted("{}: {} {}; give it to {}", is_store ? "--store" : "--load",
                                     name(*moved.move), is_store ? "loads" : "stores",
                                     is_store ? "--load" : "--store"));
  text = std::move(moved.layout);
  return *moved.move;
}

/// CDNA's instructions that copy from global memory to LDS. They write the bytes of the lanes one
/// after the other: with dma:16 each lane writes 16 bytes of a row.
struct InOrder {
  int bytes = 0;
};

/// Reads "dma:16"; null if the text is something else. It means a copy to LDS that has one LDS
/// address for the wave, from which on the bytes of its lanes are contiguous (CDNA3 and CDNA4 ISA,
/// "Data Share Operations"). Errors: the tile is loaded, not stored; the processor has no such
/// copies.
Answer<std::optional<InOrder>> take_in_order(std::string_view text, instruction::Target target,
                                             bool is_store) {
  constexpr std::string_view prefix = "dma:";
  if (!text.starts_with(prefix)) return std::nullopt;
  if (!is_store) return std::unexpected("--load: copies to LDS write; give dma: to --store");
  const instruction::ProcessorRow& row = instruction::processor(target);
  if (!instruction::is_cdna(row.family))
    return std::unexpected(formatted(
        "--store: {} has no copies to LDS that write lanes in order{}", row.name,
        row.copied_bytes != 0 ? "; its lanes have an address each: give what they bring, as rows:8"
                              : ""));
  const std::string_view bytes = text.substr(prefix.size());
  const bool is_wide = row.copied_bytes == 16;
  if (bytes == "4") return InOrder{4};
  if (bytes == "16" && is_wide) return InOrder{16};
  return std::unexpected(formatted("--store: '{}': a lane of {} copies {} to LDS, as dma:{}", text,
                                   row.name, is_wide ? "4 or 16 bytes" : "4 bytes",
                                   is_wide ? "16" : "4"));
}

/// What CDNA's copies write to LDS, as an access: each lane writes elements of the tile that are
/// contiguous along its last dimension.
Answer<plan::TileAccess> in_order_access(const InOrder& copies, const layout::AxisList& dims,
                                         int wave, int element_bits) {
  const int elements = 8 * copies.bytes / element_bits;
  const int bits = plan::element_bits_in(copies.bytes, element_bits), last = dims.size() - 1;
  if (elements == 0 || dims[last].bits < bits)
    return std::unexpected(
        formatted("--store dma:{}: {}", copies.bytes,
                  elements == 0 ? "an element is wider than what a lane copies"
                                : formatted("a lane copies {} elements of a row, which has {}",
                                            elements, dims[last].size())));
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < bits; ++bit)
    bases[static_cast<std::size_t>(bit)] = std::uint64_t{1} << (dims.offset(last) + bit);
  const int lane_bits = std::countr_zero(static_cast<unsigned>(wave));
  return plan::TileAccess{
      layout::LinearLayout::from_words({{"register", bits}, {"lane", lane_bits}}, dims, bases)
          .value(),
      Move::in_order, copies.bytes};
}

/// CDNA's copies write lane after lane, so the layout in LDS determines which elements a lane must
/// fetch from global memory. The result says which: (element, lane, copy) -> dims.
layout::LinearLayout brought(const memory::SharedLayout& shared, const plan::TileAccess& access) {
  const int bits = shared.map.input_bits(), element = access.map.inputs().bits_of("register");
  const int lanes = std::min(access.map.inputs().bits_of("lane"), bits - element);
  return layout::reshape_inputs(
             shared.map, {{"element", element}, {"lane", lanes}, {"copy", bits - element - lanes}})
      .value();
}

/// Corrects the accesses of loads that transpose. In such a load a lane reads certain elements, and
/// the lanes then exchange them; the access must have the elements that the lane reads, not those
/// that it holds afterwards.
Answer<void> set_reads(PlaceView& view, instruction::Target target) {
  for (std::size_t i = 0; i < view.accesses.size(); ++i) {
    Party& party = view.parties[i];
    if (party.instruction.empty()) continue;
    const auto load = transposing_load(party.instruction, target, view.model.wave);
    if (!load) return std::unexpected("--load: " + load.error());
    const auto read = memory::read_by(*load, party.held, view.element_bits);
    if (!read) return std::unexpected("--load: " + read.error());
    party.instruction = load->name;
    view.accesses[i] = {*read, Move::load, memory::bytes_read(*load), true};
  }
  return {};
}

/// Finds the best placement among the swizzles that both a matrix descriptor (of wgmma and
/// tcgen05.mma) and a bulk tensor copy can express.
Answer<plan::Placement> among_descriptors(PlaceView& view, std::uint64_t most_bytes) {
  std::vector<memory::SharedLayout> candidates;
  interop::triton::Numbers shape;
  for (const layout::Axis& dim : view.accesses[0].map.outputs())
    shape.push_back(std::int64_t{1} << dim.bits);
  for (const std::int64_t width : {0, 32, 64, 128}) {
    for (const bool transposed : {false, true}) {
      interop::triton::NVMMASharedLayout layout{
          width, view.element_bits, static_cast<std::int64_t>(shape.size()), transposed};
      if (!layout.verify()) continue;
      if (const auto shared = layout.to_shared(shape)) candidates.push_back(*shared);
    }
  }
  auto best =
      plan::place_among(view.model, view.accesses, view.element_bits, candidates, most_bytes);
  if (!best) return best;
  for (const std::int64_t width : {0, 32, 64, 128}) {
    for (const bool transposed : {false, true}) {
      interop::triton::NVMMASharedLayout layout{
          width, view.element_bits, static_cast<std::int64_t>(shape.size()), transposed};
      const auto shared = layout.to_shared(shape);
      if (shared && !view.descriptor && *shared == best->shared) view.descriptor = layout;
    }
  }
  return best;
}

}  // namespace

MovedLayout split_move(const std::string& text) {
  for (const Move move :
       {Move::ldmatrix_transposed, Move::ldmatrix, Move::stmatrix_transposed, Move::stmatrix}) {
    const std::string prefix = std::string(name(move)) + ":";
    if (text.starts_with(prefix)) return {move, "", text.substr(prefix.size())};
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos && names_transposing_load(text.substr(0, colon)))
    return {std::nullopt, text.substr(0, colon), text.substr(colon + 1)};
  return {std::nullopt, "", text};
}

std::expected<PlaceView, std::string> place_view(const PlaceQuestion& arguments) {
  PlaceView view;
  const auto context = tile_context(arguments);
  if (!context) return std::unexpected(context.error());
  view.model = bank_model(*context);
  if (arguments.stores.empty() && arguments.loads.empty())
    return std::unexpected(
        "no access is given; say who writes the tile with --store and who reads it with --load");
  int bits = 0;
  std::vector<std::pair<std::size_t, InOrder>> in_order;
  for (const bool is_store : {true, false}) {
    for (std::string text : is_store ? arguments.stores : arguments.loads) {
      const std::string_view option = is_store ? "--store" : "--load";
      const auto copies = take_in_order(text, context->target, is_store);
      if (!copies) return std::unexpected(copies.error());
      if (*copies) {
        in_order.emplace_back(view.accesses.size(), **copies);
        view.accesses.emplace_back();
        view.parties.push_back({{text, "copies from memory to LDS", {}, 0, ""}, {}, ""});
        continue;
      }
      std::string load;
      const auto move = take_move(text, is_store, load);
      if (!move) return std::unexpected(move.error());
      auto argument = read_layout_argument(option, text, *context);
      if (!argument) return std::unexpected(argument.error());
      const auto map = distributed_meaning(option, *argument);
      if (!map) return std::unexpected(map.error());
      if (bits == 0) bits = argument->element_bits;
      if (argument->element_bits != 0 && argument->element_bits != bits)
        return std::unexpected(formatted("{}: elements of {} bits, others have {}", option,
                                         argument->element_bits, bits));
      view.accesses.push_back({*map, *move});
      view.parties.push_back({*std::move(argument), *map, load});
    }
  }
  const auto element_bits = element_bits_of(arguments.type, bits, true);
  if (!element_bits) return std::unexpected(element_bits.error());
  view.element_bits = *element_bits;
  for (const auto& [number, copies] : in_order) {
    if (in_order.size() == view.accesses.size())
      return std::unexpected("--store dma: alone fits any layout; say who reads with --load");
    const auto other = std::ranges::find_if(view.accesses, [](const plan::TileAccess& access) {
      return access.move != Move::in_order && access.map.output_bits() > 0;
    });
    const auto access =
        in_order_access(copies, other->map.outputs(), view.model.wave, view.element_bits);
    if (!access) return std::unexpected(access.error());
    view.accesses[number] = *access;
  }
  if (const auto read = set_reads(view, context->target); !read)
    return std::unexpected(read.error());
  view.asked = arguments.swizzle_only   ? Means::swizzle_only
               : arguments.padding_only ? Means::padding_only
                                        : Means::any;
  const auto most_bytes = static_cast<std::uint64_t>(arguments.most_bytes);
  const auto placed = [&](Means means) -> Answer<plan::Placement> {
    return plan::place(view.model, view.accesses, view.element_bits, means, most_bytes);
  };
  if (arguments.descriptor &&
      !instruction::is_nvidia(instruction::processor(context->target).family))
    return std::unexpected(formatted(
        "--descriptor: {} reads no tile by a descriptor; sm_90 and later do", arguments.target));
  const auto chosen =
      arguments.descriptor ? among_descriptors(view, most_bytes) : placed(view.asked);
  if (!chosen) return std::unexpected(chosen.error());
  view.chosen = *chosen;
  for (const Means means : {Means::any, Means::swizzle_only, Means::padding_only, Means::none})
    if (means != view.asked || arguments.descriptor) view.others.emplace_back(means, placed(means));
  return view;
}

namespace {

std::string instruction_text(const PlaceView& view, std::size_t access,
                             const plan::PlacedAccess& placed) {
  const Move move = view.accesses[access].move;
  if (const std::string& load = view.parties[access].instruction; !load.empty())
    return formatted("{} {}", placed.instructions, load);
  if (plan::is_matrix(move)) return formatted("{} {}.x4", placed.instructions, name(move));
  if (move == Move::in_order)
    return formatted("{} of {} a lane, lanes in order", placed.instructions,
                     counted(view.accesses[access].most_bytes, "byte"));
  return formatted("{} of {} a lane", counted(placed.instructions, name(move)),
                   counted(plan::bytes_of(placed.element_bits_log2, view.element_bits), "byte"));
}

/// Describes how the layout differs from contiguous rows.
std::string form_of(const memory::SharedLayout& shared) {
  int xored = 0;
  for (int bit = 0; bit < shared.map.input_bits(); ++bit)
    xored += std::popcount(shared.map.basis(bit)) > 1;
  std::string form = xored == 0 ? "plain order" : "swizzle of " + counted(xored, "bit");
  for (const memory::Padding& pad : shared.padding)
    form +=
        formatted(", {} left free after every {}", counted(pad.amount, "element"), pad.interval);
  return form;
}

/// The banks that each access uses, and the source of that fact: "32 banks; load latencies of
/// gfx1100". If several accesses have the same text, it stands only once.
std::string banks_of(const PlaceView& view) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < view.accesses.size(); ++i) {
    const plan::AccessSpaces spaces = plan::spaces_of(view.accesses[i], view.element_bits);
    const int bits = view.chosen.accesses[i].element_bits_log2;
    const memory::Phases& phases =
        view.model.phases(spaces.kind(), plan::bytes_of(bits, view.element_bits));
    const std::string words = formatted("{} banks; {}", phases.banks, phases.source);
    if (std::ranges::find(all, words) == all.end()) all.push_back(words);
  }
  return joined(all, ", and ");
}

/// The text of the chosen layout in a dialect. If a matrix descriptor was asked for, Triton and
/// Gluon have a class for its layouts, and the text uses this class.
Answer<std::string> placed_in(const PlaceView& view, interop::Dialect dialect) {
  if (view.descriptor && dialect == interop::Dialect::triton)
    return interop::triton::attribute(*view.descriptor);
  if (view.descriptor && dialect == interop::Dialect::gluon)
    return interop::triton::python(*view.descriptor);
  return interop::write_layout(view.chosen.shared, dialect);
}

std::string place_text(const PlaceView& view, int width) {
  const plan::Placement& chosen = view.chosen;
  std::string text;
  const auto line = [&](std::string_view label, const std::string& words) {
    text += paragraph(label, words, 10, width);
  };
  line("layout", interop::write_native(chosen.shared));
  if (const auto ttg = placed_in(view, interop::Dialect::triton)) line("", *ttg);
  if (const auto cute = placed_in(view, interop::Dialect::cute)) line("", *cute);
  line("form", form_of(chosen.shared));
  for (std::size_t i = 0; i < view.accesses.size(); ++i) {
    const plan::PlacedAccess& placed = chosen.accesses[i];
    const std::uint64_t extra = placed.passes - placed.ideal;
    line(plan::is_store(view.accesses[i].move) ? "store" : "load",
         formatted("{}: {}, {}, {}", view.parties[i].argument.what,
                   instruction_text(view, i, placed), counted(placed.passes, "pass"),
                   extra == 0   ? "no conflict"
                   : extra == 1 ? "1 of them a conflict"
                                : formatted("{} of them conflicts", extra)));
    if (view.accesses[i].move == Move::in_order)
      line("brings", interop::write_native(brought(chosen.shared, view.accesses[i])));
  }
  line("passes", formatted("{} in all; no layout does with fewer than {}{}", chosen.passes,
                           chosen.bound, chosen.is_optimal() ? ": this one is optimal" : ""));
  line("memory", counted(chosen.bytes, "byte"));
  line("banks", formatted("{}, {}", view.model.name, banks_of(view)));
  text += '\n';
  for (const auto& [means, other] : view.others) {
    const std::string label(name(means));
    text += paragraph(label,
                      other ? formatted("{}, {}, {}; {}", counted(other->passes, "pass"),
                                        counted(other->instructions, "instruction"),
                                        counted(other->bytes, "byte"), form_of(other->shared))
                            : other.error(),
                      16, width);
  }
  return text;
}

std::string placement_json(const PlaceView& view, const plan::Placement& placement) {
  std::string accesses;
  for (std::size_t i = 0; i < placement.accesses.size(); ++i) {
    const plan::PlacedAccess& placed = placement.accesses[i];
    const std::string& load = view.parties[i].instruction;
    accesses += formatted(
        R"({}{{"move":{},"layout":{},"bytes_per_lane":{},"instructions":{},"passes":{},)"
        R"("conflict_free_passes":{}}})",
        i == 0 ? "" : ",", json_string(load.empty() ? name(view.accesses[i].move) : load),
        json_string(interop::write_native(view.accesses[i].move == Move::in_order
                                              ? brought(placement.shared, view.accesses[i])
                                              : view.parties[i].held)),
        plan::bytes_of(placed.element_bits_log2, view.element_bits), placed.instructions,
        placed.passes, placed.ideal);
  }
  const auto ttg = interop::write_layout(placement.shared, interop::Dialect::triton);
  const auto cute = interop::write_layout(placement.shared, interop::Dialect::cute);
  return formatted(
      R"({{"layout":{},"ttg":{},"cute":{},"passes":{},"bound":{},"optimal":{},"instructions":{},)"
      R"("bytes":{},"accesses":[{}]}})",
      json_string(interop::write_native(placement.shared)), ttg ? json_string(*ttg) : "null",
      cute ? json_string(*cute) : "null", placement.passes, placement.bound, placement.is_optimal(),
      placement.instructions, placement.bytes, accesses);
}

std::string place_json(const PlaceView& view) {
  std::string others;
  for (const auto& [means, other] : view.others)
    others += formatted(",\n {}:{}", json_string(name(means)),
                        other ? placement_json(view, *other)
                              : formatted(R"({{"error":{}}})", json_string(other.error())));
  return formatted(
      "{{\"arch\":{},\"banks\":{},\"bank_bytes\":{},\"element_bits\":{},\n {}:{}{}}}\n",
      json_string(view.model.name), view.model.banks(), view.model.bank_bytes, view.element_bits,
      json_string(name(view.asked)), placement_json(view, view.chosen), others);
}

}  // namespace

std::expected<std::string, std::string> place(const PlaceQuestion& question) {
  const auto view = place_view(question);
  if (!view) return std::unexpected(view.error());
  if (const interop::DialectRow* dialect = interop::find_dialect(question.placed_as)) {
    const auto text = placed_in(*view, dialect->dialect);
    if (!text)
      return std::unexpected(formatted("{} cannot say this: {}", dialect->name, text.error()));
    if (question.format != "json") return *text + "\n";
    return formatted("{{{}:{}}}\n", json_string(dialect->key), json_string(*text));
  }
  if (!question.placed_as.empty()) {
    const LayoutArgument placed{"", "the tile", view->chosen.shared, view->element_bits, ""};
    return code_answer(layout_view(placed, true), question.placed_as, question.format);
  }
  if (question.format == "json") return place_json(*view);
  return place_text(*view, output_width());
}

}  // namespace heddle::answers
