// Parses PTX text into records.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "emulator/ptx/source.h"
#include "emulator/record/budget.h"

namespace heddle::emulator::ptx {

// Parses PTX text. The error is at the first place that is not PTX, or that uses a feature which
// this parser does not support (texture and surface variables, .alias, vectors of registers).
// Instructions are decoded later: see program.h.
//
// Limits: 64 MiB of text, 2^18 registers in a function, 1 GiB of variables, scopes 64 deep, 32
// parts of an opcode (the name and its modifiers), and the budget of memory, to which the parsed
// records are charged.
std::expected<std::unique_ptr<Source>, ParseError> parse(std::string text, Meter& meter);

}  // namespace heddle::emulator::ptx
