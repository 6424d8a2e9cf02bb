// What a run reports: counts, memory statistics, findings and a fault.
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

// A phase of an LDS access in which lanes have bank conflicts (heddle/memory/banks.h).
struct ConflictPhase {
  int number = 0;             // among the phases of the bank model
  uint64_t extra_passes = 0;  // over the profiled workgroups
  // The worst access of the phase:
  int passes = 0;      // 1 is ideal
  int bank = 0;        // the bank with the most words
  uint64_t lanes = 0;  // lanes that want different words of this bank
};

// Counts for one LDS instruction of the kernel, over the profiled workgroups.
struct LdsAccess {
  uint64_t program_counter = 0;  // bytes from the first instruction of the kernel
  std::string instruction;       // disassembled
  std::string source;            // "file:line:column", empty without debug info
  int bytes_per_lane = 0;
  uint64_t issued = 0;                   // accesses; an instruction with two addresses makes two
  uint64_t ideal_passes = 0;             // the passes of all accesses without conflicts
  uint64_t extra_passes = 0;             // those that conflicts add (heddle/memory/banks.h)
  std::vector<ConflictPhase> conflicts;  // the phases with extra passes, by number
};

// Counts for one global, flat or buffer instruction of the kernel, over the profiled workgroups.
// Memory moves in aligned sectors of 32 bytes: the smallest unit that the last-level cache requests
// from memory (GL2C_EA_RDREQ_32B in AMD's profilers).
struct GlobalAccess {
  static constexpr uint32_t sector_bytes = 32;
  uint64_t program_counter = 0;
  std::string instruction;
  std::string source;
  int bytes_per_lane = 0;
  uint64_t issued = 0;
  uint64_t lanes = 0;            // active lanes, summed over all accesses
  uint64_t sectors_touched = 0;  // different sectors of each access, summed
  uint64_t sectors_needed = 0;   // sectors that the bytes of each access would fill if packed
};

// How often one instruction of the kernel was executed.
struct InstructionCount {
  uint64_t program_counter = 0;
  uint64_t count = 0;             // wavefront instructions
  uint32_t line = 0, column = 0;  // of PTX: its place in the text
};

struct RunReport {
  uint64_t instructions = 0;  // wavefront instructions of all workgroups
  // the part of Budget::instructions that is used, including Launch::spent
  uint64_t spent = 0;
  std::vector<OpcodeCount> opcodes;        // most frequent first
  std::vector<InstructionCount> executed;  // instructions that ran at least once, in program order
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
  double seconds = 0;       // wall-clock time, without decoding
  double core_seconds = 0;  // processor time of all threads of the host

  uint64_t profiled_workgroups = 0;  // the workgroups that `lds` and `global` count
  std::vector<LdsAccess> lds;        // in program order
  std::vector<GlobalAccess> global;  // in program order
  // The timeline of workgroup 0, or of the first block of a cluster, if it was profiled.
  std::optional<Timeline> timeline;
  std::string simd;  // which handlers ran: "x86-64-v4", ...

  // The findings of a launch with `check`, ordered by workgroup and then by time. If a fault ends
  // such a run, the report has the findings up to then; the fault is in `fault` and is also the
  // last finding.
  std::vector<Finding> findings;
  std::optional<Fault> fault;
  std::vector<Finding> notes;  // FindingDescription::is_note: no errors
  // What was not checked, with the reasons. Each string completes the sentence "not checked: ...".
  std::vector<std::string> unchecked;
};

}  // namespace heddle::emulator
