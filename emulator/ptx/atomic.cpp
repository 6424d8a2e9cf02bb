// atom and red. Lanes are served one after the other, and a lock keeps out blocks on other threads
// of the host.
#include <algorithm>
#include <array>
#include <mutex>
#include <span>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/atomic.h"
#include "emulator/ptx/dispatch.h"
#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/float_format.h"
#include "emulator/ptx/races.h"

namespace heddle::emulator::ptx {
namespace {

std::mutex& lock_of(const std::byte* place) {
  static std::array<std::mutex, 64> locks;
  return locks[reinterpret_cast<std::uintptr_t>(place) / 64 % locks.size()];
}

template <class T>
T result_of(uint8_t operation, T old, T b, T c) {
  switch (operation) {
    case add_operation:
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(static_cast<uint64_t>(old) +
                                                                 static_cast<uint64_t>(b)));
    case minimum_operation:
      return std::min(old, b);
    case maximum_operation:
      return std::max(old, b);
    case and_operation:
      return old & b;
    case or_operation:
      return old | b;
    case xor_operation:
      return old ^ b;
    case exchange_operation:
      return b;
    case compare_operation:
      return old == b ? c : old;
    case increment_operation:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    default:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
  }
}

uint32_t flushed(uint32_t bits) { return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits; }

// The sum, minimum or maximum of two floats that are given and returned as bits; for packed types,
// of both halves. `flushes` is set for sums of f32 in global memory, where subnormal operands and
// results become zeros (PTX ISA 9.0, "atom").
template <Type type>
uint64_t float_result(uint8_t operation, uint64_t old, uint64_t b, bool flushes) {
  if constexpr (type == Type::f32) {
    const auto first = static_cast<uint32_t>(old), second = static_cast<uint32_t>(b);
    const float x = std::bit_cast<float>(flushes ? flushed(first) : first),
                y = std::bit_cast<float>(flushes ? flushed(second) : second);
    const auto sum = std::bit_cast<uint32_t>(x + y);
    return flushes ? flushed(sum) : sum;
  } else if constexpr (type == Type::f64) {
    const double x = std::bit_cast<double>(old), y = std::bit_cast<double>(b);
    return std::bit_cast<uint64_t>(x + y);
  } else {
    constexpr FloatFormat format =
        type == Type::f16 || type == Type::f16x2 ? format_f16 : format_bf16;
    constexpr int parts = type == Type::f16x2 || type == Type::bf16x2 ? 2 : 1;
    uint64_t result = 0;
    for (int i = 0; i < parts; ++i) {
      const double x = decode(format, old >> (16 * i) & 0xffff),
                   y = decode(format, b >> (16 * i) & 0xffff);
      const double z = operation == minimum_operation   ? std::fmin(x, y)
                       : operation == maximum_operation ? std::fmax(x, y)
                                                        : multiply_add_odd(x, 1, y);
      result |= encode(format, z, Rounding::nearest_even) << (16 * i);
    }
    return result;
  }
}

// True if bytes of the dword that the operand leaves unchanged cannot influence the other bytes of
// the result.
template <class T>
bool keeps_rest(const Record& in) {
  if (sizeof(T) != 4 || in.count != 1) return false;
  return in.detail == add_operation || in.detail == and_operation || in.detail == or_operation ||
         in.detail == xor_operation || in.detail == compare_operation;
}

// Writes back an updated dword of which memory contains only a part. If the update changed the
// bytes of the dword outside of memory, this writes nothing, raises a fault and returns false.
bool keep(Warp& w, const Record& in, unsigned lane, uint64_t address, const PartialDword& dword) {
  if (((dword.word ^ undefined_word) & ~dword.part.mask()) == 0) {
    dword.write();
    return true;
  }
  raise(w, in, FaultKind::global_out_of_bounds, static_cast<int>(lane),
        w.block->cluster->dispatch->memory().describe(address, 4), address);
  return false;
}

// Operands, each part of a vector in a register of its own: the `count` registers of d, the
// address, the `count` registers of b, then c. The offset that is added to the address is in
// `immediate`.
template <class T, class F>
void update(Warp& w, const Record& in, uint32_t lanes, F f, bool is_f32 = false) {
  const uint32_t bytes = static_cast<uint32_t>(sizeof(T)) * in.count;
  Counts& counts = w.block->cluster->counts;
  std::array<uint64_t, 32> addresses{};
  RaceWatch* const watch = w.block->cluster->watch;
  constexpr std::size_t pitch = RaceWatch::Compared::pitch;
  std::array<std::byte, 32 * pitch> before, expected;
  uint32_t written = 0;  // lanes
  bool changed = false;
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    uint64_t address = w.at(in.operand[in.count])[l] + static_cast<uint64_t>(in.immediate);
    if (in.space == Space::shared) address = static_cast<uint32_t>(address);
    auto partial =
        !is_f32 && keeps_rest<T>(in) ? partial_dword(w, address, in.space, true) : std::nullopt;
    std::byte* place = partial ? partial->host : access(w, in, l, address, bytes, in.space, true);
    if (place == nullptr) return;
    addresses[l] = address;
    const std::lock_guard lock(lock_of(place));
    if (partial) {
      partial->read();
      place = reinterpret_cast<std::byte*>(&partial->word);
    }
    for (unsigned i = 0; i < in.count; ++i) {
      T old;
      std::memcpy(&old, place + i * sizeof(T), sizeof(T));
      const T b = get<T>(w.at(in.operand[in.count + 1 + i]), l);
      const T made =
          f(old, b, get<T>(w.at(in.operand[2 * in.count + 1]), l), is_shared(in.space, address));
      if (watch != nullptr) {
        std::memcpy(before.data() + pitch * l + i * sizeof(T), &old, sizeof(T));
        std::memcpy(expected.data() + pitch * l + i * sizeof(T), &b, sizeof(T));
      }
      std::memcpy(place + i * sizeof(T), &made, sizeof(T));
      changed |= made != old;
      // A comparison that fails writes nothing.
      if (in.detail != compare_operation || old == b) written |= 1u << l;
      put<T>(w.at(in.operand[i]), l, old);
    }
    if (partial && !keep(w, in, l, address, *partial)) return;
    counts.global_written += bytes;
  });
  if (changed) ++w.block->cluster->changes;
  if (w.event == Event::none) count_global(w, in, lanes, addresses.data(), bytes);
  if (watch == nullptr || w.event != Event::none) return;
  const RaceWatch::Compared compared = {before.data(),
                                        in.detail == compare_operation ? expected.data() : nullptr};
  if ((lanes & ~written) != 0)
    watch->load(w, in, in.space, lanes & ~written, addresses.data(), bytes, compared);
  if (written != 0) watch->update(w, in, written, addresses.data(), bytes, compared);
  Definedness& defined = watch->defined();
  // A 128-bit register is two words.
  constexpr uint32_t element = std::min<uint32_t>(sizeof(T), 8), words = sizeof(T) / element;
  const auto registers = [&](const uint32_t* first) {
    std::array<uint32_t, 16> all{};
    for (uint32_t i = 0; i < in.count * words; ++i)
      all[i] = first[i / words] + i % words * lanes_of_warp;
    return all;
  };
  const auto olds = registers(in.operand), b = registers(in.operand + in.count + 1);
  defined.load(w, in, in.space, lanes, addresses.data(), {olds.data(), in.count * words}, element,
               false);
  defined.store(w, in, in.space, lanes, addresses.data(), {b.data(), in.count * words}, element);
  if (in.detail == compare_operation) {
    const auto c = registers(in.operand + 2 * in.count + 1);
    defined.store(w, in, in.space, lanes, addresses.data(), {c.data(), words}, element);
  }
}

template <class T>
void update_integer(Warp& w, const Record& in, uint32_t lanes) {
  update<T>(w, in, lanes,
            [&](T old, T b, T c, bool) { return result_of<T>(in.detail, old, b, c); });
}
template <class T, Type type>
void update_float(Warp& w, const Record& in, uint32_t lanes) {
  update<T>(
      w, in, lanes,
      [&](T old, T b, T, bool in_shared) {
        return static_cast<T>(float_result<type>(in.detail, old, b, !in_shared));
      },
      type == Type::f32);
}

void update_wide(Warp& w, const Record& in, uint32_t lanes) {
  update<Wide>(w, in, lanes, [&](Wide old, Wide b, Wide c, bool) {
    return in.detail == exchange_operation || old != b ? (in.detail == exchange_operation ? b : old)
                                                       : c;
  });
}

Handler handler_of(Type type, uint8_t operation) {
  if (is_float(type) && operation > maximum_operation) return nullptr;
  switch (type) {
    case Type::f32:
      return operation == add_operation ? update_float<uint32_t, Type::f32> : nullptr;
    case Type::f64:
      return operation == add_operation ? update_float<uint64_t, Type::f64> : nullptr;
    case Type::f16:
      return update_float<uint16_t, Type::f16>;
    case Type::bf16:
      return update_float<uint16_t, Type::bf16>;
    case Type::f16x2:
      return update_float<uint32_t, Type::f16x2>;
    case Type::bf16x2:
      return update_float<uint32_t, Type::bf16x2>;
    case Type::s32:
      return update_integer<int32_t>;
    case Type::s64:
      return update_integer<int64_t>;
    case Type::b128:
      return operation == exchange_operation || operation == compare_operation ? update_wide
                                                                               : nullptr;
    case Type::b16:
      return update_integer<uint16_t>;
    case Type::u32:
    case Type::b32:
      return update_integer<uint32_t>;
    case Type::u64:
    case Type::b64:
      return update_integer<uint64_t>;
    default:
      return nullptr;
  }
}

bool atomic(Decoder& d, bool returns) {
  constexpr std::string_view names[] = {"add", "min",  "max", "and", "or",
                                        "xor", "exch", "cas", "inc", "dec"};
  int operation = -1;
  for (int i = 0; i < 10; ++i)
    if (d.has(names[i])) operation = i;
  if (d.has("async")) return decode_asynchronous_store(d);
  if (operation < 0) return false;
  Record& record = d.record();
  const Type type = d.type();
  record.detail = static_cast<uint8_t>(operation);
  record.space = d.space();
  record.handler = handler_of(type, record.detail);
  if (record.handler == nullptr) return false;
  record.bytes = static_cast<uint8_t>(bytes_of(type));
  record.commutes = !returns && operation <= xor_operation && !is_float(type);
  const std::size_t b = returns ? 2 : 1;
  const auto parts = d.parts(b);
  if (parts.size() != 1 && parts.size() != 2 && parts.size() != 4 && parts.size() != 8)
    return false;
  record.count = static_cast<uint8_t>(parts.size());
  std::vector<uint32_t> words;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!returns) {
      words.push_back(d.sink());
      continue;
    }
    const auto results = d.parts(0);
    if (results.size() != parts.size()) d.bad("as many results as operands are expected");
    words.push_back(d.destination(*results[i], type));
  }
  words.push_back(d.address(d.operand(returns ? 1 : 0)));
  for (const Operand* part : parts) words.push_back(d.source(*part, type));
  if (operation == compare_operation)
    words.push_back(d.source(b + 1, type));
  else
    words.push_back(d.constant(0));
  d.set_order(true);
  d.set_operands(std::move(words));
  return true;
}
bool atomic_returning(Decoder& d) { return atomic(d, true); }
bool atomic_only(Decoder& d) { return atomic(d, false); }

// `relaxed` changes nothing, since every atomic operation is at least relaxed. `noftz` changes
// nothing, since f16 and bf16 always keep subnormals here.
constexpr std::string_view atomic_hints = "relaxed noftz v2 v4 v8 L1::* L2::*";
constexpr DecodeRow atomic_table[] = {{"atom", atomic_returning, atomic_hints, Flow::memory},
                                      {"red", atomic_only, atomic_hints, Flow::memory}};

template <class T>
void reduce_integer(uint8_t operation, std::byte* place, const std::byte* value) {
  T old, b;
  std::memcpy(&old, place, sizeof old);
  std::memcpy(&b, value, sizeof b);
  old = result_of<T>(operation, old, b, T{0});
  std::memcpy(place, &old, sizeof old);
}
template <Type type>
void reduce_float(uint8_t operation, std::byte* place, const std::byte* value) {
  uint64_t old = 0, b = 0;
  const auto bytes = static_cast<std::size_t>(bytes_of(type));
  std::memcpy(&old, place, bytes);
  std::memcpy(&b, value, bytes);
  old = float_result<type>(operation, old, b, false);
  std::memcpy(place, &old, bytes);
}

using Reduce = void (*)(uint8_t operation, std::byte* place, const std::byte* value);
Reduce reduction_for(Type type) {
  switch (type) {
    case Type::f16:
      return reduce_float<Type::f16>;
    case Type::bf16:
      return reduce_float<Type::bf16>;
    case Type::f32:
      return reduce_float<Type::f32>;
    case Type::f64:
      return reduce_float<Type::f64>;
    case Type::s32:
      return reduce_integer<int32_t>;
    case Type::s64:
      return reduce_integer<int64_t>;
    case Type::u32:
    case Type::b32:
      return reduce_integer<uint32_t>;
    case Type::u64:
    case Type::b64:
      return reduce_integer<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace

bool can_reduce(Type type, uint8_t operation) {
  if (reduction_for(type) == nullptr) return false;
  if (type == Type::f32 || type == Type::f64) return operation == add_operation;
  return !is_float(type) || operation <= maximum_operation;
}

void reduce_in_memory(Type type, uint8_t operation, std::byte* place, const std::byte* value) {
  const std::lock_guard lock(lock_of(place));
  reduction_for(type)(operation, place, value);
}

std::span<const DecodeRow> atomic_rows() { return atomic_table; }

}  // namespace heddle::emulator::ptx
