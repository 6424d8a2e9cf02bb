// Every mistake a user can make is a file under refused/, or refused_warp/ for functions of a
// warp's vectors, named after the mistake. Its comment lines that begin with "// input:" or "//
// input: " are what the compiler must say, word for word.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/codegen/guarded.h"
#include "compiler/codegen/link.h"
#include "compiler/compile.h"
#include "compiler/warp_kernel/compile.h"

namespace heddle::compiler {
namespace refusal_test {

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
    for (const instruction::ProcessorRow& row : instruction::target_rows) {
      const auto compiled = compile(mistake.text, "input", {row.target}, Stage::object);
      ASSERT_FALSE(compiled.has_value()) << entry.path();
      EXPECT_EQ(compiled.error(), mistake.expected) << entry.path();
    }
    ++checked;
  }
  EXPECT_GE(checked, 55);
}

TEST(Refusal, EveryMistakeOfAWarpLevelFunctionGetsItsMessage) {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_REFUSED_WARP)) {
    const Mistake mistake = read(entry.path());
    EXPECT_FALSE(mistake.expected.empty()) << entry.path() << " does not say what it expects";
    const auto compiled = compile_warp_function(
        mistake.text, "input", {.target = instruction::Target::gfx1151}, Stage::object);
    ASSERT_FALSE(compiled.has_value()) << entry.path();
    EXPECT_EQ(compiled.error(), mistake.expected) << entry.path();
    ++checked;
  }
  EXPECT_GE(checked, 20);
}

std::string refusal(std::string_view text) {
  const auto compiled = compile(text, "input", {}, Stage::plan);
  return compiled ? "" : compiled.error();
}

TEST(Refusal, TargetsOfWhichOnlyTheCatalogueKnows) {
  const auto compiled = compile("", "input", {instruction::Target::gfx908}, Stage::plan);
  ASSERT_FALSE(compiled.has_value());
  EXPECT_EQ(
      compiled.error(),
      "error: no kernels for the target gfx908; accepted: gfx1100, gfx1101, gfx1102, gfx1103, "
      "gfx1150, gfx1151, gfx1152, gfx1153, gfx1200, gfx1201, gfx90a, gfx942, gfx950, gfx1250, "
      "gfx1251, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_90a, sm_100, sm_103, sm_110, sm_120, "
      "sm_121\n");
}

TEST(Refusal, TextsThatAreNoText) {
  EXPECT_EQ(refusal(std::string_view("func\0", 5)),
            "input:1:5: error: a zero byte; accepted: MLIR text\n");
  EXPECT_EQ(refusal(std::string(1048577, ' ')),
            "input:1:1: error: a text of 1048577 bytes; accepted: at most 1048576 bytes\n");
}

TEST(Refusal, BracketsInStringsAndCommentsAreNoBrackets) {
  const std::string brackets(200, '(');
  const std::string text =
      refusal("// " + brackets + "\n\"" + brackets + "\\\"" + brackets + "\"()");
  EXPECT_EQ(text.find("brackets"), std::string::npos) << text;
  EXPECT_NE(refusal("\n" + brackets).find("input:2:65: error: brackets nested too deeply"),
            std::string::npos);
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

// A quadratic search would take minutes, and a chain of calls would exhaust the stack.
TEST(Refusal, TextsOfAMebibyte) {
  const std::string words = repeated("iterator_types,", 69000);
  EXPECT_NE(refusal(words).find("custom op 'iterator_types' is unknown"), std::string::npos);
  const std::string boolean = "\n" + repeated("iterator_types, ", 65000) + "= [// ]\n false]";
  EXPECT_NE(refusal(boolean).find("input:3:2: error: an iterator type that is a boolean"),
            std::string::npos);
  EXPECT_EQ(refusal("// " + words).find("boolean"), std::string::npos);
  std::string calls = "func.func @f() {\n  return\n}\n";
  std::string callee = "@f";
  for (int i = 0; i < 10000; ++i) {
    const std::string name = "@f" + std::to_string(i);
    calls += "func.func " + name + "() {\n  call " + callee + "() : () -> ()\n  return\n}\n";
    callee = name;
  }
  EXPECT_NE(refusal(calls).find("accepted: at most 256 inside each other"), std::string::npos);
}

// The parser calls itself for each operator of a chain.
TEST(Refusal, LongChainsOfOperators) {
  const std::string start = "#map = affine_map<(i)[j] -> (i";
  for (const char* part : {"+i", " + i", " mod j", " floordiv 3", " ceildiv 3", "*2", "-//\ni"}) {
    const std::string message = refusal(start + repeated(part, 5000) + ")>");
    EXPECT_NE(message.find("an expression of too many operators; accepted: at most 256 operators"),
              std::string::npos)
        << part << ": " << message;
  }
  EXPECT_EQ(refusal("#map = affine_map<(i) -> (" + std::string(62000, '-') + "i)>"),
            "input:1:283: error: an expression of too many operators; accepted: at most 256 "
            "operators in one expression\n");
  // Nested, each bracket has its own; together they are still one stack of the parser.
  EXPECT_NE(refusal("#map = affine_map<(i) -> (" + repeated(std::string(20, '-') + "(", 30))
                .find("too many operators"),
            std::string::npos);
}

TEST(Refusal, OperatorsOfSeparateExpressionsDoNotAddUp) {
  const std::string sum = "i" + repeated("+i", 100);
  const std::string text = "#map = affine_map<(i) -> (" + repeated(sum + ", ", 20) + sum + ")>\n" +
                           "#arrows = " + repeated("() -> ", 5) + "()\n";
  EXPECT_EQ(refusal(text).find("too many operators"), std::string::npos);
}

int use_up_the_stack(volatile int* before) {
  volatile int here[1024] = {};
  here[0] = *before + 1;
  if (here[0] < 0) return 0;  // after 2^31 calls, which no stack holds
  return use_up_the_stack(here) + here[0];
}

TEST(Refusal, NamesOfTheAcceptedCharactersAreAccepted) {
  for (const std::string name : {"f", "_", "Matmul.v2", "a$b", "x.kd.y", "llvm", "kernels"}) {
    const std::string text =
        "func.func @" + name +
        "(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {\n"
        "linalg.matmul ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) "
        "outs(%c : memref<16x16xf32>)\nreturn\n}";
    const auto compiled = compile(text, "input", {}, Stage::object);
    ASSERT_TRUE(compiled.has_value()) << compiled.error();
    EXPECT_EQ(compiled->kernel_name, name);
  }
}

// An argument of a type that no kernel takes is refused by the name of the type, wherever it is
// used.
TEST(Refusal, ArgumentsOfOtherTypesAreNamed) {
  for (const std::string type : {"f80", "f128", "tf32", "i2", "i5", "i128", "ui8", "si32",
                                 "f8E4M3B11FNUZ", "f8E3M4", "f6E2M3FN"}) {
    const std::string value = "tensor<16x16x" + type + ">";
    const std::string text =
        "#same = affine_map<(i, j) -> (i, j)>\n"
        "func.func @f(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>, %x: " +
        value +
        ") -> tensor<16x16xf32> {\n"
        "  %d = linalg.matmul ins(%a, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : "
        "tensor<16x16xf32>) -> tensor<16x16xf32>\n"
        "  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = [\"parallel\", "
        "\"parallel\"]} ins(%x : " +
        value + ") outs(%d : tensor<16x16xf32>) {\n  ^bb0(%v: " + type + ", %s: f32):\n" +
        "    %w = builtin.unrealized_conversion_cast %v : " + type + " to f32\n" +
        "    linalg.yield %w : f32\n  } -> tensor<16x16xf32>\n  return %o : tensor<16x16xf32>\n}\n";
    EXPECT_EQ(refusal(text), "input:2:83: error: elements of " + type + ", in an argument of " +
                                 value +
                                 "; accepted: elements of f64, f32, f16, bf16, f8E4M3FN, f8E5M2, "
                                 "f8E4M3FNUZ, f8E5M2FNUZ, f4E2M1FN, f8E8M0FNU, i64, i32, i16, i8, "
                                 "i4 and i1\n");
  }
}

// What a text is follows from its operations, be they in MLIR's generic form, and not from names.
TEST(Refusal, NamesDoNotMakeAWarpsFunction) {
  const auto product = [](const std::string& name, const std::string& value) {
    return "func.func @" + name + "(" + value + ": memref<16x16xf16>, %b: memref<16x16xf16>, %c: " +
           "memref<16x16xf32>) {\n  linalg.matmul ins(" + value +
           ", %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>)\n  "
           "return\n}\n";
  };
  for (const std::string& text : {product("vector.mm", "%a"), product("f", "%vector.a"),
                                  "// vector.add\n" + product("f", "%a")}) {
    EXPECT_FALSE(is_warp_level(text)) << text;
    EXPECT_TRUE(compile(text, "input", {}, Stage::plan)) << text;
  }
  EXPECT_TRUE(
      is_warp_level("func.func @f(%a: f32) {\n  %v = \"vector.broadcast\"(%a) : (f32) -> "
                    "vector<4xf32>\n  return\n}"));
  EXPECT_TRUE(
      is_warp_level("func.func @f(%a: f32) {\n  %v = vector.broadcast %a : f32 to "
                    "vector<4xf32>\n  return\n}"));
  EXPECT_FALSE(is_warp_level("vector.broadcast"));  // which is no MLIR
  EXPECT_FALSE(is_warp_level(""));
}

// The name of the function is repeated in the message, but not all of it.
TEST(Refusal, MessagesStayShort) {
  const std::string text = "func.func @\".VALUE\"() {\n  return\n}\n";
  std::string named = text;
  named.replace(named.find("VALUE"), 5, std::string(60000, 'x'));
  EXPECT_LT(refusal(named).size(), 700u);
  EXPECT_LT(refusal("func.func @f() {\n  linalg." + std::string(60000, 'x') + "\n}").size(), 700u);
}

// Where the linker's files go is the user's to choose, so the message names it.
TEST(Refusal, UnusableTemporaryDirectoryIsNamed) {
  const char* const set = std::getenv("TMPDIR");
  const std::string before = set == nullptr ? "" : set;
  setenv("TMPDIR", "/no/such/directory", 1);
  const auto linked = link_shared_object("");
  if (set == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", before.c_str(), 1);
  }
  ASSERT_FALSE(linked.has_value());
  EXPECT_EQ(linked.error(),
            "cannot make a directory to link in inside '/no/such/directory': No such file or "
            "directory; set TMPDIR to a directory that can be written");
}

TEST(Guarded, ComesBackFromACrash) {
  volatile int start = 0;
  for (int times = 0; times < 2; ++times) {
    const auto overflowed = guarded("recursion", [&] { start = use_up_the_stack(&start); });
    ASSERT_FALSE(overflowed.has_value());
    EXPECT_EQ(overflowed.error(), "recursion failed inside LLVM");
  }
  EXPECT_TRUE(guarded("nothing", [] {}).has_value());
}

}  // namespace refusal_test
}  // namespace heddle::compiler
