// Integer arithmetic.
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
// PTX does not specify a quotient by zero; the hardware gives all ones.
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

// Applies F to each of the two halves of a register.
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

// --- carries -------------------------------------------------------------------------------------

enum class Sum : uint8_t { add, subtract, multiply_low, multiply_high };

// The last operand is the carry flag CC.CF, a predicate of the warp: the carry of a sum or the
// borrow of a difference (PTX ISA 9.0, "Extended-Precision Integer Arithmetic Instructions").
// `takes`: the instruction reads the flag; `gives`: the instruction writes the flag.
template <class T, Sum sum, bool takes, bool gives>
void with_carry(Warp& w, const Record& in, uint32_t lanes) {
  constexpr bool multiplies = sum == Sum::multiply_low || sum == Sum::multiply_high;
  uint64_t& carry = *w.at(in.operand[multiplies ? 4 : 3]);
  const auto taken = static_cast<uint32_t>(carry);
  uint32_t given = 0;
  for_lanes(lanes, [&](unsigned l) {
    T a = get<T>(w.at(in.operand[1]), l), b = get<T>(w.at(in.operand[2]), l);
    if constexpr (multiplies) {
      a = sum == Sum::multiply_low ? MultiplyLow<T>{}(a, b) : MultiplyHigh<T>{}(a, b);
      b = get<T>(w.at(in.operand[3]), l);
    }
    const auto x = static_cast<Word<T>>(a), y = static_cast<Word<T>>(b);
    const auto c = static_cast<Word<T>>(takes ? taken >> l & 1 : 0);
    const auto result = static_cast<Word<T>>(sum == Sum::subtract ? x - y - c : x + y + c);
    const bool leaves =
        sum == Sum::subtract ? x < y || (x == y && c != 0) : result < x || (result == x && c != 0);
    if (leaves) given |= 1u << l;
    put(w.at(in.operand[0]), l, result);
  });
  if (gives) carry = (carry & ~uint64_t{lanes}) | given;
}
template <class T, Sum sum>
Handler with_carry(bool takes, bool gives) {
  if (!takes) return with_carry<T, sum, false, true>;
  return gives ? with_carry<T, sum, true, true> : with_carry<T, sum, true, false>;
}
template <Sum sum>
bool carrying(Decoder& d, bool takes) {
  const bool gives = d.has("cc");
  Handler handler = nullptr;
  switch (d.type()) {
    case Type::u32:
      handler = with_carry<uint32_t, sum>(takes, gives);
      break;
    case Type::s32:
      handler = with_carry<int32_t, sum>(takes, gives);
      break;
    case Type::u64:
      handler = with_carry<uint64_t, sum>(takes, gives);
      break;
    case Type::s64:
      handler = with_carry<int64_t, sum>(takes, gives);
      break;
    default:
      return false;
  }
  constexpr std::size_t sources = sum == Sum::add || sum == Sum::subtract ? 2 : 3;
  return same_typed(d, handler, sources, d.carry(takes, gives));
}
bool add_with_carry(Decoder& d) { return carrying<Sum::add>(d, true); }
bool subtract_with_borrow(Decoder& d) { return carrying<Sum::subtract>(d, true); }
bool multiply_add_carrying(Decoder& d, bool takes) {
  if (d.has("hi")) return carrying<Sum::multiply_high>(d, takes);
  return d.has("lo") && carrying<Sum::multiply_low>(d, takes);
}
bool multiply_add_with_carry(Decoder& d) { return multiply_add_carrying(d, true); }

// Chooses how undefined bits pass through packed sums, minima and maxima. Code may use these on
// registers of which only one half was written. For integers, an undefined bit affects only the
// same and higher bits of its half, so the result is followed bit by bit (Flow::exact). For floats
// this function changes nothing: a result that happens to be NaN in every trial would seem to be
// defined, although it depends on the half that was not written.
void follow_bits(Decoder& d) {
  if (!is_float(d.type())) d.record().flow = Flow::exact;
}

bool add_integer(Decoder& d) {
  if (d.has("cc")) return carrying<Sum::add>(d, false);
  follow_bits(d);
  if (d.type() == Type::s32 && d.has("sat"))
    return same_typed(d, binary<int32_t, int32_t, int32_t, AddSaturated>, 2);
  return arithmetic<Add>(d);
}
bool subtract(Decoder& d) {
  if (d.has("cc")) return carrying<Sum::subtract>(d, false);
  follow_bits(d);
  if (d.type() == Type::s32 && d.has("sat"))
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
  return d.has("lo") && same_typed(d, binary_integer<MultiplyLow>(d.type()), 2);
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
  if (d.has("cc")) return multiply_add_carrying(d, false);
  if (d.has("wide")) return wide(d, true);
  const bool high = d.has("hi");
  if (high && d.type() == Type::s32 && d.has("sat"))
    return same_typed(d, ternary<int32_t, int32_t, int32_t, int32_t, MultiplyHighSaturated>, 3);
  if (!high && !d.has("lo")) return false;
  return same_typed(
      d,
      high ? ternary_integer<MultiplyAddHigh>(d.type()) : ternary_integer<MultiplyAddLow>(d.type()),
      3);
}

// Multiplies the low 24 bits of a and b: the low or the high 32 of the product's 48 bits.
template <class T, bool high>
struct Multiply24 {
  T operator()(T a, T b) const {
    const auto narrow = [](T x) { return static_cast<T>(static_cast<uint32_t>(x) << 8) >> 8; };
    const int64_t product = int64_t{narrow(a)} * narrow(b);
    return static_cast<T>(high ? product >> 16 : product);
  }
};
template <class T, bool high, bool saturates>
struct MultiplyAdd24 {
  T operator()(T a, T b, T c) const {
    const T product = Multiply24<T, high>{}(a, b);
    if constexpr (saturates) return AddSaturated{}(product, c);
    return Add<T>{}(product, c);
  }
};
template <class T, bool high>
Handler product_of_24(bool adds, bool saturates) {
  if (!adds) return binary<T, T, T, Multiply24<T, high>>;
  if constexpr (std::is_signed_v<T> && high)
    if (saturates) return ternary<T, T, T, T, MultiplyAdd24<T, high, true>>;
  return ternary<T, T, T, T, MultiplyAdd24<T, high, false>>;
}
template <bool adds>
bool multiply_24(Decoder& d) {
  const bool high = d.has("hi"), is_signed = d.type() == Type::s32;
  if ((!high && !d.has("lo")) || (!is_signed && d.type() != Type::u32)) return false;
  const bool saturates = adds && high && is_signed && d.has("sat");
  const Handler handler = is_signed ? (high ? product_of_24<int32_t, true>(adds, saturates)
                                            : product_of_24<int32_t, false>(adds, false))
                                    : (high ? product_of_24<uint32_t, true>(adds, false)
                                            : product_of_24<uint32_t, false>(adds, false));
  return same_typed(d, handler, adds ? 3 : 2);
}

bool divide(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  return same_typed(d, binary_integer<Divide>(d.type()), 2);
}
bool remainder(Decoder& d) { return same_typed(d, binary_integer<Remainder>(d.type()), 2); }
// .relu: a negative result becomes 0.
template <template <class> class F>
struct NotNegative {
  template <class T>
  struct Of {
    T operator()(T a, T b) const { return Maximum<T>{}(F<T>{}(a, b), T{0}); }
  };
};
template <template <class> class F>
bool extremum(Decoder& d) {
  follow_bits(d);
  if (d.type() == Type::s32 && d.has("relu"))
    return same_typed(
        d, binary<int32_t, int32_t, int32_t, typename NotNegative<F>::template Of<int32_t>>, 2);
  if (d.type() == Type::s16x2 && d.has("relu"))
    return same_typed(d, halves<NotNegative<F>::template Of>(Type::s16x2), 2);
  return arithmetic<F>(d);
}
bool absolute(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  return same_typed(d, unary_integer<Absolute>(d.type()), 1);
}
bool negate(Decoder& d) {
  if (is_float(d.type())) return decode_float_arithmetic(d);
  return same_typed(d, unary_integer<Negate>(d.type()), 1);
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
  d.set_operands({d.destination(0, Type::b32), d.source(1, Type::b32), d.source(2, Type::b32),
                  d.source(3, Type::b32)});
  return true;
}

// dp2a: multiplies the two 16-bit numbers of a by bytes 0 and 1 of b, or with .hi by bytes 2 and 3.
template <class A, class B>
void dot_of_halves(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    const auto a = get<uint32_t>(w.at(in.operand[1]), l);
    const uint32_t b = get<uint32_t>(w.at(in.operand[2]), l) >> in.detail;
    auto sum = get<uint32_t>(w.at(in.operand[3]), l);
    for (unsigned i = 0; i < 2; ++i)
      sum +=
          static_cast<uint32_t>(int{static_cast<A>(a >> 16 * i)} * int{static_cast<B>(b >> 8 * i)});
    put(w.at(in.operand[0]), l, sum);
  });
}
bool dot2(Decoder& d) {
  const bool a = d.type(0) == Type::s32, b = d.type(1) == Type::s32;
  const bool high = d.has("hi");
  if (!high && !d.has("lo")) return false;
  d.record().detail = high ? 16 : 0;
  d.record().handler = a ? (b ? dot_of_halves<int16_t, int8_t> : dot_of_halves<int16_t, uint8_t>)
                         : (b ? dot_of_halves<uint16_t, int8_t> : dot_of_halves<uint16_t, uint8_t>);
  d.set_operands({d.destination(0, Type::b32), d.source(1, Type::b32), d.source(2, Type::b32),
                  d.source(3, Type::b32)});
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
    {"add", add_integer},
    {"sub", subtract},
    {"addc", add_with_carry},
    {"subc", subtract_with_borrow},
    {"mul", multiply},
    {"mad", multiply_add},
    {"madc", multiply_add_with_carry},
    {"mul24", multiply_24<false>},
    {"mad24", multiply_24<true>},
    {"div", divide},
    {"rem", remainder},
    {"min", extremum<Minimum>},
    {"max", extremum<Maximum>},
    {"abs", absolute},
    {"neg", negate},
    {"dp4a", dot4},
    {"dp2a", dot2},
    {"sad", sum_of_difference},
};

}  // namespace

std::span<const DecodeRow> integer_rows() { return integer_table; }

}  // namespace heddle::emulator::ptx
