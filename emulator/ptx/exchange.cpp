// Exchanges between the lanes of a warp: shfl, vote, match, redux, elect, activemask.
#include <bit>
#include <cmath>
#include <span>

#include "emulator/ptx/elementwise.h"

namespace heddle::emulator::ptx {
namespace {

// Operands: d, p, a, b, c, the mask of members. Follows the pseudocode of PTX ISA 9.0, "shfl.sync".
void shuffle_members(Warp& w, const Record& in, uint32_t lanes) {
  std::array<uint32_t, 32> result{};
  uint32_t predicate = 0;
  const uint64_t* a = w.at(in.operand[2]);
  for_lanes(lanes, [&](unsigned lane) {
    const uint32_t b = get<uint32_t>(w.at(in.operand[3]), lane) & 31;
    const auto c = get<uint32_t>(w.at(in.operand[4]), lane);
    const uint32_t segment = c >> 8 & 31, clamp = c & 31;
    const int most = static_cast<int>((lane & segment) | (clamp & ~segment));
    const int least = static_cast<int>(lane & segment);
    int from = 0;
    bool fits = false;
    const int here = static_cast<int>(lane);
    switch (in.detail) {
      case 0:
        from = here - static_cast<int>(b);
        fits = from >= most;
        break;
      case 1:
        from = here + static_cast<int>(b);
        fits = from <= most;
        break;
      case 2:
        from = here ^ static_cast<int>(b);
        fits = from <= most;
        break;
      default:
        from = least | static_cast<int>(b & ~segment);
        fits = from <= most;
        break;
    }
    if (!fits) from = here;
    if (fits) predicate |= 1u << lane;
    result[lane] = get<uint32_t>(a, static_cast<unsigned>(from) & 31);
  });
  for_lanes(lanes, [&](unsigned lane) { put(w.at(in.operand[0]), lane, result[lane]); });
  uint64_t& p = *w.at(in.operand[1]);
  p = (p & ~uint64_t{lanes}) | predicate;
}
void shuffle(Warp& w, const Record& in, uint32_t lanes) {
  for_members(w, in, lanes, in.operand[5],
              [&](uint32_t members) { shuffle_members(w, in, members); });
}
bool shuffling(Decoder& d) {
  constexpr std::string_view modes[] = {"up", "down", "bfly", "idx"};
  int mode = -1;
  for (int i = 0; i < 4; ++i)
    if (d.has(modes[i])) mode = i;
  if (mode < 0 || !d.has("sync")) return false;
  Record& record = d.record();
  record.detail = static_cast<uint8_t>(mode);
  record.is_warp_wide = true;
  record.handler = shuffle;
  const auto [result, p] = d.destination_pair(0, Type::b32, Type::pred);
  d.set_operands({result, p, d.source(1, Type::b32), d.source(2, Type::b32), d.source(3, Type::b32),
                  d.source(4, Type::b32)});
  return true;
}

// Operands: d, p, members.
void vote_of_members(Warp& w, const Record& in, uint32_t lanes) {
  auto p = static_cast<uint32_t>(*w.at(in.operand[1]));
  p &= lanes;
  if (in.detail == 3) {
    for_lanes(lanes, [&](unsigned lane) { put(w.at(in.operand[0]), lane, p); });
    return;
  }
  const bool result = in.detail == 0 ? p == lanes : in.detail == 1 ? p != 0 : p == 0 || p == lanes;
  uint64_t& d = *w.at(in.operand[0]);
  d = (d & ~uint64_t{lanes}) | (result ? lanes : 0);
}
void vote(Warp& w, const Record& in, uint32_t lanes) {
  for_members(w, in, lanes, in.operand[2],
              [&](uint32_t members) { vote_of_members(w, in, members); });
}
bool voting(Decoder& d) {
  constexpr std::string_view modes[] = {"all", "any", "uni", "ballot"};
  int mode = -1;
  for (int i = 0; i < 4; ++i)
    if (d.has(modes[i])) mode = i;
  if (mode < 0 || !d.has("sync")) return false;
  d.record().detail = static_cast<uint8_t>(mode);
  d.record().is_warp_wide = true;
  d.record().handler = vote;
  d.set_operands({d.destination(0, mode == 3 ? Type::b32 : Type::pred), d.source(1, Type::pred),
                  d.source(2, Type::b32)});
  return true;
}

// Operands: d, p, a, members.
template <class T>
void match_members(Warp& w, const Record& in, uint32_t lanes) {
  const uint64_t* a = w.at(in.operand[2]);
  std::array<uint32_t, 32> same{};
  for_lanes(lanes, [&](unsigned l) {
    for_lanes(lanes, [&](unsigned other) {
      if (get<T>(a, l) == get<T>(a, other)) same[l] |= 1u << other;
    });
  });
  bool all = true;
  for_lanes(lanes, [&](unsigned l) { all &= same[l] == lanes; });
  for_lanes(lanes, [&](unsigned l) {
    put<uint32_t>(w.at(in.operand[0]), l, in.detail ? (all ? lanes : 0) : same[l]);
  });
  uint64_t& p = *w.at(in.operand[1]);
  p = (p & ~uint64_t{lanes}) | (all ? lanes : 0);
}
template <class T>
void match(Warp& w, const Record& in, uint32_t lanes) {
  for_members(w, in, lanes, in.operand[3],
              [&](uint32_t members) { match_members<T>(w, in, members); });
}
bool matching(Decoder& d) {
  if (!d.has("sync")) return false;
  d.record().detail = d.has("all");
  d.record().is_warp_wide = true;
  d.record().handler = d.type() == Type::b64 ? match<uint64_t> : match<uint32_t>;
  const auto [result, p] = d.destination_pair(0, Type::b32, Type::pred);
  d.set_operands({result, p, d.source(1, d.type()), d.source(2, Type::b32)});
  return true;
}

enum Reduction : uint8_t { add, minimum, maximum, logic_and, logic_or, logic_xor };

template <class T>
void reduce_members(Warp& w, const Record& in, uint32_t lanes) {
  const uint64_t* a = w.at(in.operand[1]);
  T result = get<T>(a, static_cast<unsigned>(std::countr_zero(lanes)));
  for_lanes(lanes & (lanes - 1), [&](unsigned l) {
    const T x = get<T>(a, l);
    switch (in.detail) {
      case add:
        result = static_cast<T>(static_cast<uint32_t>(result) + static_cast<uint32_t>(x));
        break;
      case minimum:
        result = x < result ? x : result;
        break;
      case maximum:
        result = result < x ? x : result;
        break;
      case logic_and:
        result &= x;
        break;
      case logic_or:
        result |= x;
        break;
      default:
        result ^= x;
        break;
    }
  });
  for_lanes(lanes, [&](unsigned l) { put<T>(w.at(in.operand[0]), l, result); });
}
template <class T>
void reduce(Warp& w, const Record& in, uint32_t lanes) {
  for_members(w, in, lanes, in.operand[2],
              [&](uint32_t members) { reduce_members<T>(w, in, members); });
}
// Without .NaN, the result is NaN only if all values are NaN. -0 is less than +0 (PTX ISA 9.0,
// "redux.sync").
void reduce_floats_of_members(Warp& w, const Record& in, uint32_t lanes) {
  const bool keeps_nan = in.immediate & 1, magnitudes = in.immediate & 2;
  const uint64_t* a = w.at(in.operand[1]);
  bool any_nan = false, found = false;
  float result = 0;
  for_lanes(lanes, [&](unsigned l) {
    float x = std::bit_cast<float>(get<uint32_t>(a, l));
    if (magnitudes) x = std::fabs(x);
    if (x != x) {
      any_nan = true;
      return;
    }
    const bool is_less = x < result || (x == result && std::signbit(x) && !std::signbit(result));
    const bool is_more = x > result || (x == result && !std::signbit(x) && std::signbit(result));
    if (!found || (in.detail == minimum ? is_less : is_more)) result = x;
    found = true;
  });
  const bool is_nan = !found || (keeps_nan && any_nan);
  const uint32_t bits = is_nan ? 0x7fffffffu : std::bit_cast<uint32_t>(result);
  for_lanes(lanes, [&](unsigned l) { put<uint32_t>(w.at(in.operand[0]), l, bits); });
}
void reduce_floats(Warp& w, const Record& in, uint32_t lanes) {
  for_members(w, in, lanes, in.operand[2],
              [&](uint32_t members) { reduce_floats_of_members(w, in, members); });
}
bool reduction(Decoder& d) {
  constexpr std::string_view names[] = {"add", "min", "max", "and", "or", "xor"};
  int how = -1;
  for (int i = 0; i < 6; ++i)
    if (d.has(names[i])) how = i;
  if (how < 0 || bytes_of(d.type()) != 4) return false;
  const bool is_float = d.type() == Type::f32;
  if (is_float && how != minimum && how != maximum) return false;
  d.record().detail = static_cast<uint8_t>(how);
  d.record().is_warp_wide = true;
  d.record().handler = is_float                ? reduce_floats
                       : d.type() == Type::s32 ? reduce<int32_t>
                                               : reduce<uint32_t>;
  if (is_float) d.record().immediate = d.has("NaN") | d.has("abs") << 1;
  d.set_operands({d.destination(0, d.type()), d.source(1, d.type()), d.source(2, Type::b32)});
  return true;
}

// Elects the lowest lane that takes part; PTX does not specify which one.
void elect(Warp& w, const Record& in, uint32_t lanes) {
  for_members(w, in, lanes, in.operand[2], [&](uint32_t members) {
    const uint32_t leader = members & (0 - members);
    for_lanes(members, [&](unsigned l) {
      put(w.at(in.operand[0]), l, static_cast<uint32_t>(std::countr_zero(leader)));
    });
    uint64_t& p = *w.at(in.operand[1]);
    p = (p & ~uint64_t{members}) | leader;
  });
}
bool election(Decoder& d) {
  d.record().is_warp_wide = true;
  d.record().handler = elect;
  if (d.operand(0).parts.empty()) d.bad(d.operand(0), "elect.sync writes d|p");
  const auto [result, p] = d.destination_pair(0, Type::b32, Type::pred);
  d.set_operands({result, p, d.source(1, Type::b32)});
  return true;
}

void active_mask(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) { put(w.at(in.operand[0]), l, lanes); });
}
bool activity(Decoder& d) {
  d.record().handler = active_mask;
  d.set_operands({d.destination(0, Type::b32)});
  return true;
}

constexpr DecodeRow exchange_table[] = {
    {"shfl", shuffling, "b32", Flow::exchange},
    {"vote", voting, "pred b32", Flow::exchange},
    {"match", matching, "any", Flow::across},
    {"redux", reduction, "sync", Flow::across},
    {"elect", election, "sync"},
    {"activemask", activity, "b32"},
};

}  // namespace

std::span<const DecodeRow> exchange_rows() { return exchange_table; }

}  // namespace heddle::emulator::ptx
