// Instructions of older compilers and of libraries' inline assembly, against the host's arithmetic:
// carries, wmma, fns, atomic operations of 16 bytes, and clocks that advance.
#include <random>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace old_opcodes_test {

/// Runs `body` on 32 lanes with %in and %out, the thread's places of `words` each in two buffers of
/// 64-bit words.
std::vector<uint64_t> run_lanes(const std::string& body, std::vector<uint64_t> in, uint32_t words,
                                uint32_t results) {
  std::vector<uint64_t> out(std::size_t{32} * results);
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  const std::string step = std::to_string(8 * words), to = std::to_string(8 * results);
  simulate(module_of(
               kernel_text(".param .u64 in, .param .u64 out",
                           ".reg.b32 %r<16>, %t;\n.reg .b64 %l<16>, %in, %out;\n.reg .pred %p<8>;\n"
                           ".reg .b128 %q<4>;\nld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
                           "mov.u32 %t, %tid.x;\nmad.wide.u32 %in, %t, " +
                               step +
                               ", %in;\n"
                               "mad.wide.u32 %out, %t, " +
                               to + ", %out;\n" + body + "\nret;")),
           launch);
  return out;
}

std::vector<uint64_t> random_words(std::size_t count) {
  std::mt19937_64 random(11);
  std::vector<uint64_t> words(count);
  // Many ones and zeros, so that carries run far.
  for (uint64_t& word : words) {
    word = random();
    if (random() % 3 == 0) word |= 0xffffffff00000000u;
    if (random() % 3 == 0) word |= 0xffffffffu;
    if (random() % 5 == 0) word = random() % 2;
  }
  return words;
}

TEST(PtxOldOpcodes, Carries) {
  using Wide = unsigned __int128;
  const std::vector<uint64_t> in = random_words(std::size_t{32} * 4);
  const std::vector<uint64_t> out = run_lanes(
      "ld.global.v2.b64 {%l0, %l1}, [%in];\nld.global.v2.b64 {%l2, %l3}, [%in+16];\n"
      "add.cc.u64 %l4, %l0, %l2;\naddc.u64 %l5, %l1, %l3;\n"
      "sub.cc.s64 %l6, %l0, %l2;\nsubc.s64 %l7, %l1, %l3;\n"
      // 64 x 64 bits by products of 32: as nvcc writes them.
      "mov.b64 {%r0, %r1}, %l0;\nmov.b64 {%r2, %r3}, %l2;\n"
      "mul.lo.u32 %r4, %r0, %r2;\nmul.hi.u32 %r5, %r0, %r2;\n"
      "mad.lo.cc.u32 %r5, %r0, %r3, %r5;\nmadc.hi.u32 %r6, %r0, %r3, 0;\n"
      "mad.lo.cc.u32 %r5, %r1, %r2, %r5;\nmadc.hi.cc.u32 %r6, %r1, %r2, %r6;\n"
      "addc.u32 %r7, 0, 0;\n"
      "mad.lo.cc.u32 %r6, %r1, %r3, %r6;\nmadc.hi.u32 %r7, %r1, %r3, %r7;\n"
      "mov.b64 %l8, {%r4, %r5};\nmov.b64 %l9, {%r6, %r7};\n"
      "add.cc.u32 %r8, %r0, %r2;\naddc.cc.u32 %r9, %r1, %r3;\naddc.u32 %r10, 0, 0;\n"
      "subc.cc.u32 %r11, %r0, %r2;\nsubc.u32 %r12, 0, 0;\nmov.b64 %l10, {%r10, %r12};\n"
      "st.global.v2.b64 [%out], {%l4, %l5};\nst.global.v2.b64 [%out+16], {%l6, %l7};\n"
      "st.global.v2.b64 [%out+32], {%l8, %l9};\nst.global.v2.b64 [%out+48], {%l10, %l10};",
      in, 4, 8);
  for (std::size_t i = 0; i < 32; ++i) {
    const uint64_t* x = in.data() + 4 * i;
    const uint64_t* y = out.data() + 8 * i;
    const Wide a = Wide{x[1]} << 64 | x[0], b = Wide{x[3]} << 64 | x[2];
    EXPECT_EQ(y[0], static_cast<uint64_t>(a + b));
    EXPECT_EQ(y[1], static_cast<uint64_t>((a + b) >> 64)) << i;
    EXPECT_EQ(y[2], static_cast<uint64_t>(a - b));
    EXPECT_EQ(y[3], static_cast<uint64_t>((a - b) >> 64)) << i;
    const Wide product = Wide{x[0]} * x[2];
    EXPECT_EQ(y[4], static_cast<uint64_t>(product));
    EXPECT_EQ(y[5], static_cast<uint64_t>(product >> 64)) << i;
    const bool carry = (Wide{x[0]} + x[2]) >> 64 != 0;
    EXPECT_EQ(static_cast<uint32_t>(y[6]), carry) << i;
    // subc without a .cc before takes the carry of the sum as a borrow.
    const bool borrow = (x[0] & 0xffffffffu) < (x[2] & 0xffffffffu) + uint64_t{carry};
    EXPECT_EQ(y[6] >> 32, borrow ? 0xffffffffu : 0u) << i;
  }
}

TEST(PtxOldOpcodes, FindNthSet) {
  std::vector<uint64_t> in = random_words(std::size_t{32} * 2);
  for (std::size_t i = 0; i < 32; ++i)
    in[2 * i + 1] =
        (i % 9) << 32 | static_cast<uint32_t>(static_cast<int>(in[2 * i] >> 40 & 15) - 7);
  const std::vector<uint64_t> out = run_lanes(
      "ld.global.v2.b32 {%r0, %r1}, [%in];\nld.global.v2.b32 {%r2, %r3}, [%in+8];\n"
      "fns.b32 %r4, %r0, %r3, %r2;\ncvt.u64.u32 %l0, %r4;\nst.global.b64 [%out], %l0;",
      in, 2, 1);
  for (std::size_t i = 0; i < 32; ++i) {
    const auto mask = static_cast<uint32_t>(in[2 * i]);
    const int base = static_cast<int>(in[2 * i + 1] >> 32);
    const auto offset = static_cast<int32_t>(in[2 * i + 1]);
    std::vector<int> set;  // from the base on
    for (int at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
      if (mask >> at & 1) set.push_back(at);
    uint32_t expected = 0xffffffffu;
    if (offset == 0 && (mask >> base & 1)) expected = static_cast<uint32_t>(base);
    const auto n = static_cast<std::size_t>(std::abs(offset));
    if (offset != 0 && n <= set.size()) expected = static_cast<uint32_t>(set[n - 1]);
    EXPECT_EQ(out[i], expected) << std::hex << mask << " " << base << " " << offset;
  }
}

TEST(PtxOldOpcodes, AtomicOperationsOfSixteenBytes) {
  std::vector<uint64_t> in(64);
  for (std::size_t i = 0; i < 64; ++i) in[i] = i;
  // Even lanes expect what is there.
  const std::vector<uint64_t> out = run_lanes(
      "mul.wide.u32 %l0, %t, 2;\nand.b32 %r0, %t, 1;\ncvt.u64.u32 %l1, %r0;\n"
      "add.u64 %l2, %l0, 1;\nadd.u64 %l1, %l1, %l0;\nmov.b128 %q0, {%l1, %l2};\n"
      "mov.b64 %l3, 77;\nmov.b64 %l4, 78;\nmov.b128 %q1, {%l3, %l4};\n"
      "atom.global.cas.b128 %q2, [%in], %q0, %q1;\nmov.b128 {%l5, %l6}, %q2;\n"
      "atom.global.exch.b128 %q3, [%in], %q0;\nmov.b128 %q2, %q3;\nmov.b128 {%l7, %l8}, %q2;\n"
      "st.global.v2.b64 [%out], {%l5, %l6};\nst.global.v2.b64 [%out+16], {%l7, %l8};",
      in, 2, 4);
  for (uint64_t i = 0; i < 32; ++i) {
    const bool fits = i % 2 == 0;
    EXPECT_EQ(out[4 * i], 2 * i);
    EXPECT_EQ(out[4 * i + 1], 2 * i + 1);
    EXPECT_EQ(out[4 * i + 2], fits ? 77 : 2 * i);
    EXPECT_EQ(out[4 * i + 3], fits ? 78 : 2 * i + 1);
  }
}

// A number is 64 bits and 0 above them, a negative one, too: that is what ptxas 13.0 makes of it.
TEST(PtxOldOpcodes, LoadsAndStoresOfSixteenBytes) {
  const std::vector<uint64_t> in = random_words(64);
  const std::vector<uint64_t> out = run_lanes(
      "mov.b64 %l3, 7;\nmov.b128 %q3, {%l3, %l3};\nst.global.b128 [%out], %q3;\n"
      "ld.relaxed.gpu.global.b128 %q0, [%in];\nst.b128 [%out+16], %q0;\n"
      "mov.b128 %q1, -2;\nst.global.b128 [%out], -2;\nld.b128 %q2, [%out];\n"
      "mov.b128 {%l0, %l1}, %q1;\nst.global.v2.b64 [%out+32], {%l0, %l1};\n"
      "atom.global.exch.b128 _, [%out+32], %q2;",
      in, 2, 6);
  for (std::size_t i = 0; i < 32; ++i) {
    const std::vector<uint64_t> found(out.begin() + static_cast<std::ptrdiff_t>(6 * i),
                                      out.begin() + static_cast<std::ptrdiff_t>(6 * i + 6));
    const std::vector<uint64_t> expected = {~uint64_t{1}, 0, in[2 * i], in[2 * i + 1],
                                            ~uint64_t{1}, 0};
    EXPECT_EQ(found, expected) << i;
  }
}

TEST(PtxOldOpcodes, ClocksAdvance) {
  const std::vector<uint64_t> out = run_lanes(
      "mov.u64 %l0, %clock64;\nmov.u32 %r0, %clock;\nmov.u64 %l1, %globaltimer;\n"
      "L: mov.u64 %l2, %clock64;\nsub.u64 %l3, %l2, %l0;\nsetp.lt.u64 %p0, %l3, 5000;\n@%p0 bra "
      "L;\n"
      "nanosleep.u32 100000;\nmov.u64 %l4, %globaltimer;\nsub.u64 %l4, %l4, %l1;\n"
      "mov.u32 %r1, %clock;\nsub.u32 %r1, %r1, %r0;\ncvt.u64.u32 %l5, %r1;\n"
      "mov.u32 %r2, %pm3;\nmov.u32 %r3, %envreg31;\nor.b32 %r2, %r2, %r3;\n"
      "mov.u32 %r3, %tid.w;\nor.b32 %r2, %r2, %r3;\nmov.u32 %r3, %nctaid.w;\n"
      "or.b32 %r2, %r2, %r3;\ncvt.u64.u32 %l6, %r2;\n"
      "st.global.v2.b64 [%out], {%l3, %l4};\nst.global.v2.b64 [%out+16], {%l5, %l6};",
      std::vector<uint64_t>(32), 1, 4);
  EXPECT_GE(out[0], 5000u);
  EXPECT_LT(out[0], 5100u);
  EXPECT_GE(out[1], 105000u);
  EXPECT_GE(out[2], 5000u);
  EXPECT_EQ(out[3], 0u);
}

// --- wmma ----------------------------------------------------------------------------------------

/// D = A * B + C with small integers, which every type holds exactly; D is doubled in registers.
template <class A, class C>
void expect_product(const std::string& shape, int m, int n, int k, const std::string& types,
                    const std::string& a_type, const std::string& c_type, int a_registers,
                    int b_registers, int c_registers, const std::string& letter,
                    const std::string& c_letter, bool a_by_columns, bool b_by_columns) {
  std::mt19937 random(5);
  const auto fill = [&](auto& values, int range) {
    for (auto& value : values)
      value = static_cast<std::decay_t<decltype(value)>>(
          static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(range))));
  };
  std::vector<A> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  std::vector<C> c(static_cast<std::size_t>(m * n)), d(c.size());
  fill(a, 5);
  fill(b, 5);
  fill(c, 9);
  Launch launch;
  launch.arguments = {buffer(std::span(a), "a"), buffer(std::span(b), "b"),
                      buffer(std::span(c), "c"), buffer(std::span(d), "d")};
  const auto vector = [](const std::string& name, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += (i ? ", " : "") + ("%" + name) + std::to_string(i);
    return text + "}";
  };
  const std::string a_order = a_by_columns ? "col" : "row", b_order = b_by_columns ? "col" : "row";
  const std::string begin = ".sync.aligned.";
  std::string doubles;
  for (int i = 0; i < c_registers; ++i) {
    const std::string r = "%d" + std::to_string(i);
    doubles +=
        "add." + (c_type == "f16" ? "f16x2" : c_type) + " " + r + ", " + r + ", " + r + ";\n";
  }
  const Module module = module_of(kernel_text(
      ".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d",
      ".reg ." + letter + " %a<8>, %b<8>;\n.reg ." + c_letter +
          " %c<8>, %d<8>;\n.reg .b64 %p<4>;\n"
          "ld.param.u64 %p0, [a];\nld.param.u64 %p1, [b];\nld.param.u64 %p2, [c];\n"
          "ld.param.u64 %p3, [d];\n"
          "wmma.load.a" +
          begin + a_order + "." + shape + ".global." + a_type + " " + vector("a", a_registers) +
          ", [%p0], " + std::to_string(a_by_columns ? m : k) +
          ";\n"
          "wmma.load.b" +
          begin + b_order + "." + shape + "." + a_type + " " + vector("b", b_registers) +
          ", [%p1], " + std::to_string(b_by_columns ? k : n) +
          ";\n"
          "wmma.load.c" +
          begin + "row." + shape + "." + c_type + " " + vector("c", c_registers) +
          ", [%p2];\n"
          "wmma.mma" +
          begin + a_order + "." + b_order + "." + shape + "." + types + " " +
          vector("d", c_registers) + ", " + vector("a", a_registers) + ", " +
          vector("b", b_registers) + ", " + vector("c", c_registers) + ";\n" + doubles +
          "wmma.store.d" + begin + "col." + shape + ".global." + c_type + " [%p3], " +
          vector("d", c_registers) + ", " + std::to_string(m) + ";\nret;"));
  EXPECT_TRUE(module.unknown_instructions().empty()) << shape << types;
  simulate(module, launch);
  launch.check = true;
  const RunReport report = simulate(module, launch);
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].text("k");
  EXPECT_EQ(report.wmma, 1u);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = static_cast<double>(c[static_cast<std::size_t>(i * n + j)]);
      for (int l = 0; l < k; ++l)
        sum +=
            static_cast<double>(a[static_cast<std::size_t>(a_by_columns ? l * m + i : i * k + l)]) *
            static_cast<double>(b[static_cast<std::size_t>(b_by_columns ? j * k + l : l * n + j)]);
      ASSERT_EQ(static_cast<double>(d[static_cast<std::size_t>(j * m + i)]), 2 * sum)
          << shape << " " << types << " " << i << " " << j;
    }
}

TEST(PtxOldOpcodes, ProductsOfFragments) {
  using Half = _Float16;
  expect_product<Half, float>("m16n16k16", 16, 16, 16, "f32.f32", "f16", "f32", 8, 8, 8, "b32",
                              "f32", false, true);
  expect_product<Half, float>("m32n8k16", 32, 8, 16, "f32.f32", "f16", "f32", 8, 8, 8, "b32", "f32",
                              true, false);
  expect_product<Half, Half>("m8n32k16", 8, 32, 16, "f16.f16", "f16", "f16", 8, 8, 4, "b32", "b32",
                             false, false);
  expect_product<int8_t, int32_t>("m16n16k16", 16, 16, 16, "s32.s8.s8.s32", "s8", "s32", 2, 2, 8,
                                  "b32", "b32", false, true);
  expect_product<uint8_t, int32_t>("m8n32k16", 8, 32, 16, "s32.u8.u8.s32", "u8", "s32", 1, 4, 8,
                                   "b32", "b32", true, true);
  expect_product<float, float>("m16n16k8", 16, 16, 8, "f32.tf32.tf32.f32", "tf32", "f32", 4, 4, 8,
                               "b32", "f32", false, true);
  expect_product<double, double>("m8n8k4", 8, 8, 4, "f64.f64.f64.f64", "f64", "f64", 1, 1, 2, "f64",
                                 "f64", false, true);
}

}  // namespace old_opcodes_test
}  // namespace heddle::emulator::ptx::testing
