// Bytes that LLVM's disassembler does not survive, or misreads: ours says what they are.
#include "emulator/decode/disassembler.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <random>

#include "emulator/decode/program.h"
#include "emulator/machine/target.h"

namespace heddle::emulator::testing {
namespace disassembler_test {

struct Decoded {
  uint32_t size = 0;
  std::string text;
};

Disassembler disassembler_of(std::string_view target, int wave = 32) {
  return Disassembler::create(*find_target(target), wave).value();
}

Decoded decode(Disassembler& disassembler, std::span<const uint32_t> words) {
  Decoded result;
  uint8_t implicit = 0;
  result.size = disassembler.decode(std::as_bytes(words), 0, result.text, implicit);
  return result;
}

Decoded decode(std::string_view target, std::initializer_list<uint32_t> words) {
  Disassembler disassembler = disassembler_of(target);
  return decode(disassembler, std::span(words.begin(), words.size()));
}

// The texts are those that LLVM's assembler makes these words from.
TEST(Disassembler, TellsTheConstantThatLooksLikeALiteralsNumber) {
  EXPECT_EQ(decode("gfx1151", {0x6e000100, 0xff}).text, "v_fmamk_f16 v0.l, v0.l, 0xff, v0.l");
  EXPECT_EQ(decode("gfx1151", {0x70000100, 0xff}).text, "v_fmaak_f16 v0.l, v0.l, v0.l, 0xff");
  EXPECT_EQ(decode("gfx1201", {0x6e000100, 0xff}).text, "v_fmamk_f16 v0, v0, 0xff, v0");
  EXPECT_EQ(decode("gfx1201", {0x70000100, 0xff}).text, "v_fmaak_f16 v0, v0, v0, 0xff");
  // The first source is the same constant.
  EXPECT_EQ(decode("gfx1201", {0x6e0000ff, 0xff}).text, "v_fmamk_f16 v0, 0xff, 0xff, v0");
  EXPECT_EQ(decode("gfx1201", {0x58000100, 0xff}).text, "v_fmamk_f32 v0, v0, 0xff, v0");
}

TEST(Disassembler, RefusesABarrierNamedByALiteral) {
  EXPECT_EQ(decode("gfx1201", {0xbe804ec1}).text, "s_barrier_signal -1");
  for (uint32_t opcode = 78; opcode <= 82; ++opcode)
    EXPECT_EQ(decode("gfx1201", {0xbe8000ff | opcode << 8, 0xbfc70000}).size, 0u) << opcode;
}

TEST(Disassembler, RefusesALiteralBehindTheEnd) {
  EXPECT_EQ(decode("gfx1201", {0xbe8000ff, 7}).size, 8u);
  EXPECT_EQ(decode("gfx1201", {0xbe8000ff}).size, 0u);
  EXPECT_EQ(decode("gfx1201", {0xbf0affff}).size, 0u);
}

// CDNA: what LLVM 22 reads past the end of a table for.
TEST(Disassembler, RefusesWhatCdnaDoesNotEncode) {
  EXPECT_EQ(decode("gfx942", {0x4bd04947, 0xff}).text, "v_madak_f16 v232, v71, v36, 0xff");
  EXPECT_EQ(decode("gfx942", {0xd3e2468c, 0xff, 0x23aa78ea}).size, 0u);  // SMFMAC of a literal
  EXPECT_EQ(decode("gfx942", {0xd1d37fb1, 0xff, 0xb0fe02fa}).size, 0u);  // VOP3 of a literal
  EXPECT_EQ(decode("gfx950", {0x40fa76f9, 0x27620afd}).size, 0u);        // SDWA of byte 7
  EXPECT_EQ(decode("gfx90a", {0x15e2e6f9, 0x24b1ff21}).size, 0u);        // into byte 7
  EXPECT_EQ(decode("gfx942", {0xeaf3172d, 0xff1dfeff}).size, 0u);        // buffer, offset a literal
  EXPECT_EQ(decode("gfx90a", {0xd03670ff, 0xfd, 0x8ec87f32}).size, 0u);  // result a constant
  EXPECT_EQ(decode("gfx942", {0xd28950ff, 0x6c8e828a}).size, 0u);        // the same of v_readlane
}

// Any words, with the numbers that announce a literal or DPP where sources stand.
std::array<uint32_t, 5> some_words(std::mt19937_64& random) {
  constexpr std::array<uint32_t, 8> markers = {255, 254, 250, 249, 253, 233, 234, 128};
  std::array<uint32_t, 5> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const uint64_t draw = random();
    words[i] = static_cast<uint32_t>(draw >> 32);
    const uint32_t marker = markers[draw & 7];
    if (draw & 8) words[i] = (words[i] & ~0x1ffu) | marker;
    if (i != 0 && (draw & 0x30) == 0) words[i] = (words[i] & ~(0x1ffu << 9)) | marker << 9;
    if (i != 0 && (draw & 0xc0) == 0) words[i] = (words[i] & ~(0x1ffu << 18)) | marker << 18;
    if (i != 0 && (draw & 0x300) == 0) words[i] = marker;
  }
  return words;
}

// A wave begins with those registers cleared that its program may use.
TEST(Program, KnowsTheVectorRegistersThatInstructionsName) {
  Program::VectorRegisters used;
  const auto after = [&](std::string_view text) {
    add_named_registers(used, text);
    return std::pair<unsigned, unsigned>(used.vectors, used.accumulators);
  };
  EXPECT_EQ(after("s_mov_b32 s9, 0xa5"), std::pair(0u, 0u));
  EXPECT_EQ(after("v_mov_b32_e32 v0, 0xa500"), std::pair(1u, 0u));
  EXPECT_EQ(after("global_load_dwordx4 v[12:15], v[2:3], off offset:77"), std::pair(16u, 0u));
  EXPECT_EQ(after("v_accvgpr_write_b32 a7, v1"), std::pair(16u, 8u));
  EXPECT_EQ(after("v_mfma_f32_16x16x16_f16 a[8:11], v[0:1], v[2:3], a[8:11]"), std::pair(16u, 12u));
  EXPECT_EQ(after("v_dual_mov_b32 v3, v1 :: v_dual_add_f32 v20, -v18, |v19|"), std::pair(21u, 12u));
  EXPECT_EQ(after("v_add_f32_e32 v447, v1, v2"), std::pair(448u, 12u));
}

RC_GTEST_PROP(Disassembler, SurvivesAnyWords, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  constexpr std::pair<const char*, int> machines[] = {
      {"gfx1151", 32}, {"gfx1151", 64}, {"gfx1201", 32}, {"gfx1201", 64},
      {"gfx90a", 64},  {"gfx942", 64},  {"gfx950", 64}};
  for (const auto& [target, wave] : machines) {
    Disassembler disassembler = disassembler_of(target, wave);
    for (int i = 0; i < 1000; ++i) {
      const auto words = some_words(random);
      const std::size_t count = 1 + random() % words.size();
      const Decoded decoded = decode(disassembler, std::span(words).first(count));
      RC_ASSERT(decoded.size <= 4 * count);
      RC_ASSERT((decoded.size == 0) == decoded.text.empty());
    }
  }
}

}  // namespace disassembler_test
}  // namespace heddle::emulator::testing
