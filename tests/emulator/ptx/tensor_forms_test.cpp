// The forms of tcgen05.mma whose operands lie in tensor memory, by the places of the catalogue: A,
// the index of a sparse A, scales, and D of every layout; and tcgen05.cp.
#include <cmath>
#include <functional>
#include <random>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "heddle/instruction/ptx_name.h"
#include "tests/emulator/ptx/simulate.h"
#include "tests/emulator/ptx/tensor_operands.h"

namespace heddle::emulator::ptx::testing {
namespace tensor_forms_test {

using instruction::ElementType;
using instruction::Operand;

constexpr int columns = 128;
constexpr std::uint32_t shared_address = 1024;

std::string number(std::uint64_t value) { return std::to_string(value); }

/// Shared and tensor memory before an instruction, and tensor memory after it.
struct Memories {
  std::vector<uint32_t> shared = std::vector<uint32_t>(8192, 0);
  std::vector<uint32_t> tensor = std::vector<uint32_t>(std::size_t{128} * columns, 0);

  uint32_t& word(int lane, int column) {
    return tensor[static_cast<std::size_t>(lane * columns + column)];
  }
  void put(int lane, int column, int bit, int width, uint32_t value) {
    const uint32_t mask = (width == 32 ? ~0u : (1u << width) - 1) << bit;
    uint32_t& to = word(lane, column);
    to = (to & ~mask) | (value << bit & mask);
  }
  uint32_t get(int lane, int column, int bit, int width) {
    return word(lane, column) >> bit & (width == 32 ? ~0u : (1u << width) - 1);
  }
};

std::string register_list(int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i > 0 ? ", %r" : "%r") + number(static_cast<unsigned>(i));
  return text + "}";
}

/// Runs `body` in thread 0, between loads of both memories and a commit; %t is the first column, %e
/// and %f are true and false. Returns the fault's message, empty if there is none.
std::string execute(Memories& memories, const std::string& body) {
  std::string text =
      ".reg .b32 %t, %q, %i, %j, %w, %x<8>, %r<128>;\n.reg .b64 %o, %n, %a;\n"
      ".reg .pred %p, %first, %done, %e, %f;\n"
      "ld.param.u64 %o, [tensor];\nld.param.u64 %n, [shared];\nmov.u32 %i, %tid.x;\n"
      "mov.u32 %x0, s;\nshr.u32 %w, %i, 5;\nsetp.eq.u32 %p, %w, 0;\nsetp.eq.u32 %first, %i, 0;\n"
      "setp.eq.u32 %e, 0, 0;\nsetp.ne.u32 %f, 0, 0;\n@%first mbarrier.init.shared.b64 [bar], 1;\n"
      "@%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 128;\nmov.u32 %x1, 0;\n"
      "copy: mad.lo.u32 %x2, %x1, 128, %i;\nshl.b32 %x3, %x2, 2;\ncvt.u64.u32 %a, %x3;\n"
      "add.u64 %a, %n, %a;\nld.global.b32 %x4, [%a];\nadd.u32 %x3, %x3, %x0;\n"
      "st.shared.b32 [%x3], %x4;\nadd.u32 %x1, %x1, 1;\nsetp.lt.u32 %done, %x1, 64;\n"
      "@%done bra copy;\nfence.proxy.async;\nbar.sync 0;\nld.shared.u32 %t, [at];\n"
      "shl.b32 %q, %w, 21;\nadd.u32 %q, %q, %t;\nmul.wide.u32 %a, %i, 512;\nadd.u64 %a, %o, %a;\n";
  for (int i = 0; i < columns; ++i)
    text += "ld.global.b32 %r" + number(static_cast<unsigned>(i)) + ", [%a+" +
            number(static_cast<unsigned>(4 * i)) + "];\n";
  text += "tcgen05.st.sync.aligned.32x32b.x128.b32 [%q], " + register_list(columns) +
          ";\ntcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
          "tcgen05.fence::after_thread_sync;\n@!%first bra others;\n" +
          body +
          "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [bar];\nothers:\n"
          "again: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra again;\n"
          "tcgen05.fence::after_thread_sync;\ntcgen05.ld.sync.aligned.32x32b.x128.b32 " +
          register_list(columns) + ", [%q];\ntcgen05.wait::ld.sync.aligned;\n";
  for (int i = 0; i < columns; ++i)
    text += "st.global.b32 [%a+" + number(static_cast<unsigned>(4 * i)) + "], %r" +
            number(static_cast<unsigned>(i)) + ";\n";
  text += "bar.sync 0;\n@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 128;\n";
  Launch launch;
  launch.arguments = {buffer(std::span(memories.tensor), "tensor"),
                      buffer(std::span(memories.shared), "shared")};
  launch.workgroup = {128, 1, 1};
  launch.threads = 1;
  const auto report =
      run(module_of(kernel_text(".param .u64 tensor, .param .u64 shared", text,
                                ".shared .align 1024 .b8 s[32768];\n.shared .align 8 .b64 bar;\n"
                                ".shared .align 4 .b32 at;\n",
                                "sm_100a")),
          launch);
  return report ? "" : report.error().message;
}

instruction::Instruction row_named(const std::string& name) {
  for (const instruction::Instruction& row : instruction::all_instructions())
    if (row.name.starts_with("tcgen05.mma"))
      if (const auto found = instruction::match_ptx_name(row, name)) return *found;
  ADD_FAILURE() << name;
  return {};
}

/// A product with operands where the catalogue says, and what comes out.
struct Trial {
  Product p;
  std::string name;            // of the mnemonic, up to the kind
  std::string modifiers = {};  // behind the kind
  bool a_in_memory = false;
  int scales = 0, scale_a_id = 0, scale_b_id = 0;
  ElementType scale_type{};
  std::string disabled = {};  // a list of masks
  std::array<uint32_t, 4> masks{};
  int scale_input = 0;
  std::string mask = {};  // the zero-column mask

  static constexpr int index_column = 64, scale_a_column = 72, scale_b_column = 80, a_column = 96;

  Memories memories = {};
  std::vector<uint32_t> a = {}, b = {}, scale_a = {}, scale_b = {};
  std::vector<int> kept = {};  // of each element of A
  std::mt19937 random{9};

  instruction::Instruction row() const {
    std::string full = name + p.kind + modifiers + ".m" + std::to_string(p.m) + "n" +
                       std::to_string(p.n) + "k" + std::to_string(p.k) + "." +
                       std::string(instruction::ptx_name(p.d_type));
    if (scales > 0) full += "." + std::string(instruction::ptx_name(scale_type));
    return row_named(full);
  }
  int stored() const { return p.sparse ? p.k / 2 : p.k; }

  void draw() {
    a.resize(static_cast<std::size_t>(p.m * stored()));
    b.resize(static_cast<std::size_t>(p.n * p.k));
    for (uint32_t& bits : a) bits = drawn(p.a_type, random);
    for (uint32_t& bits : b) bits = drawn(p.b_type, random);
  }
  /// The index: of each group which k stay. A group has 4 bits.
  void draw_index(const instruction::Instruction& row) {
    const auto places = instruction::places(row, Operand::index);
    const int step = p.kind == "tf32" ? 2 : p.packed ? 8 : 4;
    kept.clear();
    for (int m = 0; m < p.m; ++m)
      for (int first = 0; first < p.k; first += step) {
        const int low = static_cast<int>(random() % 3),
                  high = low + 1 + static_cast<int>(random()) % (3 - low) % 4;
        const int second = std::min(3, std::max(low + 1, high));
        const bool upper = random() % 2 != 0;
        const uint32_t bits =
            step == 2 ? (upper ? 0b1110 : 0b0100) : static_cast<uint32_t>(low | second << 2);
        if (step == 2) kept.push_back(first + (upper ? 1 : 0));
        for (const int chosen : {low, second})
          for (int part = 0; step > 2 && part < step / 4; ++part)
            kept.push_back(first + chosen * (step / 4) + part);
        const auto at = static_cast<std::size_t>(m * p.k + first);
        for (const int copy : places.lane_copies)
          memories.put(places.lane[at] + copy, index_column + places.reg[at], places.bit[at], 4,
                       bits);
      }
  }
  void draw_scales(const instruction::Instruction& row, bool of_a) {
    const int id = of_a ? scale_a_id : scale_b_id, count = of_a ? p.m : p.n;
    const auto places = instruction::places(row, of_a ? Operand::scale_a : Operand::scale_b,
                                            instruction::KOrder::isa, id / scales);
    auto& all = of_a ? scale_a : scale_b;
    for (int i = 0; i < count; ++i)
      for (int scale = 0; scale < scales; ++scale) {
        all.push_back(scale_type == ElementType::e8m0 ? 125 + random() % 5 : 0x30 + random() % 16);
        const int k = scale * p.k / scales;
        const auto at = static_cast<std::size_t>(of_a ? i * p.k + k : k * p.n + i);
        for (int quarter = 0; quarter < 128; quarter += 32)
          memories.put(places.lane[at] + quarter,
                       (of_a ? scale_a_column : scale_b_column) + places.reg[at], places.bit[at], 8,
                       all.back());
      }
  }
  double scale_of(uint32_t code) const {
    return scale_type == ElementType::e8m0 ? std::ldexp(1.0, static_cast<int>(code) - 127)
                                           : decode(format_e4m3, code);
  }
  double expected(int m, int n) const {
    double sum = 0;
    for (int i = 0; i < stored(); ++i) {
      const auto at = static_cast<std::size_t>(m * stored() + i);
      const int k = p.sparse ? kept[at] : i;
      double term =
          value_of(p.a_type, a[at]) * value_of(p.b_type, b[static_cast<std::size_t>(n * p.k + k)]);
      if (scales > 0) {
        const int scale = k * scales / p.k;
        term *= scale_of(scale_a[static_cast<std::size_t>(m * scales + scale)]) *
                scale_of(scale_b[static_cast<std::size_t>(n * scales + scale)]);
      }
      sum += term;
    }
    return sum;
  }

  void expect_right() {
    const instruction::Instruction of = row();
    draw();
    std::string a_text, index_text, scale_text;
    if (a_in_memory && of.a.registers > 0 && !p.packed) {
      const auto places = instruction::places(of, Operand::a);
      for (std::size_t i = 0; i < a.size(); ++i)
        memories.put(places.lane[i], a_column + places.reg[i], places.bit[i], places.bits, a[i]);
      a_text = "[%t + 96]";
    } else if (a_in_memory) {
      // A row in a lane, its elements side by side: what is assumed where no source says.
      const int bits = instruction::bits(p.a_type);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const auto bit = static_cast<int>(i) % stored() * bits;
        memories.put(static_cast<int>(i) / stored(), a_column + bit / 32, bit % 32, bits, a[i]);
      }
      a_text = "[%t + 96]";
    } else {
      a_text = number(lay_out(memories.shared, 0, shared_address, p, true, a));
    }
    const std::string b_text =
        number(lay_out(memories.shared, 16384, shared_address + 16384, p, false, b));
    uint32_t shape = shape_word(p);
    if (p.sparse) {
      draw_index(of);
      index_text = ", [%t + 64]";
    }
    if (scales > 0) {
      draw_scales(of, true);
      draw_scales(of, false);
      scale_text = ", [%t + 72], [%t + 80]";
      shape &= ~uint32_t{0x3f};
      if (p.packed) shape = (shape & ~uint32_t{0x1f80}) | 1u << 7 | 1u << 10;
      shape |= static_cast<uint32_t>(p.sparse) << 2 | static_cast<uint32_t>(scale_b_id) << 4 |
               static_cast<uint32_t>(scale_a_id) << 29 |
               static_cast<uint32_t>(scale_type == ElementType::e8m0) << 23;
    }
    const auto places = instruction::places(of, Operand::d);
    const int width = places.bits;
    std::vector<double> before(places.reg.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const auto value = static_cast<double>(i % 5);
      before[i] = value;
      const uint32_t bits =
          p.d_type == ElementType::i32 ? static_cast<uint32_t>(i % 5)
          : p.d_type == ElementType::f16
              ? static_cast<uint32_t>(encode(format_f16, value, Rounding::nearest_even))
              : static_cast<uint32_t>(encode(format_f32, value, Rounding::nearest_even));
      memories.put(places.lane[i], places.reg[i], places.bit[i], width, bits);
    }
    Memories after = memories;
    const std::string fault = execute(
        after, name + p.kind + modifiers + " [%t], " + a_text + ", " + b_text + index_text + ", " +
                   number(shape) + scale_text + disabled + ", %e" +
                   (scale_input > 0 ? ", " + std::to_string(scale_input) : "") + mask + ";\n");
    ASSERT_EQ(fault, "") << of.name;
    for (int m = 0; m < p.m; ++m)
      for (int n = 0; n < p.n; ++n) {
        const auto at = static_cast<std::size_t>(m * p.n + n);
        const int lane = places.lane[at];
        const uint32_t got = after.get(lane, places.reg[at], places.bit[at], width);
        const double d = p.d_type == ElementType::i32   ? static_cast<int32_t>(got)
                         : p.d_type == ElementType::f16 ? decode(format_f16, got)
                                                        : decode(format_f32, got);
        const bool off = (masks[static_cast<std::size_t>(lane / 32)] >> lane % 32 & 1) != 0;
        const double sum = off ? before[at] : expected(m, n) + std::ldexp(before[at], -scale_input);
        ASSERT_NEAR(d, sum, scales > 0 ? 1e-6 * std::max(1.0, std::fabs(sum)) : 0)
            << of.name << " row " << m << " column " << n;
      }
  }
};

constexpr const char* plain = "tcgen05.mma.cta_group::1.kind::";
constexpr const char* sparse = "tcgen05.mma.sp.cta_group::1.kind::";
constexpr const char* stationary = "tcgen05.mma.ws.cta_group::1.kind::";
constexpr const char* sparse_stationary = "tcgen05.mma.ws.sp.cta_group::1.kind::";
using enum ElementType;

TEST(TensorForms, AOfTensorMemory) {
  for (const int m : {64, 128}) {
    Trial{.p = {"f16", m, 64, 16, f16, f16, f32}, .name = plain, .a_in_memory = true}
        .expect_right();
    Trial{.p = {"f16", m, 32, 16, bf16, bf16, f32}, .name = plain, .a_in_memory = true}
        .expect_right();
    Trial{.p = {"tf32", m, 64, 8, xf32, xf32, f32}, .name = plain, .a_in_memory = true}
        .expect_right();
    Trial{.p = {"i8", m, 32, 32, i8, i8, i32}, .name = plain, .a_in_memory = true}.expect_right();
    Trial{.p = {"f8f6f4", m, 32, 32, bf8, fp8, f16}, .name = plain, .a_in_memory = true}
        .expect_right();
  }
}

TEST(TensorForms, AOfTensorMemoryWhereItIsAssumed) {
  Trial{.p = {"f16", 128, 64, 16, f16, f16, f32}, .name = stationary, .a_in_memory = true}
      .expect_right();
  for (const char* const name : {sparse, sparse_stationary}) {
    Trial{.p = {.kind = "f16",
                .m = 128,
                .n = 64,
                .k = 32,
                .a_type = f16,
                .b_type = f16,
                .d_type = f32,
                .sparse = true},
          .name = name,
          .a_in_memory = true}
        .expect_right();
    Trial{.p = {.kind = "i8",
                .m = 128,
                .n = 64,
                .k = 64,
                .a_type = i8,
                .b_type = i8,
                .d_type = i32,
                .sparse = true},
          .name = name,
          .a_in_memory = true}
        .expect_right();
  }
  Trial{.p = {"mxf8f6f4", 128, 64, 32, fp8, bf8, f32},
        .name = plain,
        .modifiers = ".block_scale.block32",
        .a_in_memory = true,
        .scales = 1,
        .scale_type = e8m0}
      .expect_right();
  Trial{.p = {.kind = "mxf4",
              .m = 128,
              .n = 64,
              .k = 64,
              .a_type = fp4,
              .b_type = fp4,
              .d_type = f32,
              .packed = true},
        .name = plain,
        .modifiers = ".block_scale.block32",
        .a_in_memory = true,
        .scales = 2,
        .scale_type = e8m0}
      .expect_right();
}

TEST(TensorForms, SparseA) {
  Trial{.p = {.kind = "f16",
              .m = 128,
              .n = 64,
              .k = 32,
              .a_type = f16,
              .b_type = f16,
              .d_type = f32,
              .sparse = true},
        .name = sparse}
      .expect_right();
  Trial{.p = {.kind = "tf32",
              .m = 128,
              .n = 32,
              .k = 16,
              .a_type = xf32,
              .b_type = xf32,
              .d_type = f32,
              .sparse = true},
        .name = sparse}
      .expect_right();
  Trial{.p = {.kind = "f8f6f4",
              .m = 128,
              .n = 32,
              .k = 64,
              .a_type = fp8,
              .b_type = fp4,
              .d_type = f32,
              .sparse = true},
        .name = sparse}
      .expect_right();
  Trial{.p = {.kind = "i8",
              .m = 128,
              .n = 32,
              .k = 64,
              .a_type = i8,
              .b_type = u8,
              .d_type = i32,
              .sparse = true},
        .name = sparse}
      .expect_right();
}

TEST(TensorForms, WeightStationary) {
  for (const int m : {32, 64, 128}) {
    Trial{.p = {"f16", m, 64, 16, f16, f16, f32}, .name = stationary}.expect_right();
    Trial{.p = {"i8", m, 64, 32, i8, i8, i32}, .name = stationary}.expect_right();
    Trial{.p = {"f16", m, 64, 16, f16, f16, f32}, .name = stationary, .mask = ", 0"}.expect_right();
    Trial{.p = {.kind = "f16",
                .m = m,
                .n = 64,
                .k = 32,
                .a_type = f16,
                .b_type = f16,
                .d_type = f32,
                .sparse = true},
          .name = sparse_stationary}
        .expect_right();
  }
}

TEST(TensorForms, BlockScales) {
  for (const int id : {0, 1, 3})
    Trial{.p = {"mxf8f6f4", 128, 64, 32, fp8, bf8, f32},
          .name = plain,
          .modifiers = ".block_scale.block32",
          .scales = 1,
          .scale_a_id = id,
          .scale_b_id = 3 - id,
          .scale_type = e8m0}
        .expect_right();
  Trial{.p = {"mxf8f6f4", 128, 32, 32, fp6, fp4, f32},
        .name = plain,
        .modifiers = ".block_scale.block32",
        .scales = 1,
        .scale_type = e8m0}
      .expect_right();
  for (const int id : {0, 2})
    Trial{.p = {.kind = "mxf4",
                .m = 128,
                .n = 32,
                .k = 64,
                .a_type = fp4,
                .b_type = fp4,
                .d_type = f32,
                .packed = true},
          .name = plain,
          .modifiers = ".block_scale.block32",
          .scales = 2,
          .scale_a_id = id,
          .scale_b_id = 2 - id,
          .scale_type = e8m0}
        .expect_right();
  for (const ElementType type : {ue4m3, e8m0})
    Trial{.p = {.kind = "mxf4nvf4",
                .m = 128,
                .n = 64,
                .k = 64,
                .a_type = fp4,
                .b_type = fp4,
                .d_type = f32,
                .packed = true},
          .name = plain,
          .modifiers = ".block_scale.block16",
          .scales = 4,
          .scale_type = type}
        .expect_right();
}

TEST(TensorForms, LanesAndScaleOfD) {
  Trial{.p = {"f16", 128, 32, 16, f16, f16, f32},
        .name = plain,
        .disabled = ", {1, 0, 4294901760, 2147483648}",
        .masks = {1, 0, 0xffff0000, 0x80000000}}
      .expect_right();
  Trial{.p = {"tf32", 128, 32, 8, xf32, xf32, f32}, .name = plain, .scale_input = 3}.expect_right();
  Trial{.p = {"f16", 64, 32, 16, f16, f16, f16}, .name = plain, .scale_input = 1}.expect_right();
}

/// Copies of scales in lanes of four warps must agree.
TEST(TensorForms, UnequalScales) {
  Memories memories;
  memories.word(40, 72) = 1;
  const std::string fault =
      execute(memories,
              "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32 [%t], 70368744177728, "
              "70368744177728, 143654912, [%t + 72], [%t + 80], %e;\n");
  EXPECT_NE(fault.find("all four quarters must have it"), std::string::npos) << fault;
}

/// Rows of 16 bytes, eight to a block of 128, go to the lanes that the shape names.
TEST(TensorForms, CopiesOfSharedMemory) {
  struct Shape {
    const char* name;
    int words;  // of a row
    std::function<int(int)> row;
  };
  for (const Shape& shape :
       {Shape{"128x128b", 4, [](int lane) { return lane; }},
        Shape{"128x256b", 8, [](int lane) { return lane; }},
        Shape{"64x128b.warpx2::02_13", 4, [](int lane) { return lane % 64; }},
        Shape{"64x128b.warpx2::01_23", 4, [](int lane) { return lane % 32 + lane / 64 * 32; }},
        Shape{"32x128b.warpx4", 4, [](int lane) { return lane % 32; }}}) {
    Memories memories;
    for (std::size_t i = 0; i < memories.shared.size(); ++i)
      memories.shared[i] = static_cast<uint32_t>(i + 1);
    // From 8 rows to the next 8 there are 128 bytes, from 16 bytes of a row to the next 4096.
    // Without a swizzle the base offset, here 4, changes nothing.
    const std::uint64_t descriptor = std::uint64_t{4} << 49 | std::uint64_t{1} << 46 |
                                     std::uint64_t{128 / 16} << 32 |
                                     std::uint64_t{4096 / 16} << 16 | shared_address / 16;
    const std::string fault =
        execute(memories, std::string("tcgen05.cp.cta_group::1.") + shape.name + " [%t + 16], " +
                              number(descriptor) + ";\n");
    ASSERT_EQ(fault, "") << shape.name;
    for (int lane = 0; lane < 128; ++lane)
      for (int column = 0; column < columns; ++column) {
        const int word = column - 16;
        const bool copied = word >= 0 && word < shape.words;
        const int at = shape.row(lane) * 4 + word % 4 + word / 4 * 1024;
        ASSERT_EQ(memories.word(lane, column), copied ? static_cast<uint32_t>(at + 1) : 0)
            << shape.name << " lane " << lane << " column " << column;
      }
  }
}

/// Whatever stands in descriptors and addresses: the run ends, with a sentence or without.
TEST(TensorForms, HostileOperands) {
  const char* forms[] = {
      "tcgen05.mma.cta_group::1.kind::f16 [%t], %d, %n, %x1, %e;",
      "tcgen05.mma.cta_group::2.kind::f16 [%t], %d, %n, %x1, %e;",
      "tcgen05.mma.cta_group::1.kind::f16 [%t], [%x2], %n, %x1, %e, 3;",
      "tcgen05.mma.cta_group::1.kind::tf32 [%t], %d, %n, %x1, {%x2, %x3, %x2, %x3}, %e;",
      "tcgen05.mma.cta_group::1.kind::f8f6f4 [%t], %d, %n, %x1, %e;",
      "tcgen05.mma.sp.cta_group::1.kind::f8f6f4 [%t], %d, %n, [%x2], %x1, %e;",
      "tcgen05.mma.ws.cta_group::1.kind::i8 [%t], %d, %n, %x1, %e;",
      "tcgen05.mma.ws.cta_group::1.kind::f16 [%t], [%x2], %n, %x1, %e, %d;",
      "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%t], %d, %n, %x1, [%x2], [%x3], %e;",
      "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%t], %d, %n, %x1, [%x2], "
      "[%x3], %e;",
      "tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale [%t], %d, %n, [%x2], %x1, [%x2], [%x3], "
      "%e;",
      "tcgen05.cp.cta_group::1.128x256b [%t], %d;",
      "tcgen05.cp.cta_group::2.32x128b.warpx4 [%t], %d;",
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%x2];",
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.b64 [%x2], %h;"};
  std::mt19937 random(3);
  int faults = 0, ends = 0;
  for (int i = 0; i < 1400; ++i) {
    // A third of the numbers are right, a third have other bits in fields of right ones.
    const auto wild = [&](std::uint64_t right, std::uint64_t mask) {
      const std::uint64_t drawn = std::uint64_t{random()} << 32 | random();
      const uint32_t kind = random() % 3;
      return number(kind == 0 ? right : kind == 1 ? right ^ (drawn & mask) : drawn);
    };
    const auto address = [&] { return number(random() % 4 == 0 ? random() : random() % 140); };
    const std::string text =
        ".reg .b32 %t, %x<8>;\n.reg .b64 %d, %n;\n.reg .b16 %h;\n.reg .pred %e;\nmov.u32 %x0, s;\n"
        "setp.eq.u32 %e, 0, 0;\n"
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 128;\nmov.u32 %t, " +
        address() + ";\nmov.b64 %d, " + wild(0x400000000040, 0x3fff3fff0fff) + ";\nmov.b64 %n, " +
        wild(0x400000000040, 0x60003fff3fff0fff) + ";\nmov.b32 %x1, " +
        std::to_string(static_cast<uint32_t>(std::stoull(wild(0x08100010, 0x1fe1ff80)))) +
        ";\nmov.b32 %x2, " + address() + ";\nmov.b32 %x3, " + address() + ";\nmov.b16 %h, " +
        number(random() % 65536) + ";\n" + forms[i % static_cast<int>(std::size(forms))] + "\n";
    Launch launch;
    std::vector<uint32_t> unused(1);
    launch.arguments = {buffer(std::span(unused), "unused")};
    launch.workgroup = {32, 1, 1};
    launch.threads = 1;
    const auto report = run(module_of(kernel_text(".param .u64 unused", text,
                                                  ".shared .align 1024 .b8 s[16384];\n"
                                                  ".shared .align 4 .b32 at;\n",
                                                  "sm_100a")),
                            launch);
    ASSERT_FALSE(report);  // nothing is freed
    (report.error().message.contains("tcgen05.dealloc is missing") ? ends : faults) += 1;
  }
  EXPECT_GT(faults, 700);
  EXPECT_GT(ends, 20);
}

}  // namespace tensor_forms_test
}  // namespace heddle::emulator::ptx::testing
