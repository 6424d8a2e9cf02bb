// The banks of every processor's shared memory, and the phases in which the lanes of a wave are
// served, each with its source and its reliability.
//
// AMD calls shared memory LDS. A bank is four bytes wide everywhere.
//
//   gfx942, gfx950, gfx1100, gfx1201   loads measured: by their latency, on one GPU each, published
//                                      with AMD's shark-ai, docs/empirical-lds; recorded in
//                                      tests/data/lds_banks.json
//   gfx950                             stores of 8 bytes and loads of 8, 12 and 16 measured: by its
//                                      counter of bank conflicts, published with HipKittens,
//                                      analysis/paper_experiments/phases; recorded in
//                                      tests/data/lds_conflicts_gfx950.json.gz. Stores, and loads
//                                      of 12 bytes, see 32 of the 64 banks
//   sm_90, sm_90a                      everything measured: by the wavefront counters of an H200;
//                                      recorded in tests/data/nvidia_banks.json.gz and
//                                      tests/data/nvidia_banks_pairs.json.gz
//   other sm_                          documented up to 4 bytes a lane (CUDA C++ Programming Guide,
//                                      "Compute Capability 5.x", Shared Memory, and the sections
//                                      that refer to it), else assumed to be as sm_90
//   gfx1250                            64 banks by LLVM (FeatureLDSBankCount64, pull request
//                                      219063); phases assumed
//   all else                           assumed to be as the measured processor nearest to it
//
// Stores of AMD's other processors are assumed to be served as their loads are.
//
// THE PHASES, by bytes a lane. "16 in order" means that lanes 0 to 15 form a phase, lanes 16 to 31
// the next one, and so on.
//
//     processor        wave   loads of 4     of 8          of 16                          banks
//     gfx11            32     32 in order    16 in order   0-3 20-23, 4-7 16-19,          32
//                                                          8-11 28-31, 12-15 24-27
//     gfx12            32     32 in order    16 in order   8 in order                     32
//     gfx908 … gfx942  64     32 in order    16 in order   as gfx11 in each half of the   32
//                                                          wave, the halves in turns
//     gfx950           64     64 in order    32 in order   0-3 12-15 20-27,               64
//                                                          4-11 16-19 28-31; in turns
//     gfx1250          32     32 in order    32 in order   16 in order                    64
//     NVIDIA           32     32 in order    16 in order   8 in order                     32
//     ldmatrix         32     rows of one 8x8 matrix after the other, 8 addresses a phase 32
//
// Accesses of 12 bytes have the phases of 16. In waves of 64, RDNA serves the lower half first and
// then the upper one. The lanes of a phase fill the banks once: 8 lanes of 16 bytes are 128 bytes,
// 32 banks of 4.
//
//     const BankModel model = bank_model(Target::gfx942);
//     const Phases& phases = model.phases(AccessKind::load, 16);
//     phases.count                                       8, of 8 lanes each
//     name(model.evidence(AccessKind::load, 16))         "measured"; of stores "assumed"
//     phases.source                                      "load latencies of gfx942"
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::memory {

/// The reliability of a part of the model.
///     measured     somebody ran such accesses on that processor and recorded the cost;
///                  Phases::source says who
///     documented   the vendor's manual says it
///     assumed      taken from the nearest processor that was measured
///
/// Costs that rest on an assumption are for comparing layouts, not for predicting a time.
enum class Evidence : std::uint8_t { measured, documented, assumed };

constexpr std::string_view name(Evidence evidence) {
  constexpr std::array<std::string_view, 3> names{"measured", "documented", "assumed"};
  return names[static_cast<std::size_t>(evidence)];
}

/// The kind of an access. Matrix moves are NVIDIA's ldmatrix and stmatrix of 8x8 matrices, plain or
/// transposed: transposing does not change how the banks deliver a row.
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

/// The phases of one kind of access of one width: a phase is the set of lanes that are served
/// together, as a mask in which bit l is lane l of the wave. The masks are disjoint, and their
/// union is the wave. For matrix moves, the lanes are those that hold addresses.
struct Phases {
  int count = 0;
  std::array<std::uint64_t, 8> lanes{};
  Evidence evidence = Evidence::assumed;
  int banks = 32;  // which the lanes of a phase go through together
  std::string_view source = "";
};

/// Phases for 4, 8, 12 and 16 bytes a lane.
using PhasesOfWidths = std::array<Phases, 4>;

/// The shared memory of one processor: its banks, and the phases of every access to it.
struct BankModel {
  std::string_view name;
  int wave = 32;
  int bank_bytes = 4;
  PhasesOfWidths loads{};
  PhasesOfWidths stores{};
  /// The phases of ldmatrix and stmatrix, one for each 8x8 matrix. The lanes of a phase are those
  /// that hold the addresses of the matrix's rows.
  Phases matrices{};
  bool has_matrix_moves = false;   // ldmatrix (PTX ISA: sm_75 and later)
  bool has_matrix_stores = false;  // stmatrix (PTX ISA: sm_90 and later)
  /// NVIDIA: see is_merged (banks.h).
  bool merges_pairs = false;
  bool narrow_is_measured = false;  // accesses of 1 and 2 bytes

  /// The phases of an access of `bytes` a lane (1, 2, 4, 8, 12 or 16). Widths below 4 bytes are
  /// served like 4.
  constexpr const Phases& phases(AccessKind kind, int bytes) const {
    if (is_matrix_move(kind)) return matrices;
    const int width = bytes <= 4 ? 0 : bytes <= 8 ? 1 : bytes <= 12 ? 2 : 3;
    return (is_load(kind) ? loads : stores)[static_cast<std::size_t>(width)];
  }

  /// How far phases(kind, bytes) is to be trusted.
  constexpr Evidence evidence(AccessKind kind, int bytes) const {
    const Evidence of_width = phases(kind, bytes).evidence;
    return bytes < 4 && of_width == Evidence::measured && !narrow_is_measured ? Evidence::assumed
                                                                              : of_width;
  }

  /// The number of banks of the memory. A single access may use fewer (Phases::banks).
  constexpr int banks() const {
    int most = matrices.banks;
    for (const PhasesOfWidths& widths : {loads, stores})
      for (const Phases& phases : widths) most = phases.banks > most ? phases.banks : most;
    return most;
  }
};

namespace detail {

using instruction::Family;
using instruction::Target;

/// Lanes in their order, `lanes` a phase.
constexpr Phases consecutive(int wave, int lanes) {
  Phases phases{wave / lanes};
  const std::uint64_t first = lanes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << lanes) - 1;
  for (int i = 0; i < phases.count; ++i)
    phases.lanes[static_cast<std::size_t>(i)] = first << i * lanes;
  return phases;
}

/// The phases of 16-byte loads on gfx11, as lane masks. A phase has four lanes of the lower
/// half-wave and four of the upper one.
constexpr std::array<std::uint64_t, 4> crossed_eights{0x00f0000f, 0x000f00f0, 0xf0000f00,
                                                      0x0f00f000};

/// The phases of 16-byte loads on gfx950, as masks of 32 lanes: sixteen lanes a phase. The lower 32
/// lanes of a wave have these phases, and so have the upper 32.
constexpr std::array<std::uint64_t, 2> crossed_sixteens{0x0ff0f00f, 0xf00f0ff0};

/// The phases of a wave of 32 or 64 lanes, made from the phases of 32 lanes, `half`. In a wave of
/// 64, the lower 32 lanes have these phases, and so have the upper 32. If `in_turns`, a phase of
/// the lower half and one of the upper half alternate; otherwise all phases of the lower half come
/// first.
template <std::size_t count>
constexpr Phases crossed(int wave, const std::array<std::uint64_t, count>& half, bool in_turns) {
  Phases phases{static_cast<int>(count) * wave / 32};
  for (std::size_t i = 0; i < static_cast<std::size_t>(phases.count); ++i) {
    const bool upper = in_turns ? i % 2 == 1 : i >= count;
    const std::uint64_t lanes = half[in_turns && wave == 64 ? i / 2 : i % count];
    phases.lanes[i] = upper && wave == 64 ? lanes << 32 : lanes;
  }
  return phases;
}

constexpr Phases known(Phases phases, Evidence evidence, std::string_view source, int banks = 32) {
  phases.evidence = evidence;
  phases.source = source;
  phases.banks = banks;
  return phases;
}

/// The phases of accesses of up to 4, 8, 12 and 16 bytes a lane, all with `evidence`. Accesses of
/// 12 bytes get the phases of 16. If `evidence` is `measured`, they count as assumed, because
/// nobody has measured accesses of 12 bytes. A model may overwrite entries of the result
/// afterwards.
constexpr PhasesOfWidths known(const Phases& four, const Phases& eight, const Phases& sixteen,
                               Evidence evidence, std::string_view source, int banks = 32) {
  const Evidence of_twelve = evidence == Evidence::measured ? Evidence::assumed : evidence;
  return {known(four, evidence, source, banks), known(eight, evidence, source, banks),
          known(sixteen, of_twelve, source, banks), known(sixteen, evidence, source, banks)};
}

/// The phases of stores, if these are assumed to be the same as those of loads.
constexpr PhasesOfWidths assumed_as(PhasesOfWidths loads) {
  for (Phases& phases : loads) phases.evidence = Evidence::assumed;
  return loads;
}

constexpr BankModel nvidia_model(Target target) {
  const bool seen = instruction::processor(target).family == Family::sm90;
  const Evidence wide = seen ? Evidence::measured : Evidence::assumed;
  constexpr std::string_view source = "wavefront counters of sm_90";
  BankModel model;
  model.loads = known(consecutive(32, 32), consecutive(32, 16), consecutive(32, 8), wide, source);
  model.loads[0].evidence = seen ? Evidence::measured : Evidence::documented;
  model.loads[2].evidence = wide;
  model.stores = model.loads;
  model.matrices = known(consecutive(32, 8), wide, source);
  model.has_matrix_moves = instruction::processor(target).family != Family::sm70;
  model.has_matrix_stores = instruction::processor(target).family >= Family::sm90;
  model.merges_pairs = true;
  model.narrow_is_measured = seen;
  return model;
}

constexpr BankModel rdna_model(Target target, int wave) {
  const bool crosswise =
      instruction::processor(target).has(instruction::Feature::crossed_lds_loads);
  const bool seen = wave == 32 && (target == Target::gfx1100 || target == Target::gfx1201);
  BankModel model;
  model.loads = known(consecutive(wave, 32), consecutive(wave, 16),
                      crosswise ? crossed(wave, crossed_eights, false) : consecutive(wave, 8),
                      seen ? Evidence::measured : Evidence::assumed,
                      crosswise ? "load latencies of gfx1100" : "load latencies of gfx1201");
  model.stores = assumed_as(model.loads);
  return model;
}

/// Loads of 4, 8 and 16 bytes go through 64 banks. Loads of 12 bytes and stores of 8 bytes go
/// through 32 banks, in the phases of gfx942. Stores of other widths are assumed to go through 32
/// banks in the phases of gfx942, too.
constexpr BankModel gfx950_model(const PhasesOfWidths& of_gfx942) {
  constexpr std::string_view counters = "conflict counters of gfx950";
  constexpr int twelve_bytes = 2, eight_bytes = 1;
  BankModel model;
  model.loads = known(consecutive(64, 64), consecutive(64, 32), crossed(64, crossed_sixteens, true),
                      Evidence::measured, "load latencies of gfx950", 64);
  model.loads[twelve_bytes] = known(of_gfx942[twelve_bytes], Evidence::measured, counters);
  for (std::size_t i = 0; i < model.stores.size(); ++i)
    model.stores[i] = known(of_gfx942[i], Evidence::assumed, counters);
  model.stores[eight_bytes].evidence = Evidence::measured;
  return model;
}

constexpr BankModel cdna_model(Target target) {
  BankModel model;
  model.loads = known(consecutive(64, 32), consecutive(64, 16), crossed(64, crossed_eights, true),
                      target == Target::gfx942 ? Evidence::measured : Evidence::assumed,
                      "load latencies of gfx942");
  model.stores = assumed_as(model.loads);
  return target == Target::gfx950 ? gfx950_model(model.loads) : model;
}

/// A phase of wide loads moves 256 bytes, as many as 64 banks deliver. Which lanes form a phase is
/// assumed.
constexpr BankModel gfx1250_model() {
  BankModel model;
  model.loads = known(consecutive(32, 32), consecutive(32, 32), consecutive(32, 16),
                      Evidence::assumed, "LLVM's bank count of gfx1250", 64);
  model.stores = model.loads;
  return model;
}

}  // namespace detail

/// True if the processor has waves of `wave` lanes. RDNA processors have waves of 32 and of 64
/// lanes; each other processor has one of these sizes only.
///     has_wave(Target::gfx1201, 64)   true      has_wave(Target::gfx1250, 64)   false
constexpr bool has_wave(instruction::Target target, int wave) {
  const bool both = instruction::is_rdna(instruction::processor(target).family);
  return wave == instruction::default_wave(target) || (both && wave == 64);
}

/// The model of a processor in waves of `wave` lanes. Precondition: has_wave(target, wave).
///     bank_model(Target::gfx1151, 64)      RDNA has waves of 64 lanes, too
///     bank_model(Target::gfx942, 32)       has_wave is false: CDNA has none
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
