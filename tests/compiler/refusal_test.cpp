// Every mistake a user can make is a file under refused/, named after the mistake. Its comment
// lines that begin with "// input:" or "// input: " are what the compiler must say, word for word.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/compile.h"

namespace heddle::compiler {
namespace {

struct Mistake {
  std::string text;
  std::string expected;
};

Mistake read(const std::filesystem::path& path) {
  Mistake mistake;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    mistake.text += line + "\n";
    if (line.starts_with("// input:")) mistake.expected += line.substr(3) + "\n";
  }
  return mistake;
}

TEST(Refusal, EveryMistakeGetsItsMessage) {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_REFUSED)) {
    const Mistake mistake = read(entry.path());
    EXPECT_FALSE(mistake.expected.empty()) << entry.path() << " does not say what it expects";
    for (const instruction::TargetRow& row : instruction::target_rows) {
      const auto compiled = compile(mistake.text, "input", {row.target}, Stage::object);
      ASSERT_FALSE(compiled.has_value()) << entry.path();
      EXPECT_EQ(compiled.error(), mistake.expected) << entry.path();
    }
    ++checked;
  }
  EXPECT_GE(checked, 35);
}

std::string refusal(std::string_view text) {
  const auto compiled = compile(text, "input", {}, Stage::plan);
  return compiled ? "" : compiled.error();
}

TEST(Refusal, TargetsOfWhichOnlyTheCatalogueKnows) {
  const auto compiled = compile("", "input", {instruction::Target::gfx942}, Stage::plan);
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(compiled.error(),
            "input:1:1: error: no kernels for gfx942; accepted: gfx1100, gfx1101, gfx1102, "
            "gfx1150, gfx1151, gfx1200, gfx1201\n");
}

TEST(Refusal, TextsThatAreNoText) {
  EXPECT_EQ(refusal(std::string_view("func\0", 5)),
            "input:1:5: error: a zero byte; accepted: MLIR text\n");
  EXPECT_EQ(refusal(std::string(70000, ' ')),
            "input:1:1: error: a text of 70000 bytes; accepted: at most 65536 bytes\n");
}

TEST(Refusal, BracketsInStringsAndCommentsAreNoBrackets) {
  const std::string brackets(200, '(');
  const std::string text =
      refusal("// " + brackets + "\n\"" + brackets + "\\\"" + brackets + "\"()");
  EXPECT_EQ(text.find("brackets"), std::string::npos) << text;
  EXPECT_NE(refusal("\n" + brackets).find("input:2:65: error: brackets nested too deeply"),
            std::string::npos);
}

// The parser calls itself for each operator of a chain: the limit on the text keeps that bounded.
TEST(Refusal, LongChainsOfOperatorsAreSurvived) {
  std::string chain = "#map = affine_map<(i) -> (";
  for (int i = 0; i < 30000; ++i) chain += "-";
  EXPECT_NE(refusal(chain + "i)>"), "");
  std::string sum = "#map = affine_map<(i) -> (i";
  for (int i = 0; i < 20000; ++i) sum += "+i";
  EXPECT_NE(refusal(sum + ")>"), "");
}

}  // namespace
}  // namespace heddle::compiler
