// Vector types of <hip/hip_runtime.h> and <cuda_runtime.h> where there is no SDK, of the size and
// alignment of ROCm's and CUDA's.
//
// CUDA's are structures without operators; programs write their own. HIP's are HIP_vector_type<T,
// n>. Libraries such as rocWMMA extend the parts of HIP_vector_type for their own types and sizes:
// Native_vec_ is the storage and has operators, HIP_vector_base names the elements, and
// HIP_vector_type has the users' functions.
#pragma once

#include "language.h"

#ifdef __CUDA__
#define HIP_VECTORS(Name, T)                                                                     \
  struct Name##1 { T x; };                                                                       \
  struct __attribute__((aligned(2 * sizeof(T)))) Name##2 { T x, y; };                            \
  struct Name##3 { T x, y, z; };                                                                 \
  struct __attribute__((aligned(sizeof(T) > 4 ? 16 : 4 * sizeof(T)))) Name##4 { T x, y, z, w; }; \
  __device__ __host__ constexpr Name##1 make_##Name##1(T x) { return {x}; }                      \
  __device__ __host__ constexpr Name##2 make_##Name##2(T x, T y) { return {x, y}; }              \
  __device__ __host__ constexpr Name##3 make_##Name##3(T x, T y, T z) { return {x, y, z}; }      \
  __device__ __host__ constexpr Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#else
#define HIP_BOTH __device__ __host__ constexpr

// A vector of three elements, for which the compiler's own type is too large: it has the size of
// four.
template <class T>
struct HipThree {
  T d[3];
  HIP_BOTH T& operator[](unsigned i) { return d[i]; }
  HIP_BOTH T operator[](unsigned i) const { return d[i]; }
#define HIP_THREE(o)                                     \
  HIP_BOTH HipThree& operator o(const HipThree& other) { \
    for (unsigned i = 0; i < 3; ++i) d[i] o other.d[i];  \
    return *this;                                        \
  }
  HIP_THREE(+=)
  HIP_THREE(-=)
  HIP_THREE(*=)
  HIP_THREE(/=)
  HIP_THREE(%=)
  HIP_THREE(&=)
  HIP_THREE(|=)
  HIP_THREE(^=)
  HIP_THREE(<<=)
  HIP_THREE(>>=)
#undef HIP_THREE
};

template <class T, unsigned n>
struct HIP_vector_base;

template <bool>
struct HipWhen;
template <>
struct HipWhen<true> {
  using type = int;
};

#define HIP_VECTOR_BASE(n, Native, parameters, elements, ...)        \
  template <class T>                                                 \
  struct HIP_vector_base<T, n> {                                     \
    using Native_vec_ = Native;                                      \
    using value_type = T;                                            \
    union {                                                          \
      Native_vec_ data;                                              \
      struct {                                                       \
        T __VA_ARGS__;                                               \
      };                                                             \
    };                                                               \
    HIP_vector_base() = default;                                     \
    HIP_BOTH explicit HIP_vector_base parameters : data{elements} {} \
  };
#define HIP_COMMA ,
HIP_VECTOR_BASE(1, T __attribute__((ext_vector_type(1))), (T a), a, x)
HIP_VECTOR_BASE(2, T __attribute__((ext_vector_type(2))), (T a, T b), a HIP_COMMA b, x, y)
HIP_VECTOR_BASE(3, HipThree<T>, (T a, T b, T c), a HIP_COMMA b HIP_COMMA c, x, y, z)
HIP_VECTOR_BASE(4, T __attribute__((ext_vector_type(4))), (T a, T b, T c, T d),
                a HIP_COMMA b HIP_COMMA c HIP_COMMA d, x, y, z, w)
#undef HIP_COMMA
#undef HIP_VECTOR_BASE

template <class T, unsigned n>
struct HIP_vector_type : HIP_vector_base<T, n> {
  using Base = HIP_vector_base<T, n>;
  using Base::data;
  using typename Base::Native_vec_;

  HIP_vector_type() = default;
  // Constructors from one number for all elements, or from one number for each. The first is
  // explicit, so that a number does not convert to a vector in a call of a program's own function
  // (ROCm, amd_hip_vector_types.h).
  template <class U, class = decltype(static_cast<T>(U()))>
  HIP_BOTH explicit HIP_vector_type(U scalar) {
    if constexpr (__is_class(Native_vec_))
      for (unsigned i = 0; i < n; ++i) data[i] = static_cast<T>(scalar);
    else
      data = static_cast<Native_vec_>(static_cast<T>(scalar));
  }
  template <class... U, typename HipWhen<(n > 1 && sizeof...(U) == n)>::type = 0>
  HIP_BOTH HIP_vector_type(U... elements) : Base(static_cast<T>(elements)...) {}

  __device__ __host__ T& operator[](unsigned i) { return reinterpret_cast<T*>(&data)[i]; }
  __device__ __host__ const T& operator[](unsigned i) const {
    return reinterpret_cast<const T*>(&data)[i];
  }
#define HIP_ASSIGNMENT(o)                                              \
  HIP_BOTH HIP_vector_type& operator o(const HIP_vector_type& other) { \
    data o other.data;                                                 \
    return *this;                                                      \
  }
  HIP_ASSIGNMENT(+=)
  HIP_ASSIGNMENT(-=)
  HIP_ASSIGNMENT(*=)
  HIP_ASSIGNMENT(/=)
  HIP_ASSIGNMENT(%=)
  HIP_ASSIGNMENT(&=)
  HIP_ASSIGNMENT(|=)
  HIP_ASSIGNMENT(^=)
  HIP_ASSIGNMENT(<<=)
  HIP_ASSIGNMENT(>>=)
#undef HIP_ASSIGNMENT
  __device__ __host__ HIP_vector_type& operator++() noexcept { return *this += HIP_vector_type(1); }
  __device__ __host__ HIP_vector_type& operator--() noexcept { return *this -= HIP_vector_type(1); }
  HIP_BOTH HIP_vector_type operator-() const { return HIP_vector_type(0) -= *this; }
};

#define HIP_OPERATOR(o)                                                                 \
  template <class T, unsigned n>                                                        \
  HIP_BOTH HIP_vector_type<T, n> operator o(HIP_vector_type<T, n> a,                    \
                                            const HIP_vector_type<T, n>& b) {           \
    return a o## = b;                                                                   \
  }                                                                                     \
  template <class T, unsigned n, class U, class = decltype(static_cast<T>(U()))>        \
  HIP_BOTH HIP_vector_type<T, n> operator o(HIP_vector_type<T, n> a, U scalar) {        \
    return a o## = HIP_vector_type<T, n>(scalar);                                       \
  }                                                                                     \
  template <class T, unsigned n, class U, class = decltype(static_cast<T>(U()))>        \
  HIP_BOTH HIP_vector_type<T, n> operator o(U scalar, const HIP_vector_type<T, n>& b) { \
    return HIP_vector_type<T, n>(scalar) o## = b;                                       \
  }
HIP_OPERATOR(+)
HIP_OPERATOR(-)
HIP_OPERATOR(*)
HIP_OPERATOR(/)
HIP_OPERATOR(%)
HIP_OPERATOR(&)
HIP_OPERATOR(|)
HIP_OPERATOR(^)
HIP_OPERATOR(<<)
HIP_OPERATOR(>>)
#undef HIP_OPERATOR
template <class T, unsigned n>
__device__ __host__ bool operator==(const HIP_vector_type<T, n>& a,
                                    const HIP_vector_type<T, n>& b) {
  for (unsigned i = 0; i < n; ++i)
    if (a[i] != b[i]) return false;
  return true;
}
template <class T, unsigned n>
__device__ __host__ bool operator!=(const HIP_vector_type<T, n>& a,
                                    const HIP_vector_type<T, n>& b) {
  return !(a == b);
}

#define HIP_VECTORS(Name, T)                                           \
  using Name##1 = HIP_vector_type<T, 1>;                               \
  using Name##2 = HIP_vector_type<T, 2>;                               \
  using Name##3 = HIP_vector_type<T, 3>;                               \
  using Name##4 = HIP_vector_type<T, 4>;                               \
  HIP_BOTH Name##1 make_##Name##1(T x) { return Name##1(x); }          \
  HIP_BOTH Name##2 make_##Name##2(T x, T y) { return {x, y}; }         \
  HIP_BOTH Name##3 make_##Name##3(T x, T y, T z) { return {x, y, z}; } \
  HIP_BOTH Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#endif

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
#undef HIP_BOTH

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  __device__ __host__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
  __device__ __host__ constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  __device__ __host__ constexpr operator uint3() const { return {x, y, z}; }
};
