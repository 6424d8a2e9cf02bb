#include "emulator/ptx/decoder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  Type type;
  int bytes;
  bool is_signed = false;
};
constexpr TypeRow type_rows[] = {
    {"pred", Type::pred, 1},     {"b8", Type::b8, 1},         {"b16", Type::b16, 2},
    {"b32", Type::b32, 4},       {"b64", Type::b64, 8},       {"b128", Type::b128, 16},
    {"u8", Type::u8, 1},         {"u16", Type::u16, 2},       {"u32", Type::u32, 4},
    {"u64", Type::u64, 8},       {"s8", Type::s8, 1, true},   {"s16", Type::s16, 2, true},
    {"s32", Type::s32, 4, true}, {"s64", Type::s64, 8, true}, {"f16", Type::f16, 2},
    {"f16x2", Type::f16x2, 4},   {"bf16", Type::bf16, 2},     {"bf16x2", Type::bf16x2, 4},
    {"f32", Type::f32, 4},       {"f64", Type::f64, 8},       {"tf32", Type::tf32, 4},
    {"e4m3x2", Type::e4m3x2, 2}, {"e5m2x2", Type::e5m2x2, 2}, {"e2m1x2", Type::e2m1x2, 1},
    {"e2m3x2", Type::e2m3x2, 2}, {"e3m2x2", Type::e3m2x2, 2}, {"ue8m0x2", Type::ue8m0x2, 2},
    {"f32x2", Type::f32x2, 8},   {"u16x2", Type::u16x2, 4},   {"s16x2", Type::s16x2, 4, true},
};
const TypeRow& row(Type type) {
  for (const TypeRow& candidate : type_rows)
    if (candidate.type == type) return candidate;
  static constexpr TypeRow none{"", Type::none, 0};
  return none;
}

}  // namespace

Type type_named(std::string_view name) {
  for (const TypeRow& candidate : type_rows)
    if (candidate.name == name) return candidate.type;
  return Type::none;
}
int bytes_of(Type type) { return row(type).bytes; }
bool is_signed(Type type) { return row(type).is_signed; }
bool is_float(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2 ||
         type == Type::f32x2 || type == Type::f32 || type == Type::f64;
}

Decoder::Decoder(Program& program, const Function& function)
    : program_(program), function_(function) {}

bool Decoder::has(std::string_view modifier) const {
  bool found = false;
  for (std::size_t i = 1; i < modifiers(); ++i) {
    if (statement_->opcode[i] != modifier) continue;
    read_ |= uint32_t{1} << i;
    found = true;
  }
  return found;
}

std::string_view Decoder::modifier(std::size_t i) const {
  if (i >= modifiers()) return {};
  read_ |= uint32_t{1} << i;
  return statement_->opcode[i];
}

std::string Decoder::whole_name(std::string_view without) const {
  std::string whole(name());
  for (std::size_t i = 1; i < modifiers(); ++i)
    if (const std::string_view part = modifier(i); part != without)
      whole += "." + std::string(part);
  return whole;
}

std::string_view Decoder::unread(std::string_view hints) const {
  const auto is_hint = [&](std::string_view part) {
    for (std::string_view rest = hints; !rest.empty();) {
      const std::string_view hint = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(hint.size() + 1, rest.size()));
      if (hint.ends_with('*') ? part.starts_with(hint.substr(0, hint.size() - 1)) : part == hint)
        return true;
    }
    return false;
  };
  for (std::size_t i = 1; i < modifiers(); ++i)
    if ((read_ >> i & 1) == 0 && !is_hint(statement_->opcode[i])) return statement_->opcode[i];
  return {};
}

bool Decoder::is_of_pairs() const {
  return std::ranges::any_of(statement_->opcode,
                             [](std::string_view part) { return part.ends_with("x2"); });
}

void Decoder::note(uint32_t word, const Operand& operand, Type type, Use::Role role) {
  if (function_.registers[static_cast<std::size_t>(operand.reg)].special >= 0) return;
  const int bits = std::min(8 * bytes_of(type), 64);
  for (uint32_t part = 0; part < (type == Type::b128 ? 2u : 1u); ++part)
    uses_.push_back({word + part * lanes_of_warp, operand.reg, static_cast<uint8_t>(bits), role,
                     type == Type::pred});
}

std::size_t Decoder::types() const {
  std::size_t count = 0;
  for (std::size_t i = 1; i < modifiers(); ++i)
    count += type_named(statement_->opcode[i]) != Type::none;
  return count;
}

Type Decoder::type(std::size_t number) const {
  for (std::size_t i = 1; i < modifiers(); ++i) {
    const Type found = type_named(statement_->opcode[i]);
    if (found == Type::none || number-- != 0) continue;
    read_ |= uint32_t{1} << i;
    return found;
  }
  return Type::none;
}

Type Decoder::type() const { return types() == 0 ? Type::none : type(types() - 1); }

void Decoder::bad(std::string message) const {
  throw ParseError{statement_->place, std::move(message)};
}
void Decoder::bad(const Operand& operand, std::string message) const {
  throw ParseError{operand.place, std::move(message)};
}

const Operand& Decoder::operand(std::size_t i) const {
  if (i >= operands())
    bad(formatted("{} has {} operands here, and needs more", std::string(statement_->opcode[0]),
                  operands()));
  return statement_->operands[i];
}

std::vector<const Operand*> Decoder::parts(std::size_t i) const {
  const Operand& whole = operand(i);
  if (whole.kind != Operand::Kind::vector) return {&whole};
  std::vector<const Operand*> all;
  for (const Operand& part : whole.parts) all.push_back(&part);
  return all;
}

uint32_t Decoder::wide_constant(uint64_t bits) {
  const uint32_t word = allocate(2 * lanes_of_warp);
  program_.constants.push_back({word, bits});
  program_.constants.push_back({word + lanes_of_warp, 0});
  return word;
}

uint32_t Decoder::constant(uint64_t bits) {
  const auto [found, is_new] = constants_->try_emplace(bits, 0);
  if (is_new) {
    found->second = allocate(32);
    program_.constants.push_back({found->second, bits});
  }
  return found->second;
}

uint32_t Decoder::sink() {
  if (*sink_word_ == 0) *sink_word_ = allocate(2 * lanes_of_warp);  // as wide as any register
  return *sink_word_;
}

uint32_t Decoder::carry(bool takes, bool gives) {
  if (*carry_word_ == 0) *carry_word_ = allocate(1);
  if (takes) uses_.push_back({*carry_word_, -1, 1, Use::Role::source, true});
  if (gives) uses_.push_back({*carry_word_, -1, 1, Use::Role::destination, true});
  return *carry_word_;
}

uint32_t Decoder::allocate(uint32_t words) {
  if (words > Program::most_frame_words - program_.frame_words)
    bad(
        formatted("with this instruction the registers and constants of a warp need more than {} "
                  "MiB",
                  Program::most_frame_words * 8 >> 20));
  const uint32_t first = program_.frame_words;
  program_.frame_words += words;
  return first;
}

uint32_t Decoder::word_of(int32_t reg) {
  const auto index = static_cast<std::size_t>(reg);
  if (index >= words_.size()) words_.resize(function_.registers.size());
  uint32_t& word = words_[index];
  if (word != 0) return word;
  const Register& declared = function_.registers[index];
  word = allocate(declared.bits == 1 ? 1 : declared.bits == 128 ? 64 : 32);
  if (declared.special >= 0)
    program_.specials.push_back({word, static_cast<Special>(declared.special)});
  return word;
}

int Decoder::bits_of(const Operand& operand) const {
  if (operand.kind != Operand::Kind::reg) return 0;
  return function_.registers[static_cast<std::size_t>(operand.reg)].bits;
}

const Variable* Decoder::variable(const std::string& name, VariablePlace& place) const {
  for (int32_t at = static_cast<int32_t>(statement_->scope); at >= 0;
       at = function_.scopes[static_cast<std::size_t>(at)].parent) {
    const NameScope& scope = function_.scopes[static_cast<std::size_t>(at)];
    const auto found = scope.variables.find(name);
    if (found == scope.variables.end()) continue;
    place = places_->at({&function_, formatted("{}", found->second)});
    return &function_.variables[found->second];
  }
  const Variable* found = program_.source->find_variable(name);
  if (found == nullptr) return nullptr;
  const auto& others = program_.module->places;
  if (const auto other = others.find(name); other != others.end()) {
    place = other->second;
    return found;
  }
  const auto known = places_->find({nullptr, name});
  if (known == places_->end()) return nullptr;
  place = known->second;
  return found;
}

void Decoder::check_class(const Operand& operand, Type type, Fit fit) const {
  const Register& declared = function_.registers[static_cast<std::size_t>(operand.reg)];
  const int bits = declared.bits;
  if (type == Type::none)
    bad(formatted("{} needs a type, such as .b32", std::string(statement_->opcode[0])));
  if ((bits == 1) != (type == Type::pred))
    bad(operand,
        bits == 1 ? formatted("{} is a predicate, and a register of {} bits is expected",
                              operand.name, 8 * bytes_of(type))
                  : formatted("{} has {} bits, and a predicate is expected", operand.name, bits));
  if (type == Type::pred) return;
  const int wanted = 8 * bytes_of(type);
  // Special registers were narrower or wider in older PTX, so their low bits alone may be read.
  const bool fits =
      fit == Fit::wider || declared.special >= 0 || wanted == 8 ? bits >= wanted : bits == wanted;
  if (!fits)
    bad(operand,
        formatted("{} has {} bits, and a register of {} is expected", operand.name, bits, wanted));
  const bool is_real = type == Type::f32 || type == Type::f64;
  const bool is_integer = type == Type::u32 || type == Type::s32 || type == Type::u64 ||
                          type == Type::s64 || type == Type::u16 || type == Type::s16;
  if ((is_real && declared.kind == Register::Kind::integer) ||
      (is_integer && declared.kind == Register::Kind::real))
    bad(operand,
        formatted("{} is declared for {}, and {} are expected: declare it .b{}", operand.name,
                  is_real ? "integers" : "floats", is_real ? "floats" : "integers", bits));
}

uint32_t Decoder::prepared(const Operand& operand, Type type) {
  const int special = function_.registers[static_cast<std::size_t>(operand.reg)].special;
  if (special >= 0 && is_time(static_cast<Special>(special))) {
    const uint32_t to = allocate(32);
    prepared_.push_back({0, to, operand.bits, false, static_cast<Special>(special)});
    return to;
  }
  const uint32_t from = word_of(operand.reg);
  if (operand.bits == 0 && !operand.negated) return from;
  if (operand.negated != (type == Type::pred) || (operand.negated && operand.bits != 0))
    bad(operand, operand.negated ? "'!' stands before predicates only"
                                 : "a number cannot be added to a predicate");
  if (is_float(type)) bad(operand, "a number is added to integers only");
  const uint32_t to = allocate(32);
  prepared_.push_back({from, to, operand.bits, operand.negated});
  return to;
}

std::pair<uint32_t, uint32_t> Decoder::destination_pair(std::size_t i, Type d, Type p) {
  Operand first = operand(i);
  if (first.parts.size() > 1 || (!first.parts.empty() && first.kind == Operand::Kind::vector))
    bad(first, "d or d|p is expected here");
  const uint32_t second = first.parts.empty() ? sink() : destination(first.parts[0], p);
  first.parts.clear();
  return {destination(first, d), second};
}

uint32_t Decoder::source(const Operand& operand, Type type, Fit fit) {
  if (!operand.selector.empty()) bad(operand, "a part of a register stands here where none may");
  if (operand.kind != Operand::Kind::vector && !operand.parts.empty())
    bad(operand, "a|b stands here, where one value is expected");
  if (operand.negated && operand.kind != Operand::Kind::reg)
    bad(operand, "'!' stands before predicates only");
  switch (operand.kind) {
    case Operand::Kind::reg: {
      check_class(operand, type, fit);
      const uint32_t word = prepared(operand, type);
      note(word, operand, type, Use::Role::source);
      return word;
    }
    case Operand::Kind::number: {
      uint64_t bits = operand.bits;
      const bool single = type == Type::f32 || (bytes_of(type) == 4 && operand.is_real);
      if (operand.is_real && operand.real_bits == 64 && single)
        bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      if (operand.is_real && operand.real_bits == 32 && type == Type::f64)
        bits = std::bit_cast<uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
      if (type == Type::pred) bits = bits != 0 ? 0xffffffffu : 0;
      return type == Type::b128 ? wide_constant(bits) : constant(bits);
    }
    case Operand::Kind::name: {
      VariablePlace place;
      if (variable(operand.name, place) == nullptr)
        bad(operand, formatted("nothing is named '{}'", operand.name));
      if (bytes_of(type) < 4) bad(operand, "an address has 32 or 64 bits");
      return constant(place.address + operand.bits);
    }
    case Operand::Kind::sink:
      return sink();
    default:
      bad(operand, "a register or a number is expected here");
  }
}

uint32_t Decoder::destination(const Operand& operand, Type type, Fit fit, Use::Role role) {
  if (!operand.selector.empty()) bad(operand, "a part of a register stands here where none may");
  if (operand.negated || operand.bits != 0 || !operand.parts.empty())
    bad(operand, "a register alone is expected here");
  if (operand.kind == Operand::Kind::sink) return sink();
  if (operand.kind != Operand::Kind::reg) bad(operand, "a register is expected here");
  if (function_.registers[static_cast<std::size_t>(operand.reg)].special >= 0)
    bad(operand, formatted("{} cannot be written", operand.name));
  check_class(operand, type, fit);
  const uint32_t word = word_of(operand.reg);
  note(word, operand, type, role);
  return word;
}

uint32_t Decoder::address(const Operand& operand, bool keeps_immediate) {
  if (operand.kind != Operand::Kind::address || operand.negated || !operand.selector.empty())
    bad(operand, "an address in [] is expected here");
  if (operand.reg >= 0) {
    const Register& declared = function_.registers[static_cast<std::size_t>(operand.reg)];
    const int bits = declared.bits;
    if ((bits != 32 && bits != 64) || declared.kind == Register::Kind::real)
      bad(operand, formatted("{} is no address: that is a register of 32 or 64 bits for integers",
                             operand.name));
    const auto offset = static_cast<int64_t>(operand.bits);
    if (keeps_immediate)
      record_.immediate = offset;
    else if (offset != 0)
      bad(operand, "an offset stands here where none may");
    const uint32_t word = word_of(operand.reg);
    note(word, operand, bits == 64 ? Type::b64 : Type::b32, Use::Role::address);
    return word;
  }
  if (operand.name.empty()) return constant(operand.bits);
  VariablePlace place;
  if (variable(operand.name, place) == nullptr)
    bad(operand, formatted("nothing is named '{}'", operand.name));
  if (record_.space == Space::generic) record_.space = place.space;
  if (record_.space == Space::param && place.space == Space::local) record_.space = Space::local;
  return constant(place.address + operand.bits);
}

Space Decoder::space() const {
  for (std::size_t i = 1; i < modifiers(); ++i) {
    const std::string_view word = statement_->opcode[i];
    const auto found = word == "global" ? Space::global
                       : word == "shared" || word == "shared::cta" || word == "shared::cluster"
                           ? Space::shared
                       : word == "local"           ? Space::local
                       : word == "const"           ? Space::constant
                       : word.starts_with("param") ? Space::param
                                                   : Space::generic;
    if (found == Space::generic) continue;
    read_ |= uint32_t{1} << i;
    return found;
  }
  return Space::generic;
}

void Decoder::set_order(bool is_strong) {
  record_.acquires = has("acquire") || has("acq_rel") || has("sc");
  record_.releases = has("release") || has("acq_rel") || has("sc");
  if (!is_strong && !record_.acquires && !record_.releases && !has("relaxed") && !has("volatile") &&
      !has("mmio"))
    return;
  const bool is_device = has("gpu") || has("gl") || has("sys");
  const Scope scope = is_device        ? Scope::device
                      : has("cta")     ? Scope::block
                      : has("cluster") ? Scope::cluster
                                       : Scope::device;
  record_.scope = static_cast<uint8_t>(scope);
}

void Decoder::set_operands(std::vector<uint32_t> words) {
  program_.operands.push_back(std::move(words));
  record_.operand = program_.operands.back().data();
  record_.operand_count = static_cast<uint32_t>(program_.operands.back().size());
}

bool decode_no_operation(Decoder& d) {
  d.read_all();
  d.record().handler = [](Warp&, const Record&, uint32_t) {};
  d.set_operands({});
  return true;
}

uint32_t Decoder::label_named(const std::string& name, const Place& place) const {
  for (int32_t at = static_cast<int32_t>(statement_->scope); at >= 0;
       at = function_.scopes[static_cast<std::size_t>(at)].parent) {
    const NameScope& scope = function_.scopes[static_cast<std::size_t>(at)];
    if (const auto found = scope.labels.find(name); found != scope.labels.end())
      return found->second;
  }
  throw ParseError{place, formatted("no label '{}'", name)};
}

uint32_t Decoder::label(const Operand& operand) const {
  if (operand.kind != Operand::Kind::name || operand.bits != 0 || operand.negated ||
      !operand.parts.empty())
    bad(operand, "a label is expected here");
  return label_named(operand.name, operand.place);
}

const std::vector<std::string>* Decoder::branch_targets(const std::string& name) const {
  for (int32_t at = static_cast<int32_t>(statement_->scope); at >= 0;
       at = function_.scopes[static_cast<std::size_t>(at)].parent) {
    const NameScope& scope = function_.scopes[static_cast<std::size_t>(at)];
    if (const auto found = scope.targets.find(name); found != scope.targets.end())
      return &found->second;
  }
  return nullptr;
}

}  // namespace heddle::emulator::ptx
