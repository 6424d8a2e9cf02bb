#include "tools/heddle/reports/launches_report.h"

#include <llvm/Support/JSON.h>

#include <algorithm>

#include "answers/text/paragraph.h"
#include "library/text/formatted.h"
#include "tools/heddle/reports/program_run.h"
#include "tools/heddle/reports/report_json.h"
#include "tools/heddle/reports/report_text.h"

namespace heddle::tool {

std::string launches_text(const std::vector<KernelRun>& runs, std::size_t launches, int width) {
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i)
    text += formatted("launch {}\n", i + 1) + kernel_run_text(runs[i], width) + "\n";
  const auto wrong = std::ranges::find_if(runs, [](const KernelRun& run) { return !run.right(); });
  const bool is_judged =
      std::ranges::any_of(runs, [](const KernelRun& run) { return !run.results.empty(); });
  std::string verdict =
      wrong != runs.end() ? formatted("launch {}, {}, is the first with an error",
                                      wrong - runs.begin() + 1, wrong->kernel_name)
      : is_judged
          ? formatted("{} launches, each with what the one before has left: no errors", runs.size())
          : formatted("{} launches, none judged: there is no line 'expect'", runs.size());
  if (runs.size() < launches)
    verdict += formatted("; the {} behind it did not run", launches - runs.size());
  return text + answers::paragraph("launches", verdict, label_columns, width);
}

std::string launches_json(const std::vector<KernelRun>& runs) {
  using llvm::json::Array;
  using llvm::json::Object;
  Object report = run_report_json("sequence");
  Array kernels, results, findings, changes, dumped;
  double compiled = 0, ran = 0;
  bool is_judged = false;
  for (const KernelRun& run : runs) {
    auto parsed = llvm::json::parse(kernel_run_json(run));
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      continue;
    }
    Object kernel = std::move(*parsed->getAsObject());
    for (const auto& [key, all] : {std::pair("results", &results), std::pair("findings", &findings),
                                   std::pair("changes", &changes), std::pair("dumped", &dumped)})
      if (const Array* some = kernel.getArray(key))
        all->insert(all->end(), some->begin(), some->end());
    is_judged = is_judged || !run.results.empty();
    compiled += run.compile_seconds;
    ran += run.report.seconds;
    kernels.push_back(std::move(kernel));
  }
  const Object& first = *kernels.front().getAsObject();
  for (const char* key :
       {"file", "launch", "target", "executed_on", "device", "hardware", "checked"})
    if (const llvm::json::Value* value = first.get(key)) report[key] = *value;
  const bool right = std::ranges::all_of(runs, &KernelRun::right);
  report["finished"] = runs.back().finished;
  const bool has_no_wrong = std::ranges::all_of(
      runs, [](const KernelRun& run) { return run.right() || run.is_not_judged(); });
  report["right"] = verdict_json(right, has_no_wrong && !(right && is_judged));
  report["findings"] = std::move(findings);
  report["changes"] = std::move(changes);
  report["results"] = std::move(results);
  report["dumped"] = std::move(dumped);
  report["kernels"] = std::move(kernels);
  report["seconds"] = Object{{"compile", compiled}, {"run", ran}};
  return json_text(std::move(report));
}

KernelRun merged(const std::vector<KernelRun>& runs) {
  KernelTotal all;
  std::uint64_t number = 0;
  for (const KernelRun& run : runs) {
    all.add(run, ++number);
    if (number == 1) continue;
    all.run.kernel_name += ", " + run.kernel_name;
    all.run.results.insert(all.run.results.end(), run.results.begin(), run.results.end());
    all.run.changes.insert(all.run.changes.end(), run.changes.begin(), run.changes.end());
    all.run.spelled.insert(all.run.spelled.end(), run.spelled.begin(), run.spelled.end());
  }
  return all.run;
}

}  // namespace heddle::tool
