// The calls that the compiler has inlined. For an instruction that comes from an inlined function,
// they say from which source lines the function was called.
//
// The bytes of the debug information are not trusted: see line_table.h. Source: DWARF Debugging
// Information Format, Version 5, sections 2.17 "Code Addresses, Ranges and Base Addresses", 3.3.8
// "Inlinable and Inlined Subroutines" and 7.5 "Format of Debugging Information", and the
// corresponding sections of versions 2 to 4.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/dwarf_form.h"
#include "emulator/decode/line_table.h"

namespace heddle::emulator {

class InlinedCalls {
 public:
  // Reads the sections as far as they can be read. Also tells `lines`, for each unit of the debug
  // information, in which folder the compiler ran. Every step is paid from `effort`.
  InlinedCalls(const DebugSections& sections, LineTable& lines, Effort& effort);

  // "file:line:column" of the calls around an instruction, the innermost first.
  std::vector<std::string> find(uint64_t address, const LineTable& lines) const;

 private:
  static constexpr uint32_t none = ~uint32_t{0};
  struct Call {
    uint32_t outer;  // the call around this one, or none
    uint32_t unit;   // which line_units_
    uint64_t file, line, column;
  };
  struct Attribute {
    uint64_t name, form;
    int64_t implicit;
  };
  struct Abbreviation {
    uint64_t tag = 0;
    bool has_children = false;
    std::vector<Attribute> attributes;
  };
  using Abbreviations = std::map<uint64_t, Abbreviation>;  // by code

  // The attributes of one entry.
  struct Entry {
    DwarfValue low, high, ranges, statements, folder;
    uint64_t file = 0, line = 0, column = 0;
    uint64_t text_offsets = 0, addresses = 0, range_lists = 0;  // where those of the unit begin
  };
  struct Unit {
    unsigned version = 0;
    uint64_t base = 0;  // what offsets in ranges count from
    uint64_t text_offsets = 0, addresses = 0, range_lists = 0;
    uint32_t line_unit = 0;
  };

  bool read_unit(ByteCursor& section, LineTable& lines, Effort& effort);
  const Abbreviations* abbreviations_at(uint64_t offset, Effort& effort);
  void read_entries(ByteCursor& in, Unit& unit, const Abbreviations& all, LineTable& lines,
                    Effort& effort);
  Entry read_entry(ByteCursor& in, const Unit& unit, const Abbreviation& form, Effort& effort);
  void begin_unit(const Entry& entry, Unit& unit, LineTable& lines);
  void add_call(const Entry& entry, const Unit& unit, uint32_t outer, Effort& effort);
  uint64_t address_of(const DwarfValue& value, const Unit& unit) const;
  std::string_view text_of(const DwarfValue& value, const Unit& unit) const;
  void add_ranges_before_5(const Entry& entry, const Unit& unit, uint32_t call, Effort& effort);
  void add_ranges(const Entry& entry, const Unit& unit, uint32_t call, Effort& effort);
  void cover(uint64_t first, uint64_t last, uint32_t call);

  DebugTexts texts_;
  std::string_view abbreviation_bytes_, address_bytes_, range_bytes_, range_list_bytes_;
  std::map<uint64_t, Abbreviations> abbreviations_;  // by offset
  std::vector<uint64_t> line_units_;                 // offsets in .debug_line
  std::vector<Call> calls_;
  std::map<uint64_t, uint32_t> innermost_;  // by first address: the innermost call from there on
};

}  // namespace heddle::emulator
