// What the tests of heddle/device run on the emulator: every operand of every type loaded, asked,
// multiplied and stored, with orders, bounds and the way through LDS chosen by arguments.
#include "heddle/device/load_store.h"
#include "heddle/device/multiply_accumulate.h"
#include "heddle/device/platform.h"
#include "heddle/device/shared_tile.h"

using namespace heddle::device;

// What a lane holds and where that belongs: element i of lane l goes to values[l * size + i], its
// row and column to places[...] as row * 256 + column.
template <class F, class Memory>
__device__ void tell_elements(const Memory* matrix, unsigned* values, unsigned* places) {
  F fragment;
  load_matrix_sync(fragment, matrix, F::columns);
  for (int i = 0; i < F::size; ++i) {
    const unsigned at = lane_index() * F::size + static_cast<unsigned>(i);
    const typename F::Element element = fragment[i];
    if constexpr (sizeof(element) == 2) {
      values[at] = __builtin_bit_cast(unsigned short, element);
    } else if constexpr (sizeof(element) == 4) {
      values[at] = __builtin_bit_cast(unsigned, element);
    } else {
      values[at] = static_cast<std::uint8_t>(element);
    }
    places[at] = F::row(i) * 256 + F::column(i);
  }
}

#define TELL(name, F, Memory)                                                 \
  extern "C" __global__ void __launch_bounds__(32)                            \
      tell_##name(const Memory* matrix, unsigned* values, unsigned* places) { \
    tell_elements<F>(matrix, values, places);                                 \
  }
TELL(a_f16, FragmentA<half_t>, half_t)
TELL(b_f16, FragmentB<half_t>, half_t)
TELL(d_f16, Accumulator<half_t>, half_t)
TELL(a_bf16, FragmentA<bhalf_t>, bhalf_t)
TELL(b_bf16, FragmentB<bhalf_t>, bhalf_t)
TELL(d_bf16, Accumulator<bhalf_t>, bhalf_t)
TELL(a_iu8, FragmentA<std::uint8_t>, std::uint8_t)
TELL(b_iu8, FragmentB<std::uint8_t>, std::uint8_t)
TELL(a_iu4, FragmentA<uint4_t>, std::uint8_t)
TELL(b_iu4, FragmentB<uint4_t>, std::uint8_t)
TELL(d_f32, Accumulator<float>, float)
TELL(d_i32, Accumulator<std::int32_t>, std::int32_t)
#if defined(__GFX12__)
TELL(a_fp8, FragmentA<fp8_t>, fp8_t)
TELL(b_bf8, FragmentB<bf8_t>, bf8_t)
using DeepA = FragmentA<int4_t, family_here, 32>;
using DeepB = FragmentB<int4_t, family_here, 32>;
TELL(a_iu4_k32, DeepA, std::uint8_t)
TELL(b_iu4_k32, DeepB, std::uint8_t)
#endif

// D = A * B + C of one wave, m and n at most 16, any k. Bits of `flags`: 0, 1, 2: A, B, C and D are
// column-major; 3: with bounds.
struct Product {
  int m, n, k, lda, ldb, ldc, flags;
};

template <class F, class Memory>
__device__ void load(F& fragment, const Memory* pointer, int stride, int rows, int columns,
                     bool column_major, bool bounded) {
  if (bounded && column_major)
    load_matrix_sync_bounded<Order::column_major>(fragment, pointer, stride, rows, columns);
  else if (bounded)
    load_matrix_sync_bounded(fragment, pointer, stride, rows, columns);
  else if (column_major)
    load_matrix_sync<Order::column_major>(fragment, pointer, stride);
  else
    load_matrix_sync(fragment, pointer, stride);
}

template <class Memory, class T>
__device__ void store(Memory* pointer, const Accumulator<T>& fragment, int stride, int rows,
                      int columns, bool column_major, bool bounded) {
  if (bounded && column_major)
    store_matrix_sync_bounded<Order::column_major>(pointer, fragment, stride, rows, columns);
  else if (bounded)
    store_matrix_sync_bounded(pointer, fragment, stride, rows, columns);
  else if (column_major)
    store_matrix_sync<Order::column_major>(pointer, fragment, stride);
  else
    store_matrix_sync(pointer, fragment, stride);
}

// `offset` elements on; of 4 bits two share a byte.
template <class T, class Memory>
__device__ const Memory* on(const Memory* pointer, int offset) {
  constexpr ElementKind kind = element_kind<T>;
  constexpr int per_address = kind.per_address();
  return pointer + offset / per_address;
}

template <class TA, class TB, class TD, int depth, class MA, class MB, class Out>
__device__ void multiply(const MA* a, const MB* b, const TD* c, Out* d, const Product& p) {
  const bool a_columns = p.flags & 1, b_columns = p.flags & 2, c_columns = p.flags & 4;
  const bool bounded = p.flags & 8;
  Accumulator<TD> sum;
  load(sum, c, p.ldc, p.m, p.n, c_columns, bounded);
  for (int k = 0; k < p.k; k += depth) {
    FragmentA<TA, family_here, depth> fa;
    FragmentB<TB, family_here, depth> fb;
    load(fa, on<TA>(a, a_columns ? k * p.lda : k), p.lda, p.m, p.k - k, a_columns, bounded);
    load(fb, on<TB>(b, b_columns ? k : k * p.ldb), p.ldb, p.k - k, p.n, b_columns, bounded);
    sum = multiply_accumulate(fa, fb, sum);
  }
  store(d, sum, p.ldc, p.m, p.n, c_columns, bounded);
}

#define MULTIPLY(name, TA, TB, TD, depth, MA, MB, Out)                            \
  extern "C" __global__ void __launch_bounds__(32)                                \
      multiply_##name(const MA* a, const MB* b, const TD* c, Out* d, Product p) { \
    multiply<TA, TB, TD, depth>(a, b, c, d, p);                                   \
  }
using i8 = std::int8_t;
using u8 = std::uint8_t;
using i32 = std::int32_t;
MULTIPLY(f32_f16, half_t, half_t, float, 16, half_t, half_t, float)
MULTIPLY(f32_f16_to_f16, half_t, half_t, float, 16, half_t, half_t, half_t)
MULTIPLY(f32_bf16_to_bf16, bhalf_t, bhalf_t, float, 16, bhalf_t, bhalf_t, bhalf_t)
MULTIPLY(f32_bf16, bhalf_t, bhalf_t, float, 16, bhalf_t, bhalf_t, float)
MULTIPLY(f16_f16, half_t, half_t, half_t, 16, half_t, half_t, half_t)
MULTIPLY(bf16_bf16, bhalf_t, bhalf_t, bhalf_t, 16, bhalf_t, bhalf_t, bhalf_t)
MULTIPLY(i32_i8_i8, i8, i8, i32, 16, i8, i8, i32)
MULTIPLY(i32_i8_u8, i8, u8, i32, 16, i8, u8, i32)
MULTIPLY(i32_u8_i8, u8, i8, i32, 16, u8, i8, i32)
MULTIPLY(i32_u8_u8, u8, u8, i32, 16, u8, u8, i32)
MULTIPLY(i32_i4_u4, int4_t, uint4_t, i32, 16, u8, u8, i32)
MULTIPLY(i32_u4_i4, uint4_t, int4_t, i32, 16, u8, u8, i32)
#if defined(__GFX12__)
MULTIPLY(i32_i4_i4_k32, int4_t, int4_t, i32, 32, u8, u8, i32)
MULTIPLY(f32_fp8_fp8, fp8_t, fp8_t, float, 16, fp8_t, fp8_t, float)
MULTIPLY(f32_fp8_bf8, fp8_t, bf8_t, float, 16, fp8_t, bf8_t, float)
MULTIPLY(f32_bf8_fp8, bf8_t, fp8_t, float, 16, bf8_t, fp8_t, float)
MULTIPLY(f32_bf8_bf8, bf8_t, bf8_t, float, 16, bf8_t, bf8_t, float)
#endif

// Two products in one pair of accumulators: D = A * B + C and, 16 rows below, D' = B' * B + C',
// where B' is A's rows in reverse: both halves are used, and neither may disturb the other.
template <class T>
__device__ void multiply_pair(const T* a, const T* b, const T* c, T* d, int k) {
  AccumulatorPair<T> sums = AccumulatorPair<T>::zero();
  Accumulator<T> start;
  load_matrix_sync(start, c, 16);
  sums.template set<Half::low>(start);
  load_matrix_sync(start, c + 256, 16);
  sums.template set<Half::high>(start);
  for (int kk = 0; kk < k; kk += 16) {
    FragmentA<T> low, high;
    FragmentB<T> right;
    load_matrix_sync(low, a + kk, k);
    load_matrix_sync(high, a + 16 * k + kk, k);
    load_matrix_sync(right, b + 16 * kk, 16);
    multiply_accumulate<Half::low>(low, right, sums);
    multiply_accumulate<Half::high>(high, right, sums);
  }
  store_matrix_sync(d, sums.template get<Half::low>(), 16);
  store_matrix_sync(d + 256, sums.template get<Half::high>(), 16);
}
extern "C" __global__ void __launch_bounds__(32)
    pair_f16(const half_t* a, const half_t* b, const half_t* c, half_t* d, int k) {
  multiply_pair(a, b, c, d, k);
}
extern "C" __global__ void __launch_bounds__(32)
    pair_bf16(const bhalf_t* a, const bhalf_t* b, const bhalf_t* c, bhalf_t* d, int k) {
  multiply_pair(a, b, c, d, k);
}

// Indices and barriers: out[thread] = its wave, lane and block, gathered through LDS backwards.
extern "C" __global__ void __launch_bounds__(128) indices(unsigned* out) {
  __shared__ unsigned seen[128];
  const unsigned thread = thread_index_x();
  seen[thread] = wave_index() * 65536 + lane_index() * 256 + block_index_x() * 16 +
                 block_index_y() * 4 + block_index_z();
  synchronize_block();
  const unsigned block = (block_index_z() * 2 + block_index_y()) * 3 + block_index_x();
  out[block * 128 + thread] = seen[127 - thread];
}
