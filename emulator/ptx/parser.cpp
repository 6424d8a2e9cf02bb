#include "emulator/ptx/parser.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "emulator/ptx/token_reader.h"
#include "emulator/record/formatted.h"
#include "heddle/instruction/target.h"

namespace heddle::emulator::ptx {
namespace {

constexpr std::size_t most_text = std::size_t{64} << 20;
constexpr std::size_t most_registers = std::size_t{1} << 18;
constexpr uint64_t most_variable_bytes = uint64_t{1} << 30;
constexpr std::size_t deepest_scope = 64;
constexpr std::size_t most_modifiers = 32;
// The memory of an entry in a map, besides the name itself.
constexpr std::size_t entry_bytes = 96;

// Bits of a fundamental type, 0 when `word` is none; ".pred" is 1.
int type_bits(std::string_view word) {
  struct Row {
    std::string_view name;
    int bits;
  };
  constexpr Row rows[] = {{".pred", 1}, {".b8", 8},   {".u8", 8},   {".s8", 8},     {".b16", 16},
                          {".u16", 16}, {".s16", 16}, {".f16", 16}, {".bf16", 16},  {".b32", 32},
                          {".u32", 32}, {".s32", 32}, {".f32", 32}, {".f16x2", 32}, {".bf16x2", 32},
                          {".b64", 64}, {".u64", 64}, {".s64", 64}, {".f64", 64},   {".b128", 128}};
  for (const Row& row : rows)
    if (row.name == word) return row.bits;
  return 0;
}

std::optional<Space> variable_space(std::string_view word) {
  if (word == ".global") return Space::global;
  if (word == ".const") return Space::constant;
  if (word == ".shared" || word == ".shared::cta") return Space::shared;
  if (word == ".local") return Space::local;
  if (word == ".param") return Space::param;
  return {};
}

class Parser : TokenReader {
 public:
  Parser(Source& source, Meter& meter) : TokenReader(source.text, meter), source_(source) {}

  std::optional<ParseError> run() {
    try {
      spend(source_.text.size());
      while (token().kind != Token::Kind::end) top_level();
    } catch (const ParseError& failed) {
      return failed;
    }
    if (source_.version == 0)
      return ParseError{{1, 1}, "this is no PTX: it has no line .version, such as '.version 8.0'"};
    return {};
  }

 private:
  void top_level() {
    const Token first = token();
    if (accept(";")) return;
    if (first.is(".version")) return version();
    if (first.is(".target")) return target();
    if (first.is(".address_size")) {
      advance();
      if (whole("the address size", 64) != 64) fail(first.place, "only .address_size 64 is read");
      return;
    }
    if (first.is(".file") || first.is(".loc")) return skip_line();
    if (first.is(".pragma")) return skip_to(";");
    if (first.is(".section")) {
      skip_to("{");
      return skip_to("}");
    }
    bool is_extern = false;
    while (token().is(".visible") || token().is(".extern") || token().is(".weak") ||
           token().is(".common")) {
      is_extern |= token().is(".extern");
      advance();
    }
    if (token().is(".entry") || token().is(".func")) return function();
    if (const auto space = variable_space(token().text);
        space && token().kind == Token::Kind::word) {
      for (Variable& variable : variables(is_extern)) {
        if (source_.variable_numbers.try_emplace(variable.name, source_.variables.size()).second)
          source_.variables.push_back(std::move(variable));
      }
      return;
    }
    expected(
        "a directive: .version, .target, .address_size, .entry, .func, .global, .const or .shared");
  }

  void version() {
    advance();
    const Place place = token().place;
    const std::string text(token().text);
    const std::size_t point = text.find('.');
    if (token().kind != Token::Kind::number || point == std::string::npos || text.size() > 8)
      fail(place, "a version such as 8.0 is expected");
    const auto major = number_of(text.substr(0, point)), minor = number_of(text.substr(point + 1));
    if (!major || !minor || major->bits > 99 || minor->bits > 9)
      fail(place, formatted("'{}' is no version of PTX, such as 8.0", text));
    source_.version = static_cast<int>(10 * major->bits + minor->bits);
    advance();
  }

  void target() {
    advance();
    const Place place = token().place;
    source_.target = word("a processor, such as sm_90a");
    const instruction::ProcessorRow* row = instruction::find_processor(source_.target);
    if (row == nullptr || !instruction::is_nvidia(row->family))
      fail(place, formatted("the target {}; accepted: {}", shortened(source_.target), targets()));
    while (accept(",")) word("a processor or option");
  }

  static std::string targets() {
    std::string names;
    for (const instruction::ProcessorRow& row : instruction::processor_rows)
      if (instruction::is_nvidia(row.family))
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
  }

  // --- variables ---------------------------------------------------------------------------------

  // After the space: .align, the type, names with sizes and values, up to the semicolon.
  std::vector<Variable> variables(bool is_extern) {
    const Space space = *variable_space(token().text);
    advance();
    Variable shape;
    shape.space = space;
    shape.is_extern = is_extern;
    const int bits = type_and_alignment(shape);
    std::vector<Variable> all;
    do {
      all.push_back(declared(shape, bits));
      if (accept("=")) initialise(all.back(), bits);
    } while (accept(","));
    require(";");
    return all;
  }

  int type_and_alignment(Variable& shape) {
    uint64_t alignment = 0;
    uint64_t lanes = 1;
    for (;;) {
      const Place place = token().place;
      if (accept(".align")) {
        alignment = whole("an alignment", 1u << 20);
        if (alignment == 0 || (alignment & (alignment - 1)) != 0)
          fail(place, "an alignment is a power of two");
      } else if (accept(".ptr")) {
        shape.is_pointer = true;
        // .ptr.global.align 16 says what the pointer points to.
        if (variable_space(token().text)) advance();
        if (accept(".align")) whole("an alignment", 1u << 30);
      } else if (accept(".attribute")) {
        skip_to(")");
      } else if (accept(".v2")) {
        lanes = 2;
      } else if (accept(".v4")) {
        lanes = 4;
      } else if (const int bits = type_bits(token().text);
                 bits >= 8 && token().kind == Token::Kind::word) {
        advance();
        shape.size = static_cast<uint64_t>(bits) / 8 * lanes;
        shape.alignment = std::max(alignment, shape.size);
        // .u64 .ptr .align 8 name: more may follow the type.
        while (token().is(".ptr") || token().is(".align") || variable_space(token().text)) {
          if (accept(".ptr"))
            shape.is_pointer = true;
          else if (accept(".align"))
            whole("an alignment", 1u << 30);
          else
            advance();
        }
        return bits;
      } else if (const std::string_view text = token().text; text.starts_with(".ptr.")) {
        shape.is_pointer = true;
        advance();
      } else {
        expected("the type of a variable");
      }
    }
  }

  Variable declared(const Variable& shape, int) {
    spend(2 * sizeof(Variable) + entry_bytes);
    Variable variable = shape;
    variable.place = token().place;
    variable.name = word("the name of a variable");
    bool is_open = false;
    while (accept("[")) {
      if (accept("]")) {
        is_open = true;
        continue;
      }
      const uint64_t count = whole("a size", most_variable_bytes);
      if (variable.size != 0 && count > most_variable_bytes / variable.size)
        fail(variable.place, "variables of more than 1 GiB are not read");
      variable.size *= count;
      require("]");
    }
    if (is_open) variable.size = 0;
    bytes_ += variable.size;
    if (bytes_ > most_variable_bytes)
      fail(variable.place, "variables of more than 1 GiB are not read");
    if (variable.space == Space::shared && is_open) variable.is_extern = true;
    return variable;
  }

  void initialise(Variable& variable, int bits) {
    if (variable.space != Space::global && variable.space != Space::constant)
      fail(token().place, "only variables in .global and .const space have first values");
    const auto element = static_cast<std::size_t>(bits / 8);
    variable.initial.clear();
    value(variable, element, 0);
    if (variable.size == 0) variable.size = variable.initial.size();
    if (variable.initial.size() > variable.size)
      fail(variable.place,
           formatted("{} has {} bytes and more values", variable.name, variable.size));
    variable.initial.resize(variable.size);
  }

  void value(Variable& variable, std::size_t element, std::size_t depth) {
    if (depth > 8) fail(token().place, "values in braces more than 8 deep");
    if (accept("{")) {
      if (accept("}")) return;
      do value(variable, element, depth + 1);
      while (accept(","));
      require("}");
      return;
    }
    uint64_t bits = 0;
    spend(2 * element);
    if (token().kind == Token::Kind::word) {
      spend(2 * sizeof(Symbol));
      Symbol symbol{variable.initial.size(), word("a name"), 0, false};
      if (symbol.name == "generic") {
        require("(");
        symbol.name = word("a name");
        symbol.is_generic = true;
        require(")");
      }
      if (token().is("+") || token().is("-")) {
        const bool minus = token().is("-");
        advance();
        const uint64_t addend = number("an offset").bits;
        symbol.addend = static_cast<int64_t>(minus ? 0 - addend : addend);
      }
      if (element != 8) fail(variable.place, "an address is a value of 64 bits");
      variable.symbols.push_back(std::move(symbol));
    } else {
      const Number found = number("a value");
      bits = found.bits;
      if (found.is_real && found.real_bits == 64 && element == 4)
        bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(found.bits)));
    }
    if (variable.initial.size() > most_variable_bytes / 2) fail(variable.place, "too many values");
    for (std::size_t i = 0; i < element; ++i)
      variable.initial.push_back(static_cast<std::byte>(i < 8 ? bits >> (8 * i) & 0xff : 0));
  }

  // --- functions ---------------------------------------------------------------------------------

  void function() {
    spend(2 * (sizeof(Function) + sizeof(NameScope)) + entry_bytes);
    Function made;
    made.is_entry = token().is(".entry");
    advance();
    made.scopes.emplace_back();
    if (token().is("(")) parameters(made, made.results);
    if (token().is(".attribute")) skip_to(")");
    made.place = token().place;
    made.name = word("the name of a function");
    if (token().is("(")) parameters(made, made.parameters);
    attributes(made);
    if (!accept(";")) {
      made.is_defined = true;
      body(made);
    }
    const auto [known, is_new] =
        source_.function_numbers.try_emplace(made.name, source_.functions.size());
    if (is_new) {
      source_.functions.push_back(std::move(made));
      return;
    }
    Function& other = source_.functions[known->second];
    if (other.is_defined && made.is_defined)
      fail(made.place, formatted("a second function {}", made.name));
    if (made.is_defined) other = std::move(made);
  }

  void parameters(Function& made, std::vector<uint32_t>& list) {
    require("(");
    if (accept(")")) return;
    do {
      if (!accept(".param"))
        expected("a parameter in .param space (parameters in registers are not read)");
      Variable shape;
      shape.space = Space::param;
      const int bits = type_and_alignment(shape);
      Variable variable = declared(shape, bits);
      list.push_back(add_variable(made, 0, std::move(variable)));
    } while (accept(","));
    require(")");
  }

  uint32_t add_variable(Function& made, uint32_t scope, Variable variable) {
    const auto index = static_cast<uint32_t>(made.variables.size());
    if (!made.scopes[scope].variables.try_emplace(variable.name, index).second)
      fail(variable.place, formatted("a second variable {}", variable.name));
    made.variables.push_back(std::move(variable));
    return index;
  }

  std::vector<uint32_t> sizes() {
    std::vector<uint32_t> list;
    do list.push_back(static_cast<uint32_t>(whole("a number of threads or blocks", 1u << 16)));
    while (accept(",") && list.size() < 3);
    list.resize(3, 1);
    return list;
  }

  void attributes(Function& made) {
    for (;;) {
      if (accept(".maxntid")) {
        const auto threads = sizes();
        made.most_threads = static_cast<uint32_t>(
            std::min<uint64_t>(uint64_t{threads[0]} * threads[1] * threads[2], 1024));
      } else if (accept(".reqntid")) {
        made.threads = sizes();
      } else if (accept(".reqnctapercluster")) {
        made.cluster = sizes();
      } else if (accept(".explicitcluster") || accept(".blocksareclusters") ||
                 accept(".noreturn")) {
      } else if (accept(".minnctapersm") || accept(".maxnctapersm") || accept(".maxnreg") ||
                 accept(".maxclusterrank") || accept(".abi_preserve") ||
                 accept(".abi_preserve_control")) {
        whole("a number", 1u << 20);
      } else if (accept(".pragma")) {
        skip_to(";");
      } else {
        return;
      }
    }
  }

  void body(Function& made) {
    require("{");
    std::vector<uint32_t> open{0};
    while (!open.empty()) {
      const Token first = token();
      if (first.kind == Token::Kind::end) expected("'}'");
      if (accept("}")) {
        open.pop_back();
      } else if (accept("{")) {
        if (open.size() >= deepest_scope)
          fail(first.place, "scopes more than 64 deep are not read");
        spend(2 * sizeof(NameScope));
        made.scopes.emplace_back().parent = static_cast<int32_t>(open.back());
        open.push_back(static_cast<uint32_t>(made.scopes.size() - 1));
      } else if (!accept(";")) {
        inside(made, open.back());
      }
    }
  }

  void inside(Function& made, uint32_t scope) {
    const Token first = token();
    if (first.is(".reg")) return registers(made, scope);
    if (first.is(".loc") || first.is(".file")) return skip_line();
    if (first.is(".pragma")) return skip_to(";");
    if (first.is("@")) return instruction(made, scope);
    if (first.kind != Token::Kind::word) expected("an instruction, a directive or a label");
    if (variable_space(first.text)) {
      for (Variable& variable : variables(false)) add_variable(made, scope, std::move(variable));
      return;
    }
    if (first.text.starts_with("."))
      fail(first.place, formatted("the directive {} is not read", shortened(first.text)));
    instruction(made, scope);
  }

  void registers(Function& made, uint32_t scope) {
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

  // The register of that name seen from a scope; special registers are made when first met.
  int32_t find_register(Function& made, uint32_t scope, std::string_view name) {
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

  void instruction(Function& made, uint32_t scope) {
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
    while (statement.end > statement.begin && source_.text[statement.end - 1] <= ' ')
      --statement.end;
    require(";");
    spend(2 * sizeof(Statement) + 2 * sizeof(std::string_view) * statement.opcode.size());
    made.statements.push_back(std::move(statement));
  }

  void label(Function& made, uint32_t scope, const Token& name) {
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

  void operands(Function& made, Statement& statement) {
    do {
      if (statement.operands.size() > 64) fail(token().place, "too many operands");
      statement.operands.push_back(operand(made, statement.scope, 0));
      if (accept("|")) {
        Operand second = operand(made, statement.scope, 0);
        statement.operands.back().parts.push_back(std::move(second));
      }
    } while (accept(","));
  }

  Operand operand(Function& made, uint32_t scope, int depth) {
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

  Operand named(Function& made, uint32_t scope) {
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

  void offset(Operand& operand) {
    while (token().is("+") || token().is("-")) {
      const bool minus = token().is("-");
      advance();
      const uint64_t bits = number("an offset").bits;
      operand.bits += minus ? 0 - bits : bits;
    }
  }

  Operand address(Function& made, uint32_t scope) {
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

  Source& source_;
  uint64_t bytes_ = 0;
};

}  // namespace

const Function* Source::find_function(std::string_view name) const {
  const auto found = function_numbers.find(name);
  return found == function_numbers.end() ? nullptr : &functions[found->second];
}

const Variable* Source::find_variable(std::string_view name) const {
  const auto found = variable_numbers.find(name);
  return found == variable_numbers.end() ? nullptr : &variables[found->second];
}

std::expected<std::unique_ptr<Source>, ParseError> parse(std::string text, Meter& meter) {
  if (text.size() > most_text)
    return std::unexpected(ParseError{{1, 1}, "text of more than 64 MiB is not read"});
  auto source = std::make_unique<Source>();
  source->text = std::move(text);
  if (auto error = Parser(*source, meter).run()) return std::unexpected(*error);
  return source;
}

}  // namespace heddle::emulator::ptx
