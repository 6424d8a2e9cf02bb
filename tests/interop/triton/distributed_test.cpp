// Distributed layouts: the bases, names and errors that Triton recorded.
#include "heddle/interop/triton/distributed.h"

#include <gtest/gtest.h>

#include <map>

#include "heddle/layout/text.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace distributed_test {

std::string native(const layout::LinearLayout& map) {
  return std::string(layout::text(map).view());
}

TEST(Distributed, BasesAreTritons) {
  std::map<std::string, int> checked;
  int failed = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const llvm::json::Object& record = *value.getAsObject();
    const llvm::json::Object* linear = record.getObject("linear");
    const llvm::json::Object* fields = record.getObject("fields");
    if (!linear || !fields) continue;
    const auto layout = test::layout_of(*fields);
    const auto* distributed = std::get_if<DistributedLayout>(&layout);
    if (!distributed) continue;
    const auto map = to_linear(*distributed, test::numbers_of(record, "shape"));
    const bool right = map.has_value() && *map == test::map_of(*linear);
    if (!right && ++failed <= 20) {
      ADD_FAILURE() << record.getString("text").value_or("?").str() << "\n  is        "
                    << native(test::map_of(*linear)) << "\n  should be, not "
                    << (map ? native(*map) : map.error());
    }
    ++checked[test::kind_of(record).str() + (right ? "" : " wrong")];
  }
  EXPECT_EQ(failed, 0);
  for (const auto& [kind, count] : checked) std::printf("%5d %s\n", count, kind.c_str());
  EXPECT_GE(checked["blocked"], 700);
}

TEST(Distributed, NamesAreGluons) {
  int cases = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const llvm::json::Object& record = *value.getAsObject();
    const auto name = record.getString("mangle");
    if (!name || !record.getObject("fields")) continue;
    const auto layout = test::layout_of(*record.getObject("fields"));
    const auto* distributed = std::get_if<DistributedLayout>(&layout);
    if (!distributed) continue;
    EXPECT_EQ(mangle(*distributed), name->str());
    ++cases;
  }
  EXPECT_GE(cases, 2650);
}

/// The layout of a case that Triton's Python refuses to make, from what it was asked for.
DistributedLayout asked_for(const llvm::json::Object& spec) {
  const auto list = [&](llvm::StringRef key) { return test::numbers_of(spec, key); };
  const auto number = [&](llvm::StringRef key) { return spec.getInteger(key).value_or(0); };
  const auto flag = [&](llvm::StringRef key) { return spec.getBoolean(key).value_or(false); };
  const auto parent = [&] { return shared(asked_for(*spec.getObject("parent"))); };
  const llvm::StringRef kind = *spec.getString("kind");
  if (kind == "blocked")
    return BlockedLayout{list("size_per_thread"), list("threads_per_warp"), list("warps_per_cta"),
                         list("order")};
  if (kind == "nvidia_mma")
    return NVMMADistributedLayout{list("version"), list("warps_per_cta"), list("instr_shape")};
  if (kind == "amd_mfma")
    return AMDMFMALayout{number("version"),     list("instr_shape"),        flag("transposed"),
                         list("warps_per_cta"), number("element_bitwidth"), list("tiles_per_warp")};
  if (kind == "amd_wmma")
    return AMDWMMALayout{number("version"), flag("transposed"), list("warps_per_cta"),
                         list("instr_shape"), list("tiles_per_warp")};
  if (kind == "linear")
    return DistributedLinearLayout{
        test::bases_of(spec, "reg_bases"), test::bases_of(spec, "lane_bases"),
        test::bases_of(spec, "warp_bases"), test::bases_of(spec, "block_bases"), list("shape")};
  if (kind == "slice") return SliceLayout{number("dim"), parent()};
  if (kind == "dot_op")
    return DotOperandLayout{number("operand_index"), parent(), number("k_width")};
  return AutoLayout{};
}

// What Triton refuses with a sentence is refused with that sentence; what ends Triton by an
// assertion is refused too.
TEST(Distributed, ErrorsAreTritons) {
  int sentences = 0;
  int crashes = 0;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const llvm::json::Object& record = *value.getAsObject();
    const llvm::StringRef kind = test::kind_of(record);
    if (!record.getBoolean("wrong") || kind.ends_with("shared") || kind == "shared_linear")
      continue;
    const llvm::json::Object& spec = *record.getObject("spec");
    const auto checked = verify(asked_for(spec));
    std::string said;
    for (const char* key : {"make_error", "ir_error", "type_error"}) {
      if (const auto error = record.getString(key)) said = error->str();
    }
    // The recorder asked again without k where a first answer was an assertion of instr_shape.
    const bool asked_again = kind == "amd_mfma" &&
                             test::numbers_of(spec, "instr_shape").size() == 3 &&
                             said.ends_with("(M, N, K) format");
    if (said.empty() && !record.getInteger("crash")) continue;  // Triton takes it
    // A basis along two dimensions at once is an assertion of 3.6 and a layout of later releases.
    if (test::bases_of(spec, "reg_bases") == Bases{{1, 1}}) continue;
    ASSERT_FALSE(checked.has_value()) << said;
    EXPECT_GT(checked.error().size(), 20u);
    crashes += said.empty();
    said = said.substr(std::min(said.size(), said.find(": ") + 2));
    if (said.ends_with("\n")) said.pop_back();
    if (said.empty() || asked_again) continue;
    EXPECT_EQ(checked.error(), said);
    ++sentences;
  }
  EXPECT_GE(sentences, 12);
  EXPECT_GE(crashes, 8);
}

TEST(Distributed, TileIsWhatOneInstructionOfEachWarpCovers) {
  const NVMMADistributedLayout mma{{2, 0}, {2, 2}, {16, 8}};
  EXPECT_EQ(tile_of(DistributedLayout(mma)), (Numbers{32, 16}));
  EXPECT_EQ(tile_of(DistributedLayout(DotOperandLayout{0, shared(mma), 2})), (Numbers{32, 16}));
  EXPECT_EQ(tile_of(DistributedLayout(DotOperandLayout{1, shared(mma), 4})), (Numbers{32, 16}));
  EXPECT_EQ(tile_of(DistributedLayout(SliceLayout{0, shared(mma)})), (Numbers{16}));
  const AMDMFMALayout mfma{3, {32, 32, 8}, false, {2, 1}};
  EXPECT_EQ(tile_of(DistributedLayout(DotOperandLayout{0, shared(mfma), 4})), (Numbers{64, 8}));
  const AMDWMMALayout wmma{1, false, {1, 2}};
  EXPECT_EQ(tile_of(DistributedLayout(DotOperandLayout{1, shared(wmma), 16})), (Numbers{16, 32}));
}

TEST(Distributed, ErrorsWhereTritonHasNone) {
  const BlockedLayout right{{1, 4}, {4, 8}, {4, 1}, {1, 0}};
  BlockedLayout layout = right;
  layout.threads_per_warp = {32};
  EXPECT_EQ(layout.verify().error(),
            "threads_per_warp [32] has 1 entries; size_per_thread [1, 4] has 2");
  layout = right;
  layout.warps_per_cta = {3, 1};
  EXPECT_EQ(layout.verify().error(), "Every element in warpsPerCTA must be a power of two.");
  EXPECT_EQ(to_linear(right, {16}).error(), "the shape [16] has 1 dimensions; the layout has 2");
  EXPECT_EQ(to_linear(right, {16, 12}).error(),
            "the shape [16, 12] has the size 12; sizes are powers of two up to 2147483648");
  EXPECT_EQ(to_linear(SliceLayout{0, shared(right)}, {16, 16}).error(),
            "the shape [16, 16] has 2 dimensions; the layout has 1");
  EXPECT_EQ(to_linear(SliceLayout{0, shared(BlockedLayout{{1}, {32}, {1}, {0}})}, {}).error(),
            "parent layout must have at least rank >= 2");
  EXPECT_EQ(
      to_linear(DotOperandLayout{0, shared(SliceLayout{0, shared(right)}), 2}, {4, 4}).error(),
      "ttg.dot_op parent must be a blocked layout or the layout of a matrix core's result");
  EXPECT_EQ(to_linear(AutoLayout{}, {4}).error(),
            "AutoLayout stands for a layout that Triton chooses later; it has no map yet: name a "
            "layout");
  EXPECT_EQ((DistributedLinearLayout{{{1}}, {}, {}, {}, {4}}.verify().error()),
            "the bases reach only some of the elements of the shape [4]; every element needs an "
            "owner");
}

}  // namespace distributed_test
}  // namespace heddle::interop::triton
