// tcgen05: moves of every shape by their formulas, products against float64, and what is not waited
// for, not allocated, or no descriptor.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <ranges>

#include "tests/emulator/ptx/simulate.h"
#include "tests/emulator/ptx/tensor_operands.h"

namespace heddle::emulator::ptx::testing {
namespace tensor_memory_test {

using instruction::ElementType;
using instruction::Major;
using instruction::Swizzle;

std::string number(std::uint64_t value) { return std::to_string(value); }

/// {%name0, %name1, …}
std::string registers(const std::string& name, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i > 0 ? ", %" : "%") + name + number(static_cast<unsigned>(i));
  return text + "}";
}

/// A kernel of `out` and `in` that has allocated 512 columns at address %t; %q is %t with the lane
/// at which the warp's quarter begins.
std::string kernel(const std::string& body, const std::string& end = "",
                   const std::string& target = "sm_100a") {
  return kernel_text(
      ".param .u64 out, .param .u64 in",
      ".reg .b32 %t, %q, %i, %j, %w, %x<8>, %r<128>, %s<128>;\n.reg .b64 %o, %n, %a, %b, %d, %e;\n"
      ".reg .pred %p, %first, %done, %yes;\n"
      "mov.u32 %x7, s;\nld.param.u64 %o, [out];\nld.param.u64 %n, [in];\nmov.u32 %i, "
      "%tid.x;\nshr.u32 %w, %i, 5;\n"
      "setp.eq.u32 %p, %w, 0;\nsetp.eq.u32 %first, %i, 0;\nsetp.eq.u32 %yes, 0, 0;\n"
      "@%first mbarrier.init.shared.b64 [bar], 1;\n"
      "@%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 512;\n"
      "bar.sync 0;\nld.shared.u32 %t, [at];\nshl.b32 %q, %w, 21;\nadd.u32 %q, %q, %t;\n" +
          body +
          (end.empty() ? "bar.sync 0;\n@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 512;\n"
                       : end),
      ".shared .align 1024 .b8 s[65536];\n.shared .align 8 .b64 bar;\n.shared .align 4 .b32 at;\n",
      target);
}

constexpr const char* wait_for_commit =
    "@%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [bar];\n"
    "again: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra again;\n";

/// Stores %r0 … of each thread to out[thread][…].
std::string store(int count) {
  std::string text = "mul.lo.u32 %j, %i, " + number(static_cast<unsigned>(4 * count)) +
                     ";\ncvt.u64.u32 %a, %j;\nadd.u64 %a, %o, %a;\n";
  for (int i = 0; i < count; ++i)
    text += "st.global.b32 [%a+" + number(static_cast<unsigned>(4 * i)) + "], %r" +
            number(static_cast<unsigned>(i)) + ";\n";
  return text;
}

struct Outcome {
  std::vector<uint32_t> out, in;
  std::expected<RunReport, Fault> result;
};

Outcome run_kernel(const std::string& text, std::size_t words, std::vector<uint32_t> in = {0},
                   uint32_t threads = 128) {
  Outcome made{std::vector<uint32_t>(words, 7), std::move(in), RunReport{}};
  Launch launch;
  launch.arguments = {buffer(std::span(made.out), "out"), buffer(std::span(made.in), "in")};
  launch.workgroup = {threads, 1, 1};
  launch.threads = 1;
  launch.budget.instructions_per_workgroup = 2'000'000;
  made.result = run(module_of(text), launch);
  return made;
}

std::string fault_message(const std::string& text) {
  const Outcome made = run_kernel(text, 128 * 128);
  return made.result ? "no fault" : made.result.error().message;
}

#define EXPECT_SAYS(text, part)                                  \
  do {                                                           \
    const std::string message = text;                            \
    EXPECT_NE(message.find(part), std::string::npos) << message; \
  } while (false)

// --- moves ---------------------------------------------------------------------------------------

/// The lane of tensor memory, from the address on, and the column of register r of thread l.
/// Source: the figures of PTX ISA 9.0, "Matrix fragments for shape …", as formulas.
struct Shape {
  const char* name;
  int registers_at_x1;
  int lanes;
  std::pair<int, int> (*place)(int l, int r, int second);
};
const Shape shapes[] = {
    {"32x32b", 1, 32, [](int l, int r, int) { return std::pair(l, r); }},
    {"16x64b", 1, 16,
     [](int l, int r, int) { return std::pair(l / 4 + l % 2 * 8, l / 2 % 2 + 2 * r); }},
    {"16x128b", 2, 16,
     [](int l, int r, int) { return std::pair(l / 4 + r % 2 * 8, l % 4 + r / 2 * 4); }},
    {"16x256b", 4, 16,
     [](int l, int r, int) {
       return std::pair(l / 4 + r / 2 % 2 * 8, l % 4 * 2 + r % 2 + r / 4 * 8);
     }},
    {"16x32bx2", 1, 16,
     [](int l, int r, int second) { return std::pair(l % 16, r + (l / 16) * second); }},
};

/// Fills 256 columns with lane * 1000 + column.
std::string fill() {
  std::string text;
  for (int begin = 0; begin < 256; begin += 128) {
    text += "mul.lo.u32 %j, %i, 1000;\n";
    for (int i = 0; i < 128; ++i)
      text += "add.u32 %s" + number(static_cast<unsigned>(i)) + ", %j, " +
              number(static_cast<unsigned>(begin + i)) + ";\n";
    text += "add.u32 %x0, %q, " + number(static_cast<unsigned>(begin)) +
            ";\ntcgen05.st.sync.aligned.32x32b.x128.b32 [%x0], " + registers("s", 128) + ";\n";
  }
  return text + "tcgen05.wait::st.sync.aligned;\n";
}

std::string with_offset(const Shape& shape, const char* second) {
  return std::string(shape.name) == "16x32bx2" ? ", " + std::string(second) : "";
}

TEST(TensorMemory, LoadsOfEveryShape) {
  int count = 0;
  for (const Shape& shape : shapes)
    for (int times = 1; times * shape.registers_at_x1 <= 128; times *= 2)
      for (const int upper : {0, 16}) {
        if (upper != 0 && shape.lanes == 32) continue;
        const int held = times * shape.registers_at_x1;
        const Outcome made = run_kernel(
            kernel(fill() + "add.u32 %x1, %q, " + number(static_cast<unsigned>(upper << 16)) +
                   ";\ntcgen05.ld.sync.aligned." + shape.name + ".x" +
                   number(static_cast<unsigned>(times)) + ".b32 " + registers("r", held) +
                   ", [%x1 + 0]" + with_offset(shape, "128") +
                   ";\ntcgen05.wait::ld.sync.aligned;\n" + store(held)),
            static_cast<std::size_t>(128 * held));
        ASSERT_TRUE(made.result) << made.result.error().text();
        for (int thread = 0; thread < 128; ++thread)
          for (int r = 0; r < held; ++r) {
            const auto [lane, column] = shape.place(thread % 32, r, 128);
            ASSERT_EQ(made.out[static_cast<std::size_t>(thread * held + r)],
                      static_cast<uint32_t>((thread / 32 * 32 + upper + lane) * 1000 + column))
                << shape.name << " x" << times << " thread " << thread << " register " << r;
          }
        ++count;
      }
  EXPECT_EQ(count, 8 + 2 * (8 + 7 + 6 + 8));
}

/// Stores a shape over zeros, and reads it back as 32x32b.
TEST(TensorMemory, StoresOfEveryShape) {
  for (const Shape& shape : shapes) {
    const int held = 8;
    std::string text;
    for (int i = 0; i < 32; ++i) text += "mov.u32 %s" + number(static_cast<unsigned>(i)) + ", 0;\n";
    text += "tcgen05.st.sync.aligned.32x32b.x32.b32 [%q], " + registers("s", 32) +
            ";\ntcgen05.wait::st.sync.aligned;\nmul.lo.u32 %j, %i, 1000;\n";
    for (int i = 0; i < held; ++i)
      text += "add.u32 %r" + number(static_cast<unsigned>(i)) + ", %j, " +
              number(static_cast<unsigned>(i + 1)) + ";\n";
    text += "tcgen05.st.sync.aligned." + std::string(shape.name) + ".x" +
            number(static_cast<unsigned>(held / shape.registers_at_x1)) + ".b32 [%q]" +
            with_offset(shape, "16") + ", " + registers("r", held) +
            ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x32.b32 " +
            registers("r", 32) + ", [%q];\ntcgen05.wait::ld.sync.aligned;\n" + store(32);
    const Outcome made = run_kernel(kernel(text), 128 * 32);
    ASSERT_TRUE(made.result) << made.result.error().text();
    std::vector<uint32_t> expected(128 * 32, 0);
    for (int thread = 0; thread < 128; ++thread)
      for (int r = 0; r < held; ++r) {
        const auto [lane, column] = shape.place(thread % 32, r, 16);
        expected[static_cast<std::size_t>((thread / 32 * 32 + lane) * 32 + column)] =
            static_cast<uint32_t>(thread * 1000 + r + 1);
      }
    EXPECT_EQ(made.out, expected) << shape.name;
  }
}

/// .pack::16b puts the low halves of two columns in a register, .unpack::16b does the reverse.
/// tcgen05.ld.red: the columns of a lane, and the least or greatest of them.
template <class T, class Reduce>
void expect_reduced(const std::string& how, const std::vector<T>& drawn, Reduce reduce) {
  constexpr int count = 8;
  std::vector<uint32_t> in(128 * count);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = std::bit_cast<uint32_t>(drawn[i * 7 % drawn.size()]);
  const Outcome made =
      run_kernel(kernel("mul.wide.u32 %b, %i, 32;\nadd.u64 %b, %n, %b;\n"
                        "ld.global.v4.b32 {%s0, %s1, %s2, %s3}, [%b];\n"
                        "ld.global.v4.b32 {%s4, %s5, %s6, %s7}, [%b+16];\n"
                        "tcgen05.st.sync.aligned.32x32b.x8.b32 [%q], " +
                            registers("s", count) +
                            ";\ntcgen05.wait::st.sync.aligned;\n"
                            "tcgen05.ld.red.sync.aligned.32x32b.x8." +
                            how + " " + registers("r", count) +
                            ", %r8, [%q];\ntcgen05.wait::ld.sync.aligned;\n" + store(count + 1),
                        "", "sm_103a"),
                 128 * (count + 1), in);
  ASSERT_TRUE(made.result) << made.result.error().text();
  for (std::size_t lane = 0; lane < 128; ++lane) {
    std::vector<T> row;
    for (std::size_t i = 0; i < count; ++i) {
      row.push_back(std::bit_cast<T>(in[lane * count + i]));
      ASSERT_EQ(made.out[lane * (count + 1) + i], in[lane * count + i]);
    }
    ASSERT_EQ(made.out[lane * (count + 1) + count], std::bit_cast<uint32_t>(T{reduce(row)}))
        << how << " of lane " << lane;
  }
}

TEST(TensorMemory, ReducedLoads) {
  const std::vector<int32_t> numbers = {5, -7, 0, 1 << 30, -(1 << 30), 12, -1, 3, 9, -8, 77};
  expect_reduced("min.s32", numbers,
                 [](const auto& row) { return *std::ranges::min_element(row); });
  expect_reduced("max.u32", std::vector<uint32_t>(numbers.begin(), numbers.end()),
                 [](const auto& row) { return *std::ranges::max_element(row); });
  const std::vector<float> floats = {1.5f, -2.25f, 0.5f, -100, 3, 7, -0.125f, 2, 11, -13, 40};
  expect_reduced("max.f32", floats, [](const auto& row) { return *std::ranges::max_element(row); });
  expect_reduced("min.abs.f32", floats, [](const auto& row) {
    return std::ranges::min(row | std::views::transform([](float x) { return x < 0 ? -x : x; }));
  });
  const float nan = std::bit_cast<float>(0x7fffffffu);
  std::vector<float> with_nan = floats;
  with_nan[4] = nan;
  const auto has_nan = [](const auto& row) {
    return std::ranges::any_of(row, [](float x) { return x != x; });
  };
  expect_reduced("min.NaN.f32", with_nan, [&](const auto& row) {
    return has_nan(row) ? nan : *std::ranges::min_element(row);
  });
  expect_reduced("min.f32", with_nan, [](auto row) {
    std::erase_if(row, [](float x) { return x != x; });
    return *std::ranges::min_element(row);
  });
  EXPECT_SAYS(fault_message(kernel(
                  "tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.u32 {%r0, %r1}, %r2, [%q], 4;\n", "",
                  "sm_103a")),
              "no source says");
}

TEST(TensorMemory, PackedHalves) {
  const Outcome made = run_kernel(
      kernel("mul.lo.u32 %j, %i, 100;\nadd.u32 %j, %j, 458752;\n"
             "mov.u32 %s0, %j;\nadd.u32 %s1, %j, 1;\nadd.u32 %s2, %j, 2;\nadd.u32 %s3, %j, 3;\n"
             "tcgen05.st.sync.aligned.32x32b.x4.b32 [%q], {%s0, %s1, %s2, %s3};\n"
             "tcgen05.wait::st.sync.aligned;\n"
             "tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r0, %r1}, [%q];\n"
             "tcgen05.wait::ld.sync.aligned;\n"
             "tcgen05.st.sync.aligned.32x32b.x2.unpack::16b.b32 [%q + 32], {%r0, %r1};\n"
             "tcgen05.wait::st.sync.aligned;\n"
             "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r2, %r3, %r4, %r5}, [%q + 32];\n"
             "tcgen05.wait::ld.sync.aligned;\n" +
             store(6)),
      128 * 6);
  ASSERT_TRUE(made.result) << made.result.error().text();
  for (uint32_t thread = 0; thread < 128; ++thread) {
    const uint32_t* r = made.out.data() + std::size_t{6} * thread;
    const uint32_t low = 100 * thread;
    EXPECT_EQ(r[0], low | (low + 1) << 16);
    EXPECT_EQ(r[1], (low + 2) | (low + 3) << 16);
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(r[2 + i], low + i);
  }
}

// --- products ------------------------------------------------------------------------------------

/// The lane of D's row in tensor memory: with 64 rows 16 of every 32 (layout F).
int lane_of(const Product& p, int m) { return p.m == 64 ? m / 16 * 32 + m % 16 : m; }

constexpr std::uint32_t shared_address = 1024;  // of s, the first variable

/// Copies `in` to s, multiplies twice, the second time onto the first, and stores D.
std::string multiply_text(const Product& p, std::uint64_t a, std::uint64_t b) {
  return "mov.u32 %x0, s;\nmov.u32 %x1, 0;\n"
         "copy: mad.lo.u32 %x2, %x1, 128, %i;\nshl.b32 %x3, %x2, 2;\ncvt.u64.u32 %a, %x3;\n"
         "add.u64 %a, %n, %a;\nld.global.b32 %x4, [%a];\nadd.u32 %x3, %x3, %x0;\n"
         "st.shared.b32 [%x3], %x4;\nadd.u32 %x1, %x1, 1;\nsetp.lt.u32 %done, %x1, 64;\n"
         "@%done bra copy;\nfence.proxy.async;\nbar.sync 0;\n"
         "setp.ne.u32 %done, 0, 0;\nmov.b64 %d, " +
         number(a) + ";\nmov.b64 %e, " + number(b) + ";\nmov.u32 %x5, " + number(shape_word(p)) +
         ";\n@%first tcgen05.mma.cta_group::1.kind::" + p.kind +
         " [%t], %d, %e, %x5, %done;\n@%first tcgen05.mma.cta_group::1.kind::" + p.kind +
         " [%t], %d, %e, %x5, %yes;\n" + wait_for_commit +
         "tcgen05.fence::after_thread_sync;\nmov.u32 %x1, 0;\nmul.lo.u32 %x2, %i, " +
         number(static_cast<unsigned>(4 * p.n)) +
         ";\ncvt.u64.u32 %a, %x2;\nadd.u64 %a, %o, %a;\nadd.u32 %x3, %q, 0;\n"
         "next: tcgen05.ld.sync.aligned.32x32b.x8.b32 " +
         registers("r", 8) +
         ", [%x3];\ntcgen05.wait::ld.sync.aligned;\nst.global.v4.b32 [%a], {%r0, %r1, %r2, %r3};\n"
         "st.global.v4.b32 [%a+16], {%r4, %r5, %r6, %r7};\nadd.u64 %a, %a, 32;\n"
         "add.u32 %x3, %x3, 8;\nadd.u32 %x1, %x1, 8;\nsetp.lt.u32 %done, %x1, " +
         number(static_cast<unsigned>(p.n)) + ";\n@%done bra next;\n";
}

/// `shift`: how far behind a multiple of 1024 bytes the operands begin.
void expect_right(const Product& p, uint32_t shift = 0) {
  std::mt19937 random(5);
  const auto depth = static_cast<std::size_t>(p.k);
  std::vector<uint32_t> a(static_cast<std::size_t>(p.m) * depth),
      b(static_cast<std::size_t>(p.n) * depth);
  for (uint32_t& bits : a) bits = drawn(p.a_type, random);
  for (uint32_t& bits : b) bits = drawn(p.b_type, random);
  std::vector<uint32_t> image(8192, 0);
  const std::uint64_t of_a = lay_out(image, shift, shared_address + shift, p, true, a);
  const std::uint64_t of_b =
      lay_out(image, 16384 + shift, shared_address + 16384 + shift, p, false, b);
  const Outcome made =
      run_kernel(kernel(multiply_text(p, of_a, of_b)), static_cast<std::size_t>(128 * p.n), image);
  ASSERT_TRUE(made.result) << made.result.error().text();
  EXPECT_EQ(made.result->wmma, 2u);
  for (int m = 0; m < p.m; ++m)
    for (int n = 0; n < p.n; ++n) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k)
        sum += value_of(p.a_type, a[static_cast<std::size_t>(m) * depth + k]) *
               value_of(p.b_type, b[static_cast<std::size_t>(n) * depth + k]);
      sum *= p.negates_a ? -2 : 2;
      const uint32_t got = made.out[static_cast<std::size_t>(lane_of(p, m) * p.n + n)];
      const double d = p.d_type == ElementType::i32   ? static_cast<int32_t>(got)
                       : p.d_type == ElementType::f16 ? decode(format_f16, got & 0xffff)
                                                      : decode(format_f32, got);
      ASSERT_EQ(d, sum) << p.kind << " " << p.m << "x" << p.n << " row " << m << " column " << n;
    }
}

TEST(TensorProducts, SwizzlesAndTransposes) {
  using enum ElementType;
  for (const Swizzle swizzle :
       {Swizzle::none, Swizzle::bytes32, Swizzle::bytes64, Swizzle::bytes128})
    for (const Major a : {Major::k, Major::mn})
      for (const Major b : {Major::k, Major::mn})
        expect_right({"f16", 128, 64, 16, f16, f16, f32, a, b, swizzle});
}

// The base offset of a descriptor says where the pattern of a swizzle begins.
TEST(TensorProducts, PatternsThatBeginBetweenTheirBoundaries) {
  using enum ElementType;
  for (const Swizzle swizzle : {Swizzle::bytes32, Swizzle::bytes64, Swizzle::bytes128})
    for (const uint32_t shift : {128u, 384u, 896u})
      for (const Major b : {Major::k, Major::mn})
        expect_right({"f16", 64, 64, 16, f16, f16, f32, Major::k, b, swizzle}, shift);
}

TEST(TensorProducts, ShapesAndTypes) {
  using enum ElementType;
  for (const ElementType b : {fp4, fp6})
    expect_right({"f8f6f4", 128, 128, 32, fp8, b, f32, Major::k, Major::mn, Swizzle::bytes128});
  expect_right({"f16", 64, 8, 16, f16, f16, f32});
  expect_right({"f16", 64, 256, 16, bf16, bf16, f32});
  expect_right({"f16", 128, 256, 16, f16, f16, f16});
  expect_right({"f16", 128, 48, 16, f16, f16, f32, Major::k, Major::k, Swizzle::none, true});
  expect_right({"tf32", 128, 32, 8, xf32, xf32, f32});
  expect_right({"i8", 128, 64, 32, i8, u8, i32});
  expect_right({"i8", 64, 32, 32, u8, i8, i32, Major::k, Major::mn});
  for (const ElementType a : {fp8, bf8, fp6, bf6, fp4})
    for (const ElementType b : {fp8, bf6, fp6, fp4})
      expect_right({"f8f6f4", 128, 32, 32, a, b, f32});
}

// --- what is not waited for ----------------------------------------------------------------------

constexpr const char* plain_product =
    "mov.b64 %d, 70368744177728;\nmov.u32 %x5, 135266320;\n";  // a descriptor at 1024, m128n64k16

std::string product(const std::string& after) {
  return kernel(std::string(plain_product) +
                "@%first tcgen05.mma.cta_group::1.kind::f16 [%t], %d, %d, %x5, %yes;\n" + after);
}
constexpr const char* load =
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%q];\ntcgen05.wait::ld.sync.aligned;\n";

/// s is zero and D NaN but where a store made it 1: that is what the product adds to.
std::string ones(const std::string& between, const std::string& after) {
  std::string text =
      "mov.u32 %x1, 0;\nmov.u32 %x2, s;\nzero: st.shared.b32 [%x2], 0;\n"
      "add.u32 %x2, %x2, 4;\nadd.u32 %x1, %x1, 1;\nsetp.lt.u32 %done, %x1, 4096;\n"
      "@%done bra zero;\nmov.b32 %s0, 0f3f800000;\n"
      "tcgen05.st.sync.aligned.32x32b.x64.b32 [%q], {";
  for (int i = 0; i < 64; ++i) text += i > 0 ? ", %s0" : "%s0";
  return text + "};\n" + between + "bar.sync 0;\n" + plain_product +
         "@%first tcgen05.mma.cta_group::1.kind::f16 [%t], %d, %d, %x5, %yes;\n" + after;
}

TEST(TensorMemory, WhatIsNotWaitedForIsUndefined) {
  constexpr uint32_t one = 0x3f800000, undefined = 0xffffffff;
  const std::string waited = "tcgen05.wait::st.sync.aligned;\n";
  const auto word = [](const std::string& body) {
    const Outcome made = run_kernel(kernel(body + load + store(1)), 128);
    EXPECT_TRUE(made.result) << made.result.error().text();
    return made.out[100];
  };
  EXPECT_EQ(word(ones(waited, wait_for_commit)), one);
  EXPECT_EQ(word(ones("", wait_for_commit + waited)), 0x7fffffffu);
  // Nobody waits for the product, or for the store.
  EXPECT_EQ(
      run_kernel(kernel(ones(waited, "bar.sync 0;\n") + load + store(1) + wait_for_commit), 128)
          .out[100],
      undefined);
  EXPECT_EQ(
      run_kernel(kernel("mov.u32 %s0, 5;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%q], {%s0};\n" +
                        std::string(load) + waited + store(1)),
                 128)
          .out[100],
      undefined);
  // A register may not leave its lane before the load has been waited for, but may be computed
  // with.
  const std::string early =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%q];\nadd.u32 %r0, %r0, 1;\n";
  EXPECT_SAYS(fault_message(kernel(early + store(1))), "before tcgen05.wait::ld");
  EXPECT_EQ(word(ones(waited, wait_for_commit) + early + "tcgen05.wait::ld.sync.aligned;\n"), one);
}

/// A question whose answer nobody reads does not wait.
TEST(TensorMemory, AnAnswerThatIsNotRead) {
  std::string text = wait_for_commit;
  text.replace(text.find("@!%done bra again"), 17, "@!%done bra over");
  text += "over:\n";
  const Outcome made = run_kernel(
      kernel(ones("tcgen05.wait::st.sync.aligned;\n", text) + load + store(1),
             "bar.sync 0;\nlater: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n"
             "@!%done bra later;\n@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 512;\n"),
      128);
  ASSERT_TRUE(made.result) << made.result.error().text();
  EXPECT_EQ(made.out[5], 0xffffffffu);
}

TEST(TensorMemory, OperandsStayUntilTheProductIsDone) {
  const std::string written = "@%first st.shared.b32 [s+64], 1;\n";
  EXPECT_EQ(fault_message(product(std::string(wait_for_commit) + written)), "no fault");
  EXPECT_SAYS(fault_message(product(written + wait_for_commit)),
              "was written before a tcgen05.commit of it was waited for");
}

// --- hostile input -------------------------------------------------------------------------------

TEST(TensorMemory, Allocation) {
  EXPECT_EQ(fault_message(kernel("")), "no fault");
  EXPECT_SAYS(fault_message(kernel("", "bar.sync 0;\n")), "tcgen05.dealloc is missing");
  EXPECT_SAYS(fault_message(kernel("@%p tcgen05.alloc.cta_group::1.sync.aligned.b32 [at], 48;\n")),
              "48 columns of tensor memory: a power of two");
  EXPECT_SAYS(fault_message(kernel("@%p tcgen05.alloc.cta_group::1.sync.aligned.b32 [at], 32;\n")),
              "waits for 32 free columns");
  EXPECT_SAYS(
      fault_message(kernel("@%p tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
                           "@%p tcgen05.alloc.cta_group::1.sync.aligned.b32 [at], 32;\n")),
      "has executed tcgen05.relinquish_alloc_permit");
  EXPECT_SAYS(fault_message(kernel("@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 256;\n")),
              "did not give to this block, or not so many");
  EXPECT_SAYS(fault_message(kernel("@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 512;\n"
                                   "bar.sync 0;\n" +
                                   std::string(load))),
              "has freed");
  EXPECT_SAYS(
      fault_message(product("bar.sync 0;\n@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 "
                            "%t, 512;\n")),
      "nobody has waited for a tcgen05.commit of it");
}

TEST(TensorMemory, AddressesAndDescriptors) {
  EXPECT_SAYS(fault_message(kernel("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%t];\n")),
              "reaches lanes");
  EXPECT_SAYS(fault_message(kernel("add.u32 %q, %q, 512;\n" + std::string(load))),
              "has not allocated");
  EXPECT_SAYS(fault_message(kernel("add.u32 %q, %q, %i;\n" + std::string(load))),
              "name different addresses");
  const auto multiply = [](const std::string& change) {
    return fault_message(
        kernel(plain_product + change +
               "@%first tcgen05.mma.cta_group::1.kind::f16 [%t], %d, %d, %x5, %yes;\n"));
  };
  EXPECT_SAYS(multiply("mov.b64 %d, 64;\n"), "is no matrix descriptor");
  EXPECT_SAYS(multiply("mov.b64 %d, 70368744194047;\n"), "reaches to address");
  EXPECT_SAYS(multiply("or.b32 %x5, %x5, 64;\n"), "is no instruction descriptor");
  EXPECT_SAYS(multiply("mov.u32 %x5, 118489104;\n"), "there is no tcgen05.mma");
  EXPECT_SAYS(multiply("add.u32 %t, %t, 480;\n"), "64 columns of tensor memory from column 480");
  EXPECT_SAYS(multiply("add.u32 %t, %t, 65536;\n"), "which begins at lane 1");
  // What the document leaves open is refused, with that reason.
  for (const char* form :
       {"tcgen05.shift.cta_group::1.down [%t]", "tcgen05.cp.cta_group::1.4x256b [%t], %d",
        "tcgen05.cp.cta_group::1.128x128b.b8x16.b4x16_p64 [%t], %d",
        "tcgen05.mma.cta_group::1.kind::f16.ashift [%t], [%t], %d, %x5, %yes"})
    EXPECT_SAYS(fault_message(kernel(plain_product + std::string(form) + ";\n")), "simulated: ");
}

}  // namespace tensor_memory_test
}  // namespace heddle::emulator::ptx::testing
