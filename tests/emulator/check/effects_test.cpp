// What an instruction does to registers, caches and counters, as the checker reads it from its text
// and its row of the opcode table.
#include "emulator/check/effects.h"

#include <gtest/gtest.h>

#include "tests/emulator/kernels.h"

namespace heddle::emulator::testing {
namespace effects_test {

using check::Action;
using check::Effects;
using check::EffectsTable;

/// Of one instruction: what `look` makes of it.
template <class Look>
auto of(const std::string& line, const std::string& target, Look look) {
  const int wave = target.starts_with("gfx9") ? 64 : 32;
  const CodeObject object =
      assemble(kernel_text({{.name = "one", .body = line + "\ns_endpgm", .wave = wave}}, target),
               target, wave);
  EXPECT_EQ(object.program().obstacle(0), "");
  const EffectsTable table(object.program(), object.target());
  return look(table[0]);
}

std::vector<std::string> texts(const std::vector<check::RegisterRange>& ranges) {
  std::vector<std::string> result;
  for (const check::RegisterRange& range : ranges) result.push_back(range.text());
  return result;
}

// Which operands the ISA documents call sources and destinations; a destination of which a part
// stays is both.
TEST(Effects, RegistersReadAndWritten) {
  struct Case {
    std::string target, line;
    std::vector<std::string> reads, writes;
  };
  const Case cases[] = {
      {"gfx942",
       "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10",
       {"v[0:3]", "v[4:5]", "v[6:9]", "v10"},
       {"v[0:3]"}},
      {"gfx942",
       "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]",
       {"v[4:5]", "v[6:7]", "v[8:11]"},
       {"v[0:3]"}},
      {"gfx1250", "v_cvt_sr_pk_f16_f32 v0, v1, v2, v3", {"v1", "v2", "v3"}, {"v0"}},
      {"gfx942", "v_cvt_sr_fp8_f32 v0, v1, v2", {"v0", "v1", "v2"}, {"v0"}},
      {"gfx1151", "v_writelane_b32 v0, s1, 3", {"v0", "s1"}, {"v0"}},
      {"gfx1151", "s_bitset1_b32 s0, s1", {"s0", "s1"}, {"s0"}},
      {"gfx1151", "s_getreg_b32 s0, hwreg(HW_REG_MODE)", {}, {"s0"}},
      {"gfx1151", "s_setreg_b32 hwreg(HW_REG_MODE), s0", {"s0"}, {}},
      {"gfx1250", "s_call_i64 s[0:1], 0", {}, {"s[0:1]"}},
  };
  for (const Case& c : cases)
    of(c.line, c.target, [&](const Effects& effects) {
      EXPECT_EQ(texts(effects.reads), c.reads) << c.line;
      EXPECT_EQ(texts(effects.writes), c.writes) << c.line;
      return 0;
    });
}

TEST(Effects, CountersThatAreWaitedFor) {
  const auto waits = [](const std::string& line, const std::string& target) {
    return of(line, target, [](const Effects& effects) {
      EXPECT_EQ(effects.action, Action::wait);
      return effects.wait;
    });
  };
  using Wait = decltype(Effects::wait);
  const auto only = [](std::vector<std::pair<Counter, int8_t>> counts) {
    Wait wait;
    wait.fill(-1);
    for (const auto& [counter, left] : counts) wait[static_cast<std::size_t>(counter)] = left;
    return wait;
  };
  EXPECT_EQ(waits("s_waitcnt vmcnt(3) lgkmcnt(1)", "gfx1151"),
            only({{Counter::load, 3}, {Counter::lds, 1}}));
  EXPECT_EQ(waits("s_waitcnt_vscnt null, 0x2", "gfx1151"), only({{Counter::store, 2}}));
  EXPECT_EQ(waits("s_wait_kmcnt 0x4", "gfx1201"), only({{Counter::scalar, 4}}));
  // RDNA4 ISA, S_WAIT_LOADCNT_DSCNT: dscnt in bits 5..0, the other in bits 13..8.
  EXPECT_EQ(waits("s_wait_loadcnt_dscnt 0x203", "gfx1201"),
            only({{Counter::load, 2}, {Counter::lds, 3}}));
  EXPECT_EQ(waits("s_wait_storecnt_dscnt 0x103", "gfx1201"),
            only({{Counter::store, 1}, {Counter::lds, 3}}));
}

// LLVM "User Guide for AMDGPU Backend", "Memory Model" of each generation.
TEST(Effects, CachesThatAreEmptied) {
  const auto emptied = [](const std::string& line, const std::string& target) {
    return of(line, target, [](const Effects& effects) {
      EXPECT_EQ(effects.action, Action::cache_control);
      return int{effects.invalidates};
    });
  };
  EXPECT_EQ(emptied("buffer_gl0_inv", "gfx1151"), empties_l0);
  EXPECT_EQ(emptied("buffer_gl1_inv", "gfx1151"), empties_l1);
  EXPECT_EQ(emptied("global_inv", "gfx1201"), 0);
  EXPECT_EQ(emptied("global_inv scope:SCOPE_SE", "gfx1201"), empties_l0);
  EXPECT_EQ(emptied("global_inv scope:SCOPE_DEV", "gfx1201"), empties_l0 | empties_l1);
  EXPECT_EQ(emptied("global_wb scope:SCOPE_DEV", "gfx1201"), 0);
  EXPECT_EQ(emptied("buffer_inv sc0", "gfx942"), empties_l0);
  EXPECT_EQ(emptied("buffer_inv sc1", "gfx942"), empties_l0 | empties_l1);
  const auto writes_back = [](const Effects& effects) { return effects.writes_back; };
  EXPECT_TRUE(of("buffer_wbl2 sc1", "gfx942", writes_back));
  EXPECT_FALSE(of("buffer_wbl2 sc0", "gfx942", writes_back));
}

}  // namespace effects_test
}  // namespace heddle::emulator::testing
