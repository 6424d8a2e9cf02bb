// Scalar instructions: arithmetic, comparisons, branches, EXEC, barriers, scalar loads.
// Meanings: RDNA3 and RDNA4 ISA, chapters "Scalar ALU" and "Program flow control".
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/memory_access.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

template <class T>
HEDDLE_INLINE T read_as(const Wavefront& w, const Source& s) {
  if constexpr (sizeof(T) == 8)
    return __builtin_bit_cast(T, read_scalar64(w, s));
  else
    return __builtin_bit_cast(T, read_scalar(w, s));
}

template <class T>
HEDDLE_INLINE void write_as(Wavefront& w, unsigned index, T value) {
  if constexpr (sizeof(T) == 8)
    write_scalar64(w, index, __builtin_bit_cast(uint64_t, value));
  else
    w.scalar[index] = __builtin_bit_cast(uint32_t, value);
}

HEDDLE_INLINE bool scc(const Wavefront& w) { return w.scalar[register_scc] != 0; }
HEDDLE_INLINE void set_scc(Wavefront& w, bool value) { w.scalar[register_scc] = value; }

// A result and what SCC becomes.
template <class T>
struct Flagged {
  T value;
  bool flag;
};
template <class R>
constexpr bool is_flagged = false;
template <class T>
constexpr bool is_flagged<Flagged<T>> = true;

template <class T>
HEDDLE_INLINE Flagged<T> nonzero(T value) {
  return {value, value != 0};
}

template <auto op>
struct ScalarHandler {
  template <class... A, std::size_t... i>
  HEDDLE_INLINE static auto call(const Wavefront& w, const Instruction* in, Types<A...>,
                                 std::index_sequence<i...>) {
    return op(read_as<A>(w, in->source[i])...);
  }
  static const Instruction* execute(Wavefront& w, const Instruction* in) {
    using S = SignatureOf<op>;
    using R = typename S::Result;
    const R result =
        call(w, in, typename S::template Arguments<Types>{}, std::make_index_sequence<S::arity>{});
    if constexpr (is_flagged<R>) {
      write_as(w, in->destination, result.value);
      set_scc(w, result.flag);
    } else if constexpr (__is_same(R, bool)) {
      set_scc(w, result);
    } else {
      write_as(w, in->destination, result);
    }
    return in + 1;
  }
};

template <class R>
struct ResultType {
  static constexpr Type type = type_of<R>;
};
template <class T>
struct ResultType<Flagged<T>> {
  static constexpr Type type = type_of<T>;
};

// A scalar instruction from its meaning: a lambda from words to a word, a word and SCC, or SCC.
template <auto op>
constexpr Row scalar(const char* name, Form form = Form::scalar) {
  using S = SignatureOf<op>;
  Row row{};
  copy_name(row.name, name);
  row.form = __is_same(typename S::Result, bool) ? Form::scalar_compare : form;
  row.destination = ResultType<typename S::Result>::type;
  fill_sources(row, typename S::template Arguments<Types>{});
  row.plain = &ScalarHandler<op>::execute;
  return row;
}

constexpr Row row(const char* name, Form form, Handler handler, uint16_t extra = 0,
                  Type destination = Type::none, Type source = Type::none) {
  Row row{};
  copy_name(row.name, name);
  row.form = form;
  row.plain = handler;
  row.extra = extra;
  row.destination = destination;
  row.sources[0] = source;
  return row;
}

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

HEDDLE_INLINE Flagged<u32> add_unsigned(u32 a, u32 b) {
  const u32 sum = a + b;
  return {sum, sum < a};
}
HEDDLE_INLINE Flagged<u32> subtract_unsigned(u32 a, u32 b) { return {a - b, a < b}; }
HEDDLE_INLINE Flagged<i32> add_signed(i32 a, i32 b) {
  i32 sum;
  const bool overflow = __builtin_add_overflow(a, b, &sum);
  return {sum, overflow};
}
HEDDLE_INLINE Flagged<i32> subtract_signed(i32 a, i32 b) {
  i32 difference;
  const bool overflow = __builtin_sub_overflow(a, b, &difference);
  return {difference, overflow};
}

// Field extraction: the second operand holds the offset in bits 5..0 (4..0) and the width in
// bits 22..16.
template <class T>
HEDDLE_INLINE Flagged<T> extract_field(T a, u32 control) {
  constexpr unsigned bits = sizeof(T) * 8;
  const unsigned offset = control & (bits - 1), width = control >> 16 & 0x7fu;
  if (width == 0) return {0, false};
  T field = a >> offset;
  if (width < bits) {
    // Left then right so that the signed type extends its sign.
    using U = __typeof__(sizeof(T) == 8 ? u64{} : u64{});
    const U moved = static_cast<U>(field) << (64 - width);
    field = static_cast<T>(static_cast<T>(-1) < 0
                               ? static_cast<U>(static_cast<i64>(moved) >> (64 - width))
                               : moved >> (64 - width));
  }
  return nonzero(field);
}

template <class T>
HEDDLE_INLINE int count_leading_zeros(T x) {
  if (x == 0) return -1;
  return sizeof(T) == 8 ? __builtin_clzll(x) : __builtin_clz(static_cast<u32>(x));
}
template <class T>
HEDDLE_INLINE int count_trailing_zeros(T x) {
  if (x == 0) return -1;
  return sizeof(T) == 8 ? __builtin_ctzll(x) : __builtin_ctz(static_cast<u32>(x));
}
HEDDLE_INLINE u32 reverse_bits(u32 x) { return __builtin_bitreverse32(x); }

// The shift-and-add family: SCC is the carry out of 32 bits.
template <unsigned shift>
constexpr auto shift_add = [](u32 a, u32 b) {
  const u64 sum = (u64{a} << shift) + b;
  return Flagged<u32>{static_cast<u32>(sum), sum >> 32 != 0};
};

// f32 scalar instructions of RDNA3.5 and RDNA4.
HEDDLE_INLINE float minimum_number(float a, float b) { return __builtin_fminf(a, b); }
HEDDLE_INLINE float maximum_number(float a, float b) { return __builtin_fmaxf(a, b); }
HEDDLE_INLINE i32 saturate_i32(float x) {
  if (__builtin_isnan(x)) return 0;
  if (x >= 2147483648.0f) return 0x7fffffff;
  if (x < -2147483648.0f) return static_cast<i32>(0x80000000u);
  return static_cast<i32>(x);
}
HEDDLE_INLINE u32 saturate_u32(float x) {
  if (!(x > 0)) return 0;
  if (x >= 4294967296.0f) return 0xffffffffu;
  return static_cast<u32>(x);
}

// --- what needs more than its operands -------------------------------------------------------

// Moves EXEC to the destination and combines it with the source: s_and_saveexec and its family.
template <auto combine>
const Instruction* save_exec(Wavefront& w, const Instruction* in) {
  const u32 source = read_scalar(w, in->source[0]), old = exec(w);
  const u32 result = combine(source, old);
  w.scalar[in->destination] = old;
  w.scalar[register_exec] = result;
  set_scc(w, result != 0);
  return in + 1;
}

// The same, but the destination gets the new EXEC.
template <auto combine>
const Instruction* write_exec(Wavefront& w, const Instruction* in) {
  const u32 result = combine(read_scalar(w, in->source[0]), exec(w));
  w.scalar[register_exec] = result;
  w.scalar[in->destination] = result;
  set_scc(w, result != 0);
  return in + 1;
}

template <auto combine, Handler handler>
constexpr Row exec_row(const char* name) {
  return row(name, Form::scalar, handler, 0, Type::scalar32, Type::scalar32);
}

template <auto combine>
constexpr Row saving(const char* name) {
  return exec_row<combine, &save_exec<combine>>(name);
}
template <auto combine>
constexpr Row writing(const char* name) {
  return exec_row<combine, &write_exec<combine>>(name);
}

template <bool wide>
const Instruction* select_by_scc(Wavefront& w, const Instruction* in) {
  const Source& s = in->source[scc(w) ? 0 : 1];
  if constexpr (wide)
    write_scalar64(w, in->destination, read_scalar64(w, s));
  else
    w.scalar[in->destination] = read_scalar(w, s);
  return in + 1;
}

template <bool wide>
const Instruction* move_if_scc(Wavefront& w, const Instruction* in) {
  if (!scc(w)) return in + 1;
  if constexpr (wide)
    write_scalar64(w, in->destination, read_scalar64(w, in->source[0]));
  else
    w.scalar[in->destination] = read_scalar(w, in->source[0]);
  return in + 1;
}

const Instruction* add_with_carry(Wavefront& w, const Instruction* in) {
  const u64 sum = u64{read_scalar(w, in->source[0])} + read_scalar(w, in->source[1]) + scc(w);
  w.scalar[in->destination] = static_cast<u32>(sum);
  set_scc(w, sum >> 32 != 0);
  return in + 1;
}

const Instruction* subtract_with_borrow(Wavefront& w, const Instruction* in) {
  const u64 difference =
      u64{read_scalar(w, in->source[0])} - read_scalar(w, in->source[1]) - scc(w);
  w.scalar[in->destination] = static_cast<u32>(difference);
  set_scc(w, difference >> 32 != 0);
  return in + 1;
}

// s_bitset0 and s_bitset1 change one bit of their destination.
template <bool value, bool wide>
const Instruction* set_bit(Wavefront& w, const Instruction* in) {
  const u32 bit = read_scalar(w, in->source[0]) & (wide ? 63u : 31u);
  u32& word = w.scalar[in->destination + bit / 32];
  word = value ? word | 1u << bit % 32 : word & ~(1u << bit % 32);
  return in + 1;
}

template <bool relative_source>
const Instruction* move_relative(Wavefront& w, const Instruction* in) {
  const u64 from = u64{in->source[0].index} + (relative_source ? w.scalar[register_m0] : 0);
  const u64 to = u64{in->destination} + (relative_source ? 0 : w.scalar[register_m0]);
  if (from > 105 || to > 105) return raise(w, in, FaultKind::unsupported);
  w.scalar[to] =
      in->source[0].kind == SourceKind::constant ? in->source[0].constant : w.scalar[from];
  return in + 1;
}

enum class Condition { always, scc0, scc1, vccz, vccnz, execz, execnz };

template <Condition condition>
const Instruction* branch(Wavefront& w, const Instruction* in) {
  bool taken = true;
  if constexpr (condition == Condition::scc0) taken = !scc(w);
  if constexpr (condition == Condition::scc1) taken = scc(w);
  if constexpr (condition == Condition::vccz) taken = w.scalar[register_vcc] == 0;
  if constexpr (condition == Condition::vccnz) taken = w.scalar[register_vcc] != 0;
  if constexpr (condition == Condition::execz) taken = exec(w) == 0;
  if constexpr (condition == Condition::execnz) taken = exec(w) != 0;
  if (!taken) return in + 1;
  // The decoder leaves no target for a branch out of the code.
  return in->target ? in->target : raise(w, in, FaultKind::bad_jump);
}

HEDDLE_INLINE u64 address_after(const Wavefront& w, const Instruction* in) {
  return w.image_base + w.addresses[in->index] + 4;
}

HEDDLE_INLINE const Instruction* jump(Wavefront& w, const Instruction* in, u64 address) {
  const u64 slot = (address - w.image_base) / 4;
  if (address % 4 != 0 || slot >= w.instruction_slots || w.instruction_at[slot] < 0)
    return raise(w, in, FaultKind::bad_jump, -1, address);
  return w.instructions + w.instruction_at[slot];
}

const Instruction* get_program_counter(Wavefront& w, const Instruction* in) {
  write_scalar64(w, in->destination, address_after(w, in));
  return in + 1;
}
const Instruction* set_program_counter(Wavefront& w, const Instruction* in) {
  return jump(w, in, read_scalar64(w, in->source[0]));
}
const Instruction* swap_program_counter(Wavefront& w, const Instruction* in) {
  const u64 to = read_scalar64(w, in->source[0]);
  write_scalar64(w, in->destination, address_after(w, in));
  return jump(w, in, to);
}

const Instruction* end_program(Wavefront& w, const Instruction* in) {
  w.event = Event::ended;
  w.resume = in;
  return nullptr;
}

// Lets the other waves of the workgroup run: a spin loop that sleeps makes progress.
const Instruction* sleep(Wavefront& w, const Instruction* in) {
  w.event = Event::yield;
  w.resume = in + 1;
  return nullptr;
}

const Instruction* ignore(Wavefront&, const Instruction* in) { return in + 1; }

// The signal of this wave; true when it was the last one missing.
HEDDLE_INLINE bool signal_barrier(Wavefront& w) {
  BarrierState& barrier = *w.barrier;
  ++w.counters.barriers;
  w.barrier_generation = barrier.generation;
  w.barrier_signalled = true;
  if (++barrier.signalled < barrier.members) return false;
  barrier.signalled = 0;
  ++barrier.generation;
  return true;
}

HEDDLE_INLINE const Instruction* wait_at_barrier(Wavefront& w, const Instruction* in) {
  if (w.barrier_signalled && w.barrier->generation != w.barrier_generation) {
    w.barrier_signalled = false;
    return in + 1;
  }
  w.event = Event::barrier;
  w.barrier_waiting = true;
  w.resume = in;
  return nullptr;
}

const Instruction* barrier_signal(Wavefront& w, const Instruction* in) {
  // -1 is the workgroup's barrier; named and trap barriers are not there.
  if (in->source[0].constant != 0xffffffffu) return raise(w, in, FaultKind::unsupported);
  if (w.barrier_signalled && w.barrier->generation == w.barrier_generation)
    return raise(w, in, FaultKind::barrier_never_completes);
  signal_barrier(w);
  return in + 1;
}

// s_barrier_signal_isfirst: SCC tells whether this wave was the first to arrive.
const Instruction* barrier_signal_first(Wavefront& w, const Instruction* in) {
  const bool first = w.barrier->signalled == 0;
  const Instruction* next = barrier_signal(w, in);
  set_scc(w, first);
  return next;
}

const Instruction* barrier_wait(Wavefront& w, const Instruction* in) {
  if (static_cast<uint16_t>(in->offset) != 0xffff && in->offset != -1)
    return raise(w, in, FaultKind::unsupported);
  return wait_at_barrier(w, in);
}

// gfx11 s_barrier: signal and wait in one; executed again when the barrier is complete.
const Instruction* barrier_both(Wavefront& w, const Instruction* in) {
  if (!w.barrier_signalled) signal_barrier(w);
  return wait_at_barrier(w, in);
}

// Only MODE (register 1) is kept; the others read as zero. extra: offset | (size - 1) << 5.
const Instruction* get_register(Wavefront& w, const Instruction* in) {
  const unsigned offset = in->extra & 31u, size = (in->extra >> 5 & 31u) + 1;
  const u64 value = in->offset == 1 ? w.mode : 0;
  w.scalar[in->destination] = static_cast<u32>(value >> offset & ((u64{1} << size) - 1));
  return in + 1;
}

const Instruction* set_register(Wavefront& w, const Instruction* in) {
  if (in->offset != 1) return in + 1;
  const unsigned offset = in->extra & 31u, size = (in->extra >> 5 & 31u) + 1;
  const u32 mask = static_cast<u32>(((u64{1} << size) - 1) << offset);
  w.mode = (w.mode & ~mask) | (read_scalar(w, in->source[0]) << offset & mask);
  w.event = Event::yield;  // the runner installs the new floating-point mode
  w.resume = in + 1;
  return nullptr;
}

// s_round_mode and s_denorm_mode: bits 3..0 and 7..4 of MODE.
template <unsigned shift>
const Instruction* set_mode(Wavefront& w, const Instruction* in) {
  w.mode = (w.mode & ~(15u << shift)) | (static_cast<u32>(in->offset) & 15u) << shift;
  w.event = Event::yield;
  w.resume = in + 1;
  return nullptr;
}

// --- scalar loads ----------------------------------------------------------------------------

enum class Extend { none, u8, i8, u16, i16 };

// Null, with the fault raised, when not all bytes are mapped.
HEDDLE_INLINE const std::byte* scalar_memory(Wavefront& w, const Instruction* in, u64 address,
                                             u32 bytes) {
  const std::byte* host = host_address(w, address, bytes, false);
  if (host) return host;
  raise(w, in, FaultKind::global_out_of_bounds, -1, address, bytes);
  return nullptr;
}

template <unsigned words, Extend extend>
const Instruction* load_from(Wavefront& w, const Instruction* in, u64 address) {
  constexpr u32 bytes = extend == Extend::none                         ? words * 4
                        : extend == Extend::u8 || extend == Extend::i8 ? 1
                                                                       : 2;
  if constexpr (extend == Extend::none) address &= ~u64{3};
  const std::byte* host = scalar_memory(w, in, address, bytes);
  if (!host) return nullptr;
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
  const u64 base = read_scalar64(w, in->source[0]) & ~u64{3};
  const u64 address =
      base + read_scalar(w, in->source[1]) + static_cast<u64>(static_cast<i64>(in->offset));
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
        __builtin_memcpy(&data, host, 4);
        w.counters.global_bytes_read += 4;
      }
      w.scalar[in->destination + i] = data;
    }
    return in + 1;
  }
}

// --- the table -------------------------------------------------------------------------------

constexpr auto and32 = [](u32 a, u32 b) { return nonzero(a & b); };
constexpr auto add_u32 = [](u32 a, u32 b) { return add_unsigned(a, b); };
constexpr auto sub_u32 = [](u32 a, u32 b) { return subtract_unsigned(a, b); };
constexpr auto add_i32 = [](i32 a, i32 b) { return add_signed(a, b); };
constexpr auto sub_i32 = [](i32 a, i32 b) { return subtract_signed(a, b); };
constexpr auto mul_i32 = [](u32 a, u32 b) { return a * b; };
constexpr auto equal_u32 = [](u32 a, u32 b) { return a == b; };
constexpr auto unequal_u32 = [](u32 a, u32 b) { return a != b; };
constexpr auto less_i32 = [](i32 a, i32 b) { return a < b; };
constexpr auto less_equal_i32 = [](i32 a, i32 b) { return a <= b; };
constexpr auto greater_i32 = [](i32 a, i32 b) { return a > b; };
constexpr auto greater_equal_i32 = [](i32 a, i32 b) { return a >= b; };
constexpr auto less_u32 = [](u32 a, u32 b) { return a < b; };
constexpr auto less_equal_u32 = [](u32 a, u32 b) { return a <= b; };
constexpr auto greater_u32 = [](u32 a, u32 b) { return a > b; };
constexpr auto greater_equal_u32 = [](u32 a, u32 b) { return a >= b; };

constexpr auto combine_and = [](u32 s, u32 e) { return s & e; };
constexpr auto combine_or = [](u32 s, u32 e) { return s | e; };
constexpr auto combine_xor = [](u32 s, u32 e) { return s ^ e; };
constexpr auto combine_nand = [](u32 s, u32 e) { return ~(s & e); };
constexpr auto combine_nor = [](u32 s, u32 e) { return ~(s | e); };
constexpr auto combine_xnor = [](u32 s, u32 e) { return ~(s ^ e); };
constexpr auto combine_and_not_source = [](u32 s, u32 e) { return ~s & e; };
constexpr auto combine_or_not_source = [](u32 s, u32 e) { return ~s | e; };
constexpr auto combine_and_not_exec = [](u32 s, u32 e) { return s & ~e; };
constexpr auto combine_or_not_exec = [](u32 s, u32 e) { return s | ~e; };

constexpr Row rows[] = {
    scalar<[](u32 a) { return a; }>("s_mov_b32"),
    scalar<[](u64 a) { return a; }>("s_mov_b64"),
    scalar<[](i32 a) { return a; }>("s_movk_i32"),
    scalar<[](u32 a) { return nonzero(~a); }>("s_not_b32"),
    scalar<[](u64 a) { return nonzero(~a); }>("s_not_b64"),
    // Wave32 has no use for it, but compilers emit it to make whole-wave code: all ones.
    scalar<[](u32 a) {
      u32 result = 0;
      for (unsigned i = 0; i < 32; i += 4)
        if (a >> i & 15u) result |= 15u << i;
      return nonzero(result);
    }>("s_wqm_b32"),
    scalar<and32>("s_and_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(a & b); }>("s_and_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(a | b); }>("s_or_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(a | b); }>("s_or_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(a ^ b); }>("s_xor_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(a ^ b); }>("s_xor_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(a & ~b); }>("s_and_not1_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(a & ~b); }>("s_and_not1_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(a | ~b); }>("s_or_not1_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(a | ~b); }>("s_or_not1_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(~(a & b)); }>("s_nand_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(~(a & b)); }>("s_nand_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(~(a | b)); }>("s_nor_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(~(a | b)); }>("s_nor_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(~(a ^ b)); }>("s_xnor_b32"),
    scalar<[](u64 a, u64 b) { return nonzero(~(a ^ b)); }>("s_xnor_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(a << (b & 31)); }>("s_lshl_b32"),
    scalar<[](u64 a, u32 b) { return nonzero(a << (b & 63)); }>("s_lshl_b64"),
    scalar<[](u32 a, u32 b) { return nonzero(a >> (b & 31)); }>("s_lshr_b32"),
    scalar<[](u64 a, u32 b) { return nonzero(a >> (b & 63)); }>("s_lshr_b64"),
    scalar<[](i32 a, u32 b) { return nonzero(a >> (b & 31)); }>("s_ashr_i32"),
    scalar<[](i64 a, u32 b) { return nonzero(a >> (b & 63)); }>("s_ashr_i64"),
    scalar<[](u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>("s_bfm_b32"),
    scalar<[](u32 a, u32 b) { return ((u64{1} << (a & 63)) - 1) << (b & 63); }>("s_bfm_b64"),
    scalar<[](u32 a, u32 b) { return extract_field<u32>(a, b); }>("s_bfe_u32"),
    scalar<[](i32 a, u32 b) { return extract_field<i32>(a, b); }>("s_bfe_i32"),
    scalar<[](u64 a, u32 b) { return extract_field<u64>(a, b); }>("s_bfe_u64"),
    scalar<[](i64 a, u32 b) { return extract_field<i64>(a, b); }>("s_bfe_i64"),

    scalar<add_u32>("s_add_u32"),
    scalar<add_u32>("s_add_co_u32"),
    scalar<sub_u32>("s_sub_u32"),
    scalar<sub_u32>("s_sub_co_u32"),
    scalar<add_i32>("s_add_i32"),
    scalar<add_i32>("s_add_co_i32"),
    scalar<sub_i32>("s_sub_i32"),
    scalar<sub_i32>("s_sub_co_i32"),
    scalar<add_i32>("s_addk_i32", Form::scalar_accumulate),
    scalar<add_i32>("s_addk_co_i32", Form::scalar_accumulate),
    scalar<mul_i32>("s_mulk_i32", Form::scalar_accumulate),
    row("s_addc_u32", Form::scalar, &add_with_carry, 2, Type::scalar32, Type::scalar32),
    row("s_add_co_ci_u32", Form::scalar, &add_with_carry, 2, Type::scalar32, Type::scalar32),
    row("s_subb_u32", Form::scalar, &subtract_with_borrow, 2, Type::scalar32, Type::scalar32),
    row("s_sub_co_ci_u32", Form::scalar, &subtract_with_borrow, 2, Type::scalar32, Type::scalar32),
    scalar<[](u64 a, u64 b) { return a + b; }>("s_add_nc_u64"),
    scalar<[](u64 a, u64 b) { return a - b; }>("s_sub_nc_u64"),
    scalar<[](u64 a, u64 b) { return a * b; }>("s_mul_u64"),
    scalar<mul_i32>("s_mul_i32"),
    scalar<[](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }>("s_mul_hi_u32"),
    scalar<[](i32 a, i32 b) { return static_cast<i32>(i64{a} * b >> 32); }>("s_mul_hi_i32"),
    scalar<[](i32 a) { return nonzero(a < 0 ? static_cast<i32>(0u - static_cast<u32>(a)) : a); }>(
        "s_abs_i32"),
    scalar<[](i32 a, i32 b) {
      const u32 d = static_cast<u32>(a) - static_cast<u32>(b);
      return nonzero(static_cast<i32>(static_cast<i32>(d) < 0 ? 0u - d : d));
    }>("s_absdiff_i32"),
    scalar<[](i32 a, i32 b) { return Flagged<i32>{a < b ? a : b, a < b}; }>("s_min_i32"),
    scalar<[](u32 a, u32 b) { return Flagged<u32>{a < b ? a : b, a < b}; }>("s_min_u32"),
    scalar<[](i32 a, i32 b) { return Flagged<i32>{a > b ? a : b, a > b}; }>("s_max_i32"),
    scalar<[](u32 a, u32 b) { return Flagged<u32>{a > b ? a : b, a > b}; }>("s_max_u32"),
    scalar<shift_add<1>>("s_lshl1_add_u32"),
    scalar<shift_add<2>>("s_lshl2_add_u32"),
    scalar<shift_add<3>>("s_lshl3_add_u32"),
    scalar<shift_add<4>>("s_lshl4_add_u32"),
    scalar<[](u32 a, u32 b) { return (a & 0xffffu) | b << 16; }>("s_pack_ll_b32_b16"),
    scalar<[](u32 a, u32 b) { return (a & 0xffffu) | (b & 0xffff0000u); }>("s_pack_lh_b32_b16"),
    scalar<[](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000u); }>("s_pack_hh_b32_b16"),
    scalar<[](u32 a, u32 b) { return a >> 16 | b << 16; }>("s_pack_hl_b32_b16"),

    scalar<[](i32 a) { return static_cast<i32>(static_cast<int8_t>(a)); }>("s_sext_i32_i8"),
    scalar<[](i32 a) { return static_cast<i32>(static_cast<int16_t>(a)); }>("s_sext_i32_i16"),
    scalar<[](u32 a) { return reverse_bits(a); }>("s_brev_b32"),
    scalar<[](u64 a) { return __builtin_bitreverse64(a); }>("s_brev_b64"),
    scalar<[](u32 a) { return nonzero(static_cast<u32>(__builtin_popcount(a))); }>(
        "s_bcnt1_i32_b32"),
    scalar<[](u64 a) { return nonzero(static_cast<u32>(__builtin_popcountll(a))); }>(
        "s_bcnt1_i32_b64"),
    scalar<[](u32 a) { return nonzero(static_cast<u32>(__builtin_popcount(~a))); }>(
        "s_bcnt0_i32_b32"),
    scalar<[](u32 a) { return count_trailing_zeros(a); }>("s_ctz_i32_b32"),
    scalar<[](u64 a) { return count_trailing_zeros(a); }>("s_ctz_i32_b64"),
    scalar<[](u32 a) { return count_leading_zeros(a); }>("s_clz_i32_u32"),
    scalar<[](u64 a) { return count_leading_zeros(a); }>("s_clz_i32_u64"),
    scalar<[](i32 a) { return count_leading_zeros(static_cast<u32>(a ^ a >> 31)); }>("s_cls_i32"),
    row("s_bitset0_b32", Form::scalar, &set_bit<false, false>, 1, Type::scalar32, Type::scalar32),
    row("s_bitset1_b32", Form::scalar, &set_bit<true, false>, 1, Type::scalar32, Type::scalar32),
    row("s_bitset0_b64", Form::scalar, &set_bit<false, true>, 1, Type::scalar64, Type::scalar32),
    row("s_bitset1_b64", Form::scalar, &set_bit<true, true>, 1, Type::scalar64, Type::scalar32),
    row("s_cselect_b32", Form::scalar, &select_by_scc<false>, 2, Type::scalar32, Type::scalar32),
    row("s_cselect_b64", Form::scalar, &select_by_scc<true>, 2, Type::scalar64, Type::scalar64),
    row("s_cmov_b32", Form::scalar, &move_if_scc<false>, 1, Type::scalar32, Type::scalar32),
    row("s_cmov_b64", Form::scalar, &move_if_scc<true>, 1, Type::scalar64, Type::scalar64),
    row("s_cmovk_i32", Form::scalar, &move_if_scc<false>, 1, Type::scalar32, Type::scalar32),
    row("s_movrels_b32", Form::scalar, &move_relative<true>, 1, Type::scalar32, Type::scalar32),
    row("s_movreld_b32", Form::scalar, &move_relative<false>, 1, Type::scalar32, Type::scalar32),

    scalar<[](i32 a, i32 b) { return a == b; }>("s_cmp_eq_i32"),
    scalar<[](i32 a, i32 b) { return a != b; }>("s_cmp_lg_i32"),
    scalar<greater_i32>("s_cmp_gt_i32"),
    scalar<greater_equal_i32>("s_cmp_ge_i32"),
    scalar<less_i32>("s_cmp_lt_i32"),
    scalar<less_equal_i32>("s_cmp_le_i32"),
    scalar<equal_u32>("s_cmp_eq_u32"),
    scalar<unequal_u32>("s_cmp_lg_u32"),
    scalar<greater_u32>("s_cmp_gt_u32"),
    scalar<greater_equal_u32>("s_cmp_ge_u32"),
    scalar<less_u32>("s_cmp_lt_u32"),
    scalar<less_equal_u32>("s_cmp_le_u32"),
    scalar<[](u64 a, u64 b) { return a == b; }>("s_cmp_eq_u64"),
    scalar<[](u64 a, u64 b) { return a != b; }>("s_cmp_lg_u64"),
    scalar<[](i32 a, i32 b) { return a == b; }>("s_cmpk_eq_i32"),
    scalar<[](i32 a, i32 b) { return a != b; }>("s_cmpk_lg_i32"),
    scalar<greater_i32>("s_cmpk_gt_i32"),
    scalar<greater_equal_i32>("s_cmpk_ge_i32"),
    scalar<less_i32>("s_cmpk_lt_i32"),
    scalar<less_equal_i32>("s_cmpk_le_i32"),
    scalar<equal_u32>("s_cmpk_eq_u32"),
    scalar<unequal_u32>("s_cmpk_lg_u32"),
    scalar<greater_u32>("s_cmpk_gt_u32"),
    scalar<greater_equal_u32>("s_cmpk_ge_u32"),
    scalar<less_u32>("s_cmpk_lt_u32"),
    scalar<less_equal_u32>("s_cmpk_le_u32"),
    scalar<[](u32 a, u32 b) { return (a >> (b & 31) & 1) == 0; }>("s_bitcmp0_b32"),
    scalar<[](u32 a, u32 b) { return (a >> (b & 31) & 1) == 1; }>("s_bitcmp1_b32"),
    scalar<[](u64 a, u32 b) { return (a >> (b & 63) & 1) == 0; }>("s_bitcmp0_b64"),
    scalar<[](u64 a, u32 b) { return (a >> (b & 63) & 1) == 1; }>("s_bitcmp1_b64"),

    scalar<[](float a, float b) { return a + b; }>("s_add_f32"),
    scalar<[](float a, float b) { return a - b; }>("s_sub_f32"),
    scalar<[](float a, float b) { return a * b; }>("s_mul_f32"),
    scalar<[](float a, float b) { return minimum_number(a, b); }>("s_min_f32"),
    scalar<[](float a, float b) { return maximum_number(a, b); }>("s_max_f32"),
    scalar<[](float a, float b) { return minimum_number(a, b); }>("s_min_num_f32"),
    scalar<[](float a, float b) { return maximum_number(a, b); }>("s_max_num_f32"),
    scalar<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>("s_fmaak_f32"),
    scalar<[](float a, float b, float c) { return __builtin_fmaf(a, b, c); }>("s_fmamk_f32"),
    scalar<[](i32 a) { return static_cast<float>(a); }>("s_cvt_f32_i32"),
    scalar<[](u32 a) { return static_cast<float>(a); }>("s_cvt_f32_u32"),
    scalar<[](float a) { return saturate_i32(a); }>("s_cvt_i32_f32"),
    scalar<[](float a) { return saturate_u32(a); }>("s_cvt_u32_f32"),
    scalar<[](float a) { return __builtin_floorf(a); }>("s_floor_f32"),
    scalar<[](float a) { return __builtin_ceilf(a); }>("s_ceil_f32"),
    scalar<[](float a) { return __builtin_truncf(a); }>("s_trunc_f32"),
    scalar<[](float a) { return __builtin_roundevenf(a); }>("s_rndne_f32"),
    scalar<[](float a, float b) { return a < b; }>("s_cmp_lt_f32"),
    scalar<[](float a, float b) { return a == b; }>("s_cmp_eq_f32"),
    scalar<[](float a, float b) { return a <= b; }>("s_cmp_le_f32"),
    scalar<[](float a, float b) { return a > b; }>("s_cmp_gt_f32"),
    scalar<[](float a, float b) { return a < b || a > b; }>("s_cmp_lg_f32"),
    scalar<[](float a, float b) { return a >= b; }>("s_cmp_ge_f32"),
    scalar<[](float a, float b) { return !__builtin_isunordered(a, b); }>("s_cmp_o_f32"),
    scalar<[](float a, float b) { return static_cast<bool>(__builtin_isunordered(a, b)); }>(
        "s_cmp_u_f32"),
    scalar<[](float a, float b) { return !(a >= b); }>("s_cmp_nge_f32"),
    scalar<[](float a, float b) { return !(a < b || a > b); }>("s_cmp_nlg_f32"),
    scalar<[](float a, float b) { return !(a > b); }>("s_cmp_ngt_f32"),
    scalar<[](float a, float b) { return !(a <= b); }>("s_cmp_nle_f32"),
    scalar<[](float a, float b) { return !(a == b); }>("s_cmp_neq_f32"),
    scalar<[](float a, float b) { return !(a < b); }>("s_cmp_nlt_f32"),

    saving<combine_and>("s_and_saveexec_b32"),
    saving<combine_or>("s_or_saveexec_b32"),
    saving<combine_xor>("s_xor_saveexec_b32"),
    saving<combine_nand>("s_nand_saveexec_b32"),
    saving<combine_nor>("s_nor_saveexec_b32"),
    saving<combine_xnor>("s_xnor_saveexec_b32"),
    saving<combine_and_not_source>("s_and_not0_saveexec_b32"),
    saving<combine_or_not_source>("s_or_not0_saveexec_b32"),
    saving<combine_and_not_exec>("s_and_not1_saveexec_b32"),
    saving<combine_or_not_exec>("s_or_not1_saveexec_b32"),
    writing<combine_and_not_source>("s_and_not0_wrexec_b32"),
    writing<combine_and_not_exec>("s_and_not1_wrexec_b32"),

    row("s_branch", Form::branch, &branch<Condition::always>),
    row("s_cbranch_scc0", Form::branch, &branch<Condition::scc0>),
    row("s_cbranch_scc1", Form::branch, &branch<Condition::scc1>),
    row("s_cbranch_vccz", Form::branch, &branch<Condition::vccz>),
    row("s_cbranch_vccnz", Form::branch, &branch<Condition::vccnz>),
    row("s_cbranch_execz", Form::branch, &branch<Condition::execz>),
    row("s_cbranch_execnz", Form::branch, &branch<Condition::execnz>),
    row("s_getpc_b64", Form::scalar, &get_program_counter, 0, Type::scalar64),
    row("s_setpc_b64", Form::scalar_compare, &set_program_counter, 1, Type::none, Type::scalar64),
    row("s_swappc_b64", Form::scalar, &swap_program_counter, 1, Type::scalar64, Type::scalar64),
    row("s_endpgm", Form::scalar_no_operands, &end_program),
    row("s_sleep", Form::ignored, &sleep),
    row("s_barrier", Form::scalar_no_operands, &barrier_both),
    row("s_barrier_signal", Form::scalar_compare, &barrier_signal, 1, Type::none, Type::scalar32),
    row("s_barrier_signal_isfirst", Form::scalar_compare, &barrier_signal_first, 1, Type::none,
        Type::scalar32),
    row("s_barrier_wait", Form::scalar_immediate, &barrier_wait),
    row("s_getreg_b32", Form::hardware_register, &get_register),
    row("s_setreg_b32", Form::hardware_register, &set_register),
    row("s_setreg_imm32_b32", Form::hardware_register, &set_register),
    row("s_round_mode", Form::scalar_immediate, &set_mode<0>),
    row("s_denorm_mode", Form::scalar_immediate, &set_mode<4>),

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

    // Timing, caches and messages: memory is always up to date here.
    row("s_nop", Form::ignored, &ignore),
    row("s_clause", Form::ignored, &ignore),
    row("s_delay_alu", Form::ignored, &ignore),
    row("s_waitcnt", Form::ignored, &ignore),
    row("s_waitcnt_depctr", Form::ignored, &ignore),
    row("s_waitcnt_vscnt", Form::ignored, &ignore),
    row("s_waitcnt_vmcnt", Form::ignored, &ignore),
    row("s_waitcnt_lgkmcnt", Form::ignored, &ignore),
    row("s_waitcnt_expcnt", Form::ignored, &ignore),
    row("s_wait_alu", Form::ignored, &ignore),
    row("s_wait_idle", Form::ignored, &ignore),
    row("s_wait_event", Form::ignored, &ignore),
    row("s_wait_loadcnt", Form::ignored, &ignore),
    row("s_wait_storecnt", Form::ignored, &ignore),
    row("s_wait_dscnt", Form::ignored, &ignore),
    row("s_wait_kmcnt", Form::ignored, &ignore),
    row("s_wait_expcnt", Form::ignored, &ignore),
    row("s_wait_samplecnt", Form::ignored, &ignore),
    row("s_wait_bvhcnt", Form::ignored, &ignore),
    row("s_wait_loadcnt_dscnt", Form::ignored, &ignore),
    row("s_wait_storecnt_dscnt", Form::ignored, &ignore),
    row("s_set_inst_prefetch_distance", Form::ignored, &ignore),
    row("s_setprio", Form::ignored, &ignore),
    row("s_sethalt", Form::ignored, &ignore),
    row("s_sendmsg", Form::ignored, &ignore),
    row("s_icache_inv", Form::ignored, &ignore),
    row("s_dcache_inv", Form::ignored, &ignore),
    row("s_gl1_inv", Form::ignored, &ignore),
    row("s_prefetch_inst", Form::ignored, &ignore),
    row("s_prefetch_inst_pc_rel", Form::ignored, &ignore),
    row("s_prefetch_data", Form::ignored, &ignore),
    row("s_prefetch_data_pc_rel", Form::ignored, &ignore),
    row("s_buffer_prefetch_data", Form::ignored, &ignore),
    row("s_ttracedata", Form::ignored, &ignore),
    row("s_ttracedata_imm", Form::ignored, &ignore),
    row("buffer_gl0_inv", Form::ignored, &ignore),
    row("buffer_gl1_inv", Form::ignored, &ignore),
    row("global_inv", Form::ignored, &ignore),
    row("global_wb", Form::ignored, &ignore),
    row("global_wbinv", Form::ignored, &ignore),
    row("v_nop", Form::ignored, &ignore),
};

}  // namespace

Rows scalar_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
