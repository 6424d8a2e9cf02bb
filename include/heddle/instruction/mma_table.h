// NVIDIA's warp-level multiplies: every mma.sync of PTX.
//
// Sources: PTX ISA 9.0, "Multiply-and-Accumulate Instruction: mma", for the instructions and their
// processors ("Target ISA Notes"); for the maps see mma_maps.h. tests/instruction/mma_test.cpp
// compares every map with the formulas of the document and with CUTLASS. It also has LLVM 22
// compile a call of each row, with exactly its registers, and compares the mnemonic.
//
// One row below stands for all instructions of a shape that differ only in types.
// `mma_instructions` lists them one by one and makes their names from the row. `.satfinite` of the
// integer instructions and the rounding (`.rn` ...) of f64 do not change layouts, so they have no
// rows of their own: names.h accepts names with them.
//
// READING A NAME: mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 multiplies A of 16 x 32 by B of
// 32 x 8; the types are those of D, A, B and C. "row.col" is how ldmatrix would find the two in
// memory: A row-major and B column-major, so that k is contiguous for both.
//
//     m, n, k of 16 bits     registers of A, B, D in f32     since
//     8, 8, 4 (4 blocks)     2, 2, 8                         sm_70
//     16, 8, 8               2, 1, 4                         sm_75
//     16, 8, 16              4, 2, 4                         sm_80
//
// Narrower elements have a larger k in the same registers: k = 16 of 16 bits is k = 32 of 8 bits,
// 64 of 4 bits and 256 of single bits. So all these maps follow one rule: a lane's register holds
// 32 bits that are consecutive in k.
//
// To add an instruction: a map in mma_maps.h if none fits, and one row in mma_rows.
#pragma once

#include "heddle/instruction/generated_text.h"
#include "heddle/instruction/mma_maps.h"

namespace heddle::instruction {

/// Up to five types. Every pair of them is possible as the types of A and B.
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

/// The first parts of names in PTX and in LLVM. For a sparse A there are two variants, which
/// require different orders of the metadata.
struct MmaBeginnings {
  int count;
  std::array<std::string_view, 2> ptx, llvm;
};

inline constexpr MmaBeginnings mma_dense{1, {"mma"}, {"llvm.nvvm.mma"}};
inline constexpr MmaBeginnings mma_ordered{
    1, {"mma.sp::ordered_metadata"}, {"llvm.nvvm.mma.sp.ordered.metadata"}};
inline constexpr MmaBeginnings mma_sparse{
    2, {"mma.sp", mma_ordered.ptx[0]}, {"llvm.nvvm.mma.sp", mma_ordered.llvm[0]}};

/// The further parts of a name.
struct MmaForm {
  MmaBeginnings beginnings = mma_dense;
  std::string_view layouts = "row.col";  // A and B in memory, as ldmatrix would load them
  std::string_view operation{};          // ".xor.popc" of single bits
  int blocks = 1;
  std::string_view kind{};  // "f8f6f4"
  char scales = 0;          // '2': so many along k
  ElementType scale_type{};
  bool in_llvm = true;  // LLVM 22 has an intrinsic
};

/// All instructions of one shape that differ only in types and, for a sparse A, in the order of the
/// metadata.
struct MmaRow {
  Families families;
  int m, k;  // n is 8
  MmaTypes types;
  MmaAccumulators accumulators;
  OperandMap a, b;
  MmaForm form{};
  OperandMap index{};
  OperandMap scale_a{}, scale_b{};
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
  constexpr MmaTypes f8f6f4{
      5,
      {ElementType::fp8, ElementType::bf8, ElementType::bf6, ElementType::fp6, ElementType::fp4}};
  constexpr MmaTypes e2m1 = one(ElementType::fp4);

  constexpr auto same = [](ElementType type, const OperandMap& map) {
    return MmaAccumulator{type, map, type};
  };
  constexpr MmaAccumulator half = same(ElementType::f16, d16_16x8);
  constexpr MmaAccumulator single = same(ElementType::f32, d32_16x8);
  constexpr MmaAccumulators into_f32{1, {single}};
  constexpr MmaAccumulators into_f16{1, {half}};
  constexpr MmaAccumulators into_f16_f32{2, {half, single}};
  constexpr MmaAccumulators into_f64{1, {same(ElementType::f64, d64_16x8)}};
  constexpr MmaAccumulators into_f64_8x8{1, {same(ElementType::f64, d64_8x8)}};
  constexpr MmaAccumulators into_s32{1, {same(ElementType::i32, d32_16x8)}};
  constexpr MmaAccumulators into_s32_8x8{1, {same(ElementType::i32, d32_8x8)}};
  constexpr MmaAccumulators volta{
      3,
      {same(ElementType::f16, d16_8x8_4b), same(ElementType::f32, d32_8x8_4b),
       MmaAccumulator{ElementType::f32, d32_8x8_4b, ElementType::f16, d16_8x8_4b}}};

  constexpr auto volta_form = [](std::string_view layouts) {
    return MmaForm{mma_dense, layouts, "", 4};
  };
  constexpr auto bits = [](std::string_view operation) {
    return MmaForm{mma_dense, "row.col", operation};
  };
  constexpr MmaForm sparse{mma_sparse};
  constexpr MmaForm ordered_outside_llvm{mma_ordered, "row.col", "", 1, "", 0, {}, false};
  constexpr auto of_kind = [](const MmaBeginnings& beginnings, std::string_view kind,
                              char scales = 0, ElementType type = {}, bool in_llvm = true) {
    return MmaForm{beginnings, "row.col", "", 1, kind, scales, type, in_llvm};
  };
  constexpr ElementType ue8m0 = ElementType::e8m0, ue4m3 = ElementType::ue4m3;
  constexpr OperandMap no_index{};
  constexpr Family sm120 = Family::sm120;

  // clang-format off
  return std::array{
      // columns: families, m, k, types of A and B, accumulators, maps of A and B
      MmaRow{sm70_on, 8, 4, f16, volta, a16_rows_8x4_4b, b16_columns_4x8_4b, volta_form("row.col")},
      MmaRow{sm70_on, 8, 4, f16, volta, a16_rows_8x4_4b, b16_rows_4x8_4b, volta_form("row.row")},
      MmaRow{sm70_on, 8, 4, f16, volta, a16_columns_8x4_4b, b16_columns_4x8_4b, volta_form("col.col")},
      MmaRow{sm70_on, 8, 4, f16, volta, a16_columns_8x4_4b, b16_rows_4x8_4b, volta_form("col.row")},
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
      MmaRow{sm75_on, 8, 128, b1, into_s32_8x8, a1_8x128, b1_128x8, bits(".xor.popc")},
      MmaRow{sm80_on, 16, 128, b1, into_s32, a1_16x128, b1_128x8, bits(".xor.popc")},
      MmaRow{sm80_on, 16, 256, b1, into_s32, a1_16x256, b1_256x8, bits(".xor.popc")},
      MmaRow{sm80_on, 8, 128, b1, into_s32_8x8, a1_8x128, b1_128x8, bits(".and.popc")},
      MmaRow{sm80_on, 16, 128, b1, into_s32, a1_16x128, b1_128x8, bits(".and.popc")},
      MmaRow{sm80_on, 16, 256, b1, into_s32, a1_16x256, b1_256x8, bits(".and.popc")},
      MmaRow{sm89_on, 16, 16, e4m3_e5m2, into_f16_f32, a8_16x16, b8_16x8},
      MmaRow{sm89_on, 16, 32, e4m3_e5m2, into_f16_f32, a8_16x32, b8_32x8},
      // sparse A, with the map of its index
      MmaRow{sm80_on, 16, 16, f16, into_f16_f32, sparse_a32_16x4, b16_16x8, sparse, index_16x4},
      MmaRow{sm80_on, 16, 32, f16, into_f16_f32, sparse_a32_16x8, b16_32x8, sparse, index_16x8},
      MmaRow{sm80_on, 16, 16, bf16, into_f32, sparse_a32_16x4, b16_16x8, sparse, index_16x4},
      MmaRow{sm80_on, 16, 32, bf16, into_f32, sparse_a32_16x8, b16_32x8, sparse, index_16x8},
      MmaRow{sm80_on, 16, 8, tf32, into_f32, sparse_a32_16x4, b32_8x8, sparse, index_16x4},
      MmaRow{sm80_on, 16, 16, tf32, into_f32, sparse_a32_16x8, b32_16x8, sparse, index_16x8},
      MmaRow{sm80_on, 16, 32, s8_u8, into_s32, sparse_a16_16x8, b8_32x8, sparse, index_16x8_of_bytes},
      MmaRow{sm80_on, 16, 64, s8_u8, into_s32, sparse_a16_16x16, b8_64x8, sparse, index_16x16},
      MmaRow{sm80_on, 16, 64, s4_u4, into_s32, sparse_a16_16x8, b4_64x8, sparse, index_16x8_of_bytes},
      MmaRow{sm80_on, 16, 128, s4_u4, into_s32, sparse_a16_16x16, b4_128x8, sparse, index_16x16},
      MmaRow{sm89_on, 16, 64, e4m3_e5m2, into_f32, sparse_a16_16x16, b8_64x8, sparse, index_16x16},
      MmaRow{sm120, 16, 64, e4m3_e5m2, into_f16, sparse_a16_16x16, b8_64x8, ordered_outside_llvm, index_16x16},
      // with .kind::f8f6f4: A and B have any two types of small floats, and each element takes a
      // byte
      MmaRow{sm120, 16, 32, f8f6f4, into_f16_f32, a8_16x32, b8_32x8, of_kind(mma_dense, "f8f6f4")},
      MmaRow{sm120, 16, 64, f8f6f4, into_f16_f32, sparse_a16_16x16, b8_64x8, of_kind(mma_ordered, "f8f6f4"), index_16x16},
      // with the maps of the scales
      MmaRow{sm120, 16, 32, f8f6f4, into_f32, a8_16x32, b8_32x8, of_kind(mma_dense, "mxf8f6f4", '1', ue8m0), no_index, scale_a_1x, scale_b_1x},
      MmaRow{sm120, 16, 64, e2m1, into_f32, a4_16x64, b4_64x8, of_kind(mma_dense, "mxf4", '2', ue8m0), no_index, scale_a_2x, scale_b_2x},
      MmaRow{sm120, 16, 64, e2m1, into_f32, a4_16x64, b4_64x8, of_kind(mma_dense, "mxf4nvf4", '2', ue8m0), no_index, scale_a_2x, scale_b_2x},
      MmaRow{sm120, 16, 64, e2m1, into_f32, a4_16x64, b4_64x8, of_kind(mma_dense, "mxf4nvf4", '4', ue4m3), no_index, scale_a_4x, scale_b_4x},
      MmaRow{sm120, 16, 64, e2m1, into_f32, a4_16x64, b4_64x8, of_kind(mma_dense, "mxf4nvf4", '4', ue8m0, false), no_index, scale_a_4x, scale_b_4x},
      MmaRow{sm120, 16, 64, f8f6f4, into_f32, sparse_a16_16x16, b8_64x8, of_kind(mma_ordered, "mxf8f6f4", '1', ue8m0), index_16x16, scale_a_1x, scale_b_1x},
      MmaRow{sm120, 16, 128, e2m1, into_f32, sparse_a16_16x16, b4_128x8, of_kind(mma_ordered, "mxf4", '2', ue8m0), index_16x16, scale_a_2x, scale_b_2x},
      MmaRow{sm120, 16, 128, e2m1, into_f32, sparse_a16_16x16, b4_128x8, of_kind(mma_ordered, "mxf4nvf4", '2', ue8m0), index_16x16, scale_a_2x, scale_b_2x},
      MmaRow{sm120, 16, 128, e2m1, into_f32, sparse_a16_16x16, b4_128x8, of_kind(mma_ordered, "mxf4nvf4", '4', ue4m3), index_16x16, scale_a_4x, scale_b_4x},
      MmaRow{sm120, 16, 128, e2m1, into_f32, sparse_a16_16x16, b4_128x8, of_kind(mma_ordered, "mxf4nvf4", '4', ue8m0, false), index_16x16, scale_a_4x, scale_b_4x},
  };
  // clang-format on
}();

/// One instruction of a row.
struct MmaChoice {
  const MmaRow& row;
  std::string_view ptx, llvm;  // beginnings of the names
  ElementType a, b;
  const MmaAccumulator& accumulator;
};

/// Calls `use(choice)` for every instruction, in the order of the catalogue.
constexpr void for_each_mma(auto use) {
  for (const MmaRow& row : mma_rows) {
    const MmaBeginnings& beginnings = row.form.beginnings;
    for (std::size_t i = 0; i < static_cast<std::size_t>(beginnings.count); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(row.accumulators.count); ++j)
        for (std::size_t a = 0; a < static_cast<std::size_t>(row.types.count); ++a)
          for (std::size_t b = 0; b < static_cast<std::size_t>(row.types.count); ++b)
            use(MmaChoice{row, beginnings.ptx[i], beginnings.llvm[i], row.types.types[a],
                          row.types.types[b], row.accumulators.pairs[j]});
  }
}

inline constexpr std::size_t mma_instruction_count = [] {
  std::size_t count = 0;
  for_each_mma([&](const MmaChoice&) { ++count; });
  return count;
}();

/// The names of all instructions, one after the other, and their lengths.
struct MmaText : GeneratedText<mma_instruction_count * 100> {
  std::array<std::uint8_t, mma_instruction_count> sizes{};
};

/// Appends ".m16n8k16.row.col".
constexpr void append_shape(MmaText& text, const MmaRow& row) {
  text.append(".m");
  text.append_number(row.m);
  text.append("n8k");
  text.append_number(row.k);
  text.append(".");
  text.append(row.form.layouts);
}

constexpr void append_type(MmaText& text, ElementType type) {
  text.append(".");
  text.append(ptx_name(type));
}

/// Appends the mnemonic: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.
constexpr void append_mma_name(MmaText& text, const MmaChoice& choice) {
  const MmaForm& form = choice.row.form;
  text.append(choice.ptx);
  text.append(".sync.aligned");
  append_shape(text, choice.row);
  if (!form.kind.empty()) {
    text.append(".kind::");
    text.append(form.kind);
  }
  if (form.scales != 0) {
    text.append(".block_scale.scale_vec::");
    text.append({&form.scales, 1});
    text.append("X");
  }
  append_type(text, choice.accumulator.d_type);
  append_type(text, choice.a);
  append_type(text, choice.b);
  append_type(text, choice.accumulator.c_type);
  if (form.scales != 0) append_type(text, form.scale_type);
  text.append(form.operation);
}

/// Appends LLVM's name, such as llvm.nvvm.mma.m16n8k16.row.col.f32.f32. It contains only the types
/// that distinguish instructions: D, A, B and C for small floats, D and C for f16, otherwise A, and
/// B if it differs from A.
constexpr void append_mma_intrinsic(MmaText& text, const MmaChoice& choice) {
  const MmaForm& form = choice.row.form;
  if (!form.in_llvm) return;
  text.append(choice.llvm);
  if (form.scales != 0) text.append(".block.scale");
  text.append(form.operation);
  append_shape(text, choice.row);
  if (!form.kind.empty()) {
    text.append(form.scales != 0 ? "." : ".kind.");
    text.append(form.kind);
  }
  if (form.scales != 0) {
    text.append(".scale.");
    text.append({&form.scales, 1});
    text.append("x");
  }
  const bool small_float = ptx_name(choice.a)[0] == 'e';
  const bool by_accumulator = small_float || choice.a == ElementType::f16;
  if (by_accumulator) append_type(text, choice.accumulator.d_type);
  if (choice.a != ElementType::f16) append_type(text, choice.a);
  if (small_float || choice.a != choice.b) append_type(text, choice.b);
  if (by_accumulator) append_type(text, choice.accumulator.c_type);
  if (form.scales != 0) append_type(text, form.scale_type);
}

/// Applies `append(text, choice)` to all instructions. Names and intrinsics are made separately,
/// because compilers limit the work for one constant.
constexpr MmaText mma_text(auto append) {
  MmaText text;
  std::size_t count = 0;
  for_each_mma([&](const MmaChoice& choice) {
    const std::size_t begin = text.size;
    append(text, choice);
    text.sizes[count++] = static_cast<std::uint8_t>(text.size - begin);
  });
  return text;
}

inline constexpr MmaText mma_names = mma_text(append_mma_name);
inline constexpr MmaText mma_intrinsics = mma_text(append_mma_intrinsic);

/// True if CUTLASS has an atom for the instruction.
/// - Instructions with .kind: CUTLASS has all except mxf4, which its mxf4nvf4 covers.
/// - Other instructions: CUTLASS has all except sparse ones, those whose C has another type than D,
/// and 8-bit floats with k = 16.
constexpr bool is_in_cutlass(const MmaChoice& choice) {
  const MmaRow& row = choice.row;
  if (!row.form.kind.empty()) return row.form.kind != "mxf4";
  const bool small_float = choice.a == ElementType::fp8 || choice.a == ElementType::bf8;
  return !exists(row.index) && !exists(choice.accumulator.c) && !(small_float && row.k == 16);
}

/// The sources that confirm it.
constexpr std::uint16_t mma_witnesses(const MmaChoice& choice) {
  const MmaRow& row = choice.row;
  std::uint16_t witnesses = 0;
  const auto add = [&](Witness who, bool confirms) {
    if (confirms) witnesses = static_cast<std::uint16_t>(witnesses | static_cast<int>(who));
  };
  // For a sparse A, B may have more k than in any dense instruction; the document shows such a B
  // only in figures.
  add(Witness::document, !exists(row.index) || row.b.registers < 4);
  add(Witness::llvm, row.form.in_llvm);
  add(Witness::cutlass, is_in_cutlass(choice));
  add(Witness::probe, row.families.contains(Family::sm90));
  // scale_vec::4X with ue8m0 is new in PTX ISA 9.1, but ptxas 13.0 supports version 9.0.
  add(Witness::ptxas, row.form.scales != '4' || row.form.scale_type != ElementType::e8m0);
  return witnesses;
}

constexpr Instruction instruction_of(const MmaChoice& choice, std::string_view name,
                                     std::string_view intrinsic) {
  const MmaRow& row = choice.row;
  const bool padded =
      row.form.kind.ends_with("f8f6f4") && (bits(choice.a) < 8 || bits(choice.b) < 8);
  return {.name = name,
          .families = row.families,
          .wave = 32,
          .m = row.m,
          .n = 8,
          .k = row.k,
          .blocks = row.form.blocks,
          .a_type = choice.a,
          .b_type = choice.b,
          .d_type = choice.accumulator.d_type,
          .a = row.a,
          .b = row.b,
          .d = choice.accumulator.d,
          .index = row.index,
          .intrinsic = intrinsic,
          .constraints = static_cast<std::uint16_t>(
              static_cast<int>(Constraint::converged_warp) |
              (padded ? static_cast<int>(Constraint::byte_containers) : 0)),
          .witnesses = mma_witnesses(choice),
          .c = choice.accumulator.c,
          .c_type = choice.accumulator.c_type,
          .scale_a = row.scale_a,
          .scale_b = row.scale_b,
          .scale_type = row.form.scale_type};
}

/// The rows of the catalogue, in the order of mma_rows.
inline constexpr auto mma_instructions = [] {
  std::array<Instruction, mma_instruction_count> all{};
  std::size_t count = 0;
  const char* name = mma_names.characters;
  const char* intrinsic = mma_intrinsics.characters;
  for_each_mma([&](const MmaChoice& choice) {
    const std::string_view names[]{{name, mma_names.sizes[count]},
                                   {intrinsic, mma_intrinsics.sizes[count]}};
    all[count++] = instruction_of(choice, names[0], names[1]);
    name += names[0].size();
    intrinsic += names[1].size();
  });
  return all;
}();

}  // namespace heddle::instruction
