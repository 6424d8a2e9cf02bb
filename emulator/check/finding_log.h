// The findings of one runner of workgroups (a thread of the host). A finding that occurs several
// times is kept once, with a count.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/dispatch/dispatch.h"
#include "emulator/record/finding.h"

namespace heddle::emulator::check {

// Another instruction that is involved in a finding, and what it has to do with it, in words:
// "written here".
struct Related {
  std::string_view role;
  uint32_t instruction;
};

class FindingLog {
 public:
  explicit FindingLog(const Dispatch& dispatch) : dispatch_(&dispatch) {}

  void start(uint64_t workgroup) {
    workgroup_ = workgroup;
    started_ = executed_;
  }
  // Call for each instruction that is executed. If the same finding is added several times between
  // two calls, in both halves of a wave of 64 lanes or in two accesses of one instruction, it
  // counts once, with the lanes of all of them.
  void next_instruction() { ++executed_; }
  // How many were.
  uint64_t time() const { return executed_; }
  uint64_t workgroup() const { return workgroup_; }
  bool has_errors() const { return has_errors_; }

  // The description of a finding at its first occurrence.
  struct Words {
    std::string message, fix;
  };
  struct Where {
    FindingKind kind;
    uint32_t instruction;
    int wave;
    uint64_t lanes;
    std::optional<uint64_t> time = {};  // when it happened, if that is only found out now
  };
  template <class Spell>  // Words()
  void add(const Where& where, const std::vector<Related>& related, Spell spell) {
    if (Entry* entry = met(where, related)) describe(*entry, where, related, spell());
  }

  // Merges the findings of `other` into this log. If both logs have the same finding, the counts
  // are added, and the finding with the lower workgroup is kept.
  void take(FindingLog& other);
  // Returns the findings in workgroups up to number `last`, sorted by workgroup and, in a
  // workgroup, by the time at which they first occurred.
  std::vector<Finding> finish(uint64_t last);

 private:
  struct Entry {
    uint64_t workgroup = 0;
    uint64_t first = 0;     // when it was met first, from the start of its workgroup on
    uint64_t executed = 0;  // when it was met last
    bool is_new = true;     // it was met by one instruction so far
    Finding finding;
  };
  using Key = std::pair<std::pair<FindingKind, uint32_t>, std::vector<uint32_t>>;

  // The limit on different findings. In a kernel full of mistakes, each pair of instructions can be
  // a finding.
  static constexpr std::size_t most_findings = 4096;
  // Counts the finding. If it is new, returns its entry, which the caller must describe; null if it
  // has occurred before, or if there are too many findings.
  Entry* met(const Where& where, const std::vector<Related>& related);
  void describe(Entry& entry, const Where& where, const std::vector<Related>& related, Words words);
  Place place_of(uint32_t instruction) const;

  const Dispatch* dispatch_;
  uint64_t workgroup_ = 0, executed_ = 0, started_ = 0;
  bool has_errors_ = false;
  std::map<Key, Entry> entries_;
};

}  // namespace heddle::emulator::check
