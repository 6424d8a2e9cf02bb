// A fault: the mistake that ended a run, and where the kernel made it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::emulator {

enum class FaultKind {
  none,
  global_out_of_bounds,   // a global, flat or buffer access outside every buffer
  global_read_only,       // a store into constants of the code object or into the arguments
  lds_out_of_bounds,      // outside the LDS of the workgroup
  scratch_out_of_bounds,  // outside the private memory of the lane
  misaligned,             // an address whose alignment the hardware does not accept
  // bytes that are no instruction, or an instruction that the emulator lacks
  unknown_opcode,
  unsupported,            // a known instruction in a form that the emulator lacks
  wmma_inactive_lanes,    // a matrix instruction while lanes are off: undefined on the hardware
  wmma_unequal_copies,    // lanes that must hold the same fragment do not (profiled workgroups)
  lanes_missing,          // a lane executes an instruction of a warp whose mask does not name it
  tensor_memory_misused,  // against a rule of tcgen05: who may allocate, free and reach what
  bad_jump,               // the program counter left the code
  trap,                   // the kernel executed s_trap: an assertion of its own, or __builtin_trap
  barrier_never_completes,
  budget_spent,  // emulator/record/budget.h: the message says which one
  bad_launch,    // the launch does not fit the kernel; nothing was run
};

std::string_view fault_kind_name(FaultKind kind);

// Text lines that say where an instruction is, the second one if debug info has the source line:
//   "  at softmax + 0x1c: v_add_f32 …"
//   "  in softmax.hip:12:3"
//
// PTX instructions have no addresses, so they get one line:
//   "  at PTX:12:3: add.f32 …"
std::string place_text(std::string_view kernel, uint64_t program_counter,
                       std::string_view instruction, std::string_view source);

struct Fault {
  FaultKind kind = FaultKind::none;
  std::string message;  // one sentence: what was wrong, the value, the limit
  std::string kernel;
  uint64_t program_counter =
      0;                    // bytes from the first instruction of the kernel; of PTX its number
  std::string instruction;  // disassembled
  std::string source;       // "file:line:column" when the code object has debug info, else empty
  std::array<uint32_t, 3> workgroup = {};
  int wave = -1;  // in its workgroup; -1 when no wave caused the fault
  int lane = -1;  // -1 when the fault is of no single lane
  uint64_t address = 0;

  // The whole fault as a text of a few lines.
  std::string text() const;
};

}  // namespace heddle::emulator
