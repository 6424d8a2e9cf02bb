#include "heddle/instruction/processor_name.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace heddle::instruction {
namespace {

constexpr auto rows = [] {
  using enum Target;
  return std::array{
      ProcessorName{"RX 7900 XTX", gfx1100},
      ProcessorName{"RX 7900 XT", gfx1100},
      ProcessorName{"RX 7900 GRE", gfx1100},
      ProcessorName{"PRO W7900", gfx1100},
      ProcessorName{"W7900", gfx1100},
      ProcessorName{"PRO W7800", gfx1100},
      ProcessorName{"W7800", gfx1100},
      ProcessorName{"Navi 31", gfx1100},
      ProcessorName{"RDNA3", gfx1100},
      ProcessorName{"RX 7800 XT", gfx1101},
      ProcessorName{"RX 7700 XT", gfx1101},
      ProcessorName{"PRO W7700", gfx1101},
      ProcessorName{"W7700", gfx1101},
      ProcessorName{"Navi 32", gfx1101},
      ProcessorName{"RX 7600", gfx1102},
      ProcessorName{"RX 7600 XT", gfx1102},
      ProcessorName{"PRO W7600", gfx1102},
      ProcessorName{"W7600", gfx1102},
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
      ProcessorName{"Krackan", gfx1152},
      ProcessorName{"860M", gfx1152},
      ProcessorName{"840M", gfx1152},
      ProcessorName{"RX 9060 XT", gfx1200},
      ProcessorName{"RX 9060", gfx1200},
      ProcessorName{"Navi 44", gfx1200},
      ProcessorName{"RX 9070 XT", gfx1201},
      ProcessorName{"RX 9070", gfx1201},
      ProcessorName{"RX 9070 GRE", gfx1201},
      ProcessorName{"AI PRO R9700", gfx1201},
      ProcessorName{"R9700", gfx1201},
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
      ProcessorName{"MI308X", gfx942},
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
      ProcessorName{"A800", sm_80},
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
      ProcessorName{"H800", sm_90a},
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

}  // namespace

std::span<const ProcessorName> processor_names() { return rows; }

std::string bare_processor_name(std::string_view text) {
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

std::string_view without_memory_and_slot(std::string_view text) {
  constexpr std::string_view separators = " -";
  const auto is_digits = [](std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto is_detail = [&](std::string_view word) {
    return (word.ends_with("GB") && is_digits(word.substr(0, word.size() - 2))) ||
           word.starts_with("HBM") || word.starts_with("SXM") || word == "PCIe" || word == "PCIE" ||
           word == "NVL" || word == "OAM";
  };
  for (std::size_t cut = text.find_last_of(separators);
       cut != std::string_view::npos && cut > 0 && is_detail(text.substr(cut + 1));
       cut = text.find_last_of(separators))
    text = text.substr(0, cut);
  return text;
}

std::string_view without_switches(std::string_view text) {
  while (true) {
    const std::size_t colon = text.rfind(':');
    const std::string_view part = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    if (part != "sramecc+" && part != "sramecc-" && part != "xnack+" && part != "xnack-")
      return text;
    text = text.substr(0, colon);
  }
}

const ProcessorRow* find_compiler_target(std::string_view text) {
  if (text.starts_with("hip:")) return find_processor(without_switches(text.substr(4)));
  for (const std::string_view prefix : {"cuda:", "compute_", "sm"})
    if (text.starts_with(prefix))
      return find_processor("sm_" + std::string(text.substr(prefix.size())));
  return find_processor(without_switches(text));
}

const ProcessorRow* find_processor_by_any_name(std::string_view text) {
  if (const ProcessorRow* row = find_processor(text)) return row;
  if (const ProcessorRow* row = find_compiler_target(text)) return row;
  const std::string bare = bare_processor_name(without_memory_and_slot(text));
  if (const ProcessorRow* row = find_processor(bare)) return row;  // GFX942
  for (const ProcessorName& each : rows)
    if (bare_processor_name(each.name) == bare) return &processor(each.target);
  return nullptr;
}

}  // namespace heddle::instruction
