// K buffers element by element, on the host and on the emulator. The expectations are written out,
// not taken from maps.
#include "heddle/device/k_buffer.h"

#include <cstring>

#include "emulator/kernels.h"
#include "k_buffer_cases.h"

namespace heddle::device::testing {
namespace k_buffer_test {

struct Shape {
  std::string name;
  int element_bytes, BN, WN, BK, depth, threads, stages, group_size, rows, num_k_tiles;
  int fragment_size;
};

unsigned bits_of(const Shape& shape, int round, int key, int d) {
  const int number = key * shape.depth + d + 1;
  return static_cast<unsigned>(shape.element_bytes == 2 ? number : number >> 8 * round & 0xff);
}

void check(const Shape& shape, Family family, int round, int valid,
           const std::vector<std::byte>& fragments) {
  SCOPED_TRACE(shape.name + (family == Family::gfx11 ? " gfx11, " : " gfx12, ") +
               std::to_string(valid) + " rows");
  const int size = family == Family::gfx11 ? 16 : 8;
  ASSERT_EQ(shape.fragment_size, size);
  int wrong = 0;
  std::size_t at = 0;
  for (int stage = 0; stage < shape.stages; ++stage)
    for (int k = 0; k < shape.num_k_tiles; ++k)
      for (int thread = 0; thread < shape.threads; ++thread)
        for (int row = 0; row < shape.rows; ++row)
          for (int i = 0; i < size; ++i, ++at) {
            const int lane = thread % 32, warp = thread / 32;
            const int key =
                warp % (shape.BN / shape.WN) * shape.WN + row / shape.group_size * 16 + lane % 16;
            const int step = k * shape.group_size + row % shape.group_size;
            const int d = stage * shape.BK + 16 * step + (size == 16 ? i : 8 * (lane / 16) + i);
            unsigned got = 0;
            const auto bytes = static_cast<std::size_t>(shape.element_bytes);
            std::memcpy(&got, &fragments[at * bytes], bytes);
            const unsigned wanted = key < valid ? bits_of(shape, round, key, d) : 0;
            if (got != wanted && wrong++ < 3)
              ADD_FAILURE() << "thread " << thread << ", k tile " << k << ", row " << row
                            << ", element " << i << ": " << got << " instead of " << wanted;
          }
  EXPECT_EQ(wrong, 0);
}

std::vector<std::byte> rows_of_k(const Shape& shape, int round, int rows, int stride) {
  std::vector<std::byte> k(static_cast<std::size_t>(rows * stride * shape.element_bytes));
  for (int row = 0; row < rows; ++row)
    for (int d = 0; d < shape.depth; ++d) {
      const unsigned bits = bits_of(shape, round, row, d);
      std::memcpy(&k[static_cast<std::size_t>((row * stride + d) * shape.element_bytes)], &bits,
                  static_cast<std::size_t>(shape.element_bytes));
    }
  return k;
}

template <class Buffer, int stages, class T>
void check_on_host(const Shape& shape, Family family) {
  for (int round = 0; round < 3 - shape.element_bytes; ++round)
    for (int valid = 0; valid <= shape.BN + 1; valid += shape.BN > 32 ? 3 : 1) {
      const int stride = shape.depth + 16;
      const auto k = rows_of_k(shape, round, std::min(valid, shape.BN), stride);
      alignas(16) static T lds[Buffer::shared_size];
      std::vector<std::byte> fragments(
          static_cast<std::size_t>(k_fragment_place<Buffer>(stages, 0, 0, 0)) * sizeof(T));
      std::vector<Buffer> threads;
      for (int t = 0; t < shape.threads; ++t)
        threads.push_back(Buffer({reinterpret_cast<const T*>(k.data()), stride}, lds, valid,
                                 {static_cast<unsigned>(t % 32), static_cast<unsigned>(t / 32)}));
      for (Buffer& thread : threads)
        for (int stage = 0; stage < stages; ++stage) thread.load_from_dram();
      unroll<stages>([&](auto stage) {
        for (Buffer& thread : threads) thread.template copy_to_shared<stage.value>();
        unroll<Buffer::num_k_tiles>([&](auto step) {
          for (std::size_t t = 0; t < threads.size(); ++t) {
            threads[t].template load_from_shared<step.value>();
            const auto tile = threads[t].get_mma_tile();
            for (int row = 0; row < Buffer::mma_tile_layout.rows; ++row)
              std::memcpy(&fragments[static_cast<std::size_t>(k_fragment_place<Buffer>(
                                         stage.value, step.value, static_cast<int>(t), row)) *
                                     sizeof(T)],
                          &tile[row].registers, sizeof(tile[row].registers));
          }
        });
      });
      check(shape, family, round, valid, fragments);
      if (::testing::Test::HasFailure()) return;
    }
}

#define HEDDLE_SHAPE_OF(Buffer, name, T, BN, WN, BK, depth, threads, stages, group_size) \
  Shape {                                                                                \
    #name, sizeof(T), BN, WN, BK, depth, threads, stages, group_size,                    \
        Buffer::mma_tile_layout.rows, Buffer::num_k_tiles, Buffer::fragment_size         \
  }

#define HEDDLE_TEST(name, T, Sum, BN, WN, BK, depth, threads, stages, order, group, swap)          \
  TEST(KBufferOnHost, name) {                                                                      \
    using On11 =                                                                                   \
        KCase<T, Sum, BN, WN, BK, depth, threads, stages, order, group, swap, Family::gfx11>;      \
    using On12 =                                                                                   \
        KCase<T, Sum, BN, WN, BK, depth, threads, stages, order, group, swap, Family::gfx12>;      \
    check_on_host<On11, stages, T>(                                                                \
        HEDDLE_SHAPE_OF(On11, name, T, BN, WN, BK, depth, threads, stages, group), Family::gfx11); \
    check_on_host<On12, stages, T>(                                                                \
        HEDDLE_SHAPE_OF(On12, name, T, BN, WN, BK, depth, threads, stages, group), Family::gfx12); \
  }
HEDDLE_K_BUFFER_CASES(HEDDLE_TEST)

template <Family family>
std::vector<Shape> shapes() {
  std::vector<Shape> all;
#define HEDDLE_ADD_SHAPE(name, T, Sum, BN, WN, BK, depth, threads, stages, order, group, swap)    \
  {                                                                                               \
    using Buffer = KCase<T, Sum, BN, WN, BK, depth, threads, stages, order, group, swap, family>; \
    all.push_back(HEDDLE_SHAPE_OF(Buffer, name, T, BN, WN, BK, depth, threads, stages, group));   \
  }
  HEDDLE_K_BUFFER_CASES(HEDDLE_ADD_SHAPE)
  return all;
}

class KBufferOnEmulator : public ::testing::TestWithParam<std::string> {};

TEST_P(KBufferOnEmulator, EveryElementIsWhereItBelongs) {
  const std::string target = GetParam();
  const bool is_gfx12 = target == "gfx1201";
  const auto object = emulator::CodeObject::load(
      emulator::testing::read_file(HEDDLE_DEVICE_FOLDER "/k_buffer." + target + ".O3.co"));
  ASSERT_TRUE(object) << object.error();
  for (const Shape& shape : is_gfx12 ? shapes<Family::gfx12>() : shapes<Family::gfx11>())
    for (int round = 0; round < 3 - shape.element_bytes; ++round)
      for (const int valid : {0, 1, 7, shape.BN - 1, shape.BN, shape.BN + 1}) {
        const int stride = shape.depth + 16;
        auto k = rows_of_k(shape, round, std::min(valid, shape.BN), stride);
        if (k.empty()) k.resize(1);
        std::vector<std::byte> fragments(
            static_cast<std::size_t>(shape.stages * shape.num_k_tiles * shape.threads * shape.rows *
                                     shape.fragment_size * shape.element_bytes));
        emulator::Launch launch;
        launch.kernel = "k_buffer_" + shape.name;
        launch.arguments = {emulator::buffer(std::span(k), "k"), emulator::value(stride),
                            emulator::value(valid),
                            emulator::buffer(std::span(fragments), "fragments")};
        launch.workgroup = {static_cast<std::uint32_t>(shape.threads), 1, 1};
        launch.profile = emulator::Profile::none;
        const auto report = emulator::run(*object, launch);
        ASSERT_TRUE(report) << report.error().text();
        check(shape, is_gfx12 ? Family::gfx12 : Family::gfx11, round, valid, fragments);
      }
}

INSTANTIATE_TEST_SUITE_P(Targets, KBufferOnEmulator,
                         ::testing::ValuesIn(emulator::testing::targets()),
                         [](const auto& info) { return info.param; });

// Rows of BK elements, one after the other.
TEST(KBuffer, PublishedPlaces) {
  using K = KBuffer<half_t, TensorCore<float, half_t>, 64, 32, 32, 128, 128, 1, PublishedRows>;
  const auto places = layout::invert(K::shared.map).value();
  for (std::uint64_t key = 0; key < 64; ++key)
    for (std::uint64_t d = 0; d < 32; ++d)
      ASSERT_EQ(places.apply({{"d", d}, {"key", key}})->at("offset"), key * 32 + d);
  EXPECT_EQ(K::smem_layout, (RowMajor{64, 32}));
  EXPECT_EQ(K::num_warps_n, 2);
  EXPECT_EQ(K::num_mmas, 2);
  EXPECT_EQ(K::num_k_tiles, 2);
  EXPECT_EQ(K::get_dtype(), instruction::ElementType::f16);
}

}  // namespace k_buffer_test
}  // namespace heddle::device::testing
