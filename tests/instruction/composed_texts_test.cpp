#include "heddle/instruction/composed_texts.h"

#include <gtest/gtest.h>

#include <set>

#include "heddle/instruction/catalogue.h"

namespace heddle::instruction {
namespace {

constexpr auto texts = [] {
  ComposedTexts<3, 8> composed;
  for (const int number : {0, 9, 1280}) {
    composed.append("k");
    composed.append_number(number);
    composed.append(".x");
    composed.end();
  }
  return composed;
}();
static_assert(texts[0] == "k0.x" && texts[1] == "k9.x" && texts[2] == "k1280.x");

// No two rows that can be told apart share a name, and none has lost its end.
TEST(ComposedTexts, NamesOfTensorMemoryAreWholeAndTheirOwn) {
  std::set<std::string_view> names;
  for (const Instruction& row : tensor_move_instructions) {
    EXPECT_TRUE(row.name.ends_with(".b32")) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  for (const Instruction& row : tensor_instructions) {
    EXPECT_TRUE(row.name.ends_with(".f32") || row.name.ends_with(".f16") ||
                row.name.ends_with(".s32"))
        << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

}  // namespace
}  // namespace heddle::instruction
