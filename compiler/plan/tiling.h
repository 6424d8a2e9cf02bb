// How a matrix product is divided: the tile of D that a thread block computes, the depth of its
// steps along k, and the part of the tile that each warp computes. Also the maps from the registers
// of one instruction's operands to (row, k), extended to the whole tile.
#pragma once

#include <bit>
#include <cstdint>

#include "heddle/layout/algebra.h"
#include "heddle/layout/axes.h"
#include "heddle/plan/problem.h"

namespace heddle::plan {

constexpr int bits_of(int power_of_two) {
  return std::countr_zero(static_cast<unsigned>(power_of_two));
}

/// True if a size is a power of two from `least` to `most`.
constexpr bool is_size(int size, int least, int most) {
  return size >= least && size <= most && (size & (size - 1)) == 0;
}

/// The number of values by which each element of A and B is represented: two if each f32 is split
/// into two bf16, else one.
constexpr int planes(const Problem& problem) { return problem.is_split() ? 2 : 1; }

/// The tile of D that one thread block computes at a time, divided among warps_m x warps_n warps,
/// and the number of tiles of A and B in flight. Names and numbers are those of a plan file
/// (compiler/plan_file.h). A 0 means that the number is not chosen yet.
struct Tiling {
  int m = 0, n = 0, k = 0;       // of a block; powers of two
  int warps_m = 0, warps_n = 0;  // powers of two
  int stages = 0;                // tiles of A and B in shared memory
  int group = 0;                 // rows of blocks that run side by side, for L2
  int split_k = 0;               // blocks that share the k of one tile of D
  int blocks = 0;                // of a matrix of the batch, each for one tile of D or several; 0
                                 // where sizes are dynamic: one for each
  int lanes = 32;                // of a warp
  friend constexpr bool operator==(const Tiling&, const Tiling&) = default;

  constexpr int warps() const { return warps_m * warps_n; }
  constexpr int threads() const { return lanes * warps(); }
  /// For the problem `p`: the number of tiles of D along m and along n in one matrix of the batch,
  /// and the number of steps along k.
  constexpr std::int64_t blocks_m(const Problem& p) const { return (p.m + m - 1) / m; }
  constexpr std::int64_t blocks_n(const Problem& p) const { return (p.n + n - 1) / n; }
  constexpr std::int64_t k_steps(const Problem& p) const { return (p.k + k - 1) / k; }
};

/// Extends `atom`, the fragment of A or B of one instruction, to a thread block's whole tile.
/// `atom` maps (element, register, lane) to (row, k) or (k, row). It is repeated `atoms_k` times
/// along k, `atoms` times along `row` within a warp, and along `row` over `warps` warps.
///
/// The low bits of the warp number count warps along n, the high bits warps along m. There are
/// `other_warps` warps along the direction that the operand does not have; they hold copies.
constexpr layout::LinearLayout tiled_fragment(const layout::LinearLayout& atom,
                                              const layout::AxisName& row, int atoms_k, int atoms,
                                              int warps, int other_warps) {
  const bool copies_first = row == "m";  // A: the low warp bits belong to n
  const int row_bits = bits_of(atoms * warps);
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  for (int k = 1; k < atoms_k; k *= 2) bases[next++] = static_cast<std::uint64_t>(k) << row_bits;
  for (int at = 1; at < atoms; at *= 2) bases[next++] = static_cast<std::uint64_t>(at);
  if (copies_first) next += static_cast<std::size_t>(bits_of(other_warps));
  for (int at = atoms; at < atoms * warps; at *= 2) bases[next++] = static_cast<std::uint64_t>(at);
  const auto tiling =
      layout::LinearLayout::from_words({{"k_atom", bits_of(atoms_k)},
                                        {"atom", bits_of(atoms)},
                                        {"warp", bits_of(warps * other_warps)}},
                                       {{row, row_bits}, {"k", bits_of(atoms_k)}}, bases);
  const auto ordered = layout::transpose_outputs(atom, {row, "k"}).value();
  return layout::product(ordered, tiling.value()).value();
}

/// Combines the fragments of `pack` instructions that are neighbours along k into one fragment, in
/// which each lane holds consecutive k. `atom`, (element, register, lane) -> (row, k) or (k, row),
/// is the fragment of one instruction. Precondition: the k that one lane holds differ in the lowest
/// bits of k (instruction::KOrder::contiguous). The k of the combined fragment do so too; its
/// highest register bits are the number of the instruction. The k may be renumbered, since the
/// product stays the same if A and B are renumbered alike.
constexpr layout::LinearLayout packed_fragment(const layout::LinearLayout& atom, int pack) {
  const layout::AxisList& inputs = atom.inputs();
  const int k_axis = atom.outputs().find("k");
  const int pack_bits = bits_of(pack);
  layout::AxisList wider_in, wider_out;
  for (const layout::Axis& axis : inputs)
    wider_in.push_back({axis.name, axis.bits + (axis.name == "register" ? pack_bits : 0)});
  for (const layout::Axis& axis : atom.outputs())
    wider_out.push_back({axis.name, axis.bits + (axis.name == "k" ? pack_bits : 0)});
  std::uint64_t lane_k = 0;  // the k that a lane has
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  const auto place = [&](std::uint64_t word, bool moves_up) {
    std::uint64_t result = 0;
    for (int out = 0; out < wider_out.size(); ++out)
      result |= atom.outputs().coordinate(word, out)
                << (wider_out.offset(out) + (moves_up && out == k_axis ? pack_bits : 0));
    return result;
  };
  for (const layout::Axis& axis : inputs) {
    const bool is_lane = axis.name == "lane";
    for (int bit = 0; bit < axis.bits; ++bit) {
      const std::uint64_t word = atom.basis(inputs.offset(inputs.find(axis.name)) + bit);
      if (!is_lane) lane_k |= atom.outputs().coordinate(word, k_axis);
      bases[next++] = place(word, is_lane);
    }
    if (axis.name != "register") continue;
    for (int bit = 0; bit < pack_bits; ++bit)
      bases[next++] = (lane_k + 1) << (wider_out.offset(k_axis) + bit);
  }
  return layout::LinearLayout::from_words(wider_in, wider_out, bases).value();
}

/// The map from registers to elements of D if A and B are exchanged: the map `sums`, (…) -> (m, n),
/// with its outputs m and n exchanged. The tile must be square.
constexpr layout::LinearLayout exchanged_result(const layout::LinearLayout& sums) {
  const layout::AxisList& outputs = sums.outputs();
  const int m = outputs.find("m"), n = outputs.find("n");
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < sums.input_bits(); ++bit)
    bases[static_cast<std::size_t>(bit)] =
        outputs.coordinate(sums.basis(bit), m) << outputs.offset(n) |
        outputs.coordinate(sums.basis(bit), n) << outputs.offset(m);
  return layout::LinearLayout::from_words(sums.inputs(), outputs, bases).value();
}

/// The map of a thread block's sums. `atom`, (…, lane) -> (m, n), is the map of one instruction's
/// sums. It is repeated over the instructions of a warp (atom_m, atom_n) and over the warps: (…,
/// lane, atom_m, atom_n, warp) -> (m, n).
constexpr layout::LinearLayout tiled_result(const layout::LinearLayout& atom, int atoms_m,
                                            int atoms_n, int warps_m, int warps_n) {
  const int all_m = atoms_m * warps_m, all_n = atoms_n * warps_n;
  layout::LinearLayout::Bases bases{};
  std::size_t next = 0;
  const auto along = [&](int from, int to, int shift) {
    for (int at = from; at < to; at *= 2) bases[next++] = static_cast<std::uint64_t>(at) << shift;
  };
  along(1, atoms_m, 0);
  along(1, atoms_n, bits_of(all_m));
  along(atoms_n, all_n, bits_of(all_m));
  along(atoms_m, all_m, 0);
  const auto tiling =
      layout::LinearLayout::from_words({{"atom_m", bits_of(atoms_m)},
                                        {"atom_n", bits_of(atoms_n)},
                                        {"warp", bits_of(warps_m * warps_n)}},
                                       {{"m", bits_of(all_m)}, {"n", bits_of(all_n)}}, bases);
  return layout::product(atom, tiling.value()).value();
}

/// Interleaves the rows of 2^atom_bits atoms (tiles of one instruction each), each of which has
/// 2^size_bits rows. The atoms take single rows alternately: of all these rows, row i belongs to
/// atom i % 2^atom_bits.
struct InTurn {
  int size_bits = 0, atom_bits = 0;
};

/// `map` with its output `axis` renumbered. Before, the atoms (tiles of one instruction) follow one
/// after the other along the axis; after, they are interleaved as InTurn describes, so that the
/// first elements of all atoms are neighbours, then the second elements, and so on.
constexpr layout::LinearLayout taken_in_turn(const layout::LinearLayout& map,
                                             const layout::AxisName& axis, InTurn in_turn) {
  const layout::AxisList& outputs = map.outputs();
  const int out = outputs.find(axis);
  const std::uint64_t inside = (std::uint64_t{1} << in_turn.size_bits) - 1;
  const std::uint64_t atoms = ((std::uint64_t{1} << in_turn.atom_bits) - 1) << in_turn.size_bits;
  layout::LinearLayout::Bases bases{};
  for (int bit = 0; bit < map.input_bits(); ++bit) {
    const std::uint64_t word = map.basis(bit), at = outputs.coordinate(word, out);
    const std::uint64_t moved = (at & ~(inside | atoms)) | (at & inside) << in_turn.atom_bits |
                                (at & atoms) >> in_turn.size_bits;
    bases[static_cast<std::size_t>(bit)] = word ^ (at ^ moved) << outputs.offset(out);
  }
  return layout::LinearLayout::from_words(map.inputs(), outputs, bases).value();
}

/// The reverse.
constexpr layout::LinearLayout taken_together(const layout::LinearLayout& map,
                                              const layout::AxisName& axis, InTurn in_turn) {
  return taken_in_turn(map, axis, {in_turn.atom_bits, in_turn.size_bits});
}

}  // namespace heddle::plan
