// What a run may cost, on either machine, and the meter that the run charges.
//
// A kernel, its launch file and its module may come from anybody. Nothing that they say makes a run
// cost more than its budget: a run that would is ended with a fault whose message names the budget
// and the option that raises it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::emulator {

struct Budget {
  // Instructions that the waves (or warps) of one workgroup may execute together. An instruction
  // that takes the host longer than plain arithmetic counts several times: AMD's as
  // emulator/decode/work.h says, a matrix multiply of PTX as one for each 64 multiply-adds.
  uint64_t instructions_per_workgroup = 200'000'000;
  // Instructions of the whole run, all workgroups of the grid together, and all launches of a
  // sequence (Launch::spent). The start of a workgroup
  // counts as one for each 128 bytes of registers, scratch and LDS (local and shared memory) that
  // it clears.
  uint64_t instructions = 5'000'000'000;
  // Bytes that bulk copies (cp.async.bulk of PTX) move, over the whole run.
  uint64_t bulk_bytes = uint64_t{1} << 40;
  // Asynchronous operations that are issued and not yet waited for, of all workgroups that run at a
  // time: loads, copies and matrix products under way.
  uint64_t pending_copies = uint64_t{1} << 22;
  // Bytes that the emulator allocates for the run: images of code and variables, registers, scratch
  // and LDS of the workgroups that run at a time, copies under way, and what a checked run keeps.
  // The buffers of the launch are the caller's and are not counted.
  uint64_t memory_bytes = uint64_t{2} << 30;
};

enum class Resource : uint8_t {
  instructions_per_workgroup,
  instructions,
  bulk_bytes,
  pending_copies,
  memory_bytes,
};

struct ResourceRow {
  Resource resource;
  uint64_t Budget::* limit;
  std::string_view name;    // the field of Budget
  std::string_view what;    // "instructions of the whole run"
  std::string_view option;  // of `heddle run`
};
// In the order of Resource.
inline constexpr std::array<ResourceRow, 5> resource_rows{{
    {Resource::instructions_per_workgroup, &Budget::instructions_per_workgroup,
     "instructions_per_workgroup", "instructions of one workgroup", "--limit"},
    {Resource::instructions, &Budget::instructions, "instructions", "instructions of the whole run",
     "--limit-run"},
    {Resource::bulk_bytes, &Budget::bulk_bytes, "bulk_bytes", "bytes moved by bulk copies",
     "--limit-bulk-bytes"},
    {Resource::pending_copies, &Budget::pending_copies, "pending_copies",
     "operations issued and not waited for", "--limit-pending"},
    {Resource::memory_bytes, &Budget::memory_bytes, "memory_bytes", "bytes of memory",
     "--limit-memory"},
}};
constexpr const ResourceRow& row(Resource resource) {
  return resource_rows[static_cast<std::size_t>(resource)];
}

// Counts what a run has used. Threads of the host may charge it at the same time.
class Meter {
 public:
  // `instructions`: those that were used before.
  explicit Meter(const Budget& budget, uint64_t instructions = 0) : budget_(budget) {
    used_[index(Resource::instructions)] = instructions;
  }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  uint64_t limit(Resource resource) const { return budget_.*row(resource).limit; }
  uint64_t used(Resource resource) const { return used_[index(resource)]; }

  // Uses so much of the budget, or uses nothing and returns false when less is left.
  [[nodiscard]] bool charge(Resource resource, uint64_t amount);
  // Gives back what was charged: a copy has arrived, memory was freed.
  void release(Resource resource, uint64_t amount) { used_[index(resource)] -= amount; }

  // For a fault: "the budget of 2147483648 bytes of memory is spent; --limit-memory raises it
  // (Launch::budget.memory_bytes)".
  std::string message(Resource resource) const;

 private:
  static std::size_t index(Resource resource) { return static_cast<std::size_t>(resource); }
  Budget budget_;
  std::array<std::atomic<uint64_t>, resource_rows.size()> used_{};
};

}  // namespace heddle::emulator
