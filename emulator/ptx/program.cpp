#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "emulator/ptx/declared_call.h"
#include "emulator/ptx/decoder.h"
#include "emulator/ptx/requirement.h"
#include "emulator/record/instruction_class.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {
namespace {

constexpr uint64_t rounded_up(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
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

std::string Program::name_of(const Record& record, const Use& use) const {
  const auto find = [&](const auto& self, std::span<const Operand> operands) -> std::string_view {
    for (const Operand& operand : operands) {
      if (operand.reg == use.reg) return operand.name;
      if (const std::string_view found = self(self, operand.parts); !found.empty()) return found;
    }
    return {};
  };
  if (use.reg < 0) return "CC.CF";
  return std::string(find(find, functions[record.function]->statements[record.statement].operands));
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

namespace {

const std::unordered_map<std::string_view, const DecodeRow*>& decode_rows() {
  static const auto all = [] {
    std::unordered_map<std::string_view, const DecodeRow*> rows;
    for (const auto part : {integer_rows(), comparison_rows(), bit_rows(), video_rows(),
                            float_rows(), float_comparison_rows(), conversion_rows(), memory_rows(),
                            atomic_rows(), exchange_rows(), matrix_rows(), fragment_rows(),
                            asynchronous_rows(), barrier_rows(), memory_barrier_rows(),
                            warpgroup_rows(), tensor_rows(), map_rows(), launch_control_rows()})
      for (const DecodeRow& row : part) rows.emplace(row.name, &row);
    return rows;
  }();
  return all;
}

void check_room(const Variable& variable, uint64_t bytes, uint64_t most) {
  if (bytes > most)
    throw ParseError{variable.place, formatted("with {} there are {} bytes; {} are possible",
                                               variable.name, bytes, most)};
}

// Appends a variable to an image of memory, which ends at `end`.
VariablePlace place_in_image(const Variable& variable, uint64_t& end,
                             std::vector<FirstValue>& values) {
  const uint64_t at = rounded_up(end, std::max<uint64_t>(variable.alignment, 16));
  end = at + variable.size;
  check_room(variable, end, uint64_t{1} << 30);
  if (!variable.initial.empty()) values.push_back({at, &variable});
  return {Space::global, variable_base + at};
}

}  // namespace

std::expected<std::shared_ptr<const ModuleVariables>, ParseError> place_variables(
    const Source& source, Meter& meter) {
  auto made = std::make_shared<ModuleVariables>();
  if (!meter.charge(Resource::memory_bytes, source.variables.size() * (sizeof(VariablePlace) + 96)))
    return std::unexpected(
        ParseError{{1, 1}, "to place the variables, " + meter.message(Resource::memory_bytes)});
  try {
    for (const Variable& variable : source.variables) {
      for (const Symbol& symbol : variable.symbols) made->named.insert(symbol.name);
      if (variable.space == Space::shared) continue;
      const VariablePlace place = place_in_image(variable, made->image_bytes, made->first_values);
      made->places.emplace(variable.name, place);
      made->variables.push_back(
          {variable.name, place.address, place.address - variable_base, variable.size});
    }
  } catch (const ParseError& bad) {
    return std::unexpected(bad);
  }
  return made;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Source& source, const Function& kernel,
                 std::shared_ptr<const ModuleVariables> module, Meter& meter)
      : meter_(meter) {
    program_->source = &source;
    program_->kernel = &kernel;
    program_->module = std::move(module);
    program_->image_bytes = program_->module->image_bytes;
    const std::string name = source.target.substr(0, source.target.find_last_not_of("af") + 1);
    if (const auto* row = instruction::find_processor(name)) program_->target = row->target;
  }

  std::expected<std::shared_ptr<const Program>, ParseError> build() {
    try {
      program_->frame_words = 32;  // word 0 is not used
      reach(*program_->kernel, 0);
      place_variables();
      for (uint32_t i = 0; i < program_->functions.size(); ++i) decode_function(i);
      for (const auto& [record, function] : calls_)
        program_->records[record].target = program_->entries[function];
      number_mnemonics();
    } catch (const ParseError& bad) {
      return std::unexpected(bad);
    }
    return program_;
  }

 private:
  void number_mnemonics() {
    std::map<std::string, uint32_t> numbers;
    for (const Record& record : program_->records) {
      const auto [known, is_new] = numbers.try_emplace(
          program_->mnemonic_of(record), static_cast<uint32_t>(program_->mnemonics.size()));
      if (is_new) program_->mnemonics.push_back(known->first);
      program_->mnemonic_numbers.push_back(known->second);
      program_->classes.push_back(static_cast<uint8_t>(class_of(ptx_classes, known->first)));
    }
  }

  // Numbers the functions that are called, callers first. Recursion is rejected, because the frame
  // has room for only one call of each function.
  void reach(const Function& function, int depth) {
    if (depth > 64)
      throw ParseError{function.place,
                       formatted("function {} is called more than 64 deep", function.name)};
    const auto [known, is_new] =
        numbers_.try_emplace(&function, static_cast<uint32_t>(program_->functions.size()));
    if (path_.contains(&function))
      throw ParseError{
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
      throw ParseError{program_->kernel->place,
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
    const auto in_shared = [&](const Variable& variable) {
      if (variable.is_extern) {
        alignment = std::max(alignment, variable.alignment);
        return uint64_t{0};
      }
      shared = rounded_up(shared, variable.alignment);
      const uint64_t at = shared;
      shared += variable.size;
      check_room(variable, shared, 1u << 20);
      return at;
    };
    // Of the module's shared variables, a kernel gets only those that are named in the kernel, in a
    // function that it calls, or in an initial value. They are placed in the order of the text.
    std::set<std::size_t> named;
    const auto note_name = [&](std::string_view name) {
      const auto& numbers = program_->source->variable_numbers;
      if (const auto found = numbers.find(name); found != numbers.end())
        named.insert(found->second);
    };
    const auto note = [&](const auto& self, const Operand& operand) -> void {
      if (!operand.name.empty()) note_name(operand.name);
      for (const Operand& part : operand.parts) self(self, part);
    };
    for (const Function* function : program_->functions)
      for (const Statement& statement : function->statements)
        for (const Operand& operand : statement.operands) note(note, operand);
    for (const std::string_view name : program_->module->named) note_name(name);
    std::vector<std::pair<VariablePlace*, const Variable*>> dynamic;
    const auto in_image = [&](const Variable& variable, VariablePlace& place) {
      place = place_in_image(variable, program_->image_bytes, program_->first_values);
    };
    for (const std::size_t number : named) {
      const Variable& variable = program_->source->variables[number];
      if (variable.space != Space::shared) continue;
      VariablePlace& place = places_[{nullptr, variable.name}];
      place = {Space::shared, in_shared(variable)};
      if (variable.is_extern) dynamic.push_back({&place, &variable});
    }
    for (const Function* function : program_->functions) {
      std::vector<bool> is_parameter(function->variables.size());
      if (function == program_->kernel)
        for (const uint32_t parameter : function->parameters) is_parameter[parameter] = true;
      for (uint32_t i = 0; i < function->variables.size(); ++i) {
        const Variable& variable = function->variables[i];
        VariablePlace& place = places_[{function, formatted("{}", i)}];
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
          check_room(variable, program_->parameter_bytes + variable.size, 32764);
          program_->parameter_bytes += static_cast<uint32_t>(variable.size);
        } else {
          place.space = Space::local;
          local = rounded_up(local, std::max<uint64_t>(variable.alignment, 8));
          place.address = local;
          local += variable.size;
          check_room(variable, local, 1u << 20);
        }
      }
    }
    program_->dynamic_alignment = static_cast<uint32_t>(alignment);
    program_->shared_bytes = static_cast<uint32_t>(shared - shared_begin);
    program_->local_bytes = static_cast<uint32_t>(rounded_up(local, 16));
    for (const auto& [place, variable] : dynamic) place->address = program_->dynamic_shared_begin();
    for (const std::span<const FirstValue> values :
         {std::span(program_->module->first_values),
          std::span<const FirstValue>(program_->first_values)})
      for (const FirstValue& value : values) add_addresses(*value.variable, value.offset);
  }

  void add_addresses(const Variable& variable, uint64_t at) {
    for (const Symbol& symbol : variable.symbols) {
      const auto shared = places_.find({nullptr, symbol.name});
      const auto other = program_->module->places.find(symbol.name);
      if (shared == places_.end() && other == program_->module->places.end())
        throw ParseError{variable.place, formatted("nothing is named '{}'", symbol.name)};
      const VariablePlace& found = shared != places_.end() ? shared->second : other->second;
      uint64_t address = found.address + static_cast<uint64_t>(symbol.addend);
      if (symbol.is_generic && found.space == Space::shared) address += region_start(shared_region);
      program_->first_addresses.push_back({at + symbol.offset, address});
    }
  }

  void decode_function(uint32_t number) {
    const Function& function = *program_->functions[number];
    Decoder decoder(*program_, function);
    decoder.constants_ = &constants_;
    decoder.places_ = &places_;
    decoder.sink_word_ = &sink_;
    decoder.carry_word_ = &carry_;
    const auto first = static_cast<uint32_t>(program_->records.size());
    program_->entries.push_back(first);
    // Each statement becomes one record, so the number of a statement also gives the target of a
    // branch.
    for (uint32_t i = 0; i < function.statements.size(); ++i) {
      decoder.statement_ = &function.statements[i];
      decoder.read_ = 0;
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
      add_record(decoder);
    }
    Record last;
    last.statement = static_cast<uint32_t>(function.statements.size());
    last.function = number;
    last.control = function.is_entry ? Control::exit : Control::ret;
    decoder.record_ = last;
    add_record(decoder);
  }

  void add_record(Decoder& decoder) {
    spend(decoder.uses_.size() * sizeof(Use));
    program_->first_use.push_back(static_cast<uint32_t>(program_->uses.size()));
    program_->uses.insert(program_->uses.end(), decoder.uses_.begin(), decoder.uses_.end());
    decoder.uses_.clear();
    program_->records.push_back(decoder.record_);
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
    const auto row = decode_rows().find(name);
    if (row == decode_rows().end()) {
      record.handler = unknown;
      return;
    }
    if (!row->second->decode(decoder) || record.handler == nullptr) {
      record.handler = unknown;
      return;
    }
    if (record.flow == Flow::lane) record.flow = row->second->flow;
    if (record.flow == Flow::lane && decoder.is_of_pairs()) record.flow = Flow::exact;
    const std::string_view unread = decoder.unread(row->second->hints);
    if (unread.empty()) {
      if (const auto needs = unmet_requirement(statement, *program_->source))
        throw ParseError{statement.place, *needs};
      return;
    }
    record.handler = bad_form;
    record.extra = decoder.keep(formatted("the simulator does not have .{} of {} in this form",
                                          std::string(unread), std::string(name)));
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

  // The variable in .param space that a call passes as an argument or receives a result in.
  static VariablePlace passed(Decoder& decoder, const Operand& operand, uint64_t& bytes) {
    VariablePlace place;
    const bool is_name = operand.kind == Operand::Kind::name && operand.bits == 0;
    const Variable* actual = is_name ? decoder.variable(operand.name, place) : nullptr;
    if (actual == nullptr || place.space != Space::local)
      decoder.bad(operand, "a parameter of a call is a variable in .param space");
    bytes = actual->size;
    return place;
  }

  // Decodes a call of a function that CUDA provides. The call must pass parameters and results of
  // the right sizes.
  void declared_call(Decoder& decoder) {
    Record& record = decoder.record();
    std::string_view name;
    for (const Operand& operand : decoder.statement().operands)
      if (operand.kind == Operand::Kind::name) name = operand.name;
    const DeclaredFunction* function = find_declared_function(name);
    if (function == nullptr) {
      record.handler = bad_form;
      record.extra = decoder.keep(
          formatted("a call through a pointer, or of a function that this text only declares, is "
                    "not simulated, but for {}",
                    declared_function_names()));
      return;
    }
    DeclaredCall made;
    bool behind = false;
    for (const Operand& operand : decoder.statement().operands) {
      if (operand.kind == Operand::Kind::name) {
        behind = true;
        continue;
      }
      for (const Operand& part : operand.parts) {
        uint64_t bytes = 0;
        const auto address = static_cast<uint32_t>(passed(decoder, part, bytes).address);
        (behind ? made.parameters : made.results)
            .push_back({address, static_cast<uint32_t>(bytes)});
      }
    }
    if (!std::ranges::equal(made.parameters, function->parameters, {},
                            &DeclaredCall::Place::bytes) ||
        !std::ranges::equal(made.results, function->results, {}, &DeclaredCall::Place::bytes))
      decoder.bad(formatted("{} has other parameters", function->name));
    decoder.read_all();
    program_->uses_heap = program_->uses_heap || function->uses_heap;
    record.handler = function->handler;
    record.extra = decoder.keep(std::move(made));
    record.flow = Flow::memory;
    decoder.set_operands({});
  }

  void call(Decoder& decoder) {
    Record& record = decoder.record();
    const Statement& statement = decoder.statement();
    const Function* called = callee(statement);
    if (called == nullptr) return declared_call(decoder);
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
        uint64_t size = 0;
        const VariablePlace place = passed(decoder, operand.parts[i], size);
        const VariablePlace inside = places_.at({called, formatted("{}", formal[i])});
        const auto bytes = static_cast<uint32_t>(std::min(size, called->variables[formal[i]].size));
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
  std::unordered_map<uint64_t, uint32_t> constants_;
  std::map<std::pair<const Function*, std::string>, VariablePlace> places_;
  std::map<const Function*, uint32_t> numbers_;
  std::set<const Function*> path_;
  Meter& meter_;
  std::vector<std::pair<uint32_t, uint32_t>> calls_;  // record, function
  uint32_t sink_ = 0, carry_ = 0;
};

void place_first_values(const Program& program, std::span<std::byte> image) {
  for (const std::span<const FirstValue> values :
       {std::span(program.module->first_values), std::span(program.first_values)})
    for (const auto& [offset, variable] : values)
      std::ranges::copy(variable->initial, image.begin() + static_cast<std::ptrdiff_t>(offset));
  for (const auto& [offset, address] : program.first_addresses)
    std::memcpy(image.data() + offset, &address, sizeof address);
}

std::expected<std::shared_ptr<const Program>, ParseError> decode(
    const Source& source, const Function& kernel, std::shared_ptr<const ModuleVariables> module,
    Meter& meter) {
  return ProgramBuilder(source, kernel, std::move(module), meter).build();
}

}  // namespace heddle::emulator::ptx
