// What must lie between a matrix instruction of gfx1250 and others. LLVM is the witness:
// tests/data/coexecution.json.gz has pairs of instructions and how many v_nop LLVM 22 put between
// them (record_coexecution.py).
#include "emulator/check/coexecution.h"

#include <algorithm>

#include "../kernels.h"
#include "checked_kernel.h"
#include "tests/data/golden.h"

namespace heddle::emulator::testing {
namespace coexecution_test {

struct Case {
  std::string first, second;
  int nops = 0;
};

std::vector<Case> recorded() {
  std::vector<Case> cases;
  const llvm::json::Value data = test::read_golden("coexecution.json.gz");
  for (const llvm::json::Value& value : *data.getAsObject()->getArray("cases")) {
    const llvm::json::Object& entry = *value.getAsObject();
    cases.push_back({entry.getString("first")->str(), entry.getString("second")->str(),
                     static_cast<int>(*entry.getInteger("nops"))});
  }
  return cases;
}

TEST(Coexecution, AsLlvmPutsThem) {
  const std::vector<Case> cases = recorded();
  ASSERT_GT(cases.size(), 2000u);
  std::string body;
  for (const Case& one : cases) body += one.first + "\n" + one.second + "\n";
  const CodeObject object =
      assemble(kernel_text({{.name = "pairs", .body = body + "s_endpgm\n"}}, "gfx1250"), "gfx1250");
  const check::EffectsTable effects(object.program(), object.target());
  const check::Coexecution coexecution(object.program(), effects, object.target());
  for (uint32_t i = 0; i < cases.size(); ++i) {
    const std::vector<check::Coexecution::Product> products = {{2 * i, 0}};
    const auto found = coexecution.check(products, 2 * i + 1, 1);
    EXPECT_EQ(found ? found->needed : 0, cases[i].nops)
        << cases[i].first << " | " << cases[i].second;
    const auto behind =
        coexecution.check(products, 2 * i + 1, 1 + static_cast<uint32_t>(cases[i].nops));
    EXPECT_FALSE(behind) << cases[i].first << " | " << cases[i].second;
  }
}

// A vector instruction, half of a dual-issue pair too, that comes after a branch.
std::string product_and(const std::string& rest) {
  std::string text;
  for (int i = 0; i < 32; ++i) text += "v_mov_b32 v" + std::to_string(i) + ", 0\n";
  return text + "v_wmma_f32_16x16x32_f16 v[24:31], v[0:7], v[8:15], v[16:23]\n" + rest +
         "s_endpgm\n";
}

std::vector<Finding> found(const std::string& rest) {
  return run_checked({.body = product_and(rest)}, "gfx1250").report.findings;
}

TEST(Coexecution, IsFoundOnThePathOfAWave) {
  const auto early = found("v_nop\ns_branch after\nafter:\nv_mov_b32 v40, v24\n");
  ASSERT_EQ(early.size(), 1u);
  EXPECT_EQ(early[0].kind, FindingKind::wait_state_hazard);
  EXPECT_EQ(early[0].message,
            "v_mov_b32 comes 1 vector instruction after v_wmma_f32_16x16x32_f16, and it takes "
            "4: v24, WMMA writes VGPR, VALU reads it");
  EXPECT_EQ(early[0].fix, "Put 3 v_nop between the two, or as many other vector instructions.");
  EXPECT_TRUE(found("v_nop\nv_nop\ns_nop 0\nv_nop\nv_nop\nv_mov_b32 v40, v24\n").empty());
}

TEST(Coexecution, DualIssueWritesToo) {
  const auto pair = found("v_dual_mov_b32 v0, 1.0 :: v_dual_mov_b32 v43, 2.0\n");
  ASSERT_EQ(pair.size(), 1u);
  EXPECT_TRUE(pair[0].message.contains("WMMA reads VGPR as A, B or index, VALU writes it"))
      << pair[0].message;
}

}  // namespace coexecution_test
}  // namespace heddle::emulator::testing
