// One kind of access to a tile in shared memory: which element every lane moves with which
// register, how wide the access may be, and its cost in a layout.
//
// WHAT AN ACCESS COSTS IN A LINEAR LAYOUT
//
// Let V be the tile's elements, each as a flat word with the bits of (dim0, dim1, …), and let the
// layout give offset bit j the word c(j). Three subspaces of V decide everything:
//
//   vector   Low(v) = span of c(0) … c(v-1): the elements that a lane moves at once if it moves
//            2^v elements. It must lie in the span of the access's register bases. The bases of
//            lanes and warps must lie in the span of c(v), c(v+1), …: a register has the same
//            place in the vectors of all lanes.
//   lanes    L = the span of the lanes of one phase: of their bases, over the phase's lane bits.
//   lines    H = span of c(b), c(b+1), …: steps to the same banks, where 2^b elements are one pass
//            over all banks (64 halves for 32 banks of 4 bytes). gfx950's stores see 32 banks and
//            its loads 64: each access has its own H, and the H of loads lies in that of stores.
//
// Two lanes of a phase collide when they differ by a step of H, unless they share a word. So
//
//   passes(phase) = 2^dim( (L + Low(w)) ∩ (H + Low(w)) / Low(w) )
//
// where 2^w elements are a vector, or a word if that is wider, and every phase of every instruction
// costs the same, since the others are shifts of the first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heddle/layout/solve.h"
#include "heddle/layout/subspace.h"
#include "heddle/memory/banks.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::plan {

/// The instructions that move between registers and shared memory.
///
/// - The matrix instructions are NVIDIA's. They move 8x8 matrices of 16-bit elements; a row of a
/// matrix is 16 bytes of shared memory.
/// - `in_order` stores no registers: CDNA's copies from global memory to LDS (global_load_lds_*,
/// buffer_load_* with the bit LDS) write the lanes' bytes one after the other, whatever address
/// each lane reads.
enum class Move : std::uint8_t {
  load,
  store,
  in_order,
  ldmatrix,
  ldmatrix_transposed,
  stmatrix,
  stmatrix_transposed
};

constexpr std::string_view name(Move move) {
  constexpr std::array<std::string_view, 7> names{
      "load", "store", "dma", "ldmatrix", "ldmatrix.trans", "stmatrix", "stmatrix.trans"};
  return names[static_cast<std::size_t>(move)];
}
constexpr bool is_matrix(Move move) { return move >= Move::ldmatrix; }
constexpr bool is_store(Move move) {
  return move == Move::store || move == Move::in_order || move == Move::stmatrix ||
         move == Move::stmatrix_transposed;
}
constexpr bool is_transposed(Move move) {
  return move == Move::ldmatrix_transposed || move == Move::stmatrix_transposed;
}

/// All accesses of one kind to a tile.
struct TileAccess {
  /// (register, lane[, warp, block]) -> (dim0, dim1, …). For an in-order copy, the map has only the
  /// elements that a lane brings at once, which are neighbours in global memory; its lane bases are
  /// 0, because a lane may read from any address.
  layout::LinearLayout map;
  Move move = Move::load;
  int most_bytes = 16;  // of one lane at once: 1, 2, 4, 8 or 16
  /// True if a lane moves exactly `most_bytes` at once, and these elements lie in the order of its
  /// registers. Loads that exchange elements between lanes need this (memory/transposed_read.h).
  bool ordered = false;
};

/// log2 of the number of elements of `element_bits` bits that fit into `bytes` bytes; 0 if no more
/// than one fits.
constexpr int element_bits_in(int bytes, int element_bits) {
  const int elements = bytes * 8 / element_bits;
  return elements > 1 ? static_cast<int>(std::bit_width(static_cast<unsigned>(elements))) - 1 : 0;
}

/// Bytes of 2^bits elements, at least 1.
constexpr int bytes_of(int bits, int element_bits) {
  return std::max(1, (element_bits << bits) / 8);
}

/// The subspaces of an access that the formula above uses.
struct AccessSpaces {
  layout::Subspace vector;               // where the elements that move at once may differ
  std::vector<std::uint64_t> registers;  // for each register bit that is no copy: the element that
                                         // it selects. ldmatrix: for each bit along a row
  std::vector<std::uint64_t> lanes;      // for each lane bit, too. ldmatrix: for each row bit
  int least_bits = 0;                    // log2 of the fewest elements a lane moves at once …
  int most_bits = 0;                     // … and of the most
  bool is_matrix = false;
  bool is_ordered = false;  // what moves at once lies in the order of `registers`
  bool is_store = false;
  bool is_in_order = false;  // all lanes' vectors lie one after the other
  std::uint64_t pieces = 1;  // elements of a lane, over all warps; of ldmatrix: 8x8 matrices
  layout::Subspace steps;    // from the elements of one instruction to those of all others
  /// Words that must lead from an element in one vector to the element at the same place in another
  /// vector: the words of lanes and warps, since all lanes use the same registers. With ldmatrix
  /// also the words of registers.
  std::vector<std::uint64_t> aligned;
  std::size_t warp_count = 0;  // how many of the last of these are of warps

  constexpr memory::AccessKind kind() const {
    using memory::AccessKind;
    if (is_matrix) return is_store ? AccessKind::matrix_store : AccessKind::matrix_load;
    return is_store ? AccessKind::store : AccessKind::load;
  }

  /// The number of instructions of all warps if a lane moves 2^bits elements at once.
  constexpr std::uint64_t instructions(int bits) const {
    return is_matrix ? (pieces + 3) / 4 : std::max<std::uint64_t>(1, pieces >> bits);
  }
};

namespace detail {

std::vector<std::uint64_t> words_of(const layout::LinearLayout& map, const layout::AxisName& axis);

}  // namespace detail

/// True if the instruction can make the access in some layout. A matrix instruction needs whole
/// registers of distinct elements, 32 lanes, and 16-bit elements if it transposes. An ordered
/// access needs distinct elements among the elements that it moves at once.
bool is_possible(const TileAccess& access, int element_bits);

/// The spaces of a possible access. If an element has copies in several registers, only the first
/// of these registers loads or stores it. If it has copies in several warps, only the first of
/// these warps stores it.
AccessSpaces spaces_of(const TileAccess& access, int element_bits);

/// The phases of an access of 2^bits elements: the span of the lanes of one phase, in words of the
/// tile, and the number of phases of an instruction (for ldmatrix, of a matrix).
struct PhaseSpan {
  layout::Subspace words;
  int count = 1;
};

/// The phases of an access in which a lane moves 2^bits elements at once. `low` is the span of the
/// elements that a lane moves at once. It decides whether pairs of lanes have equal addresses
/// (memory::is_merged).
PhaseSpan phase_span(const memory::BankModel& model, const AccessSpaces& spaces, int bits,
                     int element_bits, const layout::Subspace& low);

/// log2 of the elements in one pass of an access of 2^bits elements over all of its banks. gfx950's
/// stores use half as many banks as its loads.
constexpr int line_bits(const memory::BankModel& model, const AccessSpaces& spaces, int bits,
                        int element_bits) {
  const memory::Phases& phases = model.phases(spaces.kind(), bytes_of(bits, element_bits));
  return element_bits_in(phases.banks * model.bank_bytes, element_bits);
}

/// The passes of all instructions of an access that moves 2^bits elements at once, by the formula
/// at the top of this file. Preconditions: map is (offset) -> dims, invertible; its first 2^bits
/// offsets lie in spaces.vector.
std::uint64_t linear_passes(const memory::BankModel& model, const AccessSpaces& spaces, int bits,
                            int element_bits, const layout::LinearLayout& map);

/// The passes in any layout, also a padded one, counted lane by lane with memory::cost.
/// Instructions that only shift all lanes by the same number of whole words cost the same and are
/// counted once. Preconditions: those of linear_passes for `shared.map`, and every padding amount
/// is a multiple of 2^bits.
std::uint64_t counted_passes(const memory::BankModel& model, const AccessSpaces& spaces, int bits,
                             int element_bits, const memory::SharedLayout& shared);

}  // namespace heddle::plan
