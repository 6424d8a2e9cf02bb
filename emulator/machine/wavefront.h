// The state of a wavefront of 32 lanes, or of half a wavefront of 64, and the barriers that a
// workgroup's wavefronts share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "emulator/machine/instruction.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/observation.h"
#include "emulator/record/fault.h"

namespace heddle::emulator {

// Bits of MODE (RDNA3 ISA, "MODE register"). gfx12 has no IEEE mode, and it always clamps as if
// DX10_CLAMP were set.
constexpr uint32_t mode_keeps_f32_results = 1u << 5, mode_keeps_f16_f64_results = 1u << 7,
                   mode_dx10_clamp = 1u << 8, mode_ieee = 1u << 9, mode_fp16_overflow = 1u << 23;

enum class Event : uint8_t { none, ended, barrier, fault, yield };

struct Counters {
  uint64_t global_bytes_read = 0, global_bytes_written = 0;
  uint64_t lds_bytes_read = 0, lds_bytes_written = 0;
  uint64_t scratch_bytes = 0;
  uint64_t barriers = 0;
  // What executed instructions cost in excess of the fixed charge of each instruction
  // (emulator/decode/work.h), in the units of that charge.
  uint64_t work = 0;
};

// A cache of the operands A and B of matrix instructions, converted to the type that is multiplied.
// Successive matrix instructions with only waits and hints between them often share operands, so
// that each operand is converted once. Code that writes registers between two instructions of a
// wave, or switches to another wave, sets `next` to null, which empties the cache.
struct MatrixNumbers {
  static constexpr uint32_t nothing = ~0u;
  static constexpr unsigned kept = 4, most = 16 * 32;

  struct Operand {
    uint32_t is[kept] = {nothing, nothing, nothing, nothing};  // which registers, as which type
    unsigned oldest = 0;
    alignas(64) uint32_t numbers[kept][most];
  };
  const Instruction* next = nullptr;  // the one that may use them
  Operand a, b;
};

// Each 32-bit VGPR is an array of the values of its 32 lanes: 128 contiguous bytes.
struct alignas(128) Wavefront {
  // VGPRs from first_spare_register on hold temporary values during one instruction: the first
  // result of a dual-issue pair, the sources of SDWA, a source of DPP.
  uint32_t vgpr[vector_registers][32];
  uint32_t scalar[scalar_registers];

  // Inactive lanes read and write here, so that loops over lanes need no branch.
  alignas(64) std::byte spare[64];

  uint32_t first_lane = 0;     // 32 in the upper half of a wave of 64
  Wavefront* upper = nullptr;  // the upper half, in the lower one
  Wavefront* other = nullptr;  // of each half the other one
  const Region* regions = nullptr;
  uint64_t region_count = 0;
  PlacedRegions placed;
  std::byte* lds = nullptr;  // lds_bytes, and 64 behind them that lanes which are off use
  uint64_t lds_bytes = 0;
  std::byte* scratch = nullptr;  // lane l starts at l * scratch_pitch
  uint64_t scratch_bytes = 0;    // per lane
  uint64_t scratch_pitch = 0;
  uint64_t image_base = 0;                  // emulated address of the code object's address 0
  const uint32_t* addresses = nullptr;      // by instruction index: address in the image
  const int32_t* instruction_at = nullptr;  // by (address / 4): index or -1
  uint64_t instruction_slots = 0;
  const Instruction* instructions = nullptr;
  const uint64_t* literals = nullptr;       // constants of 64 bits, see constant_literal
  const Handler* inner_handlers = nullptr;  // see run_in_other_mode()

  // Set while the workgroup is profiled or checked.
  Observer observe = nullptr;
  void* observer = nullptr;
  bool verify_copies = false;  // unequal copies in a matrix operand end the run

  MatrixNumbers* numbers = nullptr;  // of the waves that take turns
  Counters counters;
  const Instruction* resume = nullptr;
  Event event = Event::none;
  uint64_t time = 0;  // what clocks say; rises with every question
  uint32_t mode = 0;  // MODE register, the bits of s_getreg
  bool barrier_waiting = false;
  bool barrier_signalled = false;
  uint32_t barrier_generation = 0;  // of the barrier this wave last signalled
  struct BarrierState* barrier = nullptr;
  // joined_barrier: the named barrier that this wave has joined (0: none). waits_for: the kind of
  // barrier for which the wave waits. joined_generation, cluster_generation: the last completion of
  // the joined barrier and of the cluster's barrier that a wait of this wave has seen.
  uint8_t joined_barrier = 0;
  enum class WaitsFor : uint8_t { workgroup, joined, cluster } waits_for = WaitsFor::workgroup;
  uint32_t joined_generation = 0, cluster_generation = 0;

  FaultKind fault = FaultKind::none;
  int fault_lane = -1;
  uint64_t fault_address = 0;
  uint32_t fault_bytes = 0;
};

// A numbered barrier of gfx12. It completes when `members` signals have arrived, from any waves.
// Waves that have joined the barrier may wait for it.
struct NumberedBarrier {
  uint32_t members = 0, signalled = 0;
  uint32_t generation = 0;  // completions
  void complete_if_due() {
    if (members == 0 || signalled < members) return;
    signalled = 0;
    ++generation;
  }
};

// The workgroup's barrier, which completes when every wave that has not ended has signalled, and
// the numbered barriers. Number 0 is the cluster's barrier: each workgroup of the cluster signals
// it once, and all of them wait for it.
struct BarrierState {
  uint32_t members = 0;
  uint32_t signalled = 0;
  uint32_t generation = 0;
  static constexpr uint32_t numbered_count = 32, cluster = 0;
  NumberedBarrier named[numbered_count] = {};
  NumberedBarrier* of_cluster = nullptr;
  NumberedBarrier& numbered(uint32_t number) {
    return number == cluster ? *of_cluster : named[number];
  }
  const NumberedBarrier& numbered(uint32_t number) const {
    return number == cluster ? *of_cluster : named[number];
  }
};

// If the wave does not wait for the workgroup's barrier: the number of the barrier for which it
// waits.
//
// This function and barrier_is_complete() are always inlined: the handlers are compiled several
// times, once for each kind of host processor, and the linker must not merge the copies that belong
// to different kinds.
[[gnu::always_inline]] inline uint32_t numbered_barrier(const Wavefront& w) {
  return w.waits_for == Wavefront::WaitsFor::joined ? w.joined_barrier : BarrierState::cluster;
}
// True if a wave that waits at a barrier may go on.
[[gnu::always_inline]] inline bool barrier_is_complete(const Wavefront& w) {
  if (w.waits_for == Wavefront::WaitsFor::workgroup)
    return w.barrier_signalled && w.barrier->generation != w.barrier_generation;
  if (w.waits_for == Wavefront::WaitsFor::joined && w.joined_barrier == 0) return false;
  const uint32_t seen =
      w.waits_for == Wavefront::WaitsFor::joined ? w.joined_generation : w.cluster_generation;
  return w.barrier->numbered(numbered_barrier(w)).generation != seen;
}

}  // namespace heddle::emulator
