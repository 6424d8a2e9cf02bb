// Layouts of matrix cores: one instruction's part is the fragment of the catalogue, which knows
// nothing of Triton; and what is no such layout is refused.
#include "heddle/interop/triton/matrix.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/text.h"

namespace heddle::interop::triton {
namespace matrix_test {

using instruction::KOrder;
using instruction::Operand;
using instruction::Target;

/// A fragment of the catalogue with Triton's axes: element and register are one axis, a wave of
/// more than 32 lanes of NVIDIA's is four warps.
layout::LinearLayout fragment(std::string_view name, Target target, Operand operand,
                              KOrder order = KOrder::isa) {
  const instruction::Instruction* row = instruction::find(name, target);
  EXPECT_NE(row, nullptr) << name;
  const layout::LinearLayout map = instruction::fragment(*row, operand, order);
  const int lanes = map.inputs().bits_of("lane");
  const int warps = lanes == 7 ? 2 : 0;
  const layout::AxisList inputs{{"register", map.input_bits() - lanes},
                                {"lane", lanes - warps},
                                {"warp", warps},
                                {"block", 0}};
  layout::AxisList outputs;
  for (int dim = 0; dim < map.outputs().size(); ++dim)
    outputs.push_back({dimension(static_cast<std::size_t>(dim)), map.outputs()[dim].bits});
  return layout::with_axes(map, inputs, outputs);
}

void expect_same(const Result<layout::LinearLayout>& ours, const layout::LinearLayout& row) {
  ASSERT_TRUE(ours.has_value()) << ours.error();
  EXPECT_EQ(layout::text(*ours).view(), layout::text(row).view());
}

TEST(Matrix, MmaSyncIsTheCatalogues) {
  constexpr std::string_view name = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
  const NVMMADistributedLayout mma{{2, 0}, {1, 1}, {16, 8}};
  expect_same(mma.to_linear({16, 8}), fragment(name, Target::sm_90, Operand::d));
  expect_same(mma.operand_to_linear(DotOperand::a, 2, {}, {16, 16}),
              fragment(name, Target::sm_90, Operand::a));
  expect_same(mma.operand_to_linear(DotOperand::b, 2, {}, {16, 8}),
              fragment(name, Target::sm_90, Operand::b));
}

TEST(Matrix, WgmmaIsTheCatalogues) {
  constexpr std::string_view name = "wgmma.mma_async.sync.aligned.m64nNk16.f32.f16.f16";
  const NVMMADistributedLayout mma{{3, 0}, {4, 1}, {16, 256, 16}};
  expect_same(mma.to_linear({64, 256}), fragment(name, Target::sm_90, Operand::d));
  expect_same(mma.operand_to_linear(DotOperand::a, 2, {}, {64, 16}),
              fragment(name, Target::sm_90, Operand::a));
}

TEST(Matrix, MfmaIsTheCatalogues) {
  for (const std::int64_t size : {32, 16}) {
    const std::string_view name = size == 32 ? "v_mfma_f32_32x32x8_f16" : "v_mfma_f32_16x16x16_f16";
    const std::int64_t k = size == 32 ? 8 : 16;
    const AMDMFMALayout mfma{3, {size, size, k}, false, {1, 1}};
    expect_same(mfma.to_linear({size, size}), fragment(name, Target::gfx942, Operand::d));
    expect_same(mfma.operand_to_linear(DotOperand::a, 4, {size, k}),
                fragment(name, Target::gfx942, Operand::a));
    expect_same(mfma.operand_to_linear(DotOperand::b, 4, {k, size}),
                fragment(name, Target::gfx942, Operand::b));
  }
}

// On RDNA4 Triton counts k so that a lane's elements are consecutive.
TEST(Matrix, WmmaIsTheCatalogues) {
  constexpr std::string_view name = "v_wmma_f32_16x16x16_f16";
  const AMDWMMALayout rdna3{1, false, {1, 1}};
  expect_same(rdna3.to_linear({16, 16}), fragment(name, Target::gfx1100, Operand::d));
  expect_same(rdna3.operand_to_linear(DotOperand::a, 16, {16, 16}),
              fragment(name, Target::gfx1100, Operand::a));
  expect_same(rdna3.operand_to_linear(DotOperand::b, 16, {16, 16}),
              fragment(name, Target::gfx1100, Operand::b));
  const AMDWMMALayout rdna4{2, false, {1, 1}};
  expect_same(rdna4.to_linear({16, 16}), fragment(name, Target::gfx1201, Operand::d));
  expect_same(rdna4.operand_to_linear(DotOperand::a, 8, {16, 16}),
              fragment(name, Target::gfx1201, Operand::a, KOrder::contiguous));
  expect_same(rdna4.operand_to_linear(DotOperand::b, 8, {16, 16}),
              fragment(name, Target::gfx1201, Operand::b, KOrder::contiguous));
}

TEST(Matrix, Errors) {
  EXPECT_EQ((NVMMADistributedLayout{{4, 0}, {1, 1}, {16, 8}}.verify().error()),
            "NVMMADistributedLayout version is [4, 0]; it must be [2, minor] for mma.sync or [3, "
            "minor] for wgmma");
  EXPECT_EQ((NVMMADistributedLayout{{2, 0}, {3, 1}, {16, 8}}.verify().error()),
            "Every element in warpsPerCTA must be a power of two.");
  EXPECT_EQ(
      (NVMMADistributedLayout{{2, 0}, {1, 1}, {16}}.verify().error()),
      "NVMMADistributedLayout instr_shape is [16]; it must be [m, n], or [m, n, k] for wgmma, "
      "with m and n powers of two from 8 to 256, as [16, 8] or [16, 64, 16]");
  EXPECT_EQ((NVMMADistributedLayout{{2, 0}, {4}, {16, 8}}.verify().error()),
            "warps_per_cta [4] has 1 entries; a matrix layout has 2 or 3 dimensions");
  EXPECT_EQ(
      (AMDMFMALayout{3, {8, 8, 8}, false, {1, 1}}.verify().error()),
      "invalid intrinsic shape [8, 8, 8]; m and n must be 32 and 32, 16 and 16, 64 and 4, or 4 "
      "and 64");
  EXPECT_EQ((AMDMFMALayout{3, {64, 4, 4}, false, {1, 1}}.verify().error()),
            "64x4 mfma must be transposed");
  EXPECT_EQ(
      (AMDMFMALayout{3, {32, 32, 8}, false, {1, 1}, 32, {1}}.verify().error()),
      "tiles_per_warp [1] must have a power of two for each dimension of warps_per_cta [1, 1]");
  EXPECT_EQ((AMDWMMALayout{2, false, {1, 1}, {16, 16, 64}}.verify().error()),
            "invalid WMMA v2 instruction shape [16, 16, 64]; m and n are 16, k is 16 or 32");
  EXPECT_EQ((AMDWMMALayout{2, false, {1, 1}, {16, 16, 16}, {}, {{1}}}.verify().error()),
            "cga_layout basis rank mismatch");
}

}  // namespace matrix_test
}  // namespace heddle::interop::triton
