// The report in a format for editors and code review: SARIF, Static Analysis Results Interchange
// Format 2.1.0 (OASIS Standard, 27 March 2020).
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>

#include <filesystem>
#include <map>

#include "tools/heddle/reports/code_address.h"
#include "tools/heddle/reports/kernel_run.h"

namespace heddle::tool {
namespace {

using llvm::json::Array;
using llvm::json::Object;

constexpr const char* schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A path as a URI reference (section 3.4): all bytes except unreserved characters and / are
/// percent-encoded.
std::string uri_of(const std::string& path) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (plain.find(c) != std::string_view::npos) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += digits[byte >> 4];
    uri += digits[byte & 15];
  }
  return uri;
}

/// One location (section 3.28); without a line it is the whole file.
Object location(const std::string& file, std::size_t line, std::size_t column,
                const std::string& message = "") {
  Object physical{{"artifactLocation", Object{{"uri", uri_of(file)}}}};
  if (line > 0) {
    Object region{{"startLine", line}};
    if (column > 0) region["startColumn"] = column;
    physical["region"] = std::move(region);
  }
  Object object{{"physicalLocation", std::move(physical)}};
  if (!message.empty()) object["message"] = Object{{"text", message}};
  return object;
}

class Log {
 public:
  explicit Log(const KernelRun& run) : run_(run) {}

  Object finish() {
    const std::vector<Remark> remarks = tool::remarks(run_);
    std::size_t remark = 0;
    for (const AlikeFindings& alike : alike_findings(run_)) {
      while (remark < remarks.size() && remarks[remark].order < alike.first->order)
        add(remarks[remark++]);
      add(*alike.first, alike.count);
    }
    for (const HostMistake& mistake : run_.mistakes) add(mistake);
    for (const JudgedArray& result : run_.results) add(result);
    for (const runtime::MemoryChange& change : run_.changes) add(change);
    for (; remark < remarks.size(); ++remark) add(remarks[remark]);
    Object driver{{"name", "heddle"}, {"version", HEDDLE_VERSION}, {"rules", std::move(rules_)}};
    // If a fault ended the run, the tool could not judge the rest (section 3.20.14).
    Array invocations{Object{{"executionSuccessful", run_.finished}}};
    return run_object(std::move(driver), std::move(invocations));
  }

  Object finish_refused(const std::string& message, const std::string& file) {
    Object result =
        started("refused", "The input cannot be run.",
                "Correct the input at the place that the message names.", "error", message);
    result["locations"] = Array{location(file, 0, 0)};
    results_.push_back(std::move(result));
    Object driver{{"name", "heddle"}, {"version", HEDDLE_VERSION}, {"rules", std::move(rules_)}};
    return run_object(std::move(driver), Array{Object{{"executionSuccessful", false}}});
  }

 private:
  Object run_object(Object driver, Array invocations) {
    return Object{{"tool", Object{{"driver", std::move(driver)}}},
                  {"invocations", std::move(invocations)},
                  {"columnKind", "unicodeCodePoints"},
                  {"results", std::move(results_)}};
  }

  void add(const emulator::Finding& finding, std::size_t alike) {
    const emulator::FindingDescription& rule = emulator::description(finding.kind);
    Object result =
        started(std::string(rule.name), std::string(rule.description), std::string(rule.fix),
                "error", finding.message + ". Fix: " + finding.fix);
    result["locations"] = Array{at(finding.place)};
    Array related;
    if (const auto known = run_.callers.find(finding.place.program_counter);
        known != run_.callers.end())
      for (const std::string& caller : known->second) {
        const SourcePlace source = source_place(caller);
        related.push_back(location(source.file, source.line, source.column, "called from here"));
      }
    for (const emulator::RelatedPlace& place : finding.related)
      related.push_back(at(place.place, place.role));
    if (!related.empty()) result["relatedLocations"] = std::move(related);
    result["occurrenceCount"] = finding.count;
    Object properties{{"instruction", finding.place.instruction},
                      {"wave", finding.wave},
                      {"lanes", finding.lanes},
                      {"alike", alike - 1}};
    if (const auto address = code_address(finding.place, run_.target))
      properties["programCounter"] = *address;
    result["properties"] = std::move(properties);
    results_.push_back(std::move(result));
  }

  void add(const HostMistake& mistake) {
    Object result =
        started(std::string(host_mistake_rule), "A call of the host code is wrong.",
                "Correct the call, or look at what it returns.", "error", mistake.message);
    emulator::Place place;
    place.source = mistake.source;
    result["locations"] = Array{at(place)};
    results_.push_back(std::move(result));
  }

  void add(const JudgedArray& judged) {
    const runtime::Judgement& judgement = judged.judgement;
    if (judgement.right()) return;
    if (judgement.is_not_judged()) {
      Object result = started("unjudged-result", "A result whose limit says nothing.", judged.note,
                              "error", result_text(judged) + ". " + judged.note);
      result["locations"] = Array{location(run_.launch_file, judged.line, 1)};
      results_.push_back(std::move(result));
      return;
    }
    std::string text =
        llvm::formatv(
            "{0} is wrong: {1} of {2} elements are wrong and {3} are not "
            "written",
            judgement.result, judgement.wrong, judgement.elements.size(), judgement.unwritten)
            .str();
    for (const runtime::Explanation& explanation : judged.explanations)
      text += ". " + explanation.message + ". " + explanation.fix;
    Object result = started("wrong-result", "A result is not what the launch file expects.",
                            "See the explanation of the result.", "error", text);
    result["locations"] = Array{location(run_.launch_file, judged.line, 1)};
    results_.push_back(std::move(result));
  }

  void add(const runtime::MemoryChange& change) {
    Object result = started(change.is_error ? "unexpected-write" : "unjudged-array",
                            "Memory was written that no line 'expect' judges.",
                            "Write only results, and a line 'expect' for each.",
                            change.is_error ? "error" : "note", change.message);
    result["locations"] = Array{location(run_.launch_file, change.place.line, change.place.column)};
    results_.push_back(std::move(result));
  }

  void add(const Remark& remark) {
    Object result = started(remark.rule, "Something that costs time.", remark.fix, "note",
                            remark.message + ". Fix: " + remark.fix);
    result["locations"] = Array{at(remark.place)};
    results_.push_back(std::move(result));
  }

  Object started(const std::string& rule, const std::string& description, const std::string& help,
                 llvm::StringRef level, const std::string& message) {
    const auto [known, is_new] = numbers_.emplace(rule, rules_.size());
    if (is_new)
      rules_.push_back(Object{{"id", rule},
                              {"shortDescription", Object{{"text", description}}},
                              {"help", Object{{"text", help}}},
                              {"defaultConfiguration", Object{{"level", level}}}});
    return Object{{"ruleId", rule},
                  {"ruleIndex", known->second},
                  {"level", level},
                  {"message", Object{{"text", message}}}};
  }

  Object at(const emulator::Place& place, const std::string& message = "") const {
    const SourcePlace source = source_place(place.source);
    if (source.line == 0) return location(run_.file, 0, 0, message);
    return location(source.file, source.line, source.column, message);
  }

  const KernelRun& run_;
  Array rules_, results_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::string kernel_run_sarif(const KernelRun& run) {
  Object log{{"$schema", schema}, {"version", "2.1.0"}, {"runs", Array{Log(run).finish()}}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(log))).str();
}

std::string refusal_sarif(const std::string& message, const std::string& file) {
  const KernelRun none;
  Object log{{"$schema", schema},
             {"version", "2.1.0"},
             {"runs", Array{Log(none).finish_refused(message, file)}}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(log))).str();
}

}  // namespace heddle::tool
