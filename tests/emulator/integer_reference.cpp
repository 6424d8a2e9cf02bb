#include "integer_reference.h"

#include <algorithm>
#include <array>
#include <limits>

namespace heddle::emulator::testing {
namespace {

using Wide = __int128;

// VCC of the test's waves has a bit of each lane; the mask of VOP3 is s[20:21]
// (modifiers_test.cpp).
struct Sources {
  const LaneState& lane;
  Wide u(int i) const { return lane.source[first_source + 2 * static_cast<std::size_t>(i)]; }
  Wide s(int i) const { return static_cast<int32_t>(u(i)); }
  Wide u16(int i) const { return static_cast<uint16_t>(u(i)); }
  Wide s16(int i) const { return static_cast<int16_t>(u(i)); }
  Wide u24(int i) const { return u(i) & 0xffffff; }
  Wide s24(int i) const { return static_cast<int32_t>(static_cast<uint32_t>(u(i)) << 8) >> 8; }
  Wide high(int i) const { return static_cast<uint16_t>(u(i) >> 16); }
  Wide signed_high(int i) const { return static_cast<int16_t>(u(i) >> 16); }
  Wide u64(int i) const { return u(i) | u_after(i) << 32; }
  Wide s64(int i) const { return static_cast<int64_t>(static_cast<uint64_t>(u64(i))); }
  Wide byte(int i, int b) const { return u(i) >> (8 * b) & 0xff; }
  Wide carry() const { return lane.mask; }
  Wide old() const { return static_cast<int32_t>(lane.result[0]); }  // of what accumulates
  // The sum of the products of signed pieces of the first two sources.
  Wide products(int bits) const {
    Wide sum = 0;
    for (int at = 0; at < 32; at += bits) {
      const auto piece = [&](int i) {
        return static_cast<int32_t>(static_cast<uint32_t>(u(i)) << (32 - bits - at)) >> (32 - bits);
      };
      sum += Wide{piece(0)} * piece(1);
    }
    return sum;
  }

 private:
  Wide u_after(int i) const {
    return lane.source[first_source + 2 * static_cast<std::size_t>(i) + 1];
  }
};

Wide distance(Wide a, Wide b) { return a > b ? a - b : b - a; }

Wide byte_distances(const Sources& x, bool masked) {
  Wide sum = 0;
  for (int b = 0; b < 4; ++b)
    if (!masked || x.byte(1, b) != 0) sum += distance(x.byte(0, b), x.byte(1, b));
  return sum;
}

// Four sums of four distances, each from one byte of the first source further up.
Wide shifted_distances(const Sources& x, int from, bool masked) {
  Wide sum = 0;
  for (int b = 0; b < 4; ++b) {
    const Wide a = x.u64(0) >> (8 * (from + b)) & 0xff;
    if (!masked || x.byte(1, b) != 0) sum += distance(a, x.byte(1, b));
  }
  return sum;
}

enum class Range { u16, i16, u32, i32, u64, i64 };

Wide between_ends(Wide x, Range range);

// A sum inside its range, and the larger or the smaller of that and another number.
Wide larger(Wide sum, Range range, Wide other) { return std::max(between_ends(sum, range), other); }
Wide smaller(Wide sum, Range range, Wide other) {
  return std::min(between_ends(sum, range), other);
}

Wide between_ends(Wide x, Range range) {
  const auto ends = [&](auto sample) {
    using T = decltype(sample);
    return std::clamp<Wide>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  };
  switch (range) {
    case Range::u16:
      return ends(uint16_t{});
    case Range::i16:
      return ends(int16_t{});
    case Range::u32:
      return ends(uint32_t{});
    case Range::i32:
      return ends(int32_t{});
    case Range::u64:
      return ends(uint64_t{});
    case Range::i64:
      return ends(int64_t{});
  }
  return x;
}

struct Entry {
  std::string_view mnemonic;
  Range range;
  Wide (*exact)(const Sources& x);
};

using S = const Sources&;
constexpr Entry entries[] = {
    {"v_add_nc_u32", Range::u32, [](S x) { return x.u(0) + x.u(1); }},
    {"v_sub_nc_u32", Range::u32, [](S x) { return x.u(0) - x.u(1); }},
    {"v_subrev_nc_u32", Range::u32, [](S x) { return x.u(1) - x.u(0); }},
    {"v_add_nc_i32", Range::i32, [](S x) { return x.s(0) + x.s(1); }},
    {"v_sub_nc_i32", Range::i32, [](S x) { return x.s(0) - x.s(1); }},
    {"v_add_nc_u16", Range::u16, [](S x) { return x.u16(0) + x.u16(1); }},
    {"v_sub_nc_u16", Range::u16, [](S x) { return x.u16(0) - x.u16(1); }},
    {"v_add_nc_i16", Range::i16, [](S x) { return x.s16(0) + x.s16(1); }},
    {"v_sub_nc_i16", Range::i16, [](S x) { return x.s16(0) - x.s16(1); }},
    {"v_add_co_u32", Range::u32, [](S x) { return x.u(0) + x.u(1); }},
    {"v_sub_co_u32", Range::u32, [](S x) { return x.u(0) - x.u(1); }},
    {"v_subrev_co_u32", Range::u32, [](S x) { return x.u(1) - x.u(0); }},
    {"v_add_co_ci_u32", Range::u32, [](S x) { return x.u(0) + x.u(1) + x.carry(); }},
    {"v_sub_co_ci_u32", Range::u32, [](S x) { return x.u(0) - x.u(1) - x.carry(); }},
    {"v_subrev_co_ci_u32", Range::u32, [](S x) { return x.u(1) - x.u(0) - x.carry(); }},
    {"v_mad_u16", Range::u16, [](S x) { return x.u16(0) * x.u16(1) + x.u16(2); }},
    {"v_mad_i16", Range::i16, [](S x) { return x.s16(0) * x.s16(1) + x.s16(2); }},
    {"v_mad_u32_u16", Range::u32, [](S x) { return x.u16(0) * x.u16(1) + x.u(2); }},
    {"v_mad_i32_i16", Range::i32, [](S x) { return x.s16(0) * x.s16(1) + x.s(2); }},
    {"v_mad_u32_u24", Range::u32, [](S x) { return x.u24(0) * x.u24(1) + x.u(2); }},
    {"v_mad_i32_i24", Range::i32, [](S x) { return x.s24(0) * x.s24(1) + x.s(2); }},
    {"v_mad_u64_u32", Range::u64, [](S x) { return x.u(0) * x.u(1) + x.u64(2); }},
    {"v_mad_co_u64_u32", Range::u64, [](S x) { return x.u(0) * x.u(1) + x.u64(2); }},
    {"v_mad_i64_i32", Range::i64, [](S x) { return x.s(0) * x.s(1) + x.s64(2); }},
    {"v_mad_co_i64_i32", Range::i64, [](S x) { return x.s(0) * x.s(1) + x.s64(2); }},
    {"v_mul_u32_u24", Range::u32, [](S x) { return x.u24(0) * x.u24(1); }},
    {"v_mul_i32_i24", Range::i32, [](S x) { return x.s24(0) * x.s24(1); }},
    {"v_sad_u8", Range::u32, [](S x) { return byte_distances(x, false) + x.u(2); }},
    {"v_msad_u8", Range::u32, [](S x) { return byte_distances(x, true) + x.u(2); }},
    {"v_sad_hi_u8", Range::u32, [](S x) { return (byte_distances(x, false) << 16) + x.u(2); }},
    {"v_sad_u16", Range::u32,
     [](S x) { return distance(x.u16(0), x.u16(1)) + distance(x.high(0), x.high(1)) + x.u(2); }},
    {"v_subrev_u16", Range::u16, [](S x) { return x.u16(1) - x.u16(0); }},
    {"v_add_nc_u64", Range::u64, [](S x) { return x.u64(0) + x.u64(1); }},
    {"v_sub_nc_u64", Range::u64, [](S x) { return x.u64(0) - x.u64(1); }},
    {"v_mad_nc_u64_u32", Range::u64, [](S x) { return x.u(0) * x.u(1) + x.u64(2); }},
    {"v_mad_nc_i64_i32", Range::i64, [](S x) { return x.s(0) * x.s(1) + x.s64(2); }},
    {"v_add_max_u32", Range::u32, [](S x) { return larger(x.u(0) + x.u(1), Range::u32, x.u(2)); }},
    {"v_add_min_u32", Range::u32, [](S x) { return smaller(x.u(0) + x.u(1), Range::u32, x.u(2)); }},
    {"v_add_max_i32", Range::i32, [](S x) { return larger(x.s(0) + x.s(1), Range::i32, x.s(2)); }},
    {"v_add_min_i32", Range::i32, [](S x) { return smaller(x.s(0) + x.s(1), Range::i32, x.s(2)); }},
    {"v_dot4_i32_i8", Range::i32, [](S x) { return x.products(8) + x.s(2); }},
    {"v_dot8_i32_i4", Range::i32, [](S x) { return x.products(4) + x.s(2); }},
    {"v_dot2_i32_i16", Range::i32, [](S x) { return x.products(16) + x.s(2); }},
    {"v_dot2_u32_u16", Range::u32,
     [](S x) { return x.u16(0) * x.u16(1) + x.high(0) * x.high(1) + x.u(2); }},
    {"v_dot4c_i32_i8", Range::i32, [](S x) { return x.products(8) + x.old(); }},
    {"v_dot8c_i32_i4", Range::i32, [](S x) { return x.products(4) + x.old(); }},
    {"v_dot2c_i32_i16", Range::i32, [](S x) { return x.products(16) + x.old(); }},
    {"v_sad_u32", Range::u32, [](S x) { return distance(x.u(0), x.u(1)) + x.u(2); }},
};

// Packed: for the lower and the upper half.
struct PackedEntry {
  std::string_view mnemonic;
  Range range;
  Wide (*low)(const Sources& x);
  Wide (*high)(const Sources& x);
};

constexpr PackedEntry packed_entries[] = {
    {"v_pk_add_u16", Range::u16, [](S x) { return x.u16(0) + x.u16(1); },
     [](S x) { return x.high(0) + x.high(1); }},
    {"v_pk_sub_u16", Range::u16, [](S x) { return x.u16(0) - x.u16(1); },
     [](S x) { return x.high(0) - x.high(1); }},
    {"v_pk_add_i16", Range::i16, [](S x) { return x.s16(0) + x.s16(1); },
     [](S x) { return x.signed_high(0) + x.signed_high(1); }},
    {"v_pk_sub_i16", Range::i16, [](S x) { return x.s16(0) - x.s16(1); },
     [](S x) { return x.signed_high(0) - x.signed_high(1); }},
    {"v_pk_mad_u16", Range::u16, [](S x) { return x.u16(0) * x.u16(1) + x.u16(2); },
     [](S x) { return x.high(0) * x.high(1) + x.high(2); }},
    {"v_pk_mad_i16", Range::i16, [](S x) { return x.s16(0) * x.s16(1) + x.s16(2); },
     [](S x) { return x.signed_high(0) * x.signed_high(1) + x.signed_high(2); }},
    {"v_pk_add_max_u16", Range::u16,
     [](S x) { return larger(x.u16(0) + x.u16(1), Range::u16, x.u16(2)); },
     [](S x) { return larger(x.high(0) + x.high(1), Range::u16, x.high(2)); }},
    {"v_pk_add_min_u16", Range::u16,
     [](S x) { return smaller(x.u16(0) + x.u16(1), Range::u16, x.u16(2)); },
     [](S x) { return smaller(x.high(0) + x.high(1), Range::u16, x.high(2)); }},
    {"v_pk_add_max_i16", Range::i16,
     [](S x) { return larger(x.s16(0) + x.s16(1), Range::i16, x.s16(2)); },
     [](S x) { return larger(x.signed_high(0) + x.signed_high(1), Range::i16, x.signed_high(2)); }},
    {"v_pk_add_min_i16", Range::i16,
     [](S x) { return smaller(x.s16(0) + x.s16(1), Range::i16, x.s16(2)); },
     [](S x) {
       return smaller(x.signed_high(0) + x.signed_high(1), Range::i16, x.signed_high(2));
     }},
};

void store(LaneState& result, Wide x, Range range) {
  const auto bits = static_cast<uint64_t>(between_ends(x, range));
  uint32_t& word = result.result[0];
  if (range == Range::u16 || range == Range::i16)
    word = (word & 0xffff0000u) | static_cast<uint16_t>(bits);
  else
    word = static_cast<uint32_t>(bits);
  if (range == Range::u64 || range == Range::i64)
    result.result[1] = static_cast<uint32_t>(bits >> 32);
}

}  // namespace

std::function<void(const LaneState&, LaneState&)> integer_reference(std::string_view mnemonic) {
  for (const Entry& entry : entries)
    if (entry.mnemonic == mnemonic)
      return [&entry](const LaneState& in, LaneState& result) {
        store(result, entry.exact(Sources{in}), entry.range);
      };
  for (const PackedEntry& entry : packed_entries)
    if (entry.mnemonic == mnemonic)
      return [&entry](const LaneState& in, LaneState& result) {
        const auto low = static_cast<uint16_t>(between_ends(entry.low(Sources{in}), entry.range)),
                   high = static_cast<uint16_t>(between_ends(entry.high(Sources{in}), entry.range));
        result.result[0] = low | uint32_t{high} << 16;
      };
  const bool masked = mnemonic == "v_mqsad_pk_u16_u8";
  if (masked || mnemonic == "v_qsad_pk_u16_u8")
    return [masked](const LaneState& in, LaneState& result) {
      const Sources x{in};
      std::array<uint32_t, 4> sums{};
      for (int i = 0; i < 4; ++i)
        sums[static_cast<std::size_t>(i)] = static_cast<uint32_t>(between_ends(
            shifted_distances(x, i, masked) + (x.u64(2) >> (16 * i) & 0xffff), Range::u16));
      result.result[0] = sums[0] | sums[1] << 16;
      result.result[1] = sums[2] | sums[3] << 16;
    };
  if (mnemonic == "v_mqsad_u32_u8")
    return [](const LaneState& in, LaneState& result) {
      const Sources x{in};
      for (int i = 0; i < 4; ++i) {
        const auto at = static_cast<std::size_t>(i);
        result.result[at] = static_cast<uint32_t>(between_ends(
            shifted_distances(x, i, true) + in.source[first_source + 4 + at], Range::u32));
      }
    };
  return {};
}

}  // namespace heddle::emulator::testing
