#include "emulator/machine/subwords.h"

namespace heddle::emulator {
namespace {

uint32_t mask_of(const Subword& part) { return part.count == 32 ? ~0u : (1u << part.count) - 1; }

}  // namespace

uint32_t taken_out(uint32_t word, const Subword& part) {
  const uint32_t bits = word >> part.first & mask_of(part);
  if (!part.sign_extend) return bits;
  const uint32_t sign = 1u << (part.count - 1);
  return (bits ^ sign) - sign;
}

uint32_t put_in_place(uint32_t result, uint32_t old, const SubwordInstruction& in) {
  const Subword& to = in.destination;
  const uint32_t mask = mask_of(to) << to.first, bits = result << to.first & mask;
  if (in.unused == SubwordInstruction::Unused::preserve) return (old & ~mask) | bits;
  if (in.unused == SubwordInstruction::Unused::zero || !(result >> (to.count - 1) & 1)) return bits;
  // Bits above the result are copies of its sign; bits below it are 0.
  const unsigned end = to.first + to.count;
  return end == 32 ? bits : bits | ~0u << end;
}

const Instruction* run_subwords(Wavefront& w, const Instruction* in) {
  const SubwordInstruction& subwords = *in->subwords;
  Instruction operation = subwords.operation;
  for (unsigned i = 0; i < 2; ++i) {
    Source& source = operation.source[i];
    const Subword& part = subwords.source[i];
    if (source.kind == SourceKind::constant || (part.count == 32 && !part.sign_extend)) continue;
    const auto spare = static_cast<uint16_t>(first_spare_register + 2 + i);
    for (unsigned lane = 0; lane < 32; ++lane)
      w.vgpr[spare][lane] = taken_out(
          source.kind == SourceKind::vgpr ? w.vgpr[source.index][lane] : w.scalar[source.index],
          part);
    source.kind = SourceKind::vgpr;
    source.index = spare;
  }
  constexpr uint16_t first_result = first_spare_register + 4;
  const uint16_t destination = operation.destination;
  if (subwords.results != 0) operation.destination = first_result;
  if (!operation.handler(w, &operation)) {
    w.resume = in;
    return nullptr;
  }
  for (unsigned i = 0; i < subwords.results; ++i) {
    const uint32_t* const result = w.vgpr[first_result + i];
    uint32_t* const to = w.vgpr[destination + i];
    for (unsigned lane = 0; lane < 32; ++lane)
      if (w.scalar[register_exec] >> lane & 1)
        to[lane] = put_in_place(result[lane], to[lane], subwords);
  }
  return in + 1;
}

const Instruction* run_indexed(Wavefront& w, const Instruction* in) {
  Instruction operation = in->indexed->operation;
  const unsigned index = w.scalar[register_m0] & 0xffu;
  bool outside = false;
  const auto move = [&](uint16_t& reg) {
    outside |= reg + index > 255;
    reg = static_cast<uint16_t>(reg + index);
  };
  for (unsigned i = 0; i < 3; ++i)
    if (in->indexed->operands >> i & 1 && operation.source[i].kind == SourceKind::vgpr)
      move(operation.source[i].index);
  if (in->indexed->operands & indexes_destination) move(operation.destination);
  if (outside) {
    w.event = Event::fault;
    w.fault = FaultKind::unsupported;
    w.fault_lane = -1;
    w.resume = in;
    return nullptr;
  }
  if (operation.handler(w, &operation)) return in + 1;
  w.resume = in;
  return nullptr;
}

}  // namespace heddle::emulator
