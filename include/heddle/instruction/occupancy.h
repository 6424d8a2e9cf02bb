// How many waves and workgroups a compute unit of AMD can hold at the same time.
//
// More waves hide more memory latency, but each wave takes registers, and each workgroup takes LDS.
// An example: workgroups of 256 threads in waves of 32, with 16 KiB of LDS each, on a compute unit
// of gfx1151 (two SIMDs of 1536 registers and 16 slots for waves each, 64 KiB of LDS):
//
//     registers     waves a SIMD            by_vgprs       by_lds         workgroups()
//     96            1536 / 96 = 16          2 * 16 / 8     64 / 16 = 4    4
//     120           1536 / 120 = 12         2 * 12 / 8     4              3
//     256           1536 / 264 = 5          2 * 5 / 8      4              1
//
// Registers are allocated in units, here of 24: 256 registers take 264.
#pragma once

#include <algorithm>
#include <cstdint>

#include "heddle/instruction/target.h"

namespace heddle::instruction {

/// The number of waves of `wave` lanes with `vgprs` registers each that a SIMD can hold, at most
/// its number of slots. A wave of 64 on RDNA takes the registers of two waves of 32. On CDNA
/// `vgprs` counts VGPRs and AGPRs together. Precondition: the row has VGPRs, and vgprs > 0.
constexpr int waves_per_simd(const ProcessorRow& target, int vgprs, int wave) {
  const int granules = (vgprs + target.vgpr_granule - 1) / target.vgpr_granule;
  const int share = granules * target.vgpr_granule * wave / row(target.family).wave;
  return std::min(target.simd_vgprs / share, row(target.family).wave_slots);
}
constexpr int waves_per_simd(const ProcessorRow& target, int vgprs) {
  return waves_per_simd(target, vgprs, row(target.family).wave);
}

/// The number of workgroups that a compute unit can hold at the same time, for each limit.
struct Occupancy {
  int waves_per_workgroup = 0;
  int by_vgprs = 0;  // by the registers of its SIMDs and their slots for waves
  int by_lds = 0;    // by its LDS and those slots
  constexpr int workgroups() const { return std::min(by_vgprs, by_lds); }
  friend constexpr bool operator==(const Occupancy&, const Occupancy&) = default;
};

/// The occupancy for workgroups of `threads` threads in waves of `wave` lanes. `vgprs`: the
/// registers of each wave; `lds_bytes`: the LDS of each workgroup. All members are 0 if the row has
/// no VGPRs, or if `threads` is 0 or more than 1024. A compute unit of RDNA is half of a workgroup
/// processor, with half of its LDS.
///
/// Sources: RDNA3 ISA, "Workgroup Processors" (two compute units have four SIMD32 and 128 KiB of
/// LDS); LLVM, AMDGPUBaseInfo, getEUsPerCU, getMaxWavesPerEU and getLdsDwGranularity.
constexpr Occupancy occupancy(const ProcessorRow& target, int wave, std::uint32_t vgprs,
                              std::uint64_t lds_bytes, std::uint64_t threads) {
  Occupancy result;
  const auto lanes = static_cast<std::uint64_t>(wave);
  if (target.max_vgprs == 0 || threads == 0 || threads > 1024) return result;
  result.waves_per_workgroup = static_cast<int>((threads + lanes - 1) / lanes);
  const FamilyRow& family = row(target.family);
  const int registers = static_cast<int>(std::clamp<std::uint32_t>(vgprs, 1, 1024));
  result.by_vgprs =
      family.simds * waves_per_simd(target, registers, wave) / result.waves_per_workgroup;
  result.by_lds = family.simds * family.wave_slots / result.waves_per_workgroup;
  const auto granule = static_cast<std::uint64_t>(family.lds_granule);
  const auto has = static_cast<std::uint64_t>(target.shared_bytes);
  if (lds_bytes > has)
    result.by_lds = 0;
  else if (lds_bytes > 0)
    result.by_lds = std::min(
        result.by_lds, static_cast<int>(has / ((lds_bytes + granule - 1) / granule * granule)));
  return result;
}

}  // namespace heddle::instruction
