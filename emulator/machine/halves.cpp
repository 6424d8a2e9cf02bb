#include "emulator/machine/halves.h"

#include <cstring>

namespace heddle::emulator {

void lend_scalars(const Wavefront& w, Wavefront& upper) {
  std::memcpy(upper.scalar, w.scalar, sizeof w.scalar);
  for (unsigned word = 0; word < 2; ++word) {
    upper.scalar[register_whole_exec + word] = w.scalar[register_exec + word];
    upper.scalar[register_whole_vcc + word] = w.scalar[register_vcc + word];
  }
  upper.scalar[register_exec] = w.scalar[register_exec + 1];
  upper.scalar[register_vcc] = w.scalar[register_vcc + 1];
  upper.mode = w.mode;
}

const Instruction* run_halves(Wavefront& w, const Instruction* in) {
  Wavefront& upper = *w.upper;
  const Instruction* parts = in->target;
  lend_scalars(w, upper);
  if (!parts[0].handler(w, &parts[0])) {
    w.resume = in;
    return nullptr;
  }
  if (!parts[1].handler(upper, &parts[1])) {
    w.event = upper.event;
    w.resume = in;
    w.fault = upper.fault;
    w.fault_lane = upper.fault_lane < 0 ? -1 : upper.fault_lane + 32;
    w.fault_address = upper.fault_address;
    w.fault_bytes = upper.fault_bytes;
    return nullptr;
  }
  w.scalar[in->destination] = upper.scalar[in->destination2];
  return in + 1;
}

void share_source(Wavefront& w, const Instruction* in) {
  for (Wavefront* half : {&w, w.upper})
    std::memcpy(half->vgpr[first_spare_register + 1], half->vgpr[in->source[0].index],
                sizeof half->vgpr[0]);
}

const Instruction* run_halves_that_share(Wavefront& w, const Instruction* in) {
  share_source(w, in);
  return run_halves(w, in);
}

const Instruction* run_halves_that_write_exec(Wavefront& w, const Instruction* in) {
  const Instruction* next = run_halves(w, in);
  for (unsigned word = 0; word < 2; ++word)
    w.scalar[in->source[0].index + word] = w.scalar[register_exec + word];
  return next;
}

bool runs_halves(Handler handler) {
  return handler == &run_halves || handler == &run_halves_that_share ||
         handler == &run_halves_that_write_exec;
}

void move_to_upper_half(Instruction& in, unsigned mask_sources, bool mask_destination,
                        bool carry_out) {
  for (unsigned i = 0; i < 4; ++i) {
    Source& s = in.source[i];
    if (mask_sources >> i & 1) {
      // A constant of 64 bits has copies of the sign in its upper word, which the upper half reads.
      if (s.kind == SourceKind::constant) s.constant = s.constant >> 31 ? ~0u : 0;
      if (s.kind == SourceKind::scalar) ++s.index;
    } else if (s.kind == SourceKind::scalar) {
      if (s.index == register_exec || s.index == register_exec + 1)
        s.index = static_cast<uint16_t>(s.index - register_exec + register_whole_exec);
      if (s.index == register_vcc || s.index == register_vcc + 1)
        s.index = static_cast<uint16_t>(s.index - register_vcc + register_whole_vcc);
    }
  }
  if (mask_destination) ++in.destination;
  if (carry_out) ++in.destination2;
}

}  // namespace heddle::emulator
