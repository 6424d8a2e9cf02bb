// Host versions of the scalar instructions. The sources are s[26:27] and s[28:29], from v1..v4 of
// lane 0; the result goes through s[30:31] to v10 and v11, SCC to v12.
#include <algorithm>
#include <bit>

#include "instruction_cases.h"

namespace heddle::emulator::testing {
namespace {

using All = const std::vector<Input>&;

struct Result {
  uint64_t value;
  int scc;  // -1: stays as it was, which is 1
};

// `wide`: the result has two words.
Case scalar(const std::string& text, bool wide, Result (*f)(uint64_t a, uint64_t b)) {
  return {
      "v_readfirstlane_b32 s26, v1\nv_readfirstlane_b32 s27, v2\n"
      "v_readfirstlane_b32 s28, v3\nv_readfirstlane_b32 s29, v4\n"
      "s_mov_b64 s[30:31], s[26:27]\ns_cmp_eq_u32 s0, s0\n" +
          text +
          "\ns_cselect_b32 s25, 1, 0\nv_mov_b32 v10, s30\nv_mov_b32 v11, s31\n"
          "v_mov_b32 v12, s25",
      Fill::integers,
      [wide, f](All all, const Input&, Output& out) {
        const Result r = f(all[0].v64(1), all[0].v64(3));
        out.v[0] = static_cast<uint32_t>(r.value);
        out.v[1] = wide ? static_cast<uint32_t>(r.value >> 32) : all[0].v[2];
        out.v[2] = r.scc < 0 ? 1 : static_cast<uint32_t>(r.scc);
      },
      0,
      {}};
}

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

Result nonzero(u64 x) { return {x, x != 0}; }
u32 low(u64 x) { return static_cast<u32>(x); }
i32 slow(u64 x) { return static_cast<i32>(x); }

// A comparison: only SCC changes.
Case compare(const std::string& text, Result (*f)(u64, u64)) { return scalar(text, true, f); }

}  // namespace

std::vector<Case> scalar_cases() {
  std::vector<Case> cases = {
      scalar("s_add_u32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        return {u64{low(a)} + low(b), (u64{low(a)} + low(b)) >> 32 != 0};
      }),
      scalar("s_sub_u32 s30, s26, s28", false,
             [](u64 a, u64 b) -> Result { return {a - b, low(a) < low(b)}; }),
      scalar("s_add_i32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        const i64 sum = i64{slow(a)} + slow(b);
        return {static_cast<u64>(sum), sum != static_cast<i32>(sum)};
      }),
      scalar("s_sub_i32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        const i64 difference = i64{slow(a)} - slow(b);
        return {static_cast<u64>(difference), difference != static_cast<i32>(difference)};
      }),
      // SCC is 1 before.
      scalar("s_addc_u32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        const u64 sum = u64{low(a)} + low(b) + 1;
        return {sum, sum >> 32 != 0};
      }),
      scalar("s_subb_u32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        return {a - b - 1, u64{low(a)} < u64{low(b)} + 1};
      }),
      scalar("s_mul_i32 s30, s26, s28", false, [](u64 a, u64 b) -> Result { return {u64{low(a)} * low(b), -1}; }),
      scalar("s_mul_hi_u32 s30, s26, s28", false,
             [](u64 a, u64 b) -> Result { return {u64{low(a)} * low(b) >> 32, -1}; }),
      scalar("s_mul_hi_i32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        return {static_cast<u64>(i64{slow(a)} * slow(b) >> 32), -1};
      }),
      scalar("s_min_i32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        return {static_cast<u64>(std::min(slow(a), slow(b))), slow(a) < slow(b)};
      }),
      scalar("s_max_u32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        return {std::max(low(a), low(b)), low(a) > low(b)};
      }),
      scalar("s_and_b64 s[30:31], s[26:27], s[28:29]", true, [](u64 a, u64 b) { return nonzero(a & b); }),
      scalar("s_or_b32 s30, s26, s28", false, [](u64 a, u64 b) { return nonzero(low(a) | low(b)); }),
      scalar("s_xor_b64 s[30:31], s[26:27], s[28:29]", true, [](u64 a, u64 b) { return nonzero(a ^ b); }),
      scalar("s_and_not1_b32 s30, s26, s28", false, [](u64 a, u64 b) { return nonzero(low(a) & ~low(b)); }),
      scalar("s_or_not1_b32 s30, s26, s28", false, [](u64 a, u64 b) { return nonzero(low(a) | ~low(b)); }),
      scalar("s_nand_b32 s30, s26, s28", false, [](u64 a, u64 b) { return nonzero(u32(~(low(a) & low(b)))); }),
      scalar("s_nor_b64 s[30:31], s[26:27], s[28:29]", true, [](u64 a, u64 b) { return nonzero(~(a | b)); }),
      scalar("s_xnor_b32 s30, s26, s28", false, [](u64 a, u64 b) { return nonzero(u32(~(low(a) ^ low(b)))); }),
      scalar("s_not_b32 s30, s26", false, [](u64 a, u64) { return nonzero(u32(~low(a))); }),
      scalar("s_lshl_b32 s30, s26, s28", false, [](u64 a, u64 b) { return nonzero(u32(low(a) << (b & 31))); }),
      scalar("s_lshr_b64 s[30:31], s[26:27], s28", true, [](u64 a, u64 b) { return nonzero(a >> (b & 63)); }),
      scalar("s_ashr_i32 s30, s26, s28", false, [](u64 a, u64 b) { return nonzero(u32(slow(a) >> (b & 31))); }),
      scalar("s_ashr_i64 s[30:31], s[26:27], s28", true,
             [](u64 a, u64 b) { return nonzero(static_cast<u64>(static_cast<i64>(a) >> (b & 63))); }),
      scalar("s_bfe_u32 s30, s26, 0x70005", false, [](u64 a, u64) { return nonzero(low(a) >> 5 & 127); }),
      scalar("s_bfe_i32 s30, s26, 0x70005", false, [](u64 a, u64) { return nonzero(u32(slow(a) << 20 >> 25)); }),
      scalar("s_bfe_u64 s[30:31], s[26:27], 0x28000c", true,
             [](u64 a, u64) { return nonzero(a >> 12 & ((u64{1} << 40) - 1)); }),
      scalar("s_bfe_i64 s[30:31], s[26:27], 0x28000c", true,
             [](u64 a, u64) { return nonzero(static_cast<u64>(static_cast<i64>(a << 12) >> 24)); }),
      scalar("s_bfm_b32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        return {u32(((1u << (a & 31)) - 1) << (b & 31)), -1};
      }),
      scalar("s_pack_ll_b32_b16 s30, s26, s28", false,
             [](u64 a, u64 b) -> Result { return {(a & 0xffff) | low(b) << 16, -1}; }),
      scalar("s_pack_hh_b32_b16 s30, s26, s28", false,
             [](u64 a, u64 b) -> Result { return {low(a) >> 16 | (low(b) & 0xffff0000u), -1}; }),
      scalar("s_sext_i32_i8 s30, s26", false,
             [](u64 a, u64) -> Result { return {u32(static_cast<int8_t>(a)), -1}; }),
      scalar("s_sext_i32_i16 s30, s26", false,
             [](u64 a, u64) -> Result { return {u32(static_cast<int16_t>(a)), -1}; }),
      scalar("s_abs_i32 s30, s26", false,
             [](u64 a, u64) { return nonzero(slow(a) < 0 ? 0u - low(a) : low(a)); }),
      scalar("s_bcnt1_i32_b64 s30, s[26:27]", false, [](u64 a, u64) { return nonzero(static_cast<u64>(std::popcount(a))); }),
      scalar("s_ctz_i32_b32 s30, s26", false,
             [](u64 a, u64) -> Result { return {low(a) ? u32(std::countr_zero(low(a))) : ~0u, -1}; }),
      scalar("s_clz_i32_u64 s30, s[26:27]", false,
             [](u64 a, u64) -> Result { return {a ? u32(std::countl_zero(a)) : ~0u, -1}; }),
      scalar("s_lshl3_add_u32 s30, s26, s28", false, [](u64 a, u64 b) -> Result {
        const u64 sum = (u64{low(a)} << 3) + low(b);
        return {sum, sum >> 32 != 0};
      }),
      scalar("s_cselect_b32 s30, s26, s28", false, [](u64 a, u64) -> Result { return {a, -1}; }),
      scalar("s_cmp_lg_u32 s0, s0\ns_cselect_b64 s[30:31], s[26:27], s[28:29]", true,
             [](u64, u64 b) -> Result { return {b, 0}; }),
      scalar("s_movk_i32 s30, -100", false, [](u64, u64) -> Result { return {u32(-100), -1}; }),
      scalar("s_addk_i32 s30, -100", false, [](u64 a, u64) -> Result {
        const i64 sum = i64{slow(a)} - 100;
        return {static_cast<u64>(sum), sum != static_cast<i32>(sum)};
      }),
      scalar("s_mulk_i32 s30, 1000", false, [](u64 a, u64) -> Result { return {u64{low(a)} * 1000, -1}; }),
      scalar("s_bitset1_b32 s30, 7", false, [](u64 a, u64) -> Result { return {a | 128, -1}; }),
      scalar("s_bitset0_b32 s30, 7", false, [](u64 a, u64) -> Result { return {a & ~u64{128}, -1}; }),
      scalar("s_mov_b64 s[30:31], -7", true, [](u64, u64) -> Result { return {static_cast<u64>(-7), -1}; }),
      scalar("s_mov_b64 s[30:31], 1.0", true, [](u64, u64) -> Result { return {0x3ff0000000000000u, -1}; }),
      scalar("s_mov_b64 s[30:31], 0x12345678", true, [](u64, u64) -> Result { return {0x12345678, -1}; }),
      compare("s_cmp_lt_i32 s26, s28", [](u64 a, u64 b) -> Result { return {a, slow(a) < slow(b)}; }),
      compare("s_cmp_ge_u32 s26, s28", [](u64 a, u64 b) -> Result { return {a, low(a) >= low(b)}; }),
      compare("s_cmp_eq_u64 s[26:27], s[28:29]", [](u64 a, u64 b) -> Result { return {a, a == b}; }),
      compare("s_bitcmp1_b32 s26, s28", [](u64 a, u64 b) -> Result { return {a, (low(a) >> (b & 31) & 1) != 0}; }),
      compare("s_bitcmp0_b64 s[26:27], s28", [](u64 a, u64 b) -> Result { return {a, (a >> (b & 63) & 1) == 0}; }),
      // EXEC: saved, combined with the source, and SCC tells whether any lane is left.
      scalar("s_mov_b32 exec_lo, 0xff00ff\ns_and_saveexec_b32 s30, s26\ns_mov_b32 s31, exec_lo\n"
             "s_mov_b32 exec_lo, -1", true,
             [](u64 a, u64) -> Result { return {0xff00ff | (a & 0xff00ff) << 32, (a & 0xff00ff) != 0}; }),
      scalar("s_mov_b32 exec_lo, 0xff00ff\ns_or_saveexec_b32 s30, s26\ns_mov_b32 s31, exec_lo\n"
             "s_mov_b32 exec_lo, -1", true,
             [](u64 a, u64) -> Result { return {0xff00ff | u64{low(a) | 0xff00ff} << 32, 1}; }),
      scalar("s_mov_b32 exec_lo, 0xff00ff\ns_and_not1_saveexec_b32 s30, s26\ns_mov_b32 s31, exec_lo\n"
             "s_mov_b32 exec_lo, -1", true, [](u64 a, u64) -> Result {
               const u32 left = low(a) & ~0xff00ffu;
               return {0xff00ff | u64{left} << 32, left != 0};
             }),
      scalar("s_mov_b32 exec_lo, 0xff00ff\ns_and_not0_saveexec_b32 s30, s26\ns_mov_b32 s31, exec_lo\n"
             "s_mov_b32 exec_lo, -1", true, [](u64 a, u64) -> Result {
               const u32 left = ~low(a) & 0xff00ffu;
               return {0xff00ff | u64{left} << 32, left != 0};
             }),
  };
  const auto add = [&](Case c) { cases.push_back(std::move(c)); };
  add(scalar("s_quadmask_b32 s30, s26", false, [](u64 a, u64) -> Result {
    u64 x = 0;
    for (int i = 0; i < 8; ++i) x |= u64{(low(a) >> (4 * i) & 15) != 0} << i;
    return nonzero(x);
  }));
  add(scalar("s_quadmask_b64 s[30:31], s[26:27]", true, [](u64 a, u64) -> Result {
    u64 x = 0;
    for (int i = 0; i < 16; ++i) x |= u64{(a >> (4 * i) & 15) != 0} << i;
    return nonzero(x);
  }));
  add(scalar("s_wqm_b64 s[30:31], s[26:27]", true, [](u64 a, u64) -> Result {
    u64 x = 0;
    for (int i = 0; i < 64; ++i) x |= u64{(a >> (i & ~3) & 15) != 0} << i;
    return nonzero(x);
  }));
  add(scalar("s_bitreplicate_b64_b32 s[30:31], s26", true, [](u64 a, u64) -> Result {
    u64 x = 0;
    for (int i = 0; i < 64; ++i) x |= (a >> (i / 2) & 1) << i;
    return {x, -1};
  }));
  add(scalar("s_bcnt0_i32_b64 s30, s[26:27]", false,
             [](u64 a, u64) -> Result { return nonzero(static_cast<u64>(64 - std::popcount(a))); }));
  add(scalar("s_cls_i32_i64 s30, s[26:27]", false, [](u64 a, u64) -> Result {
    const int same = std::countl_zero(static_cast<i64>(a) < 0 ? ~a : a);
    return {same == 64 ? ~u64{0} : static_cast<u64>(same), -1};
  }));
  add(scalar("s_mov_b32 m0, 2\ns_movrels_b64 s[30:31], s[26:27]", true,
             [](u64, u64 b) -> Result { return {b, -1}; }));
  add(scalar("s_mov_b32 m0, 4\ns_movreld_b64 s[26:27], s[28:29]", true,
             [](u64, u64 b) -> Result { return {b, -1}; }));
  add(scalar("s_mov_b32 m0, 0x10002\ns_movrelsd_2_b32 s29, s26", false,
             [](u64, u64 b) -> Result { return {low(b), -1}; }));
  add(scalar("s_call_b64 s[34:35], past\ns_branch over\npast:\ns_mov_b32 s30, s28\n"
             "s_setpc_b64 s[34:35]\nover:", false,
             [](u64, u64 b) -> Result { return {low(b), -1}; }));
  const auto gfx12 = [&](Case c) {
    c.target = "gfx1201";
    cases.push_back(std::move(c));
  };
  gfx12(scalar("s_add_nc_u64 s[30:31], s[26:27], s[28:29]", true,
               [](u64 a, u64 b) -> Result { return {a + b, -1}; }));
  gfx12(scalar("s_mul_u64 s[30:31], s[26:27], s[28:29]", true,
               [](u64 a, u64 b) -> Result { return {a * b, -1}; }));
  gfx12(scalar("s_cvt_f32_i32 s30, s26", false, [](u64 a, u64) -> Result {
    return {std::bit_cast<u32>(static_cast<float>(slow(a))), -1};
  }));
  return cases;
}

}  // namespace heddle::emulator::testing
