// What the relations of modifier_variants.h do not describe, and why.
#pragma once

#include <span>
#include <string_view>

namespace heddle::emulator::testing {

// By the beginning of the instruction's name (CDNA's by those that RDNA3 has for them) and of the
// form's, which is empty for all forms; of one encoding where it is told.
struct LeftOut {
  std::string_view prefix, kind, reason, encoding = {};
};

std::span<const LeftOut> modifier_exceptions();

// Of a whole instruction, and of one of its forms; null where there is none.
const LeftOut* exception_of(std::string_view name, std::string_view encoding);
const LeftOut* exception_of_form(std::string_view name, std::string_view kind);

}  // namespace heddle::emulator::testing
