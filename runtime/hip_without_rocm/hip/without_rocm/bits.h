// Bit operations, reinterpretations and loads of <hip/hip_runtime.h> where there is no ROCm.
#pragma once

__device__ inline int __popc(unsigned x) { return __builtin_popcount(x); }
__device__ inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
__device__ inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
__device__ inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
__device__ inline int __ffs(int x) { return __builtin_ffs(x); }
__device__ inline int __ffsll(long long x) { return __builtin_ffsll(x); }
__device__ inline unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
__device__ inline unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}
__device__ inline int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
__device__ inline int __mulhi(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
__device__ inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
__device__ inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
__device__ inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
__device__ inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}

__device__ inline unsigned __usad(unsigned a, unsigned b, unsigned sum) {
  return sum + (a > b ? a - b : b - a);
}
__device__ inline unsigned __sad(int a, int b, unsigned sum) {
  return sum + (a > b ? unsigned(a) - b : unsigned(b) - a);
}
// The mean of two numbers, rounded down (hadd) or to nearest (rhadd). Their sum may need 33 bits.
__device__ inline int __hadd(int a, int b) { return static_cast<int>((1ll * a + b) >> 1); }
__device__ inline int __rhadd(int a, int b) { return static_cast<int>((1ll * a + b + 1) >> 1); }
__device__ inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((1ull * a + b) >> 1);
}
__device__ inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((1ull * a + b + 1) >> 1);
}

// The mask of a field of `width` bits. Widths and offsets are taken modulo the bits of the word.
template <class Word>
__device__ inline Word __heddle_field(unsigned width) {
  return (Word{1} << width % (8 * sizeof(Word))) - 1;
}
__device__ inline unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  return x >> offset % 32 & __heddle_field<unsigned>(width);
}
__device__ inline unsigned long long __bitextract_u64(unsigned long long x, unsigned offset,
                                                      unsigned width) {
  return x >> offset % 64 & __heddle_field<unsigned long long>(width);
}
__device__ inline unsigned __bitinsert_u32(unsigned x, unsigned field, unsigned offset,
                                           unsigned width) {
  const unsigned mask = __heddle_field<unsigned>(width);
  return (x & ~(mask << offset % 32)) | (field & mask) << offset % 32;
}
__device__ inline unsigned long long __bitinsert_u64(unsigned long long x, unsigned long long field,
                                                     unsigned offset, unsigned width) {
  const unsigned long long mask = __heddle_field<unsigned long long>(width);
  return (x & ~(mask << offset % 64)) | (field & mask) << offset % 64;
}

// Bits 4 i to 4 i + 2 of the selector give the number of byte i of the result: 0 to 3 are the bytes
// of a, 4 to 7 those of b.
__device__ inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> 8 * (selector >> 4 * i & 7u) & 0xffu) << 8 * i;
  return result;
}
// Funnel shifts of the 64-bit number with the words `high` and `low`. A left shift (l) returns the
// upper word of the shifted number, and a right shift (r) its lower word. `shift` is taken modulo
// 32, or, in the functions with c, limited to 32.
__device__ inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift < 32 ? shift : 32) >> 32);
}
__device__ inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift < 32 ? shift : 32));
}
__device__ inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return __funnelshift_lc(low, high, shift & 31);
}
__device__ inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return __funnelshift_rc(low, high, shift & 31);
}

__device__ inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__device__ inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
__device__ inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__device__ inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
__device__ inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__device__ inline long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}

template <class T>
__device__ inline T __ldg(const T* place) {
  return *place;
}

// A counter of cycles. On GFX11, whose counter has 20 bits, it is a clock with a constant rate, so
// that programs which wait for a number of cycles end.
__device__ inline long long clock64() {
#if defined(__GFX11__)
  return static_cast<long long>(__builtin_readsteadycounter());
#else
  return static_cast<long long>(__builtin_readcyclecounter());
#endif
}
// A clock of a constant rate, 100 MHz on GPUs.
__device__ inline long long wall_clock64() {
#ifdef __AMDGCN__
  return static_cast<long long>(__builtin_readsteadycounter());
#else
  return clock64();
#endif
}
__device__ inline long long clock() { return clock64(); }
