// Logic, shifts, and instructions that move or count bits.
#include <bit>
#include <span>

#include "emulator/ptx/elementwise.h"

namespace heddle::emulator::ptx {
namespace {

template <class T>
struct And {
  T operator()(T a, T b) const { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  T operator()(T a, T b) const { return static_cast<T>(a | b); }
};
template <class T>
struct Xor {
  T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  T operator()(T a) const { return static_cast<T>(~a); }
};
template <class T>
struct LogicalNot {
  T operator()(T a) const { return a == 0; }
};
struct CountOnes {
  template <class T>
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::popcount(a));
  }
};
struct CountZeros {
  template <class T>
  uint32_t operator()(T a) const {
    return static_cast<uint32_t>(std::countl_zero(a));
  }
};
template <class T>
struct Reverse {
  T operator()(T a) const {
    T result = 0;
    for (int i = 0; i < width<T>; ++i) result |= static_cast<T>((a >> i & 1) << (width<T> - 1 - i));
    return result;
  }
};

// A shift by the width of the type or more gives zeros, or, if the shift is an arithmetic right
// shift, copies of the sign.
template <class T>
struct ShiftLeft {
  T operator()(T a, uint32_t n) const {
    return n >= static_cast<uint32_t>(width<T>)
               ? T{0}
               : static_cast<T>(static_cast<Word<T>>(uint64_t(a) << n));
  }
};
template <class T>
struct ShiftRight {
  T operator()(T a, uint32_t n) const {
    if (n >= static_cast<uint32_t>(width<T>)) return static_cast<T>(a < 0 ? -1 : 0);
    return static_cast<T>(a >> n);
  }
};

// --- logic ---------------------------------------------------------------------------------------

// A logical operation on predicates. A predicate is one word, with a bit for each lane.
template <template <class> class F>
void predicate_binary(Warp& w, const Record& in, uint32_t lanes) {
  const uint64_t a = *w.at(in.operand[1]), b = *w.at(in.operand[2]);
  uint64_t& d = *w.at(in.operand[0]);
  d = (d & ~uint64_t{lanes}) | (F<uint64_t>{}(a, b) & lanes);
}
void predicate_not(Warp& w, const Record& in, uint32_t lanes) {
  const uint64_t a = *w.at(in.operand[1]);
  uint64_t& d = *w.at(in.operand[0]);
  d = (d & ~uint64_t{lanes}) | (~a & lanes);
}
template <template <class> class F>
bool logic(Decoder& d) {
  if (d.type() == Type::pred) return same_typed(d, predicate_binary<F>, 2);
  return same_typed(d, binary_integer<F>(d.type()), 2);
}
bool logical_not(Decoder& d) {
  if (d.type() == Type::pred) return same_typed(d, predicate_not, 1);
  return same_typed(d, unary_integer<Not>(d.type()), 1);
}
bool conditional_not(Decoder& d) { return same_typed(d, unary_integer<LogicalNot>(d.type()), 1); }

template <template <class> class F>
bool shift(Decoder& d) {
  Handler handler = nullptr;
  switch (d.type()) {
    case Type::b16:
    case Type::u16:
      handler = binary<uint16_t, uint16_t, uint32_t, F<uint16_t>>;
      break;
    case Type::s16:
      handler = binary<int16_t, int16_t, uint32_t, F<int16_t>>;
      break;
    case Type::b32:
    case Type::u32:
      handler = binary<uint32_t, uint32_t, uint32_t, F<uint32_t>>;
      break;
    case Type::s32:
      handler = binary<int32_t, int32_t, uint32_t, F<int32_t>>;
      break;
    case Type::b64:
    case Type::u64:
      handler = binary<uint64_t, uint64_t, uint32_t, F<uint64_t>>;
      break;
    case Type::s64:
      handler = binary<int64_t, int64_t, uint32_t, F<int64_t>>;
      break;
    default:
      return false;
  }
  d.record().handler = handler;
  d.set_operands({d.destination(0, d.type()), d.source(1, d.type()), d.source(2, Type::u32)});
  return true;
}

template <bool left, bool wraps>
struct Funnel {
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t n = wraps ? c & 31 : (c > 32 ? 32 : c);
    const uint64_t both = uint64_t{b} << 32 | a;
    return static_cast<uint32_t>(left ? both << n >> 32 : both >> n);
  }
};
bool funnel(Decoder& d) {
  using U = uint32_t;
  const bool wraps = d.has("wrap");
  if (!wraps && !d.has("clamp")) return false;
  if (d.has("l"))
    return same_typed(
        d,
        wraps ? ternary<U, U, U, U, Funnel<true, true>> : ternary<U, U, U, U, Funnel<true, false>>,
        3);
  return d.has("r") && same_typed(d,
                                  wraps ? ternary<U, U, U, U, Funnel<false, true>>
                                        : ternary<U, U, U, U, Funnel<false, false>>,
                                  3);
}

template <class T>
struct ExtractBits {
  T operator()(T a, uint32_t position, uint32_t length) const {
    position &= 0xff;
    length &= 0xff;
    const auto bit = [&](uint32_t i) {
      return i < static_cast<uint32_t>(width<T>) ? static_cast<Word<T>>(a) >> i & 1 : Word<T>{0};
    };
    Word<T> sign = 0;
    if (std::is_signed_v<T> && length > 0) {
      const uint32_t last = position + length - 1;
      sign =
          bit(last < static_cast<uint32_t>(width<T>) ? last : static_cast<uint32_t>(width<T>) - 1);
    }
    Word<T> result = 0;
    for (uint32_t i = 0; i < static_cast<uint32_t>(width<T>); ++i)
      result |=
          (i < length && position + i < static_cast<uint32_t>(width<T>) ? bit(position + i) : sign)
          << i;
    return static_cast<T>(result);
  }
};
bool extract(Decoder& d) {
  using U = uint32_t;
  Handler handler = nullptr;
  switch (d.type()) {
    case Type::u32:
      handler = ternary<U, U, U, U, ExtractBits<uint32_t>>;
      break;
    case Type::s32:
      handler = ternary<int32_t, int32_t, U, U, ExtractBits<int32_t>>;
      break;
    case Type::u64:
      handler = ternary<uint64_t, uint64_t, U, U, ExtractBits<uint64_t>>;
      break;
    case Type::s64:
      handler = ternary<int64_t, int64_t, U, U, ExtractBits<int64_t>>;
      break;
    default:
      return false;
  }
  d.record().handler = handler;
  d.set_operands({d.destination(0, d.type()), d.source(1, d.type()), d.source(2, Type::u32),
                  d.source(3, Type::u32)});
  return true;
}

template <class T>
void insert_bits(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]);
  const uint64_t *c = w.at(in.operand[3]), *n = w.at(in.operand[4]);
  for_lanes(lanes, [&](unsigned l) {
    const uint32_t position = get<uint32_t>(c, l) & 0xff, length = get<uint32_t>(n, l) & 0xff;
    T result = get<T>(b, l);
    for (uint32_t i = 0; i < length && position + i < static_cast<uint32_t>(width<T>); ++i) {
      const T mask = T{1} << (position + i);
      result = static_cast<T>(
          (result & ~mask) |
          (static_cast<T>(i < static_cast<uint32_t>(width<T>) ? get<T>(a, l) >> i & 1 : 0)
           << (position + i)));
    }
    put<T>(d, l, result);
  });
}
bool insert(Decoder& d) {
  d.record().handler = d.type() == Type::b64 ? insert_bits<uint64_t> : insert_bits<uint32_t>;
  d.set_operands({d.destination(0, d.type()), d.source(1, d.type()), d.source(2, d.type()),
                  d.source(3, Type::u32), d.source(4, Type::u32)});
  return true;
}

void bit_mask(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  for_lanes(lanes, [&](unsigned l) {
    uint32_t position = get<uint32_t>(w.at(in.operand[1]), l),
             length = get<uint32_t>(w.at(in.operand[2]), l);
    if (in.detail) {
      position &= 31;
      length &= 31;
    }
    uint64_t mask = length >= 32 ? 0xffffffffull : (uint64_t{1} << length) - 1;
    mask = position >= 32 ? 0 : mask << position;
    put<uint32_t>(d, l, static_cast<uint32_t>(mask));
  });
}
bool mask_of_bits(Decoder& d) {
  d.record().detail = d.has("wrap");
  return (d.record().detail || d.has("clamp")) && same_typed(d, bit_mask, 2);
}

// lop3. With .or (`count` is 1) or .and (`count` is 2) it also sets p = (d != 0) or/and q. The last
// two operands are p and q.
void lop3(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  uint32_t nonzero = 0;
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]), *c = w.at(in.operand[3]);
  for_lanes(lanes, [&](unsigned l) {
    const uint32_t x = get<uint32_t>(a, l), y = get<uint32_t>(b, l), z = get<uint32_t>(c, l);
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (in.detail >> i & 1) result |= (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
    put(d, l, result);
    if (result != 0) nonzero |= 1u << l;
  });
  if (in.count == 0) return;
  const auto q = static_cast<uint32_t>(*w.at(in.operand[5]));
  uint64_t& p = *w.at(in.operand[4]);
  p = (p & ~uint64_t{lanes}) | ((in.count == 1 ? nonzero | q : nonzero & q) & lanes);
}
bool logic_of_three(Decoder& d) {
  if (d.operand(4).kind != Operand::Kind::number)
    d.bad(d.operand(4), "a table of 8 bits, a number, is expected here");
  d.record().detail = static_cast<uint8_t>(d.operand(4).bits);
  d.record().count = d.has("or") ? 1 : d.has("and") ? 2 : 0;
  const auto [result, p] = d.destination_pair(0, d.type(), Type::pred);
  std::vector<uint32_t> words{result};
  for (std::size_t i = 1; i <= 3; ++i) words.push_back(d.source(i, d.type()));
  if (d.record().count != 0) {
    words.push_back(p);
    words.push_back(d.source(5, Type::pred));
  }
  if (d.type() != Type::b32) return false;
  d.record().handler = lop3;
  d.set_operands(std::move(words));
  return true;
}

// fns: the position of the n-th set bit, counted upwards or downwards from the position `base`. If
// n is 0, only the bit at `base` itself counts.
struct FindNthSet {
  uint32_t operator()(uint32_t mask, uint32_t base, int32_t offset) const {
    if (base > 31) return 0xffffffffu;
    if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
    const int step = offset > 0 ? 1 : -1;
    int64_t left = offset > 0 ? int64_t{offset} : -int64_t{offset};
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
      if ((mask >> at & 1) != 0 && --left == 0) return static_cast<uint32_t>(at);
    return 0xffffffffu;
  }
};
bool find_nth_set(Decoder& d) {
  if (d.type() != Type::b32) return false;
  d.record().handler = ternary<uint32_t, uint32_t, uint32_t, int32_t, FindNthSet>;
  d.set_operands({d.destination(0, Type::b32), d.source(1, Type::b32), d.source(2, Type::b32),
                  d.source(3, Type::b32)});
  return true;
}

// szext: the lowest b bits of a, extended by zeros or by the sign.
template <class T>
void extend_bits(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    const auto a = get<uint32_t>(w.at(in.operand[1]), l), b = get<uint32_t>(w.at(in.operand[2]), l);
    const uint32_t bits = b & 31;
    const bool is_whole = in.detail == 0 && b >= 32;  // .clamp
    const uint32_t rest = is_whole ? 0 : ~uint32_t{0} << bits;
    const bool sign = std::is_signed_v<T> && bits != 0 && !is_whole && (a >> (bits - 1) & 1) != 0;
    put<uint32_t>(w.at(in.operand[0]), l, (a & ~rest) | (sign ? rest : 0));
  });
}
bool extension(Decoder& d) {
  d.record().detail = d.has("wrap");
  if (!d.record().detail && !d.has("clamp")) return false;
  return same_typed(d,
                    d.type() == Type::s32   ? extend_bits<int32_t>
                    : d.type() == Type::u32 ? extend_bits<uint32_t>
                                            : nullptr,
                    2);
}

// prmt: selects bytes of two registers; the modes replicate or rotate.
void permute(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]), *c = w.at(in.operand[3]);
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t both = uint64_t{get<uint32_t>(b, l)} << 32 | get<uint32_t>(a, l);
    const uint32_t selector = get<uint32_t>(c, l);
    const uint32_t s = selector & 3;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      uint32_t chosen = 0;
      switch (in.detail) {
        case 0:
          chosen = selector >> (4 * i) & 15;
          break;
        case 1:
          chosen = (s + i) & 7;
          break;  // f4e
        case 2:
          chosen = (s - i) & 7;
          break;  // b4e
        case 3:
          chosen = s;
          break;  // rc8
        case 4:
          chosen = i < s ? s : i;
          break;  // ecl
        case 5:
          chosen = i > s ? s : i;
          break;  // ecr
        default:
          chosen = 2 * (s & 1) + (i & 1);
          break;  // rc16
      }
      uint32_t byte = static_cast<uint32_t>(both >> (8 * (chosen & 7))) & 0xff;
      if (chosen & 8) byte = byte & 0x80 ? 0xff : 0;
      result |= byte << (8 * i);
    }
    put(d, l, result);
  });
}
bool permutation(Decoder& d) {
  constexpr std::string_view modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  for (uint8_t i = 1; i < 7; ++i)
    if (d.has(modes[i])) d.record().detail = i;
  return same_typed(d, permute, 3);
}

bool ones(Decoder& d) {
  d.record().handler = d.type() == Type::b64 ? unary<uint32_t, uint64_t, CountOnes>
                                             : unary<uint32_t, uint32_t, CountOnes>;
  d.set_operands({d.destination(0, Type::u32), d.source(1, d.type())});
  return true;
}
bool zeros(Decoder& d) {
  d.record().handler = d.type() == Type::b64 ? unary<uint32_t, uint64_t, CountZeros>
                                             : unary<uint32_t, uint32_t, CountZeros>;
  d.set_operands({d.destination(0, Type::u32), d.source(1, d.type())});
  return true;
}
bool reverse(Decoder& d) { return same_typed(d, unary_integer<Reverse>(d.type()), 1); }

// bfind: the position of the highest bit that differs from the sign. With .shiftamt: how many bits
// this position is below the top bit.
template <class T, bool shift_amount>
struct FindHighest {
  uint32_t operator()(T a) const {
    const auto bits = static_cast<Word<T>>(a < 0 ? ~a : a);
    if (bits == 0) return 0xffffffffu;
    const int from_top = std::countl_zero(bits);
    return static_cast<uint32_t>(shift_amount ? from_top : width<T> - 1 - from_top);
  }
};
bool find_highest(Decoder& d) {
  const bool s = d.has("shiftamt");
  switch (d.type()) {
    case Type::u32:
      d.record().handler = s ? unary<uint32_t, uint32_t, FindHighest<uint32_t, true>>
                             : unary<uint32_t, uint32_t, FindHighest<uint32_t, false>>;
      break;
    case Type::s32:
      d.record().handler = s ? unary<uint32_t, int32_t, FindHighest<int32_t, true>>
                             : unary<uint32_t, int32_t, FindHighest<int32_t, false>>;
      break;
    case Type::u64:
      d.record().handler = s ? unary<uint32_t, uint64_t, FindHighest<uint64_t, true>>
                             : unary<uint32_t, uint64_t, FindHighest<uint64_t, false>>;
      break;
    case Type::s64:
      d.record().handler = s ? unary<uint32_t, int64_t, FindHighest<int64_t, true>>
                             : unary<uint32_t, int64_t, FindHighest<int64_t, false>>;
      break;
    default:
      return false;
  }
  d.set_operands({d.destination(0, Type::u32), d.source(1, d.type())});
  return true;
}

constexpr DecodeRow bit_table[] = {
    {"and", logic<And>, "", Flow::exact},
    {"or", logic<Or>, "", Flow::exact},
    {"xor", logic<Xor>, "", Flow::exact},
    {"not", logical_not, "", Flow::exact},
    {"cnot", conditional_not},
    {"shl", shift<ShiftLeft>, "", Flow::exact},
    {"shr", shift<ShiftRight>, "", Flow::exact},
    {"shf", funnel, "", Flow::exact},
    {"bfe", extract, "", Flow::exact},
    {"bfi", insert, "", Flow::exact},
    {"bmsk", mask_of_bits, "", Flow::exact},
    {"szext", extension, "", Flow::exact},
    {"fns", find_nth_set},
    {"lop3", logic_of_three, "", Flow::exact},
    {"prmt", permutation, "", Flow::exact},
    {"popc", ones},
    {"clz", zeros},
    {"brev", reverse, "", Flow::exact},
    {"bfind", find_highest},
};

}  // namespace

std::span<const DecodeRow> bit_rows() { return bit_table; }

}  // namespace heddle::emulator::ptx
