// A finding of the checker: a mistake of a kernel, where it is, the other access with which it
// conflicts, and how to fix it. docs/checker.md has a row for each kind, with its rule.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/record/fault.h"

namespace heddle::emulator {

enum class FindingKind : uint8_t {
  // Registers and the loads that fill them.
  register_read_before_wait,
  register_overwritten_before_wait,
  // LDS and the waves of a workgroup.
  lds_read_before_written,
  lds_race_read_after_write,
  lds_race_write_after_read,
  lds_race_write_after_write,
  conflicting_lanes,
  divergent_barrier,    // a note
  serialised_products,  // a note
  barrier_not_awaited,
  barrier_before_init,
  missing_proxy_fence,
  memory_barrier_misuse,
  peer_memory_lifetime,
  // About global memory, the waves of a workgroup, and workgroups.
  global_race_read_after_write,
  global_race_write_after_read,
  global_race_write_after_write,
  stale_scalar_load,
  scalar_store_not_written_back,
  order_dependent_result,
  // Values that nobody wrote.
  undefined_address,
  undefined_store,
  undefined_condition,
  undefined_matrix_operand,
  global_read_before_written,
  // Matrix instructions.
  matrix_unequal_copies,
  matrix_inactive_lanes,
  matrix_register_hazard,
  // Instructions that follow each other too closely.
  wait_state_hazard,
  // Tensor memory of sm_100.
  tensor_memory_race,
  tensor_memory_freed_early,
  tensor_memory_misused,  // also a fault
  // Faults, which end a run: see emulator/record/fault.h.
  global_out_of_bounds,
  global_read_only,
  lds_out_of_bounds,
  scratch_out_of_bounds,
  misaligned,
  barrier_never_completes,
  budget_spent,
  assertion_failed,  // or a trap of the kernel's own
  not_executed,      // an unknown opcode, a form the emulator lacks, a jump out of the code
};

// One row for each kind.
struct FindingDescription {
  FindingKind kind;
  std::string_view name;         // "lds-race-read-after-write": in files and as an anchor in docs
  std::string_view description;  // one sentence: what this kind of finding means
  std::string_view fix;          // one sentence: the cure, unless the finding has a more exact one
  bool is_note = false;          // it may be a mistake of the kernel, but the hardware allows it
};

std::span<const FindingDescription> finding_descriptions();
const FindingDescription& description(FindingKind kind);

// "lds-race-read-after-write".
std::string_view finding_kind_name(FindingKind kind);

// The kind of finding for a fault that ended a run. Precondition: `kind` is neither FaultKind::none
// nor bad_launch.
FindingKind finding_kind(FaultKind kind);

struct Place {
  uint64_t program_counter = 0;  // bytes from the first instruction of the kernel
  std::string instruction;       // disassembled
  std::string source;            // "file:line:column", empty without debug info
  bool operator==(const Place&) const = default;
};

struct RelatedPlace {
  std::string role;  // what happened there: "load issued here", "written by wave 2", ...
  Place place;
  bool operator==(const RelatedPlace&) const = default;
};

// A mistake, as it first occurred. Later occurrences of the same kind at the same places are only
// counted. Occurrences are ordered by workgroup, then by time, and findings are listed in the same
// order. So the first mistake, which often causes the others, comes first.
struct Finding {
  FindingKind kind = FindingKind::register_read_before_wait;
  std::string message;  // one sentence: the mistake, the values, the limit
  std::string fix;      // one sentence: the cure
  Place place;
  std::array<uint32_t, 3> workgroup = {};
  int wave = -1;       // in its workgroup; -1 when it is not about a single wave
  uint64_t lanes = 0;  // a mask of the lanes that it is about; 0: the whole wave
  uint64_t count = 1;  // occurrences in all workgroups
  uint32_t order = 0;  // among the findings and notes of a run
  std::vector<RelatedPlace> related;

  // The whole finding as a text of a few lines.
  std::string text(std::string_view kernel) const;
};

// Makes a finding of the fault that ended a checked run. This finding is the last one of the run.
Finding finding_of(const Fault& fault);

}  // namespace heddle::emulator
