// Comparisons and selections of integers, and the code that comparisons of floats share with them.
#include <bit>
#include <optional>
#include <span>

#include "emulator/ptx/elementwise.h"

namespace heddle::emulator::ptx {
namespace {

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

// setp and set. The comment at finish_comparison() lists the operands.
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
  const std::string_view name = d.modifier(1);
  for (int i = 0; i < 6; ++i)
    if (name == names[i] || (i > 1 && name == unsigned_names[i])) how = i;
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

// slct: a if c >= 0, else b. -0 counts as 0, and so does a negative subnormal with .ftz.
template <class T, class C>
void select_by_sign(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t* d = w.at(in.operand[0]);
  for_lanes(lanes, [&](unsigned l) {
    const C c = get<C>(w.at(in.operand[3]), l);
    const bool is_zero = in.ftz && (get<uint32_t>(w.at(in.operand[3]), l) & 0x7f800000u) == 0;
    put<T>(d, l, get<T>(w.at(in.operand[c >= 0 || is_zero ? 1 : 2]), l));
  });
}
bool selection_by_sign(Decoder& d) {
  const bool real = d.type() == Type::f32;
  if (!real && d.type() != Type::s32) return false;
  const Type type = d.type(0);
  if (real) d.record().ftz = d.has("ftz");
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

constexpr DecodeRow comparison_table[] = {
    {"setp", compare, "", Flow::comparison},
    {"set", compare, "", Flow::comparison},
    {"selp", selection, "", Flow::exact},
    {"slct", selection_by_sign, "", Flow::exact},
};

}  // namespace

// Writes the result of a comparison, combined with the predicate c.
// - `immediate` says how they are combined: 0 not at all, 1 by and, 2 by or, 3 by xor.
// - `bytes` is 0 if the destinations are predicates. Otherwise the destination d becomes `target`
// where the result is true, else 0.
void finish_comparison(Warp& w, const Record& in, uint32_t lanes, uint32_t result, uint32_t other) {
  if (in.immediate != 0) {
    auto c = static_cast<uint32_t>(*w.at(in.operand[4]));
    const auto combined = [&](uint32_t x) {
      switch (in.immediate) {
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
  if (in.bytes != 0) {
    constexpr uint32_t low = 0xffff;
    for_lanes(lanes, [&](unsigned l) {
      const uint32_t mask = (result >> l & 1 ? low : 0) | (other >> l & 1 ? ~low : 0);
      put<uint32_t>(w.at(in.operand[0]), l, in.target & mask);
    });
    return;
  }
  uint64_t& p = *w.at(in.operand[0]);
  p = (p & ~uint64_t{lanes}) | (result & lanes);
  uint64_t& q = *w.at(in.operand[1]);
  q = (q & ~uint64_t{lanes}) | (other & lanes);
}
void finish_comparison(Warp& w, const Record& in, uint32_t lanes, uint32_t result) {
  finish_comparison(w, in, lanes, result, in.bytes != 0 ? result : ~result);
}

namespace {

// The value that set writes if the comparison is true: 1.0 for a float type, all ones for an
// integer type.
std::optional<uint32_t> truth_of(Type type) {
  switch (type) {
    case Type::u32:
    case Type::s32:
      return 0xffffffffu;
    case Type::u16:
    case Type::s16:
      return 0xffffu;
    case Type::f32:
      return 0x3f800000u;
    case Type::f16:
      return 0x3c00u;
    case Type::bf16:
      return 0x3f80u;
    case Type::f16x2:
      return 0x3c003c00u;
    case Type::bf16x2:
      return 0x3f803f80u;
    default:
      return {};
  }
}

}  // namespace

bool decode_comparison(Decoder& d, Handler handler, Type type) {
  Record& record = d.record();
  std::vector<uint32_t> words;
  if (d.name() == "set") {
    const Type result = d.type(0);
    const auto truth = truth_of(result);
    if (!truth || d.types() != 2) return false;
    record.bytes = static_cast<uint8_t>(bytes_of(result));
    record.target = *truth;
    words = {d.destination(0, result), d.sink()};
  } else {
    const auto [p, q] = d.destination_pair(0, Type::pred, Type::pred);
    words = {p, q};
  }
  words.push_back(d.source(1, type));
  words.push_back(d.source(2, type));
  if (d.operands() > 3) {
    words.push_back(d.source(3, Type::pred));
    record.immediate = d.has("and") ? 1 : d.has("or") ? 2 : d.has("xor") ? 3 : 0;
    if (record.immediate == 0) return false;
  }
  record.handler = handler;
  d.set_operands(std::move(words));
  return true;
}

std::span<const DecodeRow> comparison_rows() { return comparison_table; }

}  // namespace heddle::emulator::ptx
