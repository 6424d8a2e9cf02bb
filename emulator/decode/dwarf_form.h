// Reads attribute values in debug information, as far as source lines need them. Source: DWARF
// Debugging Information Format, Version 5, sections 7.5.5 and 7.5.6.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/decode/byte_cursor.h"

namespace heddle::emulator {

// Name and contents: {".debug_line", ...}.
using DebugSections = std::vector<std::pair<std::string, std::string>>;

// Contents of a section; empty when there is none.
std::string_view find_section(const DebugSections& sections, std::string_view name);

// The sections that hold texts.
struct DebugTexts {
  explicit DebugTexts(const DebugSections& sections);
  std::string_view strings, line_strings, string_offsets;
};

struct DwarfValue {
  enum class Kind : uint8_t {
    none,           // of no use here: a block, a signature
    constant,       // a number, or the offset of something in another section
    address,        // an address
    address_index,  // the number of an address in .debug_addr
    text,
    text_index,   // the number of a text in .debug_str_offsets
    range_index,  // the number of a list in .debug_rnglists
  };
  Kind kind = Kind::none;
  uint64_t number = 0;
  std::string_view text;
};

// Reads a value that is stored in the DWARF form `form`; values that are not needed are skipped.
// `version` is the DWARF version of the unit, `implicit` the constant that DW_FORM_implicit_const
// stands for. If the form is not in the standard, the cursor fails.
DwarfValue read_form(ByteCursor& in, uint64_t form, unsigned version, int64_t implicit,
                     const DebugTexts& texts);

}  // namespace heddle::emulator
