// Host versions of the instructions that move values between lanes.
#include "instruction_cases.h"

namespace heddle::emulator::testing {
namespace {

using All = const std::vector<Input>&;

// Lane l gets v1 of lane from(l), or what it had (-1), or zero (-2).
Case moved(std::string text, int (*from)(int lane)) {
  return {std::move(text),
          Fill::integers,
          [from](All all, const Input& in, Output& out) {
            const int source = from(static_cast<int>(in.lane));
            if (source >= 0) out.v[0] = all[static_cast<std::size_t>(source)].v[1];
            if (source == -2) out.v[0] = 0;
          },
          0,
          {}};
}

constexpr const char* masks = " row_mask:0xf bank_mask:0xf";

std::string dpp(const std::string& control, const std::string& rest = masks) {
  return "v_mov_b32_dpp v10, v1 " + control + rest;
}

}  // namespace

std::vector<Case> lane_cases() {
  return {
      moved(dpp("quad_perm:[3,0,2,1]"), [](int l) { return (l & ~3) | "\3\0\2\1"[l & 3]; }),
      moved(dpp("row_shl:3"), [](int l) { return l % 16 + 3 < 16 ? l + 3 : -1; }),
      moved(dpp("row_shl:3") + " bound_ctrl:1", [](int l) { return l % 16 + 3 < 16 ? l + 3 : -2; }),
      moved(dpp("row_shr:5"), [](int l) { return l % 16 >= 5 ? l - 5 : -1; }),
      moved(dpp("row_ror:4"), [](int l) { return (l & 16) | ((l - 4) & 15); }),
      moved(dpp("row_mirror"), [](int l) { return (l & 16) | (15 - l % 16); }),
      moved(dpp("row_half_mirror"), [](int l) { return (l & ~7) | (7 - l % 8); }),
      moved(dpp("row_share:6"), [](int l) { return (l & 16) | 6; }),
      moved(dpp("row_xmask:9"), [](int l) { return l ^ 9; }),
      moved(dpp("row_mirror", " row_mask:0x1 bank_mask:0xf"),
            [](int l) { return l < 16 ? 15 - l : -1; }),
      moved(dpp("row_mirror", " row_mask:0xf bank_mask:0x5"),
            [](int l) { return l / 4 % 2 == 0 ? (l & 16) | (15 - l % 16) : -1; }),
      moved("v_mov_b32_dpp v10, v1 dpp8:[7,6,0,1,2,5,4,3]",
            [](int l) { return (l & ~7) | "\7\6\0\1\2\5\4\3"[l & 7]; }),
      {"v_add_f32_dpp v10, v1, v2 row_ror:1 row_mask:0xf bank_mask:0xf",
       Fill::floats,
       [](All all, const Input& in, Output& out) {
         const uint32_t from = (in.lane & 16) | ((in.lane - 1) & 15);
         out.v[0] = __builtin_bit_cast(uint32_t, all[from].f(1) + in.f(2));
       },
       0,
       {}},
      {"v_permlane16_b32 v10, v1, s22, s23",
       Fill::integers,
       [](All all, const Input& in, Output& out) {
         const uint64_t selector = in.s22 | uint64_t{in.s23} << 32;
         out.v[0] = all[(in.lane & 16) | (selector >> (4 * (in.lane % 16)) & 15)].v[1];
       },
       0,
       {}},
      {"v_permlanex16_b32 v10, v1, s22, s23",
       Fill::integers,
       [](All all, const Input& in, Output& out) {
         const uint64_t selector = in.s22 | uint64_t{in.s23} << 32;
         out.v[0] = all[(~in.lane & 16) | (selector >> (4 * (in.lane % 16)) & 15)].v[1];
       },
       0,
       {}},
      {"ds_bpermute_b32 v10, v2, v1",
       Fill::integers,
       [](All all, const Input& in, Output& out) { out.v[0] = all[in.v[2] / 4 % 32].v[1]; },
       0,
       {}},
      {"ds_bpermute_b32 v10, v2, v1 offset:12",
       Fill::integers,
       [](All all, const Input& in, Output& out) { out.v[0] = all[(in.v[2] + 12) / 4 % 32].v[1]; },
       0,
       {}},
      {"ds_permute_b32 v10, v2, v1",
       Fill::integers,
       [](All all, const Input& in, Output& out) {
         out.v[0] = 0;
         for (const Input& sender : all)
           if (sender.v[2] / 4 % 32 == in.lane) out.v[0] = sender.v[1];
       },
       0,
       {}},
      moved("ds_swizzle_b32 v10, v1 offset:swizzle(SWAP,16)", [](int l) { return l ^ 16; }),
      moved("ds_swizzle_b32 v10, v1 offset:swizzle(BROADCAST,8,3)",
            [](int l) { return (l & ~7) | 3; }),
      moved("ds_swizzle_b32 v10, v1 offset:swizzle(QUAD_PERM,2,3,0,1)",
            [](int l) { return l ^ 2; }),
      {"v_permlane64_b32 v10, v1", Fill::integers, [](All, const Input&, Output&) {}, 0, {}},
      moved("v_readlane_b32 s25, v1, 7\nv_mov_b32 v10, s25", [](int) { return 7; }),
      moved("v_readfirstlane_b32 s25, v1\nv_mov_b32 v10, s25", [](int) { return 0; }),
      {"v_writelane_b32 v10, s20, 9",
       Fill::integers,
       [](All, const Input& in, Output& out) {
         if (in.lane == 9) out.v[0] = in.s20;
       },
       0,
       {}},
      // Inactive lanes: v_readfirstlane takes the first that is on, DPP reads no lane that is off.
      moved("s_mov_b32 exec_lo, 0xfffffff0\nv_readfirstlane_b32 s25, v1\ns_mov_b32 exec_lo, -1\n"
            "v_mov_b32 v10, s25",
            [](int) { return 4; }),
      moved("s_mov_b32 exec_lo, 0xffff00ff\n" + dpp("row_xmask:8") + "\ns_mov_b32 exec_lo, -1",
            [](int l) { return l < 16 ? -1 : l ^ 8; }),
      moved("s_mov_b32 exec_lo, 0xffff00ff\n" + dpp("row_xmask:8") +
                " bound_ctrl:1\n"
                "s_mov_b32 exec_lo, -1",
            [](int l) { return l < 8    ? -2
                               : l < 16 ? -1
                                        : l ^ 8; }),
      moved("s_mov_b32 exec_lo, 0xffff00ff\n" + dpp("row_xmask:8") +
                " fi:1\n"
                "s_mov_b32 exec_lo, -1",
            [](int l) { return l < 8 || l >= 16 ? l ^ 8 : -1; }),
      {"v_cmpx_gt_u32 5, v0\nv_mov_b32 v10, v1\ns_mov_b32 exec_lo, -1",
       Fill::integers,
       [](All, const Input& in, Output& out) {
         if (in.lane < 5) out.v[0] = in.v[1];
       },
       0,
       {}},
  };
}

}  // namespace heddle::emulator::testing
