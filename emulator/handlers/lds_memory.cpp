// ds_ instructions: LDS loads, stores and atomics, and the crossbar that moves lanes.
// Meanings: RDNA3 and RDNA4 ISA, chapter "Data share operations".
#include "emulator/handlers/memory_access.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE void observe(Wavefront& w, const Instruction* in, U32 addresses, int bytes) {
  if (!w.observe_lds) [[likely]]
    return;
  uint32_t each[lanes];
  __builtin_memcpy(each, &addresses, sizeof each);
  w.observe_lds(w, in, each, exec(w), bytes);
}

HEDDLE_INLINE U32 lds_addresses(const Wavefront& w, const Instruction* in) {
  return load_register(w, in->source[0].index) + U32(static_cast<uint32_t>(in->offset));
}

template <Format f>
const Instruction* load(Wavefront& w, const Instruction* in) {
  const U32 addresses = lds_addresses(w, in);
  const Pointers p = resolve_lds(w, in, addresses, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  observe(w, in, addresses, bytes_of(f));
  w.counters.lds_bytes_read += active_bytes(p.mask, bytes_of(f));
  load_data<f>(w, in->destination, in->flags & flag_destination_high, p);
  return in + 1;
}

template <Format f>
const Instruction* store(Wavefront& w, const Instruction* in) {
  const U32 addresses = lds_addresses(w, in);
  const Pointers p = resolve_lds(w, in, addresses, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  observe(w, in, addresses, bytes_of(f));
  w.counters.lds_bytes_written += active_bytes(p.mask, bytes_of(f));
  store_data<f>(w, in->source[1], p);
  return in + 1;
}

// ds_load_2addr: two elements at offset0 and offset1, in units of the element or of 64 of them.
// The decoder leaves offset0 in `offset`, in bytes, and offset1 in `extra`, in elements.
template <Format f>
const Instruction* load_two(Wavefront& w, const Instruction* in) {
  const U32 base = load_register(w, in->source[0].index);
  const U32 first = base + U32(static_cast<uint32_t>(in->offset));
  const U32 second = base + U32(uint32_t{in->extra} * bytes_of(f));
  const Pointers p = resolve_lds(w, in, first, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  const Pointers q = resolve_lds(w, in, second, bytes_of(f), exec(w));
  if (q.fault) return nullptr;
  observe(w, in, first, bytes_of(f));
  observe(w, in, second, bytes_of(f));
  w.counters.lds_bytes_read += 2 * active_bytes(p.mask, bytes_of(f));
  load_data<f>(w, in->destination, false, p);
  load_data<f>(w, in->destination + bytes_of(f) / 4, false, q);
  return in + 1;
}

template <Format f>
const Instruction* store_two(Wavefront& w, const Instruction* in) {
  const U32 base = load_register(w, in->source[0].index);
  const U32 first = base + U32(static_cast<uint32_t>(in->offset));
  const U32 second = base + U32(uint32_t{in->extra} * bytes_of(f));
  const Pointers p = resolve_lds(w, in, first, bytes_of(f), exec(w));
  if (p.fault) return nullptr;
  const Pointers q = resolve_lds(w, in, second, bytes_of(f), exec(w));
  if (q.fault) return nullptr;
  observe(w, in, first, bytes_of(f));
  observe(w, in, second, bytes_of(f));
  w.counters.lds_bytes_written += 2 * active_bytes(p.mask, bytes_of(f));
  store_data<f>(w, in->source[1], p);
  store_data<f>(w, in->source[2], q);
  return in + 1;
}

template <Atomic op, class T, bool returns>
const Instruction* atomic(Wavefront& w, const Instruction* in) {
  const U32 addresses = lds_addresses(w, in);
  const Pointers p = resolve_lds(w, in, addresses, sizeof(T), exec(w));
  if (p.fault) return nullptr;
  observe(w, in, addresses, sizeof(T));
  // ds_cmpstore: data0 is the new value, data1 the expected one.
  if (!atomic_lanes<op, T>(w, in, p, in->source[1], &in->source[2], in->destination, returns))
    return nullptr;
  w.counters.lds_bytes_read += active_bytes(p.mask, sizeof(T));
  w.counters.lds_bytes_written += active_bytes(p.mask, sizeof(T));
  return in + 1;
}

// --- the crossbar ----------------------------------------------------------------------------

// ds_bpermute: lane l reads lane (address / 4) % 32; a lane that is off reads as zero.
template <bool fetch_inactive>
const Instruction* read_any_lane(Wavefront& w, const Instruction* in) {
  const U32 addresses = lds_addresses(w, in);
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

// ds_permute: lane l sends to lane (address / 4) % 32; the highest sender wins, nobody sends zero.
const Instruction* send_to_lane(Wavefront& w, const Instruction* in) {
  const U32 addresses = lds_addresses(w, in);
  const U32 data = load_register(w, in->source[1].index);
  uint32_t result[lanes] = {};
  for (int l = 0; l < lanes; ++l)
    if (exec(w) >> l & 1) result[addresses[l] / 4 % 32] = data[l];
  U32 values;
  __builtin_memcpy(&values, result, sizeof values);
  store_register(w, in->destination, values, exec(w));
  return in + 1;
}

// ds_swizzle: the pattern is the 16-bit offset. Bit 15: quad permutation in bits 7..0; else masks
// and (4..0), or (9..5), xor (14..10) on the lane number within 32 (RDNA3 ISA, DS_SWIZZLE_B32).
// Patterns 0xc000 and 0xe000 (rotate, fft) of RDNA.
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
  Row rows[160];
  unsigned count = 0;

  constexpr void add(Row row) { rows[count++] = row; }

  template <Atomic op, class T>
  constexpr void add_atomic(const char* plain, const char* returning) {
    add(row(plain, Form::lds_atomic, &atomic<op, T, false>));
    add(row(returning, Form::lds_atomic_return, &atomic<op, T, true>));
  }

  constexpr void add_loads() {
    add(row("ds_load_u8", Form::lds_load, &load<Format::u8>));
    add(row("ds_load_i8", Form::lds_load, &load<Format::i8>));
    add(row("ds_load_u16", Form::lds_load, &load<Format::u16>));
    add(row("ds_load_i16", Form::lds_load, &load<Format::i16>));
    add(row("ds_load_b32", Form::lds_load, &load<Format::b32>));
    add(row("ds_load_b64", Form::lds_load, &load<Format::b64>));
    add(row("ds_load_b96", Form::lds_load, &load<Format::b96>));
    add(row("ds_load_b128", Form::lds_load, &load<Format::b128>));
    add(row("ds_load_u8_d16", Form::lds_load, &load<Format::d16_u8>));
    add(row("ds_load_i8_d16", Form::lds_load, &load<Format::d16_i8>));
    add(row("ds_load_u16_d16", Form::lds_load, &load<Format::d16_b16>));
    add(row("ds_load_u8_d16_hi", Form::lds_load, &load<Format::d16_hi_u8>));
    add(row("ds_load_i8_d16_hi", Form::lds_load, &load<Format::d16_hi_i8>));
    add(row("ds_load_u16_d16_hi", Form::lds_load, &load<Format::d16_hi_b16>));
    // extra: bytes of the unit of offset0 and offset1.
    add(row("ds_load_2addr_b32", Form::lds_load, &load_two<Format::b32>, 4));
    add(row("ds_load_2addr_b64", Form::lds_load, &load_two<Format::b64>, 8));
    add(row("ds_load_2addr_stride64_b32", Form::lds_load, &load_two<Format::b32>, 256));
    add(row("ds_load_2addr_stride64_b64", Form::lds_load, &load_two<Format::b64>, 512));
  }

  constexpr void add_stores() {
    add(row("ds_store_b8", Form::lds_store, &store<Format::b8>));
    add(row("ds_store_b16", Form::lds_store, &store<Format::b16>));
    add(row("ds_store_b32", Form::lds_store, &store<Format::b32>));
    add(row("ds_store_b64", Form::lds_store, &store<Format::b64>));
    add(row("ds_store_b96", Form::lds_store, &store<Format::b96>));
    add(row("ds_store_b128", Form::lds_store, &store<Format::b128>));
    add(row("ds_store_b8_d16_hi", Form::lds_store, &store<Format::d16_hi_u8>));
    add(row("ds_store_b16_d16_hi", Form::lds_store, &store<Format::d16_hi_b16>));
    add(row("ds_store_2addr_b32", Form::lds_store, &store_two<Format::b32>, 4));
    add(row("ds_store_2addr_b64", Form::lds_store, &store_two<Format::b64>, 8));
    add(row("ds_store_2addr_stride64_b32", Form::lds_store, &store_two<Format::b32>, 256));
    add(row("ds_store_2addr_stride64_b64", Form::lds_store, &store_two<Format::b64>, 512));
  }

  constexpr void add_atomics() {
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
    add(row("ds_storexchg_rtn_b32", Form::lds_atomic_return,
            &atomic<Atomic::swap, uint32_t, true>));
    add(row("ds_storexchg_rtn_b64", Form::lds_atomic_return,
            &atomic<Atomic::swap, uint64_t, true>));
  }

  constexpr Table() : rows{} {
    add_loads();
    add_stores();
    add_atomics();
    add(row("ds_bpermute_b32", Form::lds_atomic_return, &read_any_lane<false>));
    add(row("ds_bpermute_fi_b32", Form::lds_atomic_return, &read_any_lane<true>));
    add(row("ds_permute_b32", Form::lds_atomic_return, &send_to_lane));
    add(row("ds_swizzle_b32", Form::lds_load, &swizzle));
    add(row("ds_nop", Form::ignored, &nothing));
  }
};

constexpr Table table;

}  // namespace

Rows lds_rows() { return {table.rows, table.count}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
