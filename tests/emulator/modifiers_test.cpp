// Every vector instruction with every modifier, against the same instruction without it and host
// arithmetic on what goes in and comes out (modifier_variants.h).
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>

#include "kernels.h"
#include "modifier_variants.h"

namespace heddle::emulator::testing {
namespace modifiers_test {

constexpr uint32_t vcc = 0xa5c3960f, s20 = 0x0d0c0a09;

// v9: the lane's offset in a block of inputs; v24: in a block of results; v20..v23 the old results.
constexpr std::size_t result_words = 32 * 8;

// The instructions of a mnemonic lie one after the other, 16 bytes each with the return behind
// them. A loop loads the sources, sets MODE, calls the next and stores what it gives.
std::string called_text(const MachineCode& code) {
  constexpr uint32_t back = 0xbe80480e, nothing = 0xbf800000;  // s_setpc_b64 s[14:15], s_nop 0
  std::array<uint32_t, 4> words = {nothing, nothing, nothing, nothing};
  for (int i = 0; i < code.count; ++i)
    words[static_cast<std::size_t>(i)] = code.words[static_cast<std::size_t>(i)];
  words[static_cast<std::size_t>(code.count)] = back;
  std::string text = ".long ";
  for (std::size_t i = 0; i < 4; ++i) text += (i ? ", " : "") + std::to_string(words[i]);
  return text + "\n";
}

std::string body(std::span<const Variant> variants, const std::string& name, bool gfx12) {
  const std::string add = gfx12 ? "s_add_co_u32 " : "s_add_u32 ",
                    add_carry = gfx12 ? "s_add_co_ci_u32 " : "s_addc_u32 ",
                    scalar_wait = gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  const auto advance = [&](int reg, int bytes) {
    const std::string low = "s" + std::to_string(reg), high = "s" + std::to_string(reg + 1);
    return add + low + ", " + low + ", " + std::to_string(bytes) + "\n" + add_carry + high + ", " +
           high + ", 0\n";
  };
  const auto number = [](uint64_t x) { return std::to_string(x); };
  std::string text =
      "s_load_b128 s[4:7], s[0:1], 0x0\ns_load_b64 s[8:9], s[0:1], 0x10\n" + scalar_wait +
      "v_lshlrev_b32 v9, 5, v0\nv_mov_b32 v25, v0\nv_mov_b32 v24, v9\n"
      "s_mov_b32 s25, " +
      number(vcc) + "\ns_mov_b32 s20, " + number(s20) + "\ns_mov_b32 s18, " +
      number(2 * variants.size()) + "\ns_getpc_b64 s[16:17]\n" + "after_" + name + ":\n" + add +
      "s16, s16, called_" + name + "-after_" + name + "\n" + add_carry + "s17, s17, 0\n";
  for (int i = 0; i < 4; ++i)
    text += "v_mul_u32_u24 v2" + number(static_cast<uint64_t>(i)) + ", 0x10305, v0\nv_xor_b32 v2" +
            number(static_cast<uint64_t>(i)) + ", 0x7" + number(static_cast<uint64_t>(i)) +
            "3c5a1e, v2" + number(static_cast<uint64_t>(i)) + "\n";
  text += "loop_" + name +
          ":\ns_load_b32 s19, s[8:9], 0x0\n"
          "global_load_b128 v[1:4], v9, s[4:5]\nglobal_load_b128 v[5:8], v9, s[4:5] offset:16\n" +
          scalar_wait + (gfx12 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n") +
          "v_mov_b32 v10, v20\nv_mov_b32 v11, v21\nv_mov_b32 v12, v22\nv_mov_b32 v13, v23\n"
          "s_mov_b32 s24, 0\ns_mov_b32 vcc_lo, s25\ns_setreg_b32 hwreg(1, 0, 10), s19\n"
          "s_swappc_b64 s[14:15], s[16:17]\n"
          "v_mov_b32 v14, s24\nv_mov_b32 v15, vcc_lo\n"
          "global_store_b128 v24, v[10:13], s[6:7]\n"
          "global_store_b64 v24, v[14:15], s[6:7] offset:16\n" +
          advance(4, 1024) + advance(6, 1024) + advance(8, 4) + advance(16, 16) +
          (gfx12 ? "s_sub_co_u32" : "s_sub_u32") +
          " s18, s18, 1\ns_cmp_lg_u32 s18, 0\ns_cbranch_scc1 loop_" + name + "\ns_endpgm\ncalled_" +
          name + ":\n";
  for (const Variant& v : variants) text += called_text(v.code) + called_text(v.plain);
  return text + "s_endpgm";
}

uint32_t mode_bits(const FloatMode& mode) {
  return (mode.keep_denormals ? 0xf0u : 0u) | 0x100u | (mode.ieee ? 0x200u : 0u);
}

uint32_t old_result(uint32_t i, uint32_t lane) { return lane * 0x10305u ^ (0x703c5a1eu | i << 24); }

// Numbers as an instruction's operands like them, and bits of any kind.
uint32_t random_word(Random& random, const Variant& v, int index) {
  const auto half = [&] {
    const auto x = static_cast<_Float16>(
        std::ldexp(random.uniform(), static_cast<int>(random.bits() % 20) - 8));
    return uint32_t{std::bit_cast<uint16_t>(x)};
  };
  if (v.special) {
    static constexpr uint32_t specials[] = {0x00000001, 0x807fffff, 0x00400000, 0x80000000,
                                            0x00000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                            0x00800000, 0x80800001, 0x3f800000, 0x7f7fffff};
    if (random.bits() % 2) return specials[random.bits() % std::size(specials)];
  }
  switch (random.bits() % 4) {
    case 0:
      return random.bits();
    case 1:
      return v.mnemonic.contains("f64") && index % 2 == 0
                 ? (random.bits() & 0x800fffffu) | (1023 - 20 + random.bits() % 40) << 20
                 : random.bits() % 200;
    case 2:
      return half() | half() << 16;
    default:
      return v.mnemonic.contains("f64")
                 ? (random.bits() & 0x800fffffu) | (1023 - 2 + random.bits() % 4) << 20
                 : std::bit_cast<uint32_t>(
                       std::ldexp(random.uniform(), static_cast<int>(random.bits() % 24) - 12));
  }
}

class Modifiers : public ::testing::TestWithParam<std::string> {};

// The results of one mnemonic's variants: a line for the first that is wrong, else nothing.
std::string check(const CodeObject& object, const std::string& kernel,
                  std::span<const Variant> variants, Random& random) {
  std::vector<WaveState> states;
  std::vector<uint32_t> in, modes, out(2 * variants.size() * result_words, 0xdeadbeef);
  const auto add_block = [&](const WaveState& wave) {
    for (const LaneState& lane : wave)
      for (std::size_t i = 1; i < 9; ++i) in.push_back(lane.source[i]);
  };
  for (const Variant& v : variants) {
    WaveState wave;
    for (uint32_t l = 0; l < 32; ++l) {
      for (int i = 1; i < 9; ++i)
        wave[l].source[static_cast<std::size_t>(i)] = random_word(random, v, i);
      for (uint32_t i = 0; i < 4; ++i) wave[l].result[i] = old_result(i, l);
      const bool named = v.code.count > 1;  // VOP3 names its mask, s20
      wave[l].mask = (named ? s20 : vcc) >> l & 1;
    }
    states.push_back(wave);
    modes.push_back(mode_bits(v.mode));
    modes.push_back(mode_bits(v.plain_mode));
    add_block(wave);
    if (v.before) v.before(wave);
    add_block(wave);
  }
  Launch launch;
  launch.kernel = kernel;
  launch.threads = 1;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out"),
                      buffer(std::span(modes), "modes")};
  const auto report = run(object, launch);
  if (!report) return report.error().text();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Variant& v = variants[i];
    const uint32_t *got = &out[2 * i * result_words], *plain = got + result_words;
    WaveState expected = states[i];
    for (std::size_t l = 0; l < 32; ++l) std::memcpy(expected[l].result.data(), plain + 8 * l, 16);
    if (v.after) v.after(states[i], expected);
    for (std::size_t l = 0; l < 32; ++l)
      for (std::size_t word = 0; word < 6; ++word) {
        const uint32_t want = word < 4 ? expected[l].result[word] : plain[8 * l + word];
        if (got[8 * l + word] == want) continue;
        char line[400];
        const char* names[] = {"v10", "v11", "v12", "v13", "s24", "vcc"};
        const auto& s = states[i][l].source;
        std::snprintf(
            line, sizeof line,
            "%s (%s)\n  lane %zu, %s: 0x%x and should be 0x%x; v1..v6 0x%x 0x%x 0x%x 0x%x "
            "0x%x 0x%x",
            v.text.c_str(), v.kind.c_str(), l, names[word], got[8 * l + word], want, s[1], s[2],
            s[3], s[4], s[5], s[6]);
        return line;
      }
  }
  return {};
}

TEST_P(Modifiers, GiveWhatTheHostMakesOfThePlainInstruction) {
  const Target& target = *find_target(GetParam());
  const bool gfx12 = target.generation == 12;
  std::vector<std::string> left_out;
  const std::vector<Variant> variants = modifier_variants(target, left_out);
  std::map<std::string, std::vector<Variant>> by_name;
  for (const Variant& v : variants) by_name[v.mnemonic].push_back(v);
  std::vector<AssemblyKernel> kernels;
  for (const auto& [name, all] : by_name)
    kernels.push_back({.name = "test_" + name, .body = body(all, name, gfx12), .arguments = 3});
  const CodeObject object = assemble(kernel_text(kernels, GetParam()), GetParam());
  for (const std::string& line : left_out)
    if (std::getenv("HEDDLE_PRINT_LEFT_OUT")) std::cout << "left out: " << line << "\n";
  Random random(5);
  int wrong = 0;
  for (const auto& [name, all] : by_name) {
    const std::string problem = check(object, "test_" + name, all, random);
    if (problem.empty()) continue;
    ++wrong;
    ADD_FAILURE() << problem;
  }
  std::cout << target.name << ": " << variants.size() << " forms of " << by_name.size()
            << " instructions, " << wrong << " instructions wrong\n";
  EXPECT_GT(by_name.size(), 350u);
  EXPECT_GT(variants.size(), 10000u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Modifiers, ::testing::Values("gfx1151", "gfx1201"),
                         [](const auto& info) { return info.param; });

}  // namespace modifiers_test
}  // namespace heddle::emulator::testing
