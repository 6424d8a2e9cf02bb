// A processor by its product or architecture: "MI300X", "RX 7900 XTX", "RDNA4", "Strix Halo",
// "H100".
//
// An architecture stands for the processor of it that has the most instructions and memory; the
// products of Hopper for sm_90a, since compilers give them wgmma by that name alone.
//
// Sources: LLVM AMDGPUUsage, "Processors" (example products); AMD's product pages; NVIDIA, "CUDA
// GPU Compute Capability".
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::instruction {

struct ProcessorName {
  std::string_view name;
  Target target;
};

inline constexpr auto processor_names = [] {
  using enum Target;
  return std::array{
      ProcessorName{"RX 7900 XTX", gfx1100},
      ProcessorName{"RX 7900 XT", gfx1100},
      ProcessorName{"RX 7900 GRE", gfx1100},
      ProcessorName{"PRO W7900", gfx1100},
      ProcessorName{"PRO W7800", gfx1100},
      ProcessorName{"Navi 31", gfx1100},
      ProcessorName{"RDNA3", gfx1100},
      ProcessorName{"RX 7800 XT", gfx1101},
      ProcessorName{"RX 7700 XT", gfx1101},
      ProcessorName{"PRO W7700", gfx1101},
      ProcessorName{"Navi 32", gfx1101},
      ProcessorName{"RX 7600", gfx1102},
      ProcessorName{"RX 7600 XT", gfx1102},
      ProcessorName{"PRO W7600", gfx1102},
      ProcessorName{"Navi 33", gfx1102},
      ProcessorName{"Phoenix", gfx1103},
      ProcessorName{"Hawk Point", gfx1103},
      ProcessorName{"780M", gfx1103},
      ProcessorName{"760M", gfx1103},
      ProcessorName{"740M", gfx1103},
      ProcessorName{"Strix Point", gfx1150},
      ProcessorName{"890M", gfx1150},
      ProcessorName{"880M", gfx1150},
      ProcessorName{"Strix Halo", gfx1151},
      ProcessorName{"8060S", gfx1151},
      ProcessorName{"8050S", gfx1151},
      ProcessorName{"Ryzen AI Max+ 395", gfx1151},
      ProcessorName{"RDNA3.5", gfx1151},
      ProcessorName{"Krackan Point", gfx1152},
      ProcessorName{"860M", gfx1152},
      ProcessorName{"840M", gfx1152},
      ProcessorName{"RX 9060 XT", gfx1200},
      ProcessorName{"RX 9060", gfx1200},
      ProcessorName{"Navi 44", gfx1200},
      ProcessorName{"RX 9070 XT", gfx1201},
      ProcessorName{"RX 9070", gfx1201},
      ProcessorName{"RX 9070 GRE", gfx1201},
      ProcessorName{"AI PRO R9700", gfx1201},
      ProcessorName{"Navi 48", gfx1201},
      ProcessorName{"RDNA4", gfx1201},
      ProcessorName{"MI100", gfx908},
      ProcessorName{"CDNA", gfx908},
      ProcessorName{"CDNA1", gfx908},
      ProcessorName{"MI200", gfx90a},
      ProcessorName{"MI210", gfx90a},
      ProcessorName{"MI250", gfx90a},
      ProcessorName{"MI250X", gfx90a},
      ProcessorName{"CDNA2", gfx90a},
      ProcessorName{"MI300", gfx942},
      ProcessorName{"MI300A", gfx942},
      ProcessorName{"MI300X", gfx942},
      ProcessorName{"MI325X", gfx942},
      ProcessorName{"CDNA3", gfx942},
      ProcessorName{"MI350", gfx950},
      ProcessorName{"MI350X", gfx950},
      ProcessorName{"MI355X", gfx950},
      ProcessorName{"CDNA4", gfx950},
      ProcessorName{"CDNA5", gfx1250},
      ProcessorName{"V100", sm_70},
      ProcessorName{"Volta", sm_70},
      ProcessorName{"Xavier", sm_72},
      ProcessorName{"T4", sm_75},
      ProcessorName{"RTX 2080", sm_75},
      ProcessorName{"RTX 2080 Ti", sm_75},
      ProcessorName{"Turing", sm_75},
      ProcessorName{"A100", sm_80},
      ProcessorName{"A30", sm_80},
      ProcessorName{"Ampere", sm_80},
      ProcessorName{"A10", sm_86},
      ProcessorName{"A40", sm_86},
      ProcessorName{"RTX A6000", sm_86},
      ProcessorName{"RTX 3080", sm_86},
      ProcessorName{"RTX 3090", sm_86},
      ProcessorName{"Orin", sm_87},
      ProcessorName{"L4", sm_89},
      ProcessorName{"L40", sm_89},
      ProcessorName{"L40S", sm_89},
      ProcessorName{"RTX 4070", sm_89},
      ProcessorName{"RTX 4080", sm_89},
      ProcessorName{"RTX 4090", sm_89},
      ProcessorName{"Ada", sm_89},
      ProcessorName{"Ada Lovelace", sm_89},
      ProcessorName{"H100", sm_90a},
      ProcessorName{"H200", sm_90a},
      ProcessorName{"GH200", sm_90a},
      ProcessorName{"H20", sm_90a},
      ProcessorName{"Hopper", sm_90a},
      ProcessorName{"B200", sm_100},
      ProcessorName{"GB200", sm_100},
      ProcessorName{"Blackwell", sm_100},
      ProcessorName{"B300", sm_103},
      ProcessorName{"GB300", sm_103},
      ProcessorName{"Thor", sm_110},
      ProcessorName{"RTX 5070", sm_120},
      ProcessorName{"RTX 5080", sm_120},
      ProcessorName{"RTX 5090", sm_120},
      ProcessorName{"RTX PRO 6000", sm_120},
      ProcessorName{"GB10", sm_121},
      ProcessorName{"DGX Spark", sm_121},
  };
}();

/// The name without what people write or leave out: capitals, spaces, and the maker's words before
/// it. "AMD Radeon RX 7900 XTX" is 7900xtx.
inline std::string bare_processor_name(std::string_view text) {
  std::string bare;
  for (const char c : text) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if ((low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') || low == '.') bare += low;
  }
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word :
         {"amd", "nvidia", "radeon", "instinct", "geforce", "tesla", "rtx", "rx"}) {
      if (!bare.starts_with(word) || bare.size() == word.size()) continue;
      bare.erase(0, word.size());
      found = true;
    }
  }
  return bare;
}

/// The processor that find_processor knows by this name, or that has this product or architecture;
/// nullptr of other names.
inline const ProcessorRow* find_processor_by_any_name(std::string_view text) {
  if (const ProcessorRow* row = find_processor(text)) return row;
  const std::string bare = bare_processor_name(text);
  if (const ProcessorRow* row = find_processor(bare)) return row;  // GFX942
  for (const ProcessorName& each : processor_names)
    if (bare_processor_name(each.name) == bare) return &processor(each.target);
  return nullptr;
}

}  // namespace heddle::instruction
