// The GPUs that Heddle knows, one row each. If Heddle plans kernels for a GPU, its row has the
// limits for a tile plan.
//
//     const ProcessorRow& mi300 = processor(Target::gfx942);
//     mi300.shared_bytes                        65536 bytes of LDS that a workgroup may have
//     default_wave(mi300.target)                64
//     row(mi300.family).small_floats            SmallFloats::fnuz
//     has(mi300.family, Feature::mfma)          true
//     find_processor("sm_90a")->product         "Hopper, with wgmma and setmaxnreg"
//
// Code should ask for a feature, not for a family: has(family, Feature::mfma) is also right for a
// future processor, as soon as that has a row.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "heddle/layout/stop.h"

namespace heddle::instruction {

/// A processor, with its name in the compilers. The order is that of `processor_rows`.
enum class Target : std::uint8_t {
  gfx1100,  // RDNA3: RX 7900 XTX, PRO W7900
  gfx1101,  // RDNA3: RX 7800 XT, RX 7700 XT
  gfx1102,  // RDNA3: RX 7600
  gfx1103,  // RDNA3: Phoenix, Radeon 780M
  gfx1150,  // RDNA3.5: Strix Point, Radeon 890M
  gfx1151,  // RDNA3.5: Strix Halo, Radeon 8060S
  gfx1152,  // RDNA3.5: Krackan Point
  gfx1153,  // RDNA3.5
  gfx1200,  // RDNA4: RX 9060 XT
  gfx1201,  // RDNA4: RX 9070 XT, AI PRO R9700
  gfx908,   // CDNA1: MI100
  gfx90a,   // CDNA2: MI210, MI250X
  gfx942,   // CDNA3: MI300X, MI325X
  gfx950,   // CDNA4: MI350X, MI355X
  gfx1250,  // what Triton calls CDNA5
  gfx1251,  // the same with what LLVM calls dpp-64bit
  sm_70,    // Volta: V100
  sm_72,    // Volta: Xavier
  sm_75,    // Turing: T4, RTX 2080
  sm_80,    // Ampere: A100, A30
  sm_86,    // Ampere: A10, A40, RTX 3090
  sm_87,    // Ampere: Orin
  sm_88,    // Ampere; no product is known
  sm_89,    // Ada: L4, L40, RTX 4090
  sm_90,    // Hopper: H100, H200, GH200
  sm_90a,   // the same GPUs; compilers give wgmma by this name
  sm_100,   // Blackwell: B200, GB200
  sm_103,   // Blackwell: B300, GB300
  sm_110,   // Blackwell: Thor; sm_101 before PTX 9.0
  sm_120,   // Blackwell: RTX 5090, RTX PRO 6000
  sm_121,   // Blackwell: GB10, DGX Spark
};

/// The instruction set a processor belongs to. Fragment layouts depend on it, not on the processor.
///
///     family     processors           matrix instructions that came with it
///     gfx11      gfx1100 to gfx1153   WMMA (RDNA3, RDNA3.5)
///     gfx12      gfx1200, gfx1201     WMMA without copies, SWMMAC, transposing loads (RDNA4)
///     gfx908     gfx908               MFMA (CDNA1)
///     gfx90a     gfx90a               MFMA of f64 (CDNA2)
///     gfx942     gfx942               MFMA of fp8 and xf32, SMFMAC (CDNA3)
///     gfx950     gfx950               MFMA with scales, fp6 and fp4 (CDNA4)
///     gfx1250    gfx1250, gfx1251     WMMA and SWMMAC of its own shapes, scales
///     sm70       sm_70, sm_72         mma.m8n8k4 (Volta)
///     sm75       sm_75                mma.m16n8k8, ldmatrix (Turing)
///     sm80       sm_80 to sm_88       mma of bf16, tf32, f64, mma.sp (Ampere)
///     sm89       sm_89                mma of e4m3 and e5m2 (Ada)
///     sm90       sm_90, sm_90a        stmatrix; wgmma by the name sm_90a only (Hopper)
///     sm100      sm_100, 103, 110     tcgen05 (data centre Blackwell)
///     sm120      sm_120, sm_121       mma of fp6 and fp4, and with scales (consumer Blackwell)
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
///     const Families cdna3_and_4 = Family::gfx942 | Family::gfx950;
///     cdna3_and_4.contains(Family::gfx950)     true
///     cdna3_and_4.first()                      Family::gfx942
struct Families {
  std::uint32_t bits = 0;

  constexpr Families() = default;
  // Not explicit, so that rows may name one family where a set is expected.
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

/// The features in which AMD's instruction sets differ. Code asks for a feature, never for a
/// family, so that a new instruction set needs only a new row.
///
/// Features whose names end in `_code` are groups of instructions and encodings, as in LLVM's
/// processor table: gfx9, gfx940-insts, gfx950-insts, gfx11, gfx12-insts and gfx1250-insts.
enum class Feature : std::uint8_t {
  gfx9_code,  // SDWA, GFX9's encodings, its buffer resources, and what ended with it
  gfx940_code,
  gfx950_code,
  gfx11_code,  // what ended with it
  gfx12_code,
  gfx1250_code,
  mfma,                      // with accumulation registers, and wait states that software inserts
  xf32,                      // products of f32 rounded to 11 bits
  cmpx_writes_mask,          // v_cmpx writes a scalar mask besides EXEC
  clears_upper_halves,       // results of 16 bits, in the other half of their register
  ieee_mode,                 // MODE has the bits DX10_CLAMP and IEEE
  architected_flat_scratch,  // a wave knows where its scratch begins
  architected_sgprs,         // registers of the trap handler tell a wave its workgroup
  loading_prologue,          // before kernels whose arguments may be in registers at their start
  vgpr_banks,            // 1024 VGPRs, of which instructions name 256 and s_set_vgpr_msb the rest
  wide_buffer_resource,  // 45 bits of bytes
  one_near_cache,        // only one cache stands between a wave and L2
  unordered_stores,      // a barrier does not order stores, not even on one compute unit
  permlane16_swap,
  permlane32_swap,
  crossed_lds_loads,  // loads of 16 bytes do not serve eight consecutive lanes together
};

/// A set of features.
struct Features {
  std::uint32_t bits = 0;

  constexpr Features() = default;
  constexpr Features(std::initializer_list<Feature> features) {
    for (const Feature feature : features) bits |= 1u << static_cast<unsigned>(feature);
  }
  constexpr bool contains(Feature feature) const {
    return (bits >> static_cast<unsigned>(feature) & 1u) != 0;
  }
};

/// Which counters a wave has for its memory operations. Each counts operations that were issued and
/// have not completed. A wave waits until at most a given number remain. Operations that share a
/// counter can only be waited for together.
enum class WaitCounters : std::uint8_t {
  joint,         // vmcnt of loads and stores, lgkmcnt of LDS and scalar loads
  stores_apart,  // the same, with vscnt of stores
  apart,         // loadcnt, storecnt, dscnt, kmcnt ...
};

/// The instructions that invalidate and write back the caches of a wave. Before a wave reads data
/// that another compute unit has written, it must invalidate its near caches; after it has written
/// data for others, it must write back its caches (LLVM, "Memory Model").
enum class CacheControl : std::uint8_t {
  wbinvl1,            // buffer_wbinvl1_vol
  by_bits,            // buffer_inv and buffer_wbl2, with sc0 and sc1
  by_level,           // buffer_gl0_inv, buffer_gl1_inv
  by_scope,           // global_inv with a scope
  by_scope_and_back,  // the same, and global_wb
};

/// The cache in which stores may remain, invisible to other workgroups, until they are written
/// back.
///     nowhere      stores go through to memory that all workgroups share
///     near_cache   the cache of the compute unit (gfx1250)
///     die_l2       the L2 of a die, which other dies do not see (gfx942, gfx950)
enum class KeptStores : std::uint8_t { nowhere, near_cache, die_l2 };

/// The encodings of the 8-bit floats that matrix instructions multiply.
///     none   there are no products of 8-bit floats
///     fnuz   E4M3FNUZ and E5M2FNUZ: one zero; NaN has the encoding of -0 (gfx942)
///     ocp    E4M3 and E5M2 of the OCP specification: all later ones, and NVIDIA
enum class SmallFloats : std::uint8_t { none, fnuz, ocp };

/// The properties that all processors of an instruction set share. A field is 0 if it is unknown or
/// not used. NVIDIA's rows use only the wave, the floats and the features.
struct FamilyRow {
  Family family;
  std::string_view name;
  int wave;  // lanes of its narrowest wave: RDNA has 32 and 64, gfx1250 32 only, CDNA 64 only
  int wave_slots = 0;   // waves that a SIMD of AMD holds at most, whatever registers they have
  int simds = 0;        // of a compute unit of AMD
  int lds_granule = 0;  // bytes by which LDS is given to a workgroup
  SmallFloats small_floats = SmallFloats::none;
  int buffer_offset_bits = 0;  // of the offset that a buffer instruction of AMD holds
  WaitCounters counters = WaitCounters::joint;
  CacheControl caches = CacheControl::wbinvl1;
  KeptStores kept_stores = KeptStores::nowhere;
  Features features = {};
};

/// Sources: LLVM AMDGPUUsage, "Processors" (target feature wavefrontsize64), and LLVM's
/// AMDGPUBaseInfo, getMaxWavesPerEU, getEUsPerCU, getLdsDwGranularity; CUDA Programming Guide,
/// "Compute Capabilities" (warp size). Offsets, counters and resources: AMD Instinct MI200, MI300
/// and CDNA 4, RDNA3, RDNA3.5 and RDNA4 ISA; for gfx1250, LLVM (SIInstrInfo, isLegalMUBUFImmOffset;
/// SIInsertWaitcnts). Caches: LLVM "User Guide for AMDGPU Backend", "Memory Model" of each model,
/// and of gfx1250 SIMemoryLegalizer. Features: LLVM's processor table and GCNSubtarget; a test
/// compares those that LLVM names.
inline constexpr auto family_rows = [] {
  using enum Feature;
  return std::array{
      FamilyRow{.family = Family::gfx11,
                .name = "gfx11",
                .wave = 32,
                .wave_slots = 16,
                .simds = 2,
                .lds_granule = 512,
                .buffer_offset_bits = 12,
                .counters = WaitCounters::stores_apart,
                .caches = CacheControl::by_level,
                .features = {gfx11_code, ieee_mode, architected_flat_scratch, crossed_lds_loads}},
      FamilyRow{.family = Family::gfx12,
                .name = "gfx12",
                .wave = 32,
                .wave_slots = 16,
                .simds = 2,
                .lds_granule = 512,
                .small_floats = SmallFloats::ocp,
                .buffer_offset_bits = 23,
                .counters = WaitCounters::apart,
                .caches = CacheControl::by_scope,
                .features = {gfx12_code, architected_flat_scratch, architected_sgprs}},
      FamilyRow{.family = Family::gfx908,
                .name = "gfx908",
                .wave = 64,
                .wave_slots = 10,
                .simds = 4,
                .lds_granule = 512,
                .buffer_offset_bits = 12,
                .features = {gfx9_code, mfma, cmpx_writes_mask, clears_upper_halves, ieee_mode,
                             one_near_cache, crossed_lds_loads}},
      FamilyRow{.family = Family::gfx90a,
                .name = "gfx90a",
                .wave = 64,
                .wave_slots = 8,
                .simds = 4,
                .lds_granule = 512,
                .buffer_offset_bits = 12,
                .features = {gfx9_code, mfma, cmpx_writes_mask, clears_upper_halves, ieee_mode,
                             loading_prologue, one_near_cache, crossed_lds_loads}},
      FamilyRow{.family = Family::gfx942,
                .name = "gfx942",
                .wave = 64,
                .wave_slots = 8,
                .simds = 4,
                .lds_granule = 512,
                .small_floats = SmallFloats::fnuz,
                .buffer_offset_bits = 12,
                .caches = CacheControl::by_bits,
                .kept_stores = KeptStores::die_l2,
                .features = {gfx9_code, gfx940_code, mfma, xf32, cmpx_writes_mask,
                             clears_upper_halves, ieee_mode, architected_flat_scratch,
                             loading_prologue, one_near_cache, crossed_lds_loads}},
      FamilyRow{
          .family = Family::gfx950,
          .name = "gfx950",
          .wave = 64,
          .wave_slots = 8,
          .simds = 4,
          .lds_granule = 1280,
          .small_floats = SmallFloats::ocp,
          .buffer_offset_bits = 12,
          .caches = CacheControl::by_bits,
          .kept_stores = KeptStores::die_l2,
          .features = {gfx9_code, gfx940_code, gfx950_code, mfma, cmpx_writes_mask,
                       clears_upper_halves, ieee_mode, architected_flat_scratch, loading_prologue,
                       one_near_cache, permlane16_swap, permlane32_swap, crossed_lds_loads}},
      FamilyRow{.family = Family::gfx1250,
                .name = "gfx1250",
                .wave = 32,
                .wave_slots = 16,
                .simds = 4,
                .lds_granule = 1024,
                .small_floats = SmallFloats::ocp,
                .buffer_offset_bits = 23,
                .counters = WaitCounters::apart,
                .caches = CacheControl::by_scope_and_back,
                .kept_stores = KeptStores::near_cache,
                .features = {gfx12_code, gfx1250_code, architected_flat_scratch, architected_sgprs,
                             vgpr_banks, wide_buffer_resource, one_near_cache, unordered_stores,
                             permlane16_swap}},
      FamilyRow{.family = Family::sm70, .name = "sm_70", .wave = 32},
      FamilyRow{.family = Family::sm75, .name = "sm_75", .wave = 32},
      FamilyRow{.family = Family::sm80, .name = "sm_80", .wave = 32, .features = {xf32}},
      FamilyRow{.family = Family::sm89,
                .name = "sm_89",
                .wave = 32,
                .small_floats = SmallFloats::ocp,
                .features = {xf32}},
      FamilyRow{.family = Family::sm90,
                .name = "sm_90",
                .wave = 32,
                .small_floats = SmallFloats::ocp,
                .features = {xf32}},
      FamilyRow{.family = Family::sm100,
                .name = "sm_100",
                .wave = 32,
                .small_floats = SmallFloats::ocp,
                .features = {xf32}},
      FamilyRow{.family = Family::sm120,
                .name = "sm_120",
                .wave = 32,
                .small_floats = SmallFloats::ocp,
                .features = {xf32}},
  };
}();

constexpr const FamilyRow& row(Family family) {
  return family_rows[static_cast<std::size_t>(family)];
}

constexpr bool has(Family family, Feature feature) {
  return row(family).features.contains(feature);
}

/// The families that have a feature.
///     families_with(Feature::mfma)     gfx908, gfx90a, gfx942 and gfx950
constexpr Families families_with(Feature feature) {
  Families all;
  for (const FamilyRow& each : family_rows)
    if (each.features.contains(feature)) all = all | each.family;
  return all;
}

constexpr bool is_rdna(Family family) { return family == Family::gfx11 || family == Family::gfx12; }
constexpr bool is_cdna(Family family) {
  return family >= Family::gfx908 && family <= Family::gfx950;
}
constexpr bool is_nvidia(Family family) { return family >= Family::sm70; }

constexpr std::string_view name(Family family) { return row(family).name; }

/// A processor of either vendor, as a row of a table.
///
/// - `shared_bytes`: the most LDS or shared memory of one workgroup.
/// - `multiprocessors`: for NVIDIA those of the largest product, for CDNA the compute units of a
/// device of the largest product, 0 for other AMD processors.
/// - The numbers of VGPRs are given for the processors for which Heddle makes kernels. They count
/// the registers of a lane in a wave of default_wave lanes: the most of one wave, and the sum of
/// all resident waves of a SIMD. A wave's registers are rounded up to the granule. From gfx90a on,
/// CDNA's numbers include AGPRs: VGPRs and AGPRs share one register file, and a wave can use at
/// most 256 registers of each kind.
/// - `dies`: the number of XCDs. Each XCD has an L2. Successive workgroups go to successive XCDs.
/// - `copied_bytes`: the most bytes that a lane of buffer_load … lds, or of
/// global_load_async_to_lds, moves.
/// - `copies_tiles`: true if a wave can copy a tile by a descriptor (tensor_load_to_lds).
/// - `elf_machine`: for AMD, the number in the low byte of e_flags.
/// - `ptx`: for NVIDIA, ten times the PTX version that Heddle writes.
/// - `is_assumed`: no document gives the number of multiprocessors, and for sm_88 not even the
/// shared memory.
///
/// Sources, AMD: LLVM AMDGPUUsage, "Processors" and "AMDGPU EF_AMDGPU_MACH Values", and LLVM's
/// AMDGPUBaseInfo queries (getAddressableLocalMemorySize, getAddressableNumVGPRs, getTotalNumVGPRs,
/// getVGPRAllocGranule); a test compares every row with LLVM. AMD CDNA 4 ISA, "Memory buffer load
/// to LDS". AMD Instinct MI250X, MI300X and MI355X data sheets (compute units, of MI250X those of
/// one of its two devices; XCDs); AMD CDNA 3 white paper, "Accelerator Complex Die". Triton's Gluon
/// calls gfx1250 CDNA5. gfx1251 differs from gfx1250 in what LLVM 22 calls dpp-64bit. NVIDIA: CUDA
/// GPU Compute Capability table; CUDA C++ Programming Guide 13.0, "Technical Specifications per
/// Compute Capability", maximum amount of shared memory per thread block; the V100, Turing, A100,
/// H100 (SXM) and L40 datasheets and architecture white papers. Later processors are assumed to
/// have as many multiprocessors as an H100. PTX ISA 9.0 and ptxas 13.0 have sm_88, but it is in no
/// table of the guide; it is assumed to be like sm_86.
///
/// PTX versions: PTX ISA 9.0, "PTX ISA version history". 8.0 (CUDA 12.0) is the first with wgmma,
/// setmaxnreg and cp.async.bulk.tensor. A driver reads every version up to its own. Earlier
/// processors need only older versions. mma of e4m3 and e5m2, which sm_89 and later have, came with
/// 8.4 (CUDA 12.4), Blackwell's processors with 8.7 and 8.8, sm_88 and sm_110 with 9.0.
struct ProcessorRow {
  Target target;
  std::string_view name;
  Family family;
  std::string_view product;
  unsigned elf_machine = 0;
  int shared_bytes = 0;
  int multiprocessors = 0;
  int max_vgprs = 0;
  int simd_vgprs = 0;
  int vgpr_granule = 0;
  int dies = 1;
  int copied_bytes = 0;
  bool copies_tiles = false;
  int ptx = 0;
  bool is_assumed = false;

  constexpr bool has(Feature feature) const { return instruction::has(family, feature); }
};

/// The processors. An NVIDIA family also has the mma of all earlier families. A family is named
/// after the first processor that has all of the mma that are new in this family.
inline constexpr auto processor_rows = [] {
  constexpr int kib = 1024, as_h100 = 132;
  using enum Target;
  // RDNA's processors. On all of them a wave can have 256 VGPRs.
  constexpr auto rdna = [](Target target, std::string_view name, Family family,
                           std::string_view product, unsigned elf_machine, int simd_vgprs,
                           int vgpr_granule) {
    return ProcessorRow{target,   name, family, product,    elf_machine,
                        64 * kib, 0,    256,    simd_vgprs, vgpr_granule};
  };
  constexpr auto nvidia = [](Target target, std::string_view name, Family family,
                             std::string_view product, int shared_bytes, int multiprocessors,
                             int ptx) {
    return ProcessorRow{.target = target,
                        .name = name,
                        .family = family,
                        .product = product,
                        .shared_bytes = shared_bytes,
                        .multiprocessors = multiprocessors,
                        .ptx = ptx};
  };
  constexpr auto assumed = [](ProcessorRow row) {
    row.is_assumed = true;
    return row;
  };
  return std::array{
      rdna(gfx1100, "gfx1100", Family::gfx11, "RDNA3, Navi 31", 0x41, 1536, 24),
      rdna(gfx1101, "gfx1101", Family::gfx11, "RDNA3, Navi 32", 0x46, 1536, 24),
      rdna(gfx1102, "gfx1102", Family::gfx11, "RDNA3, Navi 33", 0x47, 1024, 16),
      rdna(gfx1103, "gfx1103", Family::gfx11, "RDNA3, Phoenix", 0x44, 1024, 16),
      rdna(gfx1150, "gfx1150", Family::gfx11, "RDNA3.5, Strix Point", 0x43, 1024, 16),
      rdna(gfx1151, "gfx1151", Family::gfx11, "RDNA3.5, Strix Halo", 0x4a, 1536, 24),
      rdna(gfx1152, "gfx1152", Family::gfx11, "RDNA3.5, Krackan Point", 0x55, 1024, 16),
      rdna(gfx1153, "gfx1153", Family::gfx11, "RDNA3.5", 0x58, 1024, 16),
      rdna(gfx1200, "gfx1200", Family::gfx12, "RDNA4, Navi 44", 0x48, 1536, 24),
      rdna(gfx1201, "gfx1201", Family::gfx12, "RDNA4, Navi 48", 0x4e, 1536, 24),
      ProcessorRow{gfx908, "gfx908", Family::gfx908, "CDNA1, MI100", 0x30, 64 * kib},
      ProcessorRow{gfx90a, "gfx90a", Family::gfx90a, "CDNA2, MI200", 0x3f, 64 * kib, 110, 512, 512,
                   8, 1, 4},
      ProcessorRow{gfx942, "gfx942", Family::gfx942, "CDNA3, MI300", 0x4c, 64 * kib, 304, 512, 512,
                   8, 8, 4},
      ProcessorRow{gfx950, "gfx950", Family::gfx950, "CDNA4, MI350", 0x4f, 160 * kib, 256, 512, 512,
                   8, 8, 16},
      ProcessorRow{gfx1250, "gfx1250", Family::gfx1250, "CDNA5", 0x49, 320 * kib, 0, 1024, 1024, 16,
                   1, 16, true},
      ProcessorRow{gfx1251, "gfx1251", Family::gfx1250, "CDNA5", 0x5a, 320 * kib, 0, 1024, 1024, 16,
                   1, 16, true},
      nvidia(sm_70, "sm_70", Family::sm70, "Volta, V100", 96 * kib, 80, 80),
      nvidia(sm_72, "sm_72", Family::sm70, "Volta, Xavier", 96 * kib, 8, 80),
      nvidia(sm_75, "sm_75", Family::sm75, "Turing, T4", 64 * kib, 40, 80),
      nvidia(sm_80, "sm_80", Family::sm80, "Ampere, A100", 163 * kib, 108, 80),
      nvidia(sm_86, "sm_86", Family::sm80, "Ampere, RTX 3090", 99 * kib, 84, 80),
      nvidia(sm_87, "sm_87", Family::sm80, "Ampere, Orin", 163 * kib, 16, 80),
      assumed(nvidia(sm_88, "sm_88", Family::sm80, "Ampere", 99 * kib, 84, 90)),
      nvidia(sm_89, "sm_89", Family::sm89, "Ada, RTX 4090, L40", 99 * kib, 142, 84),
      nvidia(sm_90, "sm_90", Family::sm90, "Hopper, H100, H200", 227 * kib, 132, 84),
      nvidia(sm_90a, "sm_90a", Family::sm90, "Hopper, with wgmma and setmaxnreg", 227 * kib, 132,
             84),
      assumed(nvidia(sm_100, "sm_100", Family::sm100, "Blackwell, B200", 227 * kib, as_h100, 88)),
      assumed(nvidia(sm_103, "sm_103", Family::sm100, "Blackwell, B300", 227 * kib, as_h100, 88)),
      assumed(nvidia(sm_110, "sm_110", Family::sm100, "Blackwell, Thor", 227 * kib, as_h100, 90)),
      assumed(
          nvidia(sm_120, "sm_120", Family::sm120, "Blackwell, RTX 5090", 99 * kib, as_h100, 88)),
      assumed(nvidia(sm_121, "sm_121", Family::sm120, "Blackwell, GB10", 99 * kib, as_h100, 88)),
  };
}();

/// True if Heddle plans, compiles and runs AMD code for the target, so that `row(target)` exists.
constexpr bool has_kernels(Target target) {
  return processor_rows[static_cast<std::size_t>(target)].max_vgprs != 0;
}

/// True if Heddle compiles products for the target: AMD's processors with kernels, and NVIDIA's
/// from sm_80 on, which introduced cp.async (PTX ISA 9.0, "cp.async").
constexpr bool is_compiled_for(Target target) {
  return has_kernels(target) || target >= Target::sm_80;
}

/// True if the emulator can run the target's machine code (for NVIDIA: PTX), without a GPU.
constexpr bool is_emulated(Target target) { return has_kernels(target) || target >= Target::sm_70; }

/// The rows of the targets for which has_kernels is true, in the same order.
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

/// The number of lanes of a wave, unless another is specified: 32 on RDNA, 64 on CDNA.
constexpr int default_wave(Target target) { return row(processor(target).family).wave; }

/// The processor whose name is `text`, or nullptr. NVIDIA's names may end in "a" or "f", which
/// select the instructions of one processor or family in its compilers. sm_110 was called sm_101
/// before PTX ISA 9.0 ("PTX ISA version history").
///     find_processor("gfx1151")->target        Target::gfx1151
///     find_processor("sm_120f")->target        Target::sm_120
///     find_processor("MI300X")                 nullptr: products are in processor_name.h
constexpr const ProcessorRow* find_processor(std::string_view text) {
  if (text == "sm_101") return &processor(Target::sm_110);
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

/// The row of a target for which has_kernels is true. The rows of other targets lack the registers
/// and LDS that a tile plan needs: for such a target this call stops the program, and in a constant
/// expression it does not compile.
constexpr const ProcessorRow& row(Target target) {
  if (!has_kernels(target)) target_has_no_kernels();
  return processor(target);
}

/// The row of the processor with this name. nullptr if there is no such processor, or if Heddle has
/// no kernels for it.
constexpr const ProcessorRow* find_target(std::string_view text) {
  const ProcessorRow* found = find_processor(text);
  return found != nullptr && has_kernels(found->target) ? found : nullptr;
}

}  // namespace heddle::instruction
