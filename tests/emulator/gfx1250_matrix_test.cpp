// Every matrix instruction of gfx1250 in the catalogue, in every format: what every lane must have
// after is computed here.
#include <cmath>
#include <cstring>

#include "gfx1250_numbers.h"
#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/variant.h"
#include "kernels.h"

namespace heddle::emulator::testing {
namespace gfx1250_matrix_test {

using gfx1250_test::bf16;
using gfx1250_test::bits;
using gfx1250_test::to_bf16;

const std::string target = "gfx1250";

using instruction::ElementType;
using instruction::Operand;

double number_of(ElementType type, uint32_t x, bool is_signed) {
  const auto small = [&](int all, int mantissa, int bias) {
    const uint32_t magnitude = x & ((1u << (all - 1)) - 1), exponent = magnitude >> mantissa,
                   fraction = magnitude & ((1u << mantissa) - 1);
    const double value = exponent == 0 ? std::ldexp(fraction, 1 - bias - mantissa)
                                       : std::ldexp(fraction + (1u << mantissa),
                                                    static_cast<int>(exponent) - bias - mantissa);
    return x >> (all - 1) & 1 ? -value : value;
  };
  switch (type) {
    case ElementType::f32:
      return std::bit_cast<float>(x);
    case ElementType::bf16:
      return bf16(x);
    case ElementType::f16:
      return small(16, 10, 15);
    case ElementType::fp8:
      return small(8, 3, 7);
    case ElementType::bf8:
      return small(8, 2, 15);
    case ElementType::fp6:
      return small(6, 3, 1);
    case ElementType::bf6:
      return small(6, 2, 3);
    case ElementType::fp4:
      return small(4, 1, 1);
    default:
      return is_signed ? static_cast<int8_t>(x) : static_cast<double>(x);
  }
}

// Bits that stand for small numbers, with which all sums are exact.
uint32_t small_bits(ElementType type, Random& random) {
  const uint32_t x = random.bits();
  switch (type) {
    case ElementType::f32:
      return bits(static_cast<float>(static_cast<int>(x % 9) - 4));
    case ElementType::bf16:
      return bits(static_cast<float>(static_cast<int>(x % 9) - 4)) >> 16;
    case ElementType::f16:
      return (x & 1) << 15 | (15 + (x >> 1) % 3) << 10 | (x >> 8 & 1) << 9;
    case ElementType::fp8:
      return (x & 1) << 7 | (6 + (x >> 1) % 3) << 3 | (x >> 8 & 3) << 1;
    case ElementType::bf8:
      return (x & 1) << 7 | (14 + (x >> 1) % 3) << 2 | (x >> 8 & 2);
    case ElementType::iu8:
      return x & 0xffu;
    default:
      return x & ((1u << instruction::bits(type)) - 1);
  }
}

// Registers of a wave by operand: which bits of which lane's tuple hold an element.
struct Tuple {
  std::vector<std::array<uint32_t, 32>> registers;
  explicit Tuple(int count) : registers(static_cast<std::size_t>(count)) {}
  void put(std::size_t lane, unsigned bit, unsigned width, uint32_t value) {
    for (unsigned i = 0; i < width; ++i)
      registers[(bit + i) / 32][lane] |= (value >> i & 1u) << (bit + i) % 32;
  }
  uint32_t get(std::size_t lane, unsigned bit, unsigned width) const {
    uint32_t value = 0;
    for (unsigned i = 0; i < width; ++i)
      value |= (registers[(bit + i) / 32][lane] >> (bit + i) % 32 & 1u) << i;
    return value;
  }
};

// Calls for every element of an operand: lane, first bit, bits, coordinates in the map's order.
template <class F>
void for_elements(const instruction::Instruction& row, Operand operand, F call) {
  const auto map = instruction::isa_fragment(row, operand);
  const auto width = static_cast<unsigned>(row.map(operand).bits);
  const uint64_t elements = map.input_size("element"), registers = map.input_size("register");
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t reg = 0; reg < registers; ++reg)
      for (uint64_t element = 0; element < elements; ++element) {
        const uint64_t point = map.apply(
            map.inputs().pack({{"element", element}, {"register", reg}, {"lane", lane}}).value());
        const auto at = [&](const char* axis) {
          const int number = map.outputs().find(layout::AxisName(axis));
          return number < 0 ? uint64_t{0} : map.outputs().coordinate(point, number);
        };
        call(lane, static_cast<unsigned>(reg * 32 + element * width), width, at);
      }
}

std::string range(int first, int count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

void check_product(const instruction::Instruction& base, int a_format, int b_format) {
  const instruction::Instruction row =
      base.formats.empty() ? base : *instruction::with_formats(base, a_format, b_format);
  SCOPED_TRACE(std::string(row.name) + " " + std::to_string(a_format) + " " +
               std::to_string(b_format));
  Random random(static_cast<uint64_t>(row.k + a_format * 8 + b_format));
  const std::size_t m_size = static_cast<std::size_t>(row.m),
                    k_size = static_cast<std::size_t>(row.k);
  const bool integers = row.a_type == ElementType::iu8, scaled = row.has(Operand::scale_a);
  std::vector<double> a(m_size * k_size), b(k_size * 16), c(m_size * 16), scale_a(m_size * 8, 1),
      scale_b(16 * 8, 1);
  Tuple ra(row.a.registers), rb(row.b.registers), rc(row.map(Operand::c).registers), ri(2), sa(2),
      sb(2);
  std::vector<uint32_t> places(m_size * k_size / 4);
  if (row.is_sparse()) {
    for (uint32_t& each : places) {
      constexpr uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
      each = pairs[random.bits() % 6];
    }
    for_elements(row, Operand::index, [&](auto lane, unsigned bit, unsigned, auto at) {
      ri.put(lane, bit, 4, places[at("m") * k_size / 4 + at("group")]);
    });
    for_elements(row, Operand::a, [&](auto lane, unsigned bit, unsigned width, auto at) {
      const uint32_t index = places[at("m") * k_size / 4 + at("group")];
      for (unsigned i = 0; i < 2; ++i) {
        const uint32_t x = small_bits(row.a_type, random);
        ra.put(lane, bit + i * width / 2, width / 2, x);
        a[at("m") * k_size + 4 * at("group") + (index >> (2 * i) & 3u)] =
            number_of(row.a_type, x, true);
      }
    });
  } else {
    for_elements(row, Operand::a, [&](auto lane, unsigned bit, unsigned width, auto at) {
      const uint32_t x = small_bits(row.a_type, random);
      ra.put(lane, bit, width, x);
      a[at("m") * k_size + at("k")] = number_of(row.a_type, x, true);
    });
  }
  for_elements(row, Operand::b, [&](auto lane, unsigned bit, unsigned width, auto at) {
    const uint32_t x = small_bits(row.b_type, random);
    rb.put(lane, bit, width, x);
    b[at("k") * 16 + at("n")] = number_of(row.b_type, x, false);
  });
  const ElementType c_type = row.type(Operand::c);
  for_elements(row, Operand::c, [&](auto lane, unsigned bit, unsigned width, auto at) {
    const int x = static_cast<int>(random.bits() % 16) - 8;
    const auto value = static_cast<float>(x);
    rc.put(lane, bit, width,
           c_type == ElementType::i32    ? static_cast<uint32_t>(x)
           : c_type == ElementType::f32  ? bits(value)
           : c_type == ElementType::bf16 ? bits(value) >> 16
                                         : std::bit_cast<uint16_t>(static_cast<_Float16>(value)));
    c[at("m") * 16 + at("n")] = x;
  });
  if (scaled) {
    const auto put = [&](Operand operand, Tuple& to, std::vector<double>& values,
                         const char* across) {
      for_elements(row, operand, [&](auto lane, unsigned bit, unsigned width, auto at) {
        const uint32_t x = 126 + random.bits() % 3;
        to.put(lane, bit, width, x);
        // Both of a 16-row operand's halves are filled; the instruction names the second.
        if (at("selector") == 1 || row.map(operand).text.find("selector") == std::string_view::npos)
          values[at(across) * 8 + at("group")] = std::ldexp(1.0, static_cast<int>(x) - 127);
      });
    };
    put(Operand::scale_a, sa, scale_a, "m");
    put(Operand::scale_b, sb, scale_b, "n");
  }
  // v32.. A, v64.. B, v96.. C and D, v128 index, v130 and v132 scales.
  const int scale_registers = scaled ? row.scale_a.registers : 1;
  std::string modifiers;
  if (integers) modifiers += " neg_lo:[1,0,0]";
  constexpr const char* formats[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
  if (!row.formats.empty())
    modifiers += std::string(" matrix_a_fmt:MATRIX_FMT_") + formats[a_format] +
                 " matrix_b_fmt:MATRIX_FMT_" + formats[b_format];
  if (scaled) {
    if (row.m == 16) modifiers += " matrix_a_scale:MATRIX_SCALE_ROW1";
    modifiers += " matrix_b_scale:MATRIX_SCALE_ROW1";
  }
  const bool apart = row.map(Operand::c).registers != row.d.registers && !row.is_sparse();
  const int d_at = apart ? 140 : 96;
  const int index_registers = row.is_sparse() ? row.index.registers : 1;
  // A sparse product is written over C, whose registers it names.
  const int d_named = row.is_sparse() ? row.map(Operand::c).registers : row.d.registers;
  std::string text =
      std::string(row.name) + " " + range(d_at, d_named) + ", " + range(32, row.a.registers) +
      ", " + range(64, row.b.registers) + ", " +
      (row.is_sparse() ? range(128, index_registers) : range(96, row.map(Operand::c).registers));
  if (scaled) text += ", " + range(130, scale_registers) + ", " + range(132, scale_registers);
  text += modifiers;
  std::string code = "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\nv_lshlrev_b32 v1, 2, v0\n";
  std::vector<uint32_t> in;
  const auto load = [&](const Tuple& tuple, int first) {
    for (std::size_t r = 0; r < tuple.registers.size(); ++r) {
      code += "global_load_b32 v" + std::to_string(first + static_cast<int>(r)) +
              ", v1, s[4:5] offset:" + std::to_string(4 * in.size()) + "\n";
      in.insert(in.end(), tuple.registers[r].begin(), tuple.registers[r].end());
    }
  };
  load(ra, 32);
  load(rb, 64);
  load(rc, 96);
  load(ri, 128);
  load(sa, 130);
  load(sb, 132);
  code += "s_wait_loadcnt 0x0\n" + text + "\n";
  for (int r = 0; r < row.d.registers; ++r)
    code += "global_store_b32 v1, v" + std::to_string(d_at + r) +
            ", s[6:7] offset:" + std::to_string(128 * r) + "\n";
  code += "s_endpgm";
  const CodeObject object =
      assemble(kernel_text({{.name = "k", .body = code, .arguments = 2}}, target), target);
  Tuple rd(row.d.registers);
  std::vector<uint32_t> out(32 * static_cast<std::size_t>(row.d.registers));
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out")};
  launch.workgroup = {32, 1, 1};
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << text << "\n" << report.error().text();
  for (std::size_t r = 0; r < rd.registers.size(); ++r)
    std::copy_n(&out[32 * r], 32, rd.registers[r].begin());
  const std::size_t per_group = scaled ? 128 / (row.scale_a.registers * 4) : k_size;
  int wrong = 0;
  for_elements(row, Operand::d, [&](auto lane, unsigned bit, unsigned width, auto at) {
    const std::size_t m = at("m"), n = at("n");
    double sum = c[m * 16 + n];
    for (std::size_t k = 0; k < k_size; ++k)
      sum += a[m * k_size + k] * b[k * 16 + n] * scale_a[m * 8 + k / per_group] *
             scale_b[n * 8 + k / per_group];
    const uint32_t got = rd.get(lane, bit, width);
    const uint32_t expected =
        row.d_type == ElementType::i32    ? static_cast<uint32_t>(static_cast<int32_t>(sum))
        : row.d_type == ElementType::f32  ? bits(static_cast<float>(sum))
        : row.d_type == ElementType::bf16 ? to_bf16(sum)
                                          : std::bit_cast<uint16_t>(static_cast<_Float16>(sum));
    if (got != expected && wrong++ < 3)
      ADD_FAILURE() << text << "\nm " << m << ", n " << n << ": got " << std::hex << got
                    << ", expected " << expected;
  });
}

TEST(Gfx1250Matrix, EveryMatrixInstructionMultiplies) {
  int products = 0;
  for (const instruction::Instruction& row : instruction::gfx1250_instructions) {
    const int formats = row.formats.empty() ? 1 : 5;
    for (int a = 0; a < formats; ++a)
      for (int b = 0; b < formats; ++b, ++products) check_product(row, a, b);
  }
  EXPECT_EQ(products, 43 + 3 * 24);
}

}  // namespace gfx1250_matrix_test
}  // namespace heddle::emulator::testing
