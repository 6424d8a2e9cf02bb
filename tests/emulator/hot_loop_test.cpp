#include "emulator/run/hot_loop.h"

#include <gtest/gtest.h>

#include "kernels.h"

namespace heddle::emulator {
namespace hot_loop_test {

using testing::assemble;
using testing::AssemblyKernel;
using testing::kernel_text;

// A loop around two others, and code between: what is counted is the inner loop that multiplies
// most, by the assembler's own labels.
constexpr const char* nested = R"(
  s_mov_b32 s0, 4
outer:
  v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]
one:
  ds_load_b128 v[0:3], v40
  v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]
  s_sub_i32 s1, s1, 1
  s_cmp_eq_u32 s1, 0
  s_cbranch_scc0 one
  s_barrier
two:
  ds_load_b128 v[0:3], v40
  ds_load_b64 v[4:5], v40 offset:16
  ds_store_b128 v40, v[0:3] offset:64
  global_load_b128 v[8:11], v[42:43], off
  global_store_b32 v[42:43], v0, off
  buffer_load_b32 v12, v44, s[4:7], 0 offen
  s_waitcnt lgkmcnt(0)
  s_waitcnt vmcnt(0)
  v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]
  v_wmma_f32_16x16x16_f16 v[24:31], v[0:7], v[8:15], v[24:31]
  s_barrier
  s_cbranch_vccnz two
  s_sub_i32 s0, s0, 1
  s_cbranch_scc0 outer
spin:
  s_branch spin
  s_endpgm
)";

TEST(HotLoop, IsTheInnermostThatMultipliesMost) {
  const CodeObject object =
      assemble(kernel_text({{.name = "nested", .body = nested, .lds_bytes = 1024},
                            {.name = "plain", .body = "again:\n  s_branch again\n  s_endpgm"}},
                           "gfx1151"),
               "gfx1151");
  const std::optional<HotLoop> loop = find_hot_loop(object, *object.find_kernel("nested"));
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->instructions, 12u);
  EXPECT_EQ(loop->matrix, 2u);
  EXPECT_EQ(loop->lds_loads, 2u);
  EXPECT_EQ(loop->lds_loads_128, 1u);
  EXPECT_EQ(loop->lds_stores, 1u);
  EXPECT_EQ(loop->global_loads, 2u);
  EXPECT_EQ(loop->global_stores, 1u);
  EXPECT_EQ(loop->barriers, 1u);
  EXPECT_EQ(loop->waits, 2u);
  EXPECT_EQ(loop->scratch, 0u);
  EXPECT_DOUBLE_EQ(loop->matrix_share(), 2.0 / 12);
  EXPECT_EQ(loop->opcodes.size(), 10u);
  EXPECT_FALSE(find_hot_loop(object, *object.find_kernel("plain")));
}

TEST(HotLoop, IsFoundInWhatClangMakes) {
  for (const std::string& target : testing::targets()) {
    const CodeObject object = testing::load_example("wmma_tiled", target);
    const std::optional<HotLoop> loop = find_hot_loop(object, object.kernels()[0]);
    ASSERT_TRUE(loop) << target;
    EXPECT_GE(loop->matrix, 16u) << target;
    EXPECT_GE(loop->barriers, 1u) << target;
    EXPECT_GT(loop->matrix_share(), 0.05) << target;
    EXPECT_LT(loop->matrix_share(), 1) << target;
  }
}

}  // namespace hot_loop_test
}  // namespace heddle::emulator
