#include "emulator/decode/assembly_text.h"

#include <charconv>
#include <optional>
#include <string>

#include "emulator/machine/instruction.h"

namespace heddle::emulator {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Removes from `text` the part before the first character of `stops` that is not inside brackets,
// and returns this part. The stopping character remains in `text`.
std::string_view take_until(std::string_view& text, std::string_view stops) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (depth <= 0 && stops.contains(c)) break;
  }
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

std::optional<int> parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// Parses what follows a register prefix: "5", "[4:7]" or "[4]". False if it is something else.
bool parse_register_range(std::string_view text, TextOperand& operand) {
  if (text.empty()) return false;
  if (text.front() != '[') {
    const auto number = parse_number(text);
    if (!number) return false;
    operand.first = *number;
    return true;
  }
  if (text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  const std::size_t colon = text.find(':');
  const auto first = parse_number(text.substr(0, colon));
  const auto last = colon == std::string_view::npos ? first : parse_number(text.substr(colon + 1));
  if (!first || !last || *last < *first) return false;
  operand.first = *first;
  operand.count = *last - *first + 1;
  return true;
}

struct NamedScalar {
  std::string_view name;
  int first, count;
};

constexpr NamedScalar named_scalars[] = {
    {"vcc_lo", register_vcc, 1},
    {"vcc_hi", register_vcc + 1, 1},
    {"vcc", register_vcc, 2},
    {"exec_lo", register_exec, 1},
    {"exec_hi", register_exec + 1, 1},
    {"exec", register_exec, 2},
    {"m0", register_m0, 1},
    {"src_scc", register_scc, 1},
    {"scc", register_scc, 1},
    {"src_flat_scratch_base_lo", register_flat_scratch_base, 2},
    {"src_flat_scratch_base_hi", register_flat_scratch_base + 1, 1},
    {"flat_scratch_lo", register_flat_scratch, 1},
    {"flat_scratch_hi", register_flat_scratch + 1, 1},
    {"flat_scratch", register_flat_scratch, 2},
    {"xnack_mask_lo", register_xnack_mask, 1},
    {"xnack_mask_hi", register_xnack_mask + 1, 1},
    {"xnack_mask", register_xnack_mask, 2},
    {"src_shared_base", register_shared_base, 2},
    {"src_shared_limit", register_shared_limit, 2},
    {"src_private_base", register_private_base, 2},
    {"src_private_limit", register_private_limit, 2},
};

bool parse_scalar(std::string_view text, TextOperand& operand) {
  for (const NamedScalar& named : named_scalars) {
    if (text != named.name) continue;
    operand.first = named.first;
    operand.count = named.count;
    return true;
  }
  if (text.starts_with("ttmp")) {
    if (!parse_register_range(text.substr(4), operand)) return false;
    operand.first += register_ttmp0;
    return operand.first + operand.count <= register_null;
  }
  return text.starts_with('s') && parse_register_range(text.substr(1), operand) &&
         operand.first + operand.count <= register_vcc;
}

bool parse_vgpr(std::string_view text, TextOperand& operand) {
  if (text.starts_with('a')) {
    if (!parse_register_range(text.substr(1), operand) || operand.first + operand.count > 256)
      return false;
    operand.first += first_accumulator;
    return true;
  }
  if (!text.starts_with('v')) return false;
  text.remove_prefix(1);
  if (text.ends_with(".l") || text.ends_with(".h")) {
    operand.has_half = true;
    operand.high_half = text.back() == 'h';
    text.remove_suffix(2);
  }
  return parse_register_range(text, operand) &&
         operand.first + operand.count <= first_spare_register;
}

bool parse_real(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// Strips "name(" and ")".
bool unwrap(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('(') || !text.ends_with(')'))
    return false;
  text = text.substr(name.size() + 1, text.size() - name.size() - 2);
  return true;
}

void strip_sign_modifiers(std::string_view& text, TextOperand& operand) {
  if (unwrap(text, "neg")) operand.negate = true;
  // Modifiers are written as in "-v1" and "-|v1|". A minus before a digit is part of the number
  // instead.
  if (text.starts_with('-') && text.size() > 1 && !(text[1] >= '0' && text[1] <= '9')) {
    operand.negate = true;
    text.remove_prefix(1);
  }
  if (unwrap(text, "abs")) operand.absolute = true;
  if (text.size() > 2 && text.starts_with('|') && text.ends_with('|')) {
    operand.absolute = true;
    text = text.substr(1, text.size() - 2);
  }
  unwrap(text, "lit");
  unwrap(text, "lit64");
  operand.sign_extend = unwrap(text, "sext");
}

TextOperand parse_operand(std::string_view text) {
  TextOperand operand;
  operand.text = text;
  strip_sign_modifiers(text, operand);
  if (text == "off") {
    operand.kind = OperandKind::off;
  } else if (text == "null") {
    operand.kind = OperandKind::null;
  } else if (parse_integer(text, operand.integer, operand.hexadecimal)) {
    operand.kind = OperandKind::integer;
  } else if (parse_real(text, operand.real)) {
    operand.kind = OperandKind::real;
  } else if (parse_vgpr(text, operand)) {
    operand.kind = OperandKind::vgpr;
  } else if (parse_scalar(text, operand)) {
    operand.kind = OperandKind::scalar;
  }
  return operand;
}

TextModifier parse_modifier(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

bool parse_integer(std::string_view text, int64_t& value, bool& hexadecimal) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

std::vector<int64_t> parse_list(std::string_view text) {
  std::vector<int64_t> numbers;
  if (!text.starts_with('[') || !text.ends_with(']')) return numbers;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::string_view item = trimmed(take_until(text, ","));
    if (!text.empty()) text.remove_prefix(1);
    int64_t value = 0;
    bool hexadecimal = false;
    if (!parse_integer(item, value, hexadecimal)) return {};
    numbers.push_back(value);
  }
  return numbers;
}

const TextModifier* TextInstruction::find(std::string_view name) const {
  for (const TextModifier& modifier : modifiers)
    if (modifier.name == name) return &modifier;
  return nullptr;
}

TextInstruction parse_instruction(std::string_view line) {
  TextInstruction result;
  line = trimmed(line);
  result.mnemonic = take_until(line, " \t");
  line = trimmed(line);
  while (!line.empty()) {
    result.operands.push_back(parse_operand(trimmed(take_until(line, ", "))));
    if (!line.starts_with(',')) break;
    line = trimmed(line.substr(1));
  }
  line = trimmed(line);
  while (!line.empty()) {
    result.modifiers.push_back(parse_modifier(take_until(line, " ")));
    line = trimmed(line);
  }
  return result;
}

}  // namespace heddle::emulator
