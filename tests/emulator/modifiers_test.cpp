// Every vector instruction with every modifier, against the same instruction without it and host
// arithmetic on what goes in and comes out (modifier_variants.h).
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <set>

#include "kernels.h"
#include "modifier_variants.h"

namespace heddle::emulator::testing {
namespace modifiers_test {

const std::string target_names_of_modifiers[] = {"gfx1151", "gfx1201", "gfx90a",
                                                 "gfx942",  "gfx950",  "gfx1250"};

constexpr uint64_t vcc = 0xd2965a3ca5c3960f, named_mask = 0x3b5e71a60d0c0a09;

// Words of a block of results of one lane: v10..v13, s24, s25, vcc_lo and vcc_hi.
constexpr std::size_t lane_words = 8;

// The instructions of a mnemonic lie one after the other, 16 bytes each with the return behind
// them. A loop loads the sources, sets MODE, calls the next and stores what it gives.
std::string called_text(const MachineCode& code, bool cdna) {
  const uint32_t back = cdna ? 0xbe801d0e : 0xbe80480e;  // s_setpc_b64 s[14:15]
  constexpr uint32_t nothing = 0xbf800000;               // s_nop 0
  std::array<uint32_t, 4> words = {nothing, nothing, nothing, nothing};
  for (int i = 0; i < code.count; ++i)
    words[static_cast<std::size_t>(i)] = code.words[static_cast<std::size_t>(i)];
  words[static_cast<std::size_t>(code.count)] = back;
  std::string text = ".long ";
  for (std::size_t i = 0; i < 4; ++i) text += (i ? ", " : "") + std::to_string(words[i]);
  return text + "\n";
}

// v26: the lane's offset in a block of inputs; v24: in a block of results; v20..v23 the old
// results.
std::string body(std::span<const Variant> variants, const std::string& name, const Target& target) {
  const bool gfx12 = target.has(Feature::gfx12_code), cdna = is_cdna(target.family);
  const std::string add = gfx12 ? "s_add_co_u32 " : "s_add_u32 ",
                    add_carry = gfx12 ? "s_add_co_ci_u32 " : "s_addc_u32 ",
                    scalar_wait = gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n",
                    b32 = cdna ? "dword " : "b32 ", b64 = cdna ? "dwordx2 " : "b64 ",
                    b128 = cdna ? "dwordx4 " : "b128 ";
  const auto number = [](uint64_t x) { return std::to_string(x); };
  const auto advance = [&](int reg, int bytes) {
    const std::string low = "s" + std::to_string(reg), high = "s" + std::to_string(reg + 1);
    return add + low + ", " + low + ", " + std::to_string(bytes) + "\n" + add_carry + high + ", " +
           high + ", 0\n";
  };
  const auto set_pair = [&](int reg, uint64_t value) {
    return "s_mov_b32 s" + std::to_string(reg) + ", " + number(value & 0xffffffffu) +
           "\ns_mov_b32 s" + std::to_string(reg + 1) + ", " + number(value >> 32) + "\n";
  };
  const int block = wave_of(target) * 4 * static_cast<int>(lane_words);
  std::string text =
      "s_load_" + b128 + "s[4:7], s[0:1], 0x0\ns_load_" + b64 + "s[8:9], s[0:1], 0x10\n" +
      scalar_wait + "v_lshlrev_b32 v26, 5, v0\nv_mov_b32 v24, v26\n" + set_pair(26, vcc) +
      set_pair(20, named_mask) + "s_mov_b32 s18, " + number(2 * variants.size()) +
      "\ns_getpc_b64 s[16:17]\n" + "after_" + name + ":\n" + add + "s16, s16, called_" + name +
      "-after_" + name + "\n" + add_carry + "s17, s17, 0\n";
  for (int i = 0; i < 4; ++i)
    text += "v_mul_u32_u24 v2" + number(static_cast<uint64_t>(i)) + ", 0x10305, v0\nv_xor_b32 v2" +
            number(static_cast<uint64_t>(i)) + ", 0x7" + number(static_cast<uint64_t>(i)) +
            "3c5a1e, v2" + number(static_cast<uint64_t>(i)) + "\n";
  text += "loop_" + name + ":\ns_load_" + b32 + "s19, s[8:9], 0x0\nglobal_load_" + b128 +
          "v[2:5], v26, s[4:5]\nglobal_load_" + b128 + "v[6:9], v26, s[4:5] offset:16\n" +
          scalar_wait + (gfx12 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n") +
          "v_mov_b32 v10, v20\nv_mov_b32 v11, v21\nv_mov_b32 v12, v22\nv_mov_b32 v13, v23\n"
          "s_mov_b32 s24, 0\ns_mov_b32 s25, 0\ns_mov_b32 vcc_lo, s26\ns_mov_b32 vcc_hi, s27\n"
          "s_setreg_b32 hwreg(1, 0, 10), s19\ns_swappc_b64 s[14:15], s[16:17]\n"
          "v_mov_b32 v14, s24\nv_mov_b32 v15, s25\nv_mov_b32 v16, vcc_lo\nv_mov_b32 v17, vcc_hi\n"
          "global_store_" +
          b128 + "v24, v[10:13], s[6:7]\nglobal_store_" + b128 +
          "v24, v[14:17], s[6:7] offset:16\n" + advance(4, block) + advance(6, block) +
          advance(8, 4) + advance(16, 16) + (gfx12 ? "s_sub_co_u32" : "s_sub_u32") +
          " s18, s18, 1\ns_cmp_lg_u32 s18, 0\ns_cbranch_scc1 loop_" + name + "\ns_endpgm\ncalled_" +
          name + ":\n";
  for (const Variant& v : variants) text += called_text(v.code, cdna) + called_text(v.plain, cdna);
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
      return v.mnemonic.contains("f64") && index % 2 == 1
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

// Of two NaN a multiply-add of f16 hands on one; which, depends on what the host's compiler made of
// it, and no document of AMD's says it.
bool is_another_nan(const Variant& v, uint32_t found, uint32_t want) {
  const auto is_nan = [](uint32_t word) { return (word & 0x7fffu) > 0x7c00u; };
  return v.mnemonic.starts_with("v_fma_") && v.mnemonic.contains("f16") && is_nan(found) &&
         is_nan(want) && found >> 16 == want >> 16;
}

// The results of one mnemonic's variants: a line for the first that is wrong, else nothing.
std::string check(const CodeObject& object, const std::string& kernel, uint32_t wave_size,
                  std::span<const Variant> variants, Random& random) {
  const std::size_t result_words = wave_size * lane_words;
  std::vector<WaveState> states;
  std::vector<uint32_t> in, modes, out(2 * variants.size() * result_words, 0xdeadbeef);
  const auto add_block = [&](const WaveState& wave) {
    for (const LaneState& lane : wave)
      in.insert(in.end(), lane.source.begin() + first_source, lane.source.end());
  };
  for (const Variant& v : variants) {
    WaveState wave(wave_size);
    for (uint32_t l = 0; l < wave_size; ++l) {
      for (std::size_t i = first_source; i < wave[l].source.size(); ++i)
        wave[l].source[i] = random_word(random, v, static_cast<int>(i));
      for (uint32_t i = 0; i < 4; ++i) wave[l].result[i] = old_result(i, l);
      wave[l].mask = (v.names_mask ? named_mask : vcc) >> l & 1;
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
  launch.workgroup[0] = wave_size;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out"),
                      buffer(std::span(modes), "modes")};
  const auto report = run(object, launch);
  if (!report) return kernel + ": " + report.error().text();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Variant& v = variants[i];
    const uint32_t *got = &out[2 * i * result_words], *plain = got + result_words;
    WaveState expected = states[i];
    for (std::size_t l = 0; l < wave_size; ++l)
      std::memcpy(expected[l].result.data(), plain + lane_words * l, 16);
    if (v.after) v.after(states[i], expected);
    for (std::size_t l = 0; l < wave_size; ++l)
      for (std::size_t word = 0; word < lane_words; ++word) {
        const uint32_t want = word < 4 ? expected[l].result[word] : plain[lane_words * l + word],
                       found = got[lane_words * l + word];
        if (found == want || (word < 4 && is_another_nan(v, found, want))) continue;
        char line[400];
        const char* names[] = {"v10", "v11", "v12", "v13", "s24", "s25", "vcc_lo", "vcc_hi"};
        const uint32_t* s = &states[i][l].source[first_source];
        std::snprintf(
            line, sizeof line,
            "%s (%s)\n  lane %zu, %s: 0x%x and should be 0x%x; v2..v7 0x%x 0x%x 0x%x 0x%x "
            "0x%x 0x%x",
            v.text.c_str(), v.kind.c_str(), l, names[word], found, want, s[0], s[1], s[2], s[3],
            s[4], s[5]);
        return line;
      }
  }
  return {};
}

TEST_P(Modifiers, GiveWhatTheHostMakesOfThePlainInstruction) {
  const Target& target = *find_target(GetParam());
  const int wave = wave_of(target);
  std::vector<std::string> left_out;
  const std::vector<Variant> variants = modifier_variants(target, left_out);
  std::map<std::string, std::vector<Variant>> by_name;
  for (const Variant& v : variants) by_name[v.mnemonic].push_back(v);
  std::vector<AssemblyKernel> kernels;
  for (const auto& [name, all] : by_name)
    kernels.push_back(
        {.name = "test_" + name, .body = body(all, name, target), .arguments = 3, .wave = wave});
  const CodeObject object = assemble(kernel_text(kernels, GetParam()), GetParam(), wave);
  for (const std::string& line : left_out)
    if (std::getenv("HEDDLE_PRINT_LEFT_OUT")) std::cout << "left out: " << line << "\n";
  Random random(5);
  int wrong = 0;
  for (const auto& [name, all] : by_name) {
    const std::string problem =
        check(object, "test_" + name, static_cast<uint32_t>(wave), all, random);
    if (problem.empty()) continue;
    ++wrong;
    ADD_FAILURE() << problem;
  }
  std::cout << target.name << ": " << variants.size() << " forms of " << by_name.size()
            << " instructions, " << wrong << " instructions wrong\n";
  EXPECT_GT(by_name.size(), 350u);
  EXPECT_GT(variants.size(), 10000u);
}

// Without an exception something of it is refused, or not what the relation says, on some target.
TEST(ModifierExceptions, EachIsNeeded) {
  std::set<const LeftOut*> needed;
  for (const std::string& name : target_names_of_modifiers) {
    const Target& target = *find_target(name);
    const int wave = wave_of(target);
    std::map<std::pair<const LeftOut*, std::string>, std::vector<Variant>> groups;
    for (ExceptedVariant& excepted : excepted_variants(target, needed)) {
      const std::pair key{excepted.exception, excepted.variant.mnemonic};
      groups[key].push_back(std::move(excepted.variant));
    }
    std::vector<AssemblyKernel> kernels;
    for (const auto& [key, all] : groups) {
      const std::string kernel = key.second + "_" + std::to_string(kernels.size());
      kernels.push_back({.name = "test_" + kernel,
                         .body = body(all, kernel, target),
                         .arguments = 3,
                         .wave = wave});
    }
    const CodeObject object = assemble(kernel_text(kernels, name), name, wave);
    Random random(5);
    std::size_t at = 0;
    for (const auto& [key, all] : groups) {
      const std::string& kernel = kernels[at++].name;
      if (needed.contains(key.first)) continue;
      if (!check(object, kernel, static_cast<uint32_t>(wave), all, random).empty())
        needed.insert(key.first);
    }
  }
  for (const LeftOut& exception : modifier_exceptions())
    EXPECT_TRUE(needed.contains(&exception))
        << exception.prefix << " " << exception.kind << " (" << exception.reason
        << "): drop it, without it everything is as the relations say";
}

INSTANTIATE_TEST_SUITE_P(Targets, Modifiers, ::testing::ValuesIn(target_names_of_modifiers),
                         [](const auto& info) { return info.param; });

}  // namespace modifiers_test
}  // namespace heddle::emulator::testing
