// The names of Mojo's library name the buffers of heddle/device: without bank conflicts, or with
// Mojo's layouts.
#include "heddle/interop/mojo.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace heddle::interop::mojo {
namespace mojo_test {

using device::half_t;

TEST(Mojo, NamesAreTheBuffers) {
  using Core = TiledTensorCore<float, half_t, Shape<16, 16, 16>>;
  using Placed = VBufferRDNA<half_t, Core, 64, 32, 128, 128>;
  static_assert(
      std::is_same_v<Placed, device::VBuffer<half_t, device::TensorCore<float, half_t>, 64, 32, 128,
                                             128, 1, 1, device::PlacedOrder>>);
  using V = VBufferRDNA<half_t, Core, 64, 32, 128, 128, 1, 1, device::PublishedOrder>;
  static_assert(std::is_same_v<V, device::VBuffer<half_t, device::TensorCore<float, half_t>, 64, 32,
                                                  128, 128, 1, 1, device::PublishedOrder>>);
  static_assert(V::MMA_M == 16 && V::MMA_K == 16 && V::operand == device::Operand::a);
  // pad[128]() is 144 rows of 8; element (d, key) of the documented formula.
  const auto offsets = layout::invert(V::shared.map).value();
  for (std::uint64_t key = 0; key < 32; ++key)
    for (std::uint64_t d = 0; d < 128; ++d)
      ASSERT_EQ(V::shared.place(offsets.apply({{"key", key}, {"d", d}})->at("offset")),
                (key / 8 * V::pad<128>() + d) * 8 + key % 8);

  using K = KBufferRDNA<half_t, Core, 64, 32, 32, 128, 128, 2>;
  static_assert(std::is_same_v<K, device::KBuffer<half_t, device::TensorCore<float, half_t>, 64, 32,
                                                  32, 128, 128, 2, device::PlacedRows>>);
  EXPECT_EQ(K::smem_layout, (device::RowMajor{64, 32}));
  using Q = QRegisterBufferRDNA<half_t, Shape<16, 16, 16>, 1, 32, 32, 64, 32, 128>;
  EXPECT_EQ(Q::num_mmas, 2);
  EXPECT_EQ(Q::num_tiles, 4);
  using P = PRegisterBufferRDNA<float, half_t, 64, 64, 32, 32, 32>;
  EXPECT_EQ(P::num_m_mmas, 2);
  EXPECT_EQ(P::smem_layout, (device::RowMajor{32, 64}));
}

}  // namespace mojo_test
}  // namespace heddle::interop::mojo
