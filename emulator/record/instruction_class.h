// The classes of executed instructions, by the unit that executes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heddle::emulator {

/// One class of instructions. A mnemonic belongs to the first row with a prefix that fits; the last
/// row takes the rest.
struct InstructionClass {
  std::string_view name;
  std::array<std::string_view, 6> prefixes;  // unused prefixes are empty
};

/// The classes of AMD's instructions. Waits and hints (s_wait…, s_delay_alu, s_clause, s_nop …)
/// occupy an issue slot but no unit.
inline constexpr std::array amd_classes{
    InstructionClass{"WMMA", {"v_wmma_", "v_swmmac_"}},
    InstructionClass{"MFMA", {"v_mfma_", "v_smfmac_"}},
    InstructionClass{"VALU", {"v_"}},
    InstructionClass{"LDS", {"ds_"}},
    InstructionClass{"global", {"global_", "buffer_", "flat_", "tensor_", "cluster_"}},
    InstructionClass{"scratch", {"scratch_"}},
    InstructionClass{"barrier", {"s_barrier"}},
    InstructionClass{"wait",
                     {"s_wait", "s_delay_alu", "s_clause", "s_nop", "s_sendmsg", "s_endpgm"}},
    InstructionClass{"branch", {"s_branch", "s_cbranch"}},
    InstructionClass{"SALU", {"s_"}},
    InstructionClass{"other", {}},
};

/// The classes of PTX. Copies between global and shared memory count as global. Class "generic" has
/// the accesses that do not name a state space.
inline constexpr std::array ptx_classes{
    InstructionClass{"matrix", {"mma.", "wmma.mma", "wgmma.mma_async"}},
    InstructionClass{"wait",
                     {"wgmma.", "cp.async.wait", "cp.async.bulk.wait", "mbarrier.", "nanosleep",
                      "griddepcontrol"}},
    InstructionClass{"global", {"cp.", "ld.global", "st.global", "atom.", "red.", "prefetch"}},
    InstructionClass{"shared", {"ld.shared", "st.shared", "ldmatrix", "stmatrix", "mapa"}},
    InstructionClass{"local", {"ld.local", "st.local"}},
    InstructionClass{"parameter", {"ld.param", "st.param", "ld.const"}},
    InstructionClass{"generic", {"ld.", "st.", "wmma."}},
    InstructionClass{"barrier", {"bar.", "barrier.", "membar", "fence"}},
    InstructionClass{"branch", {"bra", "brx", "ret", "exit", "call"}},
    InstructionClass{"arithmetic", {}},
};

/// The classes of PTX or of AMD. PTX has dots in its mnemonics where AMD's assembler has
/// underscores.
constexpr std::span<const InstructionClass> instruction_classes(bool is_ptx) {
  if (is_ptx) return ptx_classes;
  return amd_classes;
}

/// The position in `classes` of an instruction's class.
constexpr std::size_t class_of(std::span<const InstructionClass> classes,
                               std::string_view mnemonic) {
  for (std::size_t i = 0; i + 1 < classes.size(); ++i)
    for (const std::string_view prefix : classes[i].prefixes)
      if (!prefix.empty() && mnemonic.starts_with(prefix)) return i;
  return classes.size() - 1;
}

}  // namespace heddle::emulator
