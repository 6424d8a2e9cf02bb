#include "tools/heddle/reports/report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/heddle/reports/instruction_mix.h"

namespace heddle::tool {

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10 * 1024) return fmt::format("{} B", bytes);
  if (bytes < 10 * 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / 1024 / 1024);
}

std::string mix_text(const emulator::RunReport& report) {
  const Mix mix = mix_of(report.opcodes);
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, report.instructions));
  std::string text = fmt::format("{} wavefront instructions:", report.instructions);
  for (std::size_t i = 0; i < mix.size(); ++i)
    if (mix[i] > 0)
      text +=
          fmt::format(" {} {:.1f}%,", mix_classes[i].name, 100 * static_cast<double>(mix[i]) / all);
  text.pop_back();
  return text;
}

std::string found_text(std::size_t count, const std::vector<std::string>& unchecked) {
  std::string text = count == 0 ? "none" : fmt::format("{}", count);
  for (const std::string& what : unchecked) text += fmt::format("; not checked: {}", what);
  return text;
}

}  // namespace heddle::tool
