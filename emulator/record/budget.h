// The budget of a run, for AMD and PTX alike, and the meter to which the run charges its costs.
//
// A kernel, its launch file and its module may come from an untrusted source. No run costs more
// than its budget. A run that would exceed it ends with a fault, whose message names the budget and
// the option that raises it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::emulator {

struct Budget {
  // The instructions that all waves (or warps) of one workgroup together may execute. An
  // instruction that takes the host longer than plain arithmetic counts several times. For AMD,
  // emulator/decode/work.h has the costs; in PTX, a matrix multiply counts one for each 64
  // multiply-adds.
  uint64_t instructions_per_workgroup = 200'000'000;
  // The instructions of the whole run: of all workgroups of the grid, and of all launches of a
  // sequence (Launch::spent). Starting a workgroup counts one for each 128 bytes of registers,
  // scratch and LDS (local and shared memory) that it clears.
  uint64_t instructions = 5'000'000'000;
  // The bytes that bulk copies (cp.async.bulk of PTX) move in the whole run.
  uint64_t bulk_bytes = uint64_t{1} << 40;
  // The asynchronous operations that may be pending at a time, in all workgroups that run then:
  // loads, copies and matrix products.
  uint64_t pending_copies = uint64_t{1} << 22;
  // The memory that the emulator allocates for the run: images of code and variables; registers,
  // scratch and LDS of the workgroups that run at a time; pending copies; and the records of a
  // checked run. The buffers of the launch belong to the caller and are not counted.
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
  std::string_view option;  // the option of `heddle run`
};
// One row for each Resource, in the same order.
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

// Counts what a run has used. Threads of the host may use a meter at the same time.
class Meter {
 public:
  // `instructions`: how many were used before.
  explicit Meter(const Budget& budget, uint64_t instructions = 0) : budget_(budget) {
    used_[index(Resource::instructions)] = instructions;
  }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  uint64_t limit(Resource resource) const { return budget_.*row(resource).limit; }
  uint64_t used(Resource resource) const { return used_[index(resource)]; }

  // Uses `amount` of the budget. If less is left, it uses nothing and returns false.
  [[nodiscard]] bool charge(Resource resource, uint64_t amount);
  // Gives back an amount that was charged: a copy has arrived, or memory was freed.
  void release(Resource resource, uint64_t amount) { used_[index(resource)] -= amount; }

  // The message of a fault: "the budget of 2147483648 bytes of memory is spent; --limit-memory
  // raises it (Launch::budget.memory_bytes)".
  std::string message(Resource resource) const;

 private:
  static std::size_t index(Resource resource) { return static_cast<std::size_t>(resource); }
  Budget budget_;
  std::array<std::atomic<uint64_t>, resource_rows.size()> used_{};
};

}  // namespace heddle::emulator
