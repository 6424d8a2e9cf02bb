// Executed instructions by the unit that takes them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/report.h"

namespace heddle::tool {

/// One class of instructions. A mnemonic belongs to the first row one of whose prefixes it has.
struct MixClass {
  std::string_view name;
  std::array<std::string_view, 6> prefixes;  // unused ones empty
};

/// Waits and hints (s_wait…, s_delay_alu, s_clause, s_nop …) occupy an issue slot but no unit.
inline constexpr std::array mix_classes{
    MixClass{"WMMA", {"v_wmma_", "v_swmmac_"}},
    MixClass{"MFMA", {"v_mfma_", "v_smfmac_"}},
    MixClass{"VALU", {"v_"}},
    MixClass{"LDS", {"ds_"}},
    MixClass{"global", {"global_", "buffer_", "flat_"}},
    MixClass{"scratch", {"scratch_"}},
    MixClass{"barrier", {"s_barrier"}},
    MixClass{"wait", {"s_wait", "s_delay_alu", "s_clause", "s_nop", "s_sendmsg", "s_endpgm"}},
    MixClass{"branch", {"s_branch", "s_cbranch"}},
    MixClass{"SALU", {"s_"}},
    MixClass{"other", {""}},
};

constexpr std::size_t mix_class_of(std::string_view mnemonic) {
  for (std::size_t i = 0; i + 1 < mix_classes.size(); ++i)
    for (std::string_view prefix : mix_classes[i].prefixes)
      if (!prefix.empty() && mnemonic.starts_with(prefix)) return i;
  return mix_classes.size() - 1;
}

using Mix = std::array<std::uint64_t, mix_classes.size()>;

inline Mix mix_of(const std::vector<emulator::OpcodeCount>& opcodes) {
  Mix mix{};
  for (const emulator::OpcodeCount& opcode : opcodes)
    mix[mix_class_of(opcode.mnemonic)] += opcode.count;
  return mix;
}

}  // namespace heddle::tool
