#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "heddle/interop/cute/text.h"

namespace heddle::interop::cute {
namespace tiled_mma_test {

/// What CuTe prints of a product, and the layout that it has for each operand.
struct Recorded {
  std::string text;
  std::map<char, std::string> layouts;
};

std::vector<Recorded> recorded() {
  std::ifstream file(std::string(HEDDLE_TEST_DATA) + "/cute_tiled_mma.txt");
  std::vector<Recorded> all(1);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (line == "====")
      all.emplace_back();
    else if (line.starts_with("TV_"))
      all.back().layouts[line[3]] = line.substr(5);
    else
      all.back().text += line + "\n";
  }
  all.pop_back();
  return all;
}

TEST(TiledMma, ReadsWhatCuTeSaysOfEachOperand) {
  int compared = 0;
  for (const Recorded& product : recorded()) {
    for (const auto& [operand, text] : product.layouts) {
      SCOPED_TRACE(product.text + operand);
      const auto read = read_text(product.text + "." + operand);
      ASSERT_TRUE(read.has_value()) << read.error().message;
      const auto wanted = cute::read(text);
      ASSERT_TRUE(wanted.has_value());
      ASSERT_EQ(size(read->layout), size(*wanted));
      for (Number i = 0; i < size(*wanted); ++i)
        ASSERT_EQ(evaluate(read->layout, i), evaluate(*wanted, i)) << i;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 27);
}

TEST(TiledMma, AnAtomIsAProductOfItsOwn) {
  const Recorded first = recorded().front();
  const std::string atom = first.text.substr(first.text.find("MMA_Atom"));
  const auto read = read_text(atom);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->tile, (std::vector<std::int64_t>{16, 8}));
  EXPECT_EQ(read->layout, read_text(first.text + ".D")->layout);
}

std::string with_tile(std::string text, const std::string& tile) {
  return text.replace(text.find("(_,_,_)"), 7, tile);
}

// A tile of several times the atoms of all threads is divided by these (thrfrg_C): thread and value
// of the small tile hold the same there, and further values are those of the next small tiles, down
// the first mode and then along the second. The small tile is what CuTe itself recorded.
TEST(TiledMma, AWiderTileRepeatsTheAtomsOfAllThreads) {
  int compared = 0;
  for (const Recorded& product : recorded()) {
    if (!product.text.contains("(_,_,_)")) continue;  // CuTe recorded these as they are
    const std::vector<std::int64_t> mn = read_text(product.text + ".C")->tile;
    const std::int64_t k = read_text(product.text + ".A")->tile[1];
    const std::string tile = "(_" + std::to_string(2 * mn[0]) + "," + std::to_string(4 * mn[1]) +
                             ":1,_" + std::to_string(2 * k) + ":_1)";
    for (const auto& [operand, text] : product.layouts) {
      SCOPED_TRACE(product.text + operand + tile);
      const auto small = cute::read(text);
      const auto wide = read_text(with_tile(product.text, tile) + "." + operand);
      ASSERT_TRUE(wide.has_value()) << wide.error().message;
      const Number rows = operand == 'B' ? mn[1] : mn[0], columns = operand == 'C' ? mn[1] : k;
      const Number row_repeats = operand == 'B' ? 4 : 2, column_repeats = operand == 'C' ? 4 : 2;
      EXPECT_EQ(wide->tile,
                (std::vector<std::int64_t>{rows * row_repeats, columns * column_repeats}));
      ASSERT_EQ(size(wide->layout), size(*small) * row_repeats * column_repeats);
      for (Number i = 0; i < size(wide->layout); ++i) {
        const Number place = i / size(*small);
        const Number inside = evaluate(*small, i % size(*small));
        const Number row = inside % rows + place % row_repeats * rows;
        const Number column = inside / rows + place / row_repeats * columns;
        ASSERT_EQ(evaluate(wide->layout, i), row + column * rows * row_repeats) << i;
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 18);
}

std::string error(std::string text, std::string_view part, std::string_view replacement) {
  text.replace(text.find(part), part.size(), replacement);
  const auto read = read_text(text);
  return read ? "" : read.error().message;
}

TEST(TiledMma, SaysWhatIsNotRead) {
  const std::string text = recorded()[1].text;
  for (const char* tile :
       {"((_8,_4):(_2,_1),_,_)", "(_32:_2,_,_)", "((_8,_4):(_1,_0),_,_)", "((_8,_4):(_-1,_8),_,_)"})
    EXPECT_NE(error(text, "(_,_,_)", tile).find("each place of the tile's mode once"),
              std::string::npos)
        << tile;
  EXPECT_NE(error(text, "(_,_,_)", "(_48,_,_)")
                .find("the tile is 48 along M, which is no multiple of 2 atoms of 16"),
            std::string::npos);
  EXPECT_NE(error(text, "(_,_,_)", "(_1073741824,_,_)"), "");
  EXPECT_NE(error(text, "(_1,_32,_64,_0)", "(_1,_64,_128,_0)").find("threads 32 and on"),
            std::string::npos);
  EXPECT_NE(error(text, "Shape_MNK:", "Shape:"), "");
  EXPECT_NE(error(text, "(_32,_2,_2,_1)", "(_32,_536870912,_2,_1)"), "");
}

}  // namespace tiled_mma_test
}  // namespace heddle::interop::cute
