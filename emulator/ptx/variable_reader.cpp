#include "emulator/ptx/variable_reader.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

constexpr uint64_t most_variable_bytes = uint64_t{1} << 30;

}  // namespace

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

std::vector<Variable> VariableReader::variables(bool is_extern) {
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

int VariableReader::type_and_alignment(Variable& shape) {
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
      // .ptr.global.align 16: the state space and the alignment of the memory that the pointer
      // points to.
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
      // The type may be followed by more attributes: .u64 .ptr .align 8 name.
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

Variable VariableReader::declared(const Variable& shape, int) {
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

void VariableReader::initialise(Variable& variable, int bits) {
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

void VariableReader::value(Variable& variable, std::size_t element, std::size_t depth) {
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

}  // namespace heddle::emulator::ptx
