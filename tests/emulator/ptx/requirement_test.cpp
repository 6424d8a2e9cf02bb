// Which .version and .target instructions need, against NVIDIA's assembler.
#include "emulator/ptx/requirement.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "llvm/Support/JSON.h"
#include "tests/data/golden.h"
#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace requirement_test {

std::string unmet(std::string_view opcode, int version, const std::string& target) {
  Statement statement;
  while (!opcode.empty()) {
    // "shared::cta" is one word.
    const std::string_view word = opcode.substr(0, opcode.find('.'));
    statement.opcode.push_back(word);
    opcode.remove_prefix(std::min(opcode.size(), word.size() + 1));
  }
  Source source;
  source.version = version;
  source.target = target;
  return unmet_requirement(statement, source).value_or("");
}

TEST(Requirement, SaysWhatIsMissing) {
  EXPECT_EQ(unmet("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 70, "sm_80"),
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 needs .version 8.4 and .target "
            "sm_89 or higher, and the file has .version 7.0 and .target sm_80");
  EXPECT_EQ(unmet("wgmma.fence.sync.aligned", 80, "sm_90"),
            "wgmma.fence.sync.aligned needs .target sm_90a, and the file has .version 8.0 and "
            ".target sm_90");
  EXPECT_EQ(unmet("redux.sync.min.f32", 90, "sm_120a"),
            "redux.sync.min.f32 needs .target sm_100f, and the file has .version 9.0 and .target "
            "sm_120a");
}

struct Case {
  const char* opcode;
  int version;                // the first that has it
  std::set<std::string> has;  // of `targets`
};
const std::set<std::string> targets{"sm_75",   "sm_80",   "sm_90",   "sm_90a",  "sm_100", "sm_100a",
                                    "sm_100f", "sm_103a", "sm_110a", "sm_120a", "sm_121a"};

/// What ptxas 13.0 (V13.0.88) answered about all of these.
TEST(Requirement, AgreesWithTheAssembler) {
  const std::set<std::string> from_80{"sm_80",   "sm_90",   "sm_90a",  "sm_100",  "sm_100a",
                                      "sm_100f", "sm_103a", "sm_110a", "sm_120a", "sm_121a"};
  std::set<std::string> from_90 = from_80, from_100 = from_80;
  from_90.erase("sm_80");
  for (const char* old : {"sm_80", "sm_90", "sm_90a"}) from_100.erase(old);
  const std::set<std::string> tensor{"sm_100a", "sm_100f", "sm_103a", "sm_110a"};
  const std::set<std::string> narrow{"sm_100a", "sm_100f", "sm_103a",
                                     "sm_110a", "sm_120a", "sm_121a"};
  std::set<std::string> replaced = narrow;
  replaced.insert("sm_90a");
  const Case cases[] = {
      {"cp.async.ca.shared.global", 70, from_80},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", 65, targets},
      {"mbarrier.init.shared.b64", 70, from_80},
      {"mbarrier.try_wait.parity.shared.b64", 78, from_90},
      {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64", 80, from_90},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes", 80, from_90},
      {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", 80, from_90},
      {"cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes", 86, from_90},
      {"tensormap.replace.tile.global_address.global.b1024.b64", 83, replaced},
      {"setmaxnreg.inc.sync.aligned.u32", 80, replaced},
      {"add.rn.f32x2", 86, from_100},
      {"add.rn.bf16x2", 78, from_90},
      {"fma.rn.bf16x2", 70, from_80},
      {"cvt.rn.satfinite.e2m1x2.f32", 86, narrow},
      {"cvt.rn.bf16x2.f32", 70, from_80},
      {"cvt.rna.tf32.f32", 70, from_80},
      {"cvt.rn.tf32.f32", 78, from_90},
      {"tcgen05.ld.sync.aligned.32x32b.x1.b32", 86, tensor},
      {"tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32", 88, tensor},
      {"tcgen05.mma.cta_group::1.kind::i8", 86, {"sm_100a", "sm_110a"}},
      {"redux.sync.add.s32", 70, from_80},
      {"redux.sync.max.f32", 86, {"sm_100a", "sm_100f", "sm_103a"}},
      {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128", 86, from_100},
      {"ld.global.v8.b32", 88, from_100},
      {"add.f32", 63, targets},
  };
  for (const Case& each : cases)
    for (const std::string& target : targets) {
      EXPECT_EQ(unmet(each.opcode, 90, target).empty(), each.has.contains(target))
          << each.opcode << " " << target;
      if (!each.has.contains(target)) continue;
      EXPECT_EQ(unmet(each.opcode, each.version, target), "") << each.opcode << " " << target;
      if (each.version <= 65) continue;
      EXPECT_NE(unmet(each.opcode, each.version - 1, target), "") << each.opcode << " " << target;
    }
}

/// The matrix instructions of the catalogue on eleven processors, as recorded.
TEST(Requirement, RefusesTheMatrixInstructionsThatTheAssemblerRefuses) {
  const llvm::json::Value recorded = test::read_golden("ptxas_families.json.gz");
  int refused = 0;
  for (const auto& [name, takers] : *recorded.getAsObject()->getObject("accepted")) {
    std::set<std::string> by;
    for (const llvm::json::Value& taker : *takers.getAsArray())
      by.insert(taker.getAsString()->str());
    if (by.empty()) continue;
    for (const llvm::json::Value& value : *recorded.getAsObject()->getArray("processors")) {
      const std::string processor = value.getAsString()->str();
      EXPECT_EQ(unmet(name.str(), 90, processor).empty(), by.contains(processor))
          << name.str() << " on " << processor;
      refused += by.contains(processor) ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Requirement, RefusesAKernel) {
  const auto module = Module::parse(
      kernel_text("", ".reg .b32 %r<1>;\nredux.sync.add.s32 %r0, %r0, 0xffffffff;\n", "", "sm_75"));
  ASSERT_FALSE(module.has_value());
  EXPECT_NE(module.error().find("needs .target sm_80 or higher"), std::string::npos)
      << module.error();
}

}  // namespace requirement_test
}  // namespace heddle::emulator::ptx::testing
