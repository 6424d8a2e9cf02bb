// Q buffers element by element, on the host; on the emulator the attention kernels put them to work
// (tests/kernels/attention_test.cpp).
#include "heddle/device/q_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace heddle::device {
namespace q_buffer_test {

template <class T, int WM, int BK, int depth, int group, Family family>
void check(int valid_rows, int warps) {
  using Q = QBuffer<T, TensorCore<float, T, group>, WM, 32, 32, BK, depth, family>;
  constexpr int stride = depth + 8;
  const int rows = std::min(valid_rows, WM * warps);
  std::vector<std::uint16_t> memory(static_cast<std::size_t>(rows * stride + 1));
  const auto bits = [](int row, int d) { return static_cast<std::uint16_t>(row * depth + d + 1); };
  for (int row = 0; row < rows; ++row)
    for (int d = 0; d < depth; ++d)
      memory[static_cast<std::size_t>(row * stride + d)] = bits(row, d);
  constexpr int size = family == Family::gfx11 ? 16 : 8;
  static_assert(Q::fragment_size == size);
  static_assert(Q::reg_tile_layout.rows == WM / 16 * depth / 16);
  int wrong = 0;
  for (int warp = 0; warp < warps; ++warp)
    for (int lane = 0; lane < 32; ++lane) {
      const Q q({reinterpret_cast<const T*>(memory.data()), stride}, valid_rows,
                Thread{static_cast<unsigned>(lane), static_cast<unsigned>(warp)});
      unroll<Q::num_tiles>([&](auto strip) {
        unroll<Q::num_k_tiles>([&](auto k) {
          const auto tile = q.template get_mma_tile<strip.value, k.value>();
          for (int row = 0; row < Q::mma_tile_layout.rows; ++row) {
            std::uint16_t got[size];
            std::memcpy(got, &tile[row].registers, sizeof got);
            for (int i = 0; i < size; ++i) {
              const int query = warp * WM + row / group * 16 + lane % 16;
              const int d = strip.value * BK + (k.value * group + row % group) * 16 +
                            (size == 16 ? i : 8 * (lane / 16) + i);
              const std::uint16_t wanted = query < valid_rows ? bits(query, d) : 0;
              wrong += got[i] != wanted;
            }
          }
        });
      });
    }
  EXPECT_EQ(wrong, 0) << valid_rows << " rows, WM " << WM << ", BK " << BK << ", depth " << depth;
}

TEST(QBuffer, EveryElementIsWhereItBelongs) {
  for (int rows = 0; rows <= 65; rows += 5) {
    check<half_t, 16, 32, 64, 1, Family::gfx11>(rows, 4);
    check<half_t, 16, 32, 64, 1, Family::gfx12>(rows, 4);
    check<bhalf_t, 32, 64, 128, 1, Family::gfx11>(rows, 2);
    check<bhalf_t, 32, 64, 128, 1, Family::gfx12>(rows, 2);
    check<half_t, 16, 256, 256, 1, Family::gfx11>(rows, 1);
    check<half_t, 32, 64, 128, 2, Family::gfx11>(rows, 2);
    check<half_t, 32, 64, 128, 2, Family::gfx12>(rows, 2);
  }
}

}  // namespace q_buffer_test
}  // namespace heddle::device
