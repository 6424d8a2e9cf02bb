// V buffers against the formulas that Modular documents for VBufferRDNA, element by element: the
// code of the header on the host, every thread of a block one after the other, and the same code
// compiled for the GPU, on the emulator. The expectations here are written out, not taken from
// maps.
#include "heddle/device/v_buffer.h"

#include <cstring>
#include <map>

#include "emulator/kernels.h"
#include "v_buffer_cases.h"

namespace heddle::device::testing {
namespace v_buffer_test {

using emulator::testing::read_file;

/// What the test has to know of a case.
struct Shape {
  std::string name;
  int element_bytes, BK, depth, threads, stages, warps_n, group_size;
  bool swap_a_b, is_published;
  // Of the buffer:
  int shared_size, fragment_size, rows, num_k_tiles;
};

/// Bits of the element at (key, d) of what is read. Elements of one byte have the low byte of their
/// number in round 0 and the high byte in round 1, so that both together are unique.
unsigned bits_of(const Shape& shape, int round, int key, int d) {
  const int number = key * shape.depth + d + 1;
  return static_cast<unsigned>(shape.element_bytes == 2 ? number : number >> 8 * round & 0xff);
}

/// What a run gave, as bytes, in the order of v_buffer.hip.
struct Seen {
  std::vector<std::byte> shared, fragments;
};

unsigned element(const std::vector<std::byte>& bytes, const Shape& shape, std::size_t index) {
  unsigned value = 0;
  const auto size = static_cast<std::size_t>(shape.element_bytes);
  std::memcpy(&value, bytes.data() + index * size, size);
  return value;
}

int warp_depth_tiles(const Shape& shape) { return shape.depth / shape.warps_n / 16; }

/// The published place of (d, key), in elements.
int published_place(const Shape& shape, int key, int d) {
  const int S = 16 / shape.element_bytes;
  const int dt = std::min(shape.depth, 128);
  const auto pad = [&](int x) { return x + (shape.depth == 64 ? 0 : x / S); };
  const int row = key / S * pad(shape.depth) + d / dt * pad(dt) + d % dt;
  return row * S + key % S;
}

struct Places {
  int wrong = 0;
  void expect(unsigned got, unsigned wanted, const std::string& where) {
    if (got != wanted && wrong++ < 3)
      ADD_FAILURE() << where << ": " << got << " instead of " << wanted;
  }
};

void check(const Shape& shape, Family family, int round, int remaining, const Seen& seen) {
  SCOPED_TRACE(shape.name + (family == Family::gfx11 ? " gfx11, " : " gfx12, ") +
               std::to_string(remaining) + " rows");
  Places places;
  for (int stage = 0; stage < shape.stages; ++stage) {
    const auto wanted = [&](int key, int d) {
      const int row = stage * shape.BK + key;
      return row < remaining ? bits_of(shape, round, row, d) : 0u;
    };
    if (shape.is_published)
      for (int key = 0; key < shape.BK; ++key)
        for (int d = 0; d < shape.depth; ++d)
          places.expect(element(seen.shared, shape,
                                static_cast<std::size_t>(stage * shape.shared_size +
                                                         published_place(shape, key, d))),
                        wanted(key, d),
                        "shared memory, key " + std::to_string(key) + ", d " + std::to_string(d));
    const bool is_gfx11 = family == Family::gfx11;
    const int size = is_gfx11 ? 16 : 8;
    for (int k = 0; k < shape.num_k_tiles; ++k)
      for (int thread = 0; thread < shape.threads; ++thread)
        for (int row = 0; row < shape.rows; ++row)
          for (int i = 0; i < size; ++i) {
            const int lane = thread % 32, warp = thread / 32;
            const int tile =
                warp % shape.warps_n * warp_depth_tiles(shape) + row / shape.group_size;
            const int d = 16 * tile + lane % 16;
            const int step = k * shape.group_size + row % shape.group_size;
            const int key = 16 * step + (is_gfx11 ? i : 8 * (lane / 16) + i);
            const int at =
                (((stage * shape.num_k_tiles + k) * shape.threads + thread) * shape.rows + row) *
                    size +
                i;
            places.expect(
                element(seen.fragments, shape, static_cast<std::size_t>(at)), wanted(key, d),
                "fragment of thread " + std::to_string(thread) + ", k tile " + std::to_string(k) +
                    ", row " + std::to_string(row) + ", element " + std::to_string(i));
          }
  }
  EXPECT_EQ(places.wrong, 0) << "elements are wrong";
}

/// Rows of V with a stride that is not the depth, and nothing behind the last row that is there.
std::vector<std::byte> rows_of_v(const Shape& shape, int round, int rows, int stride) {
  std::vector<std::byte> v(static_cast<std::size_t>(rows * stride * shape.element_bytes));
  for (int row = 0; row < rows; ++row)
    for (int d = 0; d < shape.depth; ++d) {
      const unsigned bits = bits_of(shape, round, row, d);
      std::memcpy(&v[static_cast<std::size_t>((row * stride + d) * shape.element_bytes)], &bits,
                  static_cast<std::size_t>(shape.element_bytes));
    }
  return v;
}

template <class Buffer, int stage, int k>
void host_fragments(std::vector<Buffer>& threads, std::vector<std::byte>& out) {
  using Element = typename Buffer::Element;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t].template load_from_shared<k>();
    const auto tile = threads[t].get_mma_tile();
    for (int row = 0; row < Buffer::mma_tile_layout.rows; ++row) {
      const int at = fragment_place<Buffer>(stage, k, static_cast<int>(t), row,
                                            static_cast<int>(threads.size()));
      std::memcpy(&out[static_cast<std::size_t>(at) * sizeof(Element)], &tile[row].registers,
                  Buffer::fragment_size * sizeof(Element));
    }
  }
  if constexpr (k + 1 < Buffer::num_k_tiles) host_fragments<Buffer, stage, k + 1>(threads, out);
}

/// A whole block on the host.
template <class Buffer, int stages, class T>
Seen run_on_host(const Shape& shape, const std::vector<std::byte>& v, int stride, int rows) {
  std::vector<T> aligned(static_cast<std::size_t>(Buffer::shared_size) + 16);
  auto first = reinterpret_cast<std::uintptr_t>(aligned.data());
  T* lds = reinterpret_cast<T*>((first + 15) / 16 * 16);
  Seen seen;
  seen.fragments.resize(static_cast<std::size_t>(
      fragment_place<Buffer>(stages, 0, 0, 0, shape.threads) * shape.element_bytes));
  std::vector<Buffer> threads;
  for (int t = 0; t < shape.threads; ++t)
    threads.push_back(Buffer({reinterpret_cast<const T*>(v.data()), stride}, lds, rows,
                             {static_cast<unsigned>(t % 32), static_cast<unsigned>(t / 32)}));
  for (Buffer& thread : threads)
    for (int stage = 0; stage < stages; ++stage) thread.load_from_dram();
  const auto* bytes = reinterpret_cast<const std::byte*>(lds);
  const auto each = [&]<int... stage>(std::integer_sequence<int, stage...>) {
    const auto one = [&](auto number) {
      for (Buffer& thread : threads) thread.template copy_to_shared<number.value>();
      seen.shared.insert(seen.shared.end(), bytes,
                         bytes + Buffer::shared_size * shape.element_bytes);
      host_fragments<Buffer, number.value, 0>(threads, seen.fragments);
    };
    (one(std::integral_constant<int, stage>()), ...);
  };
  each(std::make_integer_sequence<int, stages>());
  return seen;
}

template <class Buffer>
Shape shape_of(std::string name, int BK, int depth, int threads, int stages, int warps_n,
               bool is_published) {
  return {std::move(name),
          static_cast<int>(sizeof(typename Buffer::Element)),
          BK,
          depth,
          threads,
          stages,
          warps_n,
          static_cast<int>(Buffer::mma_tile_layout.rows / Buffer::warp_depth_tiles),
          Buffer::operand == Operand::a,
          is_published,
          Buffer::shared_size,
          Buffer::fragment_size,
          Buffer::mma_tile_layout.rows,
          Buffer::num_k_tiles};
}

/// Numbers of rows that are there: all tails of a strip, and of the last of several.
std::vector<int> tails(const Shape& shape, int step) {
  std::vector<int> rows;
  for (int r = 0; r <= shape.BK + 1; r += step) rows.push_back(r);
  for (int r :
       {shape.BK - 1, shape.BK, shape.BK + 1, shape.stages * shape.BK - 3, shape.stages * shape.BK})
    rows.push_back(r);
  return rows;
}

template <class Buffer, int stages, class T>
void check_on_host(const Shape& shape, Family family) {
  const int rounds = shape.element_bytes == 1 ? 2 : 1;
  const int stride = shape.depth + 16;
  for (int round = 0; round < rounds; ++round)
    for (const int rows : tails(shape, shape.BK * shape.depth > 8192 ? 7 : 1)) {
      // What is read of memory ends with the last row that is there.
      const auto v = rows_of_v(shape, round, std::min(rows, stages * shape.BK), stride);
      check(shape, family, round, rows, run_on_host<Buffer, stages, T>(shape, v, stride, rows));
      if (::testing::Test::HasFailure()) return;
    }
}

// One test for each case and family.
#define HEDDLE_TEST(name, T, Sum, BK, depth, threads, stages, warps_n, ...)                       \
  TEST(VBufferOnHost, name) {                                                                     \
    using On11 = Case<T, Sum, BK, depth, threads, stages, warps_n,                                \
                      HEDDLE_ORDER(Family::gfx11, __VA_ARGS__)>;                                  \
    using On12 = Case<T, Sum, BK, depth, threads, stages, warps_n,                                \
                      HEDDLE_ORDER(Family::gfx12, __VA_ARGS__)>;                                  \
    const bool is_published = std::string_view(#__VA_ARGS__).starts_with("Published");            \
    check_on_host<On11, stages, T>(                                                               \
        shape_of<On11>(#name, BK, depth, threads, stages, warps_n, is_published), Family::gfx11); \
    check_on_host<On12, stages, T>(                                                               \
        shape_of<On12>(#name, BK, depth, threads, stages, warps_n, is_published), Family::gfx12); \
  }
HEDDLE_V_BUFFER_CASES(HEDDLE_TEST)

/// The cases by name, for the emulator.
std::vector<Shape> shapes(Family family) {
  std::vector<Shape> all;
#define HEDDLE_SHAPE(name, T, Sum, BK, depth, threads, stages, warps_n, ...)       \
  all.push_back(family == Family::gfx11                                            \
                    ? shape_of<Case<T, Sum, BK, depth, threads, stages, warps_n,   \
                                    HEDDLE_ORDER(Family::gfx11, __VA_ARGS__)>>(    \
                          #name, BK, depth, threads, stages, warps_n,              \
                          std::string_view(#__VA_ARGS__).starts_with("Published")) \
                    : shape_of<Case<T, Sum, BK, depth, threads, stages, warps_n,   \
                                    HEDDLE_ORDER(Family::gfx12, __VA_ARGS__)>>(    \
                          #name, BK, depth, threads, stages, warps_n,              \
                          std::string_view(#__VA_ARGS__).starts_with("Published")));
  HEDDLE_V_BUFFER_GPU_CASES(HEDDLE_SHAPE)
  return all;
}

class VBufferOnEmulator : public ::testing::TestWithParam<std::string> {};

TEST_P(VBufferOnEmulator, EveryElementIsWhereItBelongs) {
  const std::string target = GetParam();
  const Family family = target == "gfx1201" ? Family::gfx12 : Family::gfx11;
  const auto object =
      emulator::CodeObject::load(read_file(HEDDLE_DEVICE_FOLDER "/v_buffer." + target + ".O3.co"));
  ASSERT_TRUE(object) << object.error();
  int runs = 0;
  for (const Shape& shape : shapes(family)) {
    const int rounds = shape.element_bytes == 1 ? 2 : 1;
    const int stride = shape.depth + 16;
    for (int round = 0; round < rounds; ++round)
      for (const int rows : tails(shape, 5)) {
        const int there = std::min(rows, shape.stages * shape.BK);
        std::vector<std::byte> v = rows_of_v(shape, round, there, stride);
        Seen seen;
        seen.shared.resize(
            static_cast<std::size_t>(shape.stages * shape.shared_size * shape.element_bytes));
        seen.fragments.resize(
            static_cast<std::size_t>(shape.stages * shape.num_k_tiles * shape.threads * shape.rows *
                                     shape.fragment_size * shape.element_bytes));
        emulator::Launch launch;
        launch.kernel = "v_buffer_" + shape.name;
        if (v.empty()) v.resize(1);
        launch.arguments = {emulator::buffer(std::span(v), "v"), emulator::value(stride),
                            emulator::value(rows),
                            emulator::buffer(std::span(seen.shared), "shared"),
                            emulator::buffer(std::span(seen.fragments), "fragments")};
        launch.workgroup = {static_cast<std::uint32_t>(shape.threads), 1, 1};
        launch.profile = emulator::Profile::none;
        const auto report = emulator::run(*object, launch);
        ASSERT_TRUE(report) << report.error().text();
        check(shape, family, round, rows, seen);
        ++runs;
      }
  }
  EXPECT_GT(runs, 100);
}

INSTANTIATE_TEST_SUITE_P(Targets, VBufferOnEmulator,
                         ::testing::ValuesIn(emulator::testing::targets()),
                         [](const auto& info) { return info.param; });

// The members that Modular documents, for the shapes it has, by its own formulas.
template <class Buffer, int BK, int depth, int threads, int stages, int warps_n>
void expect_documented_members() {
  constexpr int S = 16 / static_cast<int>(sizeof(typename Buffer::Element));
  constexpr int tile = depth < 128 ? depth : 128;
  constexpr int width = depth == 64 ? 4 : S;
  static_assert(Buffer::simd_width == S && Buffer::depth_tile_size == tile);
  static_assert(Buffer::load_width == width && Buffer::num_repeats == BK / S);
  static_assert(Buffer::loads_per_thread_per_depth_tile == tile * BK / (width * threads));
  static_assert(Buffer::load_layout ==
                RowMajor{tile * BK / (width * threads) * (depth / tile) * stages, width});
  static_assert(Buffer::MMA_M == 16 && Buffer::MMA_K == 16 &&
                Buffer::num_depth_tiles == depth / 16);
  static_assert(Buffer::num_k_tiles == (BK + 15) / 16);
  static_assert(Buffer::warp_depth_tiles == depth / warps_n / 16);
  static_assert(Buffer::smem_layout ==
                RowMajor{(depth + (depth == 64 ? 0 : depth / S)) * (BK / S), S});
  static_assert(Buffer::mma_tile_layout.rows == depth / warps_n / 16);
}

TEST(VBuffer, MembersAreThoseOfModular) {
  using F16 = TensorCore<float, half_t>;
  using I8 = TensorCore<std::int32_t, std::int8_t>;
  expect_documented_members<VBuffer<half_t, F16, 64, 32, 64, 128, 1, 1, PublishedOrder>, 32, 64,
                            128, 1, 1>();
  expect_documented_members<VBuffer<half_t, F16, 64, 32, 128, 128, 2, 1, PublishedOrder>, 32, 128,
                            128, 2, 1>();
  expect_documented_members<VBuffer<half_t, F16, 64, 32, 256, 128, 1, 4, PublishedOrder>, 32, 256,
                            128, 1, 4>();
  expect_documented_members<VBuffer<half_t, F16, 64, 32, 512, 256, 1, 2, PublishedOrder>, 32, 512,
                            256, 1, 2>();
  expect_documented_members<VBuffer<std::int8_t, I8, 64, 32, 128, 128, 1, 1, PublishedOrder>, 32,
                            128, 128, 1, 1>();
  using V = VBuffer<half_t, F16, 64, 32, 128, 128, 1, 1, PublishedOrder>;
  EXPECT_EQ(V::get_dtype(), instruction::ElementType::f16);
  EXPECT_EQ(V::pad<128>(), 144);
  EXPECT_EQ(V::mma_tile_layout.columns, 16) << "of gfx11, which the host stands for";
  using On12 = VBuffer<half_t, F16, 64, 32, 128, 128, 1, 1, PublishedOrder, Family::gfx12>;
  EXPECT_EQ(On12::mma_tile_layout.columns, 8);
}

}  // namespace v_buffer_test
}  // namespace heddle::device::testing
