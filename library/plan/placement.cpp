#include "heddle/plan/placement.h"

#include <algorithm>
#include <bit>
#include <expected>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "library/plan/placement_search.h"
#include "library/text/formatted.h"

namespace heddle::plan {
namespace {

/// The lanes of ldmatrix and stmatrix, by the row whose address each gives: lanes 0 to 7 give the
/// rows of the first matrix, the next eight those of the second. The bits of the warps are not
/// changed.
layout::LinearLayout addressing_lanes(const AccessSpaces& spaces, const layout::AxisList& dims) {
  constexpr std::size_t lane_bits = 5;
  const std::vector<std::uint64_t>& words = spaces.aligned;  // rows, then matrices, then warps
  const std::size_t matrix_bits = words.size() - spaces.lanes.size() - spaces.warp_count;
  const std::size_t given = std::min(lane_bits, spaces.lanes.size() + matrix_bits);
  layout::LinearLayout::Bases bases{};
  std::copy_n(words.begin(), given, bases.begin());
  std::copy_n(words.end() - static_cast<std::ptrdiff_t>(spaces.warp_count), spaces.warp_count,
              bases.begin() + lane_bits);
  return layout::LinearLayout::from_words(
             {{"lane", static_cast<int>(lane_bits)}, {"warp", static_cast<int>(spaces.warp_count)}},
             dims, bases)
      .value();
}

/// The placement of a layout, with its costs if the accesses have the widths in `bits`.
Placement priced(const detail::Search& search, const memory::SharedLayout& shared,
                 const std::vector<int>& bits, std::uint64_t bound) {
  Placement placement;
  placement.shared = shared;
  placement.bound = bound;
  placement.bytes = memory::bytes(shared, search.element_bits);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const AccessSpaces& spaces = search.spaces[i];
    PlacedAccess placed{bits[i], spaces.instructions(bits[i]), 0, search.ideal(i, bits[i])};
    placed.passes =
        shared.padding.empty()
            ? linear_passes(search.model, spaces, bits[i], search.element_bits, shared.map)
            : counted_passes(search.model, spaces, bits[i], search.element_bits, shared);
    placement.passes += placed.passes;
    placement.instructions += placed.instructions;
    const int word_bits = std::min(bits[i], element_bits_in(4, search.element_bits));
    bool is_packed = false;
    for (int bit = 0; bit < word_bits && !spaces.is_matrix; ++bit)
      is_packed |= shared.map.basis(bit) != spaces.registers[static_cast<std::size_t>(bit)];
    placement.packed += is_packed;
    placement.address_terms += address_terms(
        spaces.is_matrix ? addressing_lanes(spaces, search.dims) : search.accesses[i].map,
        shared.map);
    placement.accesses.push_back(placed);
  }
  for (const TileAccess& access : search.accesses)
    if (access.move == Move::in_order)
      placement.scattered += scattered_bits(access, shared.map, search.element_bits);
  placement.irregular = irregular_steps(shared.map);
  return placement;
}

/// The widest vectors that each access may have in a layout. Nothing if some access is impossible
/// in it.
std::optional<std::vector<int>> widest(const detail::Search& search,
                                       const layout::LinearLayout& map) {
  std::vector<int> bits;
  for (const AccessSpaces& spaces : search.spaces) {
    int width = 0;
    while (width < spaces.most_bits && spaces.vector.contains(map.basis(width))) ++width;
    if (width < spaces.least_bits) return std::nullopt;
    bits.push_back(width);
  }
  // Makes vectors narrower until each register has the same place in the vectors of all lanes.
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::vector<int> alone(bits.size(), 0);
    for (alone[i] = bits[i]; !is_aligned(search, map, alone); --alone[i])
      if (alone[i] == search.spaces[i].least_bits) return std::nullopt;
    bits[i] = alone[i];
  }
  return bits;
}

/// Finds the cheapest linear layout. The search chooses the words of H one after the other.
/// Sometimes no word is left for the end of H; then the search tries other orders of the words, the
/// same orders in every run.
void try_swizzles(const detail::Search& search, const std::vector<detail::Widths>& widths,
                  std::optional<Placement>& best) {
  constexpr int most_tries = 24;
  const std::uint64_t bound = widths.front().ideal;
  for (const detail::Widths& each : widths) {
    if (best &&
        std::pair(each.ideal, each.instructions) > std::pair(best->passes, best->instructions))
      break;
    std::uint64_t fewest = ~std::uint64_t{0};
    for (int attempt = 0; attempt < most_tries && fewest > each.ideal; ++attempt) {
      for (int dim = search.dims.size() - 1; dim >= 0; --dim) {
        std::vector<std::uint64_t> units = detail::units_in_order(search.dims, dim);
        std::uint64_t random = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(attempt);
        for (std::size_t i = units.size(); attempt > 0 && i > 1; --i) {
          random ^= random << 13, random ^= random >> 7, random ^= random << 17;
          std::swap(units[i - 1], units[random % i]);
        }
        const std::vector<std::uint64_t> words = search.words_for(each.bits, units);
        if (words.empty() && search.dims.bits() > 0) continue;
        const layout::LinearLayout map = detail::map_of(words, search.dims);
        if (!is_aligned(search, map, each.bits)) continue;
        const Placement placement = priced(search, {map, {}}, each.bits, bound);
        fewest = std::min(fewest, placement.passes);
        if (!best || placement.price() < best->price()) best = placement;
      }
    }
  }
}

/// The paddings to try on a tile of 2^tile_bits elements. A padding leaves `amount` elements free
/// after every `interval` elements. An interval is a power of two: at least a vector, at least a
/// slab (the elements that a copy writes in order, without gaps), and less than the tile. An amount
/// is one to eight vectors, half a line or a line, where a line is the elements in one pass over
/// all banks.
std::vector<memory::PaddingList> paddings(int tile_bits, int vector_bits, int line, int slab_bits) {
  std::vector<memory::PaddingList> all;
  const std::uint64_t vector = std::uint64_t{1} << vector_bits;
  for (int interval = std::max(vector_bits, slab_bits); interval < tile_bits; ++interval) {
    std::uint64_t before = 0;
    for (const std::uint64_t amount :
         {vector, 2 * vector, 3 * vector, 4 * vector, 5 * vector, 6 * vector, 7 * vector,
          8 * vector, (std::uint64_t{1} << line) / 2, std::uint64_t{1} << line}) {
      if (amount <= before || amount >> line > 1) continue;
      before = amount;
      all.push_back({{std::uint64_t{1} << interval, amount}});
    }
  }
  return all;
}

/// Tries `map` without padding or with one padding, the smallest tile first, and then with two
/// paddings. Ends at the first layout that needs no more passes than least_passes(). Vectors are
/// the widest that the map allows. A placement that is cheaper than `best` replaces it.
void try_paddings(const detail::Search& search, const layout::LinearLayout& map,
                  std::uint64_t bound, std::optional<Placement>& best) {
  const auto bits = widest(search, map);
  if (!bits) return;
  const std::uint64_t ideal = search.least_passes(*bits);
  if (best && best->passes < ideal) return;
  const int vector = *std::ranges::max_element(*bits);
  std::vector<memory::SharedLayout> candidates{{map, {}}};
  const auto add = [&](const std::vector<memory::PaddingList>& lists) {
    for (const memory::PaddingList& list : lists) candidates.push_back({map, list});
  };
  const std::vector<memory::PaddingList> single =
      paddings(map.input_bits(), vector, std::ranges::max(search.lines(*bits)), search.slab_bits());
  add(single);
  const auto smallest_first = [&] {
    std::ranges::sort(candidates, {}, [](const memory::SharedLayout& shared) {
      return std::tuple(shared.size(), shared.padding.begin()->interval);
    });
  };
  smallest_first();
  const auto consider = [&] {  // smallest first, so the first without a conflict is the best
    for (const memory::SharedLayout& shared : candidates) {
      const Placement placement = priced(search, shared, *bits, bound);
      if (!best || placement.price() < best->price()) best = placement;
      if (placement.passes == ideal) return true;
    }
    return false;
  };
  if (consider()) return;
  candidates.clear();
  for (const memory::PaddingList& first : single) {
    for (const memory::PaddingList& second : single) {
      memory::PaddingList both = first;
      both.push_back(*second.begin());
      // Two paddings help if one shifts rows and the other shifts groups of rows by a little.
      const std::uint64_t amounts = (first.begin()->amount | second.begin()->amount) >> vector;
      const bool is_small = amounts <= 4 && first.begin()->amount >> vector != 3 &&
                            second.begin()->amount >> vector != 3;
      if (is_small && first.begin()->interval < second.begin()->interval)
        candidates.push_back({map, both});
    }
  }
  smallest_first();
  consider();
}

/// Layouts of whole rows for copies that write in order: such a copy writes 2^slab_bits elements (a
/// slab) at once, without gaps. Each layout chooses which bits of the other dimensions lie inside a
/// slab; the other bits follow in row-major order.
std::vector<layout::LinearLayout> orders_by_slabs(const detail::Search& search) {
  const int last = search.dims.size() - 1, row = search.dims[last].bits;
  const std::vector<std::uint64_t> units = detail::units_in_order(search.dims, last);
  const int rest = search.dims.bits() - row, inside = search.slab_bits() - row;
  std::vector<layout::LinearLayout> orders;
  if (inside <= 0 || inside >= rest || rest > 12) return orders;
  for (std::uint64_t chosen = 0; chosen >> rest == 0; ++chosen) {
    if (std::popcount(chosen) != inside) continue;
    std::vector<std::uint64_t> words(units.begin(), units.begin() + row);
    for (const bool in_slab : {true, false})
      for (int i = 0; i < rest; ++i)
        if ((chosen >> i & 1) == (in_slab ? 1 : 0))
          words.push_back(units[static_cast<std::size_t>(row + i)]);
    orders.push_back(detail::map_of(words, search.dims));
  }
  return orders;
}

/// Checks the accesses and prepares the search for their layout. Error: the reason why they are
/// invalid; see place().
std::expected<detail::Search, std::string> search_of(const memory::BankModel& model,
                                                     const std::vector<TileAccess>& accesses,
                                                     int element_bits) {
  if (accesses.empty()) return std::unexpected("no access is given, so any layout is as good");
  detail::Search search{model, accesses, {}, accesses[0].map.outputs(), element_bits};
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const std::string which = formatted("access {} ({})", i + 1, name(accesses[i].move));
    if (!(accesses[i].map.outputs() == search.dims))
      return std::unexpected(which + " has another tile than access 1; the sizes must be equal");
    const bool has_move =
        is_store(accesses[i].move) ? model.has_matrix_stores : model.has_matrix_moves;
    if (is_matrix(accesses[i].move) && !has_move)
      return std::unexpected(which + ": " + std::string(model.name) + " has no " +
                             (is_store(accesses[i].move) ? "stmatrix" : "ldmatrix"));
    const std::uint64_t lanes = accesses[i].map.input_size("lane");
    if (lanes != static_cast<std::uint64_t>(model.wave))
      return std::unexpected(
          formatted("{} has {} lanes, a wave of {} has {}; give its axis 'lane' a basis for every "
                    "bit, 0 for copies",
                    which, lanes, model.name, model.wave));
    if (!is_possible(accesses[i], element_bits))
      return std::unexpected(
          which + (accesses[i].ordered
                       ? " cannot be made: each lane reads different elements, and some of these "
                         "are the same"
                       : " cannot be made: a matrix instruction moves whole 32-bit registers of "
                         "32 lanes that hold different elements, 16-bit ones if it transposes"));
    search.spaces.push_back(spaces_of(accesses[i], element_bits));
  }
  layout::Subspace moved;
  for (const TileAccess& access : accesses) {
    for (int bit = 0; bit < access.map.input_bits(); ++bit) moved.add(access.map.basis(bit));
    for (int bit = 0; bit < search.dims.bits() && access.move == Move::in_order; ++bit)
      moved.add(std::uint64_t{1} << bit);
  }
  for (int bit = 0; bit < search.dims.bits(); ++bit) {
    if (moved.contains(std::uint64_t{1} << bit)) continue;
    const int dim = search.dims.axis_of_bit(bit);
    return std::unexpected(formatted(
        "no access moves the element at {} {}; the tile is larger than what is moved",
        search.dims[dim].name.text(), std::uint64_t{1} << (bit - search.dims.offset(dim))));
  }
  return search;
}

std::expected<Placement, std::string> within(Placement placement, std::uint64_t most_bytes) {
  if (placement.bytes <= most_bytes) return placement;
  return std::unexpected(
      formatted("the layout takes {} bytes of shared memory, {} are allowed; take a smaller tile",
                placement.bytes, most_bytes));
}

}  // namespace

std::expected<Placement, std::string> place(const memory::BankModel& model,
                                            const std::vector<TileAccess>& accesses,
                                            int element_bits, Means means,
                                            std::uint64_t most_bytes) {
  const auto asked = search_of(model, accesses, element_bits);
  if (!asked) return std::unexpected(asked.error());
  const detail::Search& search = *asked;
  const std::vector<detail::Widths> widths = search.feasible_widths();
  if (widths.empty())
    return std::unexpected(
        "the accesses need contiguous elements that one layout cannot give "
        "them all; narrower ones, or no matrix instructions, would do");
  const std::uint64_t bound = widths.front().ideal;

  std::optional<Placement> best;
  const auto consider = [&](const Placement& placement) {
    if (!best || placement.price() < best->price()) best = placement;
  };
  std::vector<layout::LinearLayout> orders;
  for (int dim = search.dims.size() - 1; dim >= 0; --dim) {
    if (search.dims[dim].bits == 0) continue;
    orders.push_back(detail::map_of(detail::units_in_order(search.dims, dim), search.dims));
  }
  if (orders.empty()) orders.push_back(detail::map_of({}, search.dims));
  if (means == Means::any || means == Means::swizzle_only) try_swizzles(search, widths, best);
  if (means == Means::any || means == Means::none) {
    for (const layout::LinearLayout& map : orders)
      if (const auto bits = widest(search, map)) consider(priced(search, {map, {}}, *bits, bound));
  }
  if (means == Means::padding_only || (means == Means::any && (!best || !best->is_optimal()))) {
    if (best) orders.push_back(best->shared.map);
    for (const layout::LinearLayout& map : orders_by_slabs(search)) orders.push_back(map);
    for (const layout::LinearLayout& map : orders) {
      if (best && best->is_optimal() && search.slab_bits() > 0) break;
      try_paddings(search, map, bound, best);
    }
  }
  if (!best)
    return std::unexpected(
        "no row-major order gives these accesses the contiguous elements they "
        "need; a swizzle would");
  return within(*std::move(best), most_bytes);
}

std::expected<Placement, std::string> place_among(
    const memory::BankModel& model, const std::vector<TileAccess>& accesses, int element_bits,
    const std::vector<memory::SharedLayout>& candidates, std::uint64_t most_bytes) {
  const auto search = search_of(model, accesses, element_bits);
  if (!search) return std::unexpected(search.error());
  const std::vector<detail::Widths> widths = search->feasible_widths();
  const std::uint64_t bound = widths.empty() ? 0 : widths.front().ideal;
  std::optional<Placement> best;
  for (const memory::SharedLayout& shared : candidates) {
    const auto bits = widest(*search, shared.map);
    if (!bits) continue;
    const Placement placement = priced(*search, shared, *bits, bound);
    if (!best || placement.price() < best->price()) best = placement;
  }
  if (!best)
    return std::unexpected(
        formatted("none of the {} layouts gives these accesses the contiguous elements they need",
                  candidates.size()));
  return within(*std::move(best), most_bytes);
}

}  // namespace heddle::plan
