#include "emulator/record/fault.h"
#include "library/text/formatted.h"

namespace heddle::emulator {

std::string_view fault_kind_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::none:
      return "none";
    case FaultKind::global_out_of_bounds:
      return "global access out of bounds";
    case FaultKind::global_read_only:
      return "store to read-only memory";
    case FaultKind::lds_out_of_bounds:
      return "LDS access out of bounds";
    case FaultKind::scratch_out_of_bounds:
      return "scratch access out of bounds";
    case FaultKind::misaligned:
      return "misaligned access";
    case FaultKind::unknown_opcode:
      return "unknown opcode";
    case FaultKind::unsupported:
      return "unsupported instruction form";
    case FaultKind::wmma_inactive_lanes:
      return "matrix instruction with inactive lanes";
    case FaultKind::wmma_unequal_copies:
      return "matrix operand with unequal copies";
    case FaultKind::lanes_missing:
      return "lane outside of the mask";
    case FaultKind::tensor_memory_misused:
      return "tensor memory misused";
    case FaultKind::bad_jump:
      return "jump out of the code";
    case FaultKind::trap:
      return "trap";
    case FaultKind::barrier_never_completes:
      return "barrier that never completes";
    case FaultKind::budget_spent:
      return "budget spent";
    case FaultKind::bad_launch:
      return "launch refused";
  }
  return "fault";
}

std::string place_text(std::string_view kernel, uint64_t program_counter,
                       std::string_view instruction, std::string_view source) {
  std::string result;
  if (source.starts_with("PTX:")) return formatted("  at {}: {}\n", source, instruction);
  if (!instruction.empty())
    result += formatted("  at {} + {:#x}: {}\n", kernel, program_counter, instruction);
  if (!source.empty()) result += formatted("  in {}\n", source);
  return result;
}

std::string Fault::text() const {
  std::string result = formatted("{}: {}\n", fault_kind_name(kind), message);
  if (kind == FaultKind::bad_launch) return result;
  result += place_text(kernel, program_counter, instruction, source);
  result += formatted("  workgroup ({}, {}, {})", workgroup[0], workgroup[1], workgroup[2]);
  if (wave >= 0) result += formatted(", wave {}", wave);
  if (lane >= 0) result += formatted(", lane {}", lane);
  return result + "\n";
}

}  // namespace heddle::emulator
