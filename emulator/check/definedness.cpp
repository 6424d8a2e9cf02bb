#include "emulator/check/definedness.h"

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/decode/disassembler.h"
#include "emulator/machine/halves.h"
#include "emulator/machine/mfma_form.h"
#include "emulator/machine/subwords.h"

namespace heddle::emulator::check {
namespace {

constexpr LaneMask all_lanes = 0xffffffffu;

uint32_t exec_of(const Wavefront& wave) { return wave.scalar[register_exec]; }
// Of all lanes of the wave.
uint64_t whole_exec_of(const Wavefront& wave) {
  return exec_of(wave) | (wave.upper ? uint64_t{wave.scalar[register_exec + 1]} << 32 : 0);
}

bool is_dpp(const Instruction& in) { return in.flags & flag_dpp; }

// A lane reads another lane, as `selection` says. Returns the mask of lanes that read a lane of the
// given masks: `own` is for this half of a wave of 64 lanes, `other` for the other half.
LaneMask permuted(const LaneSelection& selection, LaneMask own, LaneMask other) {
  const uint64_t both = own | uint64_t{other} << 32;
  LaneMask result = 0;
  for (unsigned l = 0; l < 32; ++l) result |= (both >> selection.lane[l] & 1u) << l;
  return result;
}

// The lanes that get a value from the lane that they read; the other lanes get zero. The same as
// dpp_valid in handlers/lanes.h.
LaneMask valid_lanes(const Wavefront& wave, const LaneSelection& selection) {
  if (selection.fetch_inactive) return selection.in_range;
  LaneMask other = 0;
  if (selection.crosses)
    other = wave.scalar[wave.first_lane == 0 ? register_exec + 1 : int{register_whole_exec}];
  return selection.in_range & permuted(selection, exec_of(wave), other);
}

// As in write_mask of handlers/lanes.h.
LaneMask written_lanes(const Wavefront& wave, const Instruction& in) {
  if (!is_dpp(in)) return exec_of(wave);
  const LaneSelection& selection = *in.lanes;
  return exec_of(wave) & selection.enabled &
         (selection.zero_when_invalid ? all_lanes : valid_lanes(wave, selection));
}

int source_count(const Row& row) {
  int count = 0;
  while (count < 4 && row.sources[count] != Type::none) ++count;
  return count;
}

uint8_t halves_of(bool high) { return high ? 2 : 1; }

}  // namespace

// --- state -------------------------------------------------------------------------------------

void Definedness::start(const Wavefront& wave, unsigned scalars, Program::VectorRegisters used,
                        std::span<const uint16_t> beyond) {
  undefined_ = {};
  parts_ = wave.upper ? 2 : 1;
  const Bytes nothing = Bytes::of({all_lanes, all_lanes});
  for (unsigned part = 0; part < parts_; ++part) {
    std::fill_n(vgpr_[part], used.vectors, Bytes{});
    std::fill_n(vgpr_[part] + first_accumulator, used.accumulators, Bytes{});
    std::fill_n(vgpr_[part] + first_spare_register, vector_registers - first_spare_register,
                Bytes{});
    for (unsigned i = 1; i < std::min<unsigned>(used.vectors, 256); ++i)
      set_vgpr(part, i, nothing, all_lanes);
    for (uint16_t i : beyond) set_vgpr(part, i, nothing, all_lanes);
    const LaneMask absent = ~exec_of(part == 0 ? wave : *wave.upper);
    set_vgpr(part, 0, Bytes::of({absent, absent}), all_lanes);
  }
  std::ranges::fill(scalar_, 0u);
  for (unsigned i = scalars; i < register_ttmp0; ++i) set_scalar(i, ~0u);
  set_scalar(register_scc, ~0u);
}

void Definedness::set_vgpr(unsigned part, unsigned index, const Bytes& undefined, LaneMask lanes) {
  Bytes& old = vgpr_[part][index];
  for (unsigned i = 0; i < 4; ++i)
    old.byte[i] = (old.byte[i] & ~lanes) | (undefined.byte[i] & lanes);
  if (old.any())
    undefined_.add(vgpr_number(index));
  else if (!has_undefined_namesake(index))
    undefined_.remove(vgpr_number(index));
}

// Registers with the same number are in the other half of the wave, and among those from 256 on.
bool Definedness::has_undefined_namesake(unsigned index) const {
  if (index >= first_spare_register) return vgpr_[0][index].any() || vgpr_[1][index].any();
  for (unsigned part = 0; part < parts_; ++part)
    for (unsigned i = vgpr_number(index); i < first_spare_register; i += 256)
      if (vgpr_[part][i].any()) return true;
  return false;
}

void Definedness::set_halves(unsigned part, unsigned index, uint8_t which, const Bytes& undefined,
                             LaneMask lanes) {
  Bytes bytes = vgpr_[part][index];
  bytes.take(undefined, which);
  set_vgpr(part, index, bytes, lanes);
}

void Definedness::set_scalar(unsigned index, uint32_t bits) {
  if (index == register_null || index == register_discard) return;
  scalar_[index] = bits;
  if ((index & ~1u) == register_vcc) scalar_[index - register_vcc + register_whole_vcc] = bits;
  if (bits)
    undefined_.add(scalar_number(index));
  else
    undefined_.remove(scalar_number(index));
}

// --- sources -----------------------------------------------------------------------------------

// The bits of a source that an instruction reads: one half of a register for 16-bit types. For
// 64-bit types, source_high selects the second register (v_pk_mov_b32).
static uint64_t of_part(uint64_t bits, const Source& s, Type type) {
  if (is_half(type)) return (s.flags & source_high ? bits >> 16 : bits) & 0xffff;
  return is_double_word(type) && s.flags & source_high ? bits >> 32 : bits;
}

// The lanes in which source `i` is undefined. For a 16-bit type, `low` is for the half that is
// read. For 64 bits, a lane is undefined if either of the two registers is. For two f32, `low` and
// `high` are for the registers from which the first and the second f32 are read.
Halves Definedness::source_halves(const Wavefront& wave, const Instruction& in, int i,
                                  Type type) const {
  const Source& s = in.source[i];
  const Bytes* const vgpr = vgpr_[part_of(wave)];
  Halves halves;
  if (s.kind == SourceKind::constant) return halves;
  if (type == Type::packed_f32) {
    const auto undefined = [&](bool second) -> LaneMask {
      const unsigned index = s.index + (second ? 1u : 0u);
      if (s.kind == SourceKind::scalar) return scalar_[index] ? all_lanes : 0;
      return vgpr[index].any();
    };
    return {undefined(s.flags & source_high), undefined(s.flags & source_high_for_high)};
  }
  if (s.kind == SourceKind::scalar) {
    if (type == Type::mask) return {scalar_[s.index], scalar_[s.index]};
    uint32_t bits = scalar_[s.index];
    if (is_double_word(type)) bits |= scalar_[s.index + 1];
    const LaneMask low = bits & 0xffffu ? all_lanes : 0, high = bits >> 16 ? all_lanes : 0;
    halves = {low, high};
  } else {
    const auto of = [&](const Bytes* registers) {
      const Halves first = registers[s.index].halves();
      return is_double_word(type) ? first | registers[s.index + 1].halves() : first;
    };
    halves = of(vgpr);
    if (i == 0 && is_dpp(in)) {
      const Halves other = in.lanes->crosses ? of(vgpr_[1 - part_of(wave)]) : Halves{};
      const LaneMask valid = valid_lanes(wave, *in.lanes);
      halves.low = permuted(*in.lanes, halves.low, other.low) & valid;
      halves.high = permuted(*in.lanes, halves.high, other.high) & valid;
    }
  }
  const LaneMask chosen = s.flags & source_high ? halves.high : halves.low;
  if (is_half(type)) return {chosen, 0};
  if (type == Type::mixed) return s.flags & source_high_for_high ? Halves{chosen, 0} : halves;
  if (is_packed(type)) return {chosen, s.flags & source_high_for_high ? halves.high : halves.low};
  return halves;
}

uint64_t Definedness::source_undefined(const Wavefront& wave, const Instruction& in, int i,
                                       Type type, unsigned lane) const {
  const Source& s = in.source[i];
  if (s.kind == SourceKind::constant) return 0;
  if (s.kind == SourceKind::scalar) {
    if (type == Type::mask) return scalar_[s.index] >> lane & 1;
    uint64_t bits = scalar_[s.index];
    if (is_double_word(type)) bits |= uint64_t{scalar_[s.index + 1]} << 32;
    return of_part(bits, s, type);
  }
  unsigned part = part_of(wave);
  const auto expand = [&](unsigned index) -> uint64_t { return vgpr_[part][index].bits(lane); };
  if (i == 0 && is_dpp(in)) {
    if (!(valid_lanes(wave, *in.lanes) >> lane & 1)) return 0;
    const unsigned from = in.lanes->lane[lane];
    part ^= from / 32;
    lane = from % 32;
  }
  uint64_t bits = expand(s.index);
  if (is_double_word(type)) bits |= expand(s.index + 1u) << 32;
  return of_part(bits, s, type);
}

uint64_t Definedness::source_value(const Wavefront& wave, const Instruction& in, int i, Type type,
                                   unsigned lane) {
  const Source& s = in.source[i];
  uint64_t bits = 0;
  if (s.kind == SourceKind::constant) {
    if ((s.flags & constant_literal) == constant_literal) return wave.literals[s.constant];
    if (s.flags & constant_in_high_word) return uint64_t{s.constant} << 32;
    bits = s.flags & constant_sign_extended
               ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(s.constant)})
               : s.constant;
  } else if (s.kind == SourceKind::scalar) {
    if (type == Type::mask) return wave.scalar[s.index] >> lane & 1;
    bits = wave.scalar[s.index];
    if (is_double_word(type)) bits |= uint64_t{wave.scalar[s.index + 1]} << 32;
  } else {
    if (i == 0 && is_dpp(in)) {
      if (!(valid_lanes(wave, *in.lanes) >> lane & 1)) return 0;
      lane = in.lanes->lane[lane];
    }
    const Wavefront& from = lane < 32 ? wave : *wave.other;
    bits = from.vgpr[s.index][lane % 32];
    if (is_double_word(type)) bits |= uint64_t{from.vgpr[s.index + 1][lane % 32]} << 32;
  }
  return of_part(is_double_word(type) ? bits : bits & 0xffffffffu, s, type);
}

// --- results -----------------------------------------------------------------------------------

void Definedness::add_vector_result(const Result& result) {
  if (result_count_ < 4) results_[result_count_++] = result;
}

void Definedness::add_scalar_result(unsigned index, uint32_t undefined) {
  if (scalar_count_ < 20) scalars_[scalar_count_++] = {static_cast<uint16_t>(index), undefined};
}

Misuse Definedness::condition(uint64_t undefined) {
  if (undefined == 0) return {};
  return {Misuse::Kind::condition, undefined, {true, register_exec, 1, 3}};
}

Misuse Definedness::evaluate(Wavefront& wave, const Instruction* instruction,
                             const Effects& effects) {
  result_count_ = scalar_count_ = 0;
  flag_of_result_ = false;
  if (parts_ == 2 && runs_halves(instruction->handler))
    return evaluate_halves(wave, instruction, effects);
  if (!effects.row[0]) return {};
  if (!effects.row[1]) return evaluate_one(wave, *instruction, effects, 0);
  const Misuse first = evaluate_one(wave, instruction->target[0], effects, 0),
               second = evaluate_one(wave, instruction->target[1], effects, 1);
  return first.kind == Misuse::Kind::none ? second : first;
}

Misuse Definedness::evaluate_halves(Wavefront& wave, const Instruction* instruction,
                                    const Effects& effects) {
  if (!effects.row[0]) return {};
  lend_scalars(wave, *wave.upper);
  const bool shares = instruction->handler == &run_halves_that_share;
  if (shares) {
    share_source(wave, instruction);
    for (auto& registers : vgpr_)
      registers[first_spare_register + 1] = registers[instruction->source[0].index];
  }
  Misuse misuse = evaluate_one(wave, instruction->target[0], effects, 0);
  const Misuse of_upper = evaluate_one(*wave.upper, instruction->target[1], effects, 0);
  if (misuse.kind == Misuse::Kind::none) misuse = {of_upper.kind, 0, of_upper.operand};
  if (misuse.kind == of_upper.kind) misuse.lanes |= of_upper.lanes << 32;
  if (shares)
    for (auto& registers : vgpr_) registers[first_spare_register + 1] = {};
  return misuse;
}

// Evaluates an instruction (`pair_part`: of a dual-issue pair) for 32 lanes, a wave or half of one.
Misuse Definedness::evaluate_one(const Wavefront& wave, const Instruction& in,
                                 const Effects& effects, int pair_part) {
  const Row& row = *effects.row[pair_part];
  if (effects.by_number) {
    const auto moved = at_moved_registers(wave, in, row);
    if (!moved) return {};
    return row.form == Form::scalar ? evaluate_scalar(wave, *moved, row, effects)
                                    : evaluate_vector(wave, *moved, row, effects);
  }
  if (row.role == Role::exchange) {
    evaluate_exchange(wave, in, row);
    return {};
  }
  if (effects.action == Action::memory) return evaluate_address(wave, in, row);
  if (effects.action == Action::matrix) return evaluate_matrix(in, row, effects);
  if (row.form == Form::branch) return evaluate_branch(wave, effects);
  if (row.form == Form::vector_selecting) {
    evaluate_conversion(wave, in, row, effects);
    return {};
  }
  if (row.form > Form::vector_to_scalar) return evaluate_scalar(wave, in, row, effects);
  if (effects.subwords) return evaluate_subwords(wave, in, row);
  return evaluate_vector(wave, in, row, effects);
}

void Definedness::commit(const Wavefront& wave, const Effects& effects) {
  for (int i = 0; i < result_count_; ++i) {
    const Result& result = results_[i];
    for (unsigned r = 0; r < result.registers; ++r) {
      Bytes bytes = vgpr_[result.part][result.first + r];
      bytes.take(result.undefined[r], result.halves);
      set_vgpr(result.part, result.first + r, bytes, result.lanes);
    }
  }
  bool flag_undefined = false, flag_set = false;
  for (int i = 0; i < scalar_count_; ++i) {
    const ScalarResult& result = scalars_[i];
    // An undefined EXEC was reported as a misuse, so EXEC counts as defined from here on.
    const bool is_exec = (result.index & ~1u) == register_exec;
    set_scalar(result.index, is_exec ? 0 : result.undefined);
    flag_undefined = flag_undefined || result.undefined != 0;
    flag_set = flag_set || (wave.scalar[result.index] & ~result.undefined) != 0;
  }
  if (effects.implicit & implicit_writes_scc)
    set_scalar(register_scc, flag_undefined && !(flag_of_result_ && flag_set) ? ~0u : 0u);
  // A dual-issue pair has kept its first result in a spare register; now it is moved.
  if (effects.row[1] && result_count_ == 2 && results_[0].first == first_spare_register) {
    const RegisterRange& to = effects.writes.front();
    for (unsigned i = 0; i < to.count; ++i) {
      const unsigned from = first_spare_register + i;
      set_vgpr(0, to.first + i, vgpr_[0][from], results_[0].lanes);
      vgpr_[0][from] = {};
      undefined_.remove(vgpr_number(from));
    }
  }
}

// --- instructions ------------------------------------------------------------------------------

Misuse Definedness::evaluate_vector(const Wavefront& wave, const Instruction& in, const Row& row,
                                    const Effects& effects) {
  const int count = source_count(row);
  const LaneMask lanes = written_lanes(wave, in);
  Halves any;
  for (int i = 0; i < count; ++i) any = any | source_halves(wave, in, i, row.sources[i]);
  // v_div_fmas reads VCC, which is not one of its operands. The instructions of a dual-issue pair
  // that read VCC have it as an operand.
  if (!effects.row[1] && effects.implicit & implicit_reads_vcc)
    any.low |= scalar_[register_vcc + part_of(wave)];
  LaneMask undefined = any.any() & exec_of(wave);
  const bool to_scalar = row.form == Form::vector_compare || row.form == Form::vector_to_scalar;
  if (to_scalar) {
    add_scalar_result(in.destination, undefined);
    return {};
  }
  if (row.form == Form::vector_compare_exec) {
    add_scalar_result(register_exec, 0);
    // CDNA writes a scalar register too.
    for (const RegisterRange& range : effects.writes)
      for (unsigned r = 0; r < range.count; ++r) add_scalar_result(range.first + r, 0);
    return condition(undefined);
  }
  if (row.carry_out) add_scalar_result(in.destination2, undefined);
  Result result;
  result.part = static_cast<uint8_t>(part_of(wave));
  result.first = in.destination;
  result.lanes = lanes;
  const bool is_pair = row.destination == Type::packed_f32;
  result.registers = is_double_word(row.destination) || is_pair ? 2 : 1;
  if (is_half(row.destination)) result.halves = halves_of(in.flags & flag_destination_high);
  if (row.half != 0) result.halves = row.half;
  const bool clears = in.flags & flag_clears_upper_half;
  if (clears) result.halves = 3;
  undefined &= lanes;
  if (undefined && row.undefined) {
    for (LaneMask rest = undefined; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      uint64_t value[4] = {}, bits[4] = {};
      for (int i = 0; i < count; ++i) {
        value[i] = source_value(wave, in, i, row.sources[i], lane);
        bits[i] = source_undefined(wave, in, i, row.sources[i], lane);
      }
      if (count <= 3) value[3] = static_cast<uint32_t>(in.offset);
      uint64_t u = row.undefined(value, bits);
      if (is_half(row.destination)) u = (u & 0xffff) * 0x10001;
      for (unsigned r = 0; r < result.registers; ++r, u >>= 32)
        result.undefined[r].add(lane, static_cast<uint32_t>(u));
    }
  } else if (is_pair) {
    const LaneMask first = any.low & undefined, second = any.high & undefined;
    result.undefined[0] = Bytes::of({first, first});
    result.undefined[1] = Bytes::of({second, second});
  } else if (is_packed(row.destination)) {
    result.undefined[0] = Bytes::of({any.low & undefined, any.high & undefined});
  } else {
    result.undefined[0] = result.undefined[1] = Bytes::of({undefined, undefined});
  }
  if (clears) result.undefined[0].take({}, 2);
  add_vector_result(result);
  if (row.swaps) {
    result.undefined[0] = vgpr_[result.part][in.destination];
    result.first = in.source[0].index;
    add_vector_result(result);
  }
  return {};
}

// Evaluates conversions whose sources or results are several registers, or whose result is a byte
// or half of a register. If only one byte of a half is written, an undefined other byte does not
// make the half undefined.
void Definedness::evaluate_conversion(const Wavefront& wave, const Instruction& in, const Row& row,
                                      const Effects& effects) {
  const LaneMask lanes = written_lanes(wave, in);
  // If only a part of a register is written, effects.reads lists that register before the sources.
  std::size_t first = effects.reads.size();
  for (int i = 0; i < source_count(row); ++i)
    if (in.source[i].kind != SourceKind::constant) --first;
  LaneMask undefined = 0;
  for (std::size_t i = first; i < effects.reads.size(); ++i)
    for (unsigned r = 0; r < effects.reads[i].count; ++r) {
      const unsigned index = effects.reads[i].first + r;
      if (effects.reads[i].scalar)
        undefined |= scalar_[index] ? all_lanes : 0;
      else
        undefined |= vgpr_[part_of(wave)][index].any();
    }
  const uint8_t halves = is_half(row.destination) ? halves_of(in.flags & flag_destination_high) : 3;
  for (const RegisterRange& written : effects.writes)
    for (unsigned r = 0; r < written.count; ++r)
      set_halves(part_of(wave), written.first + r, halves, Bytes::of({undefined, undefined}),
                 lanes);
}

Misuse Definedness::evaluate_scalar(const Wavefront& wave, const Instruction& in, const Row& row,
                                    const Effects& effects) {
  uint64_t value[4] = {}, bits[4] = {}, any = 0;
  const int count = std::clamp(std::max(source_count(row), int{row.extra}), 0, 3);
  for (int i = 0; i < count; ++i) {
    const Type type = row.sources[i] == Type::none ? row.sources[0] : row.sources[i];
    value[i] = source_value(wave, in, i, type, 0);
    bits[i] = source_undefined(wave, in, i, type, 0);
    any |= bits[i];
  }
  if (row.form == Form::hardware_register || row.form == Form::ignored ||
      row.form == Form::scalar_immediate) {
    if (row.destination != Type::none) add_scalar_result(in.destination, 0);
    return {};
  }
  if (effects.implicit & implicit_reads_scc && scalar_[register_scc]) any = ~uint64_t{0};
  if (row.role == Role::jump) {
    // The destination gets the address of the next instruction, which is always defined.
    if (row.destination != Type::none)
      for (unsigned i = 0; i < 2; ++i) add_scalar_result(in.destination + i, 0);
    return any ? condition(all_lanes) : Misuse{};
  }
  if (row.form == Form::scalar_compare) {
    add_scalar_result(register_scc, any ? ~0u : 0u);
    return {};
  }
  const bool wide = is_double_word(row.destination);
  if (row.decides_exec != 0) {
    // EXEC becomes the source combined with the old EXEC, which is defined and masks out some bits
    // of the source: only undefined bits that it does not mask out count.
    const uint64_t exec = whole_exec_of(wave);
    const uint64_t decided = (row.decides_exec & where_exec_is_0 ? ~exec : 0) |
                             (row.decides_exec & where_exec_is_1 ? exec : 0);
    const uint64_t undefined = bits[0] & decided;
    add_scalar_result(in.destination, 0);
    if (wide) add_scalar_result(in.destination + 1u, 0);
    return condition(undefined);
  }
  uint64_t undefined = any ? ~uint64_t{0} : 0;
  if (row.role == Role::select) {
    if (!scalar_[register_scc]) undefined = bits[wave.scalar[register_scc] ? 0 : 1];
  } else if (row.role == Role::conditional_move) {
    if (!scalar_[register_scc]) {
      if (!wave.scalar[register_scc]) return {};
      undefined = bits[0];
    }
  } else if (row.role == Role::set_bit) {
    undefined = scalar_[in.destination];
  } else if (any && row.undefined) {
    undefined = row.undefined(value, bits);
  }
  flag_of_result_ = row.flag_is_nonzero;
  add_scalar_result(in.destination, static_cast<uint32_t>(undefined));
  if (wide) add_scalar_result(in.destination + 1u, static_cast<uint32_t>(undefined >> 32));
  if (in.destination == register_exec)
    return condition(wide ? undefined : static_cast<uint32_t>(undefined));
  if (in.destination == register_exec + 1 && wave.upper) return condition(undefined << 32);
  return {};
}

Misuse Definedness::evaluate_branch(const Wavefront& wave, const Effects& effects) {
  if (effects.implicit & implicit_reads_scc && scalar_[register_scc]) {
    set_scalar(register_scc, 0);
    return {Misuse::Kind::condition, 0, {true, register_scc, 1, 3}};
  }
  if (!(effects.implicit & implicit_reads_vcc)) return {};
  uint64_t undefined = 0, value = 0;
  for (unsigned i = 0; i < parts_; ++i) {
    undefined |= uint64_t{scalar_[register_vcc + i]} << 32 * i;
    value |= uint64_t{wave.scalar[register_vcc + i]} << 32 * i;
  }
  // A defined 1 settles it.
  if (undefined && !(value & ~undefined)) {
    for (unsigned i = 0; i < parts_; ++i) set_scalar(register_vcc + i, 0);
    return {Misuse::Kind::condition, undefined, {true, register_vcc, 1, 3}};
  }
  return {};
}

// Which halves of an operand register an instruction reads (1 low, 2 high, 3 both). Modifiers
// select one byte in a register of scales, and one part of a register with a sparse index.
static uint8_t halves_of_matrix_operand(const Instruction& in, const Row& row,
                                        const RegisterRange& operand) {
  if (operand.count != 1 || !has(row.families.first(), Feature::mfma)) return 3;
  const MfmaModifiers modifiers = MfmaModifiers::of(in.offset);
  const MfmaForm& form = mfma_form(row.extra);
  unsigned halves = 0;
  if (form.scaled && operand.first == in.source[3].index)
    halves |= halves_of(modifiers.scale_a >= 2);
  if (form.scaled && operand.first == in.destination2) halves |= halves_of(modifiers.scale_b >= 2);
  if (form.sparse && operand.first == in.source[2].index && form.index_bits <= 16) {
    const int part = modifiers.cbsz != 0 ? 0 : modifiers.abid;
    halves |= halves_of(part * form.index_bits >= 16);
  }
  return halves ? static_cast<uint8_t>(halves) : 3;
}

// Checks the operands A, B, C and, for sparse instructions, the index. If C has 16-bit elements and
// each register holds only one of them, OPSEL says in which half of the register it is.
Misuse Definedness::evaluate_matrix(const Instruction& in, const Row& row, const Effects& effects) {
  const bool one_half =
      is_packed(row.sources[2]) && !effects.writes.empty() && effects.writes.front().count == 8;
  const uint8_t result_halves = one_half ? halves_of(in.source[2].flags & source_high) : 3;
  Misuse misuse;
  for (const RegisterRange& operand : effects.reads) {
    if (operand.scalar) continue;
    const bool is_c = in.source[2].kind == SourceKind::vgpr &&
                      operand.first == in.source[2].index &&
                      operand.count == effects.writes.front().count;
    const uint8_t halves = is_c ? result_halves : halves_of_matrix_operand(in, row, operand);
    uint64_t undefined = 0;
    for (unsigned part = 0; part < parts_; ++part)
      for (unsigned r = 0; r < operand.count; ++r) {
        const Halves found = vgpr_[part][operand.first + r].halves();
        if (halves & 1) undefined |= uint64_t{found.low} << 32 * part;
        if (halves & 2) undefined |= uint64_t{found.high} << 32 * part;
      }
    if (undefined && misuse.kind == Misuse::Kind::none)
      misuse = {Misuse::Kind::matrix_operand, undefined, operand};
  }
  for (const RegisterRange& written : effects.writes)
    for (unsigned r = 0; r < written.count; ++r)
      for (unsigned part = 0; part < parts_; ++part)
        set_halves(part, written.first + r, result_halves, {}, all_lanes);
  return misuse;
}

Misuse Definedness::evaluate_address(const Wavefront& wave, const Instruction& in, const Row& row) {
  const uint32_t exec = exec_of(wave);
  const auto vector = [&](unsigned source, unsigned count) -> Misuse {
    const Source& s = in.source[source];
    if (s.kind != SourceKind::vgpr) return {};
    LaneMask undefined = 0;
    for (unsigned r = 0; r < count; ++r) undefined |= vgpr_[part_of(wave)][s.index + r].any();
    if ((undefined & exec) == 0) return {};
    return {
        Misuse::Kind::address, undefined & exec, {false, s.index, static_cast<uint16_t>(count), 3}};
  };
  const auto scalar = [&](unsigned source, unsigned count) -> Misuse {
    const Source& s = in.source[source];
    if (s.kind != SourceKind::scalar || s.index == register_null) return {};
    for (unsigned r = 0; r < count; ++r)
      if (scalar_[s.index + r])
        return {Misuse::Kind::address, 0, {true, s.index, static_cast<uint16_t>(count), 3}};
    return {};
  };
  const auto first_of = [](std::initializer_list<Misuse> list) {
    for (const Misuse& misuse : list)
      if (misuse.kind != Misuse::Kind::none) return misuse;
    return Misuse{};
  };
  switch (row.form) {
    case Form::lds_load:
    case Form::lds_store:
    case Form::lds_atomic:
    case Form::lds_atomic_return:
      return vector(0, 1);
    case Form::scalar_load:
      return first_of({scalar(0, 2), scalar(1, 1)});
    case Form::scalar_buffer_load:
      return first_of({scalar(0, 4), scalar(1, 1)});
    case Form::scalar_store:
    case Form::scalar_atomic:
      return first_of({scalar(0, row.sources[0] == Type::wide ? 4 : 2), scalar(1, 1)});
    case Form::buffer_load:
    case Form::buffer_store:
    case Form::buffer_atomic: {
      const unsigned count = (in.flags & flag_idxen ? 1u : 0u) + (in.flags & flag_offen ? 1u : 0u);
      return first_of({vector(0, count), scalar(1, 4), scalar(3, 1)});
    }
    default: {
      const bool scratch = row.space == MemorySpace::scratch;
      return first_of({vector(0, !scratch && in.extra ? 2 : 1), scalar(1, scratch ? 1 : 2)});
    }
  }
}

}  // namespace heddle::emulator::check
