// Every matrix instruction the emulator executes, against a product on the host. Where elements lie
// is computed here from the formulas of AMD's ISA documents ("Wave Matrix Multiply Accumulate"),
// not from the catalogue that the emulator reads.
#include <cmath>
#include <cstring>

#include "elements.h"
#include "kernels.h"

namespace heddle::emulator::testing {
namespace matrix_test {

struct Wmma {
  std::string target, name;
  Element a, b, d;
  int k;
  std::string modifiers;
};

// The registers of one operand: element `i` of `per_lane` of a lane, packed from bit 0.
using Registers = std::vector<std::vector<uint32_t>>;  // [register][lane]

void put(Registers& r, int element, int lane, int bits, uint32_t value) {
  const int per_register = 32 / bits;
  r[static_cast<std::size_t>(element / per_register)][static_cast<std::size_t>(lane)] |=
      value << (bits * (element % per_register));
}

// gfx11: lane l holds row l % 16, all k in order. gfx12 for 16 bits: k = 8 * (e / 4) +
// 4 * (l / 16) + e % 4; for fewer bits k = e + per_lane * (l / 16).
int k_of(const Wmma& w, int bits, int lane, int element) {
  if (w.target != "gfx1201") return element;
  if (bits == 16) return 8 * (element / 4) + 4 * (lane / 16) + element % 4;
  return w.k / 2 * (lane / 16) + element;
}

int row_of(const Wmma& w, int lane, int element) {
  return w.target == "gfx1201" ? 8 * (lane / 16) + element : 2 * element + lane / 16;
}

struct Data {
  std::vector<uint32_t> a, b, c;  // bits; a[m][k], b[k][n], c[m][n]
};

Registers operand_registers(const Wmma& w, Element e, const std::vector<uint32_t>& matrix,
                            bool is_b) {
  const int bits = bits_of(e);
  const int per_lane = w.target == "gfx1201" ? w.k / 2 : w.k;
  Registers r(static_cast<std::size_t>(std::max(1, per_lane * bits / 32)),
              std::vector<uint32_t>(32, 0));
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < per_lane; ++i) {
      const int k = k_of(w, bits, lane, i), row = lane % 16;
      put(r, i, lane, bits, matrix[static_cast<std::size_t>(is_b ? k * 16 + row : row * w.k + k)]);
    }
  return r;
}

bool unpacked(const Wmma& w) { return bits_of(w.d) == 16 && w.target != "gfx1201"; }

std::string range(int first, std::size_t count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" +
                          std::to_string(first + static_cast<int>(count) - 1) + "]";
}

// Loads every register from the buffer, 128 bytes each: A, B, C; then stores D.
std::string body(const Wmma& w, std::size_t a, std::size_t b, std::size_t d) {
  const bool gfx12 = w.target == "gfx1201";
  std::string text = "s_load_b64 s[4:5], s[0:1], 0x0\n" +
                     std::string(gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n") +
                     "v_lshlrev_b32 v99, 2, v0\n";
  for (std::size_t i = 0; i < a + b + d; ++i)
    text += "global_load_b32 v" + std::to_string(100 + i) +
            ", v99, s[4:5] offset:" + std::to_string(128 * i) + "\n";
  const int first_c = 100 + static_cast<int>(a + b);
  text += w.name + " " + range(first_c, d) + ", " + range(100, a) + ", " +
          range(100 + static_cast<int>(a), b) + ", " + range(first_c, d) + w.modifiers + "\n";
  for (std::size_t i = 0; i < d; ++i)
    text += "global_store_b32 v99, v" + std::to_string(static_cast<std::size_t>(first_c) + i) +
            ", s[4:5] offset:" + std::to_string(128 * (a + b + i)) + "\n";
  return text + "s_endpgm";
}

double expected(const Wmma& w, const Data& data, int m, int n) {
  double sum = decode(w.d, data.c[static_cast<std::size_t>(m * 16 + n)]);
  for (int k = 0; k < w.k; ++k)
    sum += decode(w.a, data.a[static_cast<std::size_t>(m * w.k + k)]) *
           decode(w.b, data.b[static_cast<std::size_t>(k * 16 + n)]);
  return sum;
}

double tolerance(const Wmma& w, double value) {
  switch (w.d) {
    case Element::i32:
      return 0;
    case Element::f16:
      return std::abs(value) * 0x1p-10 + 1e-3;
    case Element::bf16:
      return std::abs(value) * 0x1p-7 + 1e-2;
    default:
      return std::abs(value) * 1e-6 + (w.a == Element::fp8 || w.a == Element::bf8 ? 1.0 : 1e-5);
  }
}

void check(const Wmma& w, bool high_half) {
  SCOPED_TRACE(w.target + " " + w.name + w.modifiers);
  Random random(7);
  Data data;
  data.a.resize(static_cast<std::size_t>(16 * w.k));
  data.b.resize(data.a.size());
  data.c.resize(256);
  for (uint32_t& x : data.a) x = random_element(w.a, random);
  for (uint32_t& x : data.b) x = random_element(w.b, random);
  for (uint32_t& x : data.c) x = random_element(w.d, random);

  const Registers a = operand_registers(w, w.a, data.a, false),
                  b = operand_registers(w, w.b, data.b, true);
  const int d_bits = unpacked(w) ? 32 : bits_of(w.d);
  Registers d(static_cast<std::size_t>(8 * d_bits / 32), std::vector<uint32_t>(32, 0));
  const int shift = high_half ? 16 : 0;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i)
      put(d, i, lane, d_bits,
          data.c[static_cast<std::size_t>(row_of(w, lane, i) * 16 + lane % 16)] << shift);

  std::vector<uint32_t> memory;
  for (const Registers* operand : {&a, &b, static_cast<const Registers*>(&d)})
    for (const auto& reg : *operand) memory.insert(memory.end(), reg.begin(), reg.end());
  const CodeObject object = assemble(
      kernel_text({{.name = "wmma", .body = body(w, a.size(), b.size(), d.size())}}, w.target),
      w.target);
  Launch launch;
  launch.arguments = {buffer(std::span(memory), "registers")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->wmma, 1u);

  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const int per_register = 32 / d_bits;
      const uint32_t reg =
          memory[(a.size() + b.size() + static_cast<std::size_t>(i / per_register)) * 32 +
                 static_cast<std::size_t>(lane)];
      const uint32_t bits = reg >> (d_bits == 16 ? 16 * (i % 2) : shift);
      const double got = decode(w.d, bits_of(w.d) == 16 ? bits & 0xffffu : bits);
      const double want = expected(w, data, row_of(w, lane, i), lane % 16);
      ASSERT_NEAR(got, want, tolerance(w, want)) << "lane " << lane << " element " << i;
    }
}

TEST(Matrix, EveryInstructionOfEveryTarget) {
  using enum Element;
  for (const char* target : {"gfx1100", "gfx1151", "gfx1201"}) {
    const Wmma all[] = {
        {target, "v_wmma_f32_16x16x16_f16", f16, f16, f32, 16, ""},
        {target, "v_wmma_f32_16x16x16_bf16", bf16, bf16, f32, 16, ""},
        {target, "v_wmma_f16_16x16x16_f16", f16, f16, f16, 16, ""},
        {target, "v_wmma_bf16_16x16x16_bf16", bf16, bf16, bf16, 16, ""},
        {target, "v_wmma_i32_16x16x16_iu8", u8, u8, i32, 16, ""},
        {target, "v_wmma_i32_16x16x16_iu8", i8, u8, i32, 16, " neg_lo:[1,0,0]"},
        {target, "v_wmma_i32_16x16x16_iu8", i8, i8, i32, 16, " neg_lo:[1,1,0]"},
    };
    for (const Wmma& w : all) check(w, false);
  }
}

TEST(Matrix, HighHalvesOfGfx11) {
  using enum Element;
  check({"gfx1151", "v_wmma_f16_16x16x16_f16", f16, f16, f16, 16, " op_sel:[0,0,1]"}, true);
  check({"gfx1151", "v_wmma_bf16_16x16x16_bf16", bf16, bf16, bf16, 16, " op_sel:[0,0,1]"}, true);
}

// D two registers above C: what D writes first is what a later row of C would read.
TEST(Matrix, ResultOverPartOfC) {
  const CodeObject object = assemble(
      kernel_text({{.name = "shifted",
                    .body = "s_load_b64 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                            "v_mov_b32 v20, 1.0\nv_mov_b32 v21, 2.0\nv_mov_b32 v22, 0.5\n"
                            "v_mov_b32 v23, 4.0\nv_mov_b32 v24, -1.0\nv_mov_b32 v25, -2.0\n"
                            "v_mov_b32 v26, -0.5\nv_mov_b32 v27, -4.0\n"
                            "v_mov_b32 v0, 0\nv_mov_b32 v1, 0\nv_mov_b32 v2, 0\nv_mov_b32 v3, 0\n"
                            "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n"
                            "v_wmma_f32_16x16x16_f16 v[22:29], v[0:7], v[0:7], v[20:27]\n"
                            "global_store_b128 v0, v[22:25], s[4:5]\n"
                            "global_store_b128 v0, v[26:29], s[4:5] offset:16\ns_endpgm"}},
                  "gfx1151"),
      "gfx1151");
  std::vector<float> data(8);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(data, (std::vector<float>{1, 2, 0.5, 4, -1, -2, -0.5, -4}));
}

// A and B zero: D is C. Every element of it, in every lane, is the constant.
TEST(Matrix, ConstantC) {
  struct {
    const char *target, *instruction, *c, *modifiers;
    int registers;
    uint32_t mask, value;
  } const cases[] = {
      {"gfx1201", "v_wmma_f16_16x16x16_f16 v[20:23], v[0:3], v[4:7]", "1.0", "", 4, ~0u,
       0x3c003c00},
      {"gfx1201", "v_wmma_f16_16x16x16_f16 v[20:23], v[0:3], v[4:7]", "-4.0", "", 4, ~0u,
       0xc400c400},
      {"gfx1201", "v_wmma_bf16_16x16x16_bf16 v[20:23], v[0:3], v[4:7]", "1.0", "", 4, ~0u,
       0x3f803f80},
      {"gfx1201", "v_wmma_f32_16x16x16_f16 v[20:27], v[0:3], v[4:7]", "0.5", "", 8, ~0u,
       0x3f000000},
      {"gfx1201", "v_wmma_i32_16x16x16_iu8 v[20:27], v[0:1], v[4:5]", "7", "", 8, ~0u, 7},
      {"gfx1151", "v_wmma_f32_16x16x16_bf16 v[20:27], v[0:7], v[8:15]", "2.0", "", 8, ~0u,
       0x40000000},
      {"gfx1151", "v_wmma_f16_16x16x16_f16 v[20:27], v[0:7], v[8:15]", "1.0", "", 8, 0xffff,
       0x3c00},
      {"gfx1151", "v_wmma_bf16_16x16x16_bf16 v[20:27], v[0:7], v[8:15]", "-2.0", "", 8, 0xffff,
       0xc000},
      {"gfx1151", "v_wmma_f16_16x16x16_f16 v[20:27], v[0:7], v[8:15]", "1.0", " op_sel:[0,0,1]", 8,
       0xffff0000, 0x3c000000},
  };
  for (const auto& c : cases) {
    const std::string what = std::string(c.instruction) + ", " + c.c + c.modifiers;
    std::string body = "s_load_b64 s[4:5], s[0:1], 0x0\n";
    body += std::string(c.target) == "gfx1201" ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
    body += "v_lshlrev_b32 v30, 5, v0\n";
    for (int i = 0; i < 16; ++i) body += "v_mov_b32 v" + std::to_string(i) + ", 0\n";
    body += what + "\nglobal_store_b128 v30, v[20:23], s[4:5]\n";
    if (c.registers == 8) body += "global_store_b128 v30, v[24:27], s[4:5] offset:16\n";
    const CodeObject object = assemble(
        kernel_text({{.name = "constant", .body = body + "s_endpgm"}}, c.target), c.target);
    std::vector<uint32_t> data(32 * 8);
    Launch launch;
    launch.arguments = {buffer(std::span(data), "data")};
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << what << "\n" << report.error().text();
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (std::size_t i = 0; i < static_cast<std::size_t>(c.registers); ++i)
        ASSERT_EQ(data[lane * 8 + i] & c.mask, c.value)
            << c.target << " " << what << "\nlane " << lane << " register " << i;
  }
}

TEST(Matrix, SmallTypes) {
  using enum Element;
  check({"gfx1151", "v_wmma_i32_16x16x16_iu4", u4, i4, i32, 16, " neg_lo:[0,1,0]"}, false);
  check({"gfx1201", "v_wmma_i32_16x16x32_iu4", i4, u4, i32, 32, " neg_lo:[1,0,0]"}, false);
  check({"gfx1201", "v_wmma_f32_16x16x16_fp8_fp8", fp8, fp8, f32, 16, ""}, false);
  check({"gfx1201", "v_wmma_f32_16x16x16_fp8_bf8", fp8, bf8, f32, 16, ""}, false);
  check({"gfx1201", "v_wmma_f32_16x16x16_bf8_fp8", bf8, fp8, f32, 16, ""}, false);
  check({"gfx1201", "v_wmma_f32_16x16x16_bf8_bf8", bf8, bf8, f32, 16, ""}, false);
}

// The registers of a kernel after some instructions on `count` of them, from v100 on.
std::vector<uint32_t> registers_after(const std::string& instructions, std::size_t count,
                                      const std::string& target) {
  std::string body =
      "s_load_b64 s[4:5], s[0:1], 0x0\n" +
      std::string(target == "gfx1201" ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n") +
      "v_lshlrev_b32 v99, 2, v0\n";
  std::vector<uint32_t> memory(32 * count);
  const auto move = [&](const std::string& operation, bool stores) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string reg = "v" + std::to_string(100 + i);
      body += operation + (stores ? " v99, " + reg : " " + reg + ", v99") +
              ", s[4:5] offset:" + std::to_string(128 * i) + "\n";
    }
  };
  move("global_load_b32", false);
  body += instructions;
  move("global_store_b32", true);
  const CodeObject object =
      assemble(kernel_text({{.name = "some", .body = body + "s_endpgm"}}, target), target);
  Random random(5);
  for (uint32_t& x : memory) x = random.bits() & 0xbfffbfffu;  // below 2 as f16
  Launch launch;
  launch.profile = Profile::none;  // which would look at the copies in A and B
  launch.arguments = {buffer(std::span(memory), "registers")};
  const auto report = run(object, launch);
  EXPECT_TRUE(report) << report.error().text();
  return memory;
}

// Instructions that follow each other share A and B, and change them: the same as when others stand
// between them.
TEST(Matrix, InstructionsThatFollowEachOther) {
  constexpr uint32_t count = 32;
  for (const char* target : {"gfx1151", "gfx1201"}) {
    const uint32_t halves = std::string(target) == "gfx1201" ? 4 : 8, bytes = halves / 2;
    const auto wmma = [&](uint32_t kind, uint32_t a, uint32_t b, uint32_t d) {
      const std::string name = kind == 0   ? "v_wmma_f32_16x16x16_f16 "
                               : kind == 1 ? "v_wmma_f32_16x16x16_bf16 "
                                           : "v_wmma_i32_16x16x16_iu8 ";
      const uint32_t registers = kind < 2 ? halves : bytes;
      const std::string sums = range(static_cast<int>(100 + d), 8);
      return name + sums + ", " + range(static_cast<int>(100 + a), registers) + ", " +
             range(static_cast<int>(100 + b), registers) + ", " + sums +
             (kind == 3 ? " neg_lo:[1,0,0]" : "") + "\n";
    };
    for (uint64_t seed = 0; seed < 10; ++seed) {
      Random random(seed);
      std::string together, apart;
      for (int i = 0; i < 40; ++i) {
        const uint32_t place = random.bits();
        // Few A and B, so that they come again; now and then a D that is one of them.
        std::string next = wmma(seed % 2 ? 0 : random.bits() % 4, place % 2 * 2, place / 2 % 5 * 2,
                                place / 16 % 8 == 0 ? place / 128 % 5 * 3 : 16 + place / 128 % 9);
        if (place >> 29 == 0) next += "v_mov_b32 v" + std::to_string(100 + place % 9) + ", v120\n";
        together += next;
        apart += next + "s_nop 0\n";
      }
      ASSERT_EQ(registers_after(together, count, target), registers_after(apart, count, target))
          << target << "\n"
          << together;
    }
  }
}

}  // namespace matrix_test
}  // namespace heddle::emulator::testing
