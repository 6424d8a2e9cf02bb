// What a run did, counted in the emulated machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::emulator {

struct OpcodeCount {
  std::string mnemonic;  // as the assembler writes it, without encoding suffix
  uint64_t count = 0;    // wavefront instructions
};

// One LDS instruction of the kernel, over the profiled workgroups.
struct LdsAccess {
  uint64_t program_counter = 0;  // bytes from the first instruction of the kernel
  std::string instruction;       // disassembled
  std::string source;            // "file:line:column", empty without debug info
  int bytes_per_lane = 0;
  uint64_t issued = 0;        // accesses: an instruction with two addresses makes two
  uint64_t ideal_passes = 0;  // of all of them without any conflict
  uint64_t extra_passes = 0;  // by the bank model of heddle/memory/banks.h
};

struct RunReport {
  uint64_t instructions = 0;         // wavefront instructions, every workgroup
  std::vector<OpcodeCount> opcodes;  // most frequent first
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

  uint64_t profiled_workgroups = 0;  // that `lds` is about
  std::vector<LdsAccess> lds;        // in program order
  std::string simd;                  // which handlers ran: "x86-64-v4", ...
};

}  // namespace heddle::emulator
