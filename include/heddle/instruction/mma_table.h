// NVIDIA's warp-level multiplies: every mma.sync of PTX.
//
// Sources: PTX ISA 9.0, "Multiply-and-Accumulate Instruction: mma", for what there is and on which
// processors ("Target ISA Notes"); maps as mma_maps.h says. tests/instruction/mma_test.cpp compares
// every map with the formulas of the document and with CUTLASS, and has LLVM 22 compile a call of
// every row with exactly its registers into its mnemonic.
//
// One row below is all instructions of a shape that differ by types only; `mma_instructions` has
// them one by one, with names put together from the row. `.satfinite` of the integer ones and the
// rounding (`.rn` ...) of f64 move nothing and are no rows of their own: names.h accepts names that
// have them.
//
// To add an instruction: a map in mma_maps.h if none fits, and one row in mma_rows.
#pragma once

#include "heddle/instruction/mma_maps.h"

namespace heddle::instruction {

/// The name of a type in PTX, which is ours but for signed integers, tf32 and the small floats.
constexpr std::string_view ptx_name(ElementType type) {
  switch (type) {
    case ElementType::i32:
      return "s32";
    case ElementType::i8:
      return "s8";
    case ElementType::i4:
      return "s4";
    case ElementType::xf32:
      return "tf32";
    case ElementType::fp8:
      return "e4m3";
    case ElementType::bf8:
      return "e5m2";
    case ElementType::fp6:
      return "e2m3";
    case ElementType::bf6:
      return "e3m2";
    case ElementType::fp4:
      return "e2m1";
    case ElementType::e8m0:
      return "ue8m0";
    default:
      return name(type);
  }
}

/// Up to five types of A and B, of which each goes with each.
struct MmaTypes {
  int count;
  std::array<ElementType, 5> types;
};

/// C and D.
struct MmaAccumulator {
  ElementType d_type;
  OperandMap d;
  // Where C differs:
  ElementType c_type;
  OperandMap c{};
};

struct MmaAccumulators {
  int count;
  std::array<MmaAccumulator, 3> pairs;
};

/// All instructions of one shape that differ by types.
struct MmaRow {
  Families families;
  int m, k;  // n is 8
  MmaTypes types;
  MmaAccumulators accumulators;
  OperandMap a, b;
  std::string_view layouts = "row.col";  // A and B in memory, as ldmatrix would load them
  std::string_view operation{};          // ".xor.popc" of single bits
  int blocks = 1;
};

inline constexpr auto mma_rows = [] {
  using namespace mma;
  constexpr Families sm89_on = Family::sm89 | Family::sm90 | Family::sm100 | Family::sm120;
  constexpr Families sm80_on = sm89_on | Family::sm80;
  constexpr Families sm75_on = sm80_on | Family::sm75;
  constexpr Families sm70_on = sm75_on | Family::sm70;
  constexpr Families sm90_on = Family::sm90 | Family::sm100 | Family::sm120;

  constexpr auto one = [](ElementType type) { return MmaTypes{1, {type}}; };
  constexpr MmaTypes f16 = one(ElementType::f16), bf16 = one(ElementType::bf16);
  constexpr MmaTypes tf32 = one(ElementType::xf32), f64 = one(ElementType::f64);
  constexpr MmaTypes b1 = one(ElementType::b1);
  constexpr MmaTypes s8_u8{2, {ElementType::i8, ElementType::u8}};
  constexpr MmaTypes s4_u4{2, {ElementType::i4, ElementType::u4}};
  constexpr MmaTypes e4m3_e5m2{2, {ElementType::fp8, ElementType::bf8}};

  constexpr auto same = [](ElementType type, const OperandMap& map) {
    return MmaAccumulator{type, map, type};
  };
  constexpr MmaAccumulator half = same(ElementType::f16, d16_16x8);
  constexpr MmaAccumulator single = same(ElementType::f32, d32_16x8);
  constexpr MmaAccumulators into_f32{1, {single}};
  constexpr MmaAccumulators into_f16_f32{2, {half, single}};
  constexpr MmaAccumulators into_f64{1, {same(ElementType::f64, d64_16x8)}};
  constexpr MmaAccumulators into_f64_8x8{1, {same(ElementType::f64, d64_8x8)}};
  constexpr MmaAccumulators into_s32{1, {same(ElementType::i32, d32_16x8)}};
  constexpr MmaAccumulators into_s32_8x8{1, {same(ElementType::i32, d32_8x8)}};
  constexpr MmaAccumulators volta{
      3,
      {same(ElementType::f16, d16_8x8_4b), same(ElementType::f32, d32_8x8_4b),
       MmaAccumulator{ElementType::f32, d32_8x8_4b, ElementType::f16, d16_8x8_4b}}};

  // clang-format off
  return std::array{
      // families, m, k, types of A and B, accumulators, maps of A and B
      MmaRow{sm70_on, 8, 4, f16, volta, a16_rows_8x4_4b, b16_columns_4x8_4b, "row.col", "", 4},
      MmaRow{sm70_on, 8, 4, f16, volta, a16_rows_8x4_4b, b16_rows_4x8_4b, "row.row", "", 4},
      MmaRow{sm70_on, 8, 4, f16, volta, a16_columns_8x4_4b, b16_columns_4x8_4b, "col.col", "", 4},
      MmaRow{sm70_on, 8, 4, f16, volta, a16_columns_8x4_4b, b16_rows_4x8_4b, "col.row", "", 4},
      MmaRow{sm75_on, 16, 8, f16, into_f16_f32, a16_16x8, b16_8x8},
      MmaRow{sm80_on, 16, 16, f16, into_f16_f32, a16_16x16, b16_16x8},
      MmaRow{sm80_on, 16, 8, bf16, into_f32, a16_16x8, b16_8x8},
      MmaRow{sm80_on, 16, 16, bf16, into_f32, a16_16x16, b16_16x8},
      MmaRow{sm80_on, 16, 4, tf32, into_f32, a32_16x4, b32_4x8},
      MmaRow{sm80_on, 16, 8, tf32, into_f32, a32_16x8, b32_8x8},
      MmaRow{sm80_on, 8, 4, f64, into_f64_8x8, a64_8x4, b64_4x8},
      MmaRow{sm90_on, 16, 4, f64, into_f64, a64_16x4, b64_4x8},
      MmaRow{sm90_on, 16, 8, f64, into_f64, a64_16x8, b64_8x8},
      MmaRow{sm90_on, 16, 16, f64, into_f64, a64_16x16, b64_16x8},
      MmaRow{sm75_on, 8, 16, s8_u8, into_s32_8x8, a8_8x16, b8_16x8},
      MmaRow{sm80_on, 16, 16, s8_u8, into_s32, a8_16x16, b8_16x8},
      MmaRow{sm80_on, 16, 32, s8_u8, into_s32, a8_16x32, b8_32x8},
      MmaRow{sm75_on, 8, 32, s4_u4, into_s32_8x8, a4_8x32, b4_32x8},
      MmaRow{sm80_on, 16, 32, s4_u4, into_s32, a4_16x32, b4_32x8},
      MmaRow{sm80_on, 16, 64, s4_u4, into_s32, a4_16x64, b4_64x8},
      MmaRow{sm75_on, 8, 128, b1, into_s32_8x8, a1_8x128, b1_128x8, "row.col", ".xor.popc"},
      MmaRow{sm80_on, 16, 128, b1, into_s32, a1_16x128, b1_128x8, "row.col", ".xor.popc"},
      MmaRow{sm80_on, 16, 256, b1, into_s32, a1_16x256, b1_256x8, "row.col", ".xor.popc"},
      MmaRow{sm80_on, 8, 128, b1, into_s32_8x8, a1_8x128, b1_128x8, "row.col", ".and.popc"},
      MmaRow{sm80_on, 16, 128, b1, into_s32, a1_16x128, b1_128x8, "row.col", ".and.popc"},
      MmaRow{sm80_on, 16, 256, b1, into_s32, a1_16x256, b1_256x8, "row.col", ".and.popc"},
      MmaRow{sm89_on, 16, 16, e4m3_e5m2, into_f16_f32, a8_16x16, b8_16x8},
      MmaRow{sm89_on, 16, 32, e4m3_e5m2, into_f16_f32, a8_16x32, b8_32x8},
  };
  // clang-format on
}();

/// Instructions of a row.
constexpr int size(const MmaRow& row) {
  return row.types.count * row.types.count * row.accumulators.count;
}

inline constexpr int mma_instruction_count = [] {
  int count = 0;
  for (const MmaRow& row : mma_rows) count += size(row);
  return count;
}();

/// Calls `use(row, a, b, accumulator)` for every instruction, in the order of the catalogue.
constexpr void for_each_mma(auto use) {
  for (const MmaRow& row : mma_rows)
    for (int i = 0; i < row.accumulators.count; ++i)
      for (int a = 0; a < row.types.count; ++a)
        for (int b = 0; b < row.types.count; ++b)
          use(row, row.types.types[static_cast<std::size_t>(a)],
              row.types.types[static_cast<std::size_t>(b)],
              row.accumulators.pairs[static_cast<std::size_t>(i)]);
}

/// Appends the mnemonic: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.
constexpr void append_mma_name(auto& text, const MmaRow& row, ElementType a, ElementType b,
                               const MmaAccumulator& accumulator) {
  text.append("mma.sync.aligned.m");
  text.append_number(row.m);
  text.append("n8k");
  text.append_number(row.k);
  text.append(".");
  text.append(row.layouts);
  for (const ElementType type : {accumulator.d_type, a, b, accumulator.c_type}) {
    text.append(".");
    text.append(ptx_name(type));
  }
  text.append(row.operation);
}

/// Appends LLVM's name: llvm.nvvm.mma.m16n8k16.row.col.f32.f32, with as many types as tell one from
/// the others: of 8-bit floats D, A, B and C, of f16 D and C, else A, and B where it differs.
constexpr void append_mma_intrinsic(auto& text, const MmaRow& row, ElementType a, ElementType b,
                                    const MmaAccumulator& accumulator) {
  text.append("llvm.nvvm.mma");
  text.append(row.operation);
  text.append(".m");
  text.append_number(row.m);
  text.append("n8k");
  text.append_number(row.k);
  text.append(".");
  text.append(row.layouts);
  const auto append_type = [&](ElementType type) {
    text.append(".");
    text.append(ptx_name(type));
  };
  const bool small_float = ptx_name(a).starts_with('e');
  const bool by_accumulator = small_float || a == ElementType::f16;
  if (by_accumulator) append_type(accumulator.d_type);
  if (a != ElementType::f16) append_type(a);
  if (small_float || a != b) append_type(b);
  if (by_accumulator) append_type(accumulator.c_type);
}

/// Characters that are appended one after the other; without storage it only counts.
template <std::size_t capacity>
struct MmaText {
  char characters[capacity == 0 ? 1 : capacity]{};
  std::size_t size = 0;

  constexpr void append(std::string_view text) {
    if constexpr (capacity > 0) {
      for (std::size_t i = 0; i < text.size(); ++i) characters[size + i] = text[i];
    }
    size += text.size();
  }
  constexpr void append_number(int number) {
    if (number >= 10) append_number(number / 10);
    const char digit = static_cast<char>('0' + number % 10);
    append({&digit, 1});
  }
};

/// Name and intrinsic of every instruction, one after the other.
template <std::size_t capacity>
constexpr MmaText<capacity> mma_text() {
  MmaText<capacity> text;
  for_each_mma([&](const MmaRow& row, ElementType a, ElementType b, const MmaAccumulator& d) {
    append_mma_name(text, row, a, b, d);
    append_mma_intrinsic(text, row, a, b, d);
  });
  return text;
}

inline constexpr auto mma_names = mma_text<mma_text<0>().size>();

/// The rows of the catalogue, in the order of mma_rows.
inline constexpr auto mma_instructions = [] {
  std::array<Instruction, mma_instruction_count> all{};
  std::size_t count = 0;
  const char* next = mma_names.characters;
  for_each_mma([&](const MmaRow& row, ElementType a, ElementType b, const MmaAccumulator& d) {
    MmaText<0> name, intrinsic;
    append_mma_name(name, row, a, b, d);
    append_mma_intrinsic(intrinsic, row, a, b, d);
    Instruction& into = all[count++];
    into.name = {next, name.size};
    into.intrinsic = {next + name.size, intrinsic.size};
    next += name.size + intrinsic.size;
    into.families = row.families;
    into.wave = 32;
    into.m = row.m;
    into.n = 8;
    into.k = row.k;
    into.blocks = row.blocks;
    into.a_type = a;
    into.b_type = b;
    into.d_type = d.d_type;
    into.a = row.a;
    into.b = row.b;
    into.d = d.d;
    into.c = d.c;
    into.c_type = d.c_type;
    into.constraints = static_cast<std::uint16_t>(Constraint::converged_warp);
    into.witnesses = static_cast<std::uint16_t>(static_cast<int>(Witness::document) |
                                                static_cast<int>(Witness::llvm));
  });
  return all;
}();

}  // namespace heddle::instruction
