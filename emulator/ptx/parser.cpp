#include "emulator/ptx/parser.h"

#include <algorithm>
#include <optional>

#include "emulator/ptx/statement_reader.h"
#include "emulator/ptx/variable_reader.h"
#include "heddle/instruction/target.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

constexpr std::size_t most_text = std::size_t{64} << 20;
constexpr std::size_t deepest_scope = 64;

class Parser : StatementReader {
 public:
  Parser(Source& source, Meter& meter) : StatementReader(source.text, meter), source_(source) {}

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

  Source& source_;
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
