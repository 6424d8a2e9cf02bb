// tcgen05.mma of sm_100: one thread starts a multiply whose result lies in tensor memory.
//
// Sources: PTX ISA 9.0, "Matrix Shape", "Data Path Layout Organization" and "Packing formats of
// elements in Tensor and Shared memory", for what there is and the letters of the layouts; the
// places, which that document has in figures alone, from CuTe's mma_traits_sm100_frag.hpp and, in
// agreement, Triton's tensorMemoryToLinearLayout. tests/instruction/tcgen05_mma_table_test.cpp
// compares with both.
//
// M, N and the types stand in the instruction descriptor, not in the mnemonic; so a name here ends
// with them, as those of wgmma do: ".m128nNk16.f32", the type being that of D. The row shows the
// first types of A and B that the kind takes:
//
//   f16      f16 or bf16, but D of f16 takes f16 alone
//   tf32     tf32
//   f8f6f4   fp8, bf8, fp6, bf6 or fp4, A and B each its own; in tensor memory 8 bits each
//   i8       i8 or u8, A and B each its own
//
// The `lane` axis counts lanes of tensor memory: 128, and of a pair of CTAs (cta_group::2) from 128
// on those of the odd one. `register` counts 32-bit columns; 16-bit elements of D lie in the low
// half of one. Layouts B, E and G cut n into parts that lie in lanes of their own. Layouts C and F
// use 16 of every 32 lanes, those that the address of D selects.
// B lies in shared memory (shared_operand.h), of a pair half of its columns in either CTA. A has
// the map of tensor memory here where a witness gives it; it may lie in shared memory too, of a
// pair half of its rows in either CTA.
#pragma once

#include "heddle/instruction/generated_text.h"
#include "heddle/instruction/mma_table.h"

namespace heddle::instruction {

// clang-format off
namespace tcgen05 {
// D, by the letter of its layout: columns in `register`, lanes of tensor memory in `lane`.
inline constexpr OperandMap d_a{256, 32,
    "element:; register: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, n: 256", Storage::tensor_memory};
inline constexpr OperandMap d_b{128, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (32,0,0) (0,0,1) (64,0,0) -> m: 128, n: 128, part: 2", Storage::tensor_memory};
inline constexpr OperandMap d_c{256, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0) (0,128,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) (64,0,0) -> m: 128, n: 256, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap d_d{256, 32,
    "element:; register: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) (0,64) (0,128); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, n: 256", Storage::tensor_memory};
inline constexpr OperandMap d_e{128, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (32,0,0) (0,0,1) -> m: 64, n: 128, part: 2", Storage::tensor_memory};
inline constexpr OperandMap d_f{256, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0) (0,64,0) (0,128,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, n: 256, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap d_g{64, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0) (0,8,0) (0,16,0) (0,32,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (16,0,0) (0,0,1) (0,0,2) -> m: 32, n: 64, part: 4", Storage::tensor_memory};
// A in tensor memory, by that letter and its width: 32 bytes of k in eight columns. Of layout B the
// lanes from 64 on of each CTA repeat those below.
inline constexpr OperandMap a32_a{8, 32,
    "element:; register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, k: 8", Storage::tensor_memory};
inline constexpr OperandMap a16_a{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, k: 16", Storage::tensor_memory};
inline constexpr OperandMap a8_a{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, k: 32", Storage::tensor_memory};
inline constexpr OperandMap a32_b{8, 32,
    "element:; register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) (64,0) -> m: 128, k: 8", Storage::tensor_memory};
inline constexpr OperandMap a16_b{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) (64,0) -> m: 128, k: 16", Storage::tensor_memory};
inline constexpr OperandMap a8_b{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) (64,0) -> m: 128, k: 32", Storage::tensor_memory};
inline constexpr OperandMap a32_d{8, 32,
    "element:; register: (0,1) (0,2) (0,4); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, k: 8", Storage::tensor_memory};
inline constexpr OperandMap a16_d{8, 16,
    "element: (0,1); register: (0,2) (0,4) (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, k: 16", Storage::tensor_memory};
inline constexpr OperandMap a8_d{8, 8,
    "element: (0,1) (0,2); register: (0,4) (0,8) (0,16); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, k: 32", Storage::tensor_memory};
inline constexpr OperandMap a32_f{8, 32,
    "element:; register: (0,1,0) (0,2,0) (0,4,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, k: 8, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap a16_f{8, 16,
    "element: (0,1,0); register: (0,2,0) (0,4,0) (0,8,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, k: 16, selector: 2", Storage::tensor_memory};
inline constexpr OperandMap a8_f{8, 8,
    "element: (0,1,0) (0,2,0); register: (0,4,0) (0,8,0) (0,16,0); lane: (1,0,0) (2,0,0) (4,0,0) (8,0,0) (0,0,1) (16,0,0) (32,0,0) -> m: 64, k: 32, selector: 2", Storage::tensor_memory};
// The index of a sparse A, of which 4 bits are a group. Wider elements: half the groups lie 8 lanes
// down, and rows 8 down in the upper half of a column. Where .ws has fewer than 128 rows, copies.
inline constexpr OperandMap index_wide_a{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (32,0) (64,0) (128,0) -> m: 256, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_a{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) (128,0) -> m: 256, group: 16", Storage::tensor_memory};
inline constexpr OperandMap index_wide_d{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (32,0) (64,0) -> m: 128, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_d{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0) -> m: 128, group: 16", Storage::tensor_memory};
inline constexpr OperandMap index_wide_e{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (32,0) (0,0) -> m: 64, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_e{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (0,0) -> m: 64, group: 16", Storage::tensor_memory};
inline constexpr OperandMap index_wide_g{1, 4,
    "element: (0,1) (0,2) (8,0); register:; lane: (1,0) (2,0) (4,0) (0,4) (16,0) (0,0) (0,0) -> m: 32, group: 8", Storage::tensor_memory};
inline constexpr OperandMap index_narrow_g{2, 4,
    "element: (0,1) (0,2) (0,4); register: (0,8); lane: (1,0) (2,0) (4,0) (8,0) (16,0) (0,0) (0,0) -> m: 32, group: 16", Storage::tensor_memory};
constexpr OperandMap shared(int bits) { return {0, bits, "", Storage::shared_memory}; }
constexpr OperandMap unknown_index{0, 4, "", Storage::tensor_memory};
}  // namespace tcgen05
// clang-format on

/// The types of a product.
struct TensorKind {
  std::string_view name;
  int k;  // of dense A
  ElementType a_type, d_type;
};

inline constexpr std::array tensor_kinds{
    TensorKind{"f16", 16, ElementType::f16, ElementType::f16},
    TensorKind{"f16", 16, ElementType::f16, ElementType::f32},
    TensorKind{"tf32", 8, ElementType::xf32, ElementType::f32},
    TensorKind{"f8f6f4", 32, ElementType::fp8, ElementType::f16},
    TensorKind{"f8f6f4", 32, ElementType::fp8, ElementType::f32},
    TensorKind{"i8", 32, ElementType::i8, ElementType::i32},
};

/// One shape and layout. `a`: in tensor memory by width, 32, 16 and 8 bits; `index` of a sparse A
/// with wide elements and with 8-bit ones. What does not exist is empty.
struct TensorShape {
  bool weight_stationary;  // .ws
  bool sparse;
  int ctas;
  int m;
  OperandMap d;
  std::array<OperandMap, 3> a;
  std::array<OperandMap, 2> index;
  int witnesses;
};

inline constexpr auto tensor_shapes = [] {
  using namespace tcgen05;
  constexpr std::array in_shared{shared(32), shared(16), shared(8)};
  constexpr std::array<OperandMap, 2> dense{};
  constexpr std::array unknown{unknown_index, unknown_index};
  constexpr int cute = static_cast<int>(Witness::cutlass);
  constexpr int both = cute | static_cast<int>(Witness::triton);
  constexpr int document = static_cast<int>(Witness::document);
  return std::array{
      TensorShape{false, false, 1, 64, d_f, {a32_f, a16_f, a8_f}, dense, both},
      TensorShape{false, false, 1, 128, d_d, {a32_d, a16_d, a8_d}, dense, both},
      TensorShape{false, false, 2, 128, d_b, {a32_b, a16_b, a8_b}, dense, both},
      TensorShape{false, false, 2, 256, d_a, {a32_a, a16_a, a8_a}, dense, both},
      TensorShape{false, true, 1, 64, d_f, in_shared, unknown, both},
      TensorShape{false, true, 1, 128, d_d, in_shared, {index_wide_d, index_narrow_d}, both},
      TensorShape{false, true, 2, 128, d_c, in_shared, unknown, document},
      TensorShape{false, true, 2, 256, d_a, in_shared, {index_wide_a, index_narrow_a}, both},
      TensorShape{true, false, 1, 32, d_g, in_shared, dense, cute},
      TensorShape{true, false, 1, 64, d_e, in_shared, dense, cute},
      TensorShape{true, false, 1, 128, d_d, in_shared, dense, cute},
      TensorShape{true, true, 1, 32, d_g, in_shared, {index_wide_g, index_narrow_g}, cute},
      TensorShape{true, true, 1, 64, d_e, in_shared, {index_wide_e, index_narrow_e}, cute},
      TensorShape{true, true, 1, 128, d_d, in_shared, {index_wide_d, index_narrow_d}, cute},
  };
}();

/// The n of a row, as bits of Instruction::n_sizes.
/// Source: PTX ISA 9.0, "Various combinations of .kind and shapes".
constexpr std::uint32_t n_sizes(const TensorShape& shape, const TensorKind& kind) {
  const bool integers = kind.d_type == ElementType::i32;
  if (shape.weight_stationary) return shape.sparse ? 0x8080 : 0x80008080;  // 64, 128, 256
  if (shape.ctas == 2) return integers ? 0x88888888 : 0xaaaaaaaa;          // steps of 32, of 16
  return integers ? 0xaaaaaaaf : 0xffffffff;  // steps of 8; of integers above 32 of 16
}

/// Appends the name: tcgen05.mma.ws.sp.cta_group::1.kind::f16.m64nNk32.f32.
constexpr void append_tensor_name(auto& text, const TensorShape& shape, const TensorKind& kind) {
  text.append("tcgen05.mma");
  if (shape.weight_stationary) text.append(".ws");
  if (shape.sparse) text.append(".sp");
  text.append(shape.ctas == 1 ? ".cta_group::1.kind::" : ".cta_group::2.kind::");
  text.append(kind.name);
  text.append(".m");
  text.append_number(shape.m);
  text.append("nNk");
  text.append_number(kind.k * (shape.sparse ? 2 : 1));
  text.append(".");
  text.append(ptx_name(kind.d_type));
}

/// LLVM's name, for A in shared memory; for A in tensor memory it ends in "tensor".
constexpr std::string_view tensor_intrinsic(const TensorShape& shape) {
  if (shape.weight_stationary)
    return shape.sparse ? "llvm.nvvm.tcgen05.mma.ws.sp.shared" : "llvm.nvvm.tcgen05.mma.ws.shared";
  return shape.sparse ? "llvm.nvvm.tcgen05.mma.sp.shared" : "llvm.nvvm.tcgen05.mma.shared";
}

/// The names of all, one after the other.
template <std::size_t capacity>
constexpr GeneratedText<capacity> tensor_text() {
  GeneratedText<capacity> text;
  for (const TensorShape& shape : tensor_shapes)
    for (const TensorKind& kind : tensor_kinds) append_tensor_name(text, shape, kind);
  return text;
}

inline constexpr auto tensor_names = tensor_text<tensor_text<0>().size>();

/// Whether A or its index stands in several lanes: of layouts B, E and G.
constexpr bool has_copies(const TensorShape& shape) {
  return shape.sparse ? shape.weight_stationary && shape.m < 128
                      : shape.ctas == 2 && shape.m == 128;
}

constexpr Instruction tensor_instruction(const TensorShape& shape, const TensorKind& kind) {
  const int width = bits(kind.a_type);
  const std::size_t narrow = width == 32 ? 0 : width == 16 ? 1 : 2;
  Instruction row{};
  row.families = Family::sm100;
  row.wave = 128 * shape.ctas;
  row.m = shape.m;
  row.n = shape.weight_stationary && shape.sparse ? 128 : 256;
  row.k = kind.k * (shape.sparse ? 2 : 1);
  row.blocks = 1;
  row.n_sizes = n_sizes(shape, kind);
  row.a_type = row.b_type = kind.a_type;
  row.d_type = kind.d_type;
  row.a = shape.a[narrow];
  row.b = tcgen05::shared(width);
  row.d = shape.d;
  row.d.bits = bits(kind.d_type);
  row.d.registers = shape.d.registers * row.n / 256;
  row.index = shape.index[narrow == 2 ? 1 : 0];
  row.intrinsic = tensor_intrinsic(shape);
  const auto is = [](Constraint constraint) { return static_cast<int>(constraint); };
  row.constraints = static_cast<std::uint16_t>(
      is(Constraint::one_thread) |
      (kind.d_type == ElementType::i32 ? is(Constraint::not_on_sm_103) : 0) |
      (has_copies(shape) ? is(Constraint::equal_copies) : 0));
  row.witnesses = static_cast<std::uint16_t>(shape.witnesses | static_cast<int>(Witness::llvm));
  return row;
}

/// The rows of the catalogue.
inline constexpr auto tensor_instructions = [] {
  std::array<Instruction, tensor_shapes.size() * tensor_kinds.size()> all{};
  std::size_t count = 0;
  const char* next = tensor_names.characters;
  for (const TensorShape& shape : tensor_shapes)
    for (const TensorKind& kind : tensor_kinds) {
      GeneratedText<0> name;
      append_tensor_name(name, shape, kind);
      all[count] = tensor_instruction(shape, kind);
      all[count++].name = {next, name.size};
      next += name.size;
    }
  return all;
}();

}  // namespace heddle::instruction
