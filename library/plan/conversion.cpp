#include "heddle/plan/conversion.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/plan/lane_conversion.h"
#include "heddle/plan/shared_conversion.h"
#include "library/text/formatted.h"

namespace heddle::plan {
namespace detail {

std::expected<layout::LinearLayout, std::string> nearest_source(const layout::LinearLayout& to,
                                                                const layout::LinearLayout& from) {
  const layout::AxisList& inputs = from.inputs();
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < to.input_bits(); ++bit) {
    const int axis = to.inputs().axis_of_bit(bit);
    const int in_axis = bit - to.inputs().offset(axis);
    // `own` is the input bit of `from` with the same axis and number as `bit` has in `to`. If it is
    // used, other bits of `from` only have to give the rest of the word.
    const bool has_own = axis > 0 && in_axis < inputs[axis].bits;
    const std::uint64_t own = has_own ? std::uint64_t{1} << (inputs.offset(axis) + in_axis) : 0;
    std::optional<std::uint64_t> best;
    // Uses as few axes as possible, the inner ones first. `own` costs nothing, so it is tried
    // first.
    for (int most_axis = 0; most_axis < inputs.size() && !best; ++most_axis) {
      for (const bool with_own : {true, false}) {
        if (with_own && own == 0) continue;
        Solver solver;
        for (int source = 0; source < inputs.offset(most_axis) + inputs[most_axis].bits; ++source)
          solver.add(std::uint64_t{1} << source, from.basis(source));
        const std::uint64_t word = to.basis(bit) ^ (with_own ? from.apply(own) : 0);
        if (const auto input = solver.solve(word)) {
          best = *input ^ (with_own ? own : 0);
          break;
        }
      }
    }
    if (!best) {
      std::string where;
      for (int dimension = 0; dimension < to.outputs().size(); ++dimension)
        where +=
            formatted("{}{} {}", dimension == 0 ? "" : ", ", to.outputs()[dimension].name.text(),
                      to.outputs().coordinate(to.basis(bit), dimension));
      return std::unexpected("the source nowhere holds the element at " + where +
                             ", which the destination needs");
    }
    bases[static_cast<std::size_t>(bit)] = *best;
  }
  return layout::LinearLayout::from_words(to.inputs(), inputs, bases).value();
}

namespace {

/// Checks that the source and the destination have the same tile, as many lanes as a wave, and few
/// enough registers.
std::expected<void, std::string> check_sides(const layout::LinearLayout& from,
                                             const layout::LinearLayout& to,
                                             const memory::BankModel& model) {
  if (!(from.outputs() == to.outputs())) {
    const layout::Error error = layout::difference_of_axes(from.outputs(), to.outputs());
    return std::unexpected(error.code == layout::ErrorCode::none
                               ? "the dimensions of the tile are in another order"
                               : "the tiles differ: " + std::string(error.message().view()));
  }
  for (const layout::AxisName& axis : std::span(distributed_axes).last(3)) {
    if (from.input_size(axis) != to.input_size(axis))
      return std::unexpected(
          formatted("the source has {} {}s and the destination {}; they must be as many",
                    from.input_size(axis), axis.text(), to.input_size(axis)));
  }
  if (from.input_size("lane") != static_cast<std::uint64_t>(model.wave))
    return std::unexpected(formatted("the layouts have {} lanes, a wave of {} has {}",
                                     from.input_size("lane"), model.name, model.wave));
  for (const layout::LinearLayout* side : {&from, &to})
    if (side->input_size("register") > most_registers)
      return std::unexpected(formatted(
          "a lane holds {} elements; at most {} are planned: take a smaller tile, or more warps",
          side->input_size("register"), most_registers));
  return {};
}

/// True if elements move between warps. Error: elements move between thread blocks.
std::expected<bool, std::string> crosses_warps(const layout::LinearLayout& source) {
  bool crosses = false;
  for (int bit = 0; bit < source.input_bits(); ++bit) {
    const int axis = source.inputs().axis_of_bit(bit);
    const std::uint64_t unit = std::uint64_t{1} << (bit - source.inputs().offset(axis));
    const std::uint64_t word = source.basis(bit);
    if (source.outputs().coordinate(word, 3) != (axis == 3 ? unit : 0))
      return std::unexpected(
          "elements move between the blocks of a cluster, which no way of one block does");
    crosses |= source.outputs().coordinate(word, 2) != (axis == 2 ? unit : 0);
  }
  return crosses;
}

/// The conversion within each warp, without shared memory. Error: the reason why there is none, for
/// example that S takes other registers or lanes in other warps.
std::expected<ConversionWay, std::string> way_within_warp(
    const instruction::ProcessorRow& processor, const layout::LinearLayout& from,
    const layout::LinearLayout& source, int element_bits) {
  const auto within = layout::sublayout(source, {"register", "lane"}, {"register", "lane"});
  bool depends_on_warp = false;
  for (const layout::AxisName& axis : std::span(distributed_axes).last(2))
    for (int bit = 0; bit < source.inputs().bits_of(axis); ++bit)
      depends_on_warp |=
          source.basis(axis, bit, "register") != 0 || source.basis(axis, bit, "lane") != 0;
  if (depends_on_warp) return std::unexpected("lanes: warps would exchange by different patterns");
  const auto held = layout::sublayout(from, {"register", "lane"}, layout::names_of(from.outputs()));
  const layout::LinearLayout same = layout::kernel(held.value());
  std::vector<SourceCopy> copies;
  for (int bit = 0; bit < same.input_bits(); ++bit)
    copies.push_back({same.basis("kernel", bit, "register"), same.basis("kernel", bit, "lane")});
  const auto exchange = lane_exchange(within.value(), element_bits, copies);
  if (auto way = cheapest_lane_way(processor, within.value(), exchange ? &*exchange : nullptr,
                                   element_bits))
    return std::move(*way);
  return std::unexpected(
      "lanes: several registers of one lane are needed at once by different lanes");
}

bool is_identity(const layout::LinearLayout& source) {
  if (!(source.inputs() == source.outputs())) return false;
  for (int bit = 0; bit < source.input_bits(); ++bit)
    if (source.basis(bit) != std::uint64_t{1} << bit) return false;
  return true;
}

}  // namespace
}  // namespace detail

std::expected<Conversion, std::string> plan_conversion(const layout::LinearLayout& from_map,
                                                       const layout::LinearLayout& to_map,
                                                       instruction::Target target,
                                                       int element_bits) {
  const layout::LinearLayout from = detail::with_all_axes(from_map);
  const layout::LinearLayout to = detail::with_all_axes(to_map);
  const memory::BankModel model = memory::bank_model(target);
  const instruction::ProcessorRow& processor = instruction::processor(target);
  if (const auto fits = detail::check_sides(from, to, model); !fits)
    return std::unexpected(fits.error());
  const auto source = detail::nearest_source(to, from);
  if (!source) return std::unexpected(source.error());
  const auto crosses_warps = detail::crosses_warps(*source);
  if (!crosses_warps) return std::unexpected(crosses_warps.error());

  Conversion conversion;
  conversion.source = *source;
  std::vector<ConversionWay> ways;
  if (*crosses_warps)
    conversion.impossible.push_back("lanes: elements move between warps");
  else if (auto way = detail::way_within_warp(processor, from, *source, element_bits))
    ways.push_back(std::move(*way));
  else
    conversion.impossible.push_back(way.error());
  if (!ways.empty() && ways[0].instructions() == 0) {
    // Renaming costs nothing if no name changes.
    if (detail::is_identity(*source)) ways[0].way = Way::nothing;
  } else if (from.input_size("block") > 1) {
    conversion.impossible.push_back("shared memory: the tile is spread over several blocks");
  } else {
    auto shared =
        detail::shared_ways(processor, model, to, from, element_bits, *crosses_warps, *source);
    if (shared)
      ways.insert(ways.end(), shared->begin(), shared->end());
    else
      conversion.impossible.push_back("shared memory: " + shared.error());
  }
  if (ways.empty()) {
    std::string error = "no way is possible";
    for (const std::string& reason : conversion.impossible) error += "; " + reason;
    return std::unexpected(error);
  }
  const std::uint64_t issue_cost =
      instruction::is_nvidia(processor.family) || instruction::is_cdna(processor.family) ? 1 : 2;
  for (ConversionWay& way : ways) way.issue_cost = issue_cost;
  // In `ways`, the exchange between lanes is first, if possible; then comes the smallest buffer.
  const bool is_cheaper_in_memory =
      ways.size() > 1 && ways[0].way != Way::shared && 2 * ways[1].cost() < ways[0].cost();
  if (is_cheaper_in_memory) std::rotate(ways.begin(), ways.begin() + 1, ways.end());
  conversion.chosen = ways[0];
  conversion.others.assign(ways.begin() + 1, ways.end());
  return conversion;
}

}  // namespace heddle::plan
