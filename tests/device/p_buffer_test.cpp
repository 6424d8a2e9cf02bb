// P from the accumulators of one product to operand B of the next, on the emulator: by registers
// and by shared memory, every element of every lane.
#include "heddle/device/p_buffer.h"

#include "emulator/kernels.h"

namespace heddle::device {
namespace p_buffer_test {

constexpr int keys = 64, queries = 64;

class PBufferOnEmulator : public ::testing::TestWithParam<std::string> {};

// The bits of whole numbers below 256, which both types hold exactly.
std::uint16_t bits_of(const std::string& type, float x) {
  return type == "f16" ? std::bit_cast<std::uint16_t>(static_cast<_Float16>(x))
                       : static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16);
}

TEST_P(PBufferOnEmulator, BothWaysGiveOperandB) {
  const std::string target = GetParam();
  const int size = target == "gfx1201" ? 8 : 16;
  const auto object = emulator::CodeObject::load(
      emulator::testing::read_file(HEDDLE_DEVICE_FOLDER "/p_buffer." + target + ".O3.co"));
  ASSERT_TRUE(object) << object.error();
  for (const std::string type : {"f16", "bf16"})
    for (const int round : {0, 1}) {
      // A key and a query together are unique: one in each round.
      std::vector<float> scores(keys * queries);
      for (int key = 0; key < keys; ++key)
        for (int query = 0; query < queries; ++query)
          scores[static_cast<std::size_t>(key * queries + query)] =
              static_cast<float>(1 + (round == 0 ? key : query));
      const auto elements = static_cast<std::size_t>(keys / 16 * 2 * 64 * size);
      std::vector<std::uint16_t> by_registers(elements), by_memory(elements);
      emulator::Launch launch;
      launch.kernel = "p_buffer_" + type;
      launch.arguments = {emulator::buffer(std::span(scores), "scores"),
                          emulator::buffer(std::span(by_registers), "by_registers"),
                          emulator::buffer(std::span(by_memory), "by_memory")};
      launch.workgroup = {64, 1, 1};
      const auto report = emulator::run(*object, launch);
      ASSERT_TRUE(report) << report.error().text();
      int wrong = 0;
      std::size_t at = 0;
      for (int tile = 0; tile < keys / 16; ++tile)
        for (int m = 0; m < 2; ++m)
          for (int thread = 0; thread < 64; ++thread)
            for (int i = 0; i < size; ++i, ++at) {
              const int lane = thread % 32;
              const int key = 16 * tile + (size == 16 ? i : 8 * (lane / 16) + i);
              const int query = 32 * (thread / 32) + 16 * m + lane % 16;
              const std::uint16_t wanted =
                  bits_of(type, static_cast<float>(1 + (round == 0 ? key : query)));
              for (const auto* way : {&by_registers, &by_memory})
                if ((*way)[at] != wanted && wrong++ < 3)
                  ADD_FAILURE() << type << (way == &by_registers ? " by registers" : " by memory")
                                << ", tile " << tile << ", thread " << thread << ", element " << i
                                << ": " << (*way)[at] << " instead of " << wanted;
            }
      EXPECT_EQ(wrong, 0) << target << " " << type;
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, PBufferOnEmulator,
                         ::testing::ValuesIn(emulator::testing::targets()),
                         [](const auto& info) { return info.param; });

// What p_buffer.h says of both families, for bf16 too; f16 is asserted there.
TEST(PBuffer, MovesNothingOnGfx12AndOneExchangeOnGfx11) {
  const auto& on_12 = detail::source_of_p<bhalf_t, float, Family::gfx12>;
  const auto& on_11 = detail::source_of_p<bhalf_t, float, Family::gfx11>;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      const auto from = on_12.apply({{"position", i}, {"lane", lane}}).value();
      EXPECT_EQ(from.at("position"), i);
      EXPECT_EQ(from.at("lane"), lane);
    }
    for (std::uint64_t i = 0; i < 16; ++i) {
      const auto from = on_11.apply({{"position", i}, {"lane", lane}}).value();
      EXPECT_EQ(from.at("position"), i / 2);
      EXPECT_EQ(from.at("lane") % 16, lane % 16);
      EXPECT_EQ(from.at("lane") / 16, i % 2);
    }
  }
}

TEST(PBuffer, Members) {
  using P = PBuffer<float, half_t, TensorCore<float, half_t>, 64, 64, 32, 32, 64>;
  EXPECT_EQ(P::smem_layout, (RowMajor{32, 64}));
  EXPECT_EQ(P::reg_tile_layout, (RowMajor{8, 8}));
  EXPECT_EQ(P::mma_tile_layout, (RowMajor{2, 16}));
  // key * BM + query
  const auto places = layout::invert(P::shared.map).value();
  EXPECT_EQ(places.apply({{"query", 5}, {"key", 3}})->at("offset"), 3u * 64 + 5);
}

}  // namespace p_buffer_test
}  // namespace heddle::device
