// P from accumulators to operand B, by registers and by shared memory: both go out.
#include "heddle/device/p_buffer.h"

using namespace heddle::device;

// Two warps of 32 queries each, 64 keys, BK = 32.
template <class T>
struct Shape {
  using P = PBuffer<float, T, TensorCore<float, T>, 64, 64, 32, 32, 64>;
  static constexpr int fragment = P::mma_frag_size;
};

// scores: 64 keys x 64 queries. Out: for each way, key tile, query tile and thread, a fragment.
template <class T>
__device__ void convert(const float* scores, T* by_registers, T* by_memory, T* lds) {
  using P = typename Shape<T>::P;
  using D = Accumulator<float>;
  P p(lds);
  const int warp = static_cast<int>(wave_index());
  const int thread = static_cast<int>(thread_index_x());
#pragma unroll
  for (int n = 0; n < P::num_n_mmas; ++n)
#pragma unroll
    for (int m = 0; m < P::num_m_mmas; ++m)
#pragma unroll
      for (int i = 0; i < D::size; ++i) {
        const int key = 16 * n + static_cast<int>(D::row(i));
        const int query = 32 * warp + 16 * m + static_cast<int>(D::column(i));
        p.reg_tile[n * P::num_m_mmas + m].registers[i] = scores[key * 64 + query];
      }
  const auto put = [&](T* out, int tile, const typename P::MMATileType& fragments) {
#pragma unroll
    for (int m = 0; m < P::num_m_mmas; ++m)
      *reinterpret_cast<decltype(fragments[m].registers)*>(
          out + ((tile * P::num_m_mmas + m) * 64 + thread) * Shape<T>::fragment) =
          fragments[m].registers;
  };
  unroll<P::num_n_mmas>(
      [&](auto n) { put(by_registers, n.value, p.template register_mma_tile<n.value>()); });
  unroll<2>([&](auto chunk) {
    p.template copy_to_shared<chunk.value>();
    synchronize_shared();
    unroll<2>([&](auto k) {
      put(by_memory, chunk.value * 2 + k.value, p.template get_mma_tile<chunk.value, k.value>());
    });
    synchronize_shared();
  });
}

extern "C" __global__ void __launch_bounds__(64)
    p_buffer_f16(const float* scores, half_t* by_registers, half_t* by_memory) {
  alignas(16) static __shared__ half_t lds[Shape<half_t>::P::shared_size];
  convert(scores, by_registers, by_memory, lds);
}
extern "C" __global__ void __launch_bounds__(64)
    p_buffer_bf16(const float* scores, bhalf_t* by_registers, bhalf_t* by_memory) {
  alignas(16) static __shared__ bhalf_t lds[Shape<bhalf_t>::P::shared_size];
  convert(scores, by_registers, by_memory, lds);
}
