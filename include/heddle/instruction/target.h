// The GPUs Heddle knows, one row each; those it plans kernels for with the limits that a tile plan
// has to respect.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/layout/stop.h"

namespace heddle::instruction {

/// A processor as the compilers spell it. Order follows `processor_rows`.
enum class Target : std::uint8_t {
  gfx1100,
  gfx1101,
  gfx1102,
  gfx1103,
  gfx1150,
  gfx1151,
  gfx1152,
  gfx1153,
  gfx1200,
  gfx1201,
  gfx908,
  gfx90a,
  gfx942,
  gfx950,
  gfx1250,
  sm_70,
  sm_72,
  sm_75,
  sm_80,
  sm_86,
  sm_87,
  sm_89,
  sm_90,
  sm_90a,
  sm_100,
  sm_103,
  sm_110,
  sm_120,
  sm_121,
};

/// The instruction set a processor belongs to. Fragment layouts depend on it, not on the processor.
enum class Family : std::uint8_t {
  gfx11,
  gfx12,
  gfx908,
  gfx90a,
  gfx942,
  gfx950,
  gfx1250,
  sm70,
  sm75,
  sm80,
  sm89,
  sm90,
  sm100,
  sm120,
};

/// A set of families.
struct Families {
  std::uint32_t bits = 0;

  constexpr Families() = default;
  // Not explicit: a family is the set of itself, and rows name one or several.
  constexpr Families(Family family) : bits(1u << static_cast<unsigned>(family)) {}

  constexpr bool contains(Family family) const { return (bits & Families(family).bits) != 0; }
  /// The first in the order of Family. Precondition: not empty.
  constexpr Family first() const { return static_cast<Family>(std::countr_zero(bits)); }
  friend constexpr Families operator|(Families a, Families b) {
    Families both;
    both.bits = a.bits | b.bits;
    return both;
  }
  friend constexpr bool operator==(const Families&, const Families&) = default;
};

constexpr Families operator|(Family a, Family b) { return Families(a) | Families(b); }

struct FamilyRow {
  Family family;
  std::string_view name;
  int wave;  // lanes of its narrowest wave: RDNA has 32 and 64, gfx1250 32 only, CDNA 64 only
  int wave_slots = 0;   // waves that a SIMD of AMD holds at most, whatever registers they have
  int simds = 0;        // of a compute unit of AMD
  int lds_granule = 0;  // bytes by which LDS is given to a workgroup
};

/// Source: LLVM AMDGPUUsage, "Processors" (target feature wavefrontsize64), and LLVM's
/// AMDGPUBaseInfo, getMaxWavesPerEU, getEUsPerCU, getLdsDwGranularity; CUDA Programming Guide,
/// "Compute Capabilities" (warp size).
inline constexpr std::array family_rows{
    FamilyRow{Family::gfx11, "gfx11", 32, 16, 2, 512},
    FamilyRow{Family::gfx12, "gfx12", 32, 16, 2, 512},
    FamilyRow{Family::gfx908, "gfx908", 64, 10, 4, 512},
    FamilyRow{Family::gfx90a, "gfx90a", 64, 8, 4, 512},
    FamilyRow{Family::gfx942, "gfx942", 64, 8, 4, 512},
    FamilyRow{Family::gfx950, "gfx950", 64, 8, 4, 1280},
    FamilyRow{Family::gfx1250, "gfx1250", 32, 16, 4, 1024},
    FamilyRow{Family::sm70, "sm_70", 32},
    FamilyRow{Family::sm75, "sm_75", 32},
    FamilyRow{Family::sm80, "sm_80", 32},
    FamilyRow{Family::sm89, "sm_89", 32},
    FamilyRow{Family::sm90, "sm_90", 32},
    FamilyRow{Family::sm100, "sm_100", 32},
    FamilyRow{Family::sm120, "sm_120", 32},
};

constexpr const FamilyRow& row(Family family) {
  return family_rows[static_cast<std::size_t>(family)];
}

constexpr bool is_rdna(Family family) { return family == Family::gfx11 || family == Family::gfx12; }
constexpr bool is_cdna(Family family) {
  return family >= Family::gfx908 && family <= Family::gfx950;
}
constexpr bool is_nvidia(Family family) { return family >= Family::sm70; }

constexpr std::string_view name(Family family) { return row(family).name; }

/// One processor: a row of the one table that both vendors share.
///
/// `shared_bytes`: of LDS or shared memory, that one workgroup may have. `multiprocessors`: of
/// NVIDIA's largest product with it; of CDNA the compute units of the largest product's device; 0
/// for others of AMD. VGPRs, of the processors that Heddle makes kernels for: those of a lane in a
/// wave of default_wave lanes, for one wave at most and for all resident waves of a SIMD together;
/// a wave's share is rounded up to the granule. From gfx90a on CDNA's are VGPRs and AGPRs together:
/// one file, of which a wave names at most 256 as either. `dies`: XCDs, which have an L2 each and
/// take the workgroups in turns. `copied_bytes`: what a lane of buffer_load … lds, or of
/// global_load_async_to_lds, moves at most. `copies_tiles`: whether a wave copies a tile by a
/// descriptor (tensor_load_to_lds).
///
/// Sources, AMD: LLVM AMDGPUUsage, "Processors", and LLVM's AMDGPUBaseInfo queries
/// (getAddressableLocalMemorySize, getAddressableNumVGPRs, getTotalNumVGPRs, getVGPRAllocGranule);
/// a test compares every row with LLVM. AMD CDNA 4 ISA, "Memory buffer load to LDS". AMD Instinct
/// MI250X, MI300X and MI355X data sheets (compute units, of MI250X those of one of its two devices;
/// XCDs); AMD CDNA 3 white paper, "Accelerator Complex Die". Triton calls gfx1250's dialect of
/// Gluon CDNA5. NVIDIA: CUDA GPU Compute Capability table; CUDA C++ Programming Guide 13.0,
/// "Technical Specifications per Compute Capability", maximum amount of shared memory per thread
/// block; the V100, Turing, A100, H100 (SXM) and L40 datasheets and architecture white papers. The
/// multiprocessors of what came later are assumed: as many as H100 has.
struct ProcessorRow {
  Target target;
  std::string_view name;
  Family family;
  std::string_view product;
  int shared_bytes = 0;
  int multiprocessors = 0;
  int max_vgprs = 0;
  int simd_vgprs = 0;
  int vgpr_granule = 0;
  int dies = 1;
  int copied_bytes = 0;
  bool copies_tiles = false;
};

/// An NVIDIA family has the mma of earlier ones; it is named after the first processor that has all
/// of its own.
inline constexpr auto processor_rows = [] {
  constexpr int kib = 1024;
  using enum Target;
  return std::array{
      ProcessorRow{gfx1100, "gfx1100", Family::gfx11, "RDNA3, Navi 31", 64 * kib, 0, 256, 1536, 24},
      ProcessorRow{gfx1101, "gfx1101", Family::gfx11, "RDNA3, Navi 32", 64 * kib, 0, 256, 1536, 24},
      ProcessorRow{gfx1102, "gfx1102", Family::gfx11, "RDNA3, Navi 33", 64 * kib, 0, 256, 1024, 16},
      ProcessorRow{gfx1103, "gfx1103", Family::gfx11, "RDNA3, Phoenix", 64 * kib, 0, 256, 1024, 16},
      ProcessorRow{gfx1150, "gfx1150", Family::gfx11, "RDNA3.5, Strix Point", 64 * kib, 0, 256,
                   1024, 16},
      ProcessorRow{gfx1151, "gfx1151", Family::gfx11, "RDNA3.5, Strix Halo", 64 * kib, 0, 256, 1536,
                   24},
      ProcessorRow{gfx1152, "gfx1152", Family::gfx11, "RDNA3.5, Krackan Point", 64 * kib, 0, 256,
                   1024, 16},
      ProcessorRow{gfx1153, "gfx1153", Family::gfx11, "RDNA3.5", 64 * kib, 0, 256, 1024, 16},
      ProcessorRow{gfx1200, "gfx1200", Family::gfx12, "RDNA4, Navi 44", 64 * kib, 0, 256, 1536, 24},
      ProcessorRow{gfx1201, "gfx1201", Family::gfx12, "RDNA4, Navi 48", 64 * kib, 0, 256, 1536, 24},
      ProcessorRow{gfx908, "gfx908", Family::gfx908, "CDNA1, MI100", 64 * kib},
      ProcessorRow{gfx90a, "gfx90a", Family::gfx90a, "CDNA2, MI200", 64 * kib, 110, 512, 512, 8, 1,
                   4},
      ProcessorRow{gfx942, "gfx942", Family::gfx942, "CDNA3, MI300", 64 * kib, 304, 512, 512, 8, 8,
                   4},
      ProcessorRow{gfx950, "gfx950", Family::gfx950, "CDNA4, MI350", 160 * kib, 256, 512, 512, 8, 8,
                   16},
      ProcessorRow{gfx1250, "gfx1250", Family::gfx1250, "CDNA5", 320 * kib, 0, 1024, 1024, 16, 1,
                   16, true},
      ProcessorRow{sm_70, "sm_70", Family::sm70, "Volta, V100", 96 * kib, 80},
      ProcessorRow{sm_72, "sm_72", Family::sm70, "Volta, Xavier", 96 * kib, 8},
      ProcessorRow{sm_75, "sm_75", Family::sm75, "Turing, T4", 64 * kib, 40},
      ProcessorRow{sm_80, "sm_80", Family::sm80, "Ampere, A100", 163 * kib, 108},
      ProcessorRow{sm_86, "sm_86", Family::sm80, "Ampere, RTX 3090", 99 * kib, 84},
      ProcessorRow{sm_87, "sm_87", Family::sm80, "Ampere, Orin", 163 * kib, 16},
      ProcessorRow{sm_89, "sm_89", Family::sm89, "Ada, RTX 4090, L40", 99 * kib, 142},
      ProcessorRow{sm_90, "sm_90", Family::sm90, "Hopper, H100, H200", 227 * kib, 132},
      ProcessorRow{sm_90a, "sm_90a", Family::sm90, "Hopper, with wgmma and setmaxnreg", 227 * kib,
                   132},
      ProcessorRow{sm_100, "sm_100", Family::sm100, "Blackwell, B200", 227 * kib, 132},
      ProcessorRow{sm_103, "sm_103", Family::sm100, "Blackwell, B300", 227 * kib, 132},
      ProcessorRow{sm_110, "sm_110", Family::sm100, "Blackwell, Thor", 227 * kib, 132},
      ProcessorRow{sm_120, "sm_120", Family::sm120, "Blackwell, RTX 5090", 99 * kib, 132},
      ProcessorRow{sm_121, "sm_121", Family::sm120, "Blackwell, GB10", 99 * kib, 132},
  };
}();

/// Whether Heddle plans, compiles and runs AMD code for it, that is, whether `row(target)` exists.
constexpr bool has_kernels(Target target) {
  return processor_rows[static_cast<std::size_t>(target)].max_vgprs != 0;
}

/// Whether products are compiled for it: for AMD's as above; for NVIDIA's from sm_80 on, with which
/// cp.async came (PTX ISA 9.0, "cp.async").
constexpr bool is_compiled_for(Target target) {
  return has_kernels(target) || target >= Target::sm_80;
}

/// Whether its machine code, of NVIDIA's PTX, runs without a GPU.
constexpr bool is_emulated(Target target) { return has_kernels(target) || target >= Target::sm_70; }

/// The rows of the targets that has_kernels, in their order.
inline constexpr auto target_rows = [] {
  constexpr auto count = std::ranges::count_if(
      processor_rows, [](const ProcessorRow& row) { return row.max_vgprs != 0; });
  std::array<ProcessorRow, static_cast<std::size_t>(count)> rows{};
  std::ranges::copy_if(processor_rows, rows.begin(),
                       [](const ProcessorRow& row) { return row.max_vgprs != 0; });
  return rows;
}();

constexpr const ProcessorRow& processor(Target target) {
  return processor_rows[static_cast<std::size_t>(target)];
}

constexpr std::string_view name(Target target) { return processor(target).name; }

/// Lanes of the waves that a reader means who does not say: 32 on RDNA, 64 on CDNA.
constexpr int default_wave(Target target) { return row(processor(target).family).wave; }

/// The processor whose name is `text`, or nullptr. NVIDIA's names may end in "a" or "f", which
/// select the instructions of one processor or family in its compilers.
constexpr const ProcessorRow* find_processor(std::string_view text) {
  for (const ProcessorRow& candidate : processor_rows)
    if (candidate.name == text) return &candidate;
  if (text.starts_with("sm_") && (text.ends_with('a') || text.ends_with('f')))
    return find_processor(text.substr(0, text.size() - 1));
  return nullptr;
}

[[noreturn]] HEDDLE_HOST_DEVICE inline void target_has_no_kernels() {
  constexpr char sentence[] = "the limits of a target for which Heddle makes no kernels";
  layout::stop(sentence, sizeof sentence - 1);
}

/// The row of a target that has_kernels, with its VGPRs.
constexpr const ProcessorRow& row(Target target) {
  if (!has_kernels(target)) target_has_no_kernels();
  return processor(target);
}

/// The row of a processor with kernels whose name is `text`, or nullptr.
constexpr const ProcessorRow* find_target(std::string_view text) {
  const ProcessorRow* found = find_processor(text);
  return found != nullptr && has_kernels(found->target) ? found : nullptr;
}

}  // namespace heddle::instruction
