// TileLang's layout functions by name, against TileLang's own on their whole domains
// (tests/data/tilelang_layouts.json.gz), and the catalogue's operands against them.
#include "heddle/interop/tilelang_functions.h"

#include <gtest/gtest.h>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/names.h"
#include "heddle/interop/any_layout.h"
#include "heddle/layout/algebra.h"
#include "tests/data/golden.h"

namespace heddle::interop::tilelang {
namespace tilelang_functions_test {

layout::LinearLayout map_of(const std::string& text) {
  const auto read = read_layout(text);
  EXPECT_TRUE(read.has_value()) << text;
  EXPECT_EQ(read->dialect, Dialect::tilelang);
  return std::get<layout::LinearLayout>(read->meaning);
}

TEST(TilelangFunctions, AreTileLangsOnTheirWholeDomains) {
  const llvm::json::Value golden = test::read_golden("tilelang_layouts.json.gz");
  int points = 0;
  for (const auto& [name, value] : *golden.getAsObject()->getObject("functions")) {
    const llvm::json::Object& function = *value.getAsObject();
    std::string path = function.getString("module")->str();  // as Python imports it
    std::ranges::replace(path, '/', '.');
    const auto map = map_of(path.substr(0, path.size() - 2) + name.str());
    EXPECT_EQ(map_of_function(name.str()),
              map_of_function(path.substr(0, path.size() - 2) + name.str()));
    const bool is_of_thread = function.getArray("args")->front().getAsString() == "thread_id";
    const std::vector<int> domain = test::numbers(*function.getArray("domain"));
    int index = 0;
    for (const llvm::json::Value& pair : *function.getArray("values")) {
      const int first = index / domain[1], second = index % domain[1];
      ++index;
      const std::vector<int> result = test::numbers(*pair.getAsArray());
      const auto [lane, reg] =
          is_of_thread ? std::pair(first, second) : std::pair(result[0], result[1]);
      const auto [row, column] =
          is_of_thread ? std::pair(result[0], result[1]) : std::pair(first, second);
      const auto at = map.apply({{"register", static_cast<std::uint64_t>(reg)},
                                 {"lane", static_cast<std::uint64_t>(lane)}});
      ASSERT_TRUE(at.has_value()) << name.str();
      ASSERT_EQ(at->at("dim0"), static_cast<std::uint64_t>(row)) << name.str();
      ASSERT_EQ(at->at("dim1"), static_cast<std::uint64_t>(column)) << name.str();
      ++points;
    }
  }
  EXPECT_GT(points, 30000);
}

// The instructions that they are for. Gathered pairs of m16n8 tiles are not in this list.
TEST(TilelangFunctions, AreOperandsOfTheCatalogue) {
  struct Case {
    std::string_view name, instruction;
    instruction::Target target;
    instruction::Operand operand;
  };
  using enum instruction::Operand;
  using instruction::Target;
  for (const Case& one :
       {Case{"shared_16x16_to_mma_a_32x8_layout", "SM80_16x8x16_F32F16F16F32_TN", Target::sm_80, a},
        Case{"mma_load_a_32x16_to_shared_16x32_layout", "SM80_16x8x32_S32S8S8S32_TN", Target::sm_80,
             a},
        Case{"shared_16x8_to_mma_a_32x4_layout", "SM80_16x8x8_F32TF32TF32F32_TN", Target::sm_80, a},
        Case{"shared_16x16_to_local_64x4_layout_A", "v_mfma_f32_16x16x16_f16", Target::gfx942, a},
        Case{"shared_16x16_to_local_64x4_layout_B", "v_mfma_f32_16x16x16_f16", Target::gfx942, b},
        Case{"shared_16x16_to_local_64x4_layout_C", "v_mfma_f32_16x16x16_f16", Target::gfx942, d},
        Case{"shared_16x32_to_local_64x8_layout_A", "v_mfma_i32_16x16x32_i8", Target::gfx942, a},
        Case{"wmma_store_index_map_gfx12", "v_wmma_f32_16x16x16_f16", Target::gfx1201, d},
        Case{"wmma_store_index_map_gfx11", "v_wmma_f32_16x16x16_f16", Target::gfx1100, d}}) {
    const auto row = instruction::find_by_any_name(one.instruction, one.target, 0);
    ASSERT_TRUE(row.has_value()) << one.instruction;
    const auto standard = interop::detail::standard_distributed(instruction::fragment(*row, one.operand));
    ASSERT_TRUE(standard.has_value()) << standard.error();
    const auto held = interop::detail::standard_distributed(map_of(std::string(one.name)));
    EXPECT_EQ(write_layout(Meaning(*standard), Dialect::native),
              write_layout(Meaning(*held), Dialect::native))
        << one.name;
  }
}

TEST(TilelangFunctions, OtherNamesAreNone) {
  for (const char* text : {"", "shared_16x16", "tilelang.", "shared_16x16_to_mma_a_32x8_layout x",
                           "mma_layout.shared_16x16_to_mma_a_32x8_layout", "layout"})
    EXPECT_EQ(map_of_function(text), "") << text;
}

}  // namespace tilelang_functions_test
}  // namespace heddle::interop::tilelang
