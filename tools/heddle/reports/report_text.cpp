#include "tools/heddle/reports/report_text.h"
#include "answers/text/counted.h"
#include "library/text/formatted.h"

#include <algorithm>

namespace heddle::tool {

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10 * 1024) return formatted("{} B", bytes);
  if (bytes < 10 * 1024 * 1024) return formatted("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return formatted("{:.1f} MiB", static_cast<double>(bytes) / 1024 / 1024);
}

InstructionMix instruction_mix(const emulator::RunReport& report, bool is_ptx) {
  const auto classes = emulator::instruction_classes(is_ptx);
  InstructionMix mix;
  for (const emulator::InstructionClass& one : classes) mix.emplace_back(one.name, 0);
  for (const emulator::OpcodeCount& opcode : report.opcodes)
    mix[emulator::class_of(classes, opcode.mnemonic)].second += opcode.count;
  return mix;
}

std::string mix_text(const emulator::RunReport& report, bool is_ptx) {
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, report.instructions));
  std::string text =
      answers::counted(report.instructions, is_ptx ? "warp instruction" : "wavefront instruction") +
      ":";
  for (const auto& [name, count] : instruction_mix(report, is_ptx))
    if (count > 0) text += formatted(" {} {:.1f}%,", name, 100 * static_cast<double>(count) / all);
  text.pop_back();
  return text;
}

std::string found_text(std::size_t count, const std::vector<std::string>& unchecked) {
  std::string text = count == 0 ? "none" : formatted("{}", count);
  for (const std::string& what : unchecked) text += formatted("; not checked: {}", what);
  return text;
}

}  // namespace heddle::tool
