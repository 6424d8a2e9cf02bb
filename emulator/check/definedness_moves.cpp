// The part of Definedness for instructions that move undefined bits: to another lane, to another
// part of a register, or to a register whose number is in M0.
#include <bit>
#include <cstring>
#include <memory>

#include "emulator/check/definedness.h"
#include "emulator/machine/subwords.h"

namespace heddle::emulator::check {

// VGPRs are followed byte by byte, scalar registers bit by bit. A lane mask that goes through a
// VGPR may have undefined bits for inactive lanes, which nobody reads. So a byte of a VGPR counts
// as undefined only if all of its bits are undefined.
static uint32_t whole_bytes(uint32_t undefined) {
  uint32_t whole = 0;
  for (uint32_t byte = 0xff; byte != 0; byte <<= 8)
    if ((undefined & byte) == byte) whole |= byte;
  return whole;
}

// Finds where undefined bits move by executing the instruction on them: on a copy of the wave in
// which two extra registers contain the undefined bits of the source and of the destination instead
// of their values. Registers that select lanes or destinations have their real values.
void Definedness::evaluate_exchange(const Wavefront& wave, const Instruction& in, const Row& row) {
  constexpr uint16_t data_register = 260, result_register = 261;
  thread_local const auto mirrors = std::make_unique<Wavefront[]>(2);
  // An address comes first.
  const unsigned data = row.form == Form::lds_atomic_return ? 1 : 0;
  const Source& moved = in.source[data];
  const bool to_scalar = row.form == Form::vector_to_scalar;
  Instruction mirrored = in;
  Source& source = mirrored.source[data];
  source.index = data_register;
  if (moved.kind != SourceKind::vgpr) {
    source.kind = SourceKind::constant;
    source.constant = moved.kind == SourceKind::scalar ? whole_bytes(scalar_[moved.index]) : 0;
  }
  if (!to_scalar) mirrored.destination = result_register;

  // The halves of the wave that the instruction accesses: its own, or both halves of a wave of 64.
  const Wavefront* const seen[] = {&wave, wave.upper};
  const unsigned count = row.wave == 64 ? 2 : 1;
  mirrors[0].upper = &mirrors[1];
  for (unsigned i = 0; i < count; ++i) {
    const Bytes* const registers = vgpr_[part_of(*seen[i])];
    std::memcpy(mirrors[i].scalar, seen[i]->scalar, sizeof wave.scalar);
    for (unsigned s = 0; s < 3; ++s)
      if (in.source[s].kind == SourceKind::vgpr && s != data)
        std::memcpy(mirrors[i].vgpr[in.source[s].index], seen[i]->vgpr[in.source[s].index],
                    sizeof wave.vgpr[0]);
    for (unsigned lane = 0; lane < 32; ++lane) {
      if (moved.kind == SourceKind::vgpr)
        mirrors[i].vgpr[data_register][lane] = registers[moved.index].bits(lane);
      if (!to_scalar) mirrors[i].vgpr[result_register][lane] = registers[in.destination].bits(lane);
    }
  }
  if (!in.handler(mirrors[0], &mirrored)) return;
  if (to_scalar) return add_scalar_result(in.destination, mirrors[0].scalar[in.destination]);
  for (unsigned i = 0; i < count; ++i) {
    const auto take = [&](unsigned from, unsigned to) {
      Result result{static_cast<uint8_t>(part_of(*seen[i])),
                    static_cast<uint16_t>(to),
                    1,
                    3,
                    ~LaneMask{0},
                    {}};
      for (unsigned lane = 0; lane < 32; ++lane)
        result.undefined[0].add(lane, mirrors[i].vgpr[from][lane]);
      add_vector_result(result);
    };
    take(result_register, in.destination);
    if (row.swaps) take(data_register, moved.index);
  }
}

// For SDWA instructions of CDNA. Undefined bits are extracted from the source registers and
// inserted into the destination as the instruction does it with values.
Misuse Definedness::evaluate_subwords(const Wavefront& wave, const Instruction& in,
                                      const Row& row) {
  const SubwordInstruction& subwords = *in.subwords;
  const Instruction& operation = subwords.operation;
  Result result;
  result.part = static_cast<uint8_t>(part_of(wave));
  result.first = operation.destination;
  result.registers = subwords.results;
  result.lanes = wave.scalar[register_exec];
  LaneMask any = 0;
  for (LaneMask rest = result.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t value[4] = {}, bits[4] = {}, all = 0;
    for (int i = 0; i < 4 && row.sources[i] != Type::none; ++i) {
      const bool taken = i < 2 && row.sources[i] != Type::mask;
      const Type type = taken ? Type::u32 : row.sources[i];
      value[i] = source_value(wave, operation, i, type, lane);
      bits[i] = source_undefined(wave, operation, i, type, lane);
      if (taken && operation.source[i].kind != SourceKind::constant) {
        value[i] = taken_out(static_cast<uint32_t>(value[i]), subwords.source[i]);
        bits[i] = taken_out(static_cast<uint32_t>(bits[i]), subwords.source[i]);
      }
      if (is_half(row.sources[i])) value[i] &= 0xffffu, bits[i] &= 0xffffu;
      all |= bits[i];
    }
    uint64_t undefined = 0;
    if (all) undefined = row.undefined ? row.undefined(value, bits) : ~uint64_t{0};
    if (is_half(row.destination)) undefined &= 0xffffu;
    if (all) any |= 1u << lane;
    for (unsigned i = 0; i < subwords.results; ++i) {
      const unsigned to = (operation.destination + i) % vector_registers;
      const uint32_t old = vgpr_[result.part][to].bits(lane);
      result.undefined[i].add(
          lane, put_in_place(static_cast<uint32_t>(undefined >> 32 * i), old, subwords));
    }
  }
  if (row.form == Form::vector_compare_exec) {
    add_scalar_result(register_exec, 0);
    return condition(any);
  }
  if (row.form == Form::vector_compare) add_scalar_result(operation.destination, any);
  if (row.carry_out) add_scalar_result(operation.destination2, any);
  if (subwords.results != 0) add_vector_result(result);
  return {};
}

// Some instructions compute register numbers from M0: v_movrels and similar ones, and on CDNA all
// between s_set_gpr_idx_on and s_set_gpr_idx_off. Returns the instruction with the computed
// register numbers. Null if a number is out of range, which is a fault.
std::optional<Instruction> Definedness::at_moved_registers(const Wavefront& wave,
                                                           const Instruction& in, const Row& row) {
  const uint32_t m0 = wave.scalar[register_m0];
  const bool is_scalar = row.form == Form::scalar, separate = row.indexed & indexes_apart;
  Instruction moved = in;
  unsigned operands = row.indexed, from = separate ? m0 & 0x3ffu : m0,
           to = separate ? m0 >> 16 & 0x3ffu : m0;
  if (operands == 0) {
    moved = in.indexed->operation;
    operands = in.indexed->operands;
    from = to = m0 & 0xffu;
  }
  bool beyond = false;
  const auto move = [&](uint16_t& number, unsigned by) {
    beyond |= number + uint64_t{by} > (is_scalar ? 104 : 255);
    number = static_cast<uint16_t>(number + by);
  };
  const SourceKind kind = is_scalar ? SourceKind::scalar : SourceKind::vgpr;
  for (unsigned i = 0; i < 3; ++i)
    if (operands >> i & 1 && moved.source[i].kind == kind) move(moved.source[i].index, from);
  if (operands & indexes_destination) move(moved.destination, to);
  if (beyond) return {};
  return moved;
}

}  // namespace heddle::emulator::check
