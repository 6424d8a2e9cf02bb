// Which lanes of one shared-memory access collide in which bank, and how many extra passes it
// costs.
//
// A wave's access is served in phases: the lanes of one phase go through the banks together. In one
// pass of a phase, every bank can deliver one word. Lanes that want the same word share it (a
// broadcast). Lanes that want different words of one bank wait for each other. So
//
//   passes(phase)  = max over banks of the number of different words wanted there
//   extra passes   = sum over phases of passes(phase) - 1        (0 is ideal)
//
// A phase without active lanes costs nothing, and lanes that store to one word share it (measured
// on sm_90, assumed elsewhere). NVIDIA's name for a pass is a wavefront.
//
// Example, gfx1151, ds_load_b128 of a 16x16 half fragment, one row a lane, rows 64 bytes apart:
// phase 0 is lanes 0-3 and 20-23, that is rows 0..7. Rows 0, 2, 4, 6 all start in bank 0, rows 1,
// 3, 5, 7 in bank 16: four passes where one would do, three extra. A pitch of 80 bytes puts the
// eight rows at banks 0 20 8 28 16 4 24 12, four words each: all 32 banks, one pass.
//
// bank_model.h has the known facts about each processor and their sources. conflict_report.h says
// which lanes collide.
//
// The example in code:
//
//     std::vector<std::uint32_t> address(32);                       // bytes from the tile's start
//     for (unsigned lane = 0; lane < 32; ++lane) address[lane] = lane % 16 * 64;
//     const BankModel model = bank_model(Target::gfx1151);
//     const Access access{.bytes = 16, .address = address};
//     cost(model, access)                  {.phases = 4, .extra_passes = 12}: 16 passes for 4
//
// With 80 in place of 64 the cost is {4, 0}. Lanes l and l + 16 both read row l % 16 here, as
// gfx11's fragments want it. In one phase they would share their words, but no phase has both.
//
// A cost counts only the passes of the banks. It includes neither the latency of an instruction nor
// the number of instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/memory/bank_model.h"

namespace heddle::memory {

/// One instruction of one wave that accesses shared memory. `address` is a view: the caller's
/// addresses must outlive the Access. Alignment is not checked: the ISA says which alignment an
/// instruction needs. If an address is not aligned, each 4-byte word that the lane touches is
/// counted by itself.
struct Access {
  AccessKind kind = AccessKind::load;
  /// The bytes that a lane moves: 1, 2, 4, 8, 12 or 16. For matrix moves 16, the bytes of a row.
  int bytes = 4;
  /// The number of 8x8 matrices of a matrix move: 1, 2 or 4. Lanes 8 * i to 8 * i + 7 hold the
  /// addresses of the rows of matrix i; the lanes after the last matrix are not read.
  int matrices = 0;
  /// Bit l is set if lane l makes the access. Bits of lanes that the wave does not have are
  /// ignored.
  std::uint64_t active = ~std::uint64_t{0};
  /// The byte address at which each lane's bytes begin, below 4 GiB - 16. There is one address for
  /// each lane of the wave.
  std::span<const std::uint32_t> address = {};
};

/// Why the processor of `model` cannot make this access, or what is wrong in `access` itself. Empty
/// if the access is valid.
constexpr std::string_view why_not(const BankModel& model, const Access& access) {
  if (access.address.size() != static_cast<std::size_t>(model.wave))
    return model.wave == 32 ? "an access of this wave has 32 addresses, one for each lane"
                            : "an access of this wave has 64 addresses, one for each lane";
  if (is_matrix_move(access.kind)) {
    if (!model.has_matrix_moves) return "this processor has no ldmatrix and no stmatrix";
    if (access.bytes != 16) return "a row of ldmatrix or stmatrix has 16 bytes";
    if (access.matrices != 1 && access.matrices != 2 && access.matrices != 4)
      return "ldmatrix and stmatrix move 1, 2 or 4 matrices";
    return "";
  }
  for (const int bytes : {1, 2, 4, 8, 12, 16})
    if (access.bytes == bytes) return "";
  return "a lane moves 1, 2, 4, 8, 12 or 16 bytes";
}

/// The cost of one access of one wave.
struct Cost {
  int phases = 0;        // phases with at least one active lane; the passes of an ideal access
  int extra_passes = 0;  // passes beyond that

  constexpr int passes() const { return phases + extra_passes; }
  friend constexpr bool operator==(const Cost&, const Cost&) = default;
};

namespace detail {

/// The lanes of `access` that take part.
constexpr std::uint64_t taking_part(const BankModel& model, const Access& access) {
  const int lanes = is_matrix_move(access.kind) ? 8 * access.matrices : model.wave;
  return lanes >= 64 ? access.active : access.active & ((std::uint64_t{1} << lanes) - 1);
}

/// True if each lane l of `lanes` has the same address as lane l ^ apart, wherever that lane is
/// also in `lanes`.
constexpr bool pairs_agree(const Access& access, std::uint64_t lanes, unsigned apart) {
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned other = lane ^ apart;
    if ((lanes >> other & 1) != 0 && access.address[lane] != access.address[other]) return false;
  }
  return true;
}

/// A piece is an aligned run of 4, 8 or 16 bytes. Returns log2 of the size of the largest piece
/// such that each of `lanes` moves whole pieces; 2, a piece of 4 bytes, if there is none. The banks
/// of a piece are always used together, so pieces can be counted instead of words.
constexpr int piece_bits(const Access& access, std::uint64_t lanes) {
  auto bits = static_cast<std::uint32_t>(access.bytes) | 16u;
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1)
    bits |= access.address[static_cast<std::size_t>(std::countr_zero(rest))];
  return std::max(std::countr_zero(bits), 2);
}

/// The passes of one phase, whose active lanes are `lanes`. A piece has 2^piece bytes. A place is a
/// run of neighbouring banks as wide as a piece; there are `places` of them, a power of two. The
/// result is the largest number of different pieces that the lanes want at one place.
constexpr int passes(const Access& access, std::uint64_t lanes, int piece, std::uint32_t places) {
  // There are at most 128 pieces: if 64 lanes move 4 unaligned bytes each, a lane wants two pieces.
  constexpr std::size_t most_pieces = 128;
  constexpr std::uint8_t end = 0xff;
  std::array<std::uint32_t, most_pieces> wanted;
  std::array<std::uint8_t, most_pieces> next;
  std::array<std::uint8_t, 64> first;
  for (std::uint32_t place = 0; place < places; ++place) first[place] = end;
  std::uint8_t count = 0;
  int most = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t address = access.address[static_cast<std::size_t>(std::countr_zero(lanes))];
    const std::uint32_t last = (address + static_cast<std::uint32_t>(access.bytes) - 1) >> piece;
    for (std::uint32_t number = address >> piece; number <= last; ++number) {
      std::uint8_t& chain = first[number & (places - 1)];
      std::uint8_t at = chain;
      int length = 0;
      while (at != end && wanted[at] != number) {
        at = next[at];
        ++length;
      }
      if (at != end) continue;
      wanted[count] = number;
      next[count] = chain;
      chain = count++;
      most = std::max(most, length + 1);
    }
  }
  return most;
}

}  // namespace detail

/// True if an NVIDIA GPU serves two phases of this load as one. It does so for loads of 8 and 16
/// bytes in which pairs of lanes have equal addresses: every active lane l has the address of lane
/// l ^ 1, or every active lane l has the address of lane l ^ 2. If lane l ^ 1 (or l ^ 2) is
/// inactive, its address does not matter. No document states this rule. The rule was fitted to 3000
/// recorded accesses of an H200 and then tried on 1000 others
/// (tests/data/nvidia_banks_pairs.json.gz). Precondition: why_not(model, access) is empty.
constexpr bool is_merged(const BankModel& model, const Access& access) {
  if (!model.merges_pairs || access.kind != AccessKind::load || access.bytes < 8) return false;
  const std::uint64_t lanes = detail::taking_part(model, access);
  return detail::pairs_agree(access, lanes, 1) || detail::pairs_agree(access, lanes, 2);
}

/// The phases in which the access is served, as lane masks of the whole wave. A matrix move uses
/// only the first `access.matrices` of them. Precondition: why_not(model, access) is empty.
constexpr const Phases& phases_of(const BankModel& model, const Access& access) {
  return model.phases(access.kind, is_merged(model, access) ? access.bytes / 2 : access.bytes);
}

/// The cost of the access.
/// Precondition: why_not(model, access) is empty.
constexpr Cost cost(const BankModel& model, const Access& access) {
  const std::uint64_t active = detail::taking_part(model, access);
  const int piece = detail::piece_bits(access, active);
  const Phases& phases = phases_of(model, access);
  const auto places = static_cast<std::uint32_t>(phases.banks * model.bank_bytes) >> piece;
  Cost total;
  for (int phase = 0; phase < phases.count; ++phase) {
    const std::uint64_t lanes = phases.lanes[static_cast<std::size_t>(phase)] & active;
    if (lanes == 0) continue;
    ++total.phases;
    total.extra_passes += detail::passes(access, lanes, piece, places) - 1;
  }
  return total;
}

/// Shorthand for `cost(...).extra_passes`.
/// A kernel may assert it at compile time: static_assert(extra_passes(model, access) == 0).
constexpr int extra_passes(const BankModel& model, const Access& access) {
  return cost(model, access).extra_passes;
}

}  // namespace heddle::memory
