#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <utility>

#include "emulator/ptx/decoder.h"
#include "emulator/record/formatted.h"

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
bool is_float(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2 ||
         type == Type::f32 || type == Type::f64;
}

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
  const auto [found, is_new] = constants_->try_emplace(bits, 0);
  if (is_new) {
    found->second = allocate(32);
    program_.constants.push_back({found->second, bits});
  }
  return found->second;
}

uint32_t Decoder::sink() {
  if (*sink_word_ == 0) *sink_word_ = allocate(32);
  return *sink_word_;
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
  // Special registers were wider or narrower in older versions: their low part may be read.
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
  if (operand.kind != Operand::Kind::vector && !operand.parts.empty())
    bad(operand, "a|b stands here, where one value is expected");
  if (operand.negated && operand.kind != Operand::Kind::reg)
    bad(operand, "'!' stands before predicates only");
  switch (operand.kind) {
    case Operand::Kind::reg:
      check_class(operand, type, fit);
      return prepared(operand, type);
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
      if (bytes_of(type) < 4) bad(operand, "an address has 32 or 64 bits");
      return constant(place.address + operand.bits);
    }
    case Operand::Kind::sink:
      return sink();
    default:
      bad(operand, "a register or a number is expected here");
  }
}

uint32_t Decoder::destination(const Operand& operand, Type type, Fit fit) {
  if (operand.negated || operand.bits != 0 || !operand.parts.empty())
    bad(operand, "a register alone is expected here");
  if (operand.kind == Operand::Kind::sink) return sink();
  if (operand.kind != Operand::Kind::reg) bad(operand, "a register is expected here");
  if (function_.registers[static_cast<std::size_t>(operand.reg)].special >= 0)
    bad(operand, formatted("{} cannot be written", operand.name));
  check_class(operand, type, fit);
  return word_of(operand.reg);
}

uint32_t Decoder::address(const Operand& operand, bool keeps_immediate) {
  if (operand.kind != Operand::Kind::address || operand.negated)
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
    return word_of(operand.reg);
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

void Decoder::set_order(bool is_strong) {
  record_.acquires = has("acquire") || has("acq_rel") || has("sc");
  record_.releases = has("release") || has("acq_rel") || has("sc");
  if (!is_strong && !record_.acquires && !record_.releases && !has("relaxed") && !has("volatile") &&
      !has("mmio"))
    return;
  const Scope scope = has("cta") ? Scope::block : has("cluster") ? Scope::cluster : Scope::device;
  record_.scope = static_cast<uint8_t>(scope);
}

void Decoder::set_operands(std::vector<uint32_t> words) {
  program_.operands.push_back(std::move(words));
  record_.operand = program_.operands.back().data();
  record_.operand_count = static_cast<uint32_t>(program_.operands.back().size());
}

bool decode_no_operation(Decoder& d) {
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
  throw BadStatement{place, formatted("no label '{}'", name)};
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

std::string Program::mnemonic_of(const Record& record) const {
  const Function& function = *functions[record.function];
  if (record.statement >= function.statements.size()) return "ret";
  std::string name;
  for (const std::string_view part : function.statements[record.statement].opcode)
    name += (name.empty() ? "" : ".") + std::string(part);
  return name;
}

Place Program::place_of(const Record& record) const {
  const Function& function = *functions[record.function];
  if (record.statement >= function.statements.size()) return function.place;
  return function.statements[record.statement].place;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Source& source, const Function& kernel, Meter& meter) : meter_(meter) {
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
      spend(program_->source->variables.size() * (sizeof(VariablePlace) + 96));
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
    if (depth > 64)
      throw BadStatement{function.place,
                         formatted("function {} is called more than 64 deep", function.name)};
    const auto [known, is_new] =
        numbers_.try_emplace(&function, static_cast<uint32_t>(program_->functions.size()));
    if (path_.contains(&function))
      throw BadStatement{
          function.place,
          formatted("function {} calls itself, which the simulator does not have", function.name)};
    if (!is_new) return;
    program_->functions.push_back(&function);
    spend(function.statements.size() * (sizeof(Record) + 128) + function.variables.size() * 160 +
          function.registers.size() * sizeof(uint32_t) + 256);
    path_.insert(&function);
    for (const Statement& statement : function.statements)
      if (!statement.opcode.empty() && statement.opcode[0] == "call")
        if (const Function* called = callee(statement)) reach(*called, depth + 1);
    path_.erase(&function);
  }

  void spend(uint64_t bytes) {
    if (!meter_.charge(Resource::memory_bytes, bytes))
      throw BadStatement{program_->kernel->place,
                         formatted("to decode kernel {}, {}", program_->kernel->name,
                                   meter_.message(Resource::memory_bytes))};
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
    // Of the module's shared variables a kernel has those that it or a function of it names.
    std::set<std::string_view> named;
    const auto note = [&](const auto& self, const Operand& operand) -> void {
      if (!operand.name.empty()) named.insert(operand.name);
      for (const Operand& part : operand.parts) self(self, part);
    };
    for (const Function* function : program_->functions)
      for (const Statement& statement : function->statements)
        for (const Operand& operand : statement.operands) note(note, operand);
    for (const Variable& variable : program_->source->variables)
      for (const Symbol& symbol : variable.symbols) named.insert(symbol.name);
    std::vector<std::pair<VariablePlace*, const Variable*>> dynamic;
    const auto in_image = [&](const Variable& variable, VariablePlace& place) {
      uint64_t& end = program_->image_bytes;
      const uint64_t at = rounded_up(end, std::max<uint64_t>(variable.alignment, 16));
      end = at + variable.size;
      check(variable, end, uint64_t{1} << 30);
      place.address = variable_base + at;
      place.space = Space::global;
      if (!variable.initial.empty()) program_->first_values.push_back({at, &variable});
    };
    for (const Variable& variable : program_->source->variables) {
      VariablePlace& place = places_[{nullptr, variable.name}];
      place.space = variable.space;
      if (variable.space == Space::shared && !named.contains(variable.name)) continue;
      if (variable.space == Space::shared) {
        place.address = in_shared(variable);
        if (variable.is_extern) dynamic.push_back({&place, &variable});
      } else {
        in_image(variable, place);
        program_->variables.push_back(
            {variable.name, place.address, place.address - variable_base, variable.size});
      }
    }
    for (const Function* function : program_->functions) {
      std::vector<bool> is_parameter(function->variables.size());
      if (function == program_->kernel)
        for (const uint32_t parameter : function->parameters) is_parameter[parameter] = true;
      for (uint32_t i = 0; i < function->variables.size(); ++i) {
        const Variable& variable = function->variables[i];
        VariablePlace& place = places_[{function, std::to_string(i)}];
        place.space = variable.space;
        if (variable.space == Space::shared) {
          place.address = in_shared(variable);
          if (variable.is_extern) dynamic.push_back({&place, &variable});
        } else if (variable.space == Space::global || variable.space == Space::constant) {
          in_image(variable, place);
        } else if (is_parameter[i]) {
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
    for (const Program::FirstValue& value : program_->first_values)
      add_addresses(*value.variable, value.offset);
  }

  void add_addresses(const Variable& variable, uint64_t at) {
    for (const Symbol& symbol : variable.symbols) {
      const auto found = places_.find({nullptr, symbol.name});
      if (found == places_.end())
        throw BadStatement{variable.place, formatted("nothing is named '{}'", symbol.name)};
      uint64_t address = found->second.address + static_cast<uint64_t>(symbol.addend);
      if (symbol.is_generic && found->second.space == Space::shared)
        address += region_start(shared_region);
      program_->first_addresses.push_back({at + symbol.offset, address});
    }
  }

  void decode_function(uint32_t number) {
    const Function& function = *program_->functions[number];
    Decoder decoder(*program_, function);
    decoder.constants_ = &constants_;
    decoder.places_ = &places_;
    decoder.sink_word_ = &sink_;
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
        record.guard = decoder.word_of(decoder.statement().guard);
        record.guard_negated = decoder.statement().guard_negated;
      }
      decode_statement(decoder, first);
      if (!decoder.prepared_.empty()) {
        program_->prepared.push_back(std::exchange(decoder.prepared_, {}));
        record.prepared = &program_->prepared.back();
      }
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
    if (!row->second(decoder) || record.handler == nullptr) record.handler = unknown;
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
        if (operand.parts[i].kind != Operand::Kind::name || operand.parts[i].bits != 0)
          decoder.bad(operand.parts[i], "a parameter of a call is a variable in .param space");
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
  std::set<const Function*> path_;
  Meter& meter_;
  std::vector<std::pair<uint32_t, uint32_t>> calls_;  // record, function
  uint32_t sink_ = 0;
};

void place_first_values(const Program& program, std::span<std::byte> image) {
  for (const auto& [offset, variable] : program.first_values)
    std::ranges::copy(variable->initial, image.begin() + static_cast<std::ptrdiff_t>(offset));
  for (const auto& [offset, address] : program.first_addresses)
    std::memcpy(image.data() + offset, &address, sizeof address);
}

std::expected<std::shared_ptr<const Program>, ParseError> decode(const Source& source,
                                                                 const Function& kernel,
                                                                 Meter& meter) {
  return ProgramBuilder(source, kernel, meter).build();
}

}  // namespace heddle::emulator::ptx
