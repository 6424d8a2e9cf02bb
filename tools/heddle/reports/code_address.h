// The address of an instruction in the code, for the reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/record/finding.h"

#include "library/text/formatted.h"

namespace heddle::tool {

/// The address of an instruction, in bytes from the first instruction of the kernel. Nothing for
/// PTX: in PTX, `program_counter` is the number of the instruction, which has a line but no
/// address.
inline std::optional<std::uint64_t> code_address(const emulator::Place& place,
                                                 std::string_view target) {
  if (target.starts_with("sm_")) return std::nullopt;
  return place.program_counter;
}

/// The address and the text of an instruction: "0x1c: v_add_f32 …"; for PTX only the text.
inline std::string code_text(const emulator::Place& place, std::string_view target) {
  const auto address = code_address(place, target);
  return address ? formatted("{:#x}: {}", *address, place.instruction) : place.instruction;
}

}  // namespace heddle::tool
