#include "emulator/decode/source_lines.h"

#include "emulator/decode/inlined_calls.h"
#include "emulator/decode/line_table.h"

namespace heddle::emulator {
namespace {

// The limit on the steps of the line reader and of the reader of inlined calls, for each: less than
// a second and 300 MB. A large kernel takes a hundredth of it.
constexpr uint64_t most_steps = uint64_t{1} << 22;

}  // namespace

struct SourceLines::State {
  explicit State(const DebugSections& sections)
      : lines(sections, line_effort), calls(sections, lines, call_effort) {}
  Effort line_effort{most_steps}, call_effort{most_steps};
  LineTable lines;
  InlinedCalls calls;
};

SourceLines::SourceLines(DebugSections sections) : sections_(std::move(sections)) {}
SourceLines::~SourceLines() = default;

SourceLines::State& SourceLines::state() {
  std::call_once(once_, [this] { state_ = std::make_unique<State>(sections_); });
  return *state_;
}

std::string SourceLines::find(uint64_t address) {
  return sections_.empty() ? std::string() : state().lines.find(address);
}

std::vector<std::string> SourceLines::find_callers(uint64_t address) {
  if (sections_.empty()) return {};
  return state().calls.find(address, state().lines);
}

}  // namespace heddle::emulator
