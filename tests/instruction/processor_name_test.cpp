// Processors by product and architecture.
#include "heddle/instruction/processor_name.h"

#include <gtest/gtest.h>

namespace heddle::instruction {
namespace processor_name_test {

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
  // As HIP, CUDA, drivers, Triton and nvcc print or want them.
  EXPECT_EQ(name("gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(name("gfx90a:xnack+"), "gfx90a");
  EXPECT_EQ(name("hip:gfx942"), "gfx942");
  EXPECT_EQ(name("cuda:90"), "sm_90");
  EXPECT_EQ(name("compute_90"), "sm_90");
  EXPECT_EQ(name("sm90"), "sm_90");
  EXPECT_EQ(name("sm90a"), "sm_90a");
  EXPECT_EQ(name("NVIDIA H100 80GB HBM3"), "sm_90a");
  EXPECT_EQ(name("NVIDIA H100 PCIe"), "sm_90a");
  EXPECT_EQ(name("NVIDIA A100-SXM4-80GB"), "sm_80");
  EXPECT_EQ(name("Tesla V100-SXM2-16GB"), "sm_70");
  EXPECT_EQ(name("MI308X"), "gfx942");
  EXPECT_EQ(name("H800"), "sm_90a");
  EXPECT_EQ(name("A800"), "sm_80");
  EXPECT_EQ(name("W7900"), "gfx1100");
  EXPECT_EQ(name("AMD Radeon PRO W7900"), "gfx1100");
  EXPECT_EQ(name("R9700"), "gfx1201");
  for (const char* text : {"gfx942:foo+", "cuda:gfx942", "hip:sm", "cuda:", "80GB", "-80GB",
                           "compute_9", "smx"})
    EXPECT_EQ(name(text), "none") << text;
  for (const char* text : {"", " ", "rtx", "RX", "MI999", "nvidia", "gfx", "4090 Ti"})
    EXPECT_EQ(name(text), "none") << text;
  for (const ProcessorName& each : processor_names()) {
    EXPECT_EQ(name(each.name), processor(each.target).name) << each.name;
    EXPECT_EQ(find_processor(bare_processor_name(each.name)), nullptr) << each.name;
  }
}

}  // namespace processor_name_test
}  // namespace heddle::instruction
