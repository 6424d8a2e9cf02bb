#include "emulator/decode/operand_placement.h"

#include <algorithm>
#include <array>

#include "emulator/decode/constants.h"
#include "library/text/formatted.h"

namespace heddle::emulator {

const TextOperand& OperandPlacement::operand(std::size_t i) {
  static const TextOperand missing;
  if (i < text_.operands.size()) return text_.operands[i];
  failure_(formatted("operand {} is missing", i + 1));
  return missing;
}

bool OperandPlacement::has_operand(std::size_t i) const { return i < text_.operands.size(); }

int OperandPlacement::source_count() const {
  int count = 0;
  while (count < 4 && row_.sources[count] != Type::none) ++count;
  return count;
}

uint16_t OperandPlacement::vgpr_destination(const TextOperand& o) {
  if (o.kind != OperandKind::vgpr) failure_(std::string(o.text) + " is no VGPR to write");
  if (o.has_half && o.high_half) in_.flags |= flag_destination_high;
  return static_cast<uint16_t>(o.first);
}

uint16_t OperandPlacement::scalar_destination(const TextOperand& o) {
  if (o.kind == OperandKind::null) return register_discard;
  if (o.kind != OperandKind::scalar)
    failure_(std::string(o.text) + " is no scalar register to write");
  return static_cast<uint16_t>(o.first);
}

Source OperandPlacement::register_source(const TextOperand& o) {
  Source s;
  s.kind = o.kind == OperandKind::vgpr ? SourceKind::vgpr : SourceKind::scalar;
  s.index = static_cast<uint16_t>(o.first);
  if (o.has_half && o.high_half) s.flags |= source_high;
  return s;
}

Source OperandPlacement::source(const TextOperand& o, Type type) {
  Source s;
  switch (o.kind) {
    case OperandKind::vgpr:
    case OperandKind::scalar:
      s = register_source(o);
      break;
    case OperandKind::integer:
      s = integer_constant(o, type);
      if (is_double_word(type) && is_wide_literal(o) && o.hexadecimal &&
          !(s.flags & constant_literal)) {
        s.flags |= constant_literal;
        s.constant = static_cast<uint32_t>(attachments_.literals.size());
        attachments_.literals.push_back(static_cast<uint64_t>(o.integer));
      }
      break;
    case OperandKind::real:
      s = real_constant(o.real, type);
      break;
    case OperandKind::null:
    case OperandKind::off:
      break;
    case OperandKind::other:
      failure_("the operand " + std::string(o.text));
  }
  if (o.negate) s.flags |= source_negate;
  if (o.absolute) s.flags |= source_absolute;
  return s;
}

Source OperandPlacement::vgpr_source(const TextOperand& o) {
  if (o.kind != OperandKind::vgpr) failure_(std::string(o.text) + " is no VGPR");
  return register_source(o);
}

Source OperandPlacement::scalar_source(const TextOperand& o) {
  if (o.kind == OperandKind::vgpr) failure_(std::string(o.text) + " is no scalar register");
  return source(o, Type::scalar32);
}

void OperandPlacement::place_sources(std::size_t first, int count) {
  for (int i = 0; i < count; ++i) {
    const std::size_t at = first + static_cast<std::size_t>(i);
    if (row_.sources[i] == Type::mask && !has_operand(at)) {
      // A select in a dual-issue pair has no operand for the mask: the mask is VCC.
      in_.source[i].kind = SourceKind::scalar;
      in_.source[i].index = register_vcc;
      continue;
    }
    in_.source[i] = source(operand(at), row_.sources[i]);
    if (row_.sources[i] == Type::mask && in_.source[i].kind == SourceKind::vgpr)
      failure_(std::string(operand(at).text) + " as a mask");
    if (row_.form == Form::vector_accumulate && is_packed(row_.destination) &&
        !machine_.target.has(Feature::gfx9_code))
      repeat_constant(in_.source[i], operand(at));
  }
  first_source_ = first;
}

void OperandPlacement::repeat_constant(Source& s, const TextOperand& o) {
  const bool negative = o.kind == OperandKind::integer && o.integer < 0;
  if (s.kind == SourceKind::constant && !o.hexadecimal && !negative)
    s.constant = (s.constant & 0xffffu) * 0x10001u;
}

void OperandPlacement::place_vector() {
  std::size_t next = 0;
  in_.destination = vgpr_destination(operand(next++));
  if (row_.carry_out) in_.destination2 = scalar_destination(operand(next++));
  int count = source_count();
  if (row_.form == Form::vector_accumulate) {
    --count;
    Source& sum = in_.source[count];
    sum.kind = SourceKind::vgpr;
    sum.index = in_.destination;
    if (in_.flags & flag_destination_high) sum.flags |= source_high;
    if (is_packed(row_.sources[count])) sum.flags |= source_high_for_high;
  }
  place_sources(next, count);
}

bool OperandPlacement::has_short_immediate() const {
  constexpr std::array short_forms = {"s_movk_", "s_addk_", "s_mulk_", "s_cmpk_", "s_cmovk_"};
  return std::ranges::any_of(
      short_forms, [&](const char* prefix) { return text_.mnemonic.starts_with(prefix); });
}

void OperandPlacement::extend_short_immediate(Source& s) {
  if (s.kind != SourceKind::constant || !has_short_immediate()) return;
  const auto low = static_cast<uint16_t>(s.constant);
  s.constant = text_.mnemonic.ends_with("_u32")
                   ? low
                   : static_cast<uint32_t>(static_cast<int32_t>(static_cast<int16_t>(low)));
}

void OperandPlacement::place_scalar() {
  std::size_t next = 0;
  int i = 0;
  if (row_.form != Form::scalar_compare) in_.destination = scalar_destination(operand(next++));
  if (row_.form == Form::scalar_accumulate) {
    in_.source[i].kind = SourceKind::scalar;
    in_.source[i++].index = in_.destination;
  }
  // In rows written by hand, all sources have the type of the first; `extra` is their number.
  const int count = std::max(source_count(), static_cast<int>(row_.extra));
  for (; i < count; ++i) {
    const Type type = row_.sources[i] == Type::none ? row_.sources[0] : row_.sources[i];
    in_.source[i] = source(operand(next++), type);
    if (in_.source[i].kind == SourceKind::vgpr) failure_("a VGPR as a scalar operand");
    extend_short_immediate(in_.source[i]);
  }
}

void OperandPlacement::place_hardware_register() {
  const bool reads = text_.mnemonic.starts_with("s_getreg");
  std::string_view name = operand(reads ? 1 : 0).text;
  if (reads)
    in_.destination = scalar_destination(operand(0));
  else
    in_.source[0] = scalar_source(operand(1));
  if (!name.starts_with("hwreg(") || !name.ends_with(')')) {
    failure_("the hardware register " + std::string(name));
    return;
  }
  name = name.substr(6, name.size() - 7);
  const std::string_view id = name.substr(0, name.find(','));
  in_.offset = id == "HW_REG_MODE" || id == "HW_REG_WAVE_MODE" || id == "1" ? hardware_register_mode
               : id == "HW_REG_IB_STS2"                               ? hardware_register_cluster
               : id == "HW_REG_SH_MEM_BASES"                          ? hardware_register_bases
               : id.starts_with("HW_REG_SHADER_CYCLES") || id == "29" ? hardware_register_time
                                                                      : 0;
  int64_t first = 0, size = 32;
  if (const std::size_t comma = name.find(','); comma != std::string_view::npos) {
    const auto numbers = parse_list("[" + std::string(name.substr(comma + 1)) + "]");
    if (numbers.size() == 2) {
      first = numbers[0];
      size = numbers[1];
    } else {
      failure_("the hardware register " + std::string(name));
    }
  }
  in_.extra = static_cast<uint16_t>((first & 31) | ((size - 1) & 31) << 5);
}

void OperandPlacement::place_scalar_memory() {
  if (row_.form == Form::scalar_atomic && atomic_returns()) in_.flags |= flag_return;
  in_.destination = scalar_destination(operand(0));
  in_.source[2] = scalar_source(operand(0));
  in_.source[0] = source(operand(1), Type::scalar64);
  if (in_.source[0].kind != SourceKind::scalar) failure_("scalar memory without a base");
  const TextOperand& offset = operand(2);
  if (offset.kind == OperandKind::integer)
    in_.offset = static_cast<int32_t>(offset.integer);
  else
    in_.source[1] = scalar_source(offset);
}

bool OperandPlacement::is(std::string_view prefix) const {
  return text_.mnemonic.starts_with(prefix);
}

void OperandPlacement::place_address(std::size_t vector_at, std::size_t scalar_at) {
  in_.source[0] = source(operand(vector_at), Type::u32);
  const bool has_base = has_operand(scalar_at) && operand(scalar_at).kind == OperandKind::scalar;
  if (has_base) in_.source[1] = scalar_source(operand(scalar_at));
  in_.extra = !is("scratch_") && !has_base;
}

void OperandPlacement::place_atomic() {
  // The last operand may be a scalar base or "off"; flat atomics have a base only on gfx1250.
  const bool ends_in_base =
      !text_.operands.empty() && text_.operands.back().kind != OperandKind::vgpr;
  const bool returns = text_.operands.size() == (ends_in_base ? 4 : 3);
  std::size_t next = 0;
  if (returns) {
    in_.destination = vgpr_destination(operand(next++));
    in_.flags |= flag_return;
  }
  place_address(next, next + 2);
  in_.source[2] = vgpr_source(operand(next + 1));
}

void OperandPlacement::place_buffer() {
  in_.source[2] = vgpr_source(operand(0));
  if (row_.form != Form::buffer_store) in_.destination = vgpr_destination(operand(0));
  in_.source[0] = source(operand(1), Type::u32);
  in_.source[1] = source(operand(2), Type::scalar32);
  if (in_.source[1].kind != SourceKind::scalar) failure_("a buffer without a resource");
  in_.source[3] = scalar_source(operand(3));
  if (row_.form == Form::buffer_atomic && atomic_returns()) in_.flags |= flag_return;
}

bool OperandPlacement::atomic_returns() const {
  if (text_.find("glc") || text_.find("sc0")) return true;
  const TextModifier* hint = text_.find("th");
  if (!hint) return false;
  int64_t number = 0;
  bool hexadecimal = false;
  if (parse_integer(hint->value, number, hexadecimal)) return number & 1;
  return hint->value.ends_with("_RETURN");
}

void OperandPlacement::place_buffer_to_lds() {
  in_.source[0] = source(operand(0), Type::u32);
  in_.source[1] = source(operand(1), Type::scalar32);
  if (in_.source[1].kind != SourceKind::scalar) failure_("a buffer without a resource");
  in_.source[3] = scalar_source(operand(2));
}

void OperandPlacement::place_lds(bool returns, int data_count) {
  std::size_t next = 0;
  if (returns) in_.destination = vgpr_destination(operand(next++));
  in_.source[0] = vgpr_source(operand(next++));
  for (int i = 0; i < data_count && (i == 0 || has_operand(next)); ++i)
    in_.source[1 + i] = vgpr_source(operand(next++));
}

Source OperandPlacement::tensor_group(const TextOperand& o, int registers) {
  if (o.kind == OperandKind::null) return {};
  if (o.kind != OperandKind::scalar || o.count != registers)
    failure_(std::string(o.text) + " as a group of a descriptor");
  return scalar_source(o);
}

void OperandPlacement::place_branch() {
  if (has_operand(1)) in_.destination = scalar_destination(operand(0));
  const TextOperand& o = operand(has_operand(1) ? 1 : 0);
  if (o.kind != OperandKind::integer) failure_("a branch to " + std::string(o.text));
  result_.is_branch = true;
  result_.branch_words = static_cast<int16_t>(static_cast<uint16_t>(o.integer));
}

void OperandPlacement::place_operands() {
  switch (row_.form) {
    case Form::vector:
    case Form::vector_selecting:
    case Form::vector_accumulate:
    case Form::matrix:
      return place_vector();
    case Form::vector_compare:
    case Form::vector_to_scalar:
      in_.destination = scalar_destination(operand(0));
      return place_sources(1, source_count());
    case Form::vector_compare_exec:
      if (!machine_.target.has(Feature::cmpx_writes_mask)) return place_sources(0, source_count());
      in_.destination = scalar_destination(operand(0));
      return place_sources(1, source_count());
    case Form::scalar:
    case Form::scalar_accumulate:
    case Form::scalar_compare:
      return place_scalar();
    case Form::scalar_no_operands:
    case Form::ignored:
      return;
    case Form::scalar_immediate:
      in_.offset = static_cast<int32_t>(operand(0).integer);
      return;
    case Form::branch:
      return place_branch();
    case Form::message:
      in_.destination = scalar_destination(operand(0));
      if (is("s_get_barrier_state")) in_.source[0] = scalar_source(operand(1));
      return;
    case Form::scalar_load:
    case Form::scalar_buffer_load:
    case Form::scalar_store:
    case Form::scalar_atomic:
      return place_scalar_memory();
    case Form::hardware_register:
      return place_hardware_register();
    case Form::memory_load:
      in_.destination = vgpr_destination(operand(0));
      return place_address(1, 2);
    case Form::memory_to_lds:
      return place_address(0, 1);
    case Form::memory_async_load:
      in_.source[2] = vgpr_source(operand(0));
      return place_address(1, 2);
    case Form::memory_async_store:
      in_.source[2] = vgpr_source(operand(1));
      return place_address(0, 2);
    case Form::tensor_load:
    case Form::tensor_store:
      for (std::size_t i = 0; i < 2 || (i < 4 && has_operand(i)); ++i)
        in_.source[i] = tensor_group(operand(i), i == 1 ? 8 : 4);
      return;
    case Form::buffer_to_lds:
      return place_buffer_to_lds();
    case Form::memory_store:
      in_.source[2] = vgpr_source(operand(1));
      return place_address(0, 2);
    case Form::memory_atomic:
      return place_atomic();
    case Form::lane_load:
      in_.destination = vgpr_destination(operand(0));
      if (operand(1).kind == OperandKind::scalar) in_.source[1] = scalar_source(operand(1));
      return;
    case Form::lane_store:
      in_.source[2] = vgpr_source(operand(0));
      if (operand(1).kind == OperandKind::scalar) in_.source[1] = scalar_source(operand(1));
      return;
    case Form::buffer_load:
    case Form::buffer_store:
    case Form::buffer_atomic:
      return place_buffer();
    case Form::lds_load:
      return place_lds(true, 0);
    case Form::lds_store:
    case Form::lds_atomic:
      return place_lds(false, is("ds_atomic_async_barrier_arrive_") ? 0 : 2);
    case Form::lds_atomic_return:
      return place_lds(true, 2);
    case Form::lds_counter:
      in_.destination = vgpr_destination(operand(0));
      return;
    case Form::lds_lane_store:
      in_.source[1] = vgpr_source(operand(0));
      return;
  }
}

std::vector<int64_t> OperandPlacement::list(std::string_view name) const {
  const TextModifier* modifier = text_.find(name);
  return modifier ? parse_list(modifier->value) : std::vector<int64_t>{};
}

int64_t OperandPlacement::number(std::string_view name, int64_t otherwise) {
  const TextModifier* modifier = text_.find(name);
  if (!modifier) return otherwise;
  int64_t value = 0;
  bool hexadecimal = false;
  if (!parse_integer(modifier->value, value, hexadecimal))
    failure_("the modifier " + std::string(name) + ":" + std::string(modifier->value));
  return value;
}

}  // namespace heddle::emulator
