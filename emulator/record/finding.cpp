#include "emulator/record/finding.h"

#include <algorithm>

#include "emulator/record/budget.h"
#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

using enum FindingKind;

constexpr FindingDescription descriptions[] = {
    {register_read_before_wait, "register-read-before-wait",
     "An instruction reads a register whose load may not have arrived.",
     "Wait for the load before the instruction."},
    {register_overwritten_before_wait, "register-overwritten-before-wait",
     "An instruction writes a register that an earlier load may write later.",
     "Wait for the load before the instruction, or load into another register."},
    {lds_read_before_written, "lds-read-before-written",
     "A lane reads bytes of LDS that no wave of the workgroup has written.",
     "Write the bytes first, or keep the lane from reading them."},
    {lds_race_read_after_write, "lds-race-read-after-write",
     "A wave reads bytes of LDS that another wave writes, with no barrier between, or that a copy "
     "of "
     "its own may still be writing.",
     "Put __syncthreads() (a wait and a barrier) between the store and the load."},
    {lds_race_write_after_read, "lds-race-write-after-read",
     "A wave writes bytes of LDS that another wave reads, with no barrier between, or that an "
     "operation of its own may still be reading.",
     "Put __syncthreads() (a wait and a barrier) between the load and the store."},
    {lds_race_write_after_write, "lds-race-write-after-write",
     "Two waves write the same bytes of LDS with no barrier between, or a wave and a copy of its "
     "own "
     "do with no wait between.",
     "Put __syncthreads() (a wait and a barrier) between the stores, or let one wave write."},
    {conflicting_lanes, "conflicting-lanes",
     "Two lanes of one instruction store different values to the same bytes.",
     "Let one lane store, or give each lane a place of its own."},
    {global_race_read_after_write, "global-race-read-after-write",
     "A wave reads bytes of global memory that another wave writes, and nothing orders the two.",
     "Order the two: in one workgroup by a wait and a barrier, between workgroups by a release "
     "after the store and an acquire before the load."},
    {global_race_write_after_read, "global-race-write-after-read",
     "A wave writes bytes of global memory that another wave reads, and nothing orders the two.",
     "Order the two, or write to another place."},
    {global_race_write_after_write, "global-race-write-after-write",
     "Two waves write the same bytes of global memory, and nothing orders the two.",
     "Order the two, use one atomic operation, or let one of them write."},
    {stale_scalar_load, "stale-scalar-load",
     "A scalar load reads what its own wave has stored, which the scalar cache need not show.",
     "Wait for the store and put s_dcache_inv before the load, or load with a vector "
     "instruction."},
    {scalar_store_not_written_back, "scalar-store-not-written-back",
     "A scalar store may still be in the scalar cache where a vector instruction of its wave uses "
     "the bytes, or where the wave ends.",
     "Put s_dcache_wb behind the store, and s_waitcnt lgkmcnt(0) before an instruction that uses "
     "the bytes."},
    {order_dependent_result, "order-dependent-result",
     "The result depends on the order in which workgroups run.",
     "Order the workgroups, or make the result independent of who comes first."},
    {divergent_barrier, "divergent-barrier",
     "A wave ends after fewer barriers than others of its workgroup come to.",
     "Let every wave of the workgroup come to as many barriers, if it was not meant to leave "
     "early.",
     true},
    {serialised_products, "serialised-products",
     "An instruction uses a register of a wgmma before wgmma.wait_group; PTX leaves that "
     "undefined, "
     "and ptxas inserts a wait.",
     "Put wgmma.wait_group before the instruction, or the instruction behind the wait that is "
     "there.",
     true},
    {barrier_not_awaited, "barrier-not-awaited",
     "A wave signals a barrier and ends without a wait for it.",
     "Put s_barrier_wait before the end of the wave."},
    {barrier_before_init, "barrier-before-init",
     "A wave uses a named barrier, and nothing orders that after the s_barrier_init of another "
     "wave.",
     "Put a barrier of the workgroup between s_barrier_init and the first use."},
    {missing_proxy_fence, "missing-proxy-fence",
     "An asynchronous instruction uses memory that ordinary stores have written, with no fence of "
     "the async proxy between.",
     "Put fence.proxy.async behind the stores, before the barrier."},
    {memory_barrier_misuse, "mbarrier-misuse",
     "An mbarrier is initialised, used or invalidated in a way that PTX leaves undefined.",
     "Initialise an mbarrier once, make that visible, and invalidate it when nobody uses it."},
    {peer_memory_lifetime, "peer-memory-lifetime",
     "A block uses the shared memory of a block of its cluster that may not have begun, or may "
     "have ended.",
     "Put barrier.cluster.arrive and .wait before the first use and behind the last."},
    {undefined_address, "undefined-address",
     "An address is computed from a value that nobody wrote.",
     "Initialise the value, or keep the lane from the access."},
    {undefined_store, "undefined-store", "A value that nobody wrote is stored to global memory.",
     "Initialise the value, or keep the lane from the store."},
    {undefined_condition, "undefined-condition",
     "A branch or EXEC depends on a value that nobody wrote.", "Initialise the value."},
    {undefined_matrix_operand, "undefined-matrix-operand",
     "A matrix instruction multiplies or adds a value that nobody wrote.",
     "Fill every element of the fragment; elements outside of the matrix are zero."},
    {global_read_before_written, "global-read-before-written",
     "A lane reads bytes of a buffer that nobody has written.",
     "Write the bytes first, or give the buffer a first value (in a launch file: `zero` behind its "
     "sizes)."},
    {matrix_unequal_copies, "matrix-unequal-copies",
     "Lanes 16 to 31 of A or B are no copy of lanes 0 to 15.",
     "Load the fragment with the lane number modulo 16."},
    {matrix_inactive_lanes, "matrix-inactive-lanes",
     "A matrix instruction runs while lanes are off.",
     "Move the instruction out of the divergent code, and fill lanes with zero instead."},
    {matrix_register_hazard, "matrix-register-hazard",
     "A matrix instruction reads what the one before it writes, too early.",
     "Put a v_nop or an independent vector instruction between the two."},
    {wait_state_hazard, "wait-state-hazard",
     "An instruction comes before the hardware is done with an earlier one, for which it does not "
     "wait.",
     "Put s_nop or independent instructions between the two."},
    {tensor_memory_race, "tensor-memory-race",
     "Two tcgen05 operations use the same place of tensor memory, one of them writes it, and "
     "nothing says that the first is complete before the second begins.",
     "Wait for the first operation, and synchronise the threads, before the second."},
    {tensor_memory_freed_early, "tensor-memory-freed-early",
     "Tensor memory is freed while an operation may still use it.",
     "Wait for all operations on it, and synchronise the warps, before tcgen05.dealloc."},
    {tensor_memory_misused, "tensor-memory-misused",
     "Tensor memory is allocated, freed or addressed against the rules of tcgen05.",
     "Follow the rule that the message names."},
    {global_out_of_bounds, "global-out-of-bounds",
     "A global, flat or buffer access lies outside of every buffer.",
     "Keep the lane from the access, or correct its address."},
    {global_read_only, "global-read-only", "A store into memory that the kernel may only read.",
     "Store into a buffer."},
    {lds_out_of_bounds, "lds-out-of-bounds", "An access outside of the LDS of the workgroup.",
     "Ask for more LDS, or correct the address."},
    {scratch_out_of_bounds, "scratch-out-of-bounds",
     "An access outside of the private memory of a lane.", "Correct the index into the array."},
    {misaligned, "misaligned-access", "An address that the hardware does not take.",
     "Align the address to the size of the access."},
    {barrier_never_completes, "barrier-never-completes",
     "A wave waits at a barrier that other waves never reach.",
     "Let every wave of the workgroup go through the same barriers."},
    {budget_spent, "budget-spent", "The run ended because it took more than it is allowed.",
     "Raise the limit with the option that the message names, if the kernel is to take so much."},
    {assertion_failed, "assertion-failed",
     "The kernel ended itself: an assertion of its own failed, or it came to a trap.",
     "Correct what the assertion found, or the values that lead to this place."},
    {not_executed, "not-executed", "The run ended at an instruction that was not executed.",
     "Write what the message names otherwise: docs/emulator.md says what is executed."},
};

// The fix for a spent budget. The fault's message names the option that raises it (Meter::message).
std::string fix_of_spent_budget(std::string_view message) {
  for (const ResourceRow& resource : resource_rows)
    if (message.contains(formatted("{} raises it", resource.option)))
      return formatted("Raise {}, if the kernel is to take so much.", resource.option);
  return std::string(description(budget_spent).fix);
}

std::string fix_of(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::budget_spent:
      return fix_of_spent_budget(fault.message);
    case FaultKind::bad_jump:
      return "Correct the branch, or the address of the function that is called.";
    default:
      return std::string(description(finding_kind(fault.kind)).fix);
  }
}

}  // namespace

std::span<const FindingDescription> finding_descriptions() { return descriptions; }

const FindingDescription& description(FindingKind kind) {
  return *std::ranges::find(descriptions, kind, &FindingDescription::kind);
}

std::string_view finding_kind_name(FindingKind kind) { return description(kind).name; }

FindingKind finding_kind(FaultKind kind) {
  switch (kind) {
    case FaultKind::global_out_of_bounds:
      return global_out_of_bounds;
    case FaultKind::global_read_only:
      return global_read_only;
    case FaultKind::lds_out_of_bounds:
      return lds_out_of_bounds;
    case FaultKind::scratch_out_of_bounds:
      return scratch_out_of_bounds;
    case FaultKind::misaligned:
      return misaligned;
    case FaultKind::wmma_inactive_lanes:
      return matrix_inactive_lanes;
    case FaultKind::wmma_unequal_copies:
      return matrix_unequal_copies;
    case FaultKind::tensor_memory_misused:
      return tensor_memory_misused;
    case FaultKind::barrier_never_completes:
      return barrier_never_completes;
    case FaultKind::budget_spent:
      return budget_spent;
    case FaultKind::trap:
      return assertion_failed;
    default:
      return not_executed;
  }
}

std::string Finding::text(std::string_view kernel) const {
  std::string result = formatted("{}: {}\n", finding_kind_name(kind), message);
  const auto add = [&](const Place& at) {
    result += place_text(kernel, at.program_counter, at.instruction, at.source);
  };
  add(place);
  result += formatted("  workgroup ({}, {}, {})", workgroup[0], workgroup[1], workgroup[2]);
  if (wave >= 0) result += formatted(", wave {}", wave);
  if (lanes != 0) result += formatted(", lanes {:#x}", lanes);
  result += count > 1 ? formatted("; {} times\n", count) : "\n";
  for (const RelatedPlace& other : related) {
    result += formatted("  {}\n", other.role);
    add(other.place);
  }
  return result + formatted("  fix: {}\n", fix);
}

Finding finding_of(const Fault& fault) {
  Finding finding;
  finding.kind = finding_kind(fault.kind);
  finding.message = finding.kind == not_executed
                        ? formatted("{}: {}", fault_kind_name(fault.kind), fault.message)
                        : fault.message;
  finding.fix = fix_of(fault);
  finding.place = {fault.program_counter, fault.instruction, fault.source};
  finding.workgroup = fault.workgroup;
  finding.wave = fault.wave;
  if (fault.lane >= 0 && fault.lane < 64) finding.lanes = uint64_t{1} << fault.lane;
  return finding;
}

}  // namespace heddle::emulator
