// <mma.h>, the fragments of nvcuda::wmma, where there is no CUDA SDK: by mma.sync, as the simulator
// has no wmma of PTX. With a target of AMD's a product is sums of shuffled elements.
//
// There are f16, bf16, s8 and u8 in 16x16x16, 32x8x16 and 8x32x16, and tf32 in 16x16x8; for
// NVIDIA's targets s4 and u4 in 8x8x32 and single bits in 8x8x128. There is no f64, and pointers
// need no more alignment than that of an element.
// Source: "CUDA C++ Programming Guide" 12.8, section "Warp Matrix Functions". The guide does not
// say where a lane's elements lie. Here they lie as in PTX ISA 9.0, "Matrix Fragments for
// mma.m16n8k16" (f16 and integers) and "mma.m16n8k8" (tf32); a product here is two of those.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "<mma.h> is here for sm_80 and later"
#endif

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace detail {

template <class A, class B>
constexpr bool same = __is_same(A, B);

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<precision::tf32> {
  using type = float;
};

struct ElementPlace {
  unsigned row, column;
};

// A product is made of products with 16 rows and 8 columns. For 8x32 the matrices are transposed,
// D' = B' A', so that B's columns are the 32 rows.
template <class Use, int M, int N, int K, class T>
struct Places {
  static_assert((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32),
                "16x16, 32x8 or 8x32 elements of the result");
  static constexpr bool is_transposed = M == 8;
  static constexpr int rows = is_transposed ? N : M, columns = is_transposed ? M : N;
  static constexpr bool is_result = same<Use, accumulator>;
  static constexpr bool has_rows = same<Use, matrix_a> != is_transposed;
  static constexpr int packed = 4 / sizeof(typename Stored<T>::type);  // elements of a register
  static constexpr int of_product = is_result ? 4 : has_rows ? K / 2 : K / 4;
  static constexpr int count = (is_result ? rows * columns : (has_rows ? rows : columns) * K) / 32;

  // Of the lane's element i.
  __device__ static ElementPlace of(unsigned i) {
    const unsigned lane = __lane_id() & 31, group = lane / 4, member = lane % 4;
    const unsigned product = i / of_product, j = i % of_product;
    unsigned outer, inner;  // rows and columns of the result; else one of these, and k
    if constexpr (is_result) {
      outer = product / (columns / 8) * 16 + group + j / 2 * 8;
      inner = product % (columns / 8) * 8 + member * 2 + j % 2;
    } else if constexpr (has_rows) {
      outer = product * 16 + group + j / packed % 2 * 8;
      inner = j / packed / 2 * 4 * packed + member * packed + j % packed;
    } else {
      outer = product * 8 + group;
      inner = j / packed * 4 * packed + member * packed + j % packed;
    }
    const bool is_exchanged = is_result ? is_transposed : same<Use, matrix_b>;
    return is_exchanged ? ElementPlace{inner, outer} : ElementPlace{outer, inner};
  }
};

#ifdef __NVPTX__
// Wraps one mma.sync instruction: `d` are the sums, `a` and `b` the registers of the factors.
#define CUDA_MMA_LONG(T, Sum, constraint, form)                                       \
  __device__ inline void multiply(const T*, Sum(&d)[4], const unsigned (&a)[4],       \
                                  const unsigned (&b)[2]) {                           \
    asm volatile("mma.sync.aligned." form                                             \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                 : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]),  \
                   "+" constraint(d[3])                                               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
  }
#define CUDA_MMA_SHORT(T, form)                                                                  \
  __device__ inline void multiply(const T*, int (&d)[4], const unsigned (&a)[2],                 \
                                  const unsigned (&b)[1]) {                                      \
    asm volatile("mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                             \
  }
CUDA_MMA_LONG(__half, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
CUDA_MMA_LONG(__nv_bfloat16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
CUDA_MMA_LONG(precision::tf32, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32")
CUDA_MMA_SHORT(signed char, "m16n8k16.row.col.s32.s8.s8.s32")
CUDA_MMA_SHORT(unsigned char, "m16n8k16.row.col.s32.u8.u8.s32")
#undef CUDA_MMA_LONG
#undef CUDA_MMA_SHORT
__device__ inline void multiply(const __half*, __half (&d)[4], const unsigned (&a)[4],
                                const unsigned (&b)[2]) {
  unsigned sums[2];
  __builtin_memcpy(sums, d, sizeof sums);
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
      "{%0, %1};"
      : "+r"(sums[0]), "+r"(sums[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  __builtin_memcpy(d, sums, sizeof sums);
}

template <int K, class T, class Sum, class Element>
__device__ void multiply(Sum (&d)[4], const Element* a, const Element* b) {
  unsigned registers_of_a[K * sizeof(Element) / 8], registers_of_b[K * sizeof(Element) / 16];
  __builtin_memcpy(registers_of_a, a, sizeof registers_of_a);
  __builtin_memcpy(registers_of_b, b, sizeof registers_of_b);
  multiply(static_cast<const T*>(nullptr), d, registers_of_a, registers_of_b);
}
#else
// The product on a target of AMD's, by shuffles. A lane has the sums of two rows and two columns,
// and gets the elements of these rows and columns from the lanes that hold them.
template <int K, class T, class Sum, class Element>
__device__ void multiply(Sum (&d)[4], const Element* a, const Element* b) {
  constexpr int packed = 4 / sizeof(Element);
  const int lane = __lane_id() & 31;
  for (int k = 0; k < K; ++k) {
    const int holder = k / packed % 4, round = k / (4 * packed);
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column) {
        const Element x =
            __shfl_sync(~0u, a[(2 * round + row) * packed + k % packed], lane / 4 * 4 + holder);
        const Element y =
            __shfl_sync(~0u, b[round * packed + k % packed], (lane % 4 * 2 + column) * 4 + holder);
        d[2 * row + column] += static_cast<Sum>(x) * static_cast<Sum>(y);
      }
  }
}
#endif

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
 public:
  using Places = detail::Places<Use, M, N, K, T>;
  using element_type = typename detail::Stored<T>::type;
  using storage_element_type = element_type;
  static constexpr int num_elements = Places::count;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class Number>
__device__ void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const Number& value) {
  for (auto& element : f.x) element = value;
}

namespace detail {
// The offset in memory of element i. If `has_rows`, each row is contiguous, and rows are `pitch`
// elements apart; otherwise each column is, and columns are `pitch` elements apart.
template <class Use, int M, int N, int K, class T>
__device__ size_t offset(unsigned i, unsigned pitch, bool has_rows) {
  const ElementPlace place = Places<Use, M, N, K, T>::of(i);
  return has_rows ? static_cast<size_t>(place.row) * pitch + place.column
                  : static_cast<size_t>(place.column) * pitch + place.row;
}
}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout>
__device__ void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f,
                                 const typename detail::Stored<T>::type* from, unsigned pitch) {
  static_assert(detail::same<Layout, row_major> || detail::same<Layout, col_major>,
                "an accumulator is loaded with a layout_t");
  for (unsigned i = 0; i < f.num_elements; ++i)
    f.x[i] = from[detail::offset<Use, M, N, K, T>(i, pitch, detail::same<Layout, row_major>)];
}
template <int M, int N, int K, class T>
__device__ void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* from,
                                 unsigned pitch, layout_t layout) {
  for (unsigned i = 0; i < f.num_elements; ++i)
    f.x[i] = from[detail::offset<accumulator, M, N, K, T>(i, pitch, layout == mem_row_major)];
}
template <int M, int N, int K, class T>
__device__ void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& f, unsigned pitch,
                                  layout_t layout) {
  for (unsigned i = 0; i < f.num_elements; ++i)
    to[detail::offset<accumulator, M, N, K, T>(i, pitch, layout == mem_row_major)] = f.x[i];
}

// D = A B + C. If D and C have different types, the sums have D's type.
template <int M, int N, int K, class D, class T, class LayoutA, class LayoutB, class C>
__device__ void mma_sync(fragment<accumulator, M, N, K, D>& d,
                         const fragment<matrix_a, M, N, K, T, LayoutA>& a,
                         const fragment<matrix_b, M, N, K, T, LayoutB>& b,
                         const fragment<accumulator, M, N, K, C>& c, bool = false) {
  using Places = detail::Places<accumulator, M, N, K, D>;
  const auto* rows = Places::is_transposed ? b.x : a.x;
  const auto* columns = Places::is_transposed ? a.x : b.x;
  for (int product = 0; product < 2; ++product) {
    D sums[4];
    for (int i = 0; i < 4; ++i) sums[i] = static_cast<D>(c.x[4 * product + i]);
    const int row = product / (Places::columns / 8), column = product % (Places::columns / 8);
    detail::multiply<K, T>(sums, rows + row * (K / 2), columns + column * (K / 4));
    for (int i = 0; i < 4; ++i) d.x[4 * product + i] = sums[i];
  }
}

// --- numbers of four bits and single bits --------------------------------------------------------

// A is row_major and B is col_major, since the ISA has no other layouts. Each lane has one register
// of A, one register of B, and two sums, which are in row lane / 4.
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

#define CUDA_SMALL_FRAGMENT(Use, T, depth, Layout)                                            \
  template <>                                                                                 \
  class fragment<Use, 8, 8, depth, experimental::precision::T, Layout> {                      \
   public:                                                                                    \
    using element_type = unsigned;                                                            \
    using storage_element_type = unsigned;                                                    \
    static constexpr int num_elements = 256 / depth, num_storage_elements = 1;                \
    unsigned x[1];                                                                            \
  };                                                                                          \
  __device__ inline void load_matrix_sync(                                                    \
      fragment<Use, 8, 8, depth, experimental::precision::T, Layout>& f, const void* from,    \
      unsigned pitch) {                                                                       \
    const unsigned lane = __lane_id() & 31;                                                   \
    constexpr unsigned of_register = depth / 4;                                               \
    f.x[0] = static_cast<const unsigned*>(from)[lane / 4 * (pitch / of_register) + lane % 4]; \
  }
#define CUDA_SMALL_FRAGMENTS(T, depth)               \
  CUDA_SMALL_FRAGMENT(matrix_a, T, depth, row_major) \
  CUDA_SMALL_FRAGMENT(matrix_b, T, depth, col_major)
CUDA_SMALL_FRAGMENTS(s4, 32)
CUDA_SMALL_FRAGMENTS(u4, 32)
CUDA_SMALL_FRAGMENTS(b1, 128)
#undef CUDA_SMALL_FRAGMENTS
#undef CUDA_SMALL_FRAGMENT

template <int K>
class fragment<accumulator, 8, 8, K, int, void> {
 public:
  using element_type = int;
  using storage_element_type = int;
  static constexpr int num_elements = 2, num_storage_elements = 2;
  int x[2];
};
template <int K>
__device__ void load_matrix_sync(fragment<accumulator, 8, 8, K, int>& f, const int* from,
                                 unsigned pitch, layout_t layout) {
  const unsigned lane = __lane_id() & 31, row = lane / 4, column = lane % 4 * 2;
  for (unsigned i = 0; i < 2; ++i)
    f.x[i] =
        layout == mem_row_major ? from[row * pitch + column + i] : from[(column + i) * pitch + row];
}
template <int K>
__device__ void store_matrix_sync(int* to, const fragment<accumulator, 8, 8, K, int>& f,
                                  unsigned pitch, layout_t layout) {
  const unsigned lane = __lane_id() & 31, row = lane / 4, column = lane % 4 * 2;
  for (unsigned i = 0; i < 2; ++i)
    to[layout == mem_row_major ? row * pitch + column + i : (column + i) * pitch + row] = f.x[i];
}

#ifdef __NVPTX__
#define CUDA_SMALL_MMA(form)                                               \
  asm volatile("mma.sync.aligned." form " {%0, %1}, {%2}, {%3}, {%4, %5};" \
               : "=r"(d.x[0]), "=r"(d.x[1])                                \
               : "r"(a.x[0]), "r"(b.x[0]), "r"(c.x[0]), "r"(c.x[1]))
#else
#define CUDA_SMALL_MMA(form) __builtin_trap()
#endif
#define CUDA_SMALL_PRODUCT(T, saturates, plain)                                     \
  __device__ inline void mma_sync(                                                  \
      fragment<accumulator, 8, 8, 32, int>& d,                                      \
      const fragment<matrix_a, 8, 8, 32, experimental::precision::T, row_major>& a, \
      const fragment<matrix_b, 8, 8, 32, experimental::precision::T, col_major>& b, \
      const fragment<accumulator, 8, 8, 32, int>& c, bool is_saturated = false) {   \
    if (is_saturated)                                                               \
      CUDA_SMALL_MMA(saturates);                                                    \
    else                                                                            \
      CUDA_SMALL_MMA(plain);                                                        \
  }
CUDA_SMALL_PRODUCT(s4, "m8n8k32.row.col.satfinite.s32.s4.s4.s32", "m8n8k32.row.col.s32.s4.s4.s32")
CUDA_SMALL_PRODUCT(u4, "m8n8k32.row.col.satfinite.s32.u4.u4.s32", "m8n8k32.row.col.s32.u4.u4.s32")
#undef CUDA_SMALL_PRODUCT
__device__ inline void bmma_sync(
    fragment<accumulator, 8, 8, 128, int>& d,
    const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>& a,
    const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>& b,
    const fragment<accumulator, 8, 8, 128, int>& c,
    experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
    experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
  if (operation == experimental::bmmaBitOpXOR)
    CUDA_SMALL_MMA("m8n8k128.row.col.s32.b1.b1.s32.xor.popc");
  else
    CUDA_SMALL_MMA("m8n8k128.row.col.s32.b1.b1.s32.and.popc");
}
#undef CUDA_SMALL_MMA

// Rounds an f32 to the nearest tf32, ties away from zero.
__device__ inline float __float_to_tf32(float x) {
  const unsigned bits = __float_as_uint(x);
  const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
  return __uint_as_float(is_finite ? (bits + 0x1000u) & ~0x1fffu : bits);
}

}  // namespace nvcuda::wmma
