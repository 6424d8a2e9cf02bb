// Scalar loads, from addresses and from buffers.
// Meanings: RDNA3 and RDNA4 ISA, chapter "Scalar memory operations".
#include "emulator/handlers/memory_access.h"
#include "emulator/handlers/scalar_row.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

enum class Extend { none, u8, i8, u16, i16 };

// Null, with the fault raised, when not all bytes are mapped.
HEDDLE_INLINE const std::byte* scalar_memory(Wavefront& w, const Instruction* in, u64 address,
                                             u32 bytes) {
  const std::byte* host = host_address(w, address, bytes, false);
  if (host) return host;
  raise(w, in, FaultKind::global_out_of_bounds, -1, address, bytes);
  return nullptr;
}

HEDDLE_INLINE void observe_scalar(Wavefront& w, const Instruction* in, u64 address, u32 bytes,
                                  unsigned first_register = 0) {
  if (!w.observe) [[likely]]
    return;
  w.observe(w, {in, MemorySpace::scalar, AccessKind::load, static_cast<uint8_t>(first_register),
                bytes, 1, nullptr, &address});
}

template <unsigned words, Extend extend>
const Instruction* load_from(Wavefront& w, const Instruction* in, u64 address) {
  constexpr u32 bytes = extend == Extend::none                         ? words * 4
                        : extend == Extend::u8 || extend == Extend::i8 ? 1
                                                                       : 2;
  if constexpr (extend == Extend::none) address &= ~u64{3};
  const std::byte* host = scalar_memory(w, in, address, bytes);
  if (!host) return nullptr;
  observe_scalar(w, in, address, bytes);
  w.counters.global_bytes_read += bytes;
  u32 data[16] = {};
  __builtin_memcpy(data, host, bytes);
  if constexpr (extend == Extend::i8) data[0] = static_cast<u32>(static_cast<int8_t>(data[0]));
  if constexpr (extend == Extend::i16) data[0] = static_cast<u32>(static_cast<int16_t>(data[0]));
  for (unsigned i = 0; i < words; ++i) w.scalar[in->destination + i] = data[i];
  return in + 1;
}

template <unsigned words, Extend extend = Extend::none>
const Instruction* load(Wavefront& w, const Instruction* in) {
  // Of bytes and shorts the base may be any.
  const u64 ignored = extend == Extend::none ? 3 : 0;
  const u64 base = read_scalar64(w, in->source[0]) & ~ignored;
  constexpr u64 bytes = extend == Extend::none                         ? words * 4
                        : extend == Extend::u8 || extend == Extend::i8 ? 1
                                                                       : 2;
  const u64 scale = in->flags & flag_scale_offset ? bytes : 1;
  const u64 address =
      base + scale * read_scalar(w, in->source[1]) + static_cast<u64>(static_cast<i64>(in->offset));
  return load_from<words, extend>(w, in, address);
}

// Out of range reads 0, per dword (RDNA3 ISA, "Scalar buffer loads": clamped like a raw buffer).
template <unsigned words, Extend extend = Extend::none>
const Instruction* buffer_load(Wavefront& w, const Instruction* in) {
  const u32* resource = &w.scalar[in->source[0].index];
  const u64 base = resource[0] | u64{resource[1] & 0xffffu} << 32;
  const u64 stride = resource[1] >> 16 & 0x3fffu;
  const u64 size = stride == 0 ? resource[2] : stride * resource[2];
  const u64 offset =
      (u64{read_scalar(w, in->source[1])} + static_cast<u64>(static_cast<i64>(in->offset)));
  if constexpr (extend != Extend::none) {
    if (offset >= size) {
      w.scalar[in->destination] = 0;
      return in + 1;
    }
    return load_from<words, extend>(w, in, base + offset);
  } else {
    const u64 aligned = offset & ~u64{3};
    if (aligned + words * 4 <= size) return load_from<words, extend>(w, in, base + aligned);
    for (unsigned i = 0; i < words; ++i) {
      u32 data = 0;
      if (aligned + i * 4 + 4 <= size) {
        const std::byte* host = scalar_memory(w, in, base + aligned + i * 4, 4);
        if (!host) return nullptr;
        observe_scalar(w, in, base + aligned + i * 4, 4, i);
        __builtin_memcpy(&data, host, 4);
        w.counters.global_bytes_read += 4;
      }
      w.scalar[in->destination + i] = data;
    }
    return in + 1;
  }
}

constexpr Row rows[] = {
    row("s_load_b32", Form::scalar_load, &load<1>),
    row("s_load_b64", Form::scalar_load, &load<2>),
    row("s_load_b96", Form::scalar_load, &load<3>),
    row("s_load_b128", Form::scalar_load, &load<4>),
    row("s_load_b256", Form::scalar_load, &load<8>),
    row("s_load_b512", Form::scalar_load, &load<16>),
    row("s_load_u8", Form::scalar_load, &load<1, Extend::u8>),
    row("s_load_i8", Form::scalar_load, &load<1, Extend::i8>),
    row("s_load_u16", Form::scalar_load, &load<1, Extend::u16>),
    row("s_load_i16", Form::scalar_load, &load<1, Extend::i16>),
    row("s_buffer_load_b32", Form::scalar_buffer_load, &buffer_load<1>),
    row("s_buffer_load_b64", Form::scalar_buffer_load, &buffer_load<2>),
    row("s_buffer_load_b96", Form::scalar_buffer_load, &buffer_load<3>),
    row("s_buffer_load_b128", Form::scalar_buffer_load, &buffer_load<4>),
    row("s_buffer_load_b256", Form::scalar_buffer_load, &buffer_load<8>),
    row("s_buffer_load_b512", Form::scalar_buffer_load, &buffer_load<16>),
    row("s_buffer_load_u8", Form::scalar_buffer_load, &buffer_load<1, Extend::u8>),
    row("s_buffer_load_i8", Form::scalar_buffer_load, &buffer_load<1, Extend::i8>),
    row("s_buffer_load_u16", Form::scalar_buffer_load, &buffer_load<1, Extend::u16>),
    row("s_buffer_load_i16", Form::scalar_buffer_load, &buffer_load<1, Extend::i16>),
};

}  // namespace

Rows scalar_memory_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
