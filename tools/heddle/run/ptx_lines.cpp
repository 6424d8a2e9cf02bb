#include "tools/heddle/run/ptx_lines.h"
#include "library/text/formatted.h"

#include <algorithm>
#include <map>

#include "tools/heddle/reports/report_sources.h"
#include "tools/heddle/run/kernel_file.h"
#include "tools/heddle/run/launch_record.h"

namespace heddle::tool {
namespace {

/// The first words of a line.
std::vector<std::string_view> words_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> words;
  while (words.size() < most && !line.empty()) {
    const std::size_t stop = std::min(line.find_first_of(" \t,"), line.size());
    if (stop > 0) words.push_back(line.substr(0, stop));
    line.remove_prefix(std::min(stop + 1, line.size()));
  }
  return words;
}

}  // namespace

std::vector<std::string> source_lines_of_ptx(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    all.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::map<std::string, std::string, std::less<>> files;
  for (const std::string_view line : all)
    if (line.starts_with(".file")) {
      const auto words = words_of(line, 2);
      const std::size_t open = line.find('"'), close = line.rfind('"');
      if (words.size() == 2 && open < close)
        files[std::string(words[1])] = std::string(line.substr(open + 1, close - open - 1));
    }
  std::vector<std::string> lines(1);
  std::string place;
  for (const std::string_view line : all) {
    if (line.starts_with("}")) place.clear();
    if (line.starts_with(".loc")) {
      const auto words = words_of(line, 4);
      const std::size_t call = line.rfind("@[ ");
      if (call != std::string_view::npos)
        place = std::string(line.substr(call + 3, line.find(' ', call + 3) - call - 3));
      else if (words.size() == 4 && words[2] != "0")
        if (const auto file = files.find(words[1]); file != files.end())
          place = formatted("{}:{}:{}", file->second, words[2], words[3]);
    }
    lines.push_back(place);
  }
  return lines;
}

void place_in_source(KernelRun& run, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const auto place = [&](std::string& source) {
    const SourcePlace at = source_place(source);
    source = at.line < lines.size() && !lines[at.line].empty() ? near_source(lines[at.line]) : "";
  };
  const auto place_all = [&](std::vector<emulator::Finding>& findings) {
    for (emulator::Finding& finding : findings) {
      place(finding.place.source);
      for (emulator::RelatedPlace& related : finding.related) place(related.place.source);
    }
  };
  std::map<std::pair<std::string, std::size_t>, LineCount> counted;
  for (LineCount& line : run.lines) {
    place(line.source);
    const SourcePlace at = source_place(line.source);
    if (at.line != 0)
      counted.try_emplace({at.file, at.line}, LineCount{line.source, 0}).first->second.count +=
          line.count;
  }
  run.lines.clear();
  for (auto& [key, line] : counted) run.lines.push_back(std::move(line));
  place_all(run.findings);
  if (!run.report.emulated) return;
  place_all(run.report.emulated->notes);
  for (emulator::LdsAccess& access : run.report.emulated->lds) place(access.source);
  for (emulator::GlobalAccess& access : run.report.emulated->global) place(access.source);
}

}  // namespace heddle::tool
