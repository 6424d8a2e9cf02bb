// Shuffles and votes of a wave of 32 or, on CDNA, of 64, of <hip/hip_runtime.h> where there is no
// ROCm.
#pragma once

__device__ inline int __lane_id() {
  const unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0u);
#if defined(__GFX9__)
  return __builtin_amdgcn_mbcnt_hi(~0u, low);
#else
  return low;
#endif
}

// Counts the bits of a mask that are set for lanes below the running lane, and adds `number`. The
// mask of __mbcnt_lo is for lanes 0 to 31, and that of __mbcnt_hi for lanes 32 to 63.
__device__ inline unsigned __mbcnt_lo(unsigned mask, unsigned number) {
  return __builtin_amdgcn_mbcnt_lo(mask, number);
}
__device__ inline unsigned __mbcnt_hi(unsigned mask, unsigned number) {
  return __builtin_amdgcn_mbcnt_hi(mask, number);
}

template <class T>
__device__ inline T __shfl(T value, int lane, int width = warpSize) {
  static_assert(sizeof(T) <= 16, "a value of at most 16 bytes");
  constexpr int words = (sizeof(T) + 3) / 4;
  const int from = (__lane_id() & ~(width - 1)) + (lane & (width - 1));
  int parts[words] = {};
  __builtin_memcpy(parts, &value, sizeof(T));
  for (int i = 0; i < words; ++i) parts[i] = __builtin_amdgcn_ds_bpermute(4 * from, parts[i]);
  __builtin_memcpy(&value, parts, sizeof(T));
  return value;
}
// Lanes form groups of `width` neighbours. A lane keeps its own value if its source lane is outside
// its group; with __shfl_xor only if the source lane is above the group.
template <class T>
__device__ inline T __shfl_xor(T value, int mask, int width = warpSize) {
  const int self = __lane_id(), from = self ^ mask;
  return __shfl(value, from < (self & ~(width - 1)) + width ? from : self, warpSize);
}
template <class T>
__device__ inline T __shfl_down(T value, unsigned delta, int width = warpSize) {
  const int self = __lane_id() & (width - 1), from = self + static_cast<int>(delta);
  return __shfl(value, from < width ? from : self, width);
}
template <class T>
__device__ inline T __shfl_up(T value, unsigned delta, int width = warpSize) {
  const int self = __lane_id() & (width - 1), from = self - static_cast<int>(delta);
  return __shfl(value, from >= 0 ? from : self, width);
}

__device__ inline unsigned long long __ballot(int predicate) {
#if defined(__GFX9__)
  return __builtin_amdgcn_ballot_w64(predicate != 0);
#else
  return __builtin_amdgcn_ballot_w32(predicate != 0);
#endif
}
__device__ inline unsigned long long __activemask() { return __ballot(1); }
__device__ inline int __any(int predicate) { return __ballot(predicate) != 0; }
__device__ inline int __all(int predicate) { return __ballot(predicate == 0) == 0; }

// The mask says which lanes take part. It is ignored: all active lanes take part.
template <class Mask, class T>
__device__ inline T __shfl_sync(Mask, T value, int lane, int width = warpSize) {
  return __shfl(value, lane, width);
}
template <class Mask, class T>
__device__ inline T __shfl_xor_sync(Mask, T value, int mask, int width = warpSize) {
  return __shfl_xor(value, mask, width);
}
template <class Mask, class T>
__device__ inline T __shfl_down_sync(Mask, T value, unsigned delta, int width = warpSize) {
  return __shfl_down(value, delta, width);
}
template <class Mask, class T>
__device__ inline T __shfl_up_sync(Mask, T value, unsigned delta, int width = warpSize) {
  return __shfl_up(value, delta, width);
}
template <class Mask>
__device__ inline unsigned long long __ballot_sync(Mask, int predicate) {
  return __ballot(predicate);
}
template <class Mask>
__device__ inline int __any_sync(Mask, int predicate) {
  return __any(predicate);
}
template <class Mask>
__device__ inline int __all_sync(Mask, int predicate) {
  return __all(predicate);
}
