// The findings of one runner of workgroups, each once however often it is met.
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

// Another instruction that a finding is about. The role is spelled out when the finding is new.
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
  // Another instruction is executed. If one instruction has a finding several times, in both halves
  // of a wave of 64 or in two accesses, it counts once, with all these lanes.
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

  // Merges logs: counts are added, and of equal findings the one of the lowest workgroup is kept.
  void take(FindingLog& other);
  // Those of workgroups up to `last`, by workgroup, then in the order in which they were met.
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

  // More are not kept: a kernel of wrong instructions has one for each pair of them.
  static constexpr std::size_t most_findings = 4096;
  // The new entry, or null when it was met before or there are too many.
  Entry* met(const Where& where, const std::vector<Related>& related);
  void describe(Entry& entry, const Where& where, const std::vector<Related>& related, Words words);
  Place place_of(uint32_t instruction) const;

  const Dispatch* dispatch_;
  uint64_t workgroup_ = 0, executed_ = 0, started_ = 0;
  bool has_errors_ = false;
  std::map<Key, Entry> entries_;
};

}  // namespace heddle::emulator::check
