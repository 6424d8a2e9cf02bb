// The line table of a code object: which line of which file an instruction comes from.
//
// The bytes are not trusted, so this reader is Heddle's own: it checks every offset, pays for every
// step of a loop (Effort) and keeps a bounded number of rows. LLVM's reader ends the program on
// some wrong bytes. Source: DWARF Debugging Information Format, Version 5, section 6.2 "Line Number
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
  // Keeps the part that can be read: a wrong unit ends the reading, without an error. This object
  // holds views into `sections`, which must outlive it.
  LineTable(const DebugSections& sections, Effort& effort);

  // Of DWARF before 5, whose line tables do not name the folder that the compiler ran in.
  void set_folder(uint64_t unit_offset, std::string_view folder);

  // "file:line:column" of the instruction at an address; empty when no row covers it.
  std::string find(uint64_t address) const;
  // The same for a place that other debug information names. `unit_offset`: the offset in
  // .debug_line of the unit whose file numbers are used.
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
