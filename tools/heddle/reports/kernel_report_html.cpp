// The report as an HTML page: the source with the cost of each line, and findings at their lines.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "answers/text/markup.h"
#include "library/text/formatted.h"
#include "tools/heddle/reports/code_address.h"
#include "tools/heddle/reports/kernel_run.h"
#include "tools/heddle/reports/report_sources.h"

namespace heddle::tool {
namespace {

/// The figures of one line of the source.
struct LineFigures {
  std::uint64_t instructions = 0;
  std::uint64_t extra_passes = 0, ideal_passes = 0;
  std::uint64_t sectors_touched = 0, sectors_needed = 0;
  std::vector<std::string> notes;  // as HTML
};
using File = std::map<std::size_t, LineFigures>;
using answers::escaped;

constexpr const char* head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1c1c1e; --paper: #fff; --soft: #6b6b70; --rule: #e3e3e6;
  --error: #b3261e; --error-paper: #fdecea; --remark: #7a5900; --remark-paper: #fff6dd; --bar: #d6e4f5; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e8e8ea; --paper: #17171a; --soft: #9a9aa2;
  --rule: #303036; --error: #ff8a80; --error-paper: #3a1f1d; --remark: #e8c15a; --remark-paper: #332b14;
  --bar: #24384f; }} }}
body {{ margin: 0 auto; max-width: 76rem; padding: 1.5rem; color: var(--ink); background: var(--paper);
  font: 15px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.3rem; margin: 0 0 .2rem; }} h2 {{ font-size: 1.05rem; margin: 1.6rem 0 .4rem; }}
.verdict {{ font-weight: 600; }} .wrong {{ color: var(--error); }}
.finding {{ background: var(--error-paper); color: var(--error); padding: .6rem .8rem; margin: .6rem 0; }}
pre.summary {{ white-space: pre-wrap; background: none; border: 1px solid var(--rule); padding: .8rem; }}
pre, code, table.source {{ font: 13px/1.45 ui-monospace, monospace; }}
.scroll {{ overflow-x: auto; border: 1px solid var(--rule); }}
table.source {{ border-collapse: collapse; width: 100%; }}
table.source th {{ font-weight: 500; color: var(--soft); text-align: right; padding: .3rem .6rem;
  border-bottom: 1px solid var(--rule); white-space: nowrap; }}
table.source th.code {{ text-align: left; }}
table.source td {{ padding: 0 .6rem; text-align: right; white-space: pre; color: var(--soft); }}
table.source td.code {{ text-align: left; color: var(--ink); }}
table.source td.hot {{ background: linear-gradient(to left, var(--bar) var(--share), transparent 0); color: var(--ink); }}
table.source td.costs {{ color: var(--remark); font-weight: 600; }}
tr.note td {{ white-space: normal; text-align: left; padding: .3rem .6rem .3rem 1.2rem; }}
tr.error td {{ background: var(--error-paper); color: var(--error); }}
tr.remark td {{ background: var(--remark-paper); color: var(--remark); }}
tr.gap td {{ text-align: center; border-top: 1px dashed var(--rule); border-bottom: 1px dashed var(--rule); }}
</style>
</head>
<body>
)";

class Page {
 public:
  explicit Page(const KernelRun& run) : run_(run), sources_(run.file) {}

  std::string html() {
    gather();
    std::string page = fmt::format(
        fmt::runtime(head), fmt::arg("title", escaped(run_.kernel_name + " on " + run_.target)));
    page +=
        formatted("<h1>{} on {}</h1>\n<p class=\"verdict{}\">{}</p>\n", escaped(run_.kernel_name),
                  escaped(run_.target), run_.right() ? "" : " wrong", escaped(verdict()));
    page += wrong_results();
    page += unplaced();
    page += formatted("<pre class=\"summary\">{}</pre>\n", escaped(kernel_figures_text(run_, 100)));
    // The user's own file first.
    const auto own = files_.find(near_source(run_.file));
    if (own != files_.end()) page += file_html(own->first, own->second);
    for (auto file = files_.begin(); file != files_.end(); ++file)
      if (file != own) page += file_html(file->first, file->second);
    if (files_.empty())
      page += "<p>The code object names no source lines: compile it with -gline-tables-only.</p>\n";
    return page + "</body>\n</html>\n";
  }

 private:
  std::string verdict() const {
    if (run_.right()) return run_.results.empty() ? "ran; no result was judged" : "right";
    if (run_.is_not_judged()) return "not judged: the limit says nothing";
    const auto wrong = std::ranges::count_if(
        run_.results, [](const JudgedArray& result) { return !result.judgement.right(); });
    const auto stray = std::ranges::count_if(run_.changes, &runtime::MemoryChange::is_error);
    const std::size_t findings = alike_findings(run_).size() + run_.mistakes.size();
    const std::string results = run_.results.empty()
                                    ? "no result was judged"
                                    : formatted("{} wrong result{}", wrong, wrong == 1 ? "" : "s");
    return formatted("{} finding{}, {}{}", findings, findings == 1 ? "" : "s", results,
                     stray > 0 ? ", and memory was written that is no result" : "");
  }

  std::string wrong_results() const {
    std::string html;
    for (const JudgedArray& result : run_.results) {
      if (result.judgement.right()) continue;
      html += formatted("<div class=\"finding\">{}<br><code>{}</code>",
                        escaped(result_text(result)), escaped(result.expectation));
      for (const runtime::Explanation& explanation : result.explanations)
        html += formatted("<p>{} [{}]<br>fix: {}</p>", escaped(explanation.message),
                          explanation.name, escaped(explanation.fix));
      if (!result.note.empty()) html += formatted("<p>{}</p>", escaped(result.note));
      if (!result.judgement.is_not_judged())
        html += formatted("<pre>{}</pre>", escaped(tile_map(result.judgement)));
      html += "</div>\n";
    }
    for (const HostMistake& mistake : run_.mistakes)
      html += formatted("<div class=\"finding\">{}{}{} [{}]</div>\n", escaped(mistake.source),
                        mistake.source.empty() ? "" : ": ", escaped(mistake.message),
                        host_mistake_rule);
    for (const runtime::MemoryChange& change : run_.changes)
      html += formatted("<div class=\"finding\">{}</div>\n", escaped(change.message));
    return html;
  }

  /// Findings and remarks of code without lines.
  std::string unplaced() const {
    std::string html;
    const auto add = [&](const emulator::Place& place, std::string_view rule,
                         const std::string& message, const std::string& fix) {
      if (source_place(place.source).line == 0)
        html +=
            formatted("<div class=\"finding\">{} [{}]<br>fix: {}<br><code>{}</code></div>\n",
                      escaped(message), rule, escaped(fix), escaped(code_text(place, run_.target)));
    };
    for (const AlikeFindings& alike : alike_findings(run_))
      add(alike.first->place, emulator::finding_kind_name(alike.first->kind), alike.first->message,
          alike.first->fix);
    for (const Remark& remark : remarks(run_))
      add(remark.place, remark.rule, remark.message, remark.fix);
    return html;
  }

  LineFigures* figures(const std::string& source) {
    const SourcePlace place = source_place(source);
    return place.line == 0 ? nullptr : &files_[place.file][place.line];
  }

  /// The line of an instruction. If the instruction was inlined, also the lines of the calls around
  /// it.
  std::set<LineFigures*> lines_of(std::uint64_t program_counter, const std::string& source) {
    std::set<LineFigures*> all{figures(source)};
    if (const auto known = run_.callers.find(program_counter); known != run_.callers.end())
      for (const std::string& caller : known->second) all.insert(figures(caller));
    all.erase(nullptr);
    return all;
  }

  void gather() {
    for (const LineCount& line : run_.lines)
      if (LineFigures* at = figures(line.source)) at->instructions += line.count;
    if (const auto& report = run_.report.emulated) {
      for (const emulator::LdsAccess& access : report->lds)
        for (LineFigures* at : lines_of(access.program_counter, access.source)) {
          at->extra_passes += access.extra_passes;
          at->ideal_passes += access.ideal_passes;
        }
      for (const emulator::GlobalAccess& access : report->global)
        for (LineFigures* at : lines_of(access.program_counter, access.source)) {
          at->sectors_touched += access.sectors_touched;
          at->sectors_needed += access.sectors_needed;
        }
    }
    for (const AlikeFindings& alike : alike_findings(run_)) {
      const emulator::Finding& finding = *alike.first;
      const std::string more =
          alike.count == 1 ? ""
                           : formatted("; and {} more between these lines, at other instructions",
                                       alike.count - 1);
      note(finding.place, "error", emulator::finding_kind_name(finding.kind),
           finding.message + more, finding.fix);
      // A related place of a finding gets a note, not an error of its own.
      for (const emulator::RelatedPlace& related : finding.related)
        if (related.place.source != finding.place.source)
          note(related.place, "note", emulator::finding_kind_name(finding.kind),
               related.role + ", for the error at " + finding.place.source, "");
    }
    for (const Remark& remark : remarks(run_))
      note(remark.place, "remark", remark.rule, remark.message, remark.fix);
  }

  void note(const emulator::Place& place, std::string_view kind, std::string_view rule,
            const std::string& message, const std::string& fix) {
    if (LineFigures* at = figures(place.source))
      at->notes.push_back(note_html(place, kind, rule, message, fix.empty() ? "" : "fix: " + fix));
    const auto known = run_.callers.find(place.program_counter);
    if (known == run_.callers.end()) return;
    // If the code was inlined, the lines of the calls get a note that names the place of the code.
    for (const std::string& caller : known->second)
      if (LineFigures* at = figures(caller))
        at->notes.push_back(note_html(place, "note", rule, message, "in " + place.source));
  }

  std::string note_html(const emulator::Place& place, std::string_view kind, std::string_view rule,
                        const std::string& message, const std::string& fix) const {
    return formatted(
        "<tr class=\"note {}\"><td colspan=\"5\">{}: {} [{}]{}<br><code>{}</code></td></tr>\n",
        kind, kind, escaped(message), rule, fix.empty() ? "" : "<br>" + escaped(fix),
        escaped(code_text(place, run_.target)));
  }

  std::string file_html(const std::string& name, const File& lines) {
    const std::string& text = sources_.text(name);
    std::string html = formatted("<h2>{}</h2>\n", escaped(name));
    if (text.empty())
      html +=
          "<p>its lines are not shown: the file is not there, or lies neither below the working "
          "folder nor among Heddle's headers</p>\n";
    html += formatted(
        "<div class=\"scroll\"><table class=\"source\">\n<tr><th>line</th><th>"
        "instructions</th><th>{} passes (extra)</th><th>sectors (needed)</th><th class=\"code\">"
        "source</th></tr>\n",
        run_.target.starts_with("sm_") ? "shared memory" : "LDS");
    std::uint64_t most = 1;
    for (const auto& [line, figures] : lines) most = std::max(most, figures.instructions);
    const std::set<std::size_t> shown = shown_lines(lines);
    std::size_t number = 0, last = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (shown.contains(++number)) {
        if (number > last + 1) html += "<tr class=\"gap\"><td colspan=\"5\">…</td></tr>\n";
        html += line_html(number, text.substr(begin, end - begin), lines, most);
        last = number;
      }
      begin = end + 1;
    }
    if (text.empty())  // the file is missing, but its figures exist
      for (const auto& [line, figures] : lines) html += line_html(line, "", lines, most);
    return html + "</table></div>\n";
  }

  /// Lines with figures and three around each.
  static std::set<std::size_t> shown_lines(const File& lines) {
    std::set<std::size_t> shown;
    for (const auto& [line, figures] : lines)
      for (std::size_t i = line < 4 ? 1 : line - 3; i <= line + 3; ++i) shown.insert(i);
    return shown;
  }

  static std::string line_html(std::size_t number, const std::string& text, const File& lines,
                               std::uint64_t most) {
    const auto found = lines.find(number);
    const LineFigures figures = found == lines.end() ? LineFigures{} : found->second;
    const auto cell = [](bool filled, bool costs, const std::string& words) {
      return formatted("<td{}>{}</td>", costs ? " class=\"costs\"" : "", filled ? words : "");
    };
    std::string html = formatted("<tr><td>{}</td>", number);
    html += figures.instructions == 0
                ? "<td></td>"
                : formatted(
                      "<td class=\"hot\" style=\"--share:{:.0f}%\">{}</td>",
                      100.0 * static_cast<double>(figures.instructions) / static_cast<double>(most),
                      figures.instructions);
    html += cell(
        figures.ideal_passes > 0, figures.extra_passes > 0,
        formatted("{} ({})", figures.ideal_passes + figures.extra_passes, figures.extra_passes));
    html += cell(figures.sectors_touched > 0, figures.sectors_touched > 2 * figures.sectors_needed,
                 formatted("{} ({})", figures.sectors_touched, figures.sectors_needed));
    html += formatted("<td class=\"code\">{}</td></tr>\n", escaped(text));
    for (const std::string& note : figures.notes) html += note;
    return html;
  }

  const KernelRun& run_;
  ReportSources sources_;
  std::map<std::string, File> files_;
};

}  // namespace

std::string kernel_run_html(const KernelRun& run) { return Page(run).html(); }

std::string refusal_html(const std::string& message) {
  return fmt::format(fmt::runtime(head), fmt::arg("title", "refused")) +
         formatted("<h1>refused</h1>\n<pre class=\"summary\">{}</pre>\n</body>\n</html>\n",
                   escaped(message));
}

}  // namespace heddle::tool
