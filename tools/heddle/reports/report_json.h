// The common parts of the JSON reports of `heddle run`, so that a key has one name and one meaning
// in all of them (docs/json.md).
#pragma once

#include <llvm/Support/JSON.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/decode/code_object.h"
#include "emulator/record/finding.h"
#include "emulator/record/report.h"

namespace heddle::tool {

/// A report with the keys that all reports have: "schema", "report" (`kind`, the kind of run), and
/// the keys of a run. The keys of a run have the values of a run without findings; the caller
/// replaces the values that it knows.
llvm::json::Object run_report_json(llvm::StringRef kind);

/// A number. JSON has no infinity and no NaN, so these are written as strings.
llvm::json::Value number_json(double value);

/// A verdict: true if the result is right, false if it is wrong, and null if nothing is known to be
/// wrong but not everything could be judged.
llvm::json::Value verdict_json(bool is_right, bool is_not_judged);

llvm::json::Array sizes_json(const std::array<std::uint32_t, 3>& sizes);

/// The place of an instruction: "program_counter" (null for PTX, whose instructions have no
/// address), "instruction" and "source".
llvm::json::Object place_json(const emulator::Place& place, std::string_view target);

/// A finding with all of its keys, except its callers and its launch.
llvm::json::Object finding_json(const emulator::Finding& finding, std::string_view target);

llvm::json::Object resources_json(const emulator::Kernel& kernel, std::uint32_t dynamic_lds_bytes);

/// The counts of the emulator or simulator: the instruction mix, accesses to LDS and to global
/// memory.
llvm::json::Object emulated_json(const emulator::RunReport& report, std::string_view target);

/// The text of a report, with a newline at its end.
std::string json_text(llvm::json::Object report);

}  // namespace heddle::tool
