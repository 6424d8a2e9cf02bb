#include "emulator/check/finding_log.h"

#include <algorithm>

namespace heddle::emulator::check {

FindingLog::Entry* FindingLog::met(const Where& where, const std::vector<Related>& related) {
  Key key{{where.kind, where.instruction}, {}};
  for (const Related& other : related) key.second.push_back(other.instruction);
  if (const auto at = entries_.find(key); at != entries_.end()) {
    Entry& entry = at->second;
    if (entry.executed == executed_) {
      if (entry.is_new) entry.finding.lanes |= where.lanes;
      return nullptr;
    }
    ++entry.finding.count;
    entry.executed = executed_;
    entry.is_new = false;
    return nullptr;
  }
  has_errors_ = has_errors_ || !description(where.kind).is_note;
  if (entries_.size() >= most_findings) return nullptr;
  return &entries_[std::move(key)];
}

void FindingLog::describe(Entry& entry, const Where& where, const std::vector<Related>& related,
                          Words words) {
  entry.workgroup = workgroup_;
  entry.first = where.time.value_or(executed_) - started_;
  entry.executed = executed_;
  Finding& finding = entry.finding;
  finding.kind = where.kind;
  finding.message = std::move(words.message);
  finding.fix = words.fix.empty() ? std::string(description(where.kind).fix) : std::move(words.fix);
  finding.place = place_of(where.instruction);
  finding.workgroup = dispatch_->workgroup_id(workgroup_);
  finding.wave = where.wave;
  finding.lanes = where.lanes;
  for (const Related& other : related)
    finding.related.push_back({std::string(other.role), place_of(other.instruction)});
}

Place FindingLog::place_of(uint32_t instruction) const {
  const Program& program = dispatch_->program();
  const uint64_t address = program.addresses()[instruction];
  return {address - dispatch_->kernel().entry, program.text(instruction),
          dispatch_->object().source_line(address)};
}

void FindingLog::take(FindingLog& other) {
  has_errors_ = has_errors_ || other.has_errors_;
  for (auto& [key, entry] : other.entries_) {
    const auto [at, is_new] = entries_.try_emplace(key, entry);
    if (is_new) continue;
    const uint64_t count = at->second.finding.count + entry.finding.count;
    if (entry.workgroup < at->second.workgroup) at->second = entry;
    at->second.finding.count = count;
  }
}

std::vector<Finding> FindingLog::finish(uint64_t last) {
  std::vector<Entry> sorted;
  for (auto& [key, entry] : entries_)
    if (entry.workgroup <= last) sorted.push_back(std::move(entry));
  const auto key = [](const Entry& entry) {
    const Finding& f = entry.finding;
    return std::tie(entry.workgroup, entry.first, f.place.program_counter, f.kind, f.message);
  };
  std::ranges::sort(sorted, [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
  std::vector<Finding> findings;
  for (Entry& entry : sorted) {
    entry.finding.order = static_cast<uint32_t>(findings.size());
    findings.push_back(std::move(entry.finding));
  }
  return findings;
}

}  // namespace heddle::emulator::check
