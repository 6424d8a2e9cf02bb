// The GPUs Heddle knows, one row each; those it plans kernels for with the limits that a tile plan
// has to respect.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heddle/layout/stop.h"

namespace heddle::instruction {

/// A processor as the compilers spell it. Order follows `processor_rows`.
enum class Target : std::uint8_t {
  gfx1100,
  gfx1101,
  gfx1102,
  gfx1150,
  gfx1151,
  gfx1200,
  gfx1201,
  gfx908,
  gfx90a,
  gfx942,
  gfx950,
};

/// The instruction set a processor belongs to. Fragment layouts depend on it, not on the processor.
enum class Family : std::uint8_t { gfx11, gfx12, gfx908, gfx90a, gfx942, gfx950 };

struct FamilyRow {
  Family family;
  std::string_view name;
  int wave;  // lanes of its narrowest wave; RDNA has both 32 and 64, CDNA 64 only
};

/// Source: LLVM AMDGPUUsage, "Processors" (target feature wavefrontsize64).
inline constexpr std::array family_rows{
    FamilyRow{Family::gfx11, "gfx11", 32},   FamilyRow{Family::gfx12, "gfx12", 32},
    FamilyRow{Family::gfx908, "gfx908", 64}, FamilyRow{Family::gfx90a, "gfx90a", 64},
    FamilyRow{Family::gfx942, "gfx942", 64}, FamilyRow{Family::gfx950, "gfx950", 64},
};

constexpr const FamilyRow& row(Family family) {
  return family_rows[static_cast<std::size_t>(family)];
}

constexpr std::string_view name(Family family) { return row(family).name; }

/// One processor that Heddle compiles for and emulates. LDS: bytes a workgroup may use. VGPRs: per
/// lane in wave32, for one wave at most and for all resident waves of a SIMD together; a wave's
/// share is rounded up to the granule.
/// Source: LLVM AMDGPUUsage, "Processors", and LLVM's AMDGPUBaseInfo queries
/// (getLocalMemorySize, getAddressableNumVGPRs, getTotalNumVGPRs, getVGPRAllocGranule); a test
/// compares every row with LLVM.
struct TargetRow {
  Target target;
  std::string_view name;
  Family family;
  std::string_view product;
  int lds_bytes;
  int max_vgprs;
  int simd_vgprs;
  int vgpr_granule;
};

inline constexpr std::array target_rows{
    TargetRow{Target::gfx1100, "gfx1100", Family::gfx11, "RDNA3, Navi 31", 65536, 256, 1536, 24},
    TargetRow{Target::gfx1101, "gfx1101", Family::gfx11, "RDNA3, Navi 32", 65536, 256, 1536, 24},
    TargetRow{Target::gfx1102, "gfx1102", Family::gfx11, "RDNA3, Navi 33", 65536, 256, 1024, 16},
    TargetRow{Target::gfx1150, "gfx1150", Family::gfx11, "RDNA3.5, Strix Point", 65536, 256, 1024,
              16},
    TargetRow{Target::gfx1151, "gfx1151", Family::gfx11, "RDNA3.5, Strix Halo", 65536, 256, 1536,
              24},
    TargetRow{Target::gfx1200, "gfx1200", Family::gfx12, "RDNA4, Navi 44", 65536, 256, 1536, 24},
    TargetRow{Target::gfx1201, "gfx1201", Family::gfx12, "RDNA4, Navi 48", 65536, 256, 1536, 24},
};

/// One processor whose matrix instructions the catalogue knows.
struct ProcessorRow {
  Target target;
  std::string_view name;
  Family family;
  std::string_view product;
};

/// Those of `target_rows`, and CDNA's, for which nothing but the catalogue exists.
inline constexpr auto processor_rows = [] {
  constexpr std::array catalogue_only{
      ProcessorRow{Target::gfx908, "gfx908", Family::gfx908, "CDNA1, MI100"},
      ProcessorRow{Target::gfx90a, "gfx90a", Family::gfx90a, "CDNA2, MI200"},
      ProcessorRow{Target::gfx942, "gfx942", Family::gfx942, "CDNA3, MI300"},
      ProcessorRow{Target::gfx950, "gfx950", Family::gfx950, "CDNA4, MI350"},
  };
  std::array<ProcessorRow, target_rows.size() + catalogue_only.size()> rows{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= target_rows.size()) {
      rows[i] = catalogue_only[i - target_rows.size()];
      continue;
    }
    const TargetRow& from = target_rows[i];
    rows[i] = {from.target, from.name, from.family, from.product};
  }
  return rows;
}();

constexpr const ProcessorRow& processor(Target target) {
  return processor_rows[static_cast<std::size_t>(target)];
}

constexpr std::string_view name(Target target) { return processor(target).name; }

/// Lanes of the waves that a reader means who does not say: 32 on RDNA, 64 on CDNA.
constexpr int default_wave(Target target) { return row(processor(target).family).wave; }

/// The processor whose name is `text`, or nullptr.
constexpr const ProcessorRow* find_processor(std::string_view text) {
  for (const ProcessorRow& candidate : processor_rows)
    if (candidate.name == text) return &candidate;
  return nullptr;
}

/// Whether Heddle plans, compiles and runs kernels for it, that is, whether `row(target)` exists.
constexpr bool has_kernels(Target target) {
  return static_cast<std::size_t>(target) < target_rows.size();
}

[[noreturn]] HEDDLE_HOST_DEVICE inline void target_has_no_kernels() {
  constexpr char sentence[] = "the limits of a target for which Heddle makes no kernels";
  layout::stop(sentence, sizeof sentence - 1);
}

/// The limits of a target that has_kernels.
constexpr const TargetRow& row(Target target) {
  if (!has_kernels(target)) target_has_no_kernels();
  return target_rows[static_cast<std::size_t>(target)];
}

/// The row of a processor with kernels whose name is `text`, or nullptr.
constexpr const TargetRow* find_target(std::string_view text) {
  for (const TargetRow& candidate : target_rows)
    if (candidate.name == text) return &candidate;
  return nullptr;
}

}  // namespace heddle::instruction
