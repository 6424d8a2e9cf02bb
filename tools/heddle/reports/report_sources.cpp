#include "tools/heddle/reports/report_sources.h"

#include <string_view>

#include "tools/heddle/host/include_folders.h"

namespace heddle::tool {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;

std::vector<std::filesystem::path> shown_folders(const std::string& kernel) {
  const IncludeFolders headers = include_folders();
  return {".", kernel, headers.heddle, headers.hip};
}

}  // namespace

ReportSources::ReportSources(const std::string& kernel) : shown_(shown_folders(kernel)) {}

const std::string& ReportSources::text(const std::string& file) {
  const auto [known, is_new] = files_.try_emplace(file);
  if (is_new) known->second = shown_.read(file, most_bytes).value_or("");
  return known->second;
}

std::string ReportSources::line(const std::string& file, std::size_t number) {
  std::string_view rest = text(file);
  for (; number > 1; --number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return "";
    rest.remove_prefix(end + 1);
  }
  return std::string(rest.substr(0, rest.find('\n')));
}

}  // namespace heddle::tool
