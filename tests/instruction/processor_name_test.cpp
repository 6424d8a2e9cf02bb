// Processors by product and architecture.
#include "heddle/instruction/processor_name.h"

#include <gtest/gtest.h>

namespace heddle::instruction {
namespace {

TEST(ProcessorName, ByProductAndArchitecture) {
  const auto name = [](std::string_view text) {
    const ProcessorRow* row = find_processor_by_any_name(text);
    return row ? row->name : "none";
  };
  EXPECT_EQ(name("gfx942"), "gfx942");
  EXPECT_EQ(name("GFX942"), "gfx942");
  EXPECT_EQ(name("MI300X"), "gfx942");
  EXPECT_EQ(name("AMD Instinct MI300X"), "gfx942");
  EXPECT_EQ(name("7900 XTX"), "gfx1100");
  EXPECT_EQ(name("AMD Radeon RX 7900 XTX"), "gfx1100");
  EXPECT_EQ(name("rdna3.5"), "gfx1151");
  EXPECT_EQ(name("Strix Halo"), "gfx1151");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4090"), "sm_89");
  EXPECT_EQ(name("H100"), "sm_90a");
  EXPECT_EQ(name("sm_100a"), "sm_100");
  for (const char* text : {"", " ", "rtx", "RX", "MI999", "nvidia", "gfx", "4090 Ti"})
    EXPECT_EQ(name(text), "none") << text;
  for (const ProcessorName& each : processor_names) {
    EXPECT_EQ(name(each.name), processor(each.target).name) << each.name;
    EXPECT_EQ(find_processor(bare_processor_name(each.name)), nullptr) << each.name;
  }
}

}  // namespace
}  // namespace heddle::instruction
