// Executes global_, flat_, scratch_ and buffer_ instructions. The table has a row for each
// combination of a memory space and a data format, and of a space and an atomic operation.
// Meanings: RDNA3 and RDNA4 ISA, chapters "Vector memory instructions", "Flat, scratch and global".
#include "emulator/handlers/atomics.h"
#include "emulator/handlers/buffer_access.h"
#include "emulator/handlers/global_access.h"
#include "emulator/handlers/lane_addresses.h"
#include "emulator/handlers/load_store.h"
#include "emulator/handlers/observe_access.h"
#include "emulator/handlers/tables.h"
#include "emulator/handlers/transposed_load.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

template <Space space, Format f>
const Instruction* load(Wavefront& w, const Instruction* in) {
  if (const Places near = near_places<space, AccessKind::load>(w, in, bytes_of(f)); near.base)
      [[likely]] {
    w.counters.global_bytes_read += lanes * bytes_of(f);
    load_data<f>(w, in->destination, in->flags & flag_destination_high, near);
    return in + 1;
  }
  const Pointers p = pointers<space, AccessKind::load>(w, in, bytes_of(f));
  if (p.fault) return nullptr;
  if (p.mask == 0) return in + 1;
  count<space>(w, in, p.mask, bytes_of(f), false);
  load_data<f>(w, in->destination, in->flags & flag_destination_high, p);
  return in + 1;
}

template <Space space, Format f>
const Instruction* store(Wavefront& w, const Instruction* in) {
  if (const Places near = near_places<space, AccessKind::store>(w, in, bytes_of(f)); near.base)
      [[likely]] {
    w.counters.global_bytes_written += lanes * bytes_of(f);
    store_data<f>(w, in->source[2], near);
    return in + 1;
  }
  const Pointers p = pointers<space, AccessKind::store>(w, in, bytes_of(f));
  if (p.fault) return nullptr;
  if (p.mask == 0) return in + 1;
  count<space>(w, in, p.mask, bytes_of(f), true);
  store_data<f>(w, in->source[2], p);
  return in + 1;
}

// Each lane accesses the dword at base + offset + 4 * (its number in the wave).
template <bool write>
const Instruction* by_lane(Wavefront& w, const Instruction* in) {
  const uint64_t base = read_scalar64(w, in->source[1]);
  U64 addresses;
  for (int l = 0; l < lanes; ++l)
    addresses[l] = base + static_cast<uint64_t>(int64_t{in->offset}) + w.first_lane * 4 +
                   4 * static_cast<uint64_t>(l);
  const Pointers p = resolve<write, false>(w, in, addresses, 4, exec(w));
  if (p.fault) return nullptr;
  observe(w, in, MemorySpace::global, write ? AccessKind::store : AccessKind::load, addresses, 4,
          exec(w));
  count<Space::global>(w, in, p.mask, 4, write);
  if constexpr (write)
    store_data<Format::b32>(w, in->source[2], p);
  else
    load_data<Format::b32>(w, in->destination, false, p);
  return in + 1;
}

// global_load_block, scratch_store_block: up to 32 consecutive registers; those whose bit in M0 is
// set.
template <Space space, bool write>
const Instruction* block(Wavefront& w, const Instruction* in) {
  Instruction word = *in;
  for (unsigned i = 0; i < 32; ++i, word.offset += 4) {
    if (!(w.scalar[register_m0] >> i & 1)) continue;
    const Pointers p =
        pointers<space, write ? AccessKind::store : AccessKind::load>(w, &word, 4, i);
    if (p.fault) {
      w.resume = in;
      return nullptr;
    }
    count<space>(w, in, p.mask, 4, write);
    if constexpr (write) {
      Source data = in->source[2];
      data.index = static_cast<uint16_t>(data.index + i);
      store_data<Format::b32>(w, data, p);
    } else {
      load_data<Format::b32>(w, in->destination + i, false, p);
    }
  }
  return in + 1;
}

// global_load_tr_b128 and similar instructions, which load a matrix and transpose it (see
// transposed_from). Users of gfx1201 measured those of gfx12 in waves of 32 lanes, and a user of
// gfx1250 measured global_load_tr16_b128. It is assumed that global_load_tr8_b64 works like
// ds_load_tr8_b64.
template <unsigned element_bits, unsigned words>
const Instruction* load_square(Wavefront& w, const Instruction* in) {
  const WholeWave whole(w);
  const Pointers p = pointers<Space::global, AccessKind::load>(w, in, 4 * words);
  if (p.fault) return nullptr;
  count<Space::global>(w, in, p.mask, 4 * words, false);
  load_transposed_squares<element_bits, words>(w, nullptr, in->destination, p);
  return in + 1;
}

// The transposing loads of load_square, in waves of 64 lanes. They use only the addresses of lanes
// 0 to 31 (RDNA4 ISA, "WMMA Matrix Load Ops with Transpose").
template <unsigned element_bits, unsigned words>
const Instruction* load_square_64(Wavefront& w, const Instruction* in) {
  if (w.scalar[register_exec + 1] != 0 && exec(w) == 0) {
    w.scalar[register_exec] = 0xffffffffu;
    const Instruction* const next = load_square_64<element_bits, words>(w, in);
    w.scalar[register_exec] = 0;
    return next;
  }
  const WholeWave whole(w);
  const Pointers p = pointers<Space::global, AccessKind::load>(w, in, 4 * words);
  if (p.fault) return nullptr;
  count<Space::global>(w, in, p.mask, 4 * words, false);
  load_transposed_squares<element_bits, words>(w, w.upper, in->destination, p);
  return in + 1;
}

// --- into LDS --------------------------------------------------------------------------------

// For loads into LDS: stores what lane l has loaded at M0 + offset + l * bytes in LDS. A loaded
// byte or half takes a whole 32-bit word there (AMD Instinct MI300 ISA, "Memory buffer load to
// LDS"; CDNA4 also has loads of 12 and 16 bytes).
template <Format f>
HEDDLE_INLINE const Instruction* put_into_lds(Wavefront& w, const Instruction* in,
                                              const Pointers& from) {
  constexpr uint32_t bytes = bytes_of(f) < 4 ? 4 : bytes_of(f);
  const uint32_t base = (w.scalar[register_m0] & 0x3ffffu) + static_cast<uint32_t>(in->offset);
  U32 addresses;
  for (uint32_t l = 0; l < lanes; ++l) addresses[l] = base + (w.first_lane + l) * bytes;
  const Pointers to = pointers_of(resolve_lds(w, in, {addresses}, bytes, from.mask));
  if (to.fault) return nullptr;
  observe(w, in, MemorySpace::lds, AccessKind::store, addresses, bytes, from.mask);
  w.counters.lds_bytes_written += active_bytes(from.mask, bytes);
  uint64_t from_at[lanes], to_at[lanes];
  __builtin_memcpy(from_at, &from.at, sizeof from_at);
  __builtin_memcpy(to_at, &to.at, sizeof to_at);
  for (int l = 0; l < lanes; ++l) {
    if (!(from.mask >> l & 1)) continue;
    void* place = reinterpret_cast<void*>(to_at[l]);
    if constexpr (bytes_of(f) < 4) {
      uint64_t one[lanes] = {};
      for (uint64_t& at : one) at = from_at[l];
      const uint32_t word = load_small<f>(one)[0];
      __builtin_memcpy(place, &word, 4);
    } else {
      __builtin_memcpy(place, reinterpret_cast<const void*>(from_at[l]), bytes);
    }
  }
  return in + 1;
}

template <Format f>
const Instruction* load_to_lds(Wavefront& w, const Instruction* in) {
  const Pointers p = pointers<Space::global, AccessKind::load>(w, in, bytes_of(f));
  if (p.fault) return nullptr;
  if (p.mask == 0) return in + 1;
  count<Space::global>(w, in, p.mask, bytes_of(f), false);
  return put_into_lds<f>(w, in, p);
}

// gfx1250's asynchronous copies between global memory and LDS. Each lane has one address in either;
// the instruction's offset is added to both addresses (LLVM's intrinsics global.load.async.to.lds
// and similar ones).
template <uint32_t bytes, bool store>
const Instruction* copy_lanes(Wavefront& w, const Instruction* in) {
  constexpr AccessKind global_kind = store ? AccessKind::store : AccessKind::load,
                       lds_kind = store ? AccessKind::load : AccessKind::store;
  const Pointers global = pointers<Space::global, global_kind>(w, in, bytes);
  if (global.fault) return nullptr;
  if (global.mask == 0) return in + 1;
  const U32 addresses =
      load_register(w, in->source[2].index) + U32(static_cast<uint32_t>(in->offset));
  const Pointers lds = pointers_of(resolve_lds(w, in, {addresses}, bytes, global.mask));
  if (lds.fault) return nullptr;
  count<Space::global>(w, in, global.mask, bytes, store);
  observe(w, in, MemorySpace::lds, lds_kind, addresses, bytes, global.mask);
  (store ? w.counters.lds_bytes_read : w.counters.lds_bytes_written) +=
      active_bytes(global.mask, bytes);
  for (int l = 0; l < lanes; ++l) {
    if (!(global.mask >> l & 1)) continue;
    void* const to = reinterpret_cast<void*>(store ? global.at[l] : lds.at[l]);
    __builtin_memmove(to, reinterpret_cast<const void*>(store ? lds.at[l] : global.at[l]), bytes);
  }
  return in + 1;
}

// --- buffers ---------------------------------------------------------------------------------

// Loads from a buffer if the access of some lane is only partly in range: each dword is then
// checked separately (RDNA3 ISA, "Range checking", note 4).
template <Format f>
[[gnu::noinline]] const Instruction* load_partly(Wavefront& w, const Instruction* in,
                                                 const BufferAddresses& a, uint32_t mask) {
  constexpr uint32_t piece = bytes_of(f) < 4 ? bytes_of(f) : 4;
  constexpr Format piece_format = bytes_of(f) < 4 ? f : Format::b32;
  for (uint32_t shift = 0; shift < bytes_of(f); shift += piece) {
    const uint32_t inside = in_range(a, shift, piece) & mask;
    const U64 addresses = a.at + U64(uint64_t{shift});
    const Pointers p = resolve<false, false>(w, in, addresses, piece, inside);
    if (p.fault) return nullptr;
    observe(w, in, MemorySpace::global, AccessKind::load, addresses, piece, inside, shift / 4);
    load_data<piece_format>(w, in->destination + shift / 4, in->flags & flag_destination_high,
                            or_zeros(p, inside, mask));
    w.counters.global_bytes_read += active_bytes(inside, piece);
  }
  return in + 1;
}

template <Format f>
const Instruction* buffer_load_to_lds(Wavefront& w, const Instruction* in) {
  const BufferAddresses a = buffer_addresses(w, in);
  if (!a.resource.supported) return raise(w, in, FaultKind::unsupported);
  const uint32_t mask = exec(w), inside = in_range(a, 0, bytes_of(f)) & mask;
  const Pointers p = resolve<false, false>(w, in, a.at, bytes_of(f), inside);
  if (p.fault) return nullptr;
  observe(w, in, MemorySpace::global, AccessKind::load, a.at, bytes_of(f), inside);
  w.counters.global_bytes_read += active_bytes(inside, bytes_of(f));
  if (mask == 0) return in + 1;
  return put_into_lds<f>(w, in, or_zeros(p, inside, mask));
}

template <Format f>
const Instruction* buffer_load(Wavefront& w, const Instruction* in) {
  if (is_scratch(w, in)) [[unlikely]] {
    const Pointers p = scratch_pointers<AccessKind::load>(w, in, bytes_of(f));
    if (p.fault) return nullptr;
    load_data<f>(w, in->destination, in->flags & flag_destination_high, p);
    return in + 1;
  }
  if (const Places near = near_places_of_buffer<AccessKind::load>(w, in, bytes_of(f)); near.base)
      [[likely]] {
    w.counters.global_bytes_read += lanes * bytes_of(f);
    load_data<f>(w, in->destination, in->flags & flag_destination_high, near);
    return in + 1;
  }
  const BufferAddresses a = buffer_addresses(w, in);
  if (!a.resource.supported) return raise(w, in, FaultKind::unsupported);
  const uint32_t mask = exec(w);
  if ((in_range(a, 0, bytes_of(f)) & mask) != mask) return load_partly<f>(w, in, a, mask);
  const Pointers p = resolve<false, false>(w, in, a.at, bytes_of(f), mask);
  if (p.fault) return nullptr;
  observe(w, in, MemorySpace::global, AccessKind::load, a.at, bytes_of(f), mask);
  if (p.mask == 0) return in + 1;
  w.counters.global_bytes_read += active_bytes(mask, bytes_of(f));
  load_data<f>(w, in->destination, in->flags & flag_destination_high, p);
  return in + 1;
}

template <Format f>
[[gnu::noinline]] const Instruction* store_partly(Wavefront& w, const Instruction* in,
                                                  const BufferAddresses& a, uint32_t mask) {
  constexpr uint32_t piece = bytes_of(f) < 4 ? bytes_of(f) : 4;
  constexpr Format piece_format = bytes_of(f) < 4 ? f : Format::b32;
  for (uint32_t shift = 0; shift < bytes_of(f); shift += piece) {
    const uint32_t inside = in_range(a, shift, piece) & mask;
    const U64 addresses = a.at + U64(uint64_t{shift});
    const Pointers p = resolve<true, false>(w, in, addresses, piece, inside);
    if (p.fault) return nullptr;
    observe(w, in, MemorySpace::global, AccessKind::store, addresses, piece, inside, shift / 4);
    Source data = in->source[2];
    data.index = static_cast<uint16_t>(data.index + shift / 4);
    store_data<piece_format>(w, data, p);
    w.counters.global_bytes_written += active_bytes(inside, piece);
  }
  return in + 1;
}

template <Format f>
const Instruction* buffer_store(Wavefront& w, const Instruction* in) {
  if (is_scratch(w, in)) [[unlikely]] {
    const Pointers p = scratch_pointers<AccessKind::store>(w, in, bytes_of(f));
    if (p.fault) return nullptr;
    store_data<f>(w, in->source[2], p);
    return in + 1;
  }
  if (const Places near = near_places_of_buffer<AccessKind::store>(w, in, bytes_of(f)); near.base)
      [[likely]] {
    w.counters.global_bytes_written += lanes * bytes_of(f);
    store_data<f>(w, in->source[2], near);
    return in + 1;
  }
  const BufferAddresses a = buffer_addresses(w, in);
  if (!a.resource.supported) return raise(w, in, FaultKind::unsupported);
  const uint32_t mask = exec(w);
  if ((in_range(a, 0, bytes_of(f)) & mask) != mask) return store_partly<f>(w, in, a, mask);
  const Pointers p = resolve<true, false>(w, in, a.at, bytes_of(f), mask);
  if (p.fault) return nullptr;
  observe(w, in, MemorySpace::global, AccessKind::store, a.at, bytes_of(f), mask);
  if (p.mask == 0) return in + 1;
  w.counters.global_bytes_written += active_bytes(mask, bytes_of(f));
  store_data<f>(w, in->source[2], p);
  return in + 1;
}

// --- atomics ---------------------------------------------------------------------------------

// For a compare-and-swap, the registers of data contain the new value, followed by the expected
// one.
template <Space space, Atomic op, class T>
const Instruction* atomic(Wavefront& w, const Instruction* in) {
  constexpr bool keeps = sizeof(T) == 4 && keeps_rest(op);
  Pointers p;
  uint32_t mask = exec(w);
  if constexpr (space == Space::buffer) {
    const BufferAddresses a = buffer_addresses(w, in);
    if (!a.resource.supported) return raise(w, in, FaultKind::unsupported);
    mask &= in_range(a, 0, sizeof(T));
    p = resolve<true, false, keeps>(w, in, a.at, sizeof(T), mask);
    if (!p.fault) observe(w, in, MemorySpace::global, AccessKind::atomic, a.at, sizeof(T), mask);
    // An atomic out of range returns zero.
    if (in->flags & flag_return)
      for (unsigned i = 0; i < sizeof(T) / 4; ++i)
        store_register(w, in->destination + i, U32(0), exec(w) & ~mask);
  } else {
    p = pointers<space, AccessKind::atomic, keeps>(w, in, sizeof(T));
  }
  if (p.fault) return nullptr;
  Source compare = in->source[2];
  compare.index = static_cast<uint16_t>(compare.index + sizeof(T) / 4);
  if (!atomic_lanes<op, T>(w, in, p, in->source[2], &compare, in->destination,
                           in->flags & flag_return))
    return nullptr;
  w.counters.global_bytes_read += active_bytes(p.mask, sizeof(T));
  w.counters.global_bytes_written += active_bytes(p.mask, sizeof(T));
  return in + 1;
}

// --- the table -------------------------------------------------------------------------------

constexpr const char* space_names[] = {"global_", "flat_", "scratch_", "buffer_"};

struct Table {
  Row rows[400];
  unsigned count = 0;

  constexpr Row& add(const char* space, const char* operation, Form form, Handler handler) {
    Row& row = rows[count++];
    row = Row{};
    int end = 0;
    for (const char* part : {space, operation})
      for (; *part; ++part) row.name[end++] = *part;
    row.form = form;
    row.plain = handler;
    row.space = space[0] == 's'   ? MemorySpace::scratch
                : space[0] == 'f' ? MemorySpace::flat
                                  : MemorySpace::global;
    return row;
  }

  template <Space space, Format f>
  constexpr void add_load(const char* operation) {
    const char* prefix = space_names[static_cast<int>(space)];
    Row* row;
    if constexpr (space == Space::buffer)
      row = &add(prefix, operation, Form::buffer_load, &buffer_load<f>);
    else
      row = &add(prefix, operation, Form::memory_load, &load<space, f>);
    row->half = half_of(f);
    row->extends_sign = is_signed(f);
  }
  template <Space space, Format f>
  constexpr void add_store(const char* operation) {
    const char* prefix = space_names[static_cast<int>(space)];
    if constexpr (space == Space::buffer)
      add(prefix, operation, Form::buffer_store, &buffer_store<f>).half = half_of(f);
    else
      add(prefix, operation, Form::memory_store, &store<space, f>).half = half_of(f);
  }

  template <Space space>
  constexpr void add_space() {
    add_load<space, Format::u8>("load_u8");
    add_load<space, Format::i8>("load_i8");
    add_load<space, Format::u16>("load_u16");
    add_load<space, Format::i16>("load_i16");
    add_load<space, Format::b32>("load_b32");
    add_load<space, Format::b64>("load_b64");
    add_load<space, Format::b96>("load_b96");
    add_load<space, Format::b128>("load_b128");
    add_load<space, Format::d16_u8>("load_d16_u8");
    add_load<space, Format::d16_i8>("load_d16_i8");
    add_load<space, Format::d16_b16>("load_d16_b16");
    add_load<space, Format::d16_hi_u8>("load_d16_hi_u8");
    add_load<space, Format::d16_hi_i8>("load_d16_hi_i8");
    add_load<space, Format::d16_hi_b16>("load_d16_hi_b16");
    add_store<space, Format::b8>("store_b8");
    add_store<space, Format::b16>("store_b16");
    add_store<space, Format::b32>("store_b32");
    add_store<space, Format::b64>("store_b64");
    add_store<space, Format::b96>("store_b96");
    add_store<space, Format::b128>("store_b128");
    add_store<space, Format::d16_hi_u8>("store_d16_hi_b8");
    add_store<space, Format::d16_hi_b16>("store_d16_hi_b16");
  }

  template <Format f>
  constexpr void add_load_to_lds(const char* operation) {
    add("global_load_lds_", operation, Form::memory_to_lds, &load_to_lds<f>).families = isa::gfx9;
    add("buffer_load_lds_", operation, Form::buffer_to_lds, &buffer_load_to_lds<f>).families =
        isa::gfx9;
  }

  // Two kinds of loads of gfx1250 that are emulated like plain loads:
  // - load_monitor also watches the memory, for s_monitor_sleep.
  // - Cluster loads can deliver data to several workgroups of a cluster. Each workgroup executes
  // the load, and the memory system combines loads of the same address (Triton's pass that puts
  // barriers of the cluster into loops).
  template <Space space>
  constexpr void add_kin() {
    add_load<space, Format::b32>("load_monitor_b32");
    add_load<space, Format::b64>("load_monitor_b64");
    add_load<space, Format::b128>("load_monitor_b128");
  }
  template <Format f>
  constexpr void add_cluster_load(const char* name) {
    add("cluster_", name, Form::memory_load, &load<Space::global, f>).families = isa::gfx1250;
  }

  template <uint32_t bytes>
  constexpr void add_async(const char* load_name, const char* store_name) {
    add("global_", load_name, Form::memory_async_load, &copy_lanes<bytes, false>).families =
        isa::gfx1250;
    add("global_", store_name, Form::memory_async_store, &copy_lanes<bytes, true>).families =
        isa::gfx1250;
    add("cluster_", load_name, Form::memory_async_load, &copy_lanes<bytes, false>).families =
        isa::gfx1250;
  }

  template <Space space, Atomic op>
  constexpr void add_atomic(const char* name32, const char* name64 = nullptr) {
    const char* prefix = space_names[static_cast<int>(space)];
    const Form form = space == Space::buffer ? Form::buffer_atomic : Form::memory_atomic;
    describe<op, uint32_t>(add(prefix, name32, form, &atomic<space, op, uint32_t>));
    if (name64) describe<op, uint64_t>(add(prefix, name64, form, &atomic<space, op, uint64_t>));
  }

  template <Space space>
  constexpr void add_atomics() {
    add_atomic<space, Atomic::add>("atomic_add_u32", "atomic_add_u64");
    add_atomic<space, Atomic::sub>("atomic_sub_u32", "atomic_sub_u64");
    add_atomic<space, Atomic::swap>("atomic_swap_b32", "atomic_swap_b64");
    add_atomic<space, Atomic::compare_swap>("atomic_cmpswap_b32", "atomic_cmpswap_b64");
    add_atomic<space, Atomic::min_i>("atomic_min_i32", "atomic_min_i64");
    add_atomic<space, Atomic::min_u>("atomic_min_u32", "atomic_min_u64");
    add_atomic<space, Atomic::max_i>("atomic_max_i32", "atomic_max_i64");
    add_atomic<space, Atomic::max_u>("atomic_max_u32", "atomic_max_u64");
    add_atomic<space, Atomic::and_>("atomic_and_b32", "atomic_and_b64");
    add_atomic<space, Atomic::or_>("atomic_or_b32", "atomic_or_b64");
    add_atomic<space, Atomic::xor_>("atomic_xor_b32", "atomic_xor_b64");
    add_atomic<space, Atomic::inc>("atomic_inc_u32", "atomic_inc_u64");
    add_atomic<space, Atomic::dec>("atomic_dec_u32", "atomic_dec_u64");
    add_atomic<space, Atomic::add_f>("atomic_add_f32", "atomic_add_f64");
    add_atomic<space, Atomic::min_f>("atomic_min_f32", "atomic_min_f64");
    add_atomic<space, Atomic::max_f>("atomic_max_f32", "atomic_max_f64");
    add_atomic<space, Atomic::min_f>("atomic_min_num_f32", "atomic_min_num_f64");
    add_atomic<space, Atomic::max_f>("atomic_max_num_f32", "atomic_max_num_f64");
    add_atomic<space, Atomic::pk_add_f16>("atomic_pk_add_f16");
    add_atomic<space, Atomic::pk_add_bf16>("atomic_pk_add_bf16");
    add_atomic<space, Atomic::compare_swap_f>("atomic_cmpswap_f32");
    add_atomic<space, Atomic::sub_clamp>("atomic_csub_u32");
    add_atomic<space, Atomic::sub_clamp>("atomic_sub_clamp_u32");
    add_atomic<space, Atomic::cond_sub>("atomic_cond_sub_u32");
  }

  template <unsigned element_bits, unsigned words>
  constexpr void add_square(const char* operation) {
    Row& row = add("global_", operation, Form::memory_load, &load_square<element_bits, words>);
    row.families = isa::gfx12;
    row.wave = 32;
    row.whole_wave = true;
  }
  template <unsigned element_bits, unsigned words>
  constexpr void add_square_64(const char* operation) {
    Row& row = add("global_", operation, Form::memory_load, &load_square_64<element_bits, words>);
    row.families = isa::gfx12;
    row.wave = 64;
    row.whole_wave = true;
  }

  constexpr Table() : rows{} {
    add_space<Space::global>();
    add_space<Space::flat>();
    add_space<Space::scratch>();
    add_space<Space::buffer>();
    add_atomics<Space::global>();
    add_atomics<Space::flat>();
    add_atomics<Space::buffer>();
    add_load_to_lds<Format::u8>("u8");
    add_load_to_lds<Format::i8>("i8");
    add_load_to_lds<Format::u16>("u16");
    add_load_to_lds<Format::i16>("i16");
    add_load_to_lds<Format::b32>("b32");
    add_load_to_lds<Format::b96>("b96");
    add_load_to_lds<Format::b128>("b128");
    add_kin<Space::global>();
    add_kin<Space::flat>();
    add_cluster_load<Format::b32>("load_b32");
    add_cluster_load<Format::b64>("load_b64");
    add_cluster_load<Format::b128>("load_b128");
    add("global_", "load_addtid_b32", Form::lane_load, &by_lane<false>);
    add("global_", "store_addtid_b32", Form::lane_store, &by_lane<true>);
    add_async<1>("load_async_to_lds_b8", "store_async_from_lds_b8");
    add_async<4>("load_async_to_lds_b32", "store_async_from_lds_b32");
    add_async<8>("load_async_to_lds_b64", "store_async_from_lds_b64");
    add_async<16>("load_async_to_lds_b128", "store_async_from_lds_b128");
    add_square<16, 4>("load_tr_b128");
    add_square<8, 2>("load_tr_b64");
    add_square_64<16, 4>("load_tr_b128");
    add_square_64<8, 2>("load_tr_b64");
    add_square<16, 4>("load_tr16_b128");
    add_square<8, 2>("load_tr8_b64");
    add_square<4, 2>("load_tr4_b64");
    add_square<6, 3>("load_tr6_b96");
    add("global_", "load_block", Form::memory_load, &block<Space::global, false>);
    add("global_", "store_block", Form::memory_store, &block<Space::global, true>);
    add("scratch_", "load_block", Form::memory_load, &block<Space::scratch, false>);
    add("scratch_", "store_block", Form::memory_store, &block<Space::scratch, true>);
  }
};

constexpr Table table;

}  // namespace

Rows global_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
