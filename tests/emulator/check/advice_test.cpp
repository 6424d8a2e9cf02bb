// What the checker advises, the assembler takes, on every processor that it can be advised for.
#include <algorithm>
#include <map>
#include <regex>

#include "../kernels.h"
#include "emulator/check/effects.h"
#include "emulator/machine/target.h"
#include "emulator/record/finding.h"

namespace heddle::emulator::testing {
namespace advice_test {

using namespace check;

constexpr std::string_view processors[] = {"gfx90a",  "gfx942",  "gfx950",  "gfx1100",
                                           "gfx1151", "gfx1200", "gfx1201", "gfx1250"};

/// Instructions, with "and" between them; "3 v_nop" are three of one.
std::vector<std::string> instructions(std::string text) {
  std::vector<std::string> all;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = text.find(" and ");
    std::string one = text.substr(0, end);
    if (!one.empty() && std::isdigit(one[0])) one.erase(0, one.find(' ') + 1);
    all.push_back(one);
    if (end != std::string::npos) text.erase(0, end + 5);
  }
  return all;
}

/// All counters in which an instruction of the processor counts.
std::vector<Counter> counters(const Target& target) {
  std::vector<Counter> all = {Counter::load, Counter::store, Counter::lds, Counter::scalar};
  if (target.has(Feature::gfx1250_code)) all.insert(all.end(), {Counter::async, Counter::tensor});
  if (target.has(Feature::gfx12_code) && !target.has(Feature::gfx1250_code))
    all.insert(all.end(), {Counter::sample, Counter::bvh});
  return all;
}

void expect_assembled(const std::string& body, std::string_view processor) {
  SCOPED_TRACE(std::string(processor) + "\n" + body);
  const int wave = processor.starts_with("gfx9") ? 64 : 32;
  assemble(kernel_text({{.name = "advice", .body = body + "s_endpgm\n", .wave = wave}},
                       std::string(processor)),
           std::string(processor), wave);
}

TEST(Advice, AssemblesOnItsProcessor) {
  for (const std::string_view processor : processors) {
    const Target& target = *find_target(processor);
    std::string body;
    const auto add = [&](std::string_view text) {
      for (const std::string& one : instructions(std::string(text))) body += one + "\n";
    };
    for (const Counter counter : counters(target))
      for (const unsigned left : {0u, 1u, 7u})
        add(wait_text(counter, left, row(target.family).counters));
    add(invalidation_text(target, true));
    add(invalidation_text(target, false));
    add(scalar_invalidation);
    for (const int states : {1, 9, 16, 20}) add(idle_text(target, states));
    if (const std::string_view text = write_back_text(target); !text.empty()) {
      add(text);
      body += "global_store_dword v0, v1, s[2:3] " + std::string(write_through_text(target)) + "\n";
    }
    // Stores of scalar instructions are CDNA's.
    if (is_cdna(target.family)) add(scalar_write_back);
    expect_assembled(body, processor);
  }
}

/// Which processors have a finding whose usual advice names an instruction.
const std::map<std::string_view, std::vector<std::string_view>> kinds_with_instructions = {
    {"stale-scalar-load", {std::begin(processors), std::end(processors)}},
    {"scalar-store-not-written-back", {"gfx90a", "gfx942", "gfx950"}},
    {"barrier-not-awaited", {"gfx1200", "gfx1201", "gfx1250"}},
    {"barrier-before-init", {"gfx1250"}},
    {"matrix-register-hazard", {"gfx1100", "gfx1151", "gfx1200", "gfx1201"}},
    {"wait-state-hazard", {"gfx90a", "gfx942", "gfx950"}},
};

TEST(Advice, OfEveryKindAssembles) {
  const std::regex instruction(R"((?:\b(?:s|v|ds|buffer|global)_[a-z0-9_]+)(?: lgkmcnt\(0\))?)");
  const std::map<std::string, std::string> operands = {
      {"s_barrier_wait", " -1"}, {"s_barrier_init", " 1"}, {"s_nop", " 0"}};
  for (const FindingDescription& kind : finding_descriptions()) {
    const std::string fix(kind.fix);
    std::string body;
    for (auto at = std::sregex_iterator(fix.begin(), fix.end(), instruction);
         at != std::sregex_iterator(); ++at) {
      const std::string one = at->str();
      const auto known = operands.find(one);
      body += one + (known == operands.end() ? "" : known->second) + "\n";
    }
    const auto on = kinds_with_instructions.find(kind.name);
    EXPECT_EQ(body.empty(), on == kinds_with_instructions.end()) << kind.name << "\n" << body;
    if (on == kinds_with_instructions.end()) continue;
    for (const std::string_view processor : on->second) expect_assembled(body, processor);
  }
}

}  // namespace advice_test
}  // namespace heddle::emulator::testing
