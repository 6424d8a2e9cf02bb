// Executes ds_ instructions: loads, stores and atomics in LDS, and those that move values between
// lanes by LDS hardware without memory. Meanings: RDNA3 and RDNA4 ISA, chapter "Data share
// operations".
#include "emulator/handlers/atomics.h"
#include "emulator/handlers/lane_addresses.h"
#include "emulator/handlers/load_store.h"
#include "emulator/handlers/observe_access.h"
#include "emulator/handlers/tables.h"
#include "emulator/handlers/transposed_load.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE void observe_lds(Wavefront& w, const Instruction* in, AccessKind kind,
                               const LaneOffsets& offsets, uint32_t bytes,
                               uint32_t first_register = 0) {
  observe(w, in, MemorySpace::lds, kind, offsets.at, bytes, exec(w), first_register);
}

HEDDLE_INLINE LaneOffsets lds_addresses(const Wavefront& w, const Instruction* in) {
  return lane_offsets(w, in->source[0].index, static_cast<uint32_t>(in->offset));
}

template <Format f>
const Instruction* load(Wavefront& w, const Instruction* in) {
  const LaneOffsets addresses = lds_addresses(w, in);
  const Places p = resolve_lds(w, in, addresses, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  observe_lds(w, in, AccessKind::load, addresses, bytes_of(f));
  w.counters.lds_bytes_read += active_bytes(p.mask, bytes_of(f));
  load_data<f>(w, in->destination, in->flags & flag_destination_high, p);
  return in + 1;
}

template <Format f>
const Instruction* store(Wavefront& w, const Instruction* in) {
  const LaneOffsets addresses = lds_addresses(w, in);
  const Places p = resolve_lds(w, in, addresses, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  observe_lds(w, in, AccessKind::store, addresses, bytes_of(f));
  w.counters.lds_bytes_written += active_bytes(p.mask, bytes_of(f));
  store_data<f>(w, in->source[1], p);
  return in + 1;
}

// ds_read_b64_tr_b16 and similar instructions (CDNA4 ISA, "DS_READ_B64_TR_B16"). Each 16 lanes read
// a tile whose rows have 16 elements; a row is read by several lanes together. Lane n of the 16
// gets column n of the tile. It is assumed that inactive lanes read nothing and get nothing.
template <unsigned element_bits, unsigned words>
const Instruction* load_transposed(Wavefront& w, const Instruction* in) {
  constexpr uint32_t bytes = 4 * words;
  const LaneOffsets addresses = lds_addresses(w, in);
  const Pointers p = pointers_of(resolve_lds(w, in, addresses, bytes, exec(w)));
  if (p.fault) return nullptr;
  observe_lds(w, in, AccessKind::load, addresses, bytes);
  w.counters.lds_bytes_read += active_bytes(p.mask, bytes);
  constexpr unsigned elements = 32 * words / element_bits, lanes_of_row = 16 / elements;
  uint64_t at[lanes];
  __builtin_memcpy(at, &p.at, sizeof at);
  uint32_t loaded[lanes][words] = {};
  for (unsigned l = 0; l < lanes; ++l)
    if (p.mask >> l & 1) __builtin_memcpy(loaded[l], reinterpret_cast<const void*>(at[l]), bytes);
  for (unsigned l = 0; l < lanes; ++l) {
    if (!(p.mask >> l & 1)) continue;
    uint32_t result[words] = {};
    const unsigned column = l % 16;
    for (unsigned row = 0; row < elements; ++row)
      move_element<element_bits>(result, row,
                                 loaded[l - column + row * lanes_of_row + column / elements],
                                 column % elements);
    for (unsigned i = 0; i < words; ++i) w.vgpr[in->destination + i][l] = result[i];
  }
  return in + 1;
}

// ds_load_tr16_b128 and the like of gfx1250 (transposed_from).
template <unsigned element_bits, unsigned words>
const Instruction* load_squares(Wavefront& w, const Instruction* in) {
  constexpr uint32_t bytes = 4 * words;
  const WholeWave whole(w);
  const LaneOffsets addresses = lds_addresses(w, in);
  const Pointers p = pointers_of(resolve_lds(w, in, addresses, bytes, exec(w)));
  if (p.fault) return nullptr;
  observe_lds(w, in, AccessKind::load, addresses, bytes);
  w.counters.lds_bytes_read += active_bytes(p.mask, bytes);
  load_transposed_squares<element_bits, words>(w, nullptr, in->destination, p);
  return in + 1;
}

// ds_load_2addr loads two elements, at the address plus offset0 and plus offset1. In the encoding
// the offsets are in units of an element or of 64 elements. The decoder stores offset0 in `offset`,
// in bytes, and offset1 in `extra`, in elements.
template <Format f>
const Instruction* load_two(Wavefront& w, const Instruction* in) {
  const LaneOffsets first = lds_addresses(w, in);
  const LaneOffsets second =
      lane_offsets(w, in->source[0].index, uint32_t{in->extra} * bytes_of(f));
  const Places p = resolve_lds(w, in, first, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  Places q = resolve_lds(w, in, second, bytes_of(f), exec(w));
  if (q.fault) return nullptr;
  // Loading the first element may overwrite the register that contains the addresses.
  if (in->source[0].index - in->destination < bytes_of(f) / 4) q.offsets.in_register = nullptr;
  observe_lds(w, in, AccessKind::load, first, bytes_of(f));
  observe_lds(w, in, AccessKind::load, second, bytes_of(f), bytes_of(f) / 4);
  w.counters.lds_bytes_read += 2 * active_bytes(p.mask, bytes_of(f));
  load_data<f>(w, in->destination, false, p);
  load_data<f>(w, in->destination + bytes_of(f) / 4, false, q);
  return in + 1;
}

template <Format f>
const Instruction* store_two(Wavefront& w, const Instruction* in) {
  const LaneOffsets first = lds_addresses(w, in);
  const LaneOffsets second =
      lane_offsets(w, in->source[0].index, uint32_t{in->extra} * bytes_of(f));
  const Places p = resolve_lds(w, in, first, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  const Places q = resolve_lds(w, in, second, bytes_of(f), exec(w));
  if (q.fault) return nullptr;
  observe_lds(w, in, AccessKind::store, first, bytes_of(f));
  observe_lds(w, in, AccessKind::store, second, bytes_of(f), bytes_of(f) / 4);
  w.counters.lds_bytes_written += 2 * active_bytes(p.mask, bytes_of(f));
  store_data<f>(w, in->source[1], p);
  store_data<f>(w, in->source[2], q);
  return in + 1;
}

template <Atomic op, class T, bool returns>
const Instruction* atomic(Wavefront& w, const Instruction* in) {
  const LaneOffsets addresses = lds_addresses(w, in);
  const Pointers p = pointers_of(resolve_lds(w, in, addresses, sizeof(T), exec(w)));
  if (p.fault) return nullptr;
  observe_lds(w, in, AccessKind::atomic, addresses, sizeof(T));
  // ds_cmpstore: data0 is the new value, data1 the expected one.
  if (!atomic_lanes<op, T>(w, in, p, in->source[1], &in->source[2], in->destination, returns))
    return nullptr;
  w.counters.lds_bytes_read += active_bytes(p.mask, sizeof(T));
  w.counters.lds_bytes_written += active_bytes(p.mask, sizeof(T));
  return in + 1;
}

// ds_storexchg_2addr: exchanges two elements; their addresses are as in load_two.
template <class T>
const Instruction* swap_two(Wavefront& w, const Instruction* in) {
  const LaneOffsets first = lds_addresses(w, in);
  const LaneOffsets second =
      lane_offsets(w, in->source[0].index, uint32_t{in->extra} * uint32_t{sizeof(T)});
  const Pointers p = pointers_of(resolve_lds(w, in, first, sizeof(T), exec(w)));
  if (p.fault) return nullptr;
  const Pointers q = pointers_of(resolve_lds(w, in, second, sizeof(T), exec(w)));
  if (q.fault) return nullptr;
  observe_lds(w, in, AccessKind::atomic, first, sizeof(T));
  observe_lds(w, in, AccessKind::atomic, second, sizeof(T), sizeof(T) / 4);
  // The results may lie over the data.
  U32 data[sizeof(T) / 4];
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) data[i] = load_register(w, in->source[2].index + i);
  if (!atomic_lanes<Atomic::swap, T>(w, in, p, in->source[1], nullptr, in->destination, true))
    return nullptr;
  Source again;
  again.index = first_spare_register;  // see Wavefront::vgpr
  for (unsigned i = 0; i < sizeof(T) / 4; ++i)
    store_register(w, first_spare_register + i, data[i], ~0u);
  if (!atomic_lanes<Atomic::swap, T>(w, in, q, again, nullptr, in->destination + sizeof(T) / 4,
                                     true))
    return nullptr;
  w.counters.lds_bytes_read += 2 * active_bytes(p.mask, sizeof(T));
  w.counters.lds_bytes_written += 2 * active_bytes(p.mask, sizeof(T));
  return in + 1;
}

// The LDS address of an instruction whose address does not come from a vector register: M0 plus the
// offset. It is the same for all lanes, or the lane's number is added to it.
HEDDLE_INLINE uint32_t lds_base(const Wavefront& w, const Instruction* in) {
  return (w.scalar[register_m0] & 0xffffu) + static_cast<uint32_t>(in->offset);
}

// ds_append and ds_consume add the number of active lanes to a counter in LDS, or subtract it. All
// active lanes get the counter's old value.
template <bool consume, int wave>
const Instruction* count_lanes(Wavefront& w, const Instruction* in) {
  const uint64_t active =
      exec(w) | (wave == 64 ? uint64_t{w.scalar[register_exec + 1]} << 32 : uint64_t{0});
  if (active == 0) return in + 1;
  // The access is reported as one lane's: the first active lane's, minus 32 if that is above 31.
  const uint32_t lane = 1u << (__builtin_ctzll(active) & 31);
  const Places p = resolve_lds(w, in, {U32(lds_base(w, in))}, 4, lane);
  if (p.fault) return nullptr;
  observe(w, in, MemorySpace::lds, AccessKind::atomic, U32(lds_base(w, in)), 4, lane);
  auto* place = w.lds + lds_base(w, in);
  uint32_t old;
  __builtin_memcpy(&old, place, 4);
  const auto lanes_on = static_cast<uint32_t>(__builtin_popcountll(active));
  const uint32_t next = consume ? old - lanes_on : old + lanes_on;
  __builtin_memcpy(place, &next, 4);
  w.counters.lds_bytes_read += 4;
  w.counters.lds_bytes_written += 4;
  store_register(w, in->destination, U32(old), exec(w));
  if constexpr (wave == 64)
    store_register(*w.upper, in->destination, U32(old), w.scalar[register_exec + 1]);
  return in + 1;
}

HEDDLE_INLINE LaneOffsets addresses_by_lane(const Wavefront& w, const Instruction* in) {
  LaneOffsets addresses{};
  for (int l = 0; l < lanes; ++l)
    addresses.at[l] = lds_base(w, in) + 4 * (w.first_lane + static_cast<uint32_t>(l));
  return addresses;
}
const Instruction* load_by_lane(Wavefront& w, const Instruction* in) {
  const LaneOffsets addresses = addresses_by_lane(w, in);
  const Places p = resolve_lds(w, in, addresses, 4, exec(w));
  if (p.fault) return nullptr;
  observe_lds(w, in, AccessKind::load, addresses, 4);
  w.counters.lds_bytes_read += active_bytes(p.mask, 4);
  load_data<Format::b32>(w, in->destination, false, p);
  return in + 1;
}
const Instruction* store_by_lane(Wavefront& w, const Instruction* in) {
  const LaneOffsets addresses = addresses_by_lane(w, in);
  const Places p = resolve_lds(w, in, addresses, 4, exec(w));
  if (p.fault) return nullptr;
  observe_lds(w, in, AccessKind::store, addresses, 4);
  w.counters.lds_bytes_written += active_bytes(p.mask, 4);
  store_data<Format::b32>(w, in->source[1], p);
  return in + 1;
}

// --- the crossbar ----------------------------------------------------------------------------

// ds_bpermute: lane l gets the value of lane (address / 4) % 32. An inactive lane is read as zero.
template <bool fetch_inactive>
const Instruction* read_any_lane(Wavefront& w, const Instruction* in) {
  const U32 addresses = lds_addresses(w, in).at;
  const U32 data = load_register(w, in->source[1].index);
  uint32_t result[lanes];
  for (int l = 0; l < lanes; ++l) {
    const uint32_t from = addresses[l] / 4 % 32;
    result[l] = fetch_inactive || (exec(w) >> from & 1) ? data[from] : 0;
  }
  U32 values;
  __builtin_memcpy(&values, result, sizeof values);
  store_register(w, in->destination, values, exec(w));
  return in + 1;
}

// ds_permute: lane l sends its value to lane (address / 4) % 32. If several lanes send to one lane,
// it gets the value of the sender with the highest number; if none does, it gets zero.
const Instruction* send_to_lane(Wavefront& w, const Instruction* in) {
  const U32 addresses = lds_addresses(w, in).at;
  const U32 data = load_register(w, in->source[1].index);
  uint32_t result[lanes] = {};
  for (int l = 0; l < lanes; ++l)
    if (exec(w) >> l & 1) result[addresses[l] / 4 % 32] = data[l];
  U32 values;
  __builtin_memcpy(&values, result, sizeof values);
  store_register(w, in->destination, values, exec(w));
  return in + 1;
}

// ds_swizzle: each lane reads another lane, which the pattern, the 16-bit offset, determines (RDNA3
// ISA, DS_SWIZZLE_B32).
// - Bit 15 set: bits 7..0 say which lane of its four each lane reads (a quad permutation).
// - Bit 15 clear: the lane's number within 32 is and-ed with bits 4..0, or-ed with bits 9..5, and
// xor-ed with bits 14..10.
// - RDNA also has the patterns from 0xc000 (rotate) and from 0xe000 (fft).
const Instruction* swizzle(Wavefront& w, const Instruction* in) {
  const uint32_t pattern = static_cast<uint32_t>(in->offset) & 0xffffu;
  const U32 data = load_register(w, in->source[0].index);
  uint32_t result[lanes];
  for (uint32_t l = 0; l < lanes; ++l) {
    uint32_t from;
    if (pattern >= 0xe000u) return raise(w, in, FaultKind::unsupported);
    if (pattern >= 0xc000u) {
      const uint32_t amount = pattern >> 5 & 31u, fixed = pattern & 31u;
      const uint32_t turned = pattern >> 10 & 1u ? l - amount : l + amount;
      from = (l & fixed) | (turned & 31u & ~fixed);
    } else if (pattern & 0x8000u) {
      from = (l & ~3u) | (pattern >> (2 * (l & 3u)) & 3u);
    } else {
      from = ((l & (pattern & 31u)) | (pattern >> 5 & 31u)) ^ (pattern >> 10 & 31u);
    }
    result[l] = exec(w) >> from & 1 ? data[from] : 0;
  }
  U32 values;
  __builtin_memcpy(&values, result, sizeof values);
  store_register(w, in->destination, values, exec(w));
  return in + 1;
}

const Instruction* nothing(Wavefront&, const Instruction* in) { return in + 1; }

// --- the table -------------------------------------------------------------------------------

constexpr Row row(const char* name, Form form, Handler handler, uint16_t extra = 0) {
  Row row{};
  copy_name(row.name, name);
  row.form = form;
  row.plain = handler;
  row.extra = extra;
  return row;
}

struct Table {
  Row rows[240];
  unsigned count = 0;

  constexpr void add(Row row) { rows[count++] = row; }

  template <Atomic op, class T>
  constexpr void add_atomic(const char* plain, const char* returning) {
    add(row(plain, Form::lds_atomic, &atomic<op, T, false>));
    describe<op, T>(rows[count - 1]);
    add_returning<op, T>(returning);
  }
  template <Atomic op, class T>
  constexpr void add_returning(const char* name) {
    add(row(name, Form::lds_atomic_return, &atomic<op, T, true>));
    describe<op, T>(rows[count - 1]);
  }

  template <Format f>
  constexpr void add_load(const char* name) {
    add(row(name, Form::lds_load, &load<f>));
    rows[count - 1].half = half_of(f);
    rows[count - 1].extends_sign = is_signed(f);
  }
  template <Format f>
  constexpr void add_store(const char* name) {
    add(row(name, Form::lds_store, &store<f>));
    rows[count - 1].half = half_of(f);
  }

  constexpr void add_loads() {
    add_load<Format::u8>("ds_load_u8");
    add_load<Format::i8>("ds_load_i8");
    add_load<Format::u16>("ds_load_u16");
    add_load<Format::i16>("ds_load_i16");
    add_load<Format::b32>("ds_load_b32");
    add_load<Format::b64>("ds_load_b64");
    add_load<Format::b96>("ds_load_b96");
    add_load<Format::b128>("ds_load_b128");
    add_load<Format::d16_u8>("ds_load_u8_d16");
    add_load<Format::d16_i8>("ds_load_i8_d16");
    add_load<Format::d16_b16>("ds_load_u16_d16");
    add_load<Format::d16_hi_u8>("ds_load_u8_d16_hi");
    add_load<Format::d16_hi_i8>("ds_load_i8_d16_hi");
    add_load<Format::d16_hi_b16>("ds_load_u16_d16_hi");
    add(only_for(isa::gfx950, 0,
                 row("ds_read_b64_tr_b16", Form::lds_load, &load_transposed<16, 2>)));
    add(only_for(isa::gfx950, 0, row("ds_read_b64_tr_b8", Form::lds_load, &load_transposed<8, 2>)));
    add(only_for(isa::gfx950, 0, row("ds_read_b64_tr_b4", Form::lds_load, &load_transposed<4, 2>)));
    add(only_for(isa::gfx950, 0, row("ds_read_b96_tr_b6", Form::lds_load, &load_transposed<6, 3>)));
    add(of_whole_wave(only_for(isa::gfx1250, 32,
                               row("ds_load_tr16_b128", Form::lds_load, &load_squares<16, 4>))));
    add(of_whole_wave(
        only_for(isa::gfx1250, 32, row("ds_load_tr8_b64", Form::lds_load, &load_squares<8, 2>))));
    add(of_whole_wave(
        only_for(isa::gfx1250, 32, row("ds_load_tr4_b64", Form::lds_load, &load_squares<4, 2>))));
    add(of_whole_wave(
        only_for(isa::gfx1250, 32, row("ds_load_tr6_b96", Form::lds_load, &load_squares<6, 3>))));
    // The last argument is Row::extra: the unit of offset0 and offset1, in bytes.
    add(row("ds_load_2addr_b32", Form::lds_load, &load_two<Format::b32>, 4));
    add(row("ds_load_2addr_b64", Form::lds_load, &load_two<Format::b64>, 8));
    add(row("ds_load_2addr_stride64_b32", Form::lds_load, &load_two<Format::b32>, 256));
    add(row("ds_load_2addr_stride64_b64", Form::lds_load, &load_two<Format::b64>, 512));
  }

  constexpr void add_stores() {
    add_store<Format::b8>("ds_store_b8");
    add_store<Format::b16>("ds_store_b16");
    add_store<Format::b32>("ds_store_b32");
    add_store<Format::b64>("ds_store_b64");
    add_store<Format::b96>("ds_store_b96");
    add_store<Format::b128>("ds_store_b128");
    add_store<Format::d16_hi_u8>("ds_store_b8_d16_hi");
    add_store<Format::d16_hi_b16>("ds_store_b16_d16_hi");
    add(row("ds_store_2addr_b32", Form::lds_store, &store_two<Format::b32>, 4));
    add(row("ds_store_2addr_b64", Form::lds_store, &store_two<Format::b64>, 8));
    add(row("ds_store_2addr_stride64_b32", Form::lds_store, &store_two<Format::b32>, 256));
    add(row("ds_store_2addr_stride64_b64", Form::lds_store, &store_two<Format::b64>, 512));
  }

  constexpr void add_atomics() {
    add(acting(Role::barrier_arrive, row("ds_atomic_barrier_arrive_b64", Form::lds_atomic,
                                         &atomic<Atomic::arrive, uint64_t, false>)));
    add(acting(Role::barrier_arrive,
               row("ds_atomic_barrier_arrive_rtn_b64", Form::lds_atomic_return,
                   &atomic<Atomic::arrive, uint64_t, true>)));
    // In the emulator, copies end when they begin, so this arrival need not wait for them.
    add(acting(Role::barrier_arrive_after_copies,
               row("ds_atomic_async_barrier_arrive_b64", Form::lds_atomic,
                   &atomic<Atomic::arrive_once, uint64_t, false>)));
    add_atomic<Atomic::add, uint32_t>("ds_add_u32", "ds_add_rtn_u32");
    add_atomic<Atomic::sub, uint32_t>("ds_sub_u32", "ds_sub_rtn_u32");
    add_atomic<Atomic::inc, uint32_t>("ds_inc_u32", "ds_inc_rtn_u32");
    add_atomic<Atomic::dec, uint32_t>("ds_dec_u32", "ds_dec_rtn_u32");
    add_atomic<Atomic::min_i, uint32_t>("ds_min_i32", "ds_min_rtn_i32");
    add_atomic<Atomic::max_i, uint32_t>("ds_max_i32", "ds_max_rtn_i32");
    add_atomic<Atomic::min_u, uint32_t>("ds_min_u32", "ds_min_rtn_u32");
    add_atomic<Atomic::max_u, uint32_t>("ds_max_u32", "ds_max_rtn_u32");
    add_atomic<Atomic::and_, uint32_t>("ds_and_b32", "ds_and_rtn_b32");
    add_atomic<Atomic::or_, uint32_t>("ds_or_b32", "ds_or_rtn_b32");
    add_atomic<Atomic::xor_, uint32_t>("ds_xor_b32", "ds_xor_rtn_b32");
    add_atomic<Atomic::add_f, uint32_t>("ds_add_f32", "ds_add_rtn_f32");
    add_atomic<Atomic::min_f, uint32_t>("ds_min_f32", "ds_min_rtn_f32");
    add_atomic<Atomic::max_f, uint32_t>("ds_max_f32", "ds_max_rtn_f32");
    add_atomic<Atomic::min_f, uint32_t>("ds_min_num_f32", "ds_min_num_rtn_f32");
    add_atomic<Atomic::max_f, uint32_t>("ds_max_num_f32", "ds_max_num_rtn_f32");
    add_atomic<Atomic::compare_swap, uint32_t>("ds_cmpstore_b32", "ds_cmpstore_rtn_b32");
    add_atomic<Atomic::add, uint64_t>("ds_add_u64", "ds_add_rtn_u64");
    add_atomic<Atomic::min_i, uint64_t>("ds_min_i64", "ds_min_rtn_i64");
    add_atomic<Atomic::max_i, uint64_t>("ds_max_i64", "ds_max_rtn_i64");
    add_atomic<Atomic::min_u, uint64_t>("ds_min_u64", "ds_min_rtn_u64");
    add_atomic<Atomic::max_u, uint64_t>("ds_max_u64", "ds_max_rtn_u64");
    add_atomic<Atomic::compare_swap, uint64_t>("ds_cmpstore_b64", "ds_cmpstore_rtn_b64");
    add_atomic<Atomic::reverse_sub, uint32_t>("ds_rsub_u32", "ds_rsub_rtn_u32");
    add_atomic<Atomic::mask_or, uint32_t>("ds_mskor_b32", "ds_mskor_rtn_b32");
    add_atomic<Atomic::compare_swap_f, uint32_t>("ds_cmpstore_f32", "ds_cmpstore_rtn_f32");
    add_atomic<Atomic::sub_clamp, uint32_t>("ds_sub_clamp_u32", "ds_sub_clamp_rtn_u32");
    add_atomic<Atomic::cond_sub, uint32_t>("ds_cond_sub_u32", "ds_cond_sub_rtn_u32");
    add_atomic<Atomic::pk_add_f16, uint32_t>("ds_pk_add_f16", "ds_pk_add_rtn_f16");
    add_atomic<Atomic::pk_add_bf16, uint32_t>("ds_pk_add_bf16", "ds_pk_add_rtn_bf16");
    add_atomic<Atomic::sub, uint64_t>("ds_sub_u64", "ds_sub_rtn_u64");
    add_atomic<Atomic::reverse_sub, uint64_t>("ds_rsub_u64", "ds_rsub_rtn_u64");
    add_atomic<Atomic::inc, uint64_t>("ds_inc_u64", "ds_inc_rtn_u64");
    add_atomic<Atomic::dec, uint64_t>("ds_dec_u64", "ds_dec_rtn_u64");
    add_atomic<Atomic::and_, uint64_t>("ds_and_b64", "ds_and_rtn_b64");
    add_atomic<Atomic::or_, uint64_t>("ds_or_b64", "ds_or_rtn_b64");
    add_atomic<Atomic::xor_, uint64_t>("ds_xor_b64", "ds_xor_rtn_b64");
    add_atomic<Atomic::mask_or, uint64_t>("ds_mskor_b64", "ds_mskor_rtn_b64");
    add_atomic<Atomic::compare_swap_f, uint64_t>("ds_cmpstore_f64", "ds_cmpstore_rtn_f64");
    add_atomic<Atomic::min_f, uint64_t>("ds_min_f64", "ds_min_rtn_f64");
    add_atomic<Atomic::max_f, uint64_t>("ds_max_f64", "ds_max_rtn_f64");
    add_atomic<Atomic::min_f, uint64_t>("ds_min_num_f64", "ds_min_num_rtn_f64");
    add_atomic<Atomic::max_f, uint64_t>("ds_max_num_f64", "ds_max_num_rtn_f64");
    // CDNA's names, with the operands in the other order.
    add_atomic<Atomic::compare_swap_other, uint32_t>("ds_cmpst_b32", "ds_cmpst_rtn_b32");
    add_atomic<Atomic::compare_swap_other, uint64_t>("ds_cmpst_b64", "ds_cmpst_rtn_b64");
    add_atomic<Atomic::compare_swap_other_f, uint32_t>("ds_cmpst_f32", "ds_cmpst_rtn_f32");
    add_atomic<Atomic::compare_swap_other_f, uint64_t>("ds_cmpst_f64", "ds_cmpst_rtn_f64");
    add_atomic<Atomic::add_f, uint64_t>("ds_add_f64", "ds_add_rtn_f64");
    add_returning<Atomic::wrap, uint32_t>("ds_wrap_rtn_b32");
    add_returning<Atomic::cond_swap_words, uint64_t>("ds_condxchg32_rtn_b64");
    add(row("ds_storexchg_2addr_rtn_b32", Form::lds_atomic_return, &swap_two<uint32_t>, 4));
    add(row("ds_storexchg_2addr_rtn_b64", Form::lds_atomic_return, &swap_two<uint64_t>, 8));
    add(row("ds_storexchg_2addr_stride64_rtn_b32", Form::lds_atomic_return, &swap_two<uint32_t>,
            256));
    add(row("ds_storexchg_2addr_stride64_rtn_b64", Form::lds_atomic_return, &swap_two<uint64_t>,
            512));
    add(only_for({}, 32, row("ds_append", Form::lds_counter, &count_lanes<false, 32>)));
    add(only_for({}, 32, row("ds_consume", Form::lds_counter, &count_lanes<true, 32>)));
    add(only_for({}, 64, row("ds_append", Form::lds_counter, &count_lanes<false, 64>)));
    add(only_for({}, 64, row("ds_consume", Form::lds_counter, &count_lanes<true, 64>)));
    add(having(trait_addresses_by_m0, row("ds_load_addtid_b32", Form::lds_counter, &load_by_lane)));
    add(having(trait_addresses_by_m0,
               row("ds_store_addtid_b32", Form::lds_lane_store, &store_by_lane)));
    add_returning<Atomic::swap, uint32_t>("ds_storexchg_rtn_b32");
    add_returning<Atomic::swap, uint64_t>("ds_storexchg_rtn_b64");
  }

  constexpr Table() : rows{} {
    add_loads();
    add_stores();
    add_atomics();
    add(acting(Role::exchange,
               row("ds_bpermute_b32", Form::lds_atomic_return, &read_any_lane<false>)));
    add(acting(Role::exchange,
               row("ds_bpermute_fi_b32", Form::lds_atomic_return, &read_any_lane<true>)));
    // For waves of 64 on gfx12, the documents do not say which lanes ds_permute reaches: there is
    // no row.
    add(only_for(
        isa::gfx11, 0,
        acting(Role::exchange, row("ds_permute_b32", Form::lds_atomic_return, &send_to_lane))));
    add(only_for(
        isa::gfx12, 32,
        acting(Role::exchange, row("ds_permute_b32", Form::lds_atomic_return, &send_to_lane))));
    add(acting(Role::exchange, row("ds_swizzle_b32", Form::lds_load, &swizzle)));
    add(row("ds_nop", Form::ignored, &nothing));
  }
};

constexpr Table table;

}  // namespace

Rows lds_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
