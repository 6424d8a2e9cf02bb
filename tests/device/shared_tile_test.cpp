// Tiles in LDS: products through every kind of tile are right, and the conflicts that the headers
// count at compile time are those that the emulator counts in the code that ran.
#include "heddle/device/shared_tile.h"

#include "kernels.h"

namespace heddle::device::testing {
namespace shared_tile_test {

using enum instruction::ElementType;

template <class Layout, Family family = Family::gfx11>
constexpr int passes_of_halves(Target target) {
  using Tile = SharedTile<half_t, Layout>;
  const int a = extra_passes<FragmentA<half_t, family>, Tile, Order::row_major>(target);
  const int b = extra_passes<FragmentB<half_t, family>, Tile, Order::column_major>(target);
  return a == b ? a : -1;
}

// The swizzle of the published note leaves 2-way conflicts in every phase of both loads; moving the
// parity to bit 2 of the row, or eight halves of padding, leaves none.
static_assert(passes_of_halves<SwizzledByRowParity<128, 16, 8>>(Target::gfx1151) == 2 * 4);
static_assert(passes_of_halves<Swizzled<128, 16, 8, 2, 1>>(Target::gfx1151) == 0);
static_assert(passes_of_halves<Padded<128, 16, 8>>(Target::gfx1151) == 0);
static_assert(passes_of_halves<Padded<128, 16, 0>>(Target::gfx1151) == 2 * 4);
static_assert(passes_of_halves<Padded<128, 32>>(Target::gfx1151) == 48);
static_assert(passes_of_halves<SwizzledByRowParity<128, 32, 8>>(Target::gfx1151) == 48);
static_assert(passes_of_halves<Swizzled<128, 32, 8, 1, 3>>(Target::gfx1151) == 0);
static_assert(passes_of_halves<Padded<128, 32, 8>>(Target::gfx1151) == 0);
// On gfx12 a fragment load takes half a row a lane, and its phases other lanes.
static_assert(passes_of_halves<Padded<128, 16>, Family::gfx12>(Target::gfx1201) == 4);
static_assert(passes_of_halves<SwizzledByRowParity<128, 16, 8>, Family::gfx12>(Target::gfx1201) ==
              4);
static_assert(passes_of_halves<Swizzled<128, 16, 8, 2, 1>, Family::gfx12>(Target::gfx1201) == 0);
static_assert(passes_of_halves<Padded<128, 32>, Family::gfx12>(Target::gfx1201) == 24);
static_assert(passes_of_halves<SwizzledByRowParity<128, 32, 8>, Family::gfx12>(Target::gfx1201) ==
              24);
static_assert(passes_of_halves<Padded<128, 16, 8>, Family::gfx12>(Target::gfx1201) == 0);
static_assert(passes_of_halves<Padded<128, 32, 8>, Family::gfx12>(Target::gfx1201) == 0);
static_assert(passes_of_halves<Swizzled<128, 32, 8, 1, 3>, Family::gfx12>(Target::gfx1201) == 0);

// Asked for, of the target of this compilation, gfx1151 on the host.
static_assert(conflict_free_padding<half_t, 16>() == 8);
static_assert(conflict_free_padding<half_t, 32>() == 8);
static_assert(std::is_same_v<ConflictFreePadded<half_t, 64, 16>, Padded<64, 16, 8>>);
static_assert(std::is_same_v<ConflictFreeSwizzled<half_t, 64, 16>, Swizzled<64, 16, 8, 2, 1>>);
static_assert(std::is_same_v<ConflictFreeSwizzled<half_t, 64, 32>, Swizzled<64, 32, 8, 1, 3>>);
static_assert(std::is_same_v<ConflictFreeSwizzled<half_t, 64, 64>, Swizzled<64, 64, 8, 0, 7>>);

static_assert(SharedTile<half_t, Padded<112, 16, 8>>::size == 112 * 24 - 8);
static_assert(SharedTile<half_t, Swizzled<128, 32, 8, 1, 3>>::size == 128 * 32);
static_assert(SharedTile<half_t, Padded<128, 32, 8>>::contiguous_columns == 32);
static_assert(SharedTile<half_t, Swizzled<128, 32, 8, 1, 3>>::contiguous_columns == 8);
static_assert(SharedTile<half_t, Padded<128, 32, 8>>::place(3, 5) == 3 * 40 + 5);
// group ^ (row >> 1 & 3), written by hand.
static_assert(SharedTile<half_t, Swizzled<128, 32, 8, 1, 3>>::place(5, 17) ==
              5 * 32 + (2 ^ (5 >> 1 & 3)) * 8 + 1);

struct Case {
  std::string kernel;
  instruction::ElementType type;
  int rows, k;
  int passes_gfx11, passes_gfx12;  // extra passes that the headers count for A's fragments …
  int accesses_gfx11 = 1, accesses_gfx12 = 1;  // … in so many accesses
  bool across = false;                         // A and B as rows of m and n
};

// Of a fragment at each column of the tile.
template <class F, class Tile>
constexpr int accesses() {
  return F::size / detail::tile_piece<F, Tile, Order::row_major>() * Tile::columns / F::columns;
}

template <class T, class Layout>
Case a_case(const std::string& kernel) {
  using Tile = SharedTile<T, Layout>;
  return {kernel,
          element_kind<T>.type,
          Tile::rows,
          Tile::columns,
          extra_passes<FragmentA<T, Family::gfx11>, Tile, Order::row_major>(Target::gfx1151),
          extra_passes<FragmentA<T, Family::gfx12>, Tile, Order::row_major>(Target::gfx1201),
          accesses<FragmentA<T, Family::gfx11>, Tile>(),
          accesses<FragmentA<T, Family::gfx12>, Tile>()};
}

class SharedTiles : public ::testing::TestWithParam<std::string> {};

TEST_P(SharedTiles, HoldTheFragmentsThatWereStored) {
  const Case cases[] = {
      a_case<half_t, Padded<64, 16>>("plain_16"),
      a_case<half_t, Padded<64, 32>>("plain_32"),
      a_case<half_t, Padded<64, 16, 8>>("padded_16"),
      a_case<half_t, Padded<64, 32, 8>>("padded_32"),
      a_case<half_t, Padded<48, 32, 8>>("padded_48_rows"),
      a_case<half_t, Swizzled<64, 16, 8, 2, 1>>("swizzled_16"),
      a_case<half_t, Swizzled<64, 32, 8, 1, 3>>("swizzled_32"),
      a_case<half_t, SwizzledByRowParity<64, 16, 8>>("row_parity_16"),
      a_case<half_t, SwizzledByRowParity<64, 32, 8>>("row_parity_32"),
      a_case<std::int8_t, Padded<64, 32, 16>>("padded_bytes"),
      a_case<std::int8_t, Swizzled<64, 64, 16, 1, 3>>("swizzled_bytes"),
      {"across_rows", f16, 64, 32, -1, -1, 1, 1, true},
      {"bare_vectors", f16, 64, 16, -1, -1},
  };
  for (const int level : {0, 3})
    for (const Case& c : cases) {
      SCOPED_TRACE(c.kernel + " -O" + std::to_string(level));
      Random random(11);
      Matrix a(c.type, c.rows, c.k, c.across, c.across ? c.rows : c.k);
      Matrix b(c.type, c.rows, c.k, c.across, c.across ? c.rows : c.k);
      const auto d_type = c.type == iu8 ? i32 : f32;
      Matrix d(d_type, c.rows, c.rows, false, c.rows);
      std::vector<int> va, vb;
      for (int i = 0; i < c.rows * c.k; ++i) {
        va.push_back(static_cast<int>(random.bits() % 7) - 3);
        vb.push_back(static_cast<int>(random.bits() % 7) - 3);
        a.set(i / c.k, i % c.k, va.back());
        b.set(i / c.k, i % c.k, vb.back());
      }
      Launch launch;
      launch.kernel = c.kernel;
      launch.arguments = {a.argument("a"), b.argument("b"), d.argument("d")};
      const RunReport report = expect_run(kernels("tiles", GetParam(), level), launch);
      for (int i = 0; i < c.rows; ++i)
        for (int j = 0; j < c.rows; ++j) {
          int expected = 0;
          for (int k = 0; k < c.k; ++k)
            expected += va[static_cast<std::size_t>(i * c.k + k)] *
                        vb[static_cast<std::size_t>(j * c.k + k)];
          ASSERT_EQ(d.get(i, j), expected) << i << ", " << j;
        }
      const int expected = is_gfx12(GetParam()) ? c.passes_gfx12 : c.passes_gfx11;
      if (level == 0 || expected < 0) continue;
      std::uint64_t issued = 0, extra = 0;
      for (const auto& access : report.lds)
        if (access.instruction.starts_with("ds_load")) {
          issued += access.issued;
          extra += access.extra_passes;
        }
      // All fragments of A and B, each at least once; how often, the compiler decides.
      const int accesses = is_gfx12(GetParam()) ? c.accesses_gfx12 : c.accesses_gfx11;
      EXPECT_GE(issued, static_cast<std::uint64_t>(2 * c.rows / 16 * accesses));
      EXPECT_EQ(extra * static_cast<std::uint64_t>(accesses),
                issued * static_cast<std::uint64_t>(expected));
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, SharedTiles, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace shared_tile_test
}  // namespace heddle::device::testing
