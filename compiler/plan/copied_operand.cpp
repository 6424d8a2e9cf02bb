#include "compiler/plan/copied_operand.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/plan/words.h"
#include "heddle/plan/placement.h"
#include "library/plan/placement_search.h"

namespace heddle::plan {
namespace {

std::string matrix_of(const GlobalTile& tile) { return tile.row == "m" ? "A" : "B"; }

/// The reason why a tile cannot be copied straight to LDS; empty if it can. Each lane would copy
/// pieces of `piece_bytes`; if `piece_bytes` is 0, a tile descriptor would be used. `load_bytes` is
/// how many bytes of a fragment one load from LDS would load.
std::string why_not_copied(const GlobalTile& tile, int load_bytes, int lanes, int piece_bytes) {
  const std::string matrix = matrix_of(tile);
  if (tile.stored_bytes != tile.element_bytes) return matrix + " is converted on its way";
  if (load_bytes == 0)
    return matrix + " lies along " + std::string(tile.row.text()) +
           " in memory, and loads transpose elements of 8 and 16 bits";
  if (tile.access * tile.stored_bytes < piece_bytes)
    return "rows of " + matrix + " begin at multiples of " +
           number(std::int64_t{tile.access} * tile.stored_bytes) + " bytes, and a load takes " +
           number(piece_bytes);
  if (tile.rows * tile.k * tile.element_bytes < piece_bytes * lanes)
    return "the tile of " + matrix + " is less than a wave loads at once";
  return {};
}

/// Which lane copies which elements: (element, vector, lane, warp, step) -> (row, k). The bits of
/// an offset in LDS (`shared`) are divided among these inputs: `warp_bits` bits from bit `warp_at`
/// on say which warp copies the element; the other bits are those of element, lane and step, in
/// this order. If an offset has too few bits, several warps or lanes copy the same elements.
layout::LinearLayout copies_map(const layout::LinearLayout& shared, const GlobalTile& tile,
                                int element_bits, int lane_bits, int warp_bits, int warp_at) {
  layout::LinearLayout::Bases bases{};
  const int all = shared.input_bits();
  const int step_bits = std::max(all - element_bits - lane_bits - warp_bits, 0);
  const auto word = [&](int bit) { return bit < all ? shared.basis(bit) : 0; };
  std::size_t next = 0;
  int bit = 0;
  const auto skip = [&] { return bit == warp_at ? bit += warp_bits : bit; };
  for (; next < static_cast<std::size_t>(element_bits + lane_bits); ++next) {
    skip();
    bases[next] = word(bit++);
  }
  for (int warp = 0; warp < warp_bits; ++warp) bases[next++] = word(warp_at + warp);
  for (int step = 0; step < step_bits; ++step) {
    skip();
    bases[next++] = word(bit++);
  }
  return layout::LinearLayout::from_words({{"element", element_bits},
                                           {"vector", 0},
                                           {"lane", lane_bits},
                                           {"warp", warp_bits},
                                           {"step", step_bits}},
                                          {{tile.row, bits_of(tile.rows)}, {"k", bits_of(tile.k)}},
                                          bases)
      .value();
}

/// The map for copies in pieces. From the lowest bit of an offset in LDS upwards, the bits say:
/// which element of a lane, which lane, which warp, which step.
layout::LinearLayout pieces_map(const layout::LinearLayout& shared, const GlobalTile& tile,
                                int element_bits, int lane_bits, int warp_bits) {
  return copies_map(shared, tile, element_bits, lane_bits, warp_bits, element_bits + lane_bits);
}

/// The map for copies by a tile descriptor. The highest bits of an offset in LDS say which warp
/// copies the element, so a warp copies consecutive rows.
layout::LinearLayout rows_map(const layout::LinearLayout& shared, const GlobalTile& tile,
                              int element_bits, int lane_bits, int warp_bits) {
  return copies_map(shared, tile, element_bits, lane_bits, warp_bits,
                    shared.input_bits() - warp_bits);
}

/// Calls `keep_going` with candidates for the layout in LDS, until it returns false: orders of the
/// tile's elements, each with several paddings between the pieces (what a wave copies with one
/// instruction).
/// - The first lanes of a piece read a segment of 64 bytes that is contiguous in global memory.
/// - The next lanes fill the rest of a line of banks. They may read anything; all choices are
/// tried, in all orders.
/// - The other lanes read what is contiguous in global memory, as far as possible.
///
/// If none of the paddings suffices, the lanes that read a segment come after those that fill the
/// line of banks.
template <class Visit>
void visit_pieces(const memory::BankModel& model, const GlobalTile& tile, int elements,
                  const Visit& keep_going) {
  constexpr int segment_bytes = 64;
  const int bytes = elements * tile.element_bytes;
  const int row_bits = bits_of(tile.rows), lane_bits = bits_of(model.wave);
  const layout::AxisList dims{{tile.row, row_bits}, {"k", bits_of(tile.k)}};
  // The bits of an element's index, in the order of memory; the numbers below are positions in this
  // list.
  const std::vector<std::uint64_t> units = detail::units_in_order(dims, tile.k_contiguous ? 1 : 0);
  const int all = static_cast<int>(units.size()), first = bits_of(elements);
  const int inner_end = tile.k_contiguous ? bits_of(tile.k) : row_bits;
  const int segment_end = std::min(inner_end, first + bits_of(segment_bytes / bytes));
  const int vectors =
      bits_of(model.phases(memory::AccessKind::load, bytes).banks * model.bank_bytes / bytes);
  bool segment_first = true;
  std::uint64_t padding = 0;
  std::vector<int> chosen;  // of a line
  const auto visit = [&] {
    std::vector<int> order;
    const auto is_free = [&](int unit) {
      return std::ranges::find(order, unit) == order.end() &&
             std::ranges::find(chosen, unit) == chosen.end();
    };
    const auto take = [&](int from, int end) {
      for (int unit = from; unit < end; ++unit)
        if (is_free(unit)) order.push_back(unit);
    };
    take(0, segment_first ? segment_end : first);
    order.insert(order.end(), chosen.begin(), chosen.end());
    take(first, segment_end);
    const auto piece = static_cast<std::size_t>(first + lane_bits);
    for (int unit = segment_end; unit < inner_end && order.size() < piece; ++unit)
      if (is_free(unit)) order.push_back(unit);
    for (int unit = all - 1; unit >= inner_end && order.size() < piece; --unit)
      if (is_free(unit)) order.push_back(unit);
    take(inner_end, all);
    take(0, inner_end);
    std::vector<std::uint64_t> words;
    for (const int unit : order) words.push_back(units[static_cast<std::size_t>(unit)]);
    memory::SharedLayout shared{detail::map_of(words, dims), {}};
    if (padding != 0)
      shared.padding = {{static_cast<std::uint64_t>(elements * model.wave), padding}};
    return keep_going(shared);
  };
  const auto choose = [&](const auto& self, int in_line) -> bool {
    if (static_cast<int>(chosen.size()) == in_line) return visit();
    for (int unit = segment_end; unit < all; ++unit) {
      if (std::ranges::find(chosen, unit) != chosen.end()) continue;
      chosen.push_back(unit);
      const bool goes_on = self(self, in_line);
      chosen.pop_back();
      if (!goes_on) return false;
    }
    return true;
  };
  const int in_segment = segment_end - first, most = all - segment_end;
  for (const int vectors_between : {0, 1, 2, 4, 8}) {
    padding = static_cast<std::uint64_t>(vectors_between * elements);
    if (!choose(choose, std::clamp(vectors - in_segment, 0, most))) return;
  }
  padding = 0;
  segment_first = false;
  choose(choose, std::clamp(vectors, 0, std::min(most, lane_bits - in_segment)));
}

/// Calls `keep_going` with candidates for the layout in LDS, until it returns false: the rows one
/// after the other, with each padding that a tile descriptor can express. A wave copies consecutive
/// rows with `part` elements together; the count of bytes between paddings begins anew for each
/// wave.
template <class Visit>
void visit_rows(const GlobalTile& tile, int part, int load_bytes, const Visit& keep_going) {
  const layout::AxisList dims{{tile.row, bits_of(tile.rows)}, {"k", bits_of(tile.k)}};
  const layout::LinearLayout rows =
      detail::map_of(detail::units_in_order(dims, tile.k_contiguous ? 1 : 0), dims);
  if (!keep_going({rows, {}})) return;
  const int bytes = tile.element_bytes;
  const int most = std::min(most_padded_bytes, part * bytes);
  const int most_padding = std::min(most_padding_bytes, 4 * load_bytes);
  for (int padding = load_bytes; padding <= most_padding; padding *= 2)
    for (int interval = most; interval >= std::max(least_padded_bytes, load_bytes); interval /= 2)
      if (!keep_going({rows,
                       {{static_cast<std::uint64_t>(interval / bytes),
                         static_cast<std::uint64_t>(padding / bytes)}}}))
        return;
}

/// A load that transposes gives a lane elements whose addresses other lanes have given. Returns
/// which elements' addresses each lane must give so that `load` loads `fragment`: (element,
/// register, lane, …) -> (row, k). Null if adjacent lanes of the fragment do not have adjacent
/// rows.
std::optional<layout::LinearLayout> transposing_places(const layout::LinearLayout& fragment,
                                                       const layout::AxisName& row,
                                                       const TransposingLoad& load) {
  using Bit = TransposingLoad::Bit;
  const layout::AxisList& inputs = fragment.inputs();
  const layout::AxisList& outputs = fragment.outputs();
  const int lane = inputs.offset(inputs.find("lane"));
  const auto row_bit = [&](int bit) {
    return std::uint64_t{1} << (outputs.offset(outputs.find(row)) + bit);
  };
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < fragment.input_bits(); ++bit)
    bases[static_cast<std::size_t>(bit)] = fragment.basis(bit);
  for (int bit = 0; bit < bits_of(load.elements()); ++bit) {
    if (fragment.basis(lane + bit) != row_bit(bit)) return std::nullopt;
    bases[static_cast<std::size_t>(bit)] = fragment.basis(lane + bit);
  }
  for (std::size_t bit = 0; bit < load.readers.size(); ++bit) {
    const Bit whose = load.readers[bit];
    if (whose == Bit::none) continue;
    const int number = static_cast<int>(whose) - static_cast<int>(Bit::element_0);
    const bool is_element = whose <= Bit::element_2;
    bases[static_cast<std::size_t>(lane) + bit] = fragment.basis(
        is_element ? number : lane + 2 + static_cast<int>(whose) - static_cast<int>(Bit::lane_2));
  }
  return layout::LinearLayout::from_words(inputs, outputs, bases).value();
}

}  // namespace

std::expected<OperandPlan, std::string> plan_copied_operand(instruction::Target target,
                                                            Copies copies, const GlobalTile& tile,
                                                            const layout::LinearLayout& fragment,
                                                            int warps) {
  const memory::BankModel model = memory::bank_model(target);
  OperandPlan plan;
  plan.tile = tile;
  plan.copies = copies;
  plan.fragment = fragment;
  const bool in_pieces = plan.copies == Copies::pieces;
  const int piece_bytes =
      in_pieces ? plan::piece_bytes(target, tile.access * tile.stored_bytes) : 0;
  const TransposingLoad* transposing = transposing_load(target, tile.element_bytes);
  // Elements of 32 bits that are not contiguous along k are loaded one by one, two in an
  // instruction.
  const bool one_by_one = in_pieces && tile.element_bytes == 4;
  const int load_bytes = tile.k_contiguous ? 16
                         : transposing     ? transposing->bytes
                         : one_by_one      ? 4
                                           : 0;
  if (std::string why = why_not_copied(tile, load_bytes, model.wave, piece_bytes); !why.empty())
    return std::unexpected(std::move(why));
  // How many bytes are stored to LDS at once: a lane's piece. A descriptor does not copy by lanes;
  // its unit is a word of 4 bytes, or an element if that is larger.
  const int bytes = in_pieces ? piece_bytes : std::max(4, tile.element_bytes);
  const int elements = bytes / tile.element_bytes;
  const int element_bits = 8 * tile.element_bytes;
  plan.patch = tile.k_contiguous ? Patch{1, elements} : Patch{elements, 1};
  const layout::NameList dims{tile.row, "k"};
  std::optional<layout::LinearLayout> places = fragment;
  plan.transposing = !tile.k_contiguous && transposing != nullptr;
  if (plan.transposing) {
    places = transposing_places(fragment, tile.row, *transposing);
    if (!places)
      return std::unexpected("no load gives fragments of " + matrix_of(tile) + " transposed");
  }
  const TileAccess load{detail::by_register(*places, dims), Move::load, load_bytes};
  const auto consider = [&](const memory::SharedLayout& shared, Means means) {
    SharedCandidate candidate;
    candidate.means = means;
    candidate.staging.map =
        in_pieces
            ? pieces_map(shared.map, tile, bits_of(elements), bits_of(model.wave), bits_of(warps))
            : rows_map(shared.map, tile, bits_of(elements), bits_of(model.wave), bits_of(warps));
    candidate.staging.segments = touched_segments(tile, candidate.staging.map);
    const TileAccess store{detail::by_register(candidate.staging.map, dims), Move::store, bytes};
    auto placement = place_among(model, {store, load}, element_bits, {shared});
    if (!placement) return;
    candidate.placement = *std::move(placement);
    candidate.placement.bytes *= static_cast<std::uint64_t>(copying_groups(candidate.staging.map));
    candidate.stores = layout::invert_and_compose(candidate.staging.map, shared.map).value();
    candidate.loads = layout::invert_and_compose(*places, shared.map).value();
    candidate.registers = base_registers(candidate.loads);
    if (plan.transposing && candidate.load_elements() * tile.element_bytes != load_bytes) return;
    if (detail::is_in_order(candidate.loads, candidate.load_cost().element_bits_log2))
      plan.others.push_back(std::move(candidate));
  };
  std::optional<Placement> best;
  const auto visit = [&](const memory::SharedLayout& shared) {
    auto placement = place_among(model, {load}, element_bits, {shared});
    if (placement && (!best || placement->price() < best->price())) best = *std::move(placement);
    return !best || !best->is_optimal();
  };
  if (in_pieces)
    visit_pieces(model, tile, elements, visit);
  else
    visit_rows(tile, tile.rows * tile.k / warps, load_bytes, visit);
  if (best)
    consider(best->shared,
             best->shared.padding.empty() ? Means::swizzle_only : Means::padding_only);
  const layout::AxisList& axes = load.map.outputs();
  consider({detail::map_of(detail::units_in_order(axes, tile.k_contiguous ? 1 : 0), axes), {}},
           Means::none);
  if (plan.others.empty())
    return std::unexpected("no layout of " + matrix_of(tile) +
                           " keeps pieces as they lie in memory");
  std::ranges::sort(plan.others, {}, &SharedCandidate::price);
  plan.chosen = std::move(plan.others.front());
  plan.others.erase(plan.others.begin());
  return plan;
}

}  // namespace heddle::plan
