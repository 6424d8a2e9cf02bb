#include "emulator/ptx/statement_reader.h"

#include <utility>

#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

constexpr std::size_t most_registers = std::size_t{1} << 18;
constexpr std::size_t most_modifiers = 32;

}  // namespace

void StatementReader::registers(Function& made, uint32_t scope) {
  advance();
  const Place place = token().place;
  const int bits = type_bits(token().text);
  if (bits == 0) expected("the type of registers");
  const char letter = token().text[1];
  const Register::Kind kind = letter == 'u' || letter == 's' ? Register::Kind::integer
                              : letter == 'f'                ? Register::Kind::real
                                                             : Register::Kind::bits;
  advance();
  do {
    const Place at = token().place;
    std::string name = word("the name of a register");
    spend(entry_bytes);
    int32_t count = 1;
    const auto first = static_cast<int32_t>(made.registers.size());
    if (accept("<")) {
      count = static_cast<int32_t>(whole("a number of registers", most_registers));
      require(">");
      made.scopes[scope].ranges[name] = {first, count};
    } else {
      made.scopes[scope].registers[name] = first;
    }
    if (made.registers.size() + static_cast<std::size_t>(count) > most_registers)
      fail(at, formatted("more than {} registers", most_registers));
    spend(2 * sizeof(Register) * static_cast<std::size_t>(count));
    for (int32_t i = 0; i < count; ++i)
      made.registers.push_back({static_cast<uint8_t>(bits == 8 ? 16 : bits), -1, kind});
  } while (accept(","));
  (void)place;
  require(";");
}

int32_t StatementReader::find_register(Function& made, uint32_t scope, std::string_view name) {
  std::string_view prefix = name;
  while (!prefix.empty() && prefix.back() >= '0' && prefix.back() <= '9') prefix.remove_suffix(1);
  const std::string_view digits = name.substr(prefix.size());
  int32_t number = -1;
  if (!digits.empty() && digits.size() < 8 && (digits[0] != '0' || digits.size() == 1)) {
    number = 0;
    for (const char c : digits) number = number * 10 + (c - '0');
  }
  for (int32_t at = static_cast<int32_t>(scope); at >= 0;
       at = made.scopes[static_cast<std::size_t>(at)].parent) {
    const NameScope& seen = made.scopes[static_cast<std::size_t>(at)];
    if (const auto found = seen.registers.find(name); found != seen.registers.end())
      return found->second;
    if (number < 0) continue;
    if (const auto range = seen.ranges.find(prefix);
        range != seen.ranges.end() && number < range->second.count)
      return range->second.first + number;
  }
  const SpecialRow* special = find_special(name);
  if (special == nullptr) return -1;
  const auto index = static_cast<int32_t>(made.registers.size());
  made.registers.push_back({static_cast<uint8_t>(special->bits),
                            static_cast<int8_t>(special->special), Register::Kind::bits});
  made.scopes[0].registers.try_emplace(std::string(name), index);
  return index;
}

void StatementReader::instruction(Function& made, uint32_t scope) {
  Statement statement;
  statement.scope = scope;
  statement.begin = token().begin;
  statement.place = token().place;
  if (accept("@")) {
    statement.guard_negated = accept("!");
    const Token guard = token();
    const std::string name = word("a predicate");
    statement.guard = find_register(made, scope, name);
    if (statement.guard < 0)
      fail(guard.place, formatted("no register {} is declared", shortened(guard.text)));
    if (made.registers[static_cast<std::size_t>(statement.guard)].bits != 1)
      fail(guard.place, formatted("{} is no predicate", shortened(guard.text)));
  }
  const Token opcode = token();
  if (opcode.kind != Token::Kind::word) expected("an instruction");
  advance();
  if (token().is(":") && statement.guard < 0) {
    advance();
    return label(made, scope, opcode);
  }
  for (std::string_view rest = opcode.text; !rest.empty();) {
    const std::size_t point = rest.find('.');
    if (point != 0) statement.opcode.push_back(rest.substr(0, point));
    if (statement.opcode.size() > most_modifiers)
      fail(opcode.place, formatted("an opcode of more than {} parts", most_modifiers));
    if (point == std::string_view::npos) break;
    rest.remove_prefix(point + 1);
  }
  if (!token().is(";")) operands(made, statement);
  statement.end = token().begin;
  while (statement.end > statement.begin && text_[statement.end - 1] <= ' ') --statement.end;
  require(";");
  spend(2 * sizeof(Statement) + 2 * sizeof(std::string_view) * statement.opcode.size());
  made.statements.push_back(std::move(statement));
}

void StatementReader::label(Function& made, uint32_t scope, const Token& name) {
  if (accept(".branchtargets")) {
    std::vector<std::string>& list = made.scopes[scope].targets[std::string(name.text)];
    do {
      spend(2 * sizeof(std::string));
      list.push_back(word("a label"));
    } while (accept(","));
    require(";");
    return;
  }
  if (token().is(".callprototype") || token().is(".calltargets")) return skip_to(";");
  spend(entry_bytes);
  const auto next = static_cast<uint32_t>(made.statements.size());
  if (!made.scopes[scope].labels.try_emplace(std::string(name.text), next).second)
    fail(name.place, formatted("a second label {}", shortened(name.text)));
}

void StatementReader::operands(Function& made, Statement& statement) {
  do {
    if (statement.operands.size() > 64) fail(token().place, "too many operands");
    statement.operands.push_back(operand(made, statement.scope, 0));
    if (accept("|")) {
      Operand second = operand(made, statement.scope, 0);
      statement.operands.back().parts.push_back(std::move(second));
    }
  } while (accept(","));
}

Operand StatementReader::operand(Function& made, uint32_t scope, int depth) {
  if (depth > 4) fail(token().place, "operands nested too deep");
  spend(2 * sizeof(Operand));
  Operand result;
  result.place = token().place;
  if (accept("!")) {
    result = operand(made, scope, depth + 1);
    result.negated = true;
    return result;
  }
  if (token().is("{") || token().is("(")) {
    const char* end = token().is("{") ? "}" : ")";
    advance();
    result.kind = Operand::Kind::vector;
    if (accept(end)) return result;
    do {
      if (result.parts.size() > 512) fail(result.place, "a vector of more than 512 parts");
      result.parts.push_back(operand(made, scope, depth + 1));
    } while (accept(","));
    require(end);
    return result;
  }
  if (accept("[")) {
    result = address(made, scope);
    while (accept(",")) result.parts.push_back(operand(made, scope, depth + 1));
    require("]");
    return result;
  }
  if (token().kind == Token::Kind::word) {
    result = named(made, scope);
    offset(result);
    return result;
  }
  const Number found = number("an operand");
  result.bits = found.bits;
  result.is_real = found.is_real;
  result.real_bits = found.real_bits;
  return result;
}

Operand StatementReader::named(Function& made, uint32_t scope) {
  Operand result;
  result.place = token().place;
  const std::string_view token_text = token().text;
  const std::string name = word("a name");
  if (name == "_") {
    result.kind = Operand::Kind::sink;
    return result;
  }
  if (name == "WARP_SZ") {
    result.bits = 32;
    return result;
  }
  result.reg = find_register(made, scope, name);
  if (const std::size_t point = name.rfind('.'); result.reg < 0 && point != std::string::npos) {
    const std::string_view text = token_text.substr(point + 1);
    result.reg = find_register(made, scope, std::string_view(name).substr(0, point));
    if (result.reg >= 0) result.selector = text;
  }
  result.kind = result.reg >= 0 ? Operand::Kind::reg : Operand::Kind::name;
  if (result.reg < 0 && name.starts_with("%"))
    fail(result.place, formatted("no register {} is declared", shortened(name)));
  result.name = name;
  return result;
}

void StatementReader::offset(Operand& operand) {
  while (token().is("+") || token().is("-")) {
    const bool minus = token().is("-");
    advance();
    const uint64_t bits = number("an offset").bits;
    operand.bits += minus ? 0 - bits : bits;
  }
}

Operand StatementReader::address(Function& made, uint32_t scope) {
  Operand result;
  if (token().kind == Token::Kind::word) {
    result = named(made, scope);
    offset(result);
  } else {
    result.place = token().place;
    result.bits = number("an address").bits;
    offset(result);
  }
  result.kind = Operand::Kind::address;
  return result;
}

}  // namespace heddle::emulator::ptx
