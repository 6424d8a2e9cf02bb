// Parses PTX text into records.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "emulator/ptx/source.h"
#include "emulator/record/budget.h"

namespace heddle::emulator::ptx {

// Errors: the first place that is not PTX, or that uses a part of PTX which is not read here
// (texture and surface variables, .alias, vectors of registers). Instructions are not decoded here:
// see program.h. Limits: 64 MiB of text, 2^18 registers in a function, 1 GiB of variables, scopes
// 64 deep, 32 parts of an opcode, and the budget of memory, which the records are charged to.
std::expected<std::unique_ptr<Source>, ParseError> parse(std::string text, Meter& meter);

}  // namespace heddle::emulator::ptx
