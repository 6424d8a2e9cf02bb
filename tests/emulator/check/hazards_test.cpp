// Wait states of CDNA. LLVM is the witness: tests/data/wait_states.json.gz has pairs of
// instructions and how many wait states LLVM 22 put between them (record_wait_states.py). They are
// those that the rules of hazards.cpp are about, and the instructions of the vector ALU, but those
// with OPSEL, beside each kind that wait states tell apart. A row of emulator/handlers without a
// trait that it needs fails here.
#include "emulator/check/hazards.h"

#include <set>

#include "../kernels.h"
#include "emulator/decode/program.h"
#include "tests/data/golden.h"

namespace heddle::emulator::testing {
namespace hazards_test {

struct Case {
  std::string target, second;
  std::vector<std::string> first;
  int states = 0;
};

std::vector<Case> recorded() {
  std::vector<Case> cases;
  const llvm::json::Value data = test::read_golden("wait_states.json.gz");
  for (const llvm::json::Value& value : *data.getAsObject()->getArray("cases")) {
    const llvm::json::Object& entry = *value.getAsObject();
    Case& one = cases.emplace_back();
    one.target = entry.getString("target")->str();
    one.second = entry.getString("second")->str();
    one.states = static_cast<int>(*entry.getInteger("states"));
    for (const llvm::json::Value& line : *entry.getArray("first"))
      one.first.push_back(line.getAsString()->str());
  }
  return cases;
}

std::string nops(int states) {
  std::string text;
  for (; states > 0; states -= 8) text += "s_nop " + std::to_string(std::min(states, 8) - 1) + "\n";
  return text;
}

// All of one target in one program, each case at an s_nop of 32 states from the one before.
struct Assembled {
  CodeObject object;
  check::EffectsTable effects;
  check::Hazards hazards;
  std::vector<uint32_t> seconds;  // the second instruction of each case

  explicit Assembled(CodeObject code)
      : object(std::move(code)),
        effects(object.program(), object.target()),
        hazards(object.program(), effects, object.target()) {
    const Program& program = object.program();
    for (uint32_t i = 1; i < program.instructions().size(); ++i)
      if (program.text(i) == "s_nop 15" && program.text(i - 1) != "s_nop 15" && i > 2)
        seconds.push_back(i - 1);
  }
  // Whether the emulator executes the instructions of a case: what it does not, ends a run.
  bool is_executed(std::size_t at) const {
    const Program& program = object.program();
    for (uint32_t i = seconds[at]; program.text(i) != "s_nop 15"; --i)
      if (!program.obstacle(i).empty()) return false;
    return true;
  }
  std::optional<check::Hazards::Found> check(std::size_t at) const {
    check::Path path;
    path.take(seconds[at] - std::min(seconds[at], check::Path::most_states + 1));
    for (uint32_t i = seconds[at] - std::min(seconds[at], check::Path::most_states);
         i <= seconds[at]; ++i)
      path.take(i);
    return hazards.check(path, seconds[at]);
  }
};

// `fewer`: than LLVM put, for all cases that have so many.
Assembled assembled(const std::vector<const Case*>& cases, int fewer) {
  std::string body = "s_nop 15\ns_nop 15\n";
  for (const Case* one : cases) {
    for (const std::string& line : one->first) body += line + "\n";
    body += nops(std::max(0, one->states - fewer)) + one->second + "\ns_nop 15\ns_nop 15\n";
  }
  AssemblyKernel kernel{.name = "pairs", .body = body + "s_endpgm\n"};
  kernel.wave = 64;
  const std::string& target = cases.front()->target;
  return Assembled(assemble(kernel_text({kernel}, target), target, 64));
}

class Hazards : public ::testing::TestWithParam<std::string> {
 protected:
  static std::vector<const Case*> cases() {
    static const std::vector<Case> all = recorded();
    std::vector<const Case*> chosen;
    for (const Case& one : all)
      if (one.target == GetParam()) chosen.push_back(&one);
    return chosen;
  }
  static std::string text(const Case& one) {
    std::string text;
    for (const std::string& line : one.first) text += line + " | ";
    return text + one.second;
  }
};

TEST_P(Hazards, AsManyStatesAsLlvmPutsAreEnough) {
  const auto all = cases();
  const Assembled program = assembled(all, 0);
  ASSERT_EQ(program.seconds.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_FALSE(program.check(i)) << text(*all[i]) << ": LLVM puts " << all[i]->states
                                   << ", and asked for are " << program.check(i)->needed;
}

TEST_P(Hazards, OneStateFewerIsFound) {
  const auto all = cases();
  const Assembled program = assembled(all, 1);
  ASSERT_EQ(program.seconds.size(), all.size());
  int found = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->states == 0 || !program.is_executed(i)) continue;
    const auto hazard = program.check(i);
    ASSERT_TRUE(hazard) << text(*all[i]) << ": LLVM puts " << all[i]->states;
    EXPECT_EQ(hazard->needed - hazard->states, 1) << text(*all[i]);
    EXPECT_TRUE(program.hazards.is_wrong_in_order(program.seconds[i]));
    ++found;
  }
  EXPECT_GT(found, 1000);
}

INSTANTIATE_TEST_SUITE_P(Targets, Hazards, ::testing::Values("gfx90a", "gfx942", "gfx950"),
                         [](const auto& info) { return info.param; });

// No row is there for nothing: with no states at all between the two, each is what lacks the most
// in some case.
TEST(HazardRows, EachIsTried) {
  std::set<const check::HazardRow*> tried;
  const std::vector<Case> all = recorded();
  for (const std::string target : {"gfx90a", "gfx942", "gfx950"}) {
    std::vector<const Case*> cases;
    for (const Case& one : all)
      if (one.target == target) cases.push_back(&one);
    const Assembled program = assembled(cases, 20);
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (const auto hazard = program.check(i)) {
        tried.insert(hazard->row);
        EXPECT_EQ(hazard->needed - hazard->states, cases[i]->states);
      }
  }
  for (const check::HazardRow& row : check::hazard_rows())
    EXPECT_TRUE(tried.contains(&row)) << row.isa << ", models " << row.models.bits;
}

// A result that is not the lowest part of its register wants a wait state, as do all of one kind:
// what LLVM 22 makes of clang's builtins.
TEST(HazardRows, ConversionsToAPartOfARegister) {
  const std::pair<const char*, int> firsts[] = {
      {"v_cvt_scalef32_pk_fp4_f32 v1, v2, v3, s0", 0},
      {"v_cvt_scalef32_pk_fp4_f32 v1, v2, v3, s0 op_sel:[0,0,1,0]", 1},
      {"v_cvt_scalef32_pk_fp4_f32 v1, v2, v3, s0 op_sel:[0,0,0,1]", 1},
      {"v_cvt_scalef32_pk_fp4_f16 v1, v2, s2", 0},
      {"v_cvt_scalef32_pk_fp4_f16 v1, v2, s2 op_sel:[0,0,1,0]", 1},
      {"v_cvt_scalef32_sr_pk_fp4_f32 v1, v[2:3], v4, s0", 1},
      {"v_cvt_scalef32_sr_pk_fp4_f16 v1, v2, v2, s2 op_sel:[0,0,1,1]", 1},
      {"v_cvt_scalef32_sr_fp8_f32 v1, v2, v3, s0", 0},
      {"v_cvt_scalef32_sr_fp8_f32 v1, v2, v3, s0 op_sel:[0,0,1,0]", 1},
      {"v_cvt_sr_fp8_f32 v1, v2, v3 op_sel:[0,0,1,0]", 1},
      {"v_cvt_scalef32_pk_fp8_f32 v1, v2, v3, s0", 0},
      {"v_cvt_scalef32_pk_fp8_f32 v1, v2, v3, s0 op_sel:[0,0,0,1]", 1},
      {"v_cvt_scalef32_pk_fp8_f16 v1, v2, s2 op_sel:[0,0,1]", 1},
      {"v_cvt_scalef32_f16_fp8 v1, v2, s2 op_sel:[1,0,0]", 0},
      {"v_cvt_scalef32_f16_fp8 v1, v2, s2 op_sel:[1,0,1]", 1},
      {"v_cvt_sr_f16_f32 v1, v2, v3 op_sel:[0,0,1]", 1},
  };
  std::vector<Case> all;
  for (const auto& [first, states] : firsts)
    all.push_back({"gfx950", "v_and_b32_e32 v9, 0xff, v1", {first}, states});
  std::vector<const Case*> cases;
  for (const Case& one : all) cases.push_back(&one);
  const Assembled as_llvm = assembled(cases, 0), one_fewer = assembled(cases, 1);
  ASSERT_EQ(as_llvm.seconds.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_FALSE(as_llvm.check(i)) << all[i].first.front();
    EXPECT_EQ(one_fewer.check(i).has_value(), all[i].states == 1) << all[i].first.front();
  }
}

// A finding names the registers as the assembler does.
TEST(HazardRows, AccumulationRegistersByTheirNames) {
  const std::string product = "v_mfma_f32_16x16x16_f16 a[4:7], v[4:5], v[6:7], 0";
  const std::pair<const char*, const char*> seconds[] = {
      {"v_accvgpr_read_b32 v8, a5", "a5"},
      {"v_accvgpr_write_b32 a6, 0", "a6"},
      {"v_mfma_f32_16x16x16_f16 a[8:11], a[4:5], v[6:7], 0", "a[4:5]"},
      {"global_store_dword v[0:1], a7, off", "a7"},
  };
  std::vector<Case> all;
  for (const auto& [second, name] : seconds) all.push_back({"gfx942", second, {product}, 0});
  std::vector<const Case*> cases;
  for (const Case& one : all) cases.push_back(&one);
  const Assembled program = assembled(cases, 0);
  ASSERT_EQ(program.seconds.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto found = program.check(i);
    ASSERT_TRUE(found) << all[i].second;
    EXPECT_EQ(found->range.text(), seconds[i].second) << all[i].second;
  }
}

TEST(HazardPath, GoesBackOverBranches) {
  check::Path path;
  path.start();
  for (const uint32_t index : {10u, 11u, 12u, 4u, 5u, 5u, 6u}) path.take(index);
  std::vector<uint32_t> before, jumps;
  path.back([&](uint32_t index, bool jumped) {
    before.push_back(index);
    if (jumped) jumps.push_back(index);
    return true;
  });
  EXPECT_EQ(before, (std::vector<uint32_t>{5, 4, 12, 11, 10}));
  EXPECT_EQ(jumps, (std::vector<uint32_t>{12}));
}

// LLVM counts the s_branch that a conditional branch jumps over, so that its code lacks one wait
// state there. The hardware lacks none, since a branch that is taken takes longer.
TEST(HazardPath, ABranchThatIsTakenIsTwoStates) {
  // What is lacking of the ten states that the read comes after the product.
  const auto lacking = [](int states, bool taken) {
    const std::string way = nops(states) + "v_accvgpr_read_b32 v2, a0\n";
    AssemblyKernel kernel{.name = "jump",
                          .body = "v_mfma_f32_16x16x4_f32 a[0:3], v0, v1, 0\ns_cbranch_vccz 2\n" +
                                  way + way + "s_endpgm\n"};
    kernel.wave = 64;
    const CodeObject object = assemble(kernel_text({kernel}, "gfx942"), "gfx942", 64);
    const check::EffectsTable effects(object.program(), object.target());
    const check::Hazards hazards(object.program(), effects, object.target());
    check::Path path;
    path.start();
    const uint32_t target = taken ? 4 : 2;
    for (const uint32_t index : {0u, 1u, target, target + 1}) path.take(index);
    const auto found = hazards.check(path, target + 1);
    return found ? found->needed - found->states : 0;
  };
  EXPECT_EQ(lacking(8, true), 0);
  EXPECT_EQ(lacking(7, true), 1);
  EXPECT_EQ(lacking(8, false), 1);
}

}  // namespace hazards_test
}  // namespace heddle::emulator::testing
