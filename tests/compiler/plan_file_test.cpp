#include "compiler/plan_file.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::compiler {
namespace plan_file_test {

TEST(PlanFile, EveryFieldIsRead) {
  const auto read = read_plan_file(
      R"({"block": [128, 256, 64], "warps": [2, 4], "stages": 3, "group": 8, "split_k": 2,
          "blocks": 132,
          "choices": [], "target": "sm_90"})",
      "p.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->fields, (PlanFields{.block_m = 128,
                                      .block_n = 256,
                                      .block_k = 64,
                                      .warps_m = 2,
                                      .warps_n = 4,
                                      .stages = 3,
                                      .group = 8,
                                      .split_k = 2,
                                      .blocks = 132}));
  EXPECT_EQ(read_plan_file("{}", "p.json")->fields, PlanFields());
  const auto warpgroup =
      read_plan_file(R"({"consumers": 1, "cluster": [2, 1], "instruction": "wgmma",
                                        "computes": "D^T", "estimated_us": 3.5})",
                     "p.json");
  ASSERT_TRUE(warpgroup) << warpgroup.error();
  EXPECT_EQ(warpgroup->fields, (PlanFields{.consumers = 1,
                                           .cluster_m = 2,
                                           .cluster_n = 1,
                                           .instruction = "wgmma",
                                           .computes = "D^T"}));
}

// Tuned plans are kept so.
TEST(PlanFile, WhatIsWrittenIsRead) {
  const PlanFields fields{.block_m = 128,
                          .block_n = 256,
                          .block_k = 64,
                          .warps_m = 2,
                          .warps_n = 4,
                          .stages = 3,
                          .group = 8,
                          .split_k = 2,
                          .blocks = 132,
                          .consumers = 1,
                          .cluster_m = 2,
                          .cluster_n = 1,
                          .instruction = "wgmma",
                          .copies = "direct",
                          .computes = "D^T",
                          .schedule = "ping-pong"};
  const auto read = read_plan_file(plan_file_text(fields), "p.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->fields, fields);
  EXPECT_EQ(plan_file_text({.group = 2}), R"({"group":2})");
  const PlanFields open{.block_m = 128, .block_n = 64, .warps_m = 2, .warps_n = 2};
  EXPECT_EQ(read_plan_file(plan_file_text(open), "p.json").value().fields, open);
}

// As the printer of plans for RDNA writes them.
TEST(PlanFile, TwoNamesOfOneDecisionAgree) {
  const auto read = read_plan_file(R"({"warps": [2, 4], "waves": [2, 4]})", "p.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->fields, (PlanFields{.warps_m = 2, .warps_n = 4}));
  EXPECT_EQ(read_plan_file("{\"stages\": 2,\n \"lds_buffers\": 1}", "p.json").error(),
            "p.json:2:2: error: \"lds_buffers\" beside another field for the same, of other "
            "numbers; accepted: one of them\n");
}

// Names in nested objects and in strings are no fields.
TEST(PlanFile, EveryFieldHasItsPlace) {
  const auto read = read_plan_file(
      "{\"choices\": [{\"stages\": 1}, \"warps\\\":\"],\n  \"w\\u0061rps\" : [1, 2], \"stages\": "
      "2}",
      "p.json");
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->places.size(), 2u);
  EXPECT_EQ(read->places[0].field + " " + read->places[0].place, "warps p.json:2:3");
  EXPECT_EQ(read->places[1].field + " " + read->places[1].place, "stages p.json:2:26");
  EXPECT_EQ(without(read->fields, "warps"), (PlanFields{.stages = 2}));
  const auto copies = read_plan_file("{\"copies\": \"direct\"}", "p.json");
  EXPECT_EQ(copies->fields, (PlanFields{.copies = "direct"}));
  EXPECT_EQ(without(copies->fields, "copies"), PlanFields());
}

TEST(PlanFile, MistakesHaveTheirPlace) {
  const auto error = [](std::string_view text) { return read_plan_file(text, "p.json").error(); };
  EXPECT_EQ(
      error("{\n  \"blok\": 1}"),
      "p.json:2:3: error: the field \"blok\"; accepted: block, warps, stages, group, split_k, "
      "blocks, consumers, cluster, instruction, copies, computes, schedule\n");
  EXPECT_EQ(error(""),
            "p.json:1:1: error: not JSON: Unexpected EOF; accepted: {\"block\": [128, "
            "128, 64], …}\n");
  EXPECT_EQ(error("{\"stages\": 2, \"stages\": 2}"),
            "p.json:1:2: error: the field \"stages\" more than once; accepted: each field once\n");
  EXPECT_EQ(error("{\"instruction\": 3}"),
            "p.json:1:2: error: the field \"instruction\" that is no name; accepted: a string\n");
  EXPECT_EQ(error("{\"copies\": [1]}"),
            "p.json:1:2: error: the field \"copies\" that is no name; accepted: a string\n");
  EXPECT_EQ(error("{\"block\": [1]}"),
            "p.json:1:2: error: \"block\" that is not 3 whole numbers; accepted: numbers from 1 to "
            "65536\n");
  EXPECT_EQ(error("{\"stages\": -1}"),
            "p.json:1:2: error: \"stages\" that is not 1 whole number; accepted: numbers from 1 to "
            "65536\n");
  EXPECT_TRUE(error("{\n \"block\": [1, }").starts_with("p.json:2:"))
      << error("{\n \"block\": [1, }");
  EXPECT_TRUE(error("[]").starts_with("p.json:1:1: error: no object")) << error("[]");
  EXPECT_EQ(error("{\"block\":\n" + std::string(100000, '[')),
            "p.json:2:64: error: brackets nested too deeply; accepted: at most 64 open brackets\n");
}

}  // namespace plan_file_test
}  // namespace heddle::compiler
