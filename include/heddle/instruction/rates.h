// Speed: the number of multiply-adds that one compute unit (AMD: CU, NVIDIA: SM) performs in a
// clock cycle, as published. No figure is measured or guessed: if no document has a figure, there
// is none.
//
//   if (const auto published = rate(row, Target::gfx942))
//     print(published->multiply_adds, rate_unit(Target::gfx942), published->source);
//
// To add a figure: add a line to rate_rows with its document. A second document that agrees with it
// (a product's peak, AMD's cycles) goes into tests/instruction/rates_test.cpp.
//
// v_mfma_f32_32x32x8_f16 on gfx942, from AMD's CDNA 3 white paper:
//
//     rate(row, Target::gfx942)->multiply_adds      1024 a clock and compute unit
//     matrix_cycles(row, Target::gfx942)            32: 32 * 32 * 8 multiply-adds by one of 4 units
//     co_execution(row, Target::gfx942)             from cycle 4 on, 28 cycles for others
//
// FROM A RATE TO A PEAK: two operations a multiply-add, times the units, times the clock.
//
//     MI300X, f16    1024 * 2 * 304 CUs * 2.10 GHz     1307 TFLOP/s
//     H100, f16      2048 * 2 * 132 SMs * 1.83 GHz      989 TFLOP/s
//
// For a sparse A, the published figures also count multiplications by the zeros that A leaves out.
// So they are up to twice as high, although no more is multiplied.
//
// A rate is an upper bound. Memory, LDS and waiting reduce it, which is not described here.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {

/// Distinguishes instructions of the same types that differ in k, or in whether they multiply
/// several matrices. The one with the largest k is usually the newest and the fastest. Instructions
/// with a smaller k that were kept from older processors may be slower.
enum class Form : std::uint8_t {
  deepest = 1,         // no other of the same m, n, blocks and types has a larger k
  shallow = 2,         // another has
  several_blocks = 4,  // the same of those that multiply several matrices
  several_blocks_shallow = 8,
};

inline constexpr std::uint8_t any_form = 15;

/// The form of a dense or sparse multiplication, compared with the other instructions of `target`.
constexpr Form form(const Instruction& row, Target target) {
  for (const Instruction& other : all_instructions()) {
    const bool alike = other.is_of(processor(target).family) && other.kind == row.kind &&
                       other.wave == row.wave && other.m == row.m && other.n == row.n &&
                       other.blocks == row.blocks && other.a_type == row.a_type &&
                       other.b_type == row.b_type && other.d_type == row.d_type &&
                       other.is_sparse() == row.is_sparse();
    if (alike && other.k > row.k)
      return row.blocks > 1 ? Form::several_blocks_shallow : Form::shallow;
  }
  return row.blocks > 1 ? Form::several_blocks : Form::deepest;
}

/// The type under which documents publish a rate: they do not distinguish the encodings of 8-bit
/// floats, nor signed from unsigned integers.
constexpr ElementType published_type(ElementType type) {
  switch (type) {
    case ElementType::bf8:
    case ElementType::fp8_fnuz:
    case ElementType::bf8_fnuz:
      return ElementType::fp8;
    case ElementType::bf6:
      return ElementType::fp6;
    case ElementType::iu8:
    case ElementType::u8:
      return ElementType::i8;
    case ElementType::iu4:
    case ElementType::u4:
      return ElementType::i4;
    default:
      return type;
  }
}

/// A set of processors. A processor or a family converts to Targets implicitly, so that a row of
/// the table may name a processor or a family.
struct Targets {
  std::uint64_t bits = 0;

  constexpr Targets(Target target) : bits(std::uint64_t{1} << static_cast<unsigned>(target)) {}
  constexpr Targets(Family family) {
    for (const ProcessorRow& row : processor_rows)
      if (row.family == family) bits |= Targets(row.target).bits;
  }
  constexpr bool contains(Target target) const { return (bits & Targets(target).bits) != 0; }
};

/// One published figure.
struct RateRow {
  Targets targets;
  ElementType type;                 // of A and B, as published_type has it
  std::optional<ElementType> into;  // the type of D it is for; without one, every
  std::uint8_t forms;
  int multiply_adds;  // a clock and compute unit, of a dense A
  int sparse;         // times as many of a sparse A, those with its zeros counted; 1: no figure
  std::string_view source;
};

// clang-format off
/// AMD publishes operations per clock and CU; a multiply-add is two operations. NVIDIA publishes
/// the same up to the A100. The later NVIDIA figures are a product's peak divided by its SMs and
/// its boost clock, which the source names. The figures for GeForce are those of `Target`'s
/// product: other products with the same instruction set may accumulate f32 twice as fast.
inline constexpr auto rate_rows = [] {
  using enum ElementType;
  using enum Target;
  constexpr std::optional<ElementType> any;
  constexpr auto deepest = static_cast<std::uint8_t>(Form::deepest);
  constexpr auto shallow = static_cast<std::uint8_t>(Form::shallow);
  constexpr auto blocks = static_cast<std::uint8_t>(Form::several_blocks);
  constexpr std::uint8_t all_shallow = shallow | static_cast<std::uint8_t>(Form::several_blocks_shallow);
  constexpr std::string_view calculator = "AMD matrix instruction calculator 1.3.2, execution cycles";
  constexpr std::string_view rdna3 = "AMD GPUOpen, How to accelerate AI applications on RDNA 3 using WMMA, table of FLOPS/clock/CU";
  constexpr std::string_view cdna1 = "Introducing AMD CDNA Architecture (white paper), table 1";
  constexpr std::string_view cdna2 = "Introducing AMD CDNA 2 Architecture (white paper), table 1";
  constexpr std::string_view cdna3 = "AMD CDNA 3 Architecture (white paper), table 1";
  constexpr std::string_view cdna4 = "Introducing AMD CDNA 4 Architecture (white paper), table 1";
  constexpr std::string_view v100 = "NVIDIA Tesla V100 GPU Architecture (white paper), Tensor Cores";
  constexpr std::string_view turing = "NVIDIA Turing GPU Architecture (white paper), Turing Tensor Cores";
  constexpr std::string_view t4 = "NVIDIA T4 data sheet: 260 TOPS, 40 SMs, 1590 MHz";
  constexpr std::string_view a100 = "NVIDIA A100 Tensor Core GPU Architecture (white paper), A100 SM Architecture and table 1: 108 SMs, 1410 MHz";
  constexpr std::string_view ga102 = "NVIDIA Ampere GA102 GPU Architecture (white paper), table 2: RTX 3090, 82 SMs, 1695 MHz";
  constexpr std::string_view ada = "NVIDIA Ada GPU Architecture (white paper 2.1), appendix A: RTX 4090, 128 SMs, 2520 MHz";
  constexpr std::string_view h100 = "NVIDIA H100 Tensor Core GPU Architecture (white paper), table 1: H100 SXM5, 132 SMs, 1830 MHz, of f64 1980 MHz";
  constexpr std::string_view rtx50 = "NVIDIA RTX Blackwell GPU Architecture (white paper 1.1), appendix A: RTX 5090, 170 SMs, 2407 MHz";
  return std::array{
      RateRow{Family::gfx11, f16, any, any_form, 256, 1, rdna3},
      RateRow{Family::gfx11, bf16, any, any_form, 256, 1, rdna3},
      RateRow{Family::gfx11, i8, any, any_form, 256, 1, rdna3},
      RateRow{Family::gfx11, i4, any, any_form, 512, 1, rdna3},
      RateRow{Family::gfx12, f16, any, any_form, 512, 2, calculator},
      RateRow{Family::gfx12, bf16, any, any_form, 512, 2, calculator},
      RateRow{Family::gfx12, i8, any, any_form, 1024, 2, calculator},
      RateRow{Family::gfx12, fp8, any, any_form, 1024, 2, calculator},
      RateRow{Family::gfx12, i4, any, deepest, 2048, 2, calculator},
      RateRow{Family::gfx12, i4, any, shallow, 1024, 2, calculator},

      RateRow{gfx908, f32, any, any_form, 128, 1, cdna1},
      RateRow{gfx908, f16, any, any_form, 512, 1, cdna1},
      RateRow{gfx908, bf16, any, any_form, 256, 1, cdna1},
      RateRow{gfx908, i8, any, any_form, 512, 1, cdna1},
      RateRow{gfx90a, f64, any, deepest, 128, 1, cdna2},
      RateRow{gfx90a, f64, any, blocks, 64, 1, calculator},
      RateRow{gfx90a, f32, any, any_form, 128, 1, cdna2},
      RateRow{gfx90a, f16, any, any_form, 512, 1, cdna2},
      RateRow{gfx90a, bf16, any, deepest | blocks, 512, 1, cdna2},
      RateRow{gfx90a, bf16, any, all_shallow, 256, 1, calculator},
      RateRow{gfx90a, i8, any, any_form, 512, 1, cdna2},
      RateRow{gfx942, f64, any, deepest, 128, 1, cdna3},
      RateRow{gfx942, f64, any, blocks, 64, 1, calculator},
      RateRow{gfx942, f32, any, any_form, 128, 1, cdna3},
      RateRow{gfx942, xf32, any, deepest, 512, 1, cdna3},
      RateRow{gfx942, f16, any, deepest, 1024, 2, cdna3},
      RateRow{gfx942, f16, any, blocks, 512, 1, calculator},
      RateRow{gfx942, bf16, any, deepest, 1024, 2, cdna3},
      RateRow{gfx942, bf16, any, blocks, 512, 1, calculator},
      RateRow{gfx942, i8, any, deepest, 2048, 2, cdna3},
      RateRow{gfx942, i8, any, blocks, 512, 1, calculator},
      RateRow{gfx942, fp8, any, deepest, 2048, 2, cdna3},
      RateRow{gfx950, f64, any, deepest, 64, 1, cdna4},
      RateRow{gfx950, f32, any, deepest, 128, 1, cdna4},
      RateRow{gfx950, f16, any, deepest, 2048, 2, cdna4},
      RateRow{gfx950, bf16, any, deepest, 2048, 2, cdna4},
      RateRow{gfx950, i8, any, deepest, 4096, 2, cdna4},
      RateRow{gfx950, fp8, any, deepest, 4096, 2, cdna4},
      RateRow{gfx950, fp6, any, deepest, 8192, 1, cdna4},
      RateRow{gfx950, fp4, any, deepest, 8192, 1, cdna4},

      RateRow{sm_70, f16, any, any_form, 512, 1, v100},
      RateRow{sm_75, f16, any, deepest, 512, 1, turing},
      RateRow{sm_75, i8, any, deepest, 1024, 1, turing},
      RateRow{sm_75, i4, any, deepest, 2048, 1, t4},
      RateRow{sm_80, f64, any, deepest, 64, 1, a100},
      RateRow{sm_80, xf32, any, deepest, 512, 2, a100},
      RateRow{sm_80, f16, any, deepest, 1024, 2, a100},
      RateRow{sm_80, bf16, any, deepest, 1024, 2, a100},
      RateRow{sm_80, i8, any, deepest, 2048, 2, a100},
      RateRow{sm_80, i4, any, deepest, 4096, 2, a100},
      RateRow{sm_80, b1, any, deepest, 16384, 1, a100},
      RateRow{sm_86, xf32, any, deepest, 128, 2, ga102},
      RateRow{sm_86, f16, f16, deepest, 512, 2, ga102},
      RateRow{sm_86, f16, f32, deepest, 256, 2, ga102},
      RateRow{sm_86, bf16, any, deepest, 256, 2, ga102},
      RateRow{sm_86, i8, any, deepest, 1024, 2, ga102},
      RateRow{sm_86, i4, any, deepest, 2048, 2, ga102},
      RateRow{sm_89, xf32, any, deepest, 128, 2, ada},
      RateRow{sm_89, f16, f16, deepest, 512, 2, ada},
      RateRow{sm_89, f16, f32, deepest, 256, 2, ada},
      RateRow{sm_89, bf16, any, deepest, 256, 2, ada},
      RateRow{sm_89, fp8, f16, deepest, 1024, 2, ada},
      RateRow{sm_89, fp8, f32, deepest, 512, 2, ada},
      RateRow{sm_89, i8, any, deepest, 1024, 2, ada},
      RateRow{sm_89, i4, any, deepest, 2048, 2, ada},
      RateRow{Family::sm90, f64, any, deepest, 128, 1, h100},
      RateRow{Family::sm90, xf32, any, deepest, 1024, 2, h100},
      RateRow{Family::sm90, f16, any, deepest, 2048, 2, h100},
      RateRow{Family::sm90, bf16, any, deepest, 2048, 2, h100},
      RateRow{Family::sm90, fp8, any, deepest, 4096, 2, h100},
      RateRow{Family::sm90, i8, any, deepest, 4096, 2, h100},
      RateRow{sm_120, xf32, any, deepest, 128, 2, rtx50},
      RateRow{sm_120, f16, f16, deepest, 512, 2, rtx50},
      RateRow{sm_120, f16, f32, deepest, 256, 2, rtx50},
      RateRow{sm_120, bf16, any, deepest, 256, 2, rtx50},
      RateRow{sm_120, fp8, f16, deepest, 1024, 2, rtx50},
      RateRow{sm_120, fp8, f32, deepest, 512, 2, rtx50},
      RateRow{sm_120, fp4, f32, deepest, 2048, 2, rtx50},
      RateRow{sm_120, i8, any, deepest, 1024, 2, rtx50},
  };
}();
// clang-format on

/// The published rate of an instruction on a processor, which is an upper bound. For a sparse A,
/// `multiply_adds` also counts multiplications by the zeros that A leaves out.
struct Rate {
  int multiply_adds;
  std::string_view source;
};

/// The rate of `row` on `target`, or nothing if no document has it. There are no rates for A and B
/// of different types, nor for a sparse A without a published sparse figure.
constexpr std::optional<Rate> rate(const Instruction& row, Target target) {
  const ElementType type = published_type(row.a_type);
  if (row.kind != Kind::multiply || published_type(row.b_type) != type) return std::nullopt;
  for (const RateRow& published : rate_rows) {
    const bool types = published.type == type && published.into.value_or(row.d_type) == row.d_type;
    if (!types || !published.targets.contains(target)) continue;
    if ((published.forms & static_cast<std::uint8_t>(form(row, target))) == 0) continue;
    if (!row.is_sparse()) return Rate{published.multiply_adds, published.source};
    if (published.sparse > 1)
      return Rate{published.multiply_adds * published.sparse, published.source};
  }
  return std::nullopt;
}

/// The hardware unit to which a rate refers: "CU" or "SM".
constexpr std::string_view rate_unit(Target target) {
  return is_nvidia(processor(target).family) ? "SM" : "CU";
}

/// The SIMDs of a compute unit; each has a matrix unit. 0 for NVIDIA, whose documents only give the
/// rate of an SM, and for gfx1250, for which no document gives a rate. Sources: AMD, "RDNA
/// Architecture" white paper (2 SIMDs of a CU); "Introducing AMD CDNA Architecture" white paper
/// (4).
constexpr int matrix_units(Target target) {
  const Family family = processor(target).family;
  return is_rdna(family) || is_cdna(family) ? instruction::row(family).simds : 0;
}

/// The number of cycles for which the instruction occupies the matrix unit of one SIMD, before the
/// next instruction can follow. This number is calculated from the rate; nothing if no document has
/// the rate. The test compares the number with AMD's calculator, which calls it execution cycles.
constexpr std::optional<int> matrix_cycles(const Instruction& row, Target target) {
  const auto published = rate(row, target);
  const int units = matrix_units(target);
  if (!published || units == 0 || row.kind != Kind::multiply) return std::nullopt;
  return row.m * row.n * row.k * row.blocks * units / published->multiply_adds;
}

/// When instructions of the vector ALU issue in parallel with a matrix instruction of the same
/// SIMD.
struct CoExecution {
  int first_cycle;  // after which the next vector instruction can issue; 0: once the matrix unit is
                    // free
  std::optional<int>
      cycles;  // left to vector instructions; nothing where the rate is not published
  std::string_view source;
};

/// When instructions of the vector ALU can issue in parallel with `row`. Nothing for gfx1250 and
/// NVIDIA, for which no document says it. CDNA3 and CDNA4 first read A and B, which takes 4 cycles
/// for each 16 bytes of a lane. The test compares all instructions of CDNA1 to 3 and RDNA with the
/// calculator.
constexpr std::optional<CoExecution> co_execution(const Instruction& row, Target target) {
  constexpr std::string_view calculator =
      "AMD matrix instruction calculator 1.3.2, VALU co-execution";
  constexpr std::string_view traces =
      "llvm/llvm-project, pull request 233721, MFMA VALU issue cycle helpers: thread traces of an "
      "MI308X and an MI350X";
  const Family family = row.family();
  if (row.kind != Kind::multiply || !(is_rdna(family) || is_cdna(family))) return std::nullopt;
  const bool is_f64 = row.a_type == ElementType::f64;
  const int widest = 4 * std::max(row.a.registers, row.b.registers);  // bytes of a lane
  int first = 0;
  if (target == Target::gfx908) first = 8;
  if (target == Target::gfx90a && !is_f64) first = 4;
  const bool by_traces = target == Target::gfx942 || target == Target::gfx950;
  if (by_traces && !is_f64 && row.a_type != ElementType::f32) first = 4 * (1 + widest / 16);
  const std::string_view source = target == Target::gfx950 ? traces : calculator;
  const auto taken = matrix_cycles(row, target);
  if (taken && first >= *taken) first = 0;
  if (first == 0) return CoExecution{0, 0, source};
  return CoExecution{first, taken ? std::optional(*taken - first) : std::nullopt, source};
}

/// The number of cycles until the result is ready, according to LLVM's scheduler model of gfx1250.
/// AMD has not published rates for gfx1250 yet, but AMD's engineers maintain the scheduler model.
struct Latency {
  int cycles;
  int of_fp4;  // where the formats are chosen with the instruction and both are fp4; else `cycles`
  std::string_view source;
};

/// The latency on gfx1250. Nothing for other processors, and for instructions that the source does
/// not mention: those of f32 and integers, 32x16x128, and sparse ones.
constexpr std::optional<Latency> latency(const Instruction& row, Target target) {
  constexpr std::string_view source =
      "llvm/llvm-project, pull request 202522, Fix gfx1250 WMMA latencies (merged in 2026)";
  if (!has(processor(target).family, Feature::gfx1250_code) || row.kind != Kind::multiply ||
      row.is_sparse() || row.m != 16)
    return std::nullopt;
  if (!row.formats.empty()) return Latency{8, 4, source};
  const ElementType a = published_type(row.a_type), b = published_type(row.b_type);
  const bool is_16_bits = a == b && (a == ElementType::f16 || a == ElementType::bf16);
  if (is_16_bits && row.k == 32) return Latency{8, 8, source};
  const auto is_small = [](ElementType type) {
    return type == ElementType::fp8 || type == ElementType::fp6 || type == ElementType::fp4;
  };
  if (!is_small(a) || !is_small(b)) return std::nullopt;
  const bool is_fp8 = a == ElementType::fp8 && b == ElementType::fp8;
  if (row.k == 64 && is_fp8) return Latency{4, 4, source};
  if (row.k != 128) return std::nullopt;
  const int cycles = a == ElementType::fp4 && b == ElementType::fp4 ? 4 : 8;
  return Latency{cycles, cycles, source};
}

}  // namespace heddle::instruction
