// Gluon's constructors as Python writes them: every layout that Triton 3.6 was asked about, by
// names and by position, against the bases that Triton gave; and where a call goes wrong.
#include "heddle/interop/triton/gluon_reader.h"

#include <gtest/gtest.h>

#include <map>

#include "heddle/interop/triton/attribute_reader.h"
#include "heddle/layout/text.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace gluon_reader_test {

using Object = llvm::json::Object;

enum class Style { by_name, by_position };

// As Python's repr() prints a dataclass whose fields are these, or the same without the names.
std::string python(const llvm::json::Value& value, Style style) {
  std::string text;
  if (const auto* list = value.getAsArray()) {
    for (const llvm::json::Value& each : *list)
      text += (text.empty() ? "" : ", ") + python(each, style);
    return "[" + text + "]";
  }
  if (const auto flag = value.getAsBoolean()) return *flag ? "True" : "False";
  if (const auto number = value.getAsInteger()) return std::to_string(*number);
  const Object* object = value.getAsObject();
  if (!object) return "None";
  const std::string name = object->getString("class")->str();
  // The order of the fields in Triton 3.6's classes, in which JSON's objects are not kept.
  static const std::map<std::string, std::vector<std::string>> fields{
      {"BlockedLayout",
       {"size_per_thread", "threads_per_warp", "warps_per_cta", "order", "cga_layout"}},
      {"NVMMADistributedLayout", {"version", "warps_per_cta", "instr_shape", "cga_layout"}},
      {"NVMMASharedLayout",
       {"swizzle_byte_width", "element_bitwidth", "rank", "transposed", "fp4_padded",
        "cga_layout"}},
      {"SwizzledSharedLayout", {"vec", "per_phase", "max_phase", "order", "cga_layout"}},
      {"DistributedLinearLayout",
       {"reg_bases", "lane_bases", "warp_bases", "block_bases", "shape"}},
      {"SharedLinearLayout", {"offset_bases", "block_bases", "alignment"}},
      {"SliceLayout", {"dim", "parent"}},
      {"DotOperandLayout", {"operand_index", "parent", "k_width"}},
      {"AMDWMMALayout",
       {"version", "transposed", "warps_per_cta", "instr_shape", "tiles_per_warp", "cga_layout"}},
      {"AMDMFMALayout",
       {"version", "instr_shape", "transposed", "warps_per_cta", "element_bitwidth",
        "tiles_per_warp", "cga_layout"}}};
  for (const std::string& field : fields.at(name))
    text += (text.empty() ? "" : ", ") + (style == Style::by_name ? field + "=" : "") +
            python(*object->get(field), style);
  return (style == Style::by_name ? "" : "gl.") + name + "(" + text + ")";
}

TEST(GluonReader, WhatTritonWasAsked) {
  std::map<std::string, int> checked;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    const Object* fields = record.getObject("fields");
    const auto mangled = record.getString("mangle");
    if (!fields || !mangled || !record.getString("text") || record.get("wrong")) continue;
    const std::string name = fields->getString("class")->str();
    if (name == "PaddedSharedLayout" || name == "AutoLayout") continue;  // below
    for (const Style style : {Style::by_name, Style::by_position}) {
      const std::string text = python(Object(*fields), style);
      const auto read = triton::read(text, test::numbers_of(record, "shape"));
      const auto attribute = triton::read(record.getString("text")->str());
      ASSERT_EQ(read.has_value(), attribute.has_value()) << text;
      if (!read) continue;  // the layout cannot have that shape
      EXPECT_EQ(mangle(read->layout), mangled->str()) << text;
      EXPECT_EQ(read->map, attribute->map) << text;
    }
    ++checked[name];
  }
  int all = 0;
  for (const auto& [name, count] : checked) all += count;
  EXPECT_EQ(checked.size(), 10u);
  EXPECT_GE(all, 3400);
}

void expect_same(std::string_view python, std::string_view attribute) {
  const auto read = triton::read(python);
  const auto wanted = triton::read(attribute);
  ASSERT_TRUE(wanted.has_value()) << wanted.error().message;
  ASSERT_TRUE(read.has_value()) << python << "\n"
                                << read.error().column << ": " << read.error().message;
  EXPECT_EQ(read->map, wanted->map) << python;
  EXPECT_EQ(read->shape, wanted->shape) << python;
}

TEST(GluonReader, Padded) {
  const char* identity = "#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>";
  expect_same("gl.PaddedSharedLayout.with_identity_for([[4, 2]], [16, 16], [1, 0])", identity);
  expect_same(
      "PaddedSharedLayout([[4, 2]], [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], "
      "[4, 0], [8, 0]], [], [16, 16])",
      identity);
  const char* two_parts =
      "#ttg.padded_shared<[4:+2] {offset = [[0, 1], [0, 2], [1, 0]], block = [[2, 0]]}>";
  expect_same(
      "PaddedSharedLayout(interval_padding_pairs=[[4, 2]], offset_bases=[[0, 1], [0, 2], "
      "[1, 0]], cga_layout=[[1, 0]], shape=[4, 4])",
      two_parts);
  expect_same(
      "PaddedSharedLayout(interval_padding_pairs=[[4, 2]], offset_bases=[[0, 1], [0, 2], "
      "[1, 0]], block_bases=[[2, 0]], shape=[4, 4])",
      two_parts);
}

TEST(GluonReader, OtherReleases) {
  expect_same(
      "ttgl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], "
      "warps_per_cta=[4, 1], order=[1, 0], ctas_per_cga=[2, 1], cta_split_num=[2, 1], "
      "cta_order=[1, 0],)",
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, "
      "1], order = [1, 0], CGALayout = [[1, 0]]}>");
  expect_same("gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])",
              "#ttg.amd_wmma<{version = 3, isTranspose = true, warpsPerCTA = [2, 2], "
              "instrShape = [16, 16, 32]}>");
  expect_same(
      "gl.amd.cdna4.AMDMFMALayout(version=4, instr_shape=[32, 32, 16], transposed=True, "
      "warps_per_cta=[2, 2], element_bitwidth=None)",
      "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], "
      "isTransposed = true}>");
}

// Triton's get_default_for: 128 bytes where they divide a row of at least eight, else 64, 32 or
// none.
TEST(GluonReader, DefaultSwizzle) {
  const auto expect_width = [](std::string_view text, int width, int bits, bool transposed) {
    expect_same(text, "#ttg.nvmma_shared<{swizzlingByteWidth = " + std::to_string(width) +
                          ", transposed = " + (transposed ? "true" : "false") +
                          ", elementBitWidth = " + std::to_string(bits) + "}>");
  };
  expect_width("gl.NVMMASharedLayout.get_default_for([128, 64], gl.float16)", 128, 16, false);
  expect_width("gl.NVMMASharedLayout.get_default_for([128, 32], gl.bfloat16)", 64, 16, false);
  expect_width("gl.NVMMASharedLayout.get_default_for((64, 32), gl.float8e4nv)", 32, 8, false);
  expect_width("gl.NVMMASharedLayout.get_default_for([4, 64], gl.float16)", 0, 16, false);
  // Rows are as many as the product of all sizes but the last, which 64 bits need not hold.
  EXPECT_TRUE(triton::read(
      "gl.NVMMASharedLayout.get_default_for([9, 1099511627776, 1099511627776, 64], gl.float16)"));
  expect_width("gl.NVMMASharedLayout.get_default_for([16, 128], gl.float32, transposed=True)", 64,
               32, true);
}

void expect_error(std::string_view text, std::size_t column, std::string_view message) {
  const auto read = triton::read(text);
  ASSERT_FALSE(read.has_value()) << text;
  EXPECT_EQ(read.error().column, column) << text;
  EXPECT_EQ(read.error().message, message) << text;
}

TEST(GluonReader, Errors) {
  expect_error("gl.BlockedLayout([1, 4], [8, 4], [4, 1])", 1, "BlockedLayout lacks order");
  expect_error("BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], sizes=3)", 47,
               "BlockedLayout has no argument sizes; it takes size_per_thread, threads_per_warp, "
               "warps_per_cta, order, cga_layout, ctas_per_cga, cta_split_num, cta_order");
  expect_error("SliceLayout(0, 1, 2)", 19,
               "SliceLayout has too many arguments; it takes dim, parent");
  expect_error("SliceLayout(0, dim=1)", 16, "SliceLayout has dim twice");
  expect_error("SliceLayout(0, 1)", 16, "expected a layout for parent");
  expect_error("BlockedLayout([1, x], [8], [4], [0])", 19,
               "expected a number, a list, True, False, None or a layout, found 'x'");
  expect_error("gl.AutoLayout()", 1, std::string(detail::auto_has_no_map));
  expect_error("PaddedSharedLayout([[4, 2]], [[0, 1], [1, 0]], [], [4, 4])", 52,
               "the shape is [4, 4], and the bases reach [2, 2]");
  const auto unknown = triton::read("BlokedLayout([1])");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_TRUE(unknown.error().message.starts_with(
      "there is no layout BlokedLayout; did you mean BlockedLayout? there are "))
      << unknown.error().message;
  for (const char* text :
       {"BlockedLayout(", "BlockedLayout([", "BlockedLayout(a=", "BlockedLayout(,",
        "gl.SliceLayout(0, gl.SliceLayout(", "PaddedSharedLayout([[1]], [])",
        "PaddedSharedLayout([], [[1]])", "BlockedLayout([1]) x",
        "PaddedSharedLayout([[4, 2]], [[1], [2]], [[4000000000]])",
        "NVMMASharedLayout.get_default_for([1, 2], 3)",
        "NVMMASharedLayout.get_default_for([], gl.float16)",
        "NVMMADistributedLayout([1], [2], [3])", "AMDWMMALayout(1, 2, [[1]])"})
    EXPECT_FALSE(triton::read(text).has_value()) << text;
}

}  // namespace gluon_reader_test
}  // namespace heddle::interop::triton
