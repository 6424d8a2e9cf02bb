#include "tools/heddle/reports/report_sources.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/heddle/host/include_folders.h"

namespace heddle::tool {
namespace {

constexpr std::size_t most_bytes = std::size_t{16} << 20;

/// The suffixes of sources in all languages whose compilers write debug information of kernels.
constexpr std::array<std::string_view, 31> suffixes{
    ".S",   ".asm",  ".c",    ".c++", ".cc",  ".cl",  ".cpp", ".cu",  ".cuh", ".cxx", ".def",
    ".f90", ".h",    ".h++",  ".hh",  ".hip", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".jl",
    ".ll",  ".mlir", ".mojo", ".ptx", ".py",  ".rs",  ".s",   ".tpp", ".zig"};

bool is_source(const std::filesystem::path& file) {
  return std::ranges::find(suffixes, file.extension().string()) != suffixes.end();
}

runtime::FileFolders own_files(const std::string& kernel) {
  const IncludeFolders headers = include_folders();
  return runtime::FileFolders({kernel, headers.heddle, headers.hip, headers.cuda});
}

}  // namespace

ReportSources::ReportSources(const std::string& kernel) : own_(own_files(kernel)), below_({"."}) {}

const std::string& ReportSources::text(const std::string& file) {
  const auto [known, is_new] = files_.try_emplace(file);
  if (!is_new) return known->second;
  const auto below = below_.find(file);
  const bool is_shown = below && is_source(*below);
  known->second = (is_shown ? below_ : own_).read(file, most_bytes).value_or("");
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
