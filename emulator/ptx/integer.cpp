// Integer arithmetic, comparisons and selections.
#include <bit>
#include <span>

#include "emulator/ptx/elementwise.h"

namespace heddle::emulator::ptx {
namespace {

template <class T>
struct Add {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Word<T>>(uint64_t(a) + uint64_t(b)));
  }
};
template <class T>
struct Subtract {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Word<T>>(uint64_t(a) - uint64_t(b)));
  }
};
template <class T>
struct MultiplyLow {
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Word<T>>(uint64_t(a) * uint64_t(b)));
  }
};
template <class T>
struct MultiplyHigh {
  T operator()(T a, T b) const {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> width<T>);
  }
};
// PTX leaves the quotient by zero open; the hardware gives all ones.
template <class T>
struct Divide {
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(~Word<T>{0});
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return static_cast<T>(static_cast<Word<T>>(0 - uint64_t(a)));
    return static_cast<T>(a / b);
  }
};
template <class T>
struct Remainder {
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
};
template <class T>
struct Minimum {
  T operator()(T a, T b) const { return a < b ? a : b; }
};
template <class T>
struct Maximum {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct Negate {
  T operator()(T a) const { return static_cast<T>(static_cast<Word<T>>(0 - uint64_t(a))); }
};
template <class T>
struct Absolute {
  T operator()(T a) const { return a < 0 ? Negate<T>{}(a) : a; }
};
template <class T, class W>
struct MultiplyWide {
  W operator()(T a, T b) const { return static_cast<W>(static_cast<W>(a) * static_cast<W>(b)); }
};
template <class T>
struct MultiplyAddLow {
  T operator()(T a, T b, T c) const { return Add<T>{}(MultiplyLow<T>{}(a, b), c); }
};
template <class T>
struct MultiplyAddHigh {
  T operator()(T a, T b, T c) const { return Add<T>{}(MultiplyHigh<T>{}(a, b), c); }
};
template <class T, class W>
struct MultiplyAddWide {
  W operator()(T a, T b, W c) const { return Add<W>{}(MultiplyWide<T, W>{}(a, b), c); }
};
struct MultiplyHighSaturated {
  int32_t operator()(int32_t a, int32_t b, int32_t c) const {
    const int64_t sum = (int64_t{a} * b >> 32) + c;
    return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};
struct AddSaturated {
  int32_t operator()(int32_t a, int32_t b) const {
    const int64_t sum = int64_t{a} + b;
    return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};
struct SubtractSaturated {
  int32_t operator()(int32_t a, int32_t b) const {
    const int64_t sum = int64_t{a} - b;
    return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};

// Two halves of a register, each by itself.
template <class T, template <class> class F>
struct Halves {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    const auto low = static_cast<uint16_t>(F<T>{}(static_cast<T>(a), static_cast<T>(b)));
    const auto high =
        static_cast<uint16_t>(F<T>{}(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return low | uint32_t{high} << 16;
  }
};
template <template <class> class F>
Handler halves(Type type) {
  if (type == Type::u16x2) return binary<uint32_t, uint32_t, uint32_t, Halves<uint16_t, F>>;
  if (type == Type::s16x2) return binary<uint32_t, uint32_t, uint32_t, Halves<int16_t, F>>;
  return nullptr;
}

template <template <class> class F>
bool arithmetic(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  if (d.type() == Type::u16x2 || d.type() == Type::s16x2)
    return same_typed(d, halves<F>(d.type()), 2);
  return same_typed(d, binary_integer<F>(d.type()), 2);
}

// Carries: add.cc, addc, sub.cc, subc, mad.lo.cc keep the carry in a word of the warp's frame.
bool add_integer(Decoder& d) {
  if (d.has("cc")) return false;
  if (d.has("sat") && d.type() == Type::s32)
    return same_typed(d, binary<int32_t, int32_t, int32_t, AddSaturated>, 2);
  return arithmetic<Add>(d);
}
bool subtract(Decoder& d) {
  if (d.has("cc")) return false;
  if (d.has("sat") && d.type() == Type::s32)
    return same_typed(d, binary<int32_t, int32_t, int32_t, SubtractSaturated>, 2);
  return arithmetic<Subtract>(d);
}

bool wide(Decoder& d, bool adds) {
  Handler handler = nullptr;
  Type result = Type::none;
  switch (d.type()) {
    case Type::u16:
      handler =
          adds
              ? ternary<uint32_t, uint16_t, uint16_t, uint32_t, MultiplyAddWide<uint16_t, uint32_t>>
              : binary<uint32_t, uint16_t, uint16_t, MultiplyWide<uint16_t, uint32_t>>;
      result = Type::u32;
      break;
    case Type::s16:
      handler = adds
                    ? ternary<int32_t, int16_t, int16_t, int32_t, MultiplyAddWide<int16_t, int32_t>>
                    : binary<int32_t, int16_t, int16_t, MultiplyWide<int16_t, int32_t>>;
      result = Type::s32;
      break;
    case Type::u32:
      handler =
          adds
              ? ternary<uint64_t, uint32_t, uint32_t, uint64_t, MultiplyAddWide<uint32_t, uint64_t>>
              : binary<uint64_t, uint32_t, uint32_t, MultiplyWide<uint32_t, uint64_t>>;
      result = Type::u64;
      break;
    case Type::s32:
      handler = adds
                    ? ternary<int64_t, int32_t, int32_t, int64_t, MultiplyAddWide<int32_t, int64_t>>
                    : binary<int64_t, int32_t, int32_t, MultiplyWide<int32_t, int64_t>>;
      result = Type::s64;
      break;
    default:
      return false;
  }
  std::vector<uint32_t> words{d.destination(0, result), d.source(1, d.type()),
                              d.source(2, d.type())};
  if (adds) words.push_back(d.source(3, result));
  d.record().handler = handler;
  d.set_operands(std::move(words));
  return true;
}

bool multiply(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  if (d.has("wide")) return wide(d, false);
  if (d.has("hi")) return same_typed(d, binary_integer<MultiplyHigh>(d.type()), 2);
  return same_typed(d, binary_integer<MultiplyLow>(d.type()), 2);
}

template <template <class> class F>
Handler ternary_integer(Type type) {
  switch (type) {
    case Type::u16:
      return ternary<uint16_t, uint16_t, uint16_t, uint16_t, F<uint16_t>>;
    case Type::s16:
      return ternary<int16_t, int16_t, int16_t, int16_t, F<int16_t>>;
    case Type::u32:
      return ternary<uint32_t, uint32_t, uint32_t, uint32_t, F<uint32_t>>;
    case Type::s32:
      return ternary<int32_t, int32_t, int32_t, int32_t, F<int32_t>>;
    case Type::u64:
      return ternary<uint64_t, uint64_t, uint64_t, uint64_t, F<uint64_t>>;
    case Type::s64:
      return ternary<int64_t, int64_t, int64_t, int64_t, F<int64_t>>;
    default:
      return nullptr;
  }
}

bool multiply_add(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  if (d.has("cc")) return false;
  if (d.has("wide")) return wide(d, true);
  if (d.has("sat"))
    return same_typed(d, ternary<int32_t, int32_t, int32_t, int32_t, MultiplyHighSaturated>, 3);
  return same_typed(d,
                    d.has("hi") ? ternary_integer<MultiplyAddHigh>(d.type())
                                : ternary_integer<MultiplyAddLow>(d.type()),
                    3);
}

// 24-bit products: the low or high 32 of 48 bits.
template <bool high, bool is_signed_24>
struct Multiply24 {
  uint32_t operator()(uint32_t a, uint32_t b) const {
    if constexpr (is_signed_24) {
      const int64_t product =
          int64_t{static_cast<int32_t>(a << 8) >> 8} * (static_cast<int32_t>(b << 8) >> 8);
      return static_cast<uint32_t>(high ? product >> 16 : product);
    }
    const uint64_t product = uint64_t{a & 0xffffffu} * (b & 0xffffffu);
    return static_cast<uint32_t>(high ? product >> 16 : product);
  }
};
bool multiply_24(Decoder& d) {
  const bool high = d.has("hi");
  if (d.type() == Type::u32)
    return same_typed(d,
                      high ? binary<uint32_t, uint32_t, uint32_t, Multiply24<true, false>>
                           : binary<uint32_t, uint32_t, uint32_t, Multiply24<false, false>>,
                      2);
  return same_typed(d,
                    high ? binary<uint32_t, uint32_t, uint32_t, Multiply24<true, true>>
                         : binary<uint32_t, uint32_t, uint32_t, Multiply24<false, true>>,
                    2);
}

bool divide(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  return same_typed(d, binary_integer<Divide>(d.type()), 2);
}
bool remainder(Decoder& d) { return same_typed(d, binary_integer<Remainder>(d.type()), 2); }
bool integer_minimum(Decoder& d) { return arithmetic<Minimum>(d); }
bool integer_maximum(Decoder& d) { return arithmetic<Maximum>(d); }
bool absolute(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  return same_typed(d, unary_integer<Absolute>(d.type()), 1);
}
bool negate(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  return same_typed(d, unary_integer<Negate>(d.type()), 1);
}

// --- comparisons and selections ------------------------------------------------------------------

enum Comparison : uint8_t { eq, ne, lt, le, gt, ge };

template <class T>
bool compares(uint8_t how, T a, T b) {
  switch (how) {
    case eq:
      return a == b;
    case ne:
      return a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    default:
      return a >= b;
  }
}

// setp: operands p, q, a, b, c; `immediate`: 0 none, 1 and, 2 or, 3 xor with c, +4 where c is
// negated.
template <class T>
void set_predicate(Warp& w, const Record& in, uint32_t lanes) {
  const uint64_t *a = w.at(in.operand[2]), *b = w.at(in.operand[3]);
  uint32_t result = 0;
  for_lanes(lanes, [&](unsigned l) {
    if (compares<T>(in.detail, get<T>(a, l), get<T>(b, l))) result |= 1u << l;
  });
  finish_comparison(w, in, lanes, result);
}

bool compare(Decoder& d) {
  if (is_float(d.type())) return decode_float_compare(d);
  constexpr std::string_view names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  constexpr std::string_view unsigned_names[] = {"", "", "lo", "ls", "hi", "hs"};
  int how = -1;
  for (int i = 0; i < 6; ++i)
    if (d.statement().opcode.size() > 1 &&
        (d.statement().opcode[1] == names[i] ||
         (i > 1 && d.statement().opcode[1] == unsigned_names[i])))
      how = i;
  if (how < 0) return false;
  d.record().detail = static_cast<uint8_t>(how);
  Handler handler = nullptr;
  switch (d.type()) {
    case Type::b16:
    case Type::u16:
      handler = set_predicate<uint16_t>;
      break;
    case Type::s16:
      handler = set_predicate<int16_t>;
      break;
    case Type::b32:
    case Type::u32:
      handler = set_predicate<uint32_t>;
      break;
    case Type::s32:
      handler = set_predicate<int32_t>;
      break;
    case Type::b64:
    case Type::u64:
      handler = set_predicate<uint64_t>;
      break;
    case Type::s64:
      handler = set_predicate<int64_t>;
      break;
    default:
      return false;
  }
  return decode_comparison(d, handler, d.type());
}

template <class T>
void select(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  const uint64_t *a = w.at(in.operand[1]), *b = w.at(in.operand[2]);
  const auto p = static_cast<uint32_t>(*w.at(in.operand[3]));
  for_lanes(lanes, [&](unsigned l) { put<T>(d, l, p >> l & 1 ? get<T>(a, l) : get<T>(b, l)); });
}
void select_predicate(Warp& w, const Record& in, uint32_t lanes) {
  const uint64_t a = *w.at(in.operand[1]), b = *w.at(in.operand[2]), p = *w.at(in.operand[3]);
  uint64_t& d = *w.at(in.operand[0]);
  d = (d & ~uint64_t{lanes}) | (((a & p) | (b & ~p)) & lanes);
}
bool selection(Decoder& d) {
  switch (bytes_of(d.type())) {
    case 2:
      d.record().handler = select<uint16_t>;
      break;
    case 4:
      d.record().handler = select<uint32_t>;
      break;
    case 8:
      d.record().handler = select<uint64_t>;
      break;
    default:
      if (d.type() != Type::pred) return false;
      d.record().handler = select_predicate;
      break;
  }
  d.set_operands({d.destination(0, d.type()), d.source(1, d.type()), d.source(2, d.type()),
                  d.source(3, Type::pred)});
  return true;
}

template <class T, class C>
void select_by_sign(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  for_lanes(lanes, [&](unsigned l) {
    const bool first = get<C>(w.at(in.operand[3]), l) >= 0;
    put<T>(d, l, get<T>(w.at(in.operand[first ? 1 : 2]), l));
  });
}
bool selection_by_sign(Decoder& d) {
  const bool real = d.type() == Type::f32;
  const Type type = d.type(0);
  if (bytes_of(type) == 8)
    d.record().handler = real ? select_by_sign<uint64_t, float> : select_by_sign<uint64_t, int32_t>;
  else if (bytes_of(type) == 4)
    d.record().handler = real ? select_by_sign<uint32_t, float> : select_by_sign<uint32_t, int32_t>;
  else
    d.record().handler = real ? select_by_sign<uint16_t, float> : select_by_sign<uint16_t, int32_t>;
  d.set_operands(
      {d.destination(0, type), d.source(1, type), d.source(2, type), d.source(3, d.type())});
  return true;
}

// --- dot products and sums of differences --------------------------------------------------------

template <class A, class B>
void dot_of_bytes(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  for_lanes(lanes, [&](unsigned l) {
    const auto a = get<uint32_t>(w.at(in.operand[1]), l), b = get<uint32_t>(w.at(in.operand[2]), l);
    auto sum = get<uint32_t>(w.at(in.operand[3]), l);
    for (unsigned i = 0; i < 32; i += 8)
      sum += static_cast<uint32_t>(int{static_cast<A>(a >> i)} * int{static_cast<B>(b >> i)});
    put(d, l, sum);
  });
}
bool dot4(Decoder& d) {
  const bool a = d.type(0) == Type::s32, b = d.type(1) == Type::s32;
  d.record().handler = a ? (b ? dot_of_bytes<int8_t, int8_t> : dot_of_bytes<int8_t, uint8_t>)
                         : (b ? dot_of_bytes<uint8_t, int8_t> : dot_of_bytes<uint8_t, uint8_t>);
  d.set_operands({d.destination(0, Type::u32), d.source(1, Type::u32), d.source(2, Type::u32),
                  d.source(3, Type::u32)});
  return true;
}

template <class T>
struct SumOfDifference {
  T operator()(T a, T b, T c) const {
    return Add<T>{}(c, a < b ? Subtract<T>{}(b, a) : Subtract<T>{}(a, b));
  }
};
bool sum_of_difference(Decoder& d) {
  return same_typed(d, ternary_integer<SumOfDifference>(d.type()), 3);
}

constexpr DecodeRow integer_table[] = {
    {"add", add_integer},     {"sub", subtract},
    {"mul", multiply},        {"mad", multiply_add},
    {"mul24", multiply_24},   {"div", divide},
    {"rem", remainder},       {"min", integer_minimum},
    {"max", integer_maximum}, {"abs", absolute},
    {"neg", negate},          {"setp", compare},
    {"selp", selection},      {"slct", selection_by_sign},
    {"dp4a", dot4},           {"sad", sum_of_difference},
};

}  // namespace

void finish_comparison(Warp& w, const Record& in, uint32_t lanes, uint32_t result) {
  uint32_t other = ~result;
  if (in.immediate != 0) {
    auto c = static_cast<uint32_t>(*w.at(in.operand[4]));
    const auto combined = [&](uint32_t x) {
      switch (in.immediate & 3) {
        case 1:
          return x & c;
        case 2:
          return x | c;
        default:
          return x ^ c;
      }
    };
    result = combined(result);
    other = combined(other);
  }
  uint64_t& p = *w.at(in.operand[0]);
  p = (p & ~uint64_t{lanes}) | (result & lanes);
  uint64_t& q = *w.at(in.operand[1]);
  q = (q & ~uint64_t{lanes}) | (other & lanes);
}

bool decode_comparison(Decoder& d, Handler handler, Type type) {
  const auto [p, q] = d.destination_pair(0, Type::pred, Type::pred);
  std::vector<uint32_t> words{p, q, d.source(1, type), d.source(2, type)};
  if (d.operands() > 3) {
    const Operand& c = d.operand(3);
    words.push_back(d.source(c, Type::pred));
    d.record().immediate = (d.has("and") ? 1 : d.has("or") ? 2 : 3);
  }
  d.record().handler = handler;
  d.set_operands(std::move(words));
  return true;
}

std::span<const DecodeRow> integer_rows() { return integer_table; }

}  // namespace heddle::emulator::ptx
