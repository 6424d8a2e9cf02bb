// Every case of instruction_cases.h on every target: one kernel per case, run on one wave.
#include <cmath>
#include <cstring>

#include "instruction_cases.h"
#include "kernels.h"

namespace heddle::emulator::testing {
namespace instructions_test {

constexpr uint32_t vcc = 0xa5c3960f, s20 = 0x0d0c0a09, s22 = 0xfedc0123, s23 = 0x45679ba8;

uint32_t random_bits(Random& random, Fill fill, int index) {
  switch (fill) {
    case Fill::integers: {
      // Small ones, large ones, and the ends of the range.
      const uint32_t x = random.bits(), kind = random.bits() % 8;
      return kind == 0   ? x % 40
             : kind == 1 ? 0xffffffffu - x % 3
             : kind == 2 ? 0x7fffffffu + x % 3
                         : x;
    }
    case Fill::floats:
      return std::bit_cast<uint32_t>(
          std::ldexp(random.uniform() + 0x1p-30f, static_cast<int>(random.bits() % 24) - 8));
    case Fill::halves: {
      const auto half = [&] {
        return std::bit_cast<uint16_t>(static_cast<_Float16>(
            std::ldexp(random.uniform(), static_cast<int>(random.bits() % 12) - 4)));
      };
      return half() | uint32_t{half()} << 16;
    }
    case Fill::doubles:
      // v1, v3, v5 are low words.
      return index % 2 ? random.bits()
                       : (random.bits() & 0x800fffffu) | (1023 - 20 + random.bits() % 40) << 20;
  }
  return 0;
}

std::string body(const Case& c, bool gfx12) {
  const std::string wait = gfx12 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n";
  const std::string scalar_wait = gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  const auto hex = [](uint32_t x) { return std::to_string(x); };
  return "s_load_b128 s[4:7], s[0:1], 0x0\n" + scalar_wait +
         "v_lshlrev_b32 v9, 6, v0\n"
         "global_load_b128 v[1:4], v9, s[4:5]\nglobal_load_b128 v[5:8], v9, s[4:5] offset:16\n"
         "global_load_b128 v[10:13], v9, s[4:5] offset:32\n" +
         wait + "s_mov_b32 vcc_lo, " + hex(vcc) + "\ns_mov_b32 s20, " + hex(s20) +
         "\ns_mov_b32 s22, " + hex(s22) + "\ns_mov_b32 s23, " + hex(s23) + "\ns_mov_b32 s24, 0\n" +
         c.text + "\n" +
         "v_lshlrev_b32 v9, 5, v0\nv_mov_b32 v14, s24\n"
         "global_store_b128 v9, v[10:13], s[6:7]\nglobal_store_b32 v9, v14, s[6:7] offset:16\n"
         "s_endpgm";
}

std::vector<Input> random_inputs(Random& random, Fill fill) {
  std::vector<Input> inputs(32);
  for (uint32_t l = 0; l < 32; ++l) {
    Input& in = inputs[l];
    for (int i = 1; i <= 8; ++i) in.v[i] = random_bits(random, fill, i);
    for (int i = 0; i < 4; ++i) in.old[i] = random_bits(random, fill, i + 1);
    in.lane = l;
    in.vcc = vcc;
    in.s20 = s20;
    in.s22 = s22;
    in.s23 = s23;
  }
  return inputs;
}

bool within(uint32_t got, uint32_t expected, int ulps) {
  if (got == expected) return true;
  return ulps > 0 && std::abs(static_cast<int64_t>(got) - static_cast<int64_t>(expected)) <= ulps;
}

void check(const CodeObject& object, const std::string& kernel, const Case& c, uint64_t seed) {
  Random random(seed);
  const std::vector<Input> inputs = random_inputs(random, c.fill);
  std::vector<uint32_t> in(32 * 16), out(32 * 8, 0xdeadbeef);
  for (const Input& x : inputs) {
    std::memcpy(&in[x.lane * 16], &x.v[1], 32);
    std::memcpy(&in[x.lane * 16 + 8], x.old, 16);
  }
  Launch launch;
  launch.kernel = kernel;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << c.text << "\n" << report.error().text();
  for (const Input& x : inputs) {
    Output expected{{x.old[0], x.old[1], x.old[2], x.old[3]}, false};
    c.expect(inputs, x, expected);
    const uint32_t* got = &out[x.lane * 8];
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(within(got[i], expected.v[i], i == 0 ? c.ulps : 0))
          << object.target().name << " " << c.text << "\nlane " << x.lane << " v" << 10 + i
          << std::hex << ": expected 0x" << expected.v[i] << ", got 0x" << got[i] << "; v1 0x"
          << x.v[1] << " v2 0x" << x.v[2] << " v3 0x" << x.v[3];
    ASSERT_EQ(got[4] >> x.lane & 1, expected.mask) << c.text << "\nlane " << x.lane << " of s24";
  }
}

class Instructions : public ::testing::TestWithParam<std::string> {
 protected:
  void check_all(const std::vector<Case>& all) {
    const std::string& target = GetParam();
    std::vector<AssemblyKernel> kernels;
    std::vector<const Case*> cases;
    for (const Case& c : all) {
      if (!c.target.empty() && c.target != target) continue;
      kernels.push_back({.name = "case_" + std::to_string(cases.size()),
                         .body = body(c, target == "gfx1201"),
                         .arguments = 2});
      cases.push_back(&c);
    }
    ASSERT_GT(cases.size(), 20u);
    const CodeObject object = assemble(kernel_text(kernels, target), target);
    for (std::size_t i = 0; i < cases.size(); ++i)
      for (uint64_t seed = 1; seed <= 20; ++seed)
        check(object, kernels[i].name, *cases[i], seed * 1000 + i);
  }
};

TEST_P(Instructions, Integers) { check_all(integer_cases()); }
TEST_P(Instructions, Floats) {
  std::vector<Case> all = float_cases();
  const std::vector<Case> halves = half_cases();
  all.insert(all.end(), halves.begin(), halves.end());
  check_all(all);
}
TEST_P(Instructions, Lanes) { check_all(lane_cases()); }
TEST_P(Instructions, Bytes) { check_all(byte_cases()); }
TEST_P(Instructions, Scalars) {
  std::vector<Case> all = scalar_cases();
  const std::vector<Case> floats = scalar_float_cases();
  all.insert(all.end(), floats.begin(), floats.end());
  check_all(all);
}

INSTANTIATE_TEST_SUITE_P(Targets, Instructions, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace instructions_test
}  // namespace heddle::emulator::testing
