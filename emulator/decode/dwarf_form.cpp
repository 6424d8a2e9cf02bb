#include "emulator/decode/dwarf_form.h"

#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::emulator {
namespace {

namespace dwarf = llvm::dwarf;
using Kind = DwarfValue::Kind;

std::string_view text_at(std::string_view section, uint64_t offset) {
  return ByteCursor(section, offset).text();
}

}  // namespace

std::string_view find_section(const DebugSections& sections, std::string_view name) {
  for (const auto& [section, contents] : sections)
    if (section == name) return contents;
  return {};
}

DebugTexts::DebugTexts(const DebugSections& sections)
    : strings(find_section(sections, ".debug_str")),
      line_strings(find_section(sections, ".debug_line_str")),
      string_offsets(find_section(sections, ".debug_str_offsets")) {}

DwarfValue read_form(ByteCursor& in, uint64_t form, unsigned version, int64_t implicit,
                     const DebugTexts& texts) {
  const auto sized = [&](Kind kind, unsigned bytes) {
    return DwarfValue{kind, in.number(bytes), {}};
  };
  const auto counted = [&](Kind kind) { return DwarfValue{kind, in.unsigned_leb(), {}}; };
  const auto passed_over = [&](uint64_t bytes) {
    in.skip(bytes);
    return DwarfValue{};
  };
  switch (form) {
    case dwarf::DW_FORM_addr:
      return sized(Kind::address, 8);
    case dwarf::DW_FORM_addrx:
      return counted(Kind::address_index);
    case dwarf::DW_FORM_addrx1:
      return sized(Kind::address_index, 1);
    case dwarf::DW_FORM_addrx2:
      return sized(Kind::address_index, 2);
    case dwarf::DW_FORM_addrx3:
      return sized(Kind::address_index, 3);
    case dwarf::DW_FORM_addrx4:
      return sized(Kind::address_index, 4);
    case dwarf::DW_FORM_data1:
    case dwarf::DW_FORM_ref1:
    case dwarf::DW_FORM_flag:
      return sized(Kind::constant, 1);
    case dwarf::DW_FORM_data2:
    case dwarf::DW_FORM_ref2:
      return sized(Kind::constant, 2);
    case dwarf::DW_FORM_data4:
    case dwarf::DW_FORM_ref4:
    case dwarf::DW_FORM_sec_offset:
      return sized(Kind::constant, 4);
    case dwarf::DW_FORM_data8:
    case dwarf::DW_FORM_ref8:
      return sized(Kind::constant, 8);
    case dwarf::DW_FORM_udata:
    case dwarf::DW_FORM_ref_udata:
      return counted(Kind::constant);
    case dwarf::DW_FORM_sdata:
      return {Kind::constant, static_cast<uint64_t>(in.signed_leb()), {}};
    case dwarf::DW_FORM_implicit_const:
      return {Kind::constant, static_cast<uint64_t>(implicit), {}};
    case dwarf::DW_FORM_flag_present:
      return {Kind::constant, 1, {}};
    case dwarf::DW_FORM_rnglistx:
      return counted(Kind::range_index);
    case dwarf::DW_FORM_string:
      return {Kind::text, 0, in.text()};
    case dwarf::DW_FORM_strp:
      return {Kind::text, 0, text_at(texts.strings, in.number(4))};
    case dwarf::DW_FORM_line_strp:
      return {Kind::text, 0, text_at(texts.line_strings, in.number(4))};
    case dwarf::DW_FORM_strx:
      return counted(Kind::text_index);
    case dwarf::DW_FORM_strx1:
      return sized(Kind::text_index, 1);
    case dwarf::DW_FORM_strx2:
      return sized(Kind::text_index, 2);
    case dwarf::DW_FORM_strx3:
      return sized(Kind::text_index, 3);
    case dwarf::DW_FORM_strx4:
      return sized(Kind::text_index, 4);
    case dwarf::DW_FORM_loclistx:
      in.unsigned_leb();
      return {};
    case dwarf::DW_FORM_ref_addr:
      return passed_over(version <= 2 ? 8 : 4);  // version 2: as wide as an address
    case dwarf::DW_FORM_ref_sup4:
    case dwarf::DW_FORM_strp_sup:
      return passed_over(4);
    case dwarf::DW_FORM_ref_sup8:
    case dwarf::DW_FORM_ref_sig8:
      return passed_over(8);
    case dwarf::DW_FORM_data16:
      return passed_over(16);
    case dwarf::DW_FORM_block1:
      return passed_over(in.number(1));
    case dwarf::DW_FORM_block2:
      return passed_over(in.number(2));
    case dwarf::DW_FORM_block4:
      return passed_over(in.number(4));
    case dwarf::DW_FORM_block:
    case dwarf::DW_FORM_exprloc:
      return passed_over(in.unsigned_leb());
    default:  // DW_FORM_indirect too, which no compiler writes
      return passed_over(~uint64_t{0});
  }
}

}  // namespace heddle::emulator
