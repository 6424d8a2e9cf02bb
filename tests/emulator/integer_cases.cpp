// Host versions of the integer instructions, written from the ISA documents with scalar C++.
#include <algorithm>
#include <bit>

#include "instruction_cases.h"

namespace heddle::emulator::testing {
namespace {

using All = const std::vector<Input>&;

// One 32-bit result from the lane's own inputs.
Case word(std::string text, uint32_t (*f)(const Input&)) {
  return {"v_" + text,
          Fill::integers,
          [f](All, const Input& in, Output& out) { out.v[0] = f(in); },
          0,
          {}};
}
Case wide(std::string text, uint64_t (*f)(const Input&)) {
  return {"v_" + text,
          Fill::integers,
          [f](All, const Input& in, Output& out) {
            const uint64_t x = f(in);
            out.v[0] = static_cast<uint32_t>(x);
            out.v[1] = static_cast<uint32_t>(x >> 32);
          },
          0,
          {}};
}
Case mask(std::string text, bool (*f)(const Input&)) {
  return {"v_" + text,
          Fill::integers,
          [f](All, const Input& in, Output& out) { out.mask = f(in); },
          0,
          {}};
}
Case only(std::string target, Case c) {
  c.target = std::move(target);
  return c;
}

uint32_t with_low(const Input& in, uint32_t low) {
  return (in.old[0] & 0xffff0000u) | (low & 0xffffu);
}

int32_t sign24(uint32_t x) { return static_cast<int32_t>(x << 8) >> 8; }

uint32_t byte_of(uint64_t both, uint32_t selector) {
  selector &= 0xff;
  if (selector <= 7) return both >> (8 * selector) & 0xff;
  if (selector <= 11) return both >> (16 * (selector - 8) + 15) & 1 ? 0xff : 0;
  return selector == 12 ? 0 : 0xff;
}

}  // namespace

std::vector<Case> integer_cases() {
  std::vector<Case> cases = {
      word("mov_b32 v10, v1", [](const Input& in) { return in.v[1]; }),
      word("mov_b32 v10, s20", [](const Input& in) { return in.s20; }),
      word("mov_b32 v10, 0x12345678", [](const Input&) { return 0x12345678u; }),
      word("mov_b32 v10, -16", [](const Input&) { return 0xfffffff0u; }),
      word("mov_b32 v10, 0.5", [](const Input&) { return 0x3f000000u; }),
      word("not_b32 v10, v1", [](const Input& in) { return ~in.v[1]; }),
      word("add_nc_u32 v10, v1, v2", [](const Input& in) { return in.v[1] + in.v[2]; }),
      word("sub_nc_u32 v10, v1, v2", [](const Input& in) { return in.v[1] - in.v[2]; }),
      word("subrev_nc_u32 v10, v1, v2", [](const Input& in) { return in.v[2] - in.v[1]; }),
      word("add_nc_u32_e64 v10, v1, v2 clamp",
           [](const Input& in) {
             return static_cast<uint32_t>(
                 std::min<uint64_t>(uint64_t{in.v[1]} + in.v[2], 0xffffffffu));
           }),
      word("sub_nc_u32_e64 v10, v1, v2 clamp",
           [](const Input& in) { return in.v[1] < in.v[2] ? 0 : in.v[1] - in.v[2]; }),
      word("add_nc_i32 v10, v1, v2 clamp",
           [](const Input& in) {
             return static_cast<uint32_t>(std::clamp<int64_t>(int64_t{in.i(1)} + in.i(2),
                                                              INT32_MIN, INT32_MAX));
           }),
      word("add3_u32 v10, v1, v2, s20", [](const Input& in) { return in.v[1] + in.v[2] + in.s20; }),
      word("lshl_add_u32 v10, v1, 4, v2", [](const Input& in) { return (in.v[1] << 4) + in.v[2]; }),
      word("add_lshl_u32 v10, v1, v2, 3", [](const Input& in) { return (in.v[1] + in.v[2]) << 3; }),
      word("lshl_or_b32 v10, v1, 5, v2", [](const Input& in) { return in.v[1] << 5 | in.v[2]; }),
      word("and_or_b32 v10, v1, v2, v3", [](const Input& in) { return (in.v[1] & in.v[2]) | in.v[3]; }),
      word("or3_b32 v10, v1, v2, v3", [](const Input& in) { return in.v[1] | in.v[2] | in.v[3]; }),
      word("xor3_b32 v10, v1, v2, v3", [](const Input& in) { return in.v[1] ^ in.v[2] ^ in.v[3]; }),
      word("xad_u32 v10, v1, v2, v3", [](const Input& in) { return (in.v[1] ^ in.v[2]) + in.v[3]; }),
      word("xnor_b32 v10, v1, v2", [](const Input& in) { return ~(in.v[1] ^ in.v[2]); }),
      word("lshlrev_b32 v10, v1, v2", [](const Input& in) { return in.v[2] << (in.v[1] & 31); }),
      word("lshrrev_b32 v10, v1, v2", [](const Input& in) { return in.v[2] >> (in.v[1] & 31); }),
      word("ashrrev_i32 v10, v1, v2",
           [](const Input& in) { return static_cast<uint32_t>(in.i(2) >> (in.v[1] & 31)); }),
      wide("lshlrev_b64 v[10:11], v1, v[2:3]", [](const Input& in) { return in.v64(2) << (in.v[1] & 63); }),
      wide("lshrrev_b64 v[10:11], v1, v[2:3]", [](const Input& in) { return in.v64(2) >> (in.v[1] & 63); }),
      wide("ashrrev_i64 v[10:11], v1, v[2:3]",
           [](const Input& in) {
             return static_cast<uint64_t>(static_cast<int64_t>(in.v64(2)) >> (in.v[1] & 63));
           }),
      word("mul_lo_u32 v10, v1, v2", [](const Input& in) { return in.v[1] * in.v[2]; }),
      word("mul_hi_u32 v10, v1, v2",
           [](const Input& in) { return static_cast<uint32_t>(uint64_t{in.v[1]} * in.v[2] >> 32); }),
      word("mul_hi_i32 v10, v1, v2",
           [](const Input& in) { return static_cast<uint32_t>(int64_t{in.i(1)} * in.i(2) >> 32); }),
      word("mul_u32_u24 v10, v1, v2",
           [](const Input& in) { return (in.v[1] & 0xffffff) * (in.v[2] & 0xffffff); }),
      word("mul_i32_i24 v10, v1, v2",
           [](const Input& in) {
             return static_cast<uint32_t>(int64_t{sign24(in.v[1])} * sign24(in.v[2]));
           }),
      word("mad_u32_u24 v10, v1, v2, v3",
           [](const Input& in) { return (in.v[1] & 0xffffff) * (in.v[2] & 0xffffff) + in.v[3]; }),
      word("mad_i32_i24 v10, v1, v2, v3",
           [](const Input& in) {
             return static_cast<uint32_t>(int64_t{sign24(in.v[1])} * sign24(in.v[2])) + in.v[3];
           }),
      word("min_u32 v10, v1, v2", [](const Input& in) { return std::min(in.v[1], in.v[2]); }),
      word("max_i32 v10, v1, v2",
           [](const Input& in) { return static_cast<uint32_t>(std::max(in.i(1), in.i(2))); }),
      word("med3_i32 v10, v1, v2, v3",
           [](const Input& in) {
             int32_t x[] = {in.i(1), in.i(2), in.i(3)};
             std::sort(x, x + 3);
             return static_cast<uint32_t>(x[1]);
           }),
      word("max3_u32 v10, v1, v2, v3",
           [](const Input& in) { return std::max({in.v[1], in.v[2], in.v[3]}); }),
      word("bfe_u32 v10, v1, v2, v3",
           [](const Input& in) {
             return static_cast<uint32_t>((in.v[1] >> (in.v[2] & 31)) &
                                          ((uint64_t{1} << (in.v[3] & 31)) - 1));
           }),
      word("bfe_i32 v10, v1, 3, 7",
           [](const Input& in) { return static_cast<uint32_t>(in.i(1) << 22 >> 25); }),
      word("bfi_b32 v10, v1, v2, v3",
           [](const Input& in) { return (in.v[1] & in.v[2]) | (~in.v[1] & in.v[3]); }),
      word("bfm_b32 v10, v1, v2",
           [](const Input& in) { return ((1u << (in.v[1] & 31)) - 1) << (in.v[2] & 31); }),
      word("alignbit_b32 v10, v1, v2, 13", [](const Input& in) { return in.v[1] << 19 | in.v[2] >> 13; }),
      word("alignbyte_b32 v10, v1, v2, 1", [](const Input& in) { return in.v[1] << 24 | in.v[2] >> 8; }),
      word("perm_b32 v10, v1, v2, v3",
           [](const Input& in) {
             const uint64_t both = uint64_t{in.v[1]} << 32 | in.v[2];
             uint32_t x = 0;
             for (int i = 0; i < 4; ++i) x |= byte_of(both, in.v[3] >> (8 * i)) << (8 * i);
             return x;
           }),
      word("perm_b32 v10, v1, v2, s20",  // s20 selects 0x0d0c0a09: constants and signs
           [](const Input& in) {
             const uint64_t both = uint64_t{in.v[1]} << 32 | in.v[2];
             uint32_t x = 0;
             for (int i = 0; i < 4; ++i) x |= byte_of(both, in.s20 >> (8 * i)) << (8 * i);
             return x;
           }),
      // Halves, halves of one register, bytes from an odd one on, and a half with zeros.
      word("perm_b32 v10, v1, v2, 0x05040100",
           [](const Input& in) { return in.v[1] << 16 | (in.v[2] & 0xffff); }),
      word("perm_b32 v10, v1, v2, 0x07060302",
           [](const Input& in) { return (in.v[1] & 0xffff0000) | in.v[2] >> 16; }),
      word("perm_b32 v10, v1, v2, 0x05040706",
           [](const Input& in) { return in.v[1] << 16 | in.v[1] >> 16; }),
      word("perm_b32 v10, v1, v2, 0x04030201",
           [](const Input& in) { return in.v[1] << 24 | in.v[2] >> 8; }),
      word("perm_b32 v10, v1, v2, 0x0c0c0504", [](const Input& in) { return in.v[1] & 0xffff; }),
      word("bfrev_b32 v10, v1",
           [](const Input& in) {
             uint32_t x = 0;
             for (int i = 0; i < 32; ++i) x |= (in.v[1] >> i & 1) << (31 - i);
             return x;
           }),
      word("clz_i32_u32 v10, v1",
           [](const Input& in) { return in.v[1] ? static_cast<uint32_t>(std::countl_zero(in.v[1])) : ~0u; }),
      word("ctz_i32_b32 v10, v1",
           [](const Input& in) { return in.v[1] ? static_cast<uint32_t>(std::countr_zero(in.v[1])) : ~0u; }),
      word("bcnt_u32_b32 v10, v1, v2",
           [](const Input& in) { return static_cast<uint32_t>(std::popcount(in.v[1])) + in.v[2]; }),
      word("mbcnt_lo_u32_b32 v10, s20, v1",
           [](const Input& in) {
             return static_cast<uint32_t>(std::popcount(in.s20 & ((1u << in.lane) - 1))) + in.v[1];
           }),
      word("cndmask_b32 v10, v1, v2, vcc_lo",
           [](const Input& in) { return in.vcc_bit() ? in.v[2] : in.v[1]; }),
      word("pk_add_u16 v10, v1, v2",
           [](const Input& in) {
             return uint32_t{static_cast<uint16_t>(in.low(1) + in.low(2))} |
                    uint32_t{static_cast<uint16_t>(in.high(1) + in.high(2))} << 16;
           }),
      word("pk_mul_lo_u16 v10, v1, v2 op_sel:[0,1] op_sel_hi:[1,0]",
           [](const Input& in) {
             return (uint32_t{in.low(1)} * in.high(2) & 0xffffu) |
                    uint32_t{in.high(1)} * in.low(2) << 16;
           }),
      word("pk_lshlrev_b16 v10, 3, v1 op_sel_hi:[0,1]",
           [](const Input& in) {
             return uint32_t{static_cast<uint16_t>(in.low(1) << 3)} |
                    uint32_t{static_cast<uint16_t>(in.high(1) << 3)} << 16;
           }),
      word("dot4_i32_iu8 v10, v1, v2, v3 neg_lo:[1,0,0]",
           [](const Input& in) {
             uint32_t sum = in.v[3];
             for (int i = 0; i < 4; ++i)
               sum += static_cast<uint32_t>(static_cast<int8_t>(in.v[1] >> (8 * i)) *
                                         int32_t{static_cast<uint8_t>(in.v[2] >> (8 * i))});
             return sum;
           }),
      {"v_add_co_u32 v10, s24, v1, v2", Fill::integers,
       [](All, const Input& in, Output& out) {
         out.v[0] = in.v[1] + in.v[2];
         out.mask = (uint64_t{in.v[1]} + in.v[2]) >> 32;
       }, 0, {}},
      {"v_sub_co_u32 v10, s24, v1, v2", Fill::integers,
       [](All, const Input& in, Output& out) {
         out.v[0] = in.v[1] - in.v[2];
         out.mask = in.v[1] < in.v[2];
       }, 0, {}},
      {"v_add_co_ci_u32_e64 v10, s24, v1, v2, vcc_lo", Fill::integers,
       [](All, const Input& in, Output& out) {
         const uint64_t sum = uint64_t{in.v[1]} + in.v[2] + in.vcc_bit();
         out.v[0] = static_cast<uint32_t>(sum);
         out.mask = sum >> 32;
       }, 0, {}},
      {"v_sub_co_ci_u32_e64 v10, s24, v1, v2, vcc_lo", Fill::integers,
       [](All, const Input& in, Output& out) {
         const uint64_t x = uint64_t{in.v[1]} - in.v[2] - in.vcc_bit();
         out.v[0] = static_cast<uint32_t>(x);
         out.mask = x >> 63;
       }, 0, {}},
      mask("cmp_lt_i32_e64 s24, v1, v2", [](const Input& in) { return in.i(1) < in.i(2); }),
      mask("cmp_ge_u32_e64 s24, v1, v2", [](const Input& in) { return in.v[1] >= in.v[2]; }),
      mask("cmp_eq_u32_e64 s24, v1, v1", [](const Input&) { return true; }),
      mask("cmp_ne_u64_e64 s24, v[1:2], v[3:4]", [](const Input& in) { return in.v64(1) != in.v64(3); }),
      mask("cmp_gt_i64_e64 s24, v[1:2], v[3:4]",
           [](const Input& in) {
             return static_cast<int64_t>(in.v64(1)) > static_cast<int64_t>(in.v64(3));
           }),
      // A pair reads all sources before it writes.
      {"v_dual_mov_b32 v11, v10 :: v_dual_mov_b32 v10, v11", Fill::integers,
       [](All, const Input& in, Output& out) { std::swap(out.v[0], out.v[1]); (void)in; }, 0, {}},
      {"v_swap_b32 v10, v11", Fill::integers,
       [](All, const Input& in, Output& out) { std::swap(out.v[0], out.v[1]); (void)in; }, 0, {}},
  };
  for (const auto& [name, is_signed] : {std::pair{"mad_u64_u32", false}, {"mad_i64_i32", true}})
    for (const char* target : {"gfx1100", "gfx1151", "gfx1201"}) {
      std::string text = name;
      if (std::string(target) == "gfx1201") text.insert(4, "co_");
      Case c = wide(text + " v[10:11], s24, v1, v2, v[3:4]", nullptr);
      c.expect = [is_signed](All, const Input& in, Output& out) {
        // All 65 bits of the sum, and more.
        const __int128 sum =
            is_signed ? __int128{in.i(1)} * in.i(2) + static_cast<int64_t>(in.v64(3))
                      : __int128{in.v[1]} * in.v[2] + in.v64(3);
        out.v[0] = static_cast<uint32_t>(sum);
        out.v[1] = static_cast<uint32_t>(sum >> 32);
        out.mask = sum >> 64 & 1;
      };
      cases.push_back(only(target, c));
    }
  // A field that reaches past bit 31, and saturating packed sums.
  cases.push_back(word("bfe_i32 v10, v1, 24, 14", [](const Input& in) {
    return static_cast<uint32_t>(in.i(1) >> 24);
  }));
  cases.push_back(word("pk_add_i16 v10, v1, v2 clamp", [](const Input& in) {
    const auto sum = [](uint16_t a, uint16_t b) {
      return static_cast<uint32_t>(
                 std::clamp(static_cast<int16_t>(a) + static_cast<int16_t>(b), -32768, 32767)) &
             0xffffu;
    };
    return sum(in.low(1), in.low(2)) | sum(in.high(1), in.high(2)) << 16;
  }));
  cases.push_back(word("pk_sub_u16 v10, v1, v2 clamp", [](const Input& in) {
    const auto difference = [](uint32_t a, uint32_t b) { return a < b ? 0 : a - b; };
    return difference(in.low(1), in.low(2)) | difference(in.high(1), in.high(2)) << 16;
  }));
  // M0 moves register numbers: v2 + 8 and v1 + 2.
  cases.push_back(word("mov_b32 v9, 0\ns_mov_b32 m0, 2\nv_movrelsd_b32 v8, v1",
                       [](const Input& in) { return in.v[3]; }));
  cases.push_back(word("mov_b32 v9, 0\ns_mov_b32 m0, 0x80002\nv_movrelsd_2_b32 v2, v1",
                       [](const Input& in) { return in.v[3]; }));
  cases.push_back(wide("mov_b32 v9, 0\ns_mov_b32 m0, 0x80009\nv_swaprel_b32 v2, v2",
                       [](const Input& in) { return in.old[1] | uint64_t{in.old[0]} << 32; }));
  // 16-bit results leave the other half alone. gfx11 assembles halves by name, gfx12 by op_sel.
  cases.push_back(only("gfx1151", word("add_nc_u16 v10.l, v1.h, v2.l", [](const Input& in) {
                         return with_low(in, in.high(1) + in.low(2));
                       })));
  cases.push_back(only("gfx1151", word("mov_b16 v10.h, v1.l", [](const Input& in) {
                         return (in.old[0] & 0xffffu) | uint32_t{in.low(1)} << 16;
                       })));
  cases.push_back(only("gfx1151", word("pack_b32_f16 v10, v1.h, v2.l", [](const Input& in) {
                         return in.high(1) | uint32_t{in.low(2)} << 16;
                       })));
  return cases;
}

}  // namespace heddle::emulator::testing
