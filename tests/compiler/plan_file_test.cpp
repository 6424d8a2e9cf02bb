#include "compiler/plan_file.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::compiler {
namespace {

TEST(PlanFile, EveryFieldIsRead) {
  const auto read = read_plan_file(
      R"({"block": [128, 256, 64], "warps": [2, 4], "stages": 3, "group": 8, "split_k": 2,
          "blocks": 132,
          "choices": [], "target": "sm_90"})",
      "p.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, (PlanFields{.block_m = 128,
                               .block_n = 256,
                               .block_k = 64,
                               .warps_m = 2,
                               .warps_n = 4,
                               .stages = 3,
                               .group = 8,
                               .split_k = 2,
                               .blocks = 132}));
  EXPECT_EQ(read_plan_file("{}", "p.json"), PlanFields());
}

TEST(PlanFile, MistakesHaveTheirPlace) {
  const auto error = [](std::string_view text) { return read_plan_file(text, "p.json").error(); };
  EXPECT_EQ(error("{\n  \"blok\": 1}"),
            "p.json:2:3: error: the field \"blok\"; accepted: block, warps, stages, group, "
            "split_k, blocks\n");
  EXPECT_EQ(error("{\"block\": [1, 2]}"),
            "p.json:1:2: error: \"block\" that is not 3 whole numbers; accepted: numbers from 1 to "
            "65536\n");
  EXPECT_EQ(error("{\"stages\": -1}"),
            "p.json:1:2: error: \"stages\" that is not 1 whole numbers; accepted: numbers from 1 "
            "to 65536\n");
  EXPECT_TRUE(error("{\n \"block\": [1, }").starts_with("p.json:2:"))
      << error("{\n \"block\": [1, }");
  EXPECT_TRUE(error("[]").starts_with("p.json:1:1: error: no object")) << error("[]");
  EXPECT_EQ(error("{\"block\":\n" + std::string(100000, '[')),
            "p.json:2:64: error: brackets nested too deeply; accepted: at most 64 open brackets\n");
}

}  // namespace
}  // namespace heddle::compiler
