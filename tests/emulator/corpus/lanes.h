// Functions of a wave: what a thread gets when all lanes take part. On the host they are told the
// inputs of the whole wave.
#pragma once

#include "../differential_platform.h"

// The wave's inputs, 8 words a lane, as one lane sees them.
struct Wave {
  const uint32_t* in;  // on the host of lane 0, on the GPU of this lane
  uint32_t lane, size;
  bool cdna;

  DIFFERENTIAL uint32_t mine(uint32_t word) const {
#if defined(__HIP__)
    return in[word];
#else
    return in[8 * lane + word];
#endif
  }
#if !defined(__HIP__)
  uint32_t of(uint32_t other, uint32_t word) const { return in[8 * other + word]; }
#endif
};

struct Lanes {
  uint32_t hash = 7;
  DIFFERENTIAL void result(uint32_t x) { hash = (hash ^ x) * 0x01000193u + (hash >> 13); }
};

#if defined(__HIP__)
#define EXCHANGE(gpu, host) gpu
#else
#define EXCHANGE(gpu, host) host
#endif

// What only some processors have. The host is told which.
#if !defined(__HIP__)
#define ON_RDNA(...) \
  if (!w.cdna) {     \
    __VA_ARGS__      \
  }
#define ON_CDNA(...) \
  if (w.cdna) {      \
    __VA_ARGS__      \
  }
#elif defined(__GFX9__)
#define ON_RDNA(...)
#define ON_CDNA(...) __VA_ARGS__
#else
#define ON_RDNA(...) __VA_ARGS__
#define ON_CDNA(...)
#endif

// The same across rows: the lane of the wave, or -1.
#define WAVE_DPP(control, from)                                                               \
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_update_dpp(                        \
                        static_cast<int>(y), static_cast<int>(x), control, 0xf, 0xf, false)), \
                    (from) < 0 || (from) > 63 ? y : w.of(static_cast<uint32_t>(from), 0)))

// One DPP control with the lane of the row of 16 that it reads, as an expression of i.
#define DPP(control, from)                                                                    \
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_update_dpp(                        \
                        static_cast<int>(y), static_cast<int>(x), control, 0xf, 0xf, false)), \
                    ((from) < 0 || (from) > 15) ? y : w.of((w.lane & ~15u) | (from), 0)))

DIFFERENTIAL inline uint32_t data_parallel_primitives(const Wave& w) {
  Lanes l;
  [[maybe_unused]] const uint32_t x = w.mine(0);  // on the device alone
  const uint32_t y = w.mine(1);
  [[maybe_unused]] const int i = static_cast<int>(w.lane % 16);
  DPP(0x1b, (i & ~3) | (3 - i % 4));  // quad_perm:[3,2,1,0]
  DPP(0xb1, i ^ 1);                   // quad_perm:[1,0,3,2]
  DPP(0x101, i + 1);                  // row_shl:1
  DPP(0x10f, i + 15);
  DPP(0x111, i - 1);  // row_shr:1
  DPP(0x118, i - 8);
  DPP(0x121, (i - 1) & 15);  // row_ror:1
  DPP(0x12c, (i - 12) & 15);
  DPP(0x140, 15 - i);  // row_mirror
  DPP(0x141, i ^ 7);   // row_half_mirror
  DPP(0x150, 0);       // row_share:0, row_newbcast:0
  DPP(0x15d, 13);
  ON_RDNA(DPP(0x161, i ^ 1);  // row_xmask:1
          DPP(0x16f, i ^ 15);)
  [[maybe_unused]] const int wave_lane = static_cast<int>(w.lane);
  ON_CDNA(WAVE_DPP(0x130, wave_lane + 1);                                // wave_shl:1
          WAVE_DPP(0x134, (wave_lane + 1) & 63);                         // wave_rol:1
          WAVE_DPP(0x138, wave_lane - 1);                                // wave_shr:1
          WAVE_DPP(0x13c, (wave_lane - 1) & 63);                         // wave_ror:1
          WAVE_DPP(0x142, wave_lane < 16 ? -1 : (wave_lane & ~15) - 1);  // row_bcast:15
          WAVE_DPP(0x143, wave_lane < 32 ? -1 : 31);)                    // row_bcast:31
  // Rows and banks that are written, and zero where there is no source.
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_update_dpp(
                        static_cast<int>(y), static_cast<int>(x), 0x140, 0x5, 0xf, false)),
                    w.lane / 16 % 2 == 0 ? w.of(w.lane ^ 15, 0) : y));
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_update_dpp(
                        static_cast<int>(y), static_cast<int>(x), 0x140, 0xf, 0x6, false)),
                    w.lane / 4 % 4 == 1 || w.lane / 4 % 4 == 2 ? w.of(w.lane ^ 15, 0) : y));
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_update_dpp(
                        static_cast<int>(y), static_cast<int>(x), 0x111, 0xf, 0xf, true)),
                    i == 0 ? 0 : w.of(w.lane - 1, 0)));
  ON_RDNA(l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_mov_dpp8(x, 0x053977)),
                            w.of((w.lane & ~7u) | (0x053977u >> (3 * (w.lane % 8)) & 7), 0)));)
  return l.hash;
}

DIFFERENTIAL inline uint32_t lane_exchanges(const Wave& w) {
  Lanes l;
  const uint32_t x = w.mine(0), y = w.mine(1);
  const uint32_t half = w.lane & 32u;
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_readlane(static_cast<int>(x), 5)),
                    w.of(5, 0)));
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_readlane(static_cast<int>(x),
                                                                    static_cast<int>(w.size - 3))),
                    w.of(w.size - 3, 0)));
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(x))),
                    w.of(0, 0)));
  // Own half of the wave, which is as far as ds_bpermute reaches everywhere.
  const uint32_t from = half | y % 32;
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_ds_bpermute(static_cast<int>(4 * from),
                                                                       static_cast<int>(x))),
                    w.of(from, 0)));
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_ds_swizzle(static_cast<int>(x), 0x401f)),
                    w.of(w.lane ^ 16, 0)));
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_ds_swizzle(static_cast<int>(x), 0x801b)),
                    w.of((w.lane & ~3u) | (3 - w.lane % 4), 0)));
  l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_ds_swizzle(static_cast<int>(x), 0x0078)),
                    w.of(half | ((w.lane & 24u) | 3u), 0)));
  ON_RDNA(l.result(
      EXCHANGE(__builtin_amdgcn_permlane16(y, x, 0x76543210u, 0xfedcba98u, false, false), x));
          l.result(EXCHANGE(
              __builtin_amdgcn_permlane16(y, x, 0x12345678u, 0x9abcdef0u, false, false),
              w.of((w.lane & ~15u) | (0x9abcdef012345678u >> (4 * (w.lane % 16)) & 15), 0)));
          l.result(EXCHANGE(
              __builtin_amdgcn_permlanex16(y, x, 0x12345678u, 0x9abcdef0u, false, false),
              w.of(((w.lane ^ 16) & ~15u) | (0x9abcdef012345678u >> (4 * (w.lane % 16)) & 15), 0)));
          // In a wave of 32 the instruction does nothing, and leaves what its destination held.
          if (w.size == 64)
              l.result(EXCHANGE(__builtin_amdgcn_permlane64(x), w.of(w.lane ^ 32, 0)));)
  // CDNA's ds_bpermute reaches all lanes.
  ON_CDNA(const uint32_t anywhere = y % 64;
          l.result(EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_ds_bpermute(
                                static_cast<int>(4 * anywhere), static_cast<int>(x))),
                            w.of(anywhere, 0)));)
  return l.hash;
}

// Each lane to one other of its half of the wave.
DIFFERENTIAL inline uint32_t lane_sends(const Wave& w) {
  const uint32_t half = w.lane & 32u, to = half | ((w.lane * 5 + 3) & 31u);
  [[maybe_unused]] const uint32_t from = half | ((w.lane - 3) * 13 & 31u);
  return EXCHANGE(static_cast<uint32_t>(__builtin_amdgcn_ds_permute(static_cast<int>(4 * to),
                                                                    static_cast<int>(w.mine(0)))),
                  to < 64 ? w.of(from, 0) : 0);
}

// A bit per lane: votes, counts of lanes, and lanes that leave early.
DIFFERENTIAL inline uint32_t votes(const Wave& w) {
  Lanes l;
  const uint32_t x = w.mine(0), y = w.mine(1);
#if defined(__HIP__)
#if WAVE_SIZE == 64
  const auto ballot = [](bool vote) { return __builtin_amdgcn_ballot_w64(vote); };
#else
  const auto ballot = [](bool vote) { return uint64_t{__builtin_amdgcn_ballot_w32(vote)}; };
#endif
  const uint64_t odd = ballot(x & 1);
#else
  uint64_t odd = 0;
  for (uint32_t i = 0; i < w.size; ++i) odd |= uint64_t{w.of(i, 0) & 1} << i;
#endif
  l.result(static_cast<uint32_t>(odd));
  l.result(static_cast<uint32_t>(odd >> 32));
  l.result(EXCHANGE(
      __builtin_amdgcn_mbcnt_hi(static_cast<uint32_t>(odd >> 32),
                                __builtin_amdgcn_mbcnt_lo(static_cast<uint32_t>(odd), x)),
      x + static_cast<uint32_t>(__builtin_popcountll(odd & ((uint64_t{1} << w.lane) - 1)))));
  // Lanes leave one after the other; who is left votes again.
  uint32_t rounds = 0;
  for (uint32_t step = 0; step < 5; ++step) {
    if ((y >> step & 3) == 0) break;
#if defined(__HIP__)
    rounds = rounds * 5 + static_cast<uint32_t>(__builtin_popcountll(ballot(x >> step & 1)));
#else
    uint32_t count = 0;
    for (uint32_t i = 0; i < w.size; ++i) {
      bool here = true;
      for (uint32_t s = 0; s <= step; ++s) here = here && (w.of(i, 1) >> s & 3) != 0;
      count += here && (w.of(i, 0) >> step & 1);
    }
    rounds = rounds * 5 + count;
#endif
  }
  l.result(rounds);
  return l.hash;
}
#undef DPP
#undef EXCHANGE
