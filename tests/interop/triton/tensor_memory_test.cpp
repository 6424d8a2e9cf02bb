// Triton's encodings of tensor memory, against the maps that its own unit test states.
#include "heddle/interop/triton/tensor_memory.h"

#include <gtest/gtest.h>

#include "heddle/interop/any_layout.h"
#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/interop/triton/attribute_writer.h"

namespace heddle::interop::triton {
namespace tensor_memory_test {

/// The map in Heddle's own words, or why there is none.
std::string meaning(std::string_view text, const std::vector<std::int64_t>& shape = {}) {
  const auto layout = read_layout(text, {.shape = shape});
  if (!layout) return layout.error().message;
  const auto written = write_layout(layout->meaning, Dialect::native);
  return written ? *written : written.error();
}

constexpr std::string_view block_64 =
    "#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>";
constexpr std::string_view block_128 =
    "#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>";

// Source of these: Triton's main branch of 2026,
// unittest/Dialect/TritonGPU/LinearLayoutConversionsTest .cpp, TensorMemory_blockM_64, _blockM_128,
// _fp4Padded and _CTASplit.
TEST(TensorMemory, MapsAreTritons) {
  const std::string columns = "col: (0,1) (0,2) (0,4) (0,8) (0,16) (0,32)";
  EXPECT_EQ(meaning(block_64, {128, 64}), "row: (1,0) (2,0) (4,0) (8,0) (64,0) (16,0) (32,0); " +
                                              columns + " -> dim0: 128, dim1: 64");
  EXPECT_EQ(meaning(block_64, {64, 64}), "row: (1,0) (2,0) (4,0) (8,0) (0,0) (16,0) (32,0); " +
                                             columns + " -> dim0: 64, dim1: 64");
  EXPECT_EQ(meaning(block_64, {64, 256}), "row: (1,0) (2,0) (4,0) (8,0) (0,64) (16,0) (32,0); " +
                                              columns + " (0,128) -> dim0: 64, dim1: 256");
  const std::string rows = "row: (1,0) (2,0) (4,0) (8,0) (16,0) (32,0) (64,0); ";
  EXPECT_EQ(meaning(block_128, {256, 256}),
            rows + columns + " (0,64) (128,0) (0,128) -> dim0: 256, dim1: 256");
  EXPECT_EQ(meaning("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, "
                    "fp4Padded = true>"),
            rows + "col: (0,0) (0,1) (0,2) (0,4) (0,8) (0,16) (0,32) -> dim0: 128, dim1: 64");
  EXPECT_EQ(meaning("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, "
                    "CGALayout = [[0, 1]]>"),
            rows + columns + "; block: (0,64) -> dim0: 128, dim1: 128");
}

// Gluon's classes as Python prints them, of all releases. Source: Triton,
// python/triton/experimental/gluon/language/nvidia/blackwell/__init__.py.
TEST(TensorMemory, GluonsClassesAreTheAttributes) {
  const auto same = [](std::string_view gluon, std::string_view attribute) {
    EXPECT_EQ(dialect_of(gluon), Dialect::gluon) << gluon;
    EXPECT_EQ(meaning(gluon, {256, 128}), meaning(attribute, {256, 128})) << gluon;
  };
  same("TensorMemoryLayout(block=(64, 64), col_stride=1, cga_layout=[], two_ctas=False, "
       "fp4_padded=False)",
       block_64);
  same("gl.nvidia.blackwell.TensorMemoryLayout([128, 128], 1)", block_128);
  same("TensorMemoryLayout(block=[128, 128], col_stride=1, cta_split_num=[2, 1], two_ctas=True)",
       "#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CTASplitM = 2, "
       "twoCTAs = true>");
  same("TensorMemoryLayout(block=[128, 128], unpacked=True, cta_split_num=None)", block_128);
  same("TensorMemoryScalesLayout(cga_layout=[[1, 0]])",
       "#ttng.tensor_memory_scales_encoding<CGALayout = [[1, 0]]>");
}

// 32 rows in the lanes of a warp, the same in each warp, four scales in a column of 32 bits.
// Source: PTX ISA, "Scale Factor A Layout" 1X, where all four groups of lanes hold copies; and the
// lanes of tests/data/cutlass_tensor_memory.json.
TEST(TensorMemory, ScalesAreInEachWarpsLanes) {
  EXPECT_EQ(
      meaning("#ttng.tensor_memory_scales_encoding<>", {128, 8}),
      "row: (1,0) (2,0) (4,0) (8,0) (16,0) (0,0) (0,0); col: (0,1) (0,2) (32,0) (64,0) (0,4) -> "
      "dim0: 128, dim1: 8");
  EXPECT_EQ(meaning("#ttng.tensor_memory_scales_encoding<>", {32, 4}),
            "row: (1,0) (2,0) (4,0) (8,0) (16,0) (0,0) (0,0); col: (0,1) (0,2) (0,0) -> dim0: 32, "
            "dim1: 4");
}

// What the program prints today and printed in 2025, in the lines around it.
TEST(TensorMemory, IsReadWhereTritonPrintsIt) {
  const std::string printed =
      "#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth "
      "= "
      "16}>\n#smem = #ttg.shared_memory\n#tmem_space = #ttng.tensor_memory\n"
      "#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>\n"
      "#tmem_scales = #ttng.tensor_memory_scales_encoding<CGALayout = [[0, 0]]>\n";
  EXPECT_EQ(meaning(printed + "!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>"),
            meaning(block_128, {128, 128}));
  EXPECT_EQ(meaning("#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, unpacked = true>"),
            meaning(block_64));
  EXPECT_EQ(meaning("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, "
                    "CTASplitN = 2>"),
            meaning("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, "
                    "CGALayout = [[0, 1]]>"));
  for (const std::string text :
       {"#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CGALayout = [[1, "
        "0]], "
        "twoCTAs = true>",
        "#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 2>",
        "#ttng.tensor_memory_scales_encoding<>",
        "#ttng.tensor_memory_scales_encoding<CGALayout = [[0, 0]]>"}) {
    const auto read = triton::read(text);
    ASSERT_TRUE(read.has_value()) << text << read.error().message;
    EXPECT_EQ(attribute(read->layout), text);
  }
}

TEST(TensorMemory, RefusesWithAReason) {
  EXPECT_EQ(meaning("#ttng.tensor_memory_encoding<blockM = 96, blockN = 64>"),
            "blockM of a tensor memory layout must be 64 or 128; it is 96");
  EXPECT_EQ(meaning(block_128, {64, 128}),
            "a block of tensor memory has [128, 128] elements; the part of a CTA is [64, 128]");
  EXPECT_EQ(meaning("#ttng.tensor_memory_encoding<blockM = 128, blockN = 1024>"),
            "blockN of a tensor memory layout must be a power of two to 512; it is 1024");
  EXPECT_NE(meaning("#ttng.tensor_memory_encoding<blockN = 64>").find("blockM"), std::string::npos);
  EXPECT_NE(meaning("#ttng.tensor_memory_encodings<>").find("tensor_memory_encoding"),
            std::string::npos);
}

}  // namespace tensor_memory_test
}  // namespace heddle::interop::triton
