// The common parts of the reports for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/record/report.h"

namespace heddle::tool {

/// The width in columns of the labels on the left side of a report.
inline constexpr int label_columns = 16;

/// "512 B", "48.0 KiB", "16.0 MiB".
std::string bytes_text(std::uint64_t bytes);

/// The number of executed instructions of each class (emulator/record/instruction_class.h).
using InstructionMix = std::vector<std::pair<std::string_view, std::uint64_t>>;
InstructionMix instruction_mix(const emulator::RunReport& report, bool is_ptx);

/// The share of each unit in the executed instructions: "3840 wavefront instructions: WMMA 6.7%,
/// VALU 21.7%".
std::string mix_text(const emulator::RunReport& report, bool is_ptx);

/// The words for the findings of a checked run: "none; not checked: …". `count` is the number of
/// findings, and `unchecked` lists what the checker cannot check.
std::string found_text(std::size_t count, const std::vector<std::string>& unchecked);

}  // namespace heddle::tool
