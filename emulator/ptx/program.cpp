#include <algorithm>
#include <bit>
#include <set>
#include <span>

#include "emulator/formatted.h"
#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {
namespace {

constexpr uint64_t rounded_up(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

struct TypeRow {
  std::string_view name;
  Type type;
  int bytes;
  bool is_signed = false;
};
constexpr TypeRow type_rows[] = {
    {"pred", Type::pred, 1},
    {"b8", Type::b8, 1},
    {"b16", Type::b16, 2},
    {"b32", Type::b32, 4},
    {"b64", Type::b64, 8},
    {"b128", Type::b128, 16},
    {"u8", Type::u8, 1},
    {"u16", Type::u16, 2},
    {"u32", Type::u32, 4},
    {"u64", Type::u64, 8},
    {"s8", Type::s8, 1, true},
    {"s16", Type::s16, 2, true},
    {"s32", Type::s32, 4, true},
    {"s64", Type::s64, 8, true},
    {"f16", Type::f16, 2},
    {"f16x2", Type::f16x2, 4},
    {"bf16", Type::bf16, 2},
    {"bf16x2", Type::bf16x2, 4},
    {"f32", Type::f32, 4},
    {"f64", Type::f64, 8},
    {"tf32", Type::tf32, 4},
    {"e4m3x2", Type::e4m3x2, 2},
    {"e5m2x2", Type::e5m2x2, 2},
    {"u16x2", Type::u16x2, 4},
    {"s16x2", Type::s16x2, 4, true},
};
const TypeRow& row(Type type) {
  for (const TypeRow& candidate : type_rows)
    if (candidate.type == type) return candidate;
  static constexpr TypeRow none{"", Type::none, 0};
  return none;
}

void unknown(Warp& w, const Record& in, uint32_t) {
  raise(w, in, FaultKind::unknown_opcode, -1, "the simulator does not have this instruction");
}
void bad_form(Warp& w, const Record& in, uint32_t) {
  raise(w, in, FaultKind::unsupported, -1, *static_cast<const std::string*>(in.extra));
}

}  // namespace

bool is_unknown(const Record& record) {
  return record.handler == unknown || record.handler == bad_form;
}

Type type_named(std::string_view name) {
  for (const TypeRow& candidate : type_rows)
    if (candidate.name == name) return candidate.type;
  return Type::none;
}
int bytes_of(Type type) { return row(type).bytes; }
bool is_signed(Type type) { return row(type).is_signed; }

// --- Decoder -------------------------------------------------------------------------------------

Decoder::Decoder(Program& program, const Function& function)
    : program_(program), function_(function) {}

std::size_t Decoder::types() const {
  std::size_t count = 0;
  for (std::size_t i = 1; i < modifiers(); ++i)
    count += type_named(statement_->opcode[i]) != Type::none;
  return count;
}

Type Decoder::type(std::size_t number) const {
  for (std::size_t i = 1; i < modifiers(); ++i) {
    const Type found = type_named(statement_->opcode[i]);
    if (found != Type::none && number-- == 0) return found;
  }
  return Type::none;
}

Type Decoder::type() const { return types() == 0 ? Type::none : type(types() - 1); }

void Decoder::bad(std::string message) const {
  throw BadStatement{statement_->place, std::move(message)};
}
void Decoder::bad(const Operand& operand, std::string message) const {
  throw BadStatement{operand.place, std::move(message)};
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

uint32_t Decoder::constant(uint64_t bits) {
  const auto [found, is_new] = constants_->try_emplace(bits, program_.frame_words);
  if (is_new) {
    program_.constants.push_back({program_.frame_words, bits});
    program_.frame_words += 32;
  }
  return found->second;
}

uint32_t Decoder::sink() {
  if (*sink_word_ == 0) {
    *sink_word_ = program_.frame_words;
    program_.frame_words += 32;
  }
  return *sink_word_;
}

int Decoder::bits_of(const Operand& operand) const {
  if (operand.kind != Operand::Kind::reg) return 0;
  return function_.registers[static_cast<std::size_t>(operand.reg)].bits;
}

const Variable* Decoder::variable(const std::string& name, VariablePlace& place) const {
  for (int32_t at = static_cast<int32_t>(statement_->scope); at >= 0;
       at = function_.scopes[static_cast<std::size_t>(at)].parent) {
    const Scope& scope = function_.scopes[static_cast<std::size_t>(at)];
    const auto found = scope.variables.find(name);
    if (found == scope.variables.end()) continue;
    place = places_->at({&function_, std::to_string(found->second)});
    return &function_.variables[found->second];
  }
  const Variable* found = program_.source->find_variable(name);
  if (found == nullptr) return nullptr;
  const auto known = places_->find({nullptr, name});
  if (known == places_->end()) return nullptr;
  place = known->second;
  return found;
}

uint32_t Decoder::source(const Operand& operand, Type type) {
  switch (operand.kind) {
    case Operand::Kind::reg: {
      const int bits = bits_of(operand);
      if (type != Type::none && (bits == 1) != (type == Type::pred))
        bad(operand, formatted("{} is {} predicate here", operand.name, bits == 1 ? "a" : "no"));
      if (type != Type::none && type != Type::pred && bits < 8 * bytes_of(type))
        bad(operand, formatted("{} has {} bits, and {} of them are read", operand.name, bits,
                               8 * bytes_of(type)));
      return words_[static_cast<std::size_t>(operand.reg)];
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
      return constant(bits);
    }
    case Operand::Kind::name: {
      VariablePlace place;
      if (variable(operand.name, place) == nullptr)
        bad(operand, formatted("nothing is named '{}'", operand.name));
      return constant(place.address + operand.bits);
    }
    case Operand::Kind::sink:
      return sink();
    default:
      bad(operand, "a register or a number is expected here");
  }
}

uint32_t Decoder::destination(const Operand& operand) {
  if (operand.kind == Operand::Kind::sink) return sink();
  if (operand.kind != Operand::Kind::reg) bad(operand, "a register is expected here");
  if (function_.registers[static_cast<std::size_t>(operand.reg)].special >= 0)
    bad(operand, formatted("{} cannot be written", operand.name));
  return words_[static_cast<std::size_t>(operand.reg)];
}

uint32_t Decoder::address(const Operand& operand, bool keeps_immediate) {
  if (operand.kind != Operand::Kind::address) bad(operand, "an address in [] is expected here");
  if (operand.reg >= 0) {
    const int bits = function_.registers[static_cast<std::size_t>(operand.reg)].bits;
    if (bits < 32) bad(operand, formatted("{} has {} bits: no address", operand.name, bits));
    const auto offset = static_cast<int64_t>(operand.bits);
    if (keeps_immediate)
      record_.immediate = offset;
    else if (offset != 0)
      bad(operand, "an offset stands here where none may");
    return words_[static_cast<std::size_t>(operand.reg)];
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
    if (word == "global") return Space::global;
    if (word == "shared" || word == "shared::cta" || word == "shared::cluster")
      return Space::shared;
    if (word == "local") return Space::local;
    if (word == "const") return Space::constant;
    if (word.starts_with("param")) return Space::param;
  }
  return Space::generic;
}

void Decoder::set_operands(std::vector<uint32_t> words) {
  program_.operands.push_back(std::move(words));
  record_.operand = program_.operands.back().data();
  record_.operand_count = static_cast<uint32_t>(program_.operands.back().size());
}

uint32_t Decoder::label_named(const std::string& name, const Place& place) const {
  for (int32_t at = static_cast<int32_t>(statement_->scope); at >= 0;
       at = function_.scopes[static_cast<std::size_t>(at)].parent) {
    const Scope& scope = function_.scopes[static_cast<std::size_t>(at)];
    if (const auto found = scope.labels.find(name); found != scope.labels.end())
      return found->second;
  }
  throw BadStatement{place, formatted("no label '{}'", name)};
}

uint32_t Decoder::label(const Operand& operand) const {
  if (operand.kind != Operand::Kind::name) bad(operand, "a label is expected here");
  return label_named(operand.name, operand.place);
}

const std::vector<std::string>* Decoder::branch_targets(const std::string& name) const {
  for (int32_t at = static_cast<int32_t>(statement_->scope); at >= 0;
       at = function_.scopes[static_cast<std::size_t>(at)].parent) {
    const Scope& scope = function_.scopes[static_cast<std::size_t>(at)];
    if (const auto found = scope.targets.find(name); found != scope.targets.end())
      return &found->second;
  }
  return nullptr;
}

// --- Program -------------------------------------------------------------------------------------

std::string Program::text_of(const Record& record) const {
  const Function& function = *functions[record.function];
  if (record.statement >= function.statements.size()) return "ret";
  const Statement& statement = function.statements[record.statement];
  std::string text = source->text.substr(statement.begin, statement.end - statement.begin);
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  if (text.size() > 200) text = text.substr(0, 200) + " …";
  return text;
}

Place Program::place_of(const Record& record) const {
  const Function& function = *functions[record.function];
  if (record.statement >= function.statements.size()) return function.place;
  return function.statements[record.statement].place;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Source& source, const Function& kernel) {
    program_->source = &source;
    program_->kernel = &kernel;
    const std::string name = source.target.substr(0, source.target.find_last_not_of("af") + 1);
    if (const auto* row = instruction::find_processor(name)) program_->target = row->target;
    for (const auto rows :
         {integer_rows(), bit_rows(), float_rows(), conversion_rows(), memory_rows(), atomic_rows(),
          exchange_rows(), matrix_rows(), asynchronous_rows(), barrier_rows(),
          memory_barrier_rows(), warpgroup_rows()})
      for (const DecodeRow& row : rows) rows_.emplace(row.name, row.decode);
  }

  std::expected<std::shared_ptr<const Program>, ParseError> build() {
    try {
      program_->frame_words = 32;  // word 0 is nobody's
      reach(*program_->kernel, 0);
      place_variables();
      for (uint32_t i = 0; i < program_->functions.size(); ++i) decode_function(i);
      for (const auto& [record, function] : calls_)
        program_->records[record].target = program_->entries[function];
    } catch (const BadStatement& bad) {
      return std::unexpected(ParseError{bad.place, bad.message});
    }
    return program_;
  }

 private:
  // The functions that are called, the callers first; recursion has no frame here.
  void reach(const Function& function, int depth) {
    if (depth > 64 || std::ranges::find(path_, &function) != path_.end())
      throw BadStatement{
          function.place,
          formatted("function {} calls itself, which the simulator does not have", function.name)};
    path_.push_back(&function);
    if (!numbers_.contains(&function)) {
      numbers_[&function] = static_cast<uint32_t>(program_->functions.size());
      program_->functions.push_back(&function);
    }
    for (const Statement& statement : function.statements) {
      if (statement.opcode[0] != "call") continue;
      if (const Function* called = callee(statement)) {
        if (!reached_.insert({&function, called}).second) continue;
        reach(*called, depth + 1);
      }
    }
    path_.pop_back();
  }

  const Function* callee(const Statement& statement) const {
    for (const Operand& operand : statement.operands)
      if (operand.kind == Operand::Kind::name) {
        const Function* found = program_->source->find_function(operand.name);
        if (found != nullptr && found->is_defined) return found;
        return nullptr;
      }
    return nullptr;
  }

  void place_variables() {
    uint64_t shared = shared_begin, local = 16;
    uint64_t alignment = 16;
    const auto check = [](const Variable& variable, uint64_t bytes, uint64_t most) {
      if (bytes > most)
        throw BadStatement{variable.place, formatted("with {} there are {} bytes; {} are possible",
                                                     variable.name, bytes, most)};
    };
    const auto in_shared = [&](const Variable& variable) {
      if (variable.is_extern) {
        alignment = std::max(alignment, variable.alignment);
        return uint64_t{0};
      }
      shared = rounded_up(shared, variable.alignment);
      const uint64_t at = shared;
      shared += variable.size;
      check(variable, shared, 1u << 20);
      return at;
    };
    std::vector<std::pair<VariablePlace*, const Variable*>> dynamic;
    std::vector<std::byte>& image = program_->image;
    std::vector<const Variable*> with_symbols;
    for (const Variable& variable : program_->source->variables) {
      VariablePlace& place = places_[{nullptr, variable.name}];
      place.space = variable.space;
      if (variable.space == Space::shared) {
        place.address = in_shared(variable);
        if (variable.is_extern) dynamic.push_back({&place, &variable});
      } else {
        const uint64_t at = rounded_up(image.size(), std::max<uint64_t>(variable.alignment, 16));
        check(variable, at + variable.size, uint64_t{1} << 30);
        image.resize(at + variable.size);
        std::ranges::copy(variable.initial, image.begin() + static_cast<std::ptrdiff_t>(at));
        place.address = variable_base + at;
        place.space = Space::global;
        if (!variable.symbols.empty()) with_symbols.push_back(&variable);
      }
    }
    for (const Function* function : program_->functions) {
      for (uint32_t i = 0; i < function->variables.size(); ++i) {
        const Variable& variable = function->variables[i];
        VariablePlace& place = places_[{function, std::to_string(i)}];
        place.space = variable.space;
        if (variable.space == Space::shared) {
          place.address = in_shared(variable);
          if (variable.is_extern) dynamic.push_back({&place, &variable});
        } else if (function == program_->kernel && is_parameter(*function, i)) {
          program_->parameter_bytes =
              static_cast<uint32_t>(rounded_up(program_->parameter_bytes, variable.alignment));
          place.address = program_->parameter_bytes;
          program_->parameter_offsets.push_back(program_->parameter_bytes);
          check(variable, program_->parameter_bytes + variable.size, 32764);
          program_->parameter_bytes += static_cast<uint32_t>(variable.size);
        } else {
          place.space = Space::local;
          local = rounded_up(local, std::max<uint64_t>(variable.alignment, 8));
          place.address = local;
          local += variable.size;
          check(variable, local, 1u << 20);
        }
      }
    }
    program_->dynamic_alignment = static_cast<uint32_t>(alignment);
    program_->shared_bytes = static_cast<uint32_t>(shared - shared_begin);
    program_->local_bytes = static_cast<uint32_t>(rounded_up(local, 16));
    for (const auto& [place, variable] : dynamic) place->address = program_->dynamic_shared_begin();
    for (const Variable* variable : with_symbols) add_addresses(*variable);
  }

  void add_addresses(const Variable& variable) {
    const uint64_t at = places_.at({nullptr, variable.name}).address - variable_base;
    for (const Symbol& symbol : variable.symbols) {
      const auto found = places_.find({nullptr, symbol.name});
      if (found == places_.end())
        throw BadStatement{variable.place, formatted("nothing is named '{}'", symbol.name)};
      uint64_t address = found->second.address + static_cast<uint64_t>(symbol.addend);
      if (symbol.is_generic && found->second.space == Space::shared)
        address += region_start(shared_region);
      for (std::size_t i = 0; i < 8; ++i)
        program_->image[at + symbol.offset + i] = static_cast<std::byte>(address >> (8 * i));
    }
  }

  static bool is_parameter(const Function& function, uint32_t variable) {
    return std::ranges::find(function.parameters, variable) != function.parameters.end();
  }

  void decode_function(uint32_t number) {
    const Function& function = *program_->functions[number];
    Decoder decoder(*program_, function);
    decoder.constants_ = &constants_;
    decoder.places_ = &places_;
    decoder.sink_word_ = &sink_;
    for (const Register& reg : function.registers) {
      decoder.words_.push_back(program_->frame_words);
      if (reg.special >= 0)
        program_->specials.push_back({program_->frame_words, static_cast<Special>(reg.special)});
      program_->frame_words += reg.bits == 1 ? 1 : reg.bits == 128 ? 64 : 32;
    }
    program_->frame_words = static_cast<uint32_t>(rounded_up(program_->frame_words, 32));
    const auto first = static_cast<uint32_t>(program_->records.size());
    program_->entries.push_back(first);
    // Branches go to statements, which have a record each.
    for (uint32_t i = 0; i < function.statements.size(); ++i) {
      decoder.statement_ = &function.statements[i];
      decoder.record_ = {};
      Record& record = decoder.record_;
      record.statement = i;
      record.function = number;
      if (decoder.statement().guard >= 0) {
        record.guard = decoder.words_[static_cast<std::size_t>(decoder.statement().guard)];
        record.guard_negated = decoder.statement().guard_negated;
      }
      decode_statement(decoder, first);
      program_->records.push_back(decoder.record_);
    }
    Record last;
    last.statement = static_cast<uint32_t>(function.statements.size());
    last.function = number;
    last.control = function.is_entry ? Control::exit : Control::ret;
    program_->records.push_back(last);
  }

  void decode_statement(Decoder& decoder, uint32_t first) {
    const Statement& statement = decoder.statement();
    const std::string_view name = statement.opcode[0];
    Record& record = decoder.record();
    if (name == "bra") {
      record.control = Control::branch;
      record.target = first + decoder.label(decoder.operand(0));
      return;
    }
    if (name == "brx") return indexed_branch(decoder, first);
    if (name == "exit") {
      record.control = Control::exit;
      return;
    }
    if (name == "ret") {
      record.control =
          program_->functions[record.function]->is_entry ? Control::exit : Control::ret;
      return;
    }
    if (name == "call") return call(decoder);
    const auto row = rows_.find(name);
    if (row == rows_.end()) {
      record.handler = unknown;
      return;
    }
    try {
      if (!row->second(decoder)) record.handler = unknown;
    } catch (const BadStatement& bad) {
      throw bad;
    }
    if (record.handler == nullptr) record.handler = unknown;
  }

  void indexed_branch(Decoder& decoder, uint32_t first) {
    Record& record = decoder.record();
    const Operand& list = decoder.operand(1);
    const auto* targets = decoder.branch_targets(list.name);
    if (targets == nullptr) decoder.bad(list, formatted("no .branchtargets '{}'", list.name));
    std::vector<uint32_t> places;
    for (const std::string& name : *targets)
      places.push_back(first + decoder.label_named(name, list.place));
    program_->branch_targets.push_back(std::move(places));
    record.extra = &program_->branch_targets.back();
    record.control = Control::indexed_branch;
    decoder.set_operands({decoder.source(0, Type::u32)});
  }

  void call(Decoder& decoder) {
    Record& record = decoder.record();
    const Statement& statement = decoder.statement();
    const Function* called = callee(statement);
    if (called == nullptr) {
      record.handler = bad_form;
      record.extra = decoder.keep(std::string(
          "a call through a pointer, or of a function that this text only declares (vprintf, "
          "malloc …), is not simulated"));
      return;
    }
    CallCopies copies;
    copies.function = numbers_.at(called);
    // (results), name, (parameters)
    bool behind = false;
    for (const Operand& operand : statement.operands) {
      if (operand.kind == Operand::Kind::name) {
        behind = true;
        continue;
      }
      const auto& formal = behind ? called->parameters : called->results;
      if (operand.kind != Operand::Kind::vector || operand.parts.size() != formal.size())
        decoder.bad(operand, formatted("function {} has {} {}", called->name, formal.size(),
                                       behind ? "parameters" : "results"));
      for (std::size_t i = 0; i < formal.size(); ++i) {
        VariablePlace place;
        const Variable* actual = decoder.variable(operand.parts[i].name, place);
        if (actual == nullptr || place.space != Space::local)
          decoder.bad(operand.parts[i], "a parameter of a call is a variable in .param space");
        const VariablePlace inside = places_.at({called, std::to_string(formal[i])});
        const auto bytes =
            static_cast<uint32_t>(std::min(actual->size, called->variables[formal[i]].size));
        const auto outer = static_cast<uint32_t>(place.address);
        const auto inner = static_cast<uint32_t>(inside.address);
        if (behind)
          copies.before.push_back({outer, inner, bytes});
        else
          copies.after.push_back({inner, outer, bytes});
      }
    }
    program_->calls.push_back(std::move(copies));
    record.extra = &program_->calls.back();
    record.control = Control::call;
    calls_.emplace_back(static_cast<uint32_t>(program_->records.size()),
                        program_->calls.back().function);
  }

  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::unordered_map<std::string_view, Decode> rows_;
  std::unordered_map<uint64_t, uint32_t> constants_;
  std::map<std::pair<const Function*, std::string>, VariablePlace> places_;
  std::map<const Function*, uint32_t> numbers_;
  std::set<std::pair<const Function*, const Function*>> reached_;
  std::vector<const Function*> path_;
  std::vector<std::pair<uint32_t, uint32_t>> calls_;  // record, function
  uint32_t sink_ = 0;
};

std::expected<std::shared_ptr<const Program>, ParseError> decode(const Source& source,
                                                                 const Function& kernel) {
  return ProgramBuilder(source, kernel).build();
}

}  // namespace heddle::emulator::ptx
