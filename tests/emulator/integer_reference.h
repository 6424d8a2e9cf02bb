// What integer instructions give with the clamp modifier, computed in 128 bits and cut off at the
// ends of the result's range.
#pragma once

#include <functional>
#include <string_view>

#include "modifier_variants.h"

namespace heddle::emulator::testing {

// Fills in the result of one lane. Empty for an instruction that does not saturate.
std::function<void(const LaneState& in, LaneState& result)> integer_reference(
    std::string_view mnemonic);

}  // namespace heddle::emulator::testing
