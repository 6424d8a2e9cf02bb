// Races in LDS of waves that have barriers for themselves: named barriers and barriers in LDS, of
// gfx1250. Wrong kernels and their corrected twins.
#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace lds_order_test {

using enum FindingKind;

constexpr const char* target = "gfx1250";

// s8: the number of the wave. Wave 0 sets up what `first` says, and all waves wait for that.
std::string set_up(const std::string& first) {
  return "v_readfirstlane_b32 s8, v0\ns_lshr_b32 s8, s8, 5\ns_cmp_lg_u32 s8, 0\n"
         "s_cbranch_scc1 is_set_up\n" +
         first + "is_set_up:\ns_barrier_signal -1\ns_barrier_wait -1\n";
}

// Barriers 1 and 2 of two waves each, which waves 0 and 1, and 2 and 3, have joined.
std::string pairs() {
  return set_up(
             "s_mov_b32 m0, 0x20001\ns_barrier_init m0\ns_mov_b32 m0, 0x20002\n"
             "s_barrier_init m0\n") +
         "s_lshr_b32 s9, s8, 1\ns_add_co_u32 s9, s9, 1\ns_mov_b32 m0, s9\ns_barrier_join m0\n"
         "v_xor_b32 v2, 128, v1\n";  // v2: the address of the lane in the other wave of the pair
}
constexpr const char* barrier = "s_barrier_signal m0\ns_barrier_wait 1\n";
constexpr const char* store = "ds_store_b32 v1, v0\ns_wait_dscnt 0x0\n";
constexpr const char* load = "ds_load_b32 v3, v2\ns_wait_dscnt 0x0\n";
constexpr const char* use = "global_store_b32 v1, v3, s[6:7]\n";

CheckedRun run_waves(const std::string& body, uint32_t waves) {
  return run_checked({.body = body, .lds_bytes = 1024, .threads = 32 * waves}, target);
}

void expect_silent(const std::string& body, uint32_t waves) {
  const CheckedRun run = run_waves(body, waves);
  EXPECT_TRUE(run.report.findings.empty()) << run.text() << "of\n" << body;
  EXPECT_FALSE(run.report.fault) << run.report.fault->message;
}

// Findings of this kind and of no other; the first of them.
Finding expect_race(FindingKind kind, const std::string& body, uint32_t waves) {
  const CheckedRun run = run_waves(body, waves);
  EXPECT_FALSE(run.report.fault) << run.report.fault->message;
  EXPECT_GE(run.count(kind), 1) << "no " << finding_kind_name(kind) << " in\n" << body;
  EXPECT_EQ(run.count(kind), static_cast<int>(run.report.findings.size())) << run.text();
  return run.report.findings.empty() ? Finding{} : run.report.findings[0];
}

TEST(NamedBarrierOrder, OfThePairAndOfNoOtherWave) {
  expect_silent(pairs() + store + barrier + load + use, 4);
  // Waves 2 and 3 read what waves 0 and 1 have stored.
  const std::string other_pair =
      "s_cmp_lt_u32 s8, 2\ns_cbranch_scc1 past\nv_subrev_nc_u32 v2, 256, v2\npast:\n";
  const Finding race = expect_race(lds_race_read_after_write,
                                   pairs() + other_pair + store + barrier + load + use, 4);
  EXPECT_NE(race.message.find("no barrier between"), std::string::npos) << race.message;
  ASSERT_EQ(race.related.size(), 1u);
  EXPECT_EQ(race.related[0].role.substr(0, 15), "written by wave");
  // The barrier of the workgroup orders all of them.
  expect_silent(pairs() + other_pair + store + barrier +
                    "s_barrier_signal -1\ns_barrier_wait -1\n" + load + use,
                4);
}

TEST(NamedBarrierOrder, AWaitThatIsMissing) {
  const Finding race = expect_race(lds_race_read_after_write,
                                   pairs() + "ds_store_b32 v1, v0\n" + barrier + load + use, 4);
  EXPECT_NE(race.message.find("not waited for before it"), std::string::npos) << race.message;
  EXPECT_NE(race.fix.find("s_wait_dscnt 0"), std::string::npos) << race.fix;
}

// The store comes before the other wave's load or after it, as the waves are run.
void expect_store_and_load_race(const std::string& body, uint32_t waves) {
  const CheckedRun run = run_waves(body, waves);
  EXPECT_FALSE(run.report.fault) << run.report.fault->message;
  EXPECT_EQ(run.count(lds_race_write_after_read), 1) << run.text() << "of\n" << body;
  EXPECT_EQ(run.count(lds_race_read_after_write), 1) << run.text() << "of\n" << body;
  EXPECT_EQ(run.report.findings.size(), 2u) << run.text();
}
constexpr const char* store_another =
    "v_add_nc_u32 v0, 1, v0\nds_store_b32 v1, v0\ns_wait_dscnt 0x0\n";

TEST(NamedBarrierOrder, AnAccessBetweenSignalAndWait) {
  const std::string begin = pairs() + store + barrier + load;
  expect_silent(begin + "s_barrier_signal m0\ns_barrier_wait 1\n" + store_another + use, 4);
  expect_store_and_load_race(
      begin + "s_barrier_signal m0\n" + store_another + "s_barrier_wait 1\n" + use, 4);
}

TEST(NamedBarrierOrder, ASecondRoundIsMissing) {
  const std::string rounds = pairs() + store + barrier + load;
  expect_silent(rounds + barrier + store_another + barrier + load + use, 4);
  expect_store_and_load_race(rounds + store_another + barrier + use, 4);
}

// A barrier of one pair says nothing of what the other pair does at the same time.
TEST(NamedBarrierOrder, WhatIsStoredTwice) {
  const std::string same = pairs() + "v_mov_b32 v5, 0\n";
  expect_race(lds_race_write_after_write,
              same + barrier + "v_mov_b32 v6, s8\nds_store_b32 v5, v6\ns_wait_dscnt 0x0\n", 4);
  expect_silent(same + barrier + "v_mov_b32 v6, 7\nds_store_b32 v5, v6\ns_wait_dscnt 0x0\n", 4);
}

// The members of a barrier are set up by one wave, which the others have to wait for.
TEST(NamedBarrierOrder, ABarrierThatIsNotSetUp) {
  const std::string wait = "s_barrier_signal -1\ns_barrier_wait -1\n";
  std::string body = pairs() + barrier;
  expect_silent(body, 4);
  body.erase(body.find(wait), wait.size());
  const CheckedRun run = run_waves(body, 4);
  EXPECT_GE(run.count(barrier_before_init), 1) << run.text();
  EXPECT_EQ(run.count(barrier_before_init), static_cast<int>(run.report.findings.size()))
      << run.text();
}

// A copy that passes no register counts in a counter of its own.
TEST(NamedBarrierOrder, CopiesThatAreNotWaitedFor) {
  const std::string copy = pairs() + "global_load_async_to_lds_b32 v1, v1, s[4:5]\n";
  expect_silent(copy + "s_wait_asynccnt 0x0\n" + barrier + load + use, 4);
  const Finding race =
      expect_race(lds_race_read_after_write, copy + "s_wait_dscnt 0x0\n" + barrier + load + use, 4);
  EXPECT_NE(race.fix.find("s_wait_asynccnt 0"), std::string::npos) << race.fix;
  // One that goes elsewhere may be on its way while others have ended.
  expect_silent(pairs() +
                    "v_mov_b32 v7, 0x200\nv_add_nc_u32 v7, v7, v1\n"
                    "global_load_async_to_lds_b32 v7, v1, s[4:5]\n" +
                    store + barrier + load + "s_wait_asynccnt 0x0\n" + use,
                4);
}

// A copy that is on its way while its wave stores elsewhere 140 times, which is longer than the
// places of its accesses are kept, meets none of them.
TEST(NamedBarrierOrder, CopiesThatAreLongOnTheirWay) {
  std::string body = pairs() +
                     "v_mov_b32 v7, 0x200\nv_add_nc_u32 v7, v7, v1\n"
                     "global_load_async_to_lds_b32 v7, v1, s[4:5]\n";
  for (int i = 0; i < 140; ++i) body += store;
  expect_silent(body + barrier + load + "s_wait_asynccnt 0x0\n" + use, 4);
}

// --- barriers in LDS
// ------------------------------------------------------------------------------

// Two of them, of one arrival each: 0x300, that there is something to read, and 0x308, that there
// is place. Wave 0 writes and wave 1 reads, in turn.
std::string full_and_empty() {
  return set_up(
             "s_mov_b32 exec_lo, 1\nv_mov_b32 v10, 0\nv_mov_b32 v11, 0\nv_mov_b32 v12, 0\n"
             "v_mov_b32 v13, 0\nv_mov_b32 v14, 0x300\nds_store_b128 v14, v[10:13]\n"
             "s_wait_dscnt 0x0\ns_mov_b32 exec_lo, -1\n") +
         "v_mov_b32 v14, 0x300\nv_mov_b32 v16, 1\nv_mov_b32 v17, 0\nv_and_b32 v2, 124, v1\n";
}
std::string arrive(int offset) {
  return "s_mov_b32 exec_lo, 1\nds_atomic_barrier_arrive_rtn_b64 v[18:19], v14, v[16:17] offset:" +
         std::to_string(offset) + "\ns_wait_dscnt 0x0\ns_mov_b32 exec_lo, -1\n";
}
// Until the barrier has left the phase.
std::string await(int offset, int phase) {
  static int label = 0;
  const std::string name = "again_" + std::to_string(++label);
  return name + ":\ns_sleep 1\nds_load_b64 v[20:21], v14 offset:" + std::to_string(offset) +
         "\ns_wait_dscnt 0x0\nv_readfirstlane_b32 s10, v20\ns_lshr_b32 s10, s10, 29\n"
         "s_cmp_eq_u32 s10, " +
         std::to_string(phase) + "\ns_cbranch_scc1 " + name + "\n";
}
std::string writer_and_reader(const std::string& writer, const std::string& reader) {
  return full_and_empty() + "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 reads\n" + writer +
         "s_endpgm\nreads:\n" + reader;
}
const std::string write_tile = "ds_store_b32 v2, v0\n", read_tile = load;

TEST(LdsBarrierOrder, WhatIsArrivedForIsRead) {
  // An arrival comes after the LDS operations of its wave.
  expect_silent(writer_and_reader(write_tile + arrive(0), await(0, 0) + read_tile + use), 2);
  expect_race(lds_race_read_after_write,
              writer_and_reader(arrive(0) + write_tile, await(0, 0) + read_tile + use), 2);
}

TEST(LdsBarrierOrder, APlaceIsWrittenAgain) {
  const std::string reader = await(0, 0) + read_tile + use + arrive(8) + await(0, 1) +
                             "ds_load_b32 v4, v2\ns_wait_dscnt 0x0\n";
  const std::string first = write_tile + arrive(0);
  expect_silent(writer_and_reader(first + await(8, 0) + write_tile + arrive(0), reader), 2);
  // Waits for the wrong barrier, whose phase its own arrival has ended.
  const CheckedRun run = run_waves(
      writer_and_reader(first + await(0, 0) + "v_add_nc_u32 v0, 1, v0\n" + write_tile + arrive(0),
                        reader),
      2);
  EXPECT_GE(run.count(lds_race_write_after_read) + run.count(lds_race_read_after_write), 1)
      << run.text();
}

TEST(LdsBarrierOrder, CopiesArriveWhenTheyHaveEnded) {
  const std::string copy = "global_load_async_to_lds_b32 v2, v1, s[4:5]\n";
  const std::string arrival =
      "s_mov_b32 exec_lo, 1\nds_atomic_async_barrier_arrive_b64 v14\ns_mov_b32 exec_lo, -1\n";
  const std::string reader = await(0, 0) + read_tile + use;
  expect_silent(writer_and_reader(copy + arrival, reader), 2);
  expect_silent(writer_and_reader(copy + "s_wait_asynccnt 0x0\n" + arrive(0), reader), 2);
  expect_race(lds_race_read_after_write, writer_and_reader(copy + arrive(0), reader), 2);
}

// --- global memory -------------------------------------------------------------------------------

const std::string see = "global_inv scope:SCOPE_SE\ns_wait_loadcnt 0x0\n";
const std::string load_global = "global_load_b32 v3, v2, s[4:5]\ns_wait_loadcnt 0x0\n";
const std::string store_global = "global_store_b32 v2, v0, s[4:5]\n",
                  stored = "s_wait_storecnt 0x0\n";

TEST(LdsBarrierOrder, OfGlobalMemory) {
  const std::string reader = await(0, 0) + see + load_global + use;
  expect_silent(writer_and_reader(store_global + stored + arrive(0), reader), 2);
  const Finding late = expect_race(global_race_read_after_write,
                                   writer_and_reader(arrive(0) + store_global + stored, reader), 2);
  EXPECT_NE(late.message.find("nothing orders the two"), std::string::npos) << late.message;
  const Finding no_wait = expect_race(global_race_read_after_write,
                                      writer_and_reader(store_global + arrive(0), reader), 2);
  EXPECT_NE(no_wait.message.find("was not waited for"), std::string::npos) << no_wait.message;
}

// A copy has read memory when it arrives.
TEST(LdsBarrierOrder, OfWhatCopiesRead) {
  const std::string copy = "global_load_async_to_lds_b32 v2, v2, s[4:5]\n";
  const std::string arrival =
      "s_mov_b32 exec_lo, 1\nds_atomic_async_barrier_arrive_b64 v14\ns_mov_b32 exec_lo, -1\n";
  const std::string writer = await(0, 0) + store_global;
  expect_silent(writer_and_reader(copy + arrival, writer), 2);
  expect_race(global_race_write_after_read, writer_and_reader(copy + arrive(0), writer), 2);
}

// A wave knows what was told in the rounds that it has waited for, and no more.
TEST(NamedBarrierOrder, OfGlobalMemory) {
  const std::string exchange = "v_mov_b32 v5, 9\nglobal_store_b32 v1, v5, s[4:5]\n" + stored;
  const std::string take = see + load_global + use;
  expect_silent(pairs() + exchange + barrier + take, 4);
  const CheckedRun run =
      run_waves(pairs() + "v_xor_b32 v2, 256, v2\n" + exchange + barrier + take, 4);
  EXPECT_EQ(run.count(global_race_read_after_write), 1) << run.text();
  EXPECT_EQ(run.count(global_race_write_after_read), 1) << run.text();
}

}  // namespace lds_order_test
}  // namespace heddle::emulator::testing
