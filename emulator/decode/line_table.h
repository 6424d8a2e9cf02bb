// The line table of a code object. For each instruction it says from which file and line the
// instruction was compiled.
//
// The bytes are not trusted. LLVM's reader aborts on some wrong bytes, so it is not used. This
// reader checks every offset, pays for every step of a loop (see Effort) and keeps a limited number
// of rows. Source: DWARF Debugging Information Format, Version 5, section 6.2 "Line Number
// Information", and the same section of versions 2 to 4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/decode/dwarf_form.h"

namespace heddle::emulator {

class LineTable {
 public:
  // Reads the units in `sections` up to the first one that is wrong; that is not reported as an
  // error. `sections` must outlive this object, which has pointers into it.
  LineTable(const DebugSections& sections, Effort& effort);

  // Sets the folder in which the compiler ran for one unit. `unit_offset` is the unit's offset in
  // .debug_line. Line tables before DWARF 5 do not contain this folder.
  void set_folder(uint64_t unit_offset, std::string_view folder);

  // The source position "file:line:column" of the instruction at `address`; empty if the table has
  // no row for the address.
  std::string find(uint64_t address) const;
  // Makes "file:line:column" from the numbers of a source position that are given in other debug
  // information. `file` is a number in the list of files of one unit; `unit_offset` is the offset
  // of that unit in .debug_line.
  std::string text(uint64_t unit_offset, uint64_t file, uint64_t line, uint64_t column) const;

 private:
  struct File {
    std::string_view name;
    uint64_t folder;
  };
  struct Unit {
    uint64_t offset = 0;  // in .debug_line
    uint64_t version = 0;
    std::string_view folder;  // where the compiler ran
    std::vector<std::string_view> folders;
    std::vector<File> files;
  };
  struct Row {
    uint64_t address;
    uint32_t file, line, column;
  };
  // Rows of rising addresses; the last one ends the sequence.
  struct Sequence {
    uint64_t first_address, last_address;
    std::size_t first_row, last_row;
    std::size_t unit;
  };
  struct Header {
    uint64_t instruction_bytes, opcode_base;
    int64_t line_base;
    uint64_t line_range;
    std::string_view operand_counts;
    std::string_view program;
  };

  bool read_unit(ByteCursor& section, const DebugTexts& texts, Effort& effort);
  bool read_header(ByteCursor& in, Unit& unit, Header& header, const DebugTexts& texts,
                   Effort& effort);
  void read_names(ByteCursor& in, Unit& unit, Effort& effort);
  void read_entries(ByteCursor& in, Unit& unit, bool are_files, const DebugTexts& texts,
                    Effort& effort);
  void run_program(const Header& header, Effort& effort);
  void end_sequence(std::size_t first_row);
  std::string path(const Unit& unit, uint64_t file) const;
  std::string text(const Unit& unit, uint64_t file, uint64_t line, uint64_t column) const;

  std::vector<Unit> units_;  // by rising offset
  std::vector<Row> rows_;
  std::vector<Sequence> sequences_;  // by rising first address
};

}  // namespace heddle::emulator
