// Moves, loads, stores and addresses.
#include <algorithm>
#include <array>
#include <span>

#include "emulator/ptx/asynchronous.h"
#include "emulator/ptx/elementwise.h"
#include "emulator/ptx/races.h"

namespace heddle::emulator::ptx {
namespace {

// --- mov -----------------------------------------------------------------------------------------

template <class T>
struct Same {
  T operator()(T a) const { return a; }
};
void move_predicate(Warp& w, const Record& in, uint32_t lanes) {
  uint64_t& d = *w.at(in.operand[0]);
  d = (d & ~uint64_t{lanes}) | (*w.at(in.operand[1]) & lanes);
}
// mov d, {a, b}: joins `count` parts of `bytes` bytes each in one register, the first one lowest.
void join(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    uint64_t result = 0;
    for (unsigned i = 0; i < in.count; ++i) {
      const uint64_t part = w.at(in.operand[1 + i])[l] & (~uint64_t{0} >> (64 - 8 * in.bytes));
      result |= part << (8 * in.bytes * i);
    }
    w.at(in.operand[0])[l] = result;
  });
}
void join_wide(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    const Wide high = w.at(in.operand[2])[l];
    put<Wide>(w.at(in.operand[0]), l, high << 64 | w.at(in.operand[1])[l]);
  });
}
void split_wide(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    const auto whole = get<Wide>(w.at(in.operand[2]), l);
    w.at(in.operand[0])[l] = static_cast<uint64_t>(whole);
    w.at(in.operand[1])[l] = static_cast<uint64_t>(whole >> 64);
  });
}
void split(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t whole = w.at(in.operand[in.count])[l];
    for (unsigned i = 0; i < in.count; ++i)
      w.at(in.operand[i])[l] = whole >> (8 * in.bytes * i) & (~uint64_t{0} >> (64 - 8 * in.bytes));
  });
}

bool move(Decoder& d) {
  const Type type = d.type();
  Record& record = d.record();
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (type == Type::pred) return same_typed(d, move_predicate, 1);
  if (bytes_of(type) == 0) return false;
  if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) {
    const bool joins = from.kind == Operand::Kind::vector;
    const auto parts = d.parts(joins ? 1 : 0);
    if (parts.empty() || bytes_of(type) % static_cast<int>(parts.size()) != 0 || parts.size() > 4)
      d.bad("a vector of 2 or 4 parts is expected here");
    record.count = static_cast<uint8_t>(parts.size());
    record.bytes = static_cast<uint8_t>(bytes_of(type) / static_cast<int>(parts.size()));
    std::vector<uint32_t> words;
    const Type each = record.bytes == 1   ? Type::b8
                      : record.bytes == 2 ? Type::b16
                      : record.bytes == 4 ? Type::b32
                                          : Type::b64;
    if (joins) words.push_back(d.destination(0, type));
    for (const Operand* part : parts)
      words.push_back(joins ? d.source(*part, each) : d.destination(*part, each));
    if (!joins) words.push_back(d.source(1, type));
    if (type == Type::b128 && parts.size() != 2) d.bad("a vector of 2 parts is expected here");
    if (type == Type::b128)
      record.handler = joins ? join_wide : split_wide;
    else
      record.handler = joins ? join : split;
    d.set_operands(std::move(words));
    return true;
  }
  record.is_move = from.kind == Operand::Kind::reg;
  // A constant written as 0f… is copied bit by bit, so the type does not matter.
  record.handler = bytes_of(type) == 16  ? unary<Wide, Wide, Same<Wide>>
                   : bytes_of(type) == 8 ? unary<uint64_t, uint64_t, Same<uint64_t>>
                   : bytes_of(type) == 4 ? unary<uint32_t, uint32_t, Same<uint32_t>>
                                         : unary<uint16_t, uint16_t, Same<uint16_t>>;
  d.set_operands({d.destination(0, type), d.source(1, type)});
  return true;
}

// --- ld and st -----------------------------------------------------------------------------------

void count_access(Warp& w, const Record& in, uint32_t lanes,
                  const std::array<uint64_t, 32>& addresses, bool is_load) {
  Counts& counts = w.block->cluster->counts;
  const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
  const uint32_t bytes = uint32_t{in.bytes} * in.count;
  const uint64_t all = uint64_t{bytes} * static_cast<unsigned>(__builtin_popcount(lanes));
  if (is_shared(in.space, addresses[lane])) {
    (is_load ? counts.shared_read : counts.shared_written) += all;
    count_shared(w, in, lanes, addresses.data(), static_cast<int>(bytes), is_load, 0);
  } else if (in.space == Space::local ||
             (in.space == Space::generic && addresses[lane] >> region_shift == private_region)) {
    counts.local += all;
  } else if (in.space != Space::param && in.space != Space::constant) {
    (is_load ? counts.global_read : counts.global_written) += all;
  }
  count_global(w, in, lanes, addresses.data(), bytes);
}

std::array<uint64_t, 32> addresses_of(Warp& w, const Record& in, uint32_t word, uint32_t lanes) {
  std::array<uint64_t, 32> addresses{};
  const bool narrow = in.space == Space::shared || in.space == Space::local;
  for_lanes(lanes, [&](unsigned l) {
    addresses[l] = w.at(word)[l] + static_cast<uint64_t>(in.immediate);
    if (narrow) addresses[l] = static_cast<uint32_t>(addresses[l]);
  });
  return addresses;
}

// Operands: the destination registers, then the address. If T is signed, values are sign-extended.
template <class T>
void load(Warp& w, const Record& in, uint32_t lanes) {
  const auto addresses = addresses_of(w, in, in.operand[in.count], lanes);
  const uint32_t bytes = static_cast<uint32_t>(sizeof(T)) * in.count;
  constexpr std::size_t pitch = RaceWatch::Compared::pitch;
  std::array<std::byte, 32 * pitch> loaded;
  bool is_partial = false;  // a dword that ends beyond the memory is among them
  for_lanes(lanes, [&](unsigned l) {
    if (w.event != Event::none) return;
    if (sizeof(T) == 4 && in.count == 1) {
      if (const auto dword = partial_dword(w, addresses[l], in.space, false);
          dword && exchanges_dwords(w, in)) [[unlikely]] {
        put<T>(w.at(in.operand[0]), l, static_cast<T>(dword->word));
        is_partial = true;
        return;
      }
    }
    const std::byte* from = access(w, in, l, addresses[l], bytes, in.space, false);
    if (from == nullptr) return;
    for (unsigned i = 0; i < in.count; ++i) {
      T value;
      std::memcpy(&value, from + i * sizeof(T), sizeof(T));
      if constexpr (std::is_signed_v<T>)
        put<int64_t>(w.at(in.operand[i]), l, value);
      else
        put<T>(w.at(in.operand[i]), l, value);
    }
  });
  if (w.event != Event::none) return;
  if (RaceWatch* watch = w.block->cluster->watch) {
    if (is_partial)
      for_lanes(lanes, [&](unsigned l) {
        std::memcpy(loaded.data() + pitch * l, &w.at(in.operand[0])[l], 4);
      });
    const uint32_t uncertain = watch->load_to_registers(
        w, in, lanes, addresses.data(), bytes, {is_partial ? loaded.data() : nullptr, nullptr});
    watch->defined().load(w, in, in.space, lanes, addresses.data(), {in.operand, in.count},
                          sizeof(T), std::is_signed_v<T>);
    if (uncertain != 0) watch->defined().doubt(w, in, uncertain, {in.operand, in.count}, sizeof(T));
  }
  count_access(w, in, lanes, addresses, true);
}

template <class T>
void store(Warp& w, const Record& in, uint32_t lanes) {
  const auto addresses = addresses_of(w, in, in.operand[in.count], lanes);
  const uint32_t bytes = static_cast<uint32_t>(sizeof(T)) * in.count;
  std::array<std::byte*, 32> places{};
  for_lanes(lanes, [&](unsigned l) {
    if (w.event == Event::none) places[l] = access(w, in, l, addresses[l], bytes, in.space, true);
  });
  if (w.event != Event::none) return;
  const auto copy = [&](unsigned l, std::byte* to) {
    for (unsigned i = 0; i < in.count; ++i) {
      const T value = get<T>(w.at(in.operand[i]), l);
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  };
  if (RaceWatch* watch = w.block->cluster->watch) {
    std::array<std::byte, 1024> data;
    for_lanes(lanes, [&](unsigned l) { copy(l, data.data() + std::size_t{32} * l); });
    watch->store(w, in, in.space, lanes, addresses.data(), bytes, data.data());
    watch->defined().store(w, in, in.space, lanes, addresses.data(), {in.operand, in.count},
                           sizeof(T));
  }
  for_lanes(lanes, [&](unsigned l) { copy(l, places[l]); });
  count_access(w, in, lanes, addresses, false);
  if (in.space != Space::local) ++w.block->cluster->changes;
}

Handler load_of(Type type) {
  switch (type) {
    case Type::s8:
      return load<int8_t>;
    case Type::s16:
      return load<int16_t>;
    case Type::s32:
      return load<int32_t>;
    default:
      break;
  }
  switch (bytes_of(type)) {
    case 1:
      return load<uint8_t>;
    case 2:
      return load<uint16_t>;
    case 4:
      return load<uint32_t>;
    case 8:
      return load<uint64_t>;
    default:
      return nullptr;
  }
}
Handler store_of(Type type) {
  switch (bytes_of(type)) {
    case 1:
      return store<uint8_t>;
    case 2:
      return store<uint16_t>;
    case 4:
      return store<uint32_t>;
    case 8:
      return store<uint64_t>;
    default:
      return nullptr;
  }
}

// Decodes ld and st. A register may be wider than the type that is loaded or stored.
bool load_or_store(Decoder& d, bool loads) {
  Record& record = d.record();
  const Type type = d.type();
  record.space = d.space();
  // A register of 128 bits is two.
  const bool wide = type == Type::b128;
  record.handler = loads ? load_of(wide ? Type::b64 : type) : store_of(wide ? Type::b64 : type);
  if (record.handler == nullptr) return false;
  const auto parts = d.parts(loads ? 0 : 1);
  const std::size_t wanted = d.has("v8") ? 8 : d.has("v4") ? 4 : d.has("v2") ? 2 : 1;
  if (parts.size() != wanted)
    d.bad(d.operand(loads ? 0 : 1), "a vector of as many registers as .v says is expected here");
  record.count = static_cast<uint8_t>(wide ? 2 : wanted);
  record.bytes = static_cast<uint8_t>(wide ? 8 : bytes_of(type));
  if (record.count * record.bytes > 32 || (wide && wanted != 1)) return false;
  std::vector<uint32_t> words;
  for (const Operand* part : parts) {
    words.push_back(loads ? d.destination(*part, type, Fit::wider)
                          : d.source(*part, type, Fit::wider));
    if (wide) words.push_back(words.back() + lanes_of_warp);
  }
  words.push_back(d.address(d.operand(loads ? 1 : 0)));
  d.set_order(false);
  d.set_operands(std::move(words));
  return true;
}
bool load_any(Decoder& d) { return load_or_store(d, true); }
bool store_any(Decoder& d) {
  return d.has("async") ? decode_asynchronous_store(d) : load_or_store(d, false);
}

// --- addresses -----------------------------------------------------------------------------------

// The generic address at which the window of a state space begins; 0 if addresses in the space are
// generic addresses already.
uint64_t window(Space space) {
  if (space == Space::shared) return region_start(shared_region);
  if (space == Space::local) return region_start(private_region);
  if (space == Space::param) return parameter_base;
  return 0;
}

void convert_address(Warp& w, const Record& in, uint32_t lanes) {
  const auto base = static_cast<uint64_t>(in.immediate);
  for_lanes(lanes, [&](unsigned l) {
    uint64_t address = w.at(in.operand[1])[l];
    if (base != 0) address = static_cast<uint32_t>(address) + (in.detail ? 0 : base);
    w.at(in.operand[0])[l] = address;
  });
}
bool generic_address(Decoder& d) {
  d.record().immediate = static_cast<int64_t>(window(d.space()));
  d.record().detail = d.has("to");
  d.record().handler = convert_address;
  const Type type = d.type() == Type::u32 ? Type::u32 : Type::u64;
  d.set_operands({d.destination(0, type), d.source(1, type)});
  return true;
}

void is_in_space(Warp& w, const Record& in, uint32_t lanes) {
  uint32_t result = 0;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t region = w.at(in.operand[1])[l] >> region_shift;
    const Space found = region == shared_region     ? Space::shared
                        : region == private_region  ? Space::local
                        : region == argument_region ? Space::param
                                                    : Space::global;
    if (found == in.space) result |= 1u << l;
  });
  uint64_t& p = *w.at(in.operand[0]);
  p = (p & ~uint64_t{lanes}) | result;
}
bool space_question(Decoder& d) {
  d.record().space = d.space();
  d.record().handler = is_in_space;
  d.set_operands({d.destination(0, Type::pred), d.source(1, Type::u64)});
  return true;
}

// mapa: the address of the same variable in the shared memory of another block of the cluster. If
// there is no such block, the result is still an address, and only an access to this address is a
// fault, because compilers also compute such addresses for lanes that do not use them.
void map_address(Warp& w, const Record& in, uint32_t lanes) {
  constexpr uint32_t last_rank = (1u << (32 - rank_shift)) - 2;
  for_lanes(lanes, [&](unsigned l) {
    const uint64_t address = w.at(in.operand[1])[l];
    const auto rank = std::min(get<uint32_t>(w.at(in.operand[2]), l), last_rank);
    const uint32_t offset = static_cast<uint32_t>(address) & ((1u << rank_shift) - 1);
    const uint64_t mapped = (rank + 1) << rank_shift | offset;
    w.at(in.operand[0])[l] = mapped + (in.detail ? 0 : region_start(shared_region));
  });
}
bool mapping(Decoder& d) {
  d.record().detail = d.has("shared::cluster");
  d.record().handler = map_address;
  const Type type = d.type();
  d.set_operands({d.destination(0, type), d.source(1, type), d.source(2, Type::u32)});
  return true;
}
// getctarank: the rank of the block whose shared memory contains the address.
void rank_of_address(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) {
    const uint32_t tag = static_cast<uint32_t>(w.at(in.operand[1])[l]) >> rank_shift;
    put<uint32_t>(w.at(in.operand[0]), l, tag == 0 ? w.block->rank : tag - 1);
  });
}
bool rank_question(Decoder& d) {
  d.record().handler = rank_of_address;
  d.set_operands({d.destination(0, Type::u32), d.source(1, d.type())});
  return true;
}

void zero_policy(Warp& w, const Record& in, uint32_t lanes) {
  for_lanes(lanes, [&](unsigned l) { w.at(in.operand[0])[l] = 0; });
}
bool policy(Decoder& d) {
  d.read_all();
  d.record().handler = zero_policy;
  d.set_operands({d.destination(0, Type::b64)});
  return true;
}

// Cache hints, which change nothing, and the modifiers of scope and order, which set_order() reads.
constexpr std::string_view cache_hints =
    "weak volatile mmio ca cg cs lu cv wb wt nc unified L1::* L2::*";

constexpr DecodeRow memory_table[] = {
    {"mov", move, "", Flow::exact},
    {"ld", load_any, cache_hints, Flow::memory},
    {"ldu", load_any, cache_hints, Flow::memory},
    {"st", store_any, cache_hints, Flow::memory},
    {"cvta", generic_address},
    {"isspacep", space_question},
    {"mapa", mapping},
    {"getctarank", rank_question, "shared::cluster"},
    {"prefetch", decode_no_operation},
    {"prefetchu", decode_no_operation},
    {"applypriority", decode_no_operation},
    {"discard", decode_no_operation},
    {"createpolicy", policy},
    {"pmevent", decode_no_operation},
};

}  // namespace

std::span<const DecodeRow> memory_rows() { return memory_table; }

}  // namespace heddle::emulator::ptx
