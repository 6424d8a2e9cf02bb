// The GPUs Heddle knows, one row each, with the limits a tile plan has to respect.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::instruction {

/// A processor as the compilers spell it. Order follows `target_rows`.
enum class Target : std::uint8_t { gfx1100, gfx1101, gfx1102, gfx1150, gfx1151, gfx1200, gfx1201 };

/// The instruction set a processor belongs to. Fragment layouts depend on it, not on the processor.
enum class Family : std::uint8_t { gfx11, gfx12 };

/// One processor. LDS: bytes a workgroup may use. VGPRs: per lane in wave32, for one wave at most
/// and for all resident waves of a SIMD together; a wave's share is rounded up to the granule.
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

constexpr const TargetRow& row(Target target) {
  return target_rows[static_cast<std::size_t>(target)];
}

constexpr std::string_view name(Target target) { return row(target).name; }

/// The row whose name is `text`, or nullptr.
constexpr const TargetRow* find_target(std::string_view text) {
  for (const TargetRow& candidate : target_rows)
    if (candidate.name == text) return &candidate;
  return nullptr;
}

}  // namespace heddle::instruction
