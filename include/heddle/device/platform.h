// The parts of HIP that a kernel needs, so that it can be compiled with clang alone:
//
//   clang++-22 -x hip --offload-arch=gfx1151 --cuda-device-only -nogpulib -nogpuinc \
//           -std=c++20 -O3 --no-gpu-bundle-output -I include kernel.hip -o kernel.co
//
// With ROCm, include <hip/hip_runtime.h> first: its macros are not changed. (This was tested with
// an imitation of ROCm's macros and types, not with ROCm.) Everything here is an attribute or a
// builtin of the compiler. The headers of this folder are also valid in plain C++, so that a test
// on the host can ask which lane holds which element. On the host the caller passes the lane, and
// multiplications are not available.
//
// A wave has 32 lanes on RDNA (waves of 64 are not supported there), and 64 on CDNA. A block has
// one dimension, or its x is a multiple of the wave's size.
//
// WHICH FUNCTION WAITS FOR WHAT
//
//     synchronize_block()      every wave of the block; global memory and LDS
//     synchronize_shared()     every wave of the block; LDS alone, so that loads may stay in flight
//     synchronize_wave()       the lanes of one wave; LDS. It waits for no other wave
//
// All waves of a block must reach the first two, even those with nothing to do.
#pragma once

#include "heddle/layout/needs_cxx20.h"

#if !defined(__clang__)
#error heddle/device needs clang, for vectors of elements and __bf16, on the host too
#include "heddle/needs/clang"
#endif

#include "heddle/instruction/instruction.h"

#if defined(__HIP__)
// nodebug: an instruction made here gets the source line of the calling kernel, so that faults and
// reports name that line.
#define HEDDLE_DEVICE __attribute__((device, always_inline, nodebug))
#if !defined(__global__)
#define __global__ __attribute__((global))
#endif
#if !defined(__device__)
#define __device__ __attribute__((device))
#endif
#if !defined(__host__)
#define __host__ __attribute__((host))
#endif
#if !defined(__shared__)
#define __shared__ __attribute__((shared))
#endif
#if !defined(__launch_bounds__)
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#endif
#else
#define HEDDLE_DEVICE
#endif

namespace heddle::device {

using instruction::Family;
using instruction::Operand;

using instruction::Target;

/// The processor for which this pass of the compiler generates code. On the host it is gfx1151, so
/// that host code can name the types. Processors of gfx11 that Heddle does not know count as
/// gfx1151. gfx1250 and gfx1251 also define __GFX12__, but have other matrix instructions.
inline constexpr Target target_here =
#if defined(__gfx1100__)
    Target::gfx1100;
#elif defined(__gfx1101__)
    Target::gfx1101;
#elif defined(__gfx1102__)
    Target::gfx1102;
#elif defined(__gfx1103__)
    Target::gfx1103;
#elif defined(__gfx1150__)
    Target::gfx1150;
#elif defined(__gfx1152__)
    Target::gfx1152;
#elif defined(__gfx1153__)
    Target::gfx1153;
#elif defined(__gfx1200__)
    Target::gfx1200;
#elif defined(__gfx1201__) || defined(__gfx12_generic__)
    Target::gfx1201;
#elif defined(__gfx90a__)
    Target::gfx90a;
#elif defined(__gfx942__)
    Target::gfx942;
#elif defined(__gfx950__)
    Target::gfx950;
#elif defined(__GFX11__) || !defined(__HIP_DEVICE_COMPILE__)
    Target::gfx1151;
#else
#error \
    "heddle/device is for gfx11 (RDNA3, 3.5), gfx12 (RDNA4) and CDNA2 to 4: --offload-arch=gfx1151, gfx1201, gfx90a, gfx942, gfx950, ..."
    Target::gfx1151;
#endif

/// The instruction set of target_here, on which the layout of fragments depends: gfx11, gfx12, or
/// one of CDNA's.
inline constexpr Family family_here = instruction::processor(target_here).family;

/// The number of lanes of a wave, on processors of a family and on target_here.
constexpr unsigned wave_size_of(Family family) { return instruction::is_cdna(family) ? 64 : 32; }
inline constexpr unsigned wave_size = wave_size_of(family_here);

#if defined(__HIP__)

/// The index of the thread in its thread block and of the thread block in the grid, like threadIdx
/// and blockIdx in HIP. blockDim and gridDim have no counterpart here.
HEDDLE_DEVICE inline unsigned thread_index_x() { return __builtin_amdgcn_workitem_id_x(); }
HEDDLE_DEVICE inline unsigned thread_index_y() { return __builtin_amdgcn_workitem_id_y(); }
HEDDLE_DEVICE inline unsigned thread_index_z() { return __builtin_amdgcn_workitem_id_z(); }
HEDDLE_DEVICE inline unsigned block_index_x() { return __builtin_amdgcn_workgroup_id_x(); }
HEDDLE_DEVICE inline unsigned block_index_y() { return __builtin_amdgcn_workgroup_id_y(); }
HEDDLE_DEVICE inline unsigned block_index_z() { return __builtin_amdgcn_workgroup_id_z(); }

namespace detail {

/// Does nothing, but with waves of 64 on RDNA it does not compile: the builtin exists only in waves
/// of 32, and the compiler has no macro for the size of waves.
HEDDLE_DEVICE inline void require_waves_of_32() {
#if defined(__HIP_DEVICE_COMPILE__) && !defined(__GFX9__)
  (void)__builtin_amdgcn_ballot_w32(false);  // heddle/device is for waves of 32: -mwavefrontsize32
#endif
}

}  // namespace detail

/// The lane of this thread in its wave: 0 .. 31, on CDNA 0 .. 63.
HEDDLE_DEVICE inline unsigned lane_index() {
  detail::require_waves_of_32();
  return thread_index_x() % wave_size;
}

/// The number of this wave in a thread block of one dimension. The number is in a scalar register:
/// computing with it costs no vector instruction, and a branch on it never diverges.
HEDDLE_DEVICE inline unsigned wave_index() {
  detail::require_waves_of_32();
  return static_cast<unsigned>(
      __builtin_amdgcn_readfirstlane(static_cast<int>(thread_index_x() / wave_size)));
}

/// A barrier of the thread block: waits until all its waves are here. What any of these waves wrote
/// before, to LDS and global memory, is then visible to all of them.
HEDDLE_DEVICE inline void synchronize_block() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// A barrier of the thread block after which everything that its waves wrote to LDS is visible to
/// all of these waves. Unlike synchronize_block, this function orders LDS only: loads from global
/// memory may stay in flight.
HEDDLE_DEVICE inline void synchronize_shared() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

/// Orders the LDS accesses of the lanes of one wave: after this call, each lane sees what the other
/// lanes wrote before the call. It costs no instruction, except a wait if the compiler finds one
/// necessary.
HEDDLE_DEVICE inline void synchronize_wave() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

#else

/// On the host a thread has no lane: the caller must pass the lane to the functions that take one.
[[noreturn]] inline unsigned lane_index() { __builtin_trap(); }

#endif

}  // namespace heddle::device
