#include "heddle/plan/tile_access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::plan {
namespace detail {

std::vector<std::uint64_t> words_of(const layout::LinearLayout& map, const layout::AxisName& axis) {
  std::vector<std::uint64_t> words;
  const int index = map.inputs().find(axis);
  for (int bit = 0; index >= 0 && bit < map.inputs()[index].bits; ++bit)
    words.push_back(map.basis(map.inputs().offset(index) + bit));
  return words;
}

namespace {

/// A 32-bit register of ldmatrix holds two adjacent elements of a row of eight. A row takes four
/// lanes, and the bits of the lane above these count the rows. If transposed, rows and their
/// elements change places. Rows of other types have 16 bytes too, and move only untransposed. (PTX
/// ISA, ldmatrix.)
void take_matrix_rows(AccessSpaces& spaces, const std::vector<std::uint64_t>& registers,
                      bool transposed, int element_bits) {
  const auto packed = static_cast<std::size_t>(element_bits_in(4, element_bits));
  std::vector<std::uint64_t> inside(registers.begin(),
                                    registers.begin() + static_cast<std::ptrdiff_t>(packed));
  inside.insert(inside.end(), spaces.lanes.begin(), spaces.lanes.begin() + 2);
  std::vector<std::uint64_t> rows(spaces.lanes.begin() + 2, spaces.lanes.end());
  if (transposed) std::swap(inside, rows);
  spaces.registers = inside;
  spaces.vector = {};
  for (const std::uint64_t word : inside) spaces.vector.add(word);
  spaces.steps = {};
  for (const std::uint64_t word : registers) spaces.steps.add(word);
  spaces.lanes = rows;
  spaces.aligned = rows;
  spaces.aligned.insert(spaces.aligned.end(),
                        registers.begin() + static_cast<std::ptrdiff_t>(packed), registers.end());
  spaces.least_bits = spaces.most_bits = element_bits_in(16, element_bits);
  spaces.pieces >>= packed;
  spaces.is_matrix = spaces.is_ordered = true;
}

}  // namespace
}  // namespace detail

bool is_possible(const TileAccess& access, int element_bits) {
  if (access.ordered) {
    const auto registers = detail::words_of(access.map, "register");
    const auto bits = static_cast<std::size_t>(element_bits_in(access.most_bytes, element_bits));
    layout::Subspace vector;
    for (std::size_t bit = 0; bit < bits; ++bit)
      if (bit >= registers.size() || !vector.add(registers[bit])) return false;
    return true;
  }
  if (!is_matrix(access.move)) return true;
  if (element_bits > 32 || access.map.inputs().bits_of("lane") != 5) return false;
  if (is_transposed(access.move) && element_bits != 16) return false;
  const auto packed = element_bits_in(4, element_bits);
  const auto registers = detail::words_of(access.map, "register");
  const auto lanes = detail::words_of(access.map, "lane");
  if (static_cast<int>(registers.size()) < packed) return false;
  layout::Subspace rows;
  for (int i = 0; i < packed; ++i) rows.add(registers[static_cast<std::size_t>(i)]);
  for (const std::uint64_t lane : lanes) rows.add(lane);
  return rows.dimension() == packed + 5;
}

AccessSpaces spaces_of(const TileAccess& access, int element_bits) {
  AccessSpaces spaces;
  const std::vector<std::uint64_t> registers = detail::words_of(access.map, "register");
  spaces.lanes = detail::words_of(access.map, "lane");
  for (const std::uint64_t word : registers)
    if (spaces.vector.add(word)) spaces.registers.push_back(word);
  layout::Subspace seen = spaces.vector;
  for (const std::uint64_t word : spaces.lanes) seen.add(word);
  spaces.is_store = is_store(access.move);
  int warp_bits = 0;
  const std::vector<std::uint64_t> warps = detail::words_of(access.map, "warp");
  for (const std::uint64_t word : warps) warp_bits += seen.add(word) || !spaces.is_store;
  spaces.pieces = std::uint64_t{1} << (spaces.vector.dimension() + warp_bits);
  spaces.most_bits =
      std::min(spaces.vector.dimension(), element_bits_in(access.most_bytes, element_bits));
  spaces.is_ordered = access.ordered;
  if (access.ordered) spaces.least_bits = spaces.most_bits;
  spaces.steps = spaces.vector;
  spaces.aligned = spaces.lanes;
  if (access.move == Move::in_order) {
    const int lane_bits = access.map.inputs().bits_of("lane");
    spaces.is_in_order = true;
    spaces.least_bits = spaces.most_bits;
    spaces.pieces = std::uint64_t{1} << std::max(0, access.map.output_bits() - lane_bits);
    spaces.lanes = {};
    spaces.aligned = {};
  }
  if (is_matrix(access.move))
    detail::take_matrix_rows(spaces, registers, is_transposed(access.move), element_bits);
  for (const std::uint64_t word : warps) spaces.steps.add(word);
  spaces.aligned.insert(spaces.aligned.end(), warps.begin(), warps.end());
  spaces.warp_count = warps.size();
  return spaces;
}

PhaseSpan phase_span(const memory::BankModel& model, const AccessSpaces& spaces, int bits,
                     int element_bits, const layout::Subspace& low) {
  PhaseSpan span;
  if (spaces.is_matrix) {
    for (const std::uint64_t word : spaces.lanes) span.words.add(word);
    return span;
  }
  int bytes = bytes_of(bits, element_bits);
  const bool pairs =
      spaces.lanes.size() > 1 && (low.contains(spaces.lanes[0]) || low.contains(spaces.lanes[1]));
  if (model.merges_pairs && !spaces.is_store && bytes >= 8 && pairs) bytes /= 2;
  const memory::Phases& phases = model.phases(spaces.kind(), bytes);
  span.count = phases.count;
  // On every processor the lanes of a phase are closed under xor. The lanes of another phase are
  // those of the first, each xored with the same number.
  for (std::uint64_t lane = 0; lane >> spaces.lanes.size() == 0; ++lane) {
    if ((phases.lanes[0] >> lane & 1) == 0) continue;
    std::uint64_t word = 0;
    for (std::size_t bit = 0; bit < spaces.lanes.size(); ++bit)
      if ((lane >> bit & 1) != 0) word ^= spaces.lanes[bit];
    span.words.add(word);
  }
  return span;
}

std::uint64_t linear_passes(const memory::BankModel& model, const AccessSpaces& spaces, int bits,
                            int element_bits, const layout::LinearLayout& map) {
  const int word_bits = std::max(bits, element_bits_in(model.bank_bytes, element_bits));
  layout::Subspace vector;
  layout::Subspace low;
  for (int bit = 0; bit < std::min(word_bits, map.input_bits()); ++bit) {
    if (bit < bits) vector.add(map.basis(bit));
    low.add(map.basis(bit));
  }
  layout::Subspace lines = low;
  for (int bit = line_bits(model, spaces, bits, element_bits); bit < map.input_bits(); ++bit)
    lines.add(map.basis(bit));
  const PhaseSpan phase = phase_span(model, spaces, bits, element_bits, vector);
  const int conflicts =
      layout::intersection(layout::sum(phase.words, low), lines).dimension() - low.dimension();
  const std::uint64_t phases =
      spaces.is_matrix ? spaces.pieces
                       : spaces.instructions(bits) * static_cast<std::uint64_t>(phase.count);
  return phases << conflicts;
}

std::uint64_t counted_passes(const memory::BankModel& model, const AccessSpaces& spaces, int bits,
                             int element_bits, const memory::SharedLayout& shared) {
  if (spaces.is_in_order)
    return spaces.instructions(bits) *
           static_cast<std::uint64_t>(phase_span(model, spaces, bits, element_bits, {}).count);
  const layout::LinearLayout to_offset = layout::invert(shared.map).value();
  const auto address = [&](std::uint64_t offset) {
    const std::uint64_t first = offset >> bits << bits;
    return static_cast<std::uint32_t>(shared.place(first) *
                                      static_cast<std::uint64_t>(element_bits) / 8);
  };
  std::vector<std::uint64_t> lanes;
  std::uint64_t lane_mask = 0;
  for (const std::uint64_t word : spaces.lanes) {
    lanes.push_back(to_offset.apply(word));
    lane_mask |= lanes.back();
  }
  layout::Subspace seen;
  for (int bit = 0; bit < bits; ++bit) seen.add(shared.map.basis(bit));
  for (const std::uint64_t word : spaces.lanes) seen.add(word);  // a step that renumbers the lanes
  std::vector<std::uint64_t> steps;  // from one instruction to another with other conflicts
  for (int i = 0; i < spaces.steps.dimension(); ++i) {
    const std::uint64_t word = spaces.steps.basis(i);
    if (!seen.add(word)) continue;
    const std::uint64_t offset = to_offset.apply(word);
    const auto bank_bytes = static_cast<std::uint32_t>(model.bank_bytes);
    if ((offset & lane_mask) != 0 || address(offset) % bank_bytes != 0) steps.push_back(offset);
  }
  const auto xor_of = [](const std::vector<std::uint64_t>& words, std::uint64_t chosen) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words.size(); ++i) sum ^= (chosen >> i & 1) != 0 ? words[i] : 0;
    return sum;
  };
  std::array<std::uint32_t, 64> addresses{};
  const memory::Access access{
      .kind = spaces.kind(),
      .bytes = bytes_of(bits, element_bits),
      .matrices = spaces.is_matrix ? 1 : 0,
      .active = ~std::uint64_t{0} >> (64 - (std::uint64_t{1} << lanes.size())),
      .address = std::span(addresses).first(static_cast<std::size_t>(model.wave))};
  std::uint64_t passes = 0;
  for (std::uint64_t step = 0; step >> steps.size() == 0; ++step) {
    const std::uint64_t base = xor_of(steps, step);
    for (std::uint64_t lane = 0; lane >> lanes.size() == 0; ++lane)
      addresses[lane] = address(base ^ xor_of(lanes, lane));
    passes += static_cast<std::uint64_t>(memory::cost(model, access).passes());
  }
  const std::uint64_t repeats = spaces.is_matrix ? spaces.pieces : spaces.instructions(bits);
  return passes * (repeats >> steps.size());
}

}  // namespace heddle::plan
