// v_dot2 with an f32 sum on gfx11: the published numbers, and random ones against a second
// implementation of the model in float64 (emulator/handlers/dot2.h says where it comes from).
#include <bit>
#include <cmath>
#include <iostream>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace dot2_test {

struct Product {
  uint32_t a, b;  // two 16-bit numbers each, the first in the low half
  float c;
};

std::vector<float> dot2(const std::string& name, const std::string& target,
                        std::span<const Product> all) {
  const bool gfx12 = target == "gfx1201";
  const std::string body = std::string("s_load_b128 s[4:7], s[0:1], 0x0\n") +
                           (gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n") +
                           "v_lshl_add_u32 v0, " + (gfx12 ? "ttmp9" : "s2") +
                           ", 5, v0\nv_mul_u32_u24 v9, 12, v0\n"
                           "global_load_b96 v[1:3], v9, s[4:5]\n" +
                           (gfx12 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n") + name +
                           " v10, v1, v2, v3\nv_lshlrev_b32 v9, 2, v0\n"
                           "global_store_b32 v9, v10, s[6:7]\ns_endpgm";
  const CodeObject object =
      assemble(kernel_text({{.name = "dot2", .body = body, .arguments = 2}}, target), target);
  std::vector<Product> in(all.begin(), all.end());
  in.resize((in.size() + 31) / 32 * 32);
  std::vector<float> out(in.size());
  Launch launch;
  launch.grid = {static_cast<uint32_t>(in.size() / 32), 1, 1};
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  const auto report = run(object, launch);
  EXPECT_TRUE(report) << report.error().text();
  out.resize(all.size());
  return out;
}

uint32_t halves(float low, float high) {
  const auto bits = [](float x) { return std::bit_cast<uint16_t>(static_cast<_Float16>(x)); };
  return bits(low) | uint32_t{bits(high)} << 16;
}

TEST(Dot2, GivesThePublishedNumbers) {
  const Product halves_of[] = {{halves(3, 8), halves(8, 4), 1},
                               {halves(3, 8), halves(8, 4), -1},
                               {halves(-3, -8), halves(8, 4), 1},
                               // Within one unit in the last place of 4 (tinygrad, test_vop3p.py).
                               {halves(3, -2), halves(2, 1), 0}};
  const auto f16 = dot2("v_dot2_f32_f16", "gfx1151", halves_of);
  EXPECT_EQ(f16[0], 57.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(f16[1]), 0x425c0001u);  // 55.0000038
  EXPECT_EQ(std::bit_cast<uint32_t>(f16[2]), 0xc25c0001u);
  EXPECT_EQ(f16[3], std::nextafter(4.0f, 0.0f));
  // The same product of a denormal and of normal numbers.
  const Product brains[] = {{0x0001, 0x4980, 0}, {0x0700, 0x3f80, 0}};
  const auto bf16 = dot2("v_dot2_f32_bf16", "gfx1151", brains);
  EXPECT_EQ(bf16[0], 0.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(bf16[1]), 0x07000000u);
}

TEST(Dot2, InfinitiesAndNanAreThoseOfIeee) {
  const float infinity = INFINITY;
  const Product all[] = {{halves(1, 2), halves(3, 4), infinity},
                         {halves(infinity, 2), halves(-3, 4), 5},
                         {halves(infinity, 2), halves(0, 4), 5},
                         {halves(infinity, infinity), halves(1, -1), 0},
                         {halves(1, 2), halves(3, 4), NAN}};
  const auto got = dot2("v_dot2_f32_f16", "gfx1151", all);
  EXPECT_EQ(got[0], infinity);
  EXPECT_EQ(got[1], -infinity);
  for (std::size_t i : {2u, 3u, 4u}) EXPECT_TRUE(std::isnan(got[i])) << i;
}

// Whatever MODE says: the kernels here keep denormals.
TEST(Dot2, DenormalsOfTheSumAreZero) {
  const Product all[] = {{0, 0, 0x1p-130f}, {halves(1, 0), halves(1, 0), 0x1p-130f}};
  for (const char* target : {"gfx1100", "gfx1151", "gfx1201"}) {
    const auto got = dot2("v_dot2_f32_f16", target, all);
    EXPECT_EQ(got[0], 0.0f) << target;
    EXPECT_EQ(got[1], 1.0f) << target;
  }
}

struct Format {
  const char* instruction;
  int smallest_exponent;
  bool keeps_denormals;
  double (*value)(uint32_t);
};
constexpr Format formats[] = {
    {"v_dot2_f32_f16", -14, true,
     [](uint32_t bits) {
       return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
     }},
    {"v_dot2_f32_bf16", -126, false,
     [](uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits << 16)); }}};

float reference(const Format& format, const Product& p) {
  double addends[3] = {std::abs(p.c) < 0x1p-126f ? std::copysign(0.0, p.c) : double{p.c}};
  int exponents[3] = {addends[0] == 0 ? 0 : std::ilogb(addends[0])};
  for (int i = 0; i < 2; ++i) {
    double x = format.value(p.a >> 16 * i & 0xffffu), y = format.value(p.b >> 16 * i & 0xffffu);
    const double smallest = std::ldexp(1.0, format.smallest_exponent);
    if (!format.keeps_denormals && std::abs(x) < smallest) x = std::copysign(0.0, x);
    if (!format.keeps_denormals && std::abs(y) < smallest) y = std::copysign(0.0, y);
    addends[1 + i] = x * y;
    if (x * y == 0) continue;
    exponents[1 + i] = std::max(std::ilogb(x), format.smallest_exponent) +
                       std::max(std::ilogb(y), format.smallest_exponent);
  }
  int top = -10000;
  for (int i = 0; i < 3; ++i)
    if (addends[i] != 0) top = std::max(top, exponents[i]);
  if (top == -10000) return static_cast<float>(addends[0] + addends[1] + addends[2]);
  const double unit = std::ldexp(1.0, top - 24), frame = std::signbit(addends[0]) ? -1 : 1;
  double sum = 0;  // in the frame
  for (const double x : addends) {
    if (x == 0) continue;
    const double units = std::floor(std::abs(x) / unit);
    sum += std::signbit(x) == std::signbit(frame) ? units : -units - 1;
  }
  const auto result = static_cast<float>(frame * sum * unit);
  return std::abs(result) < 0x1p-126f ? std::copysign(0.0f, static_cast<float>(frame * sum))
                                      : result;
}

TEST(Dot2, IsTheModelOnRandomNumbers) {
  Random random(11);
  std::size_t count = 0;
  for (const Format& format : formats) {
    std::vector<Product> all;
    while (all.size() < 200000) {
      // Exponents near each other half of the time, any bits otherwise.
      Product p{random.bits(), random.bits(), std::bit_cast<float>(random.bits())};
      if (random.bits() % 2) {
        const uint32_t exponents = format.keeps_denormals ? 0x3c003c00u : 0x3f803f80u,
                       near = format.keeps_denormals ? 0x8fff8fffu : 0x83ff83ffu;
        p.a = (p.a & near) | exponents;
        p.b = (p.b & near) | exponents;
        p.c = std::ldexp(random.uniform(), static_cast<int>(random.bits() % 12) - 5);
      }
      bool finite = std::isfinite(p.c);
      for (const uint32_t word : {p.a, p.b})
        for (const int shift : {0, 16})
          finite = finite && std::isfinite(format.value(word >> shift & 0xffffu));
      if (finite) all.push_back(p);
    }
    const std::vector<float> got = dot2(format.instruction, "gfx1151", all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float expected = reference(format, all[i]);
      ++count;
      ASSERT_TRUE(got[i] == expected)
          << format.instruction << std::hex << " 0x" << all[i].a << " 0x" << all[i].b << " 0x"
          << std::bit_cast<uint32_t>(all[i].c) << std::defaultfloat << ": " << got[i] << ", not "
          << expected;
    }
  }
  std::cout << count << " sums compared\n";
}

}  // namespace dot2_test
}  // namespace heddle::emulator::testing
