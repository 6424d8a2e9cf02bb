#include "emulator/check/effects.h"

#include <algorithm>

#include "emulator/decode/assembly_text.h"
#include "emulator/decode/disassembler.h"
#include "emulator/decode/opcode_table.h"
#include "emulator/machine/halves.h"
#include "emulator/machine/subwords.h"
#include "library/text/formatted.h"

namespace heddle::emulator::check {
namespace {

struct CounterField {
  std::string_view name;
  unsigned limit;  // the largest value of the field
};
// How the wait counters of one kind of processors differ from others. `fields` is indexed by
// Counter and has the counter's name and its largest value. Sources of the widths: AMD Instinct
// MI300 ISA and RDNA3 ISA, S_WAITCNT; RDNA4 ISA, S_WAIT_*CNT. The widths of asynccnt and tensorcnt
// are assumed.
struct Counting {
  WaitCounters counters;
  CounterField fields[counter_count];
  Counter store, scalar;  // where stores and scalar loads count
};
constexpr Counting countings[] = {
    {WaitCounters::joint,
     {{"vmcnt", 63},
      {"vmcnt", 63},
      {"lgkmcnt", 15},
      {"lgkmcnt", 15},
      {"vmcnt", 63},
      {"vmcnt", 63},
      {"expcnt", 7},
      {"asynccnt", 63},
      {"tensorcnt", 63}},
     Counter::load,
     Counter::lds},
    {WaitCounters::stores_apart,
     {{"vmcnt", 63},
      {"vscnt", 63},
      {"lgkmcnt", 63},
      {"lgkmcnt", 63},
      {"vmcnt", 63},
      {"vmcnt", 63},
      {"expcnt", 7},
      {"asynccnt", 63},
      {"tensorcnt", 63}},
     Counter::store,
     Counter::lds},
    {WaitCounters::apart,
     {{"loadcnt", 63},
      {"storecnt", 63},
      {"dscnt", 63},
      {"kmcnt", 31},
      {"samplecnt", 63},
      {"bvhcnt", 7},
      {"expcnt", 7},
      {"asynccnt", 63},
      {"tensorcnt", 63}},
     Counter::store,
     Counter::scalar},
};
constexpr const Counting& counting(WaitCounters counters) {
  return countings[static_cast<int>(counters)];
}
static_assert(std::ranges::is_sorted(countings, {}, &Counting::counters));
constexpr const CounterField& field(Counter counter, WaitCounters counters) {
  return counting(counters).fields[static_cast<int>(counter)];
}

constexpr uint16_t bit(Counter counter) {
  return static_cast<uint16_t>(1u << static_cast<int>(counter));
}

int8_t& limit_of(Effects& effects, Counter counter) {
  return effects.wait[static_cast<std::size_t>(counter)];
}

// --- waits -------------------------------------------------------------------------------------

// Reads a count such as "vmcnt(3)", which is 3 if `name` is "vmcnt". Returns -1 if `text` does not
// begin with the name and a parenthesis.
int count_in(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with('(')) return -1;
  text = text.substr(name.size() + 1, text.size() - name.size() - 2);
  int64_t value = 0;
  bool hexadecimal = false;
  return parse_integer(text, value, hexadecimal) ? static_cast<int>(value) : -1;
}

void read_symbolic_wait(Effects& effects, std::string_view text) {
  for (Counter counter : {Counter::load, Counter::lds, Counter::exports})
    if (const int count = count_in(text, field(counter, WaitCounters::stores_apart).name);
        count >= 0)
      limit_of(effects, counter) = static_cast<int8_t>(count);
}

void read_wait(Effects& effects, const TextInstruction& text, const Row& row) {
  effects.action = Action::wait;
  if (row.role == Role::wait_for_all) return effects.wait.fill(0);
  if (row.role == Role::wait_by_name) {
    for (const TextOperand& operand : text.operands) read_symbolic_wait(effects, operand.text);
    for (const TextModifier& modifier : text.modifiers) read_symbolic_wait(effects, modifier.name);
    return;
  }
  const int64_t numbers = text.operands.empty() ? 0 : text.operands.back().integer;
  for (int i = 0; i < 2; ++i)
    if (row.counters[i] != Counter::none)
      limit_of(effects, row.counters[i]) = static_cast<int8_t>(numbers >> 8 * i & 63);
}

// --- operands ----------------------------------------------------------------------------------

// An instruction writes its first operands. Returns how many it writes.
std::size_t written_operands(const Row& row, const Instruction& instruction, const Target& target) {
  switch (row.form) {
    case Form::vector_compare_exec:
      return target.has(Feature::cmpx_writes_mask) ? 1 : 0;
    case Form::scalar_compare:
    case Form::scalar_no_operands:
    case Form::scalar_immediate:
    case Form::memory_store:
    case Form::memory_to_lds:
    case Form::buffer_to_lds:
    case Form::memory_async_load:
    case Form::memory_async_store:
    case Form::tensor_load:
    case Form::tensor_store:
    case Form::scalar_store:
    case Form::lane_store:
    case Form::buffer_store:
    case Form::lds_store:
    case Form::lds_atomic:
    case Form::lds_lane_store:
    case Form::ignored:
      return 0;
    case Form::branch:
    case Form::hardware_register:
      return row.destination != Type::none ? 1 : 0;
    case Form::memory_atomic:
    case Form::buffer_atomic:
    case Form::scalar_atomic:
      return instruction.flags & flag_return ? 1 : 0;
    default:
      return row.carry_out ? 2 : 1;
  }
}

bool also_reads_destination(const Row& row) {
  return row.reads_destination || row.swaps || row.form == Form::vector_accumulate ||
         row.form == Form::scalar_accumulate || row.form == Form::buffer_atomic ||
         row.form == Form::scalar_atomic ||
         (row.form == Form::vector_selecting && is_half(row.destination));
}

// --- counters ----------------------------------------------------------------------------------

bool writes_register(const Row& row, const Instruction& instruction) {
  return row.form == Form::memory_load || row.form == Form::lane_load ||
         row.form == Form::buffer_load ||
         ((row.form == Form::memory_atomic || row.form == Form::buffer_atomic) &&
          instruction.flags & flag_return);
}

bool copies_between_memory_and_lds(Form form) {
  return form == Form::memory_to_lds || form == Form::buffer_to_lds ||
         form == Form::memory_async_load || form == Form::memory_async_store ||
         form == Form::tensor_load || form == Form::tensor_store;
}

bool is_atomic_in_memory(Form form) {
  return form == Form::memory_atomic || form == Form::buffer_atomic || form == Form::scalar_atomic;
}

void count_memory(Effects& effects, const Row& row, const Instruction& instruction,
                  WaitCounters counters) {
  switch (row.form) {
    case Form::scalar_load:
    case Form::scalar_buffer_load:
    case Form::scalar_store:
    case Form::scalar_atomic:
    case Form::message:
      effects.counters = bit(counting(counters).scalar);
      effects.group = Group::scalar;
      effects.stores = row.form == Form::scalar_store;
      break;
    case Form::memory_async_load:
    case Form::memory_async_store:
      effects.counters = bit(Counter::async);
      effects.group = Group::async;
      effects.stores = row.form == Form::memory_async_store;
      break;
    case Form::tensor_load:
    case Form::tensor_store:
      effects.counters = bit(Counter::tensor);
      effects.group = Group::tensor;
      effects.stores = row.form == Form::tensor_store;
      break;
    case Form::memory_load:
    case Form::memory_store:
    case Form::memory_atomic:
    case Form::lane_load:
    case Form::lane_store:
    case Form::buffer_load:
    case Form::buffer_store:
    case Form::buffer_atomic:
    case Form::memory_to_lds:
    case Form::buffer_to_lds: {
      const Counter stores = counting(counters).store;
      const bool loads = writes_register(row, instruction) || row.form == Form::memory_to_lds ||
                         row.form == Form::buffer_to_lds;
      effects.counters = bit(loads ? Counter::load : stores);
      effects.stores = !loads && stores == Counter::load;
      if (row.space == MemorySpace::flat)
        effects.counters = static_cast<uint16_t>(effects.counters | bit(Counter::lds));
      break;
    }
    default:
      if (!is_lds(row.form)) return;
      effects.counters = bit(Counter::lds);
      effects.group = Group::lds;
  }
  effects.action = Action::memory;
  effects.copies = copies_between_memory_and_lds(row.form);
  effects.updates = is_atomic_in_memory(row.form);
  effects.arrives =
      row.role == Role::barrier_arrive || row.role == Role::barrier_arrive_after_copies;
}

// The scope of a load, store, atomic or cache control (see Effects::scope). Source: LLVM "User
// Guide for AMDGPU Backend", "Memory Model gfx10-gfx11" and "gfx12". The modifier is searched for
// in the text of the line, since parse_instruction() takes a modifier for an operand if no operand
// precedes it.
uint8_t scope_of(std::string_view line, const Row& row, CacheControl caches) {
  if (!has_scopes(caches)) {
    if (is_atomic_in_memory(row.form) || line.contains(" glc") || line.contains(" sc1")) return 2;
    return line.contains(" sc0") ? 1 : 0;
  }
  constexpr std::string_view names[] = {"SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
  for (uint8_t i = 0; i < 4; ++i)
    if (line.contains(names[i])) return i;
  return 0;
}

// Reads what a cache control does.
// - gfx12 and CDNA3: until it has ended, it is counted by the counter of loads or of stores (LLVM,
// SIInsertWaitcnts). gfx11: it is not counted.
// - CDNA has one cache between a compute unit and L2. On CDNA3, sc1 invalidates it for the stores
// of other workgroups, sc0 only for those of waves that share it (LLVM "User Guide for AMDGPU
// Backend", "Memory Model gfx942").
void read_cache_control(Effects& effects, const Row& row, uint8_t scope, CacheControl caches) {
  if (row.counters[0] != Counter::none) effects.counters = bit(row.counters[0]);
  if (row.cache_effects & writes_back_scalar) effects.group = Group::scalar;
  const bool is_far = scope >= 2;
  effects.invalidates = row.cache_effects & (empties_l0 | empties_l1 | empties_scalar);
  if (row.cache_effects & empties_by_scope && (is_far || scope == 1 || !has_scopes(caches)))
    effects.invalidates = is_far ? empties_l0 | empties_l1 : empties_l0;
  effects.writes_back = row.cache_effects & writes_back_by_scope && is_far;
}

Action action_of(const Row& row, const TextInstruction& text) {
  if (row.form == Form::matrix) return Action::matrix;
  // -1 is the workgroup's.
  const bool named = text.operands.empty() || text.operands[0].kind != OperandKind::integer ||
                     static_cast<int16_t>(text.operands[0].integer) != -1;
  switch (row.role) {
    case Role::barrier:
      return Action::barrier;
    case Role::barrier_signal:
      return named ? Action::named_signal : Action::barrier_signal;
    case Role::barrier_wait:
      return named ? Action::named_wait : Action::barrier_wait;
    case Role::barrier_init:
      return Action::named_init;
    case Role::barrier_join:
      return Action::named_join;
    case Role::cache_control:
      return Action::cache_control;
    case Role::end:
      return Action::end;
    default:
      return Action::ordinary;
  }
}

void add_matrix(Effects& effects, const TextInstruction& text, const Row& row) {
  for (std::size_t i = 0; i < 2; ++i) {
    effects.matrix[i].scalar = true;
    if (i + 1 < text.operands.size() && text.operands[i + 1].kind == OperandKind::vgpr)
      effects.matrix[i] = range_of(text.operands[i + 1]);
  }
  effects.equal_copies = row.equal_copies;
}

void add_part(Effects& effects, const std::string& line, const Instruction& instruction, int part,
              const Target& target, int wave) {
  const instruction::FamilyRow& family = instruction::row(target.family);
  TextInstruction text = parse_instruction(line);
  const std::string single = single_mnemonic(text.mnemonic);
  text.mnemonic = single;
  const Row* row = find_row(text, target, wave);
  if (!row) return;
  if (row->role == Role::wait || row->role == Role::wait_by_name || row->role == Role::wait_for_all)
    return read_wait(effects, text, *row);
  effects.row[part] = row;
  effects.mnemonic[part] = row->name;
  effects.action = action_of(*row, text);
  count_memory(effects, *row, instruction, family.counters);
  const uint8_t scope = scope_of(line, *row, family.caches);
  if (effects.action == Action::memory) effects.scope = scope;
  if (effects.action == Action::cache_control)
    read_cache_control(effects, *row, scope, family.caches);
  if (effects.action == Action::matrix) add_matrix(effects, text, *row);
  const std::size_t written = written_operands(*row, instruction, target);
  for (std::size_t i = 0; i < text.operands.size(); ++i) {
    if (!text.operands[i].is_register()) continue;
    RegisterRange range = range_of(text.operands[i]);
    // A load of 16 bits into one half keeps the register's other half (RDNA3 ISA, "D16 loads").
    if (i < written && effects.action == Action::memory && row->half != 0 &&
        !text.operands[i].has_half)
      range.halves = row->half;
    if (i < written || (i == 1 && row->swaps)) effects.writes.push_back(range);
    if (i >= written || also_reads_destination(*row)) effects.reads.push_back(range);
  }
}

void add_implicit(Effects& effects, int wave) {
  const auto add = [&](int flag, std::vector<RegisterRange>& to, uint16_t index) {
    const uint16_t words = index == register_vcc && wave == 64 ? 2 : 1;
    if (effects.implicit & flag) to.push_back({true, index, words, 3});
  };
  add(implicit_reads_scc, effects.reads, register_scc);
  add(implicit_writes_scc, effects.writes, register_scc);
  add(implicit_reads_vcc, effects.reads, register_vcc);
  add(implicit_writes_vcc, effects.writes, register_vcc);
  add(implicit_reads_m0, effects.reads, register_m0);
}

// As Program decodes them.
bool is_by_number(const Program& program, uint32_t index, const Instruction& one, const Row* row) {
  if (one.handler == &run_indexed || (row && row->indexed != 0)) return true;
  return !program.inner_handlers().empty() && program.inner_handlers()[index] == &run_indexed;
}

// True for an atomic that returns the old value and may access LDS; locks and tickets in LDS use
// such atomics. A flat atomic may access LDS.
bool returns_from_lds(const Effects& effects, const Instruction& instruction) {
  const Row* const row = effects.row[0];
  if (row == nullptr) return false;
  return row->form == Form::lds_atomic_return ||
         (row->form == Form::memory_atomic && row->space == MemorySpace::flat &&
          instruction.flags & flag_return);
}

bool may_load_lds(const Row& row) {
  return (row.form == Form::lds_load && row.role != Role::exchange) ||
         (row.form == Form::memory_load && row.space == MemorySpace::flat);
}

// True if an instruction may write LDS or is a barrier.
bool may_change_lds(const Effects& effects) {
  switch (effects.action) {
    case Action::ordinary:
    case Action::wait:
    case Action::cache_control:
    case Action::matrix:
      return false;
    case Action::memory:
      break;
    default:
      return true;
  }
  const Row& row = *effects.row[0];
  const bool writes = row.form == Form::memory_store || row.form == Form::memory_atomic;
  return effects.copies || (is_lds(row.form) && row.form != Form::lds_load) ||
         (writes && row.space == MemorySpace::flat);
}

void add_to(RegisterSet& set, const RegisterRange& range) {
  for (unsigned i = 0; i < range.count; ++i)
    set.add(range.scalar ? scalar_number(range.first + i) : vgpr_number(range.first + i));
}

}  // namespace

std::string_view counter_name(Counter counter, WaitCounters counters) {
  return field(counter, counters).name;
}

std::string wait_text(Counter counter, unsigned left, WaitCounters counters) {
  const std::string name(counter_name(counter, counters));
  if (counters == WaitCounters::apart) return formatted("s_wait_{} {}", name, left);
  if (counter == Counter::store && counters == WaitCounters::stores_apart)
    return formatted("s_waitcnt_vscnt null, {}", left);
  return formatted("s_waitcnt {}({})", name, left);
}

unsigned counter_limit(Counter counter, WaitCounters counters) {
  return field(counter, counters).limit;
}

namespace {

// The names of cache controls, for each kind of caches. Source: LLVM "User Guide for AMDGPU
// Backend", the section "Memory Model" of each processor.
struct CacheWords {
  CacheControl caches;
  std::string_view near_invalidation, far_invalidation, write_back, write_through;
};
constexpr CacheWords cache_words[] = {
    {CacheControl::wbinvl1, "buffer_wbinvl1_vol", "buffer_wbinvl1_vol", {}, {}},
    {CacheControl::by_bits, "buffer_inv sc0", "buffer_inv sc1", "buffer_wbl2 sc1", "sc1"},
    {CacheControl::by_level, "buffer_gl0_inv", "buffer_gl1_inv and buffer_gl0_inv", {}, {}},
    {CacheControl::by_scope, "global_inv scope:SCOPE_SE", "global_inv scope:SCOPE_DEV", {}, {}},
    {CacheControl::by_scope_and_back, "global_inv scope:SCOPE_SE", "global_inv scope:SCOPE_DEV",
     "global_wb scope:SCOPE_DEV", "scope:SCOPE_DEV"},
};
const CacheWords& words_of(const Target& target) {
  return cache_words[static_cast<int>(instruction::row(target.family).caches)];
}
static_assert(std::ranges::is_sorted(cache_words, {}, &CacheWords::caches));

}  // namespace

std::string_view invalidation_text(const Target& target, bool within_workgroup) {
  const CacheWords& row = words_of(target);
  return within_workgroup ? row.near_invalidation : row.far_invalidation;
}
std::string_view write_back_text(const Target& target) { return words_of(target).write_back; }
std::string_view write_through_text(const Target& target) { return words_of(target).write_through; }

std::string idle_text(const Target& target, int states) {
  if (!target.has(Feature::mfma)) return states == 1 ? "v_nop" : formatted("{} v_nop", states);
  constexpr int most = 16;  // of one s_nop
  if (states <= most) return formatted("s_nop {}", states - 1);
  return formatted("s_nop {} and s_nop {}", most - 1, states - most - 1);
}

RegisterRange range_of(const TextOperand& operand) {
  RegisterRange range;
  range.scalar = operand.kind == OperandKind::scalar;
  range.first = static_cast<uint16_t>(operand.first);
  range.count = static_cast<uint16_t>(operand.count);
  range.accumulation = operand.kind == OperandKind::vgpr && operand.first >= first_accumulator &&
                       !operand.text.contains('v');
  if (operand.has_half) range.halves = operand.high_half ? 2 : 1;
  return range;
}

std::string RegisterRange::text() const {
  if (accumulation) {
    RegisterRange vgpr = *this;
    vgpr.accumulation = false;
    vgpr.first = static_cast<uint16_t>(vgpr.first - first_accumulator);
    return "a" + vgpr.text().substr(1);
  }
  std::string name = scalar ? "s" : "v";
  if (scalar && first == register_vcc) return "vcc";
  if (scalar && first == register_exec) return "exec";
  if (scalar && first == register_m0) return "m0";
  if (scalar && first == register_scc) return "scc";
  if (count > 1) return formatted("{}[{}:{}]", name, first, first + count - 1);
  return formatted("{}{}{}", name, first, halves == 1 ? ".l" : halves == 2 ? ".h" : "");
}

EffectsTable::EffectsTable(const Program& program, const Target& target)
    : counters_(instruction::row(target.family).counters),
      touched_(program.instructions().size()),
      kinds_(program.instructions().size()),
      effects_(program.instructions().size()) {
  const int wave = program.wave();
  for (uint32_t i = 0; i < effects_.size(); ++i) {
    Effects& effects = effects_[i];
    const Instruction& instruction = program.instructions()[i];
    const std::string& text = program.text(i);
    if (!program.obstacle(i).empty()) continue;
    if (text.starts_with("v_")) kinds_[i] |= vector;
    if (const std::size_t split = text.find(" :: "); split != std::string::npos) {
      add_part(effects, text.substr(0, split), instruction.target[0], 0, target, wave);
      add_part(effects, text.substr(split + 4), instruction.target[1], 1, target, wave);
    } else {
      // In a wave of 64 lanes that runs as two halves, the flags are in the lower half's
      // instruction.
      const Instruction& one =
          runs_halves(instruction.handler) ? instruction.target[0] : instruction;
      add_part(effects, text, one, 0, target, wave);
      effects.by_number = is_by_number(program, i, one, effects.row[0]);
      effects.subwords = program.mnemonic(i).ends_with("_sdwa") || text.contains("_sdwa ");
    }
    has_copies_ = has_copies_ || effects.copies;
    has_partial_order_ = has_partial_order_ || effects.action == Action::named_signal ||
                         effects.action == Action::named_init || effects.arrives ||
                         returns_from_lds(effects, instruction);
    // A flat load that has a scope is atomic.
    effects.polls =
        effects.action == Action::memory && effects.scope > 0 && may_load_lds(*effects.row[0]);
    has_partial_order_ = has_partial_order_ || effects.polls;
    effects.implicit = program.implicit(i);
    add_implicit(effects, wave);
    for (const RegisterRange& range : effects.reads) add_to(touched_[i], range);
    for (const RegisterRange& range : effects.writes) add_to(touched_[i], range);
    for (const auto* ranges : {&effects.reads, &effects.writes})
      for (const RegisterRange& range : *ranges)
        for (unsigned r = 0; r < range.count && !range.scalar; ++r)
          if (range.first + r > 255) beyond_255_.push_back(static_cast<uint16_t>(range.first + r));
    if (effects.action == Action::memory)
      for (const RegisterRange& range : effects.writes) add_to(effects.loads, range);
    if (effects.by_number || effects.action != Action::ordinary) kinds_[i] |= watched;
  }
  find_polls(program);
  std::ranges::sort(beyond_255_);
  const auto repeated = std::ranges::unique(beyond_255_);
  beyond_255_.erase(repeated.begin(), repeated.end());
}

// --- loops that wait ---------------------------------------------------------------------------

// Finds loops in which a wave waits for another wave: loops that contain no barrier, change nothing
// in LDS, and load from the same LDS address in each iteration. If no other wave could change the
// loaded value, a compiler would have moved the load in front of the loop.
void EffectsTable::find_polls(const Program& program) {
  constexpr uint32_t longest = 256;
  for (uint32_t last = 0; last < effects_.size(); ++last) {
    const Row* const row = effects_[last].row[0];
    const Instruction* const target = program.instructions()[last].target;
    if (row == nullptr || row->form != Form::branch || row->destination != Type::none || !target)
      continue;
    const uint32_t first = target->index;
    if (first > last || last - first > longest) continue;
    const std::span loop(&effects_[first], last - first + 1);
    if (std::ranges::any_of(loop, may_change_lds)) continue;
    for (uint32_t i = first; i < last; ++i) {
      Effects& effects = effects_[i];
      if (effects.action != Action::memory || !may_load_lds(*effects.row[0])) continue;
      if (!std::ranges::all_of(effects.reads,
                               [&](const auto& range) { return stays(range, first, last, 0); }))
        continue;
      note_poll(i);
      note_first_look(program, i, first);
    }
  }
}

void EffectsTable::note_poll(uint32_t index) {
  effects_[index].polls = effects_[index].waits = true;
  has_partial_order_ = true;
}

// Finds a load that belongs to a loop that waits, but is in front of it. LLVM rotates loops: the
// condition of `while (load(flag) == 0) sleep();` is also evaluated once before the loop, by a
// separate load with the same registers and offset.
void EffectsTable::note_first_look(const Program& program, uint32_t index, uint32_t first) {
  constexpr uint32_t farthest = 64;
  const auto address_text = [&](uint32_t i) {
    const std::string_view text = program.text(i);
    const std::size_t comma = text.find(',');
    return comma == std::string_view::npos ? std::string_view{} : text.substr(comma);
  };
  const Effects& poll = effects_[index];
  for (uint32_t i = first; i > 0 && first - i < farthest;) {
    const Effects& before = effects_[--i];
    const Row* const row = before.row[0];
    if (may_change_lds(before)) return;
    if (before.action == Action::memory && may_load_lds(*row) &&
        program.mnemonic(i) == program.mnemonic(index) && address_text(i) == address_text(index))
      return note_poll(i);
    for (const RegisterRange& range : poll.reads)
      if (std::ranges::any_of(before.writes,
                              [&](const RegisterRange& other) { return range.overlaps(other); }))
        return;
  }
}

// True if the registers `range` have the same values in each iteration of the loop from instruction
// `first` to `last`.
bool EffectsTable::stays(const RegisterRange& range, uint32_t first, uint32_t last,
                         int depth) const {
  constexpr int deepest = 8;
  if (depth > deepest) return false;
  for (uint32_t i = first; i <= last; ++i) {
    const Effects& effects = effects_[i];
    const auto overlaps = [&](const RegisterRange& other) { return range.overlaps(other); };
    if (std::ranges::none_of(effects.writes, overlaps)) continue;
    if (effects.action == Action::memory && may_load_lds(*effects.row[0])) return false;
    for (const RegisterRange& read : effects.reads)
      if (!stays(read, first, last, depth + 1)) return false;
  }
  return true;
}

}  // namespace heddle::emulator::check
