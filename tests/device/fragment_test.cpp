// Which elements each lane's fragment holds: by unique values on the emulator, and in constants on
// the host, against what the witnesses say in words.
#include "heddle/device/fragment.h"

#include "heddle/device/load_store.h"
#include "kernels.h"

namespace heddle::device::testing {
namespace fragment_test {

using enum instruction::ElementType;

// A: one lane holds a row, not a column (AMD's calculator, TileLang).
static_assert(FragmentA<half_t, Family::gfx11>::row(3, 21) == 5);
static_assert(FragmentA<half_t, Family::gfx11>::column(3, 21) == 3);
// B and D as the published gfx11 tables have them: b[k] = B[k][lane % 16],
// c[i] = C[2 * i + lane / 16][lane % 16].
static_assert(FragmentB<half_t, Family::gfx11>::row(9, 21) == 9);
static_assert(FragmentB<half_t, Family::gfx11>::column(9, 21) == 5);
static_assert(Accumulator<float, Family::gfx11>::row(3, 21) == 7);
static_assert(Accumulator<float, Family::gfx11>::column(3, 21) == 5);
static_assert(Accumulator<float, Family::gfx12>::row(3, 21) == 11);
// gfx12 with k contiguous, as TileLang and IREE number it.
static_assert(FragmentA<half_t, Family::gfx12>::column(3, 21) == 11);

static_assert(FragmentA<half_t, Family::gfx11>::size == 16);
static_assert(FragmentA<half_t, Family::gfx12>::size == 8);
static_assert(std::is_same_v<FragmentA<half_t, Family::gfx11>::Registers, half16>);
static_assert(std::is_same_v<FragmentB<bhalf_t, Family::gfx12>::Registers, bhalf8>);
static_assert(std::is_same_v<FragmentA<std::int8_t, Family::gfx11>::Registers, int32x4>);
static_assert(std::is_same_v<FragmentA<int4_t, Family::gfx12>::Registers, int32x1>);
static_assert(std::is_same_v<Accumulator<float>::Registers, float8>);
// gfx11 spreads 16-bit results over eight registers, gfx12 packs them.
static_assert(std::is_same_v<Accumulator<half_t, Family::gfx11>::Registers, half16>);
static_assert(Accumulator<half_t, Family::gfx11>::size == 8);
static_assert(std::is_same_v<Accumulator<half_t, Family::gfx12>::Registers, half8>);

// The rows of the catalogue that find_product may choose between have one map for the operand.
TEST(Fragment, HasOneMapForATypeWhateverItIsMultipliedWith) {
  int compared = 0;
  for (const instruction::Instruction& row : instruction::rdna_instructions)
    for (const Operand operand : {Operand::a, Operand::b, Operand::d}) {
      if (row.wave != 32 || row.is_sparse()) continue;
      const auto* found = detail::find_product(
          row.family(), operand, ElementKind{row.type(operand)}, row.k, row.m);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(instruction::fragment(row, operand), instruction::fragment(*found, operand))
          << row.name;
      ++compared;
    }
  EXPECT_GT(compared, 40);
}

TEST(Fragment, KeepsElementsApart) {
  FragmentA<std::int8_t, Family::gfx11> bytes{};
  for (int i = 0; i < bytes.size; ++i) bytes.set(i, static_cast<std::int8_t>(i - 8));
  for (int i = 0; i < bytes.size; ++i) EXPECT_EQ(bytes[i], i - 8);
  EXPECT_EQ(static_cast<std::uint32_t>(bytes.registers[1]), 0xfffefdfcu);
  FragmentA<uint4_t, Family::gfx11> nibbles{};
  for (int i = 0; i < nibbles.size; ++i) nibbles.set(i, static_cast<uint4_t>(15 - i));
  for (int i = 0; i < nibbles.size; ++i) EXPECT_EQ(static_cast<int>(nibbles[i]), 15 - i);
  auto halves = Accumulator<half_t, Family::gfx11>::filled(static_cast<half_t>(2));
  EXPECT_EQ(halves.registers[0], static_cast<half_t>(2));
  EXPECT_EQ(halves.registers[1], static_cast<half_t>(0));
}

struct Told {
  std::string kernel;
  instruction::ElementType type;
  int rows, columns, copies;  // copies: lanes that hold the same element on gfx11
  bool only_gfx12 = false;
};

class FragmentOnEmulator : public ::testing::TestWithParam<std::string> {};

// Row-major matrices whose elements are their own numbers: every lane tells what it holds and where
// it thinks that belongs. All elements are told, as often as the ISA says.
TEST_P(FragmentOnEmulator, HoldsWhatItSays) {
  const Told all[] = {
      {"a_f16", f16, 16, 16, 2},           {"b_f16", f16, 16, 16, 2},
      {"d_f16", f16, 16, 16, 1},           {"a_bf16", bf16, 16, 16, 2},
      {"b_bf16", bf16, 16, 16, 2},         {"d_bf16", bf16, 16, 16, 1},
      {"a_iu8", iu8, 16, 16, 2},           {"b_iu8", iu8, 16, 16, 2},
      {"a_iu4", iu4, 16, 16, 2},           {"b_iu4", iu4, 16, 16, 2},
      {"d_f32", f32, 16, 16, 1},           {"d_i32", i32, 16, 16, 1},
      {"a_fp8", fp8, 16, 16, 1, true},     {"b_bf8", bf8, 16, 16, 1, true},
      {"a_iu4_k32", iu4, 16, 32, 1, true}, {"b_iu4_k32", iu4, 32, 16, 1, true},
  };
  for (const int level : {0, 3})
    for (const Told& told : all) {
      if (told.only_gfx12 && !is_gfx12(GetParam())) continue;
      SCOPED_TRACE(told.kernel + " -O" + std::to_string(level));
      Matrix matrix(told.type, told.rows, told.columns, false, told.columns);
      const auto number = [&](int row, int column) {
        const int mask = told.type == iu4 ? 15 : 255;
        return static_cast<std::uint32_t>((row * told.columns + column) * 7 & mask);
      };
      for (int i = 0; i < told.rows; ++i)
        for (int j = 0; j < told.columns; ++j) matrix.set_bits(i, j, number(i, j));
      const int copies = is_gfx12(GetParam()) ? 1 : told.copies;
      const auto count = static_cast<std::size_t>(told.rows * told.columns * copies);
      std::vector<std::uint32_t> values(count), places(count);
      Launch launch;
      launch.kernel = "tell_" + told.kernel;
      launch.arguments = {matrix.argument("matrix"), emulator::buffer(std::span(values), "values"),
                          emulator::buffer(std::span(places), "places")};
      expect_run(kernels("fragments", GetParam(), level), launch);
      std::map<std::uint32_t, int> seen;
      for (std::size_t i = 0; i < count; ++i) {
        const int row = static_cast<int>(places[i] >> 8),
                  column = static_cast<int>(places[i] & 255);
        ASSERT_LT(row, told.rows);
        ASSERT_LT(column, told.columns);
        ASSERT_EQ(values[i], number(row, column)) << "at " << i;
        ++seen[places[i]];
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(told.rows * told.columns));
      for (const auto& [place, times] : seen) EXPECT_EQ(times, copies);
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, FragmentOnEmulator, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace fragment_test
}  // namespace heddle::device::testing
