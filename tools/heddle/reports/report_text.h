// The common parts of the reports for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/record/report.h"

namespace heddle::tool {

/// Columns of the labels on the left of a report.
inline constexpr int label_columns = 16;

/// "512 B", "48.0 KiB", "16.0 MiB".
std::string bytes_text(std::uint64_t bytes);

/// The number of executed instructions of each class (emulator/record/instruction_class.h).
using InstructionMix = std::vector<std::pair<std::string_view, std::uint64_t>>;
InstructionMix instruction_mix(const emulator::RunReport& report, bool is_ptx);

/// "3840 wavefront instructions: WMMA 6.7%, VALU 21.7%": the share of each unit.
std::string mix_text(const emulator::RunReport& report, bool is_ptx);

/// "none; not checked: …" for a checked run with so many findings.
std::string found_text(std::size_t count, const std::vector<std::string>& unchecked);

}  // namespace heddle::tool
