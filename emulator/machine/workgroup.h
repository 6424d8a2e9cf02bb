// Runs workgroups, one after the other, on one host thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/machine/dispatch.h"
#include "emulator/machine/wavefront.h"
#include "heddle/memory/banks.h"

namespace heddle::emulator {

// What the bank model saw of one LDS instruction.
struct BankCount {
  uint64_t issued = 0, ideal_passes = 0, extra_passes = 0;
  int bytes_per_lane = 0;
};

class WorkgroupRunner {
 public:
  explicit WorkgroupRunner(const Dispatch& dispatch);
  ~WorkgroupRunner();

  // Runs one workgroup to its end; nothing when it went well.
  std::optional<Fault> run(uint64_t workgroup, bool profile);

  // By instruction index, over all workgroups run so far.
  const std::vector<uint64_t>& counts() const { return counts_; }
  const std::vector<BankCount>& banks() const { return banks_; }
  const Counters& counters() const { return counters_; }

 private:
  void start(uint64_t workgroup, bool profile);
  std::optional<Fault> run_until_all_ended();
  bool is_runnable(const Wavefront& wave) const;
  void run_slice(Wavefront& wave);
  void end(Wavefront& wave);
  Fault fault_of(const Wavefront& wave, FaultKind kind) const;
  Fault barrier_fault() const;
  Fault limit_fault(const Wavefront& wave) const;
  std::string message_of(const Wavefront& wave, FaultKind kind) const;
  static void observe_lds(Wavefront& wave, const Instruction* in, const uint32_t* addresses,
                          uint32_t mask, int bytes_per_lane);

  const Dispatch& dispatch_;
  std::unique_ptr<Wavefront[]> waves_;
  uint32_t wave_count_;
  std::vector<std::byte> lds_, scratch_;
  uint64_t scratch_pitch_;
  BarrierState barrier_;
  std::vector<uint64_t> counts_;
  memory::BankModel bank_model_;
  std::vector<BankCount> banks_;
  Counters counters_;
  uint64_t workgroup_ = 0;
  uint64_t executed_ = 0;  // of this workgroup
  uint32_t installed_mode_ = ~0u;
};

}  // namespace heddle::emulator
