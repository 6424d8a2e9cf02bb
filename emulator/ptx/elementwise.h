// Handlers of operations that act on each lane separately.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emulator/ptx/decoder.h"

namespace heddle::emulator::ptx {

// Integer arithmetic modulo 2^bits is done in unsigned types, in which overflow is defined.
template <class T>
using Word = std::make_unsigned_t<T>;
template <class T>
constexpr int width = static_cast<int>(8 * sizeof(T));

template <class D, class A, class F>
void unary(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t* a = w.at(in.operand[1]);
  for_lanes(lanes, [&](unsigned l) { put<D>(d, l, static_cast<D>(F{}(get<A>(a, l)))); });
}

template <class D, class A, class B, class F>
void binary(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]);
  for_lanes(lanes,
            [&](unsigned l) { put<D>(d, l, static_cast<D>(F{}(get<A>(a, l), get<B>(b, l)))); });
}

template <class D, class A, class B, class C, class F>
void ternary(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]), *c = w.at(in.operand[3]);
  for_lanes(lanes, [&](unsigned l) {
    put<D>(d, l, static_cast<D>(F{}(get<A>(a, l), get<B>(b, l), get<C>(c, l))));
  });
}

// Sets the handler and decodes the operands: the destination, then `sources` sources, all of the
// instruction's last type. If `last` is not 0, it is the word of one more operand.
inline bool same_typed(Decoder& d, Handler handler, std::size_t sources, uint32_t last = 0) {
  if (handler == nullptr) return false;
  std::vector<uint32_t> words{d.destination(0, d.type())};
  for (std::size_t i = 1; i <= sources; ++i) words.push_back(d.source(i, d.type()));
  if (d.operands() != sources + 1) d.bad("wrong number of operands");
  if (last != 0) words.push_back(last);
  d.record().handler = handler;
  d.set_operands(std::move(words));
  return true;
}

// The handler of the operation F for an integer type.
template <template <class> class F>
Handler binary_integer(Type type) {
  switch (type) {
    case Type::u16:
    case Type::b16:
      return binary<uint16_t, uint16_t, uint16_t, F<uint16_t>>;
    case Type::s16:
      return binary<int16_t, int16_t, int16_t, F<int16_t>>;
    case Type::u32:
    case Type::b32:
      return binary<uint32_t, uint32_t, uint32_t, F<uint32_t>>;
    case Type::s32:
      return binary<int32_t, int32_t, int32_t, F<int32_t>>;
    case Type::u64:
    case Type::b64:
      return binary<uint64_t, uint64_t, uint64_t, F<uint64_t>>;
    case Type::s64:
      return binary<int64_t, int64_t, int64_t, F<int64_t>>;
    default:
      return nullptr;
  }
}

template <template <class> class F>
Handler unary_integer(Type type) {
  switch (type) {
    case Type::u16:
    case Type::b16:
      return unary<uint16_t, uint16_t, F<uint16_t>>;
    case Type::s16:
      return unary<int16_t, int16_t, F<int16_t>>;
    case Type::u32:
    case Type::b32:
      return unary<uint32_t, uint32_t, F<uint32_t>>;
    case Type::s32:
      return unary<int32_t, int32_t, F<int32_t>>;
    case Type::u64:
    case Type::b64:
      return unary<uint64_t, uint64_t, F<uint64_t>>;
    case Type::s64:
      return unary<int64_t, int64_t, F<int64_t>>;
    default:
      return nullptr;
  }
}

// Decode the floating-point variants of instructions that also have integer variants.
bool decode_float_arithmetic(Decoder& d);
bool decode_float_compare(Decoder& d);

// Writes the results of setp and set. `result`: the outcome of the comparison in each lane.
// `other`: what q becomes; for packed types it is the outcome of the high halves.
//
//   operands of setp   p, q, a, b, and optionally a predicate c that is combined with the outcome
//   operands of set    d, a word that nothing reads, a, b, and optionally c
void finish_comparison(Warp& w, const Record& in, uint32_t lanes, uint32_t result);
void finish_comparison(Warp& w, const Record& in, uint32_t lanes, uint32_t result, uint32_t other);
bool decode_comparison(Decoder& d, Handler handler, Type type);

}  // namespace heddle::emulator::ptx
