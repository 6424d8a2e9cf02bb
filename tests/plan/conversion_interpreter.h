// Carries a planned conversion out on elements that are only names: the proof that a plan moves
// every element to its place.
//
// What is executed is what the plan says, not where elements should be: selects, shuffles and
// packed registers of a LaneExchange; stores, loads, ldmatrix and stmatrix of a Placement, the
// matrix instructions by the PTX ISA's rule of which lane holds which part of a row.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "heddle/plan/conversion.h"

namespace heddle::plan {

/// What the registers of a block hold: a name of an element, or nothing, at [warp][lane][register].
class RegisterFile {
 public:
  using Content = std::optional<std::uint64_t>;

  RegisterFile(std::uint64_t warps, std::uint64_t lanes, std::uint64_t registers)
      : lanes_(lanes), registers_(registers), content_(warps * lanes * registers) {}

  /// Every register holds the word of its element in the layout.
  /// Precondition: the axes are those of detail::with_all_axes.
  static RegisterFile of(const layout::LinearLayout& map) {
    RegisterFile file(map.input_size("warp"), map.input_size("lane"), map.input_size("register"));
    for (std::uint64_t warp = 0; warp < map.input_size("warp"); ++warp)
      for (std::uint64_t lane = 0; lane < file.lanes_; ++lane)
        for (std::uint64_t reg = 0; reg < file.registers_; ++reg)
          file.at(warp, lane, reg) = map.apply(
              map.inputs().pack({{"register", reg}, {"lane", lane}, {"warp", warp}}).value());
    return file;
  }

  Content& at(std::uint64_t warp, std::uint64_t lane, std::uint64_t reg) {
    return content_[(warp * lanes_ + lane) * registers_ + reg];
  }
  std::uint64_t lanes() const { return lanes_; }
  std::uint64_t registers() const { return registers_; }
  std::uint64_t warps() const { return content_.size() / (lanes_ * registers_); }

  friend bool operator==(const RegisterFile&, const RegisterFile&) = default;

 private:
  std::uint64_t lanes_;
  std::uint64_t registers_;
  std::vector<Content> content_;
};

namespace detail {

inline void exchange(const LaneExchange& plan, RegisterFile& from, RegisterFile& to) {
  for (std::uint64_t warp = 0; warp < from.warps(); ++warp) {
    for (const ExchangeRound& round : plan.rounds) {
      for (std::uint64_t chosen = 0; chosen >> plan.packed_to.size() == 0; ++chosen) {
        std::uint64_t to_register = round.to_register;
        std::uint64_t from_register = round.from_register;
        for (std::size_t i = 0; i < plan.packed_to.size(); ++i) {
          if ((chosen >> i & 1) == 0) continue;
          to_register ^= plan.packed_to[i];
          from_register ^= plan.packed_from[i];
        }
        for (std::uint64_t lane = 0; lane < from.lanes(); ++lane) {
          const std::uint64_t sender = plan.lanes.apply(lane) ^ round.lane_xor;
          to.at(warp, lane, to_register ^ plan.after.apply(lane)) =
              from.at(warp, sender, from_register ^ plan.before.apply(sender));
        }
      }
    }
    // Copies of registers that have been received.
    for (const std::uint64_t step : plan.copies)
      for (std::uint64_t lane = 0; lane < to.lanes(); ++lane)
        for (std::uint64_t reg = 0; reg < to.registers(); ++reg)
          if (!to.at(warp, lane, reg)) to.at(warp, lane, reg) = to.at(warp, lane, reg ^ step);
  }
}

/// Carries the swaps out in `from`, then names the registers of `to`.
inline void swap(const LaneSwaps& plan, RegisterFile& from, RegisterFile& to) {
  for (std::uint64_t warp = 0; warp < from.warps(); ++warp) {
    for (const LaneSwap& stage : plan.stages) {
      const std::uint64_t lane_bit = std::uint64_t{1} << stage.lane_bit;
      const std::uint64_t register_bit = std::uint64_t{1} << stage.register_bit;
      for (std::uint64_t lane = 0; lane < from.lanes(); ++lane)
        for (std::uint64_t reg = 0; reg < from.registers(); ++reg)
          if ((lane & lane_bit) != 0 && (reg & register_bit) == 0)
            std::swap(from.at(warp, lane, reg), from.at(warp, lane ^ lane_bit, reg | register_bit));
    }
    for (std::uint64_t lane = 0; lane < to.lanes(); ++lane)
      for (std::uint64_t reg = 0; reg < to.registers(); ++reg)
        to.at(warp, lane, reg) = from.at(warp, lane, plan.names.apply(reg));
  }
}

/// Where a matrix instruction takes part `index` (0 … of one 32-bit register) of `lane` from: the
/// lane whose address names the row, which is the first that holds a part of it, and the place in
/// the row. PTX ISA, ldmatrix, "Matrix fragments": lane l holds elements 2 * (l % 4) and the next
/// of row l / 4; transposed, of column l / 4.
struct MatrixPart {
  std::uint64_t row_lane, row_register, place;
};
inline MatrixPart matrix_part(bool transposed, std::uint64_t packed, std::uint64_t lane,
                              std::uint64_t index) {
  if (!transposed) return {lane / 4 * 4, 0, lane % 4 * packed + index};
  const std::uint64_t row = lane % 4 * packed + index;
  return {row / packed, row % packed, lane / 4};
}

/// Moves the registers of part `part` between the file and memory by one kind of access. `map` is
/// the whole layout of the file's registers.
inline void move_part(const SharedExchange& plan, const TileAccess& access,
                      const layout::LinearLayout& map, std::uint64_t part, int element_bits,
                      RegisterFile& file, std::vector<RegisterFile::Content>& memory) {
  const layout::LinearLayout to_offset = layout::invert(plan.placement.shared.map).value();
  const layout::AxisList& axes = plan.parts.outputs();
  const auto located = [&](std::uint64_t warp, std::uint64_t lane, std::uint64_t reg) {
    return plan.parts.apply(
        map.apply(map.inputs().pack({{"register", reg}, {"lane", lane}, {"warp", warp}}).value()));
  };
  const auto place = [&](std::uint64_t location) {
    return plan.placement.shared.place(
        to_offset.apply(axes.coordinate(location, axes.find("element"))));
  };
  const std::uint64_t packed =
      element_bits >= 32 ? 1 : static_cast<std::uint64_t>(32 / element_bits);
  for (std::uint64_t warp = 0; warp < file.warps(); ++warp) {
    for (std::uint64_t lane = 0; lane < file.lanes(); ++lane) {
      for (std::uint64_t reg = 0; reg < file.registers(); ++reg) {
        const std::uint64_t location = located(warp, lane, reg);
        if (axes.coordinate(location, axes.find("part")) != part) continue;
        std::uint64_t at = place(location);
        if (is_matrix(access.move)) {
          const MatrixPart row =
              matrix_part(is_transposed(access.move), packed, lane, reg % packed);
          at = place(located(warp, row.row_lane, reg / packed * packed + row.row_register)) +
               row.place;
        }
        if (at >= memory.size()) {
          file.at(warp, lane, reg).reset();  // outside the buffer: nothing arrives
          continue;
        }
        if (is_store(access.move))
          memory[at] = file.at(warp, lane, reg);
        else
          file.at(warp, lane, reg) = memory[at];
      }
    }
  }
}

}  // namespace detail

/// The destination's registers after one way of the conversion, from `source`, which is not
/// changed. Preconditions: the way is one of a plan for these layouts, both with all four axes.
inline RegisterFile carried_out(const ConversionWay& way, const layout::LinearLayout& from,
                                const layout::LinearLayout& to, int element_bits) {
  RegisterFile source = RegisterFile::of(from);
  RegisterFile result(to.input_size("warp"), to.input_size("lane"), to.input_size("register"));
  if (way.swaps) {
    detail::swap(*way.swaps, source, result);
    return result;
  }
  if (way.exchange) {
    detail::exchange(*way.exchange, source, result);
    return result;
  }
  const SharedExchange& buffer = *way.buffer;
  for (std::uint64_t part = 0; part < buffer.parts.output_size("part"); ++part) {
    std::vector<RegisterFile::Content> memory(buffer.placement.shared.size());
    detail::move_part(buffer, buffer.accesses[0], from, part, element_bits, source, memory);
    detail::move_part(buffer, buffer.accesses[1], to, part, element_bits, result, memory);
  }
  return result;
}

}  // namespace heddle::plan
