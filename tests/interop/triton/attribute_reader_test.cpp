// Reading attributes: the texts that Triton printed, older spellings, and where a text goes wrong.
#include "heddle/interop/triton/attribute_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "heddle/interop/triton/attribute_writer.h"
#include "heddle/layout/text.h"
#include "tests/interop/triton/recorded.h"

namespace heddle::interop::triton {
namespace attribute_reader_test {

using Object = llvm::json::Object;

std::string native(const Map& map) {
  const auto* distributed = std::get_if<layout::LinearLayout>(&map);
  return std::string(
      layout::text(distributed ? *distributed : std::get<memory::SharedLayout>(map).map).view());
}

// Every type that Triton printed reads as the layout whose bases Triton gave.
TEST(AttributeReader, TritonsTexts) {
  std::map<std::string, int> checked;
  for (const llvm::json::Value& value : test::recorded_layouts()) {
    const Object& record = *value.getAsObject();
    const auto text = record.getString("text");
    if (!text || !record.getObject("linear")) continue;
    const auto read = triton::read(text->str());
    ASSERT_TRUE(read.has_value()) << text->str() << "\n" << read.error().message;
    EXPECT_EQ(read->shape, test::numbers_of(record, "shape"));
    // The recorded Triton 3.6.0 took no notice of `transposed` there (nvmma_shared_test.cpp).
    const auto* fields = record.getObject("fields");
    const bool is_plain_transposed = fields && fields->getInteger("swizzle_byte_width") == 0 &&
                                     fields->getBoolean("transposed") == true;
    if (!is_plain_transposed)
      EXPECT_EQ(native(read->map), native(test::map_of(*record.getObject("linear"))))
          << text->str();
    if (const auto name = record.getString("mangle")) EXPECT_EQ(mangle(read->layout), name->str());
    ++checked[test::kind_of(record).str()];
  }
  int all = 0;
  for (const auto& [kind, count] : checked) {
    std::printf("%5d %s\n", count, kind.c_str());
    all += count;
  }
  EXPECT_GE(all, 3300);
}

TEST(AttributeReader, PaddedInBothForms) {
  const auto by_order = read("#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [16, 16]}>");
  const auto by_bases = read(
      "#ttg.padded_shared<[4:+2] {offset = [[0,1],[0,2],[0,4],[0,8],[1,0],[2,0],[4,0],[8,0]], "
      "block = []}>");
  ASSERT_TRUE(by_order.has_value()) << by_order.error().message;
  ASSERT_TRUE(by_bases.has_value()) << by_bases.error().message;
  EXPECT_EQ(by_order->map, by_bases->map);
  const auto& shared = std::get<memory::SharedLayout>(by_order->map);
  EXPECT_EQ(shared.padding, (memory::PaddingList{{4, 2}}));
  EXPECT_EQ(by_order->shape, (Numbers{16, 16}));
}

// Each size of this shape is allowed, but together they have more bits than a layout has.
TEST(AttributeReader, ShapeOfMoreThan64Bits) {
  const auto read = triton::read(
      "#ttg.linear<{register = [[1944469444, 3547788, 35477888, 3545807]], lane = [], warp = [], "
      "block = []}>");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find(
                "the axes of one side have 101 bits together; a layout has at most 64"),
            std::string::npos)
      << read.error().message;
}

TEST(AttributeReader, BlocksOfPaddedTextCountElements) {
  const auto read =
      triton::read("#ttg.padded_shared<[2:+1] {offset = [[0, 1], [1, 0]], block = [[2, 0]]}>");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(std::get<PaddedSharedLayout>(read->layout).cga_layout, (Bases{{1, 0}}));
  EXPECT_EQ(native(read->map), "offset: (0,1) (1,0); block: (2,0) -> dim0: 4, dim1: 2");
}

TEST(AttributeReader, ShapeOfTheTextOfTheCallerOrOfTheTile) {
  const std::string blocked =
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
      "order = [1, 0]}>";
  EXPECT_EQ(read(blocked)->shape, (Numbers{16, 32}));
  EXPECT_EQ(read(blocked, Numbers{8, 64})->shape, (Numbers{8, 64}));
  EXPECT_EQ(read("tensor<128x64xf16, " + blocked + ">")->shape, (Numbers{128, 64}));
  EXPECT_EQ(read("tensor<128x64x!tt.ptr<f16>, " + blocked + ">")->shape, (Numbers{128, 64}));
  const std::string swizzled =
      "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
  EXPECT_EQ(read(swizzled)->shape, (Numbers{8, 64}));
  EXPECT_EQ(read("!ttg.memdesc<64x64xf16, " + swizzled + ", #smem, mutable>")->shape,
            (Numbers{64, 64}));
  // A part of three buffers of 64x64.
  EXPECT_EQ(read("!ttg.memdesc<16x64xf16, " + swizzled + ", #ttg.shared_memory, mutable, 3x64x64>")
                ->shape,
            (Numbers{64, 64}));
  // An alias before it, and spaces anywhere.
  EXPECT_EQ(read("#shared = " + swizzled)->map, read(swizzled)->map);
  EXPECT_EQ(read(" # shared").error().column, 2u);
}

// As TTGIR has them: definitions first, which name each other.
TEST(AttributeReader, Definitions) {
  const std::string definitions =
      "#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
      "instrShape = "
      "[16, 8]}>\n"
      "#smem = #ttg.shared_memory\n"
      "#rows = #ttg.slice<{dim = 1, parent = #mma}>\n";
  const auto last = read(definitions);
  ASSERT_TRUE(last.has_value()) << last.error().message;
  EXPECT_EQ(mangle(last->layout), "SL1_MMA_[2, 0]_[2, 2]_[16, 8]__MMASL");
  const auto used =
      read(definitions + "tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>");
  ASSERT_TRUE(used.has_value()) << used.error().message;
  EXPECT_EQ(mangle(used->layout), "DO0_MMA_[2, 0]_[2, 2]_[16, 8]__MMA_2DO");
  EXPECT_EQ(used->shape, (Numbers{64, 32}));
  EXPECT_EQ(read("tensor<64xf16, #rows>").error(),
            (TextError{16,
                       "#rows is not defined in this text; put its line, #rows = #ttg.…<…>, before "
                       "it"}));
}

TEST(AttributeReader, OldAndNewSpellings) {
  const auto same = [](std::string_view one, std::string_view other) {
    const auto first = read(one);
    const auto second = read(other);
    ASSERT_TRUE(first.has_value()) << first.error().message;
    ASSERT_TRUE(second.has_value()) << second.error().message;
    EXPECT_EQ(first->map, second->map);
    EXPECT_EQ(mangle(first->layout), mangle(second->layout));
  };
  same(
      "#triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
      "order = [1, 0], CTAsPerCGA = [2, 2], CTASplitNum = [1, 2], CTAOrder = [1, 0]}>",
      "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
      "order = [1, 0], CGALayout = [[0, 1], [0, 0]]}>");
  same(
      "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, "
      "CTAsPerCGA = [1, 1, 1], CTASplitNum = [1, 1, 1], CTAOrder = [2, 1, 0]}>",
      "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16, rank "
      "= 3}>");
  same(
      "#ttg.amd_mfma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [32, "
      "32], "
      "isTransposed = false}>",
      "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 1], isTransposed = "
      "false}>");
  same(
      "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = [], warp = [[0, 1], "
      "[1, 0]]}}>",
      "#ttg.amd_wmma<{version = 2, isTranspose = true, warpsPerCTA = [2, 2]}>");
}

struct Slip {
  std::string_view text;
  std::size_t column;
  std::string_view message;
};

TEST(AttributeReader, ErrorsNameTheColumn) {
  constexpr std::array slips{
      Slip{"", 1, "expected a layout, as #ttg.blocked<…>, found the end of the text"},
      Slip{"#ttg.blocked", 13, "expected '<' after #ttg.blocked, found the end of the text"},
      Slip{"#ttg.blocked<{order = [1, 0]}>", 1,
           "#ttg.blocked lacks its field sizePerThread, a list of numbers"},
      Slip{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = x, order = [1, 0]}>", 57,
           "expected a number, a list, true, false, or a layout, found 'x'"},
      Slip{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = [8], order = [1, 0]}>", 57,
           "expected a number for maxPhase"},
      Slip{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, ordre = [1, 0]}>", 60,
           "#ttg.swizzled_shared has no field ordre; did you mean order? it has order, vec, "
           "perPhase, maxPhase, CGALayout"},
      Slip{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], fast = 1}>",
           76,
           "#ttg.swizzled_shared has no field fast; it has order, vec, perPhase, maxPhase, "
           "CGALayout"},
      Slip{"#ttg.swizzled_shared<{vec = 8, vec = 8}>", 32, "the field vec is there twice"},
      Slip{"#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0}>", 73,
           "expected ']', or ',' and another entry, found '}'"},
      Slip{"#ttg.padded_shared<[4+2] {order = [0], shape = [8]}>", 22,
           "expected ':' and '+' between interval and padding, found '+'"},
      Slip{"#ttg.padded_shared<[4:+2, 4:+1] {order = [0], shape = [8]}>", 1,
           "PaddedSharedLayout interval 4 is there twice; give each interval one padding, the sum "
           "of "
           "the two"},
      Slip{"#ttg.padded_shared<{order = [0], shape = [8]}>", 1,
           "#ttg.padded_shared lacks its pairs, as <[4:+2] {…}>"},
      Slip{"#ttg.slice<{dim = 0, parent = #ttg.padded_shared<[4:+2] {order = [0], shape = [8]}>}>",
           31,
           "#ttg.padded_shared lies in shared memory; a parent is a distributed layout, as "
           "#ttg.blocked"},
      Slip{"#ttg.blocked<{order = [0], CTASplitNum = [2]}>", 1,
           "#ttg.blocked lacks its field sizePerThread, a list of numbers"},
      Slip{"#ttg.swizzled_shared<{order = [0], CTASplitNum = [2]}>", 1,
           "#ttg.swizzled_shared lacks its field vec, a number"},
      Slip{"tensor<16x16xf16>", 17, "expected ',' and the layout, found '>'"},
      Slip{"tensor<16xxf16, #ttg.linear<{}>>", 11,
           "expected the element type, as f16, found 'xf16'"},
      Slip{"tensor<12xf16, #ttg.linear<{register = [[1]]}>>", 8,
           "the shape [12] has the size 12; sizes are powers of two up to 2147483648"},
      Slip{"#ttg.linear<{register = [[]], lane = [[1]]}>", 1,
           "the basis [1] of #ttg.linear has 1 coordinates; the layout has 0 dimensions"},
      Slip{"#ttg.linear<{register = []}>", 1,
           "#ttg.linear has no basis; its dimensions are unknown"},
      Slip{"#ttg.linear<{register = [[1]]}> 3", 33, "expected the end of the layout, found '3'"},
      Slip{"#ttg.linear<{register = [[99999999999999]]}>", 27,
           "a number is from -1099511627776 to 1099511627776"},
      Slip{"#ttg.blokced<{}>", 1,
           "there is no layout #ttg.blokced; did you mean blocked? there are blocked, linear, "
           "nvidia_mma, amd_mfma, "
           "amd_wmma, slice, dot_op, padded_shared, swizzled_shared, amd_rotating_shared, "
           "nvmma_shared, shared_linear and partitioned_shared, and #ttng.tensor_memory_encoding "
           "and "
           "#ttng.tensor_memory_scales_encoding"},
      Slip{"#gluon.auto_encoding", 1,
           "AutoLayout stands for a layout that Triton chooses later; it has no map yet: name a "
           "layout"},
  };
  for (const Slip& slip : slips) {
    const auto result = read(slip.text);
    ASSERT_FALSE(result.has_value()) << slip.text;
    EXPECT_EQ(result.error().message, slip.message) << slip.text;
    EXPECT_EQ(result.error().column, slip.column) << slip.text << "\n" << result.error().message;
  }
}

// Cut short anywhere, or with a character changed, a text is an error or a layout; never worse.
RC_GTEST_PROP(AttributeReader, TakesAnyText, ()) {
  const llvm::json::Array& records = test::recorded_layouts();
  const auto index = *rc::gen::inRange<std::size_t>(0, records.size());
  std::string text =
      records[index].getAsObject()->getString("text").value_or("#ttg.blocked<{}>").str();
  for (int change = *rc::gen::inRange(1, 4); change > 0; --change) {
    const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text.resize(place);
        break;
      case 1:
        text[place] = *rc::gen::elementOf(std::string("<>{}[],=:+-#0129xa "));
        break;
      default:
        text.insert(place, text.substr(place / 2, 10));
        break;
    }
    if (text.empty()) break;
  }
  const auto result = read(text);
  if (result) {
    RC_ASSERT(!attribute(result->layout).empty());
  } else {
    RC_ASSERT(result.error().column >= 1 && result.error().column <= text.size() + 1);
    RC_ASSERT(result.error().message.size() > 10);
  }
}

// Nesting and lists are bounded.
TEST(AttributeReader, DeepTextIsRefused) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "#ttg.slice<{dim = 0, parent = ";
  EXPECT_EQ(read(deep).error().message, "layouts are nested more than 16 deep");
  std::string brackets = "#ttg.linear<{register = " + std::string(100000, '[');
  EXPECT_EQ(read(brackets).error().message, "values are nested more than 16 deep");
  std::string wide = "#ttg.linear<{register = [";
  for (int i = 0; i < 100; ++i) wide += "[1], ";
  EXPECT_EQ(read(wide).error().message, "a list here has at most 64 entries");
}

// The names of earlier releases are read as what they are called today.
TEST(AttributeReader, OldNames) {
  const auto now = [](const std::string& text) {
    const auto read = triton::read(text);
    return read ? attribute(read->layout) : read.error().message;
  };
  const auto shared = [&](const std::string& fields) {
    return now("#ttg.shared<{" + fields + "}>");
  };
  EXPECT_EQ(
      shared("vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1], hasLeadingOffset = true"),
      "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 32}>");
  EXPECT_EQ(shared("vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CTAsPerCGA = [1, 2], "
                   "CTASplitNum = [1, 2], CTAOrder = [1, 0], hasLeadingOffset = true"),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = "
            "16, CGALayout = [[0, 1]]}>");
  EXPECT_EQ(shared("vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1], hasLeadingOffset = false"),
            "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1]}>");
  EXPECT_EQ(shared("vec = 2, perPhase = 1, maxPhase = 1, order = [2, 1, 0]"),
            "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>");
  EXPECT_EQ(now("#triton_gpu.mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "
                "instrShape = [16, 64, 16]}>"),
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape "
            "= [16, 64, 16]}>");
  EXPECT_EQ(
      shared("vec = 1, perPhase = 4, maxPhase = 2, order = [1, 0], hasLeadingOffset = true"),
      "#ttg.shared with hasLeadingOffset = true is the old name of #ttg.nvmma_shared; vec = 1 "
      "does not tell the width of an element: write #ttg.nvmma_shared<{swizzlingByteWidth = "
      "32, transposed = false, elementBitWidth = 16}> with the tensor's elementBitWidth");
  EXPECT_EQ(
      shared("vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0], hasLeadingOffset = true"),
      "#ttg.shared with hasLeadingOffset = true is the old name of #ttg.nvmma_shared; perPhase "
      "and maxPhase are then 1 and 8, 2 and 4 or 4 and 2; these are 1 and 4, with order = [1, "
      "0]");
  EXPECT_EQ(shared("vec = 8, perPhase = 1, order = [1, 0]"),
            "#ttg.shared lacks its field maxPhase, a number");
}

}  // namespace attribute_reader_test
}  // namespace heddle::interop::triton
