// The GPU side of the corpus: one kernel per function, and kernels of what has no value of its own.
// WAVE_SIZE: the lanes of a wave, 32 or 64, as the compiler was told.
#include "functions.h"
#include "lanes.h"

#define GLOBAL extern "C" __attribute__((global)) void

#define KERNEL(function)                                                                          \
  GLOBAL kernel_##function(const uint32_t* in, uint32_t* out) {                                   \
    const unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); \
    out[i] = function(in + 8 * i);                                                                \
  }

KERNEL(integer_arithmetic)
KERNEL(wide_arithmetic)
KERNEL(short_arithmetic)
KERNEL(float_arithmetic)
KERNEL(extreme_arithmetic)
KERNEL(double_arithmetic)
KERNEL(half_arithmetic)
KERNEL(control_flow)
KERNEL(bits_and_bytes)
KERNEL(saturation)
KERNEL(float_shapes)
KERNEL(double_shapes)
KERNEL(half_shapes)
KERNEL(packed_numbers)
KERNEL(brain_floats)
KERNEL(memory_widths)
KERNEL(calls)

#if defined(__GFX9__)
#define IS_CDNA true
#else
#define IS_CDNA false
#endif

#define WAVE_KERNEL(function)                                                                     \
  GLOBAL kernel_##function(const uint32_t* in, uint32_t* out) {                                   \
    const unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); \
    const uint32_t lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));     \
    out[i] = function(Wave{in + 8 * i, lane, WAVE_SIZE, IS_CDNA});                                \
  }

WAVE_KERNEL(data_parallel_primitives)
WAVE_KERNEL(lane_exchanges)
WAVE_KERNEL(votes)
// Of a wave of 64 on gfx12 no document says how far ds_permute reaches.
#if !defined(__GFX12__) || WAVE_SIZE == 32
WAVE_KERNEL(lane_sends)
#endif

// Threads of many workgroups meet in a few words, in every scope; the result does not depend on
// their order. out: 16 words, zero before but the second, which is all ones.
GLOBAL kernel_atomics(const uint32_t* in, uint32_t* out) {
  __attribute__((shared)) static uint32_t local[8];
  __attribute__((shared)) static uint64_t local_wide;
  __attribute__((shared)) static float local_float;
  const unsigned x = __builtin_amdgcn_workitem_id_x();
  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + x;
  const uint32_t value = in[8 * i];
  if (x < 8) local[x] = x == 1 ? ~0u : 0;
  if (x == 0) local_wide = 0;
  if (x == 1) local_float = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  __hip_atomic_fetch_add(&local[0], value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_and(&local[1], value | 0xff, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_or(&local[2], value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_xor(&local[3], value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WAVEFRONT);
  __hip_atomic_fetch_max(&local[4], value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  uint32_t expected = local[5];
  while (!__hip_atomic_compare_exchange_weak(&local[5], &expected, expected + (value & 255),
                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_WORKGROUP)) {
  }
  __hip_atomic_fetch_add(&local_wide, static_cast<uint64_t>(value) << 9, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  __hip_atomic_fetch_add(&local_float, static_cast<float>(value & 255), __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_WORKGROUP);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (x != 0) return;
  __hip_atomic_fetch_add(&out[0], local[0], __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_and(&out[1], local[1], __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_or(&out[2], local[2], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  __hip_atomic_fetch_xor(&out[3], local[3], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_max(&out[4], local[4], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_sub(&out[5], local[5], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  auto* wide = reinterpret_cast<uint64_t*>(out + 6);
  __hip_atomic_fetch_add(wide, local_wide, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_max(wide + 1, local_wide, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(reinterpret_cast<float*>(out + 10), local_float, __ATOMIC_RELAXED,
                         __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_fetch_add(reinterpret_cast<double*>(out + 12), static_cast<double>(local_float),
                         __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __hip_atomic_exchange(&out[14], 42u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// LDS of all widths, read where another thread wrote, through pointers that may be anywhere.
GLOBAL kernel_shared_memory(const uint32_t* in, uint32_t* out) {
  __attribute__((shared)) static Mixed tile[64];
  __attribute__((shared)) static uint8_t bytes[64];
  const unsigned x = __builtin_amdgcn_workitem_id_x();
  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + x;
  const uint32_t* mine = in + 8 * i;
  Mixed& m = tile[x ^ 21];
  m.byte = static_cast<uint8_t>(mine[0]);
  m.half = static_cast<int16_t>(mine[1]);
  m.word = mine[2];
  m.wide = mine[3] | static_cast<uint64_t>(mine[4]) << 32;
  for (int j = 0; j < 3; ++j) m.three[j] = mine[5 + j];
  for (int j = 0; j < 5; ++j) m.tail[j] = static_cast<uint8_t>(mine[j] >> 8);
  bytes[x] = static_cast<uint8_t>(mine[7]);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  const Mixed t = tile[x];
  Words w;
  w.result(uint32_t{t.byte} + static_cast<uint32_t>(int32_t{t.half}) + t.word);
  w.result64(t.wide);
  for (uint32_t word : t.three) w.result(word);
  for (uint8_t byte : t.tail) w.result(uint32_t{byte});
  const uint8_t* either = mine[6] & 1 ? &bytes[63 - x] : reinterpret_cast<const uint8_t*>(mine);
  w.result(uint32_t{*either});
  out[i] = w.hash;
}

// What asks the machine, waits or traps: it runs to its end and clocks go forward.
GLOBAL kernel_machine(const uint32_t* in, uint32_t* out) {
  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  const uint64_t before = __builtin_readcyclecounter(), steady = __builtin_readsteadycounter();
  __builtin_amdgcn_s_sleep(1);
  __builtin_amdgcn_s_setprio(1);
  __builtin_amdgcn_sched_barrier(0);
  __builtin_amdgcn_wave_barrier();
  __builtin_prefetch(in);
  if (in[8 * i] == 0x12345678u) __builtin_trap();
  while (__builtin_readcyclecounter() - before < 5000) {
  }
  out[i] = __builtin_readsteadycounter() > steady;
}
