#include "emulator/decode/line_table.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <algorithm>
#include <span>

#include "library/text/formatted.h"

namespace heddle::emulator {
namespace {

namespace dwarf = llvm::dwarf;

// The limit on rows of a line table: a hundred times as many as a large kernel has.
constexpr std::size_t most_rows = std::size_t{1} << 22;
constexpr std::size_t longest_path = 4096;

// True for an absolute path. The compiler may have run on any system, so paths of Windows, which
// begin with a drive, count too.
bool is_absolute(std::string_view path) {
  return path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':');
}

void append(std::string& path, std::string_view part) {
  if (!path.empty() && !path.ends_with('/') && !part.empty()) path += '/';
  path += part;
}

uint32_t clamped(uint64_t number) {
  return static_cast<uint32_t>(std::min<uint64_t>(number, ~uint32_t{0}));
}

}  // namespace

LineTable::LineTable(const DebugSections& sections, Effort& effort) {
  const DebugTexts texts(sections);
  ByteCursor section(find_section(sections, ".debug_line"));
  while (!section.at_end() && read_unit(section, texts, effort)) {
  }
  std::ranges::sort(sequences_, {}, &Sequence::first_address);
}

bool LineTable::read_unit(ByteCursor& section, const DebugTexts& texts, Effort& effort) {
  Unit unit;
  unit.offset = section.offset();
  ByteCursor in(section.part(section.number(4)));
  Header header{};
  if (section.failed() || !effort.spend() || !read_header(in, unit, header, texts, effort))
    return false;
  units_.push_back(std::move(unit));
  run_program(header, effort);
  return !effort.spent();
}

bool LineTable::read_header(ByteCursor& in, Unit& unit, Header& header, const DebugTexts& texts,
                            Effort& effort) {
  unit.version = in.number(2);
  if (unit.version < 2 || unit.version > 5) return false;
  if (unit.version >= 5 && (in.number(1) != 8 || in.number(1) != 0)) return false;  // sizes
  const uint64_t header_bytes = in.number(4);
  const uint64_t begin = in.offset();
  header.instruction_bytes = in.number(1);
  if (unit.version >= 4) in.skip(1);  // operations of an instruction: of VLIW machines
  in.skip(1);                         // whether a row is a statement by default
  header.line_base = static_cast<int8_t>(in.number(1));
  header.line_range = in.number(1);
  header.opcode_base = in.number(1);
  if (header.opcode_base == 0) return false;
  header.operand_counts = in.part(header.opcode_base - 1);
  if (unit.version >= 5) {
    read_entries(in, unit, false, texts, effort);
    read_entries(in, unit, true, texts, effort);
    if (!unit.folders.empty()) unit.folder = unit.folders.front();
  } else {
    read_names(in, unit, effort);
  }
  if (in.failed() || in.offset() - begin > header_bytes) return false;
  in.skip(header_bytes - (in.offset() - begin));
  header.program = in.rest();
  return true;
}

// Reads the lists of DWARF versions 2 to 4: first the folders, then the files. Each list ends with
// an empty name, and each is numbered from 1.
void LineTable::read_names(ByteCursor& in, Unit& unit, Effort& effort) {
  unit.folders.emplace_back();
  while (effort.spend()) {
    const std::string_view folder = in.text();
    if (folder.empty()) break;
    unit.folders.push_back(folder);
  }
  unit.files.emplace_back();
  while (effort.spend()) {
    File file{in.text(), 0};
    if (file.name.empty()) break;
    file.folder = in.unsigned_leb();
    in.unsigned_leb();  // when it was changed
    in.unsigned_leb();  // its size
    unit.files.push_back(file);
  }
}

// Reads a list of folders or files of DWARF 5. The list begins with a description of which values
// an entry consists of.
void LineTable::read_entries(ByteCursor& in, Unit& unit, bool are_files, const DebugTexts& texts,
                             Effort& effort) {
  std::vector<std::pair<uint64_t, uint64_t>> format(in.number(1));
  for (auto& [content, form] : format) {
    content = in.unsigned_leb();
    form = in.unsigned_leb();
  }
  for (uint64_t count = in.unsigned_leb(); count > 0 && !in.failed() && effort.spend(); --count) {
    File file{};
    for (const auto& [content, form] : format) {
      if (!effort.spend()) return;
      const DwarfValue value = read_form(in, form, static_cast<unsigned>(unit.version), 0, texts);
      if (content == dwarf::DW_LNCT_path) file.name = value.text;
      if (content == dwarf::DW_LNCT_directory_index) file.folder = value.number;
    }
    if (are_files)
      unit.files.push_back(file);
    else
      unit.folders.push_back(file.name);
  }
}

// Section 6.2.5 "The Line Number Program".
void LineTable::run_program(const Header& header, Effort& effort) {
  ByteCursor in(header.program);
  const Row start{0, 1, 1, 0};
  Row row = start;
  int64_t line = 1;
  std::size_t first_row = rows_.size();
  const auto emit = [&] {
    row.line = line < 0 ? 0 : clamped(static_cast<uint64_t>(line));
    rows_.push_back(row);
  };
  const auto advance = [&](uint64_t operations) {
    row.address += operations * header.instruction_bytes;
  };
  const auto special = [&](uint64_t opcode) -> uint64_t {
    const uint64_t adjusted = opcode - header.opcode_base;
    advance(header.line_range == 0 ? 0 : adjusted / header.line_range);
    return header.line_range == 0 ? 0 : adjusted % header.line_range;
  };
  while (!in.at_end() && effort.spend() && rows_.size() < most_rows) {
    const uint64_t opcode = in.number(1);
    if (opcode >= header.opcode_base) {
      line += header.line_base + static_cast<int64_t>(special(opcode));
      line = std::clamp(line, int64_t{-1} << 40, int64_t{1} << 40);
      emit();
      continue;
    }
    switch (opcode) {
      case 0: {
        ByteCursor extended(in.part(in.unsigned_leb()));
        const uint64_t kind = extended.number(1);
        if (kind == dwarf::DW_LNE_set_address) row.address = extended.number(8);
        if (kind != dwarf::DW_LNE_end_sequence) break;
        emit();
        end_sequence(first_row);
        first_row = rows_.size();
        row = start;
        line = 1;
        break;
      }
      case dwarf::DW_LNS_copy:
        emit();
        break;
      case dwarf::DW_LNS_advance_pc:
        advance(in.unsigned_leb());
        break;
      case dwarf::DW_LNS_advance_line: {
        const int64_t most = int64_t{1} << 40;
        line += std::clamp(in.signed_leb(), -most, most);
        line = std::clamp(line, -most, most);
        break;
      }
      case dwarf::DW_LNS_set_file:
        row.file = clamped(in.unsigned_leb());
        break;
      case dwarf::DW_LNS_set_column:
        row.column = clamped(in.unsigned_leb());
        break;
      case dwarf::DW_LNS_const_add_pc:
        special(255);
        break;
      case dwarf::DW_LNS_fixed_advance_pc:
        row.address += in.number(2);
        break;
      case dwarf::DW_LNS_negate_stmt:
      case dwarf::DW_LNS_set_basic_block:
      case dwarf::DW_LNS_set_prologue_end:
      case dwarf::DW_LNS_set_epilogue_begin:
        break;
      case dwarf::DW_LNS_set_isa:
        in.unsigned_leb();
        break;
      default:  // of a later standard: the header says how many operands it has
        for (auto left = static_cast<uint8_t>(header.operand_counts[opcode - 1]); left > 0; --left)
          in.unsigned_leb();
    }
  }
  rows_.resize(first_row);  // a sequence without an end
}

void LineTable::end_sequence(std::size_t first_row) {
  const uint64_t first = rows_[first_row].address, last = rows_.back().address;
  if (first >= last) return rows_.resize(first_row);
  sequences_.push_back({first, last, first_row, rows_.size() - 1, units_.size() - 1});
}

void LineTable::set_folder(uint64_t unit_offset, std::string_view folder) {
  const auto unit = std::ranges::lower_bound(units_, unit_offset, {}, &Unit::offset);
  if (unit != units_.end() && unit->offset == unit_offset && unit->version < 5)
    unit->folder = folder;
}

std::string LineTable::find(uint64_t address) const {
  const auto after = std::ranges::upper_bound(sequences_, address, {}, &Sequence::first_address);
  if (after == sequences_.begin()) return {};
  const Sequence& sequence = *std::prev(after);
  if (address >= sequence.last_address) return {};
  const std::span rows(rows_.begin() + static_cast<std::ptrdiff_t>(sequence.first_row),
                       rows_.begin() + static_cast<std::ptrdiff_t>(sequence.last_row));
  auto row = std::ranges::upper_bound(rows, address, {}, &Row::address);
  if (row == rows.begin()) return {};
  --row;
  return text(units_[sequence.unit], row->file, row->line, row->column);
}

std::string LineTable::text(uint64_t unit_offset, uint64_t file, uint64_t line,
                            uint64_t column) const {
  const auto unit = std::ranges::lower_bound(units_, unit_offset, {}, &Unit::offset);
  if (unit == units_.end() || unit->offset != unit_offset) return {};
  return text(*unit, file, line, column);
}

std::string LineTable::text(const Unit& unit, uint64_t file, uint64_t line, uint64_t column) const {
  if (line == 0) return {};
  const std::string name = path(unit, file);
  if (name.empty()) return {};
  return formatted("{}:{}:{}", name, line, column);
}

// The path of file number `number`. In DWARF 5, files and folders are numbered from 0, and folder 0
// is the one in which the compiler ran. In earlier versions the number 0 also stands for that
// folder, but the list of folders does not contain it.
std::string LineTable::path(const Unit& unit, uint64_t number) const {
  if (number >= unit.files.size() || unit.files[number].name.empty()) return {};
  const File& file = unit.files[number];
  if (is_absolute(file.name)) return std::string(file.name.substr(0, longest_path));
  const std::string_view inside =
      file.folder < unit.folders.size() ? unit.folders[file.folder] : std::string_view();
  if (unit.folder.size() + inside.size() + file.name.size() > longest_path) return {};
  std::string whole;
  const bool is_folder_itself = unit.version >= 5 && file.folder == 0;
  if (!is_folder_itself && !is_absolute(inside)) append(whole, unit.folder);
  append(whole, inside);
  append(whole, file.name);
  return whole;
}

}  // namespace heddle::emulator
