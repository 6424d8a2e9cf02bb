// What kernels for Blackwell need besides tcgen05; and kernels that Triton 3.6 and Gluon made for
// sm_100a and sm_120a (tests/data/blackwell_kernels.json.gz). Their results were compared with
// float64 when they were recorded.
#include <llvm/Support/Base64.h>

#include <bit>
#include <cmath>

#include "emulator/ptx/float_format.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "tests/data/golden.h"
#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace blackwell_test {

std::vector<std::byte> decoded(llvm::StringRef text) {
  std::vector<char> bytes;
  EXPECT_FALSE(llvm::decodeBase64(text, bytes));
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

std::string hash_of(const std::vector<std::byte>& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<unsigned>(byte)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// Every 13th element of a result of f32, for sums that are not exact.
std::string far_off(const std::vector<std::byte>& got, const std::vector<std::byte>& samples) {
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i + 4 <= samples.size(); i += 4) {
    float expected = 0, value = 0;
    std::memcpy(&expected, samples.data() + i, 4);
    std::memcpy(&value, got.data() + 13 * i, 4);
    largest = std::max<double>(largest, std::fabs(expected));
    worst = std::max(worst, value == value ? std::fabs(double{value} - expected) : 1e30);
  }
  return worst <= 1e-5 * largest ? "" : "an element is off by " + std::to_string(worst);
}

/// Empty, or what is wrong with the result of a recorded kernel.
std::string difference(const llvm::json::Object& row) {
  std::deque<std::vector<std::byte>> memory;
  Launch launch;
  std::vector<std::pair<const llvm::json::Object*, const std::vector<std::byte>*>> results;
  for (const llvm::json::Value& value : *row.getArray("arguments")) {
    const llvm::json::Object& argument = *value.getAsObject();
    if (const auto bytes = argument.getString("value")) {
      launch.arguments.emplace_back(decoded(*bytes));
      continue;
    }
    if (const auto size = argument.getInteger("zeros"))
      memory.emplace_back(static_cast<std::size_t>(*size));
    else
      memory.push_back(decoded(*argument.getString("buffer")));
    launch.arguments.emplace_back(
        Buffer{memory.back(), "argument " + std::to_string(memory.size())});
    results.emplace_back(&argument, &memory.back());
  }
  for (std::size_t i = 0; i < 3; ++i)
    launch.grid[i] = static_cast<uint32_t>(*(*row.getArray("grid"))[i].getAsInteger());
  launch.workgroup = {static_cast<uint32_t>(*row.getInteger("threads")), 1, 1};
  launch.dynamic_lds_bytes = static_cast<uint32_t>(*row.getInteger("shared"));
  launch.check = true;
  auto module = Module::parse(row.getString("ptx")->str());
  if (!module) return module.error();
  auto report = run(*module, launch);
  if (!report) return report.error().text();
  if (!report->findings.empty()) return report->findings[0].text("k");
  for (const auto& [argument, bytes] : results) {
    if (const auto hash = argument->getString("hash"))
      if (hash_of(*bytes) != *hash) return "other bits than when it was recorded";
    if (const auto samples = argument->getString("samples"))
      if (std::string text = far_off(*bytes, decoded(*samples)); !text.empty()) return text;
  }
  return "";
}

TEST(Blackwell, KernelsOfTritonAndGluon) {
  const llvm::json::Value file = test::read_golden("blackwell_kernels.json.gz");
  int count = 0;
  for (const llvm::json::Value& row : *file.getAsObject()->getArray("kernels")) {
    const llvm::json::Object& kernel = *row.getAsObject();
    EXPECT_EQ(difference(kernel), "") << kernel.getString("name")->str();
    ++count;
  }
  EXPECT_EQ(count, 24);
}

// --- instructions --------------------------------------------------------------------------------

/// Runs a body for 32 threads; %v0 … are words of `in` by thread, %d0 … go to `out`. `%s` is shared
/// memory, zero, and `%m` an mbarrier for one arrival.
std::vector<uint32_t> words_of(const std::string& body, const std::vector<uint32_t>& in,
                               int sources, int results, const std::string& target = "sm_100a",
                               std::string* fault = nullptr) {
  std::string text =
      ".reg .b32 %v<16>, %d<16>, %i, %s, %m, %x<8>;\n.reg .b64 %o, %n, %a, %w<8>;\n"
      ".reg .b16 %h<8>;\n.reg .b8 %b<8>;\n.reg .b128 %wide;\n.reg .pred %p, %q;\n"
      "ld.param.u64 %o, [out];\nld.param.u64 %n, [in];\nmov.u32 %i, %tid.x;\nmov.u32 %s, s;\n"
      "mov.u32 %m, bar;\nsetp.eq.u32 %q, %i, 0;\n@%q mbarrier.init.shared.b64 [%m], 1;\n"
      "shl.b32 %x0, %i, 2;\nadd.u32 %x0, %x0, %s;\nst.shared.b32 [%x0], 0;\nbar.sync 0;\n"
      "mul.wide.u32 %a, %i, " +
      std::to_string(4 * sources) +
      ";\nadd.u64 %n, %n, %a;\n"
      "mul.wide.u32 %a, %i, " +
      std::to_string(4 * results) + ";\nadd.u64 %o, %o, %a;\n";
  for (int i = 0; i < sources; ++i)
    text += "ld.global.b32 %v" + std::to_string(i) + ", [%n+" + std::to_string(4 * i) + "];\n";
  text += body;
  for (int i = 0; i < results; ++i)
    text += "st.global.b32 [%o+" + std::to_string(4 * i) + "], %d" + std::to_string(i) + ";\n";
  std::vector<uint32_t> values = in, out(static_cast<std::size_t>(32 * results));
  Launch launch;
  launch.arguments = {buffer(std::span(out), "out"), buffer(std::span(values), "in")};
  launch.workgroup = {32, 1, 1};
  launch.budget.instructions_per_workgroup = 100'000;
  auto report = run(module_of(kernel_text(".param .u64 out, .param .u64 in", text,
                                          ".shared .align 128 .b8 s[1024];\n"
                                          ".shared .align 8 .b64 bar;\n",
                                          target)),
                    launch);
  if (fault != nullptr) *fault = report ? "" : report.error().message;
  if (fault == nullptr) EXPECT_TRUE(report) << report.error().text();
  return out;
}

uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float real(uint32_t x) { return std::bit_cast<float>(x); }

TEST(Blackwell, ReductionsOfFloats) {
  std::vector<uint32_t> in(32);
  for (uint32_t i = 0; i < 32; ++i) in[i] = bits(static_cast<float>(i) - 20);
  in[7] = bits(NAN);
  in[9] = bits(-0.0f);
  const auto reduced = [&](const std::string& name, const std::vector<uint32_t>& from) {
    return words_of("redux.sync." + name + ".f32 %d0, %v0, 0xffffffff;\n", from, 1, 1)[3];
  };
  EXPECT_EQ(real(reduced("max", in)), 11);
  EXPECT_EQ(real(reduced("min", in)), -20);
  EXPECT_EQ(real(reduced("max.abs", in)), 20);
  EXPECT_EQ(reduced("min.NaN", in), 0x7fffffffu);
  EXPECT_EQ(reduced("max.abs.NaN", in), 0x7fffffffu);
  EXPECT_EQ(reduced("max", std::vector<uint32_t>(32, bits(NAN))), 0x7fffffffu);
  std::vector<uint32_t> zeros(32, bits(0.0f));
  zeros[5] = bits(-0.0f);
  EXPECT_EQ(reduced("min", zeros), bits(-0.0f));
  EXPECT_EQ(reduced("max", zeros), bits(0.0f));
}

TEST(Blackwell, PairsOfFloats) {
  const std::vector<float> of = {1.5f, -3.25f, 0x1.000002p0f, 7.0f, 0x1p-24f, 0.1f};
  std::vector<uint32_t> in;
  for (int i = 0; i < 32; ++i)
    for (const float x : of) in.push_back(bits(x));
  const auto out = words_of(
      "mov.b64 %w0, {%v0, %v1};\nmov.b64 %w1, {%v2, %v3};\nmov.b64 %w2, {%v4, %v5};\n"
      "add.rn.f32x2 %w3, %w0, %w1;\nmov.b64 {%d0, %d1}, %w3;\n"
      "sub.rn.f32x2 %w3, %w0, %w1;\nmov.b64 {%d2, %d3}, %w3;\n"
      "mul.rz.f32x2 %w3, %w0, %w1;\nmov.b64 {%d4, %d5}, %w3;\n"
      "fma.rn.f32x2 %w3, %w0, %w1, %w2;\nmov.b64 {%d6, %d7}, %w3;\n",
      in, 6, 8);
  for (std::size_t i = 0; i < 2; ++i) {
    const float a = of[i], b = of[2 + i], c = of[4 + i];
    EXPECT_EQ(real(out[i]), a + b);
    EXPECT_EQ(real(out[2 + i]), a - b);
    EXPECT_EQ(real(out[4 + i]), i == 0 ? 0x1.800002p0f : a * b);  // cut off
    EXPECT_EQ(real(out[6 + i]), std::fma(a, b, c));
  }
}

/// Every number of a narrow format, and what lies between two of them, by search.
void expect_nearest(const std::string& type, const FloatFormat& format, bool narrow_register) {
  const uint32_t half = 1u << (format.bits() - 1);
  const auto nearest = [&](float x) {
    uint32_t best = 0;
    for (uint32_t code = 0; code < half; ++code) {
      const double now = std::fabs(decode(format, code) - std::fabs(x)),
                   before = std::fabs(decode(format, best) - std::fabs(x));
      if (now < before || (now == before && code % 2 == 0)) best = code;
    }
    return best | (std::signbit(x) ? half : 0);
  };
  for (uint32_t first = 0; first + 1 < half; first += 16) {
    std::vector<uint32_t> in;
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 32; ++i) {
      const uint32_t code = std::min(first + i / 2, half - 2);
      const auto low = static_cast<float>(decode(format, code)),
                 high = static_cast<float>(decode(format, code + 1));
      const float x = i % 2 != 0 ? (low + high) / 2 : -(low + 3 * high) / 4, y = high * 1.01f;
      in.push_back(bits(x));
      in.push_back(bits(y));
      expected.push_back(nearest(x) << (narrow_register ? 4 : 8) | nearest(y));
    }
    const std::string to = narrow_register ? "%b0" : "%h0";
    const auto out =
        words_of("cvt.rn.satfinite." + type + "x2.f32 " + to + ", %v0, %v1;\n" +
                     (narrow_register ? "cvt.u32.u8 %d0, %b0;\n" : "cvt.u32.u16 %d0, %h0;\n") +
                     "cvt.rn.f16x2." + type + "x2 %d1, " + to + ";\n",
                 in, 2, 2);
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(out[2 * i], expected[i]) << type << " of " << real(in[2 * i]);
      const uint32_t code = expected[i] & (2 * half - 1);
      EXPECT_EQ(decode(format_f16, out[2 * i + 1] & 0xffff), decode(format, code));
    }
  }
}

TEST(Blackwell, NarrowConversions) {
  expect_nearest("e2m1", format_e2m1, true);
  expect_nearest("e2m3", format_e2m3, false);
  expect_nearest("e3m2", format_e3m2, false);
  std::vector<uint32_t> in(64, bits(NAN));
  in[2] = bits(-9);
  in[3] = bits(-1);
  const auto out = words_of(
      "cvt.rn.satfinite.e2m1x2.f32 %b0, %v0, %v1;\ncvt.u32.u8 %d0, %b0;\n"
      "cvt.rn.satfinite.relu.e2m1x2.f32 %b0, %v0, %v1;\ncvt.u32.u8 %d1, %b0;\n",
      in, 2, 2);
  EXPECT_EQ(out[0], 0x77u);  // NaN becomes the largest number
  EXPECT_EQ(out[2], 0xfau);
  EXPECT_EQ(out[3], 0u);
}

TEST(Blackwell, PowersOfTwo) {
  const float values[] = {1, 1.5f, 0x1p127f, 0x1.8p127f, INFINITY, 0, 0x1p-127f, 0x1.8p-127f, -4};
  const uint32_t down[] = {127, 127, 254, 254, 254, 0, 0, 0, 129};
  const uint32_t up[] = {127, 128, 254, 254, 254, 0, 0, 1, 129};
  std::vector<uint32_t> in(32, bits(NAN));
  for (std::size_t i = 0; i < std::size(values); ++i) in[i] = bits(values[i]);
  const auto out = words_of(
      "mov.b32 %v1, 0;\ncvt.rz.satfinite.ue8m0x2.f32 %h0, %v1, %v0;\ncvt.u32.u16 %d0, %h0;\n"
      "cvt.rp.satfinite.ue8m0x2.f32 %h0, %v1, %v0;\ncvt.u32.u16 %d1, %h0;\n"
      "cvt.rn.bf16x2.ue8m0x2 %d2, %h0;\n",
      in, 1, 3);
  for (std::size_t i = 0; i < std::size(values); ++i) {
    EXPECT_EQ(out[3 * i], down[i]) << values[i];
    EXPECT_EQ(out[3 * i + 1], up[i]) << values[i];
    EXPECT_EQ(decode(format_bf16, out[3 * i + 2] & 0xffff),
              std::ldexp(1.0, static_cast<int>(up[i]) - 127));
  }
  EXPECT_EQ(out[3 * 20], 0xffu);
}

// --- mma.sync with scales ------------------------------------------------------------------------

/// Registers of random bytes; the product by the maps of the catalogue.
void expect_scaled(const std::string& kind, const std::string& types, int k, int count, int byte_a,
                   int thread_a, int byte_b, int thread_b) {
  using instruction::Operand;
  const std::string name = "mma.sync.aligned.m16n8k" + std::to_string(k) +
                           ".row.col.kind::" + kind +
                           ".block_scale.scale_vec::" + std::to_string(count) + "X." + types;
  const instruction::Instruction* row = instruction::find(name, instruction::Target::sm_120);
  ASSERT_NE(row, nullptr) << name;
  std::vector<uint32_t> in;
  uint32_t state = 12345;
  for (int i = 0; i < 32 * 12; ++i) {
    uint32_t word = 0;
    for (int byte = 0; byte < 4; ++byte) {
      state = state * 1664525 + 1013904223;
      const uint32_t drawn = state >> 24;
      // Scales near 1; numbers of e4m3 that are no NaN.
      const uint32_t value = i % 12 < 10                ? (k == 32 ? 0x30 + drawn % 16 : drawn)
                             : types.ends_with("ue4m3") ? 0x34 + drawn % 8
                                                        : 126 + drawn % 3;
      word |= value << (8 * byte);
    }
    in.push_back(i % 12 >= 6 && i % 12 < 10 ? bits(static_cast<float>(i % 7)) : word);
  }
  const auto selector = [](int byte, int thread) {
    return ", {" + std::to_string(byte) + ", " + std::to_string(thread) + "}";
  };
  const auto out =
      words_of(name +
                   " {%d0, %d1, %d2, %d3}, {%v0, %v1, %v2, %v3}, {%v4, %v5}, "
                   "{%v6, %v7, %v8, %v9}, %v10" +
                   selector(byte_a, thread_a) + ", %v11" + selector(byte_b, thread_b) + ";\n",
               in, 12, 4, "sm_120a");
  const auto element = [&](const instruction::Places& places, std::size_t at, int first,
                           int width) {
    return in[static_cast<std::size_t>(places.lane[at] * 12 + first + places.reg[at])] >>
               places.bit[at] &
           ((1u << width) - 1);
  };
  const auto places = [&](Operand operand, int selected = 0) {
    return instruction::places(*row, operand, instruction::KOrder::isa, selected);
  };
  const auto a = places(Operand::a), b = places(Operand::b), d = places(Operand::d);
  const int per_thread = 4 / count;
  const auto scale_a = places(Operand::scale_a, byte_a / count + per_thread * thread_a);
  const auto scale_b = places(Operand::scale_b, byte_b / count + per_thread * thread_b);
  const int width = k == 32 ? 8 : 4;
  const FloatFormat& format = k == 32 ? format_e4m3 : format_e2m1;
  const auto scale = [&](uint32_t code) {
    return types.ends_with("ue4m3") ? decode(format_e4m3, code)
                                    : std::ldexp(1.0, static_cast<int>(code) - 127);
  };
  for (std::size_t m = 0; m < 16; ++m)
    for (std::size_t n = 0; n < 8; ++n) {
      const std::size_t at = m * 8 + n;
      double sum = real(in[static_cast<std::size_t>(d.lane[at] * 12 + 6 + d.reg[at])]);
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
        const std::size_t of_a = m * static_cast<std::size_t>(k) + i, of_b = i * 8 + n;
        sum += decode(format, element(a, of_a, 0, width)) *
               decode(format, element(b, of_b, 4, width)) * scale(element(scale_a, of_a, 10, 8)) *
               scale(element(scale_b, of_b, 11, 8));
      }
      EXPECT_NEAR(real(out[static_cast<std::size_t>(d.lane[at] * 4 + d.reg[at])]), sum,
                  1e-5 * std::max(1.0, std::fabs(sum)))
          << name << " " << m << " " << n;
    }
}

TEST(Blackwell, ScaledProductsOfAWarp) {
  for (const int thread : {0, 1})
    for (const int byte : {0, 3})
      expect_scaled("mxf8f6f4", "f32.e4m3.e4m3.f32.ue8m0", 32, 1, byte, thread, 3 - byte,
                    2 + thread);
  for (const int byte : {0, 2})
    expect_scaled("mxf4", "f32.e2m1.e2m1.f32.ue8m0", 64, 2, byte, byte / 2, 2 - byte, 3);
  expect_scaled("mxf4nvf4", "f32.e2m1.e2m1.f32.ue4m3", 64, 4, 0, 1, 0, 2);
}

// --- copies with a barrier -----------------------------------------------------------------------

constexpr const char* wait =
    "again: mbarrier.try_wait.parity.shared.b64 %p, [%m], 0;\n@!%p bra again;\n";

TEST(Blackwell, StoresThatABarrierCounts) {
  const std::vector<uint32_t> in(32, 5);
  const std::string expect =
      "@%q mbarrier.arrive.expect_tx.shared.b64 _, [%m], 256;\nbar.warp.sync -1;\n";
  const std::string one =
      "shl.b32 %x1, %i, 3;\nadd.u32 %x1, %x1, %s;\n"
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%x1], {%i, %v0}, [%m];\n";
  const std::string read = "ld.shared.v2.b32 {%d0, %d1}, [%x1];\n";
  const auto out = words_of(expect + one + wait + read, in, 1, 2);
  const auto early = words_of(expect + one + read + wait, in, 1, 2);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[2 * i], i);
    EXPECT_EQ(out[2 * i + 1], 5u);
    EXPECT_EQ(early[2 * i], ~0u);
  }
  // 32 lanes add 5 to a word, which none sees before it waits.
  const std::string sum =
      "@%q mbarrier.arrive.expect_tx.shared.b64 _, [%m], 128;\nbar.warp.sync -1;\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%s], %v0, "
      "[%m];\n"
      "ld.shared.b32 %d0, [%s];\n" +
      std::string(wait) + "ld.shared.b32 %d1, [%s];\n";
  const auto summed = words_of(sum, in, 1, 2);
  EXPECT_EQ(summed[0], 0u);
  EXPECT_EQ(summed[1], 160u);
}

TEST(Blackwell, ReducingBulkCopies) {
  std::vector<uint32_t> in(64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = bits(static_cast<float>(i));
  // s has 1 in each word; 128 bytes of it are added to `in`.
  const auto out = words_of(
      "mov.b32 %v0, 0f3f800000;\nst.shared.b32 [%x0], %v0;\nfence.proxy.async;\nbar.sync 0;\n"
      "@%q cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%n], [%s], 128;\n"
      "@%q cp.async.bulk.commit_group;\n@%q cp.async.bulk.wait_group 0;\nbar.sync 0;\n"
      "ld.global.b32 %d0, [%n];\n",
      in, 1, 1);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(real(out[i]), static_cast<float>(i) + 1);
}

TEST(Blackwell, NoClusterIsCanceled) {
  const std::vector<uint32_t> in(32, 0);
  const auto out = words_of(
      "@%q mbarrier.arrive.expect_tx.shared.b64 _, [%m], 16;\n"
      "@%q clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
      "[%s], [%m];\n"
      "bar.warp.sync -1;\n" +
          std::string(wait) +
          "ld.shared.b128 %wide, [%s];\n"
          "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %wide;\nselp.u32 %d0, 1, 0, "
          "%p;\n",
      in, 1, 1);
  EXPECT_EQ(out[5], 0u);
  std::string fault;
  words_of("multimem.ld_reduce.global.add.f32 %d0, [%o];\n", in, 1, 1, "sm_100a", &fault);
  EXPECT_NE(fault.find("several GPUs"), std::string::npos) << fault;
}

/// Fields that tensormap.replace writes are checked when the map is used.
TEST(Blackwell, MapsOfAKernelAreChecked) {
  const auto message = [](const std::string& change, const std::string& after = "") {
    std::string text =
        "@%q tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%s], %n;\n";
    const auto set = [&](const std::string& field, const std::string& value) {
      text +=
          "@%q tensormap.replace.tile." + field + ".shared::cta.b1024.b32 [%s], " + value + ";\n";
    };
    text += "mov.u32 %x1, 32;\nmov.u32 %x2, 1;\n";
    set("rank", "0");
    set("box_dim", "0, %x1");
    set("global_dim", "0, %x1");
    set("element_stride", "0, %x2");
    set("elemtype", "2");
    text += change;
    text += "cvta.shared.u64 %w0, %w1;\nbar.sync 0;\n" + after +
            "@%q cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
            "[%s+512], [%w0, {%x3}], [%m];\n";
    std::string fault;
    words_of("cvt.u64.u32 %w1, %s;\nmov.u32 %x3, 0;\n" + text, std::vector<uint32_t>(32), 1, 0,
             "sm_100a", &fault);
    return fault;
  };
  EXPECT_EQ(message(""), "");
  const auto field = [](const std::string& name, const std::string& value) {
    return "@%q tensormap.replace.tile." + name + ".shared::cta.b1024.b32 [%s], " + value + ";\n";
  };
  for (const auto& [change, part] :
       {std::pair(field("rank", "7"), "has 8 dimensions"),
        std::pair(field("rank", "1"), "has size 0 of dimension 1"),
        std::pair(field("elemtype", "16"), "has elements of type 16"),
        std::pair(field("elemtype", "15"), "has a size of 32 of elements b6x16_p32"),
        std::pair(field("elemtype", "14") + "mov.u32 %x1, 128;\n" + field("global_dim", "0, %x1"),
                  "has a box of 32 of elements b4x16_p64"),
        std::pair(field("swizzle_mode", "2"), "with this swizzle"),
        std::pair(field("interleave_layout", "1"), "is interleaved"),
        std::pair(field("fill_mode", "1"), "has fill mode 1"),
        std::pair(field("box_dim", "0, %x2"), "has rows of 4 bytes"),
        std::pair(field("element_stride", "0, %x1"), "has element stride 32")}) {
    const std::string text = message(change);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_NE(message("", "st.shared.b32 [%s+64], %i;\n").find("there is no tensor map"),
            std::string::npos);
}

/// Sixteen elements of 4 or 6 bits are a unit. In shared memory 8 or 4 bytes follow it, which the
/// barrier does not count.
TEST(Blackwell, BoxesOfFourAndSixBits) {
  std::vector<uint32_t> in(64);
  for (uint32_t i = 0; i < 64; ++i) in[i] = 0x01010101 * (i + 1);
  const auto loaded = [&](int element, int first, int bytes) {
    std::string text = "cvt.u64.u32 %w1, %s;\nmov.u32 %x1, 128;\nmov.u32 %x2, 1;\n";
    const auto set = [&](const std::string& field, const std::string& value, int bits = 32) {
      text += "@%q tensormap.replace.tile." + field + ".shared::cta.b1024.b" +
              std::to_string(bits) + " [%s], " + value + ";\n";
    };
    set("global_address", "%n", 64);
    set("rank", "0");
    set("box_dim", "0, %x1");
    set("element_stride", "0, %x2");
    set("elemtype", std::to_string(element));
    text += "mov.u32 %x1, 256;\n";
    set("global_dim", "0, %x1");
    text += "mov.u32 %x3, " + std::to_string(first) +
            ";\ncvta.shared.u64 %w0, %w1;\n@%q mbarrier.arrive.expect_tx.shared.b64 _, [%m], " +
            std::to_string(bytes) +
            ";\nbar.sync 0;\n"
            "@%q cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
            "[%s+512], [%w0, {%x3}], [%m];\n" +
            wait + "shl.b32 %x1, %i, 2;\nadd.u32 %x1, %x1, %s;\nld.shared.b32 %d0, [%x1+512];\n";
    return words_of(text, in, 1, 1);
  };
  const auto check = [&](int element, uint32_t words, uint32_t step, int first, uint32_t begin) {
    const auto out = loaded(element, first, element == 15 ? 96 : 64);
    for (uint32_t i = 0; i < (element == 13 ? 16u : 32u); ++i) {
      if (i % step >= words) continue;
      const uint32_t at = begin + i / step * words + i % step;
      const bool inside = at < (element == 15 ? 48u : 32u);
      EXPECT_EQ(out[i], inside ? in[at] : 0) << element << " " << i;
    }
  };
  check(13, 16, 16, 0, 0);
  check(13, 16, 16, 32, 4);
  check(14, 2, 4, 0, 0);
  check(14, 2, 4, 128, 16);
  check(14, 2, 4, 192, 24);  // the second half is outside of the tensor
  check(15, 3, 4, 0, 0);
  check(15, 3, 4, 128, 24);
}

}  // namespace blackwell_test
}  // namespace heddle::emulator::ptx::testing
