#include "emulator/decode/inlined_calls.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <algorithm>

namespace heddle::emulator {
namespace {

namespace dwarf = llvm::dwarf;
using Kind = DwarfValue::Kind;

constexpr std::size_t deepest_call = 1024;  // entries inside each other
constexpr std::size_t most_calls = std::size_t{1} << 20;
constexpr std::size_t most_boundaries = std::size_t{1} << 20;  // between ranges

}  // namespace

InlinedCalls::InlinedCalls(const DebugSections& sections, LineTable& lines, Effort& effort)
    : texts_(sections),
      abbreviation_bytes_(find_section(sections, ".debug_abbrev")),
      address_bytes_(find_section(sections, ".debug_addr")),
      range_bytes_(find_section(sections, ".debug_ranges")),
      range_list_bytes_(find_section(sections, ".debug_rnglists")) {
  ByteCursor section(find_section(sections, ".debug_info"));
  while (!section.at_end() && read_unit(section, lines, effort)) {
  }
  abbreviations_.clear();
}

bool InlinedCalls::read_unit(ByteCursor& section, LineTable& lines, Effort& effort) {
  ByteCursor in(section.part(section.number(4)));
  if (section.failed() || !effort.spend()) return false;
  Unit unit;
  unit.version = static_cast<unsigned>(in.number(2));
  if (unit.version < 2 || unit.version > 5) return false;
  uint64_t type = dwarf::DW_UT_compile, abbreviations, address_bytes;
  if (unit.version >= 5) {
    type = in.number(1);
    address_bytes = in.number(1);
    abbreviations = in.number(4);
  } else {
    abbreviations = in.number(4);
    address_bytes = in.number(1);
  }
  if (in.failed() || address_bytes != 8) return false;
  if (type != dwarf::DW_UT_compile) return true;  // types and halves of units: no code here
  const Abbreviations* all = abbreviations_at(abbreviations, effort);
  if (all) read_entries(in, unit, *all, lines, effort);
  return !effort.spent();
}

// Section 7.5.3 "Abbreviations Tables".
const InlinedCalls::Abbreviations* InlinedCalls::abbreviations_at(uint64_t offset, Effort& effort) {
  const auto [known, is_new] = abbreviations_.try_emplace(offset);
  if (!is_new) return &known->second;
  ByteCursor in(abbreviation_bytes_, offset);
  while (!in.failed() && effort.spend()) {
    const uint64_t code = in.unsigned_leb();
    if (code == 0) break;
    Abbreviation& form = known->second[code];
    form = {};
    form.tag = in.unsigned_leb();
    form.has_children = in.number(1) != 0;
    while (!in.failed() && effort.spend()) {
      Attribute attribute{in.unsigned_leb(), in.unsigned_leb(), 0};
      if (attribute.form == dwarf::DW_FORM_implicit_const) attribute.implicit = in.signed_leb();
      if (attribute.name == 0 && attribute.form == 0) break;
      form.attributes.push_back(attribute);
    }
  }
  return &known->second;
}

void InlinedCalls::read_entries(ByteCursor& in, Unit& unit, const Abbreviations& all,
                                LineTable& lines, Effort& effort) {
  std::vector<uint32_t> around;  // of each open entry: the innermost call
  bool first = true;
  while (!in.at_end() && effort.spend()) {
    const uint64_t code = in.unsigned_leb();
    if (code == 0) {
      if (!around.empty()) around.pop_back();
      continue;
    }
    const auto form = all.find(code);
    if (form == all.end()) return;
    const Entry entry = read_entry(in, unit, form->second, effort);
    if (in.failed()) return;
    if (first) begin_unit(entry, unit, lines);
    first = false;
    uint32_t call = around.empty() ? none : around.back();
    if (form->second.tag == dwarf::DW_TAG_inlined_subroutine && calls_.size() < most_calls) {
      add_call(entry, unit, call, effort);
      call = static_cast<uint32_t>(calls_.size() - 1);
    }
    if (form->second.has_children) around.push_back(call);
    if (around.size() > deepest_call) return;
  }
}

InlinedCalls::Entry InlinedCalls::read_entry(ByteCursor& in, const Unit& unit,
                                             const Abbreviation& form, Effort& effort) {
  Entry entry;
  for (const Attribute& attribute : form.attributes) {
    if (!effort.spend()) break;
    const DwarfValue value =
        read_form(in, attribute.form, unit.version, attribute.implicit, texts_);
    switch (attribute.name) {
      case dwarf::DW_AT_low_pc:
        entry.low = value;
        break;
      case dwarf::DW_AT_high_pc:
        entry.high = value;
        break;
      case dwarf::DW_AT_ranges:
        entry.ranges = value;
        break;
      case dwarf::DW_AT_stmt_list:
        entry.statements = value;
        break;
      case dwarf::DW_AT_comp_dir:
        entry.folder = value;
        break;
      case dwarf::DW_AT_call_file:
        entry.file = value.number;
        break;
      case dwarf::DW_AT_call_line:
        entry.line = value.number;
        break;
      case dwarf::DW_AT_call_column:
        entry.column = value.number;
        break;
      case dwarf::DW_AT_str_offsets_base:
        entry.text_offsets = value.number;
        break;
      case dwarf::DW_AT_addr_base:
        entry.addresses = value.number;
        break;
      case dwarf::DW_AT_rnglists_base:
        entry.range_lists = value.number;
        break;
      default:
        break;
    }
  }
  return entry;
}

void InlinedCalls::begin_unit(const Entry& entry, Unit& unit, LineTable& lines) {
  unit.text_offsets = entry.text_offsets;
  unit.addresses = entry.addresses;
  unit.range_lists = entry.range_lists;
  unit.base = address_of(entry.low, unit);
  unit.line_unit = static_cast<uint32_t>(line_units_.size());
  const bool has_lines = entry.statements.kind == Kind::constant;
  line_units_.push_back(has_lines ? entry.statements.number : ~uint64_t{0});
  if (has_lines) lines.set_folder(entry.statements.number, text_of(entry.folder, unit));
}

void InlinedCalls::add_call(const Entry& entry, const Unit& unit, uint32_t outer, Effort& effort) {
  const auto call = static_cast<uint32_t>(calls_.size());
  calls_.push_back({outer, unit.line_unit, entry.file, entry.line, entry.column});
  if (entry.ranges.kind != Kind::none) {
    if (unit.version >= 5)
      add_ranges(entry, unit, call, effort);
    else
      add_ranges_before_5(entry, unit, call, effort);
    return;
  }
  if (entry.low.kind == Kind::none || entry.high.kind == Kind::none) return;
  const uint64_t first = address_of(entry.low, unit);
  const bool is_size = entry.high.kind == Kind::constant;
  cover(first, is_size ? first + entry.high.number : address_of(entry.high, unit), call);
}

uint64_t InlinedCalls::address_of(const DwarfValue& value, const Unit& unit) const {
  if (value.kind == Kind::address) return value.number;
  if (value.kind != Kind::address_index || value.number >= address_bytes_.size()) return 0;
  return ByteCursor(address_bytes_, unit.addresses + 8 * value.number).number(8);
}

std::string_view InlinedCalls::text_of(const DwarfValue& value, const Unit& unit) const {
  if (value.kind == Kind::text) return value.text;
  if (value.kind != Kind::text_index || value.number >= texts_.string_offsets.size()) return {};
  ByteCursor offset(texts_.string_offsets, unit.text_offsets + 4 * value.number);
  return ByteCursor(texts_.strings, offset.number(4)).text();
}

// Reads address ranges as DWARF 4 and earlier store them (DWARF 4, section 2.17.3): pairs of
// offsets from a base address, ended by a pair of zeros. If the first number of a pair is all ones,
// the second is a new base address.
void InlinedCalls::add_ranges_before_5(const Entry& entry, const Unit& unit, uint32_t call,
                                       Effort& effort) {
  ByteCursor in(range_bytes_, entry.ranges.number);
  uint64_t base = unit.base;
  while (!in.failed() && effort.spend()) {
    const uint64_t first = in.number(8), last = in.number(8);
    if (first == 0 && last == 0) return;
    if (first == ~uint64_t{0})
      base = last;
    else
      cover(base + first, base + last, call);
  }
}

// Section 2.17.3 "Non-Contiguous Address Ranges".
void InlinedCalls::add_ranges(const Entry& entry, const Unit& unit, uint32_t call, Effort& effort) {
  uint64_t offset = entry.ranges.number;
  if (entry.ranges.kind == Kind::range_index) {
    if (offset >= range_list_bytes_.size()) return;
    offset =
        unit.range_lists + ByteCursor(range_list_bytes_, unit.range_lists + 4 * offset).number(4);
  }
  ByteCursor in(range_list_bytes_, offset);
  const auto indexed = [&] {
    return address_of({Kind::address_index, in.unsigned_leb(), {}}, unit);
  };
  uint64_t base = unit.base;
  while (!in.failed() && effort.spend()) {
    uint64_t first = 0;
    switch (in.number(1)) {
      case dwarf::DW_RLE_base_addressx:
        base = indexed();
        break;
      case dwarf::DW_RLE_base_address:
        base = in.number(8);
        break;
      case dwarf::DW_RLE_startx_endx:
        first = indexed();
        cover(first, indexed(), call);
        break;
      case dwarf::DW_RLE_startx_length:
        first = indexed();
        cover(first, first + in.unsigned_leb(), call);
        break;
      case dwarf::DW_RLE_offset_pair:
        first = base + in.unsigned_leb();
        cover(first, base + in.unsigned_leb(), call);
        break;
      case dwarf::DW_RLE_start_end:
        first = in.number(8);
        cover(first, in.number(8), call);
        break;
      case dwarf::DW_RLE_start_length:
        first = in.number(8);
        cover(first, first + in.unsigned_leb(), call);
        break;
      default:  // the end, or a kind that is not in the standard
        return;
    }
  }
}

// Records that the inlined call `call` covers the addresses from `first` to `last`. In the debug
// information, a call precedes the calls inside of it. So of the calls that cover an address, the
// one that is recorded last is the innermost.
void InlinedCalls::cover(uint64_t first, uint64_t last, uint32_t call) {
  if (first >= last || innermost_.size() >= most_boundaries) return;
  const auto after = innermost_.upper_bound(last);
  const uint32_t beyond = after == innermost_.begin() ? none : std::prev(after)->second;
  innermost_.erase(innermost_.lower_bound(first), after);
  innermost_[first] = call;
  innermost_[last] = beyond;
}

std::vector<std::string> InlinedCalls::find(uint64_t address, const LineTable& lines) const {
  std::vector<std::string> callers;
  const auto after = innermost_.upper_bound(address);
  if (after == innermost_.begin()) return callers;
  for (uint32_t call = std::prev(after)->second; call != none; call = calls_[call].outer) {
    const Call& found = calls_[call];
    std::string text = lines.text(line_units_[found.unit], found.file, found.line, found.column);
    if (!text.empty()) callers.push_back(std::move(text));
  }
  return callers;
}

}  // namespace heddle::emulator
