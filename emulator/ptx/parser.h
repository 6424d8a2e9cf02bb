// From PTX text to records.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "emulator/ptx/source.h"

namespace heddle::emulator::ptx {

// Errors: the first place that is no PTX, or not of the part that is read here (texture and surface
// variables, .alias, vectors of registers). Instructions are not looked at: see program.h.
// Limits: 64 MiB of text, 2^18 registers a function, 1 GiB of variables, scopes 64 deep.
std::expected<std::unique_ptr<Source>, ParseError> parse(std::string text);

}  // namespace heddle::emulator::ptx
