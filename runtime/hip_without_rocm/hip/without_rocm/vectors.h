// Vector types of <hip/hip_runtime.h> where there is no ROCm. Those of 2 and 4 are the compiler's
// vectors, which have ROCm's size and alignment (4 elements: 16 bytes for float); those of 3 are
// structures, as the compiler's vector of 3 is as large as one of 4.
#pragma once

#define HIP_OPERATOR(Name, T, operation)                                                          \
  __device__ constexpr Name operator operation(Name a, Name b) {                                  \
    return {static_cast<T>(a.x operation b.x), static_cast<T>(a.y operation b.y),                 \
            static_cast<T>(a.z operation b.z)};                                                   \
  }                                                                                               \
  __device__ constexpr Name operator operation(Name a, T b) { return a operation Name{b, b, b}; } \
  __device__ constexpr Name operator operation(T a, Name b) { return Name{a, a, a} operation b; } \
  __device__ constexpr Name& operator operation## = (Name & a, Name b) {                          \
    return a = a operation b;                                                                     \
  }                                                                                               \
  __device__ constexpr Name& operator operation## = (Name & a, T b) { return a = a operation b; }

#define HIP_VECTORS(Name, T)                                                                \
  struct Name##1 { T x; };                                                                  \
  using Name##2 = T __attribute__((ext_vector_type(2)));                                    \
  using Name##4 = T __attribute__((ext_vector_type(4)));                                    \
  struct Name##3 { T x, y, z; };                                                            \
  HIP_OPERATOR(Name##3, T, +)                                                               \
  HIP_OPERATOR(Name##3, T, -)                                                               \
  HIP_OPERATOR(Name##3, T, *)                                                               \
  HIP_OPERATOR(Name##3, T, /)                                                               \
  __device__ __host__ constexpr Name##1 make_##Name##1(T x) { return {x}; }                 \
  __device__ __host__ constexpr Name##2 make_##Name##2(T x, T y) { return {x, y}; }         \
  __device__ __host__ constexpr Name##3 make_##Name##3(T x, T y, T z) { return {x, y, z}; } \
  __device__ __host__ constexpr Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
HIP_VECTORS(char, signed char)
HIP_VECTORS(uchar, unsigned char)
HIP_VECTORS(short, short)
HIP_VECTORS(ushort, unsigned short)
HIP_VECTORS(int, int)
HIP_VECTORS(uint, unsigned)
HIP_VECTORS(long, long)
HIP_VECTORS(ulong, unsigned long)
HIP_VECTORS(longlong, long long)
HIP_VECTORS(ulonglong, unsigned long long)
HIP_VECTORS(float, float)
HIP_VECTORS(double, double)
#undef HIP_VECTORS
#undef HIP_OPERATOR

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  __device__ __host__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
};
