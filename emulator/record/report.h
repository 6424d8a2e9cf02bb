// What a run did, counted in the emulated machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/record/fault.h"
#include "emulator/record/finding.h"
#include "emulator/record/timeline.h"

namespace heddle::emulator {

struct OpcodeCount {
  std::string mnemonic;  // as the assembler writes it, without encoding suffix
  uint64_t count = 0;    // wavefront instructions
};

// A phase of an LDS access (heddle/memory/banks.h) whose lanes collide.
struct ConflictPhase {
  int number = 0;             // among the phases of the bank model
  uint64_t extra_passes = 0;  // over the profiled workgroups
  // The worst access of the phase:
  int passes = 0;      // 1 would be ideal
  int bank = 0;        // the fullest
  uint64_t lanes = 0;  // that want different words of it
};

// One LDS instruction of the kernel, over the profiled workgroups.
struct LdsAccess {
  uint64_t program_counter = 0;  // bytes from the first instruction of the kernel
  std::string instruction;       // disassembled
  std::string source;            // "file:line:column", empty without debug info
  int bytes_per_lane = 0;
  uint64_t issued = 0;                   // accesses: an instruction with two addresses makes two
  uint64_t ideal_passes = 0;             // of all of them without any conflict
  uint64_t extra_passes = 0;             // by the bank model of heddle/memory/banks.h
  std::vector<ConflictPhase> conflicts;  // those with extra passes, by number
};

// One global, flat or buffer instruction of the kernel, over the profiled workgroups. Memory moves
// in sectors of 32 bytes, aligned to their size: the least that the last cache asks memory for, by
// the counter GL2C_EA_RDREQ_32B of AMD's profilers.
struct GlobalAccess {
  static constexpr uint32_t sector_bytes = 32;
  uint64_t program_counter = 0;
  std::string instruction;
  std::string source;
  int bytes_per_lane = 0;
  uint64_t issued = 0;
  uint64_t lanes = 0;            // active ones, over all of `issued`
  uint64_t sectors_touched = 0;  // different ones that each access touches
  uint64_t sectors_needed = 0;   // that the different bytes of each access would fill, packed
};

// How often one instruction of the kernel was executed.
struct InstructionCount {
  uint64_t program_counter = 0;
  uint64_t count = 0;  // wavefront instructions
};

struct RunReport {
  uint64_t instructions = 0;               // wavefront instructions, every workgroup
  uint64_t spent = 0;                      // of Budget::instructions, with Launch::spent
  std::vector<OpcodeCount> opcodes;        // most frequent first
  std::vector<InstructionCount> executed;  // at least once, in program order
  uint64_t wmma = 0;
  uint64_t barriers = 0;  // barrier signals by waves

  uint64_t global_bytes_read = 0;  // by lanes, before any cache
  uint64_t global_bytes_written = 0;
  uint64_t lds_bytes_read = 0;
  uint64_t lds_bytes_written = 0;
  uint64_t scratch_bytes = 0;

  uint64_t workgroups = 0;
  uint64_t waves = 0;
  unsigned threads = 0;     // of the host
  double seconds = 0;       // of the host's clock, decoding not included
  double core_seconds = 0;  // of its processors, all threads together

  uint64_t profiled_workgroups = 0;  // that `lds` and `global` are about
  std::vector<LdsAccess> lds;        // in program order
  std::vector<GlobalAccess> global;  // in program order
  // Of workgroup 0, of a cluster the first block, where it was profiled.
  std::optional<Timeline> timeline;
  std::string simd;  // which handlers ran: "x86-64-v4", ...

  // A launch with `check`: what was found, in the order of workgroups, then of program counters.
  // A fault ends such a run with a report of what was seen till then, here and as the last finding.
  std::vector<Finding> findings;
  std::optional<Fault> fault;
  std::vector<Finding> notes;  // FindingDescription::is_note: no errors
  // And what was not looked at, each with the reason, as the end of "not checked: ...".
  std::vector<std::string> unchecked;
};

}  // namespace heddle::emulator
