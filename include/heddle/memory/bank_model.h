// The banks of every processor's shared memory, and the phases in which the lanes of a wave are
// served, each with its source and how far it is to be trusted.
//
// AMD calls shared memory LDS. A bank is four bytes wide everywhere.
//
//   gfx942, gfx950, gfx1100, gfx1201   loads measured: by their latency, on one GPU each, published
//                                      with AMD's shark-ai, docs/empirical-lds; recorded in
//                                      tests/data/lds_banks.json
//   sm_90, sm_90a                      everything measured: by the wavefront counters of an H200;
//                                      recorded in tests/data/nvidia_banks.json.gz and
//                                      tests/data/nvidia_banks_pairs.json.gz
//   other sm_                          documented up to 4 bytes a lane (CUDA C++ Programming Guide,
//                                      "Compute Capability 5.x", Shared Memory, and the sections
//                                      that refer to it), else assumed to be as sm_90
//   gfx1250                            64 banks by LLVM (FeatureLDSBankCount64, pull request
//                                      219063); phases assumed
//   all else                           assumed to be as the measured processor nearest to it
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::memory {

/// How far a part of the model is to be trusted.
enum class Evidence : std::uint8_t { measured, documented, assumed };

constexpr std::string_view name(Evidence evidence) {
  constexpr std::array<std::string_view, 3> names{"measured", "documented", "assumed"};
  return names[static_cast<std::size_t>(evidence)];
}

/// What an access does. Matrix moves are NVIDIA's ldmatrix and stmatrix of 8x8 matrices, plain or
/// transposed: where they put a row changes nothing in how the banks deliver it.
enum class AccessKind : std::uint8_t { load, store, matrix_load, matrix_store };

constexpr std::string_view name(AccessKind kind) {
  constexpr std::array<std::string_view, 4> names{"load", "store", "ldmatrix", "stmatrix"};
  return names[static_cast<std::size_t>(kind)];
}

constexpr bool is_matrix_move(AccessKind kind) {
  return kind == AccessKind::matrix_load || kind == AccessKind::matrix_store;
}
constexpr bool is_load(AccessKind kind) {
  return kind == AccessKind::load || kind == AccessKind::matrix_load;
}

/// The lanes served together, one lane mask a phase, for one access width.
struct Phases {
  int count = 0;
  std::array<std::uint64_t, 8> lanes{};
  Evidence evidence = Evidence::assumed;  // of loads
};

/// Shared memory of one processor as its banks see it.
struct BankModel {
  std::string_view name;
  int wave = 32;
  int banks = 32;
  int bank_bytes = 4;
  std::array<Phases, 3> widths{};  // 4, 8 and 16 bytes a lane
  /// One for each 8x8 matrix of ldmatrix and stmatrix: the lanes with the addresses of its rows.
  Phases matrices{};
  bool has_matrix_moves = false;   // ldmatrix (PTX ISA: sm_75 and later)
  bool has_matrix_stores = false;  // stmatrix (PTX ISA: sm_90 and later)
  /// NVIDIA: see is_merged (banks.h).
  bool merges_pairs = false;
  bool stores_are_measured = false;
  std::string_view source;

  /// The phases of an access of `bytes` a lane (1, 2, 4, 8, 12 or 16). Widths below 4 bytes are
  /// served like 4; 12-byte accesses are taken like 16-byte ones.
  constexpr const Phases& phases(int bytes) const {
    if (bytes <= 4) return widths[0];
    return bytes <= 8 ? widths[1] : widths[2];
  }

  /// How far phases(bytes) is to be trusted for accesses of this kind. Of NVIDIA the narrow widths
  /// and stores are known as well as the others; of AMD only loads of 4, 8 and 16 bytes are.
  constexpr Evidence evidence(AccessKind kind, int bytes) const {
    if (is_matrix_move(kind)) return matrices.evidence;
    const Evidence of_width = phases(bytes).evidence;
    const bool is_narrow = bytes < 4, is_of_three = bytes == 12;
    if (of_width == Evidence::measured && (is_of_three || (is_narrow && !stores_are_measured) ||
                                           (kind == AccessKind::store && !stores_are_measured)))
      return Evidence::assumed;
    return of_width;
  }
};

namespace detail {

using instruction::Family;
using instruction::Target;

/// Lanes in their order, `lanes` a phase.
constexpr Phases consecutive(int wave, int lanes, Evidence evidence) {
  Phases phases{wave / lanes, {}, evidence};
  const std::uint64_t first = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  for (int i = 0; i < phases.count; ++i)
    phases.lanes[static_cast<std::size_t>(i)] = first << i * lanes;
  return phases;
}

/// gfx11, 16 bytes: eight lanes a phase, taken crosswise from both half-waves.
constexpr std::array<std::uint64_t, 4> crossed_eights{0x00f0000f, 0x000f00f0, 0xf0000f00,
                                                      0x0f00f000};

/// gfx950, 16 bytes: sixteen lanes a phase, of each half of the wave.
constexpr std::array<std::uint64_t, 2> crossed_sixteens{0x0ff0f00f, 0xf00f0ff0};

/// The phases of a half of a wave of 64, which each half goes through: one half after the other, or
/// in turns.
template <std::size_t count>
constexpr Phases crossed(int wave, const std::array<std::uint64_t, count>& half, bool in_turns,
                         Evidence evidence) {
  Phases phases{static_cast<int>(count) * wave / 32, {}, evidence};
  for (std::size_t i = 0; i < static_cast<std::size_t>(phases.count); ++i) {
    const bool upper = in_turns ? i % 2 == 1 : i >= count;
    const std::uint64_t lanes = half[in_turns && wave == 64 ? i / 2 : i % count];
    phases.lanes[i] = upper && wave == 64 ? lanes << 32 : lanes;
  }
  return phases;
}

constexpr BankModel nvidia_model(Target target) {
  const bool seen = instruction::processor(target).family == Family::sm90;
  const Evidence wide = seen ? Evidence::measured : Evidence::assumed;
  BankModel model;
  model.widths = {consecutive(32, 32, seen ? Evidence::measured : Evidence::documented),
                  consecutive(32, 16, wide), consecutive(32, 8, wide)};
  model.matrices = consecutive(32, 8, wide);
  model.has_matrix_moves = instruction::processor(target).family != Family::sm70;
  model.has_matrix_stores = instruction::processor(target).family >= Family::sm90;
  model.merges_pairs = true;
  model.stores_are_measured = seen;
  model.source = "wavefront counters of sm_90";
  return model;
}

constexpr BankModel rdna_model(Target target, int wave) {
  const bool crosswise = instruction::processor(target).family == Family::gfx11;
  const bool seen = wave == 32 && (target == Target::gfx1100 || target == Target::gfx1201);
  const Evidence evidence = seen ? Evidence::measured : Evidence::assumed;
  BankModel model;
  model.widths = {
      consecutive(wave, 32, evidence), consecutive(wave, 16, evidence),
      crosswise ? crossed(wave, crossed_eights, false, evidence) : consecutive(wave, 8, evidence)};
  model.source = crosswise ? "load latencies of gfx1100" : "load latencies of gfx1201";
  return model;
}

constexpr BankModel cdna_model(Target target) {
  const bool seen = target == Target::gfx942 || target == Target::gfx950;
  const Evidence evidence = seen ? Evidence::measured : Evidence::assumed;
  BankModel model;
  if (target == Target::gfx950) {
    model.banks = 64;
    model.widths = {consecutive(64, 64, evidence), consecutive(64, 32, evidence),
                    crossed(64, crossed_sixteens, true, evidence)};
    model.source = "load latencies of gfx950";
    return model;
  }
  model.widths = {consecutive(64, 32, evidence), consecutive(64, 16, evidence),
                  crossed(64, crossed_eights, true, evidence)};
  model.source = "load latencies of gfx942";
  return model;
}

/// 256 bytes a phase, as its banks can deliver; which lanes is assumed.
constexpr BankModel gfx1250_model() {
  BankModel model;
  model.banks = 64;
  model.widths = {consecutive(32, 32, Evidence::assumed), consecutive(32, 32, Evidence::assumed),
                  consecutive(32, 16, Evidence::assumed)};
  model.source = "LLVM's bank count of gfx1250";
  return model;
}

}  // namespace detail

/// Whether the processor has waves of so many lanes: RDNA has 32 and 64, the others one of them.
constexpr bool has_wave(instruction::Target target, int wave) {
  const bool both = instruction::is_rdna(instruction::processor(target).family);
  return wave == instruction::default_wave(target) || (both && wave == 64);
}

/// The model of a processor in waves of `wave` lanes. Precondition: has_wave(target, wave).
constexpr BankModel bank_model(instruction::Target target, int wave) {
  const instruction::ProcessorRow& row = instruction::processor(target);
  BankModel model = instruction::is_nvidia(row.family) ? detail::nvidia_model(target)
                    : instruction::is_rdna(row.family) ? detail::rdna_model(target, wave)
                    : instruction::is_cdna(row.family) ? detail::cdna_model(target)
                                                       : detail::gfx1250_model();
  model.name = row.name;
  model.wave = wave;
  return model;
}

/// In waves of default_wave(target) lanes.
constexpr BankModel bank_model(instruction::Target target) {
  return bank_model(target, instruction::default_wave(target));
}

}  // namespace heddle::memory
