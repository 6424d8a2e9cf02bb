#include "heddle/memory/issued_accesses.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "heddle/instruction/matrix_move_table.h"
#include "heddle/layout/axes.h"
#include "heddle/layout/solve.h"
#include "heddle/layout/text.h"
#include "library/memory/axes_text.h"
#include "library/text/formatted.h"

namespace heddle::memory {

std::string axes_text(const layout::AxisList& axes) {
  std::string text;
  for (const layout::Axis& axis : axes)
    text += (text.empty() ? "" : ", ") + std::string(axis.name.text());
  return text.empty() ? "none" : text;
}

std::uint32_t address_of(const SharedLayout& shared, std::uint64_t offset, int element_bits) {
  return static_cast<std::uint32_t>(shared.place(offset) * static_cast<unsigned>(element_bits) / 8);
}

namespace {

inline constexpr layout::AxisName position_axis = "position";

/// `held` with the inputs (position, lane, warp, …): element and register together are the
/// position, and lanes beyond a wave become bits of the warp.
Answer<layout::LinearLayout> with_positions(const layout::LinearLayout& held, int wave) {
  const int wave_bits = std::countr_zero(static_cast<unsigned>(wave));
  const int lane_bits = held.inputs().bits_of("lane");
  if (lane_bits < wave_bits)
    return std::unexpected(
        formatted("the access has {} lanes and a wave here {}; give its axis 'lane' a basis for "
                  "every bit, (0, 0) where lanes hold copies",
                  1 << lane_bits, wave));
  layout::NameList order;
  int positions = 0, warps = held.inputs().bits_of("warp") + lane_bits - wave_bits;
  for (const layout::AxisName name : {layout::AxisName("element"), layout::AxisName("register")})
    if (held.inputs().contains(name)) {
      order.push_back(name);
      positions += held.inputs().bits_of(name);
    }
  layout::AxisList axes{{position_axis, positions}, {"lane", wave_bits}};
  order.push_back("lane");
  if (held.inputs().contains("warp")) order.push_back("warp");
  if (warps > 0) axes.push_back({"warp", warps});
  for (const layout::Axis& axis : held.inputs()) {
    if (axis.name == "element" || axis.name == "register" || axis.name == "lane" ||
        axis.name == "warp")
      continue;
    order.push_back(axis.name);
    axes.push_back(axis);
  }
  const auto ordered = layout::transpose_inputs(held, order);
  if (!ordered) return std::unexpected(std::string(ordered.error().message()));
  const auto shaped = layout::reshape_inputs(*ordered, axes);
  if (!shaped) return std::unexpected(std::string(shaped.error().message()));
  return *shaped;
}

/// `held` with the output axes of the tile. Axes are matched by name, or in order if a name is no
/// axis of the tile. If `held` is smaller than the tile, it covers the beginning of the tile.
Answer<layout::LinearLayout> on_tile(layout::LinearLayout held, const layout::AxisList& tile) {
  const layout::AxisList axes = held.outputs();
  if (axes.size() != tile.size())
    return std::unexpected("the access has the axes " + axes_text(axes) + " and the memory " +
                           axes_text(tile) + "; they need the same");
  bool by_name = true;
  for (const layout::Axis& axis : axes) by_name = by_name && tile.contains(axis.name);
  if (!by_name) {
    layout::AxisList renamed;
    for (int i = 0; i < axes.size(); ++i) renamed.push_back({tile[i].name, axes[i].bits});
    held = layout::with_axes(held, held.inputs(), renamed);
  }
  for (const layout::Axis& axis : tile) {
    const int bits = held.outputs()[held.outputs().find(axis.name)].bits;
    const auto grown = layout::resize_output(held, axis.name, axis.bits);
    if (!grown && bits > axis.bits)
      return std::unexpected(formatted(
          "the access is larger than the tile in memory: {} along '{}', where the tile has {}",
          std::uint64_t{1} << bits, axis.name.text(), std::uint64_t{1} << axis.bits));
    if (!grown)
      return std::unexpected("the access is larger than the tile in memory: " +
                             std::string(grown.error().message()));
    held = *grown;
  }
  const auto ordered = layout::transpose_outputs(held, layout::names_of(tile));
  if (!ordered) return std::unexpected(std::string(ordered.error().message()));
  return *ordered;
}

/// Says why no access of this kind can be described in bytes; empty if it can.
std::string why_not_issued(const SharedLayout& shared, const Move& move) {
  const int bits = move.element_bits;
  if (bits < 4 || bits > 64 || !std::has_single_bit(static_cast<unsigned>(bits)))
    return formatted("elements of {} bits; they need 4, 8, 16, 32 or 64", bits);
  if (!shared.map.inputs().contains("offset"))
    return "the memory has no axis 'offset'; its inputs are " + axes_text(shared.map.inputs());
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;
  const char* too_large = "the tile has 2 GiB or more";
  if (shared.map.inputs().bits_of("offset") > 31) return too_large;
  const std::uint64_t last = layout::low_bits(shared.map.inputs().bits_of("offset"));
  for (const Padding& padding : shared.padding) {  // so that no product below is cut off
    const std::uint64_t gaps = last >> std::countr_zero(padding.interval);
    if (gaps > 0 && padding.amount > most_bytes / gaps) return too_large;
  }
  if (memory::bytes(shared, bits) >= most_bytes) return too_large;
  for (const layout::Axis& axis : shared.map.inputs())
    if (axis.name != "offset" && axis.name != "block")
      return "the memory has an axis '" + std::string(axis.name.text()) +
             "'; its inputs are offset and block";
  return "";
}

/// The map (position, lane, warp, …) -> offset in the memory of the lane's own thread block.
Answer<layout::LinearLayout> offsets_of(const SharedLayout& shared,
                                        const layout::LinearLayout& held, int wave) {
  const auto placed = on_tile(held, shared.map.outputs());
  if (!placed) return std::unexpected(placed.error());
  const auto positioned = with_positions(*placed, wave);
  if (!positioned) return std::unexpected(positioned.error());
  const auto offsets = layout::invert_and_compose(*positioned, shared.map);
  if (!offsets)
    return std::unexpected("the memory does not hold all of the tile: " +
                           std::string(offsets.error().message()));
  for (const layout::Axis& axis : offsets->inputs())
    for (int bit = 0; bit < axis.bits; ++bit)
      if (axis.name != "block" && offsets->basis(axis.name, bit, "block") != 0)
        return std::unexpected(
            formatted("bit {} of '{}' reaches the memory of another block", bit, axis.name.text()));
  return *layout::sublayout(*offsets, layout::names_of(offsets->inputs()), {"offset"});
}

/// The bits of the position that give the lowest bits of the offset, lowest first. The list ends
/// before an offset bit that another input changes too, where a padding begins, or at 16 bytes.
std::vector<int> vector_bits(const SharedLayout& shared, const layout::LinearLayout& offsets,
                             int element_bits) {
  const int positions = offsets.inputs().bits_of(position_axis);
  std::vector<int> bits;
  for (bool found = true; found && element_bits << (bits.size() + 1) <= 128;) {
    found = false;
    for (int bit = 0; bit < positions && !found; ++bit) {
      found = offsets.basis(bit) == std::uint64_t{1} << bits.size();
      if (found) bits.push_back(bit);
    }
  }
  const auto fits = [&] {
    const std::uint64_t low = layout::low_bits(static_cast<int>(bits.size()));
    for (int bit = 0; bit < offsets.input_bits(); ++bit)
      if (std::find(bits.begin(), bits.end(), bit) == bits.end() && (offsets.basis(bit) & low) != 0)
        return false;
    for (const Padding& padding : shared.padding)
      if (((padding.interval | padding.amount) & low) != 0) return false;
    return true;
  };
  while (!bits.empty() && !fits()) bits.pop_back();
  return bits;
}

/// Calls see(index) for every flat input that has no bits set except those in `varied`.
void for_each_choice(std::uint64_t varied, const auto& see) {
  std::uint64_t index = 0;
  do {
    see(index);
    index = (index - varied) & varied;
  } while (index != 0);
}

/// A new access without addresses. `index` is a flat input; it says which warp (and other axes) the
/// access is for.
IssuedAccess begun(const Move& move, const layout::LinearLayout& offsets, std::uint64_t index) {
  IssuedAccess access;
  access.kind = move.kind;
  access.address.resize(static_cast<std::size_t>(move.wave));
  access.offset.resize(access.address.size());
  for (const layout::Coordinate& coordinate : offsets.inputs().unpack(index))
    if (coordinate.axis != position_axis && coordinate.axis != "lane")
      access.of.push_back(coordinate);
  return access;
}

Answer<IssuedAccesses> issue_vectors(const SharedLayout& shared,
                                     const layout::LinearLayout& offsets, const Move& move) {
  std::vector<int> vector = vector_bits(shared, offsets, move.element_bits);
  for (std::size_t bit = 0; bit < vector.size() && move.ordered; ++bit)
    if (vector[bit] != static_cast<int>(bit)) vector.resize(bit);
  const int widest = move.element_bits << vector.size();
  const int bytes = move.bytes == 0 ? widest / 8 : move.bytes;
  if (widest < 8)
    return std::unexpected("no two elements of a byte belong to one lane, so no access moves it");
  if (bytes * 8 > widest || bytes * 8 < move.element_bits ||
      !std::has_single_bit(static_cast<unsigned>(bytes)))
    return std::unexpected(
        formatted("no access of {} bytes a lane: the layouts allow powers of two from {} to {}",
                  bytes, (move.element_bits + 7) / 8, widest / 8));
  while (move.element_bits << vector.size() > bytes * 8) vector.pop_back();

  const int positions = offsets.inputs().bits_of(position_axis);
  const int lane_bits = offsets.inputs().bits_of("lane");
  const std::uint64_t lanes = layout::low_bits(lane_bits) << positions;
  const std::uint64_t free = layout::free_input_mask(offsets);  // only repeat what lower bits hold
  std::uint64_t moved = 0;
  for (const int bit : vector) moved |= std::uint64_t{1} << bit;
  std::uint64_t varied = layout::low_bits(offsets.input_bits()) & ~moved & ~lanes;
  varied &= is_load(move.kind) ? ~(free & layout::low_bits(positions)) : ~free;
  if (std::popcount(varied) > std::countr_zero(most_issued_accesses))
    return std::unexpected(formatted("more than {} instructions", most_issued_accesses));

  IssuedAccesses issued{{}, offsets, move.element_bits};
  for_each_choice(varied, [&](std::uint64_t index) {
    IssuedAccess access = begun(move, offsets, index);
    access.bytes = bytes;
    for (std::uint64_t lane = 0; lane >> lane_bits == 0; ++lane) {
      const std::uint64_t offset = offsets.apply(index | lane << positions);
      access.offset[lane] = offset;
      access.address[lane] = address_of(shared, offset, move.element_bits);
      if (is_load(move.kind) || (lane << positions & free) == 0)
        access.active |= std::uint64_t{1} << lane;
    }
    for (std::uint64_t i = 0; i >> vector.size() == 0; ++i) {
      std::uint64_t position = index & layout::low_bits(positions);
      for (std::size_t bit = 0; bit < vector.size(); ++bit)
        position |= (i >> bit & 1) << vector[bit];
      access.positions.push_back(position);
    }
    issued.list.push_back(std::move(access));
  });
  return issued;
}

/// The catalogue's maps of ldmatrix, which are also those of stmatrix, inverted: which lane has
/// which elements of a row of a matrix, and which lane has the address of the row.
struct MatrixMaps {
  int matrices;
  layout::LinearLayout to_registers;  // (m, n[, block]) -> (element, register, lane)
  layout::LinearLayout to_address;    // (m[, block]) -> (element, register, lane)
};

MatrixMaps matrix_maps(int registers, bool transposed) {
  namespace maps = instruction::matrix_move;
  const auto read = [&](int matrices, const instruction::OperandMap& plain,
                        const instruction::OperandMap& columns,
                        const instruction::OperandMap& rows) {
    const auto turned = [](std::string_view text) {
      return layout::pseudo_inverse(layout::parse(text).value());
    };
    return MatrixMaps{matrices, turned(transposed ? columns.text : plain.text), turned(rows.text)};
  };
  if (registers % 4 == 0) return read(4, maps::rows16_x4, maps::columns16_x4, maps::rows_x4);
  if (registers % 2 == 0) return read(2, maps::rows16_x2, maps::columns16_x2, maps::rows_x2);
  return read(1, maps::rows16_x1, maps::columns16_x1, maps::rows_x1);
}

/// Fills in one row of a matrix. Returns the reason why the row cannot be moved; empty if it can.
/// `index` is a flat input that says which warp (and other axes) the access is for; `first` is the
/// first register of the instruction.
std::string add_row(const SharedLayout& shared, const IssuedAccesses& issued,
                    const MatrixMaps& maps, std::uint64_t index, std::uint64_t first,
                    std::uint64_t matrix, std::uint64_t m, IssuedAccess& access) {
  const int bits = issued.element_bits;
  const int positions = issued.offsets.inputs().bits_of(position_axis);
  const auto pack = [&](const layout::AxisList& axes, std::uint64_t n) {
    layout::Coordinates point;
    for (const layout::Axis& axis : axes)
      point.push_back({axis.name, axis.name == "m" ? m : axis.name == "n" ? n : matrix});
    return axes.pack(point).value();
  };
  const layout::Coordinates who =
      maps.to_address.outputs().unpack(maps.to_address.apply(pack(maps.to_address.inputs(), 0)));
  const std::size_t lane = who.at("lane");
  for (std::uint64_t byte = 0; byte < 16; ++byte) {
    const layout::Coordinates place = maps.to_registers.outputs().unpack(
        maps.to_registers.apply(pack(maps.to_registers.inputs(), byte / 2)));
    const std::uint64_t in_registers =
        ((first + place.at("register")) * 2 + place.at("element")) * 2 + byte % 2;
    const std::uint64_t position = in_registers * 8 / static_cast<unsigned>(bits);
    const std::uint64_t offset =
        issued.offsets.apply(index | position | place.at("lane") << positions);
    const std::uint64_t at = shared.place(offset) * static_cast<unsigned>(bits) +
                             in_registers * 8 % static_cast<unsigned>(bits);
    if (byte == 0) {
      access.offset[lane] = offset;
      access.address[lane] = static_cast<std::uint32_t>(at / 8);
    }
    if (at == (access.address[lane] + byte) * 8 && access.address[lane] % 16 == 0) continue;
    const std::string row = formatted("row {} of matrix {} of registers {} to {}", m, matrix, first,
                                      first + static_cast<std::uint64_t>(maps.matrices) - 1);
    if (byte == 0) return formatted("{} begins at byte {}, no multiple of 16", row, at / 8);
    return formatted("{} is not 16 bytes in one piece: byte {} lies at {}, the first at {}", row,
                     byte, at / 8, access.address[lane]);
  }
  access.active |= std::uint64_t{1} << lane;
  return "";
}

Answer<IssuedAccesses> issue_matrices(const SharedLayout& shared,
                                      const layout::LinearLayout& offsets, const Move& move) {
  const std::string name = std::string(memory::name(move.kind)) + (move.transposed ? ".trans" : "");
  const int positions = offsets.inputs().bits_of(position_axis);
  if (positions > 16) return std::unexpected("more than 65536 elements a lane");
  const int held_bits = move.element_bits << positions;
  if (move.wave != 32 || move.element_bits < 8 || held_bits < 32)
    return std::unexpected(
        formatted("{} moves whole registers of 32 lanes, of elements of 8 bits or more; the access "
                  "has {} bits a lane",
                  name, held_bits));
  if (move.bytes != 0 && move.bytes != 16)
    return std::unexpected("a row of " + name + " has 16 bytes");
  const int registers = held_bits / 32;
  const MatrixMaps maps = matrix_maps(registers, move.transposed);
  const std::uint64_t own = layout::low_bits(positions + offsets.inputs().bits_of("lane"));
  std::uint64_t others = layout::low_bits(offsets.input_bits()) & ~own;
  if (!is_load(move.kind)) others &= ~layout::free_input_mask(offsets);
  if (std::popcount(others) > 10) return std::unexpected("more than 1024 warps and blocks");
  IssuedAccesses issued{{}, offsets, move.element_bits};
  std::string wrong;
  for_each_choice(others, [&](std::uint64_t index) {
    for (int first = 0; first < registers && wrong.empty(); first += maps.matrices) {
      IssuedAccess access = begun(move, offsets, index);
      access.bytes = 16;
      access.matrices = maps.matrices;
      for (std::uint64_t matrix = 0; matrix < static_cast<unsigned>(maps.matrices); ++matrix)
        for (std::uint64_t m = 0; m < 8 && wrong.empty(); ++m)
          wrong = add_row(shared, issued, maps, index, static_cast<std::uint64_t>(first), matrix, m,
                          access);
      for (int bit = first * 32; bit < (first + maps.matrices) * 32; bit += move.element_bits)
        access.positions.push_back(static_cast<std::uint64_t>(bit / move.element_bits));
      issued.list.push_back(std::move(access));
    }
  });
  if (!wrong.empty()) return std::unexpected(name + " cannot move this: " + wrong);
  return issued;
}

}  // namespace

Answer<IssuedAccesses> issue(const SharedLayout& shared, const layout::LinearLayout& held,
                             const Move& move) {
  if (const std::string reason = why_not_issued(shared, move); !reason.empty())
    return std::unexpected(reason);
  const auto offsets = offsets_of(shared, held, move.wave);
  if (!offsets) return std::unexpected(offsets.error());
  return is_matrix_move(move.kind) ? issue_matrices(shared, *offsets, move)
                                   : issue_vectors(shared, *offsets, move);
}

}  // namespace heddle::memory
