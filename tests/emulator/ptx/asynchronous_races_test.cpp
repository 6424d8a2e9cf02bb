// Kernels that forget what orders asynchronous instructions, lanes of a warp, mbarriers and the
// blocks of a cluster, each beside a correct twin: the mistake is found, and the twin is silent.
#include <algorithm>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace asynchronous_races_test {

using enum FindingKind;

struct Case {
  const char* name;
  uint32_t blocks, threads;
  FindingKind kind;
  std::string cure;  // what the fix names
  std::string wrong, right;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

std::string between(const std::string& first, const std::string& middle, const std::string& last) {
  return first + middle + last;
}

constexpr const char* init_one =
    "@%p0 mbarrier.init.shared.b64 [%bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
constexpr const char* load =
    "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 512;\n"
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%x], 512, "
    "[%bar];\n";
constexpr const char* wait =
    "W: mbarrier.try_wait.parity.shared.b64 %p1, [%bar], 0;\n@!%p1 bra W;\n";
constexpr const char* read_word = "ld.shared.u32 %r1, [%own];\nst.global.u32 [%a], %r1;\n";
constexpr const char* keep_word = "ld.shared.u32 %r1, [%own];\n";
// By the last warp.
constexpr const char* load_again =
    "setp.eq.u32 %p2, %t, 96;\n@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 512;\n"
    "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%x], 512, "
    "[%bar];\n";
constexpr const char* write_word = "st.shared.u32 [%own], %t;\n";
constexpr const char* fence = "fence.proxy.async.shared::cta;\n";
constexpr const char* store =
    "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%x], [%s], 512;\n"
    "@%p0 cp.async.bulk.commit_group;\n";
constexpr const char* store_wait = "@%p0 cp.async.bulk.wait_group 0;\n";
constexpr const char* store_read_wait = "@%p0 cp.async.bulk.wait_group.read 0;\n";
constexpr const char* bar = "bar.sync 0;\n";
constexpr const char* cluster = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

/// A wgmma of A and B in shared memory, 64x8x16 of f16: 2048 and 256 bytes without a swizzle.
std::string fill(const std::string& words = "640") {
  return "mov.u32 %r2, %t;\nF: shl.b32 %r3, %r2, 2;\nadd.u32 %r3, %r3, %s;\n"
         "st.shared.u32 [%r3], 0;\nadd.u32 %r2, %r2, 128;\nsetp.lt.u32 %p2, %r2, " +
         words + ";\n@%p2 bra F;\n";
}
constexpr const char* multiply =
    "cvt.u64.u32 %d1, %s;\nshr.u64 %d1, %d1, 4;\nor.b64 %d1, %d1, 0x1000080000;\n"
    "add.u64 %d2, %d1, 128;\nwgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d2, 0, 1, 1, 0, "
    "0;\nwgmma.commit_group.sync.aligned;\n";
constexpr const char* products = "wgmma.wait_group.sync.aligned 0;\n";
constexpr const char* keep_product = "st.global.f32 [%a], %f0;\n";

std::string copies(const std::string& arrive) {
  return "mad.wide.u32 %d0, %t, 16, %x;\nmad.lo.u32 %r2, %t, 16, %s;\n"
         "cp.async.cg.shared.global [%r2], [%d0], 16;\n" +
         arrive;
}
constexpr const char* neighbour =
    "xor.b32 %r2, %t, 1;\nmad.lo.u32 %r2, %r2, 4, %s;\nld.shared.u32 %r1, [%r2];\n"
    "st.global.u32 [%a], %r1;\n";
constexpr const char* peer =
    "mov.u32 %r2, %cluster_ctarank;\nxor.b32 %r2, %r2, 1;\nmapa.shared::cluster.u32 %r3, %own, "
    "%r2;\n";
constexpr const char* store_to_peer = "st.shared::cluster.u32 [%r3], %t;\n";

std::vector<Case> cases_of_copies() {
  const std::string init = init_one;
  return {
      {"load_not_waited_for", 1, 128, lds_race_read_after_write, "mbarrier.try_wait",
       init + load + bar + read_word, init + load + wait + read_word},
      {"stage_overwritten_under_way", 1, 128, lds_race_write_after_write, "mbarrier.try_wait",
       init + load + bar + write_word + wait, init + load + wait + write_word},
      {"stage_loaded_while_it_is_read", 1, 128, lds_race_write_after_read, "bar.sync",
       init + load + wait + keep_word + load_again,
       init + load + wait + keep_word + bar + load_again},
      {"input_written_before_it_is_loaded", 1, 128, global_race_write_after_read,
       "mbarrier.try_wait", init + load + bar + "st.global.u32 [%a], %t;\n" + wait,
       init + load + wait + "st.global.u32 [%a], %t;\n"},
      {"store_without_fence", 1, 128, missing_proxy_fence, "fence.proxy.async",
       between(write_word, bar, store) + store_wait,
       std::string(write_word) + fence + bar + store + store_wait},
      {"fence_of_global_memory_only", 1, 128, missing_proxy_fence, "fence.proxy.async",
       std::string(write_word) + "fence.proxy.async.global;\n" + bar + store + store_wait,
       std::string(write_word) + "fence.proxy.async;\n" + bar + store + store_wait},
      {"store_without_barrier", 1, 128, lds_race_write_after_read, "wait_group.read",
       std::string(write_word) + fence + store + store_wait,
       std::string(write_word) + bar + fence + store + store_wait},
      {"source_overwritten_under_way", 1, 128, lds_race_write_after_read, "wait_group.read",
       std::string(write_word) + fence + bar + store + bar + "st.shared.u32 [%own], 7;\n" +
           store_wait,
       std::string(write_word) + fence + bar + store + store_read_wait + bar +
           "st.shared.u32 [%own], 7;\n" + store_wait},
      {"result_read_after_wait_for_reads", 1, 128, global_race_read_after_write, ".wait_group",
       std::string(write_word) + fence + bar + store + store_read_wait + bar +
           "ld.global.u32 %r1, [%a];\nst.global.u32 [%a], %r1;\n",
       std::string(write_word) + fence + bar + store + store_wait + bar +
           "ld.global.u32 %r1, [%a];\nst.global.u32 [%a], %r1;\n"},
      {"data_stored_before_a_load_of_them", 1, 128, missing_proxy_fence, "fence.proxy.async.global",
       init + "st.global.u32 [%a], %t;\n" + bar + load + wait + read_word,
       init + "st.global.u32 [%a], %t;\nfence.proxy.async.global;\n" + bar + load + wait +
           "ld.shared.u32 %r1, [%own];\n"},
      {"copies_whose_mbarrier_nobody_awaits", 1, 32, lds_race_read_after_write, "cp.async",
       "@%p0 mbarrier.init.shared.b64 [%bar], 32;\nbar.sync 0;\n" +
           copies("cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];\n") + bar + neighbour,
       "@%p0 mbarrier.init.shared.b64 [%bar], 32;\nbar.sync 0;\n" +
           copies("cp.async.mbarrier.arrive.noinc.shared.b64 [%bar];\n") + wait + neighbour},
      {"copies_that_count_themselves", 1, 32, lds_race_read_after_write, "cp.async",
       "@%p0 mbarrier.init.shared.b64 [%bar], 32;\nbar.sync 0;\n" +
           copies("cp.async.mbarrier.arrive.shared.b64 [%bar];\n") +
           "mbarrier.arrive.shared.b64 _, [%bar];\n" + bar + neighbour,
       "@%p0 mbarrier.init.shared.b64 [%bar], 32;\nbar.sync 0;\n" +
           copies("cp.async.mbarrier.arrive.shared.b64 [%bar];\n") +
           "mbarrier.arrive.shared.b64 _, [%bar];\n" + wait + neighbour},
  };
}

std::vector<Case> cases_of_products() {
  return {
      {"wgmma_without_fence", 1, 128, missing_proxy_fence, "fence.proxy.async",
       fill() + bar + multiply + products + keep_product,
       fill() + fence + bar + multiply + products + keep_product},
      {"operand_overwritten_under_way", 1, 128, lds_race_write_after_read, "wgmma.wait_group",
       fill() + fence + bar + multiply + bar + "st.shared.u32 [%own], 7;\n" + products,
       fill() + fence + bar + multiply + products + bar + "st.shared.u32 [%own], 7;\n"},
      {"operand_that_is_partly_written", 1, 128, undefined_matrix_operand, "descriptor",
       fill("544") + fence + bar + multiply + products + keep_product,
       fill() + fence + bar + multiply + products + keep_product},
  };
}

std::vector<Case> cases_of_lanes() {
  const std::string store_halves =
      "and.b32 %r2, %t, 15;\nmad.lo.u32 %r3, %t, 2, %s;\nst.shared.u16 [%r3], %r2;\n";
  const std::string halves_meet =
      std::string(write_word) +
      "setp.lt.u32 %p2, %t, 16;\nselp.b32 %r4, 0xffff, 0xffff0000, %p2;\n"
      "bar.warp.sync %r4;\n";
  return {
      {"lanes_without_barrier", 1, 32, lds_race_read_after_write, "bar.warp.sync",
       between(write_word, "", neighbour), between(write_word, "bar.warp.sync -1;\n", neighbour)},
      {"a_vote_orders_no_memory", 1, 32, lds_race_read_after_write, "bar.warp.sync",
       between(write_word, "vote.sync.ballot.b32 %r4, 1, -1;\n", neighbour),
       between(write_word, "bar.sync 0;\n", neighbour)},
      {"lanes_overwrite_what_others_read", 1, 32, lds_race_write_after_read, "bar.warp.sync",
       between(write_word, "bar.warp.sync -1;\n", neighbour) + "st.shared.u32 [%own], 77;\n",
       between(write_word, "bar.warp.sync -1;\n", neighbour) +
           "bar.warp.sync -1;\nst.shared.u32 [%own], 77;\n"},
      {"a_barrier_of_half_the_lanes", 1, 32, lds_race_read_after_write, "bar.warp.sync",
       halves_meet +
           "xor.b32 %r2, %t, 16;\nmad.lo.u32 %r2, %r2, 4, %s;\nld.shared.u32 %r1, [%r2];\n",
       halves_meet + neighbour},
      {"halves_of_a_word", 1, 32, lds_race_read_after_write, "bar.warp.sync",
       store_halves + "xor.b32 %r3, %r3, 2;\nld.shared.u16 %r4, [%r3];\n",
       store_halves + "ld.shared.u16 %r4, [%r3];\n"},
      {"a_store_of_what_other_lanes_wrote", 1, 128, lds_race_read_after_write, "bar.warp.sync",
       "setp.ge.u32 %p2, %t, 32;\n@%p2 bra E;\nst.shared.u32 [%own], %t;\n" + std::string(fence) +
           "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%x], [%s], 128;\n"
           "@%p0 cp.async.bulk.commit_group;\n" +
           store_wait + "E:\n",
       "setp.ge.u32 %p2, %t, 32;\n@%p2 bra E;\nst.shared.u32 [%own], %t;\n" + std::string(fence) +
           "bar.warp.sync -1;\n@%p0 cp.async.bulk.global.shared::cta.bulk_group [%x], [%s], 128;\n"
           "@%p0 cp.async.bulk.commit_group;\n" +
           store_wait + "E:\n"},
  };
}

std::vector<Case> cases_of_lifetimes() {
  const std::string init = init_one;
  const std::string peer_store = std::string(peer) + store_to_peer;
  const std::string arrive_first = "@%p0 mbarrier.arrive.shared.b64 _, [%bar];\n";
  // By the last warp, so that the others have seen the phase before when the warps run in turn.
  const std::string arrive =
      "setp.eq.u32 %p2, %t, 96;\n@%p2 mbarrier.arrive.shared.b64 _, [%bar];\n";
  return {
      {"next_phase_that_a_waiter_does_not_hold_up", 1, 128, memory_barrier_misuse, "bar.sync",
       init + arrive + bar + wait + arrive, init + arrive + bar + wait + bar + arrive},
      {"peer_that_may_not_have_begun", 2, 32, peer_memory_lifetime, "barrier.cluster",
       peer_store + cluster, cluster + peer_store + cluster},
      {"peer_that_may_have_ended", 2, 32, peer_memory_lifetime, "barrier.cluster",
       cluster + peer_store, cluster + peer_store + cluster},
      {"mbarrier_initialised_again", 1, 128, memory_barrier_misuse, "mbarrier.inval",
       init + load + wait + bar + init,
       init + load + wait + bar + "@%p0 mbarrier.inval.shared.b64 [%bar];\n" + init},
      {"more_bytes_than_expected", 1, 128, memory_barrier_misuse, "expect_tx",
       init + "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 256;\n"
              "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%x], "
              "512, [%bar];\n",
       init + load},
      {"mbarrier_invalidated_under_way", 1, 128, lds_race_write_after_write, "mbarrier.try_wait",
       init + load + "@%p0 mbarrier.inval.shared.b64 [%bar];\n",
       init + load + wait + bar + "@%p0 mbarrier.inval.shared.b64 [%bar];\n"},
      {"wait_before_the_mbarrier_is_there", 1, 64, lds_race_write_after_write, "bar.sync",
       "@%p0 mbarrier.init.shared.b64 [%bar], 1;\n" + arrive_first + wait,
       init + arrive_first + wait},
      {"copy_before_the_mbarrier_is_there", 1, 64, lds_race_write_after_write, "bar.sync",
       "@%p0 mbarrier.init.shared.b64 [%bar], 1;\nsetp.eq.u32 %p2, %t, 32;\n"
       "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%x], 256, "
       "[%bar];\n",
       "@%p0 mbarrier.init.shared.b64 [%bar], 1;\nsetp.eq.u32 %p2, %t, 32;\nbar.sync 0;\n"
       "@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 256;\n"
       "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%x], 256, "
       "[%bar];\n"},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = cases_of_copies();
  for (const auto& more : {cases_of_products(), cases_of_lanes(), cases_of_lifetimes()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

RunReport run_case(const Case& one, const std::string& body) {
  std::vector<uint32_t> x(4096, 1);
  Launch launch;
  launch.grid = {one.blocks, 1, 1};
  launch.workgroup = {one.threads, 1, 1};
  launch.cluster = {one.blocks, 1, 1};
  launch.check = true;
  launch.arguments = {Buffer{std::as_writable_bytes(std::span(x)), "x"}};
  const Module module = module_of(kernel_text(
      ".param .u64 x",
      ".reg .b32 %r<8>, %t, %s, %bar, %own, %g;\n.reg .b64 %x, %a, %d<8>;\n.reg .f32 %f<4>;\n"
      ".reg .pred %p<4>;\nld.param.u64 %x, [x];\nmov.u32 %t, %tid.x;\nmov.u32 %s, s;\n"
      "mov.u32 %bar, bar;\nmad.lo.u32 %own, %t, 4, %s;\nmad.wide.u32 %a, %t, 4, %x;\n"
      "setp.eq.u32 %p0, %t, 0;\n" +
          body + "\nret;",
      ".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bar;\n"));
  auto report = run(module, launch);
  EXPECT_TRUE(report) << report.error().text();
  return report ? std::move(*report) : RunReport{};
}

std::string text_of(const RunReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) text += finding.text("k");
  return text;
}

class PtxAsynchronousRaces : public ::testing::TestWithParam<Case> {};

TEST_P(PtxAsynchronousRaces, TheWrongOneIsFoundAndItsTwinIsSilent) {
  const Case& one = GetParam();
  const RunReport wrong = run_case(one, one.wrong);
  const auto found = std::ranges::find(wrong.findings, one.kind, &Finding::kind);
  ASSERT_NE(found, wrong.findings.end()) << text_of(wrong);
  EXPECT_TRUE(found->fix.contains(one.cure)) << found->text("k");
  EXPECT_EQ(text_of(run_case(one, one.right)), "");
}

INSTANTIATE_TEST_SUITE_P(All, PtxAsynchronousRaces, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace asynchronous_races_test
}  // namespace heddle::emulator::ptx::testing
