// Kernels that use tensor memory without the wait, commit, fence or barrier that PTX asks for, each
// with a correct twin: the checker finds the first, names what is missing and both instructions,
// and says nothing of the second.
#include <algorithm>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace tensor_order_test {

/// A kernel of `out`, with threads 0 … in %i and warps in %w. %p: the first warp, %second: the
/// next; %first: thread 0, %other: the first of the second warp. %d: a matrix descriptor of s,
/// which is zero; %x5: an instruction descriptor of m128n64k16. bar and bar2 are mbarriers for one
/// arrival.
std::string kernel(const std::string& body) {
  return kernel_text(
      ".param .u64 out",
      ".reg .b32 %t, %q, %i, %j, %w, %x<8>, %r<16>;\n.reg .b64 %o, %a, %d;\n"
      ".reg .pred %p, %second, %first, %other, %done, %yes, %leader;\n.reg .b16 %h;\n"
      "ld.param.u64 %o, [out];\nmov.u32 %i, %tid.x;\nshr.u32 %w, %i, 5;\n"
      "mul.wide.u32 %a, %i, 4;\nadd.u64 %a, %o, %a;\n"
      "setp.eq.u32 %p, %w, 0;\nsetp.eq.u32 %second, %w, 1;\nsetp.eq.u32 %first, %i, 0;\n"
      "setp.eq.u32 %other, %i, 32;\nsetp.eq.u32 %yes, 0, 0;\nmov.b64 %d, 70368744177728;\n"
      "mov.u32 %x5, 135266320;\nmov.u32 %x1, %i;\nmov.u32 %x2, s;\nshl.b32 %j, %i, 2;\n"
      "add.u32 %x2, %x2, %j;\nzero: st.shared.b32 [%x2], 0;\nadd.u32 %x2, %x2, 512;\n"
      "add.u32 %x1, %x1, 128;\nsetp.lt.u32 %done, %x1, 4096;\n@%done bra zero;\n"
      "mov.u32 %r0, %i;\nmov.u32 %r1, 0;\n"
      "@%first mbarrier.init.shared.b64 [bar], 1;\n@%first mbarrier.init.shared.b64 [bar2], 1;\n"
      "fence.proxy.async;\n" +
          body,
      ".shared .align 1024 .b8 s[16384];\n.shared .align 8 .b64 bar;\n"
      ".shared .align 8 .b64 bar2;\n.shared .align 4 .b32 at;\n",
      "sm_100a");
}

const std::string allocate =
    "@%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 128;\n";
const std::string address = "ld.shared.u32 %t, [at];\nshl.b32 %q, %w, 21;\nadd.u32 %q, %q, %t;\n";
const std::string deallocate = "@%p tcgen05.dealloc.cta_group::1.sync.aligned.b32 %t, 128;\n";
const std::string meet = "bar.sync 0;\n";
const std::string load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r2}, [%q];\n";
const std::string loaded = "tcgen05.wait::ld.sync.aligned;\n";
const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%q], {%r0};\n";
const std::string stored = "tcgen05.wait::st.sync.aligned;\n";
const std::string keep = "st.global.b32 [%a], %r2;\n";
const std::string before = "tcgen05.fence::before_thread_sync;\n";
const std::string after = "tcgen05.fence::after_thread_sync;\n";
const std::string commit =
    "@%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n";

/// All columns of a 128x64 accumulator are stored, as zero.
std::string clear() {
  std::string text = "tcgen05.st.sync.aligned.32x32b.x64.b32 [%q], {";
  for (int i = 0; i < 64; ++i) text += i > 0 ? ", %r1" : "%r1";
  return text + "};\n";
}
std::string multiply(const std::string& thread) {
  return "@" + thread + " tcgen05.mma.cta_group::1.kind::f16 [%t], %d, %d, %x5, %yes;\n";
}
std::string wait(const std::string& barrier, const std::string& order, const std::string& label) {
  return label + ": mbarrier.try_wait.parity" + order + ".shared::cta.b64 %done, [" + barrier +
         "], 0;\n@!%done bra " + label + ";\n";
}
std::string within(const std::string& body) {
  return kernel(allocate + meet + address + body + meet + deallocate);
}
/// A product, committed, that each warp waits for.
std::string product(const std::string& commits, const std::string& waits) {
  return clear() + stored + meet + multiply("%first") + commits + waits + load + loaded + keep;
}

RunReport run_checked(const std::string& text, std::vector<uint32_t>& out, uint32_t blocks = 1,
                      uint32_t threads = 128) {
  Launch launch;
  launch.arguments = {buffer(std::span(out), "out")};
  launch.workgroup = {threads, 1, 1};
  launch.grid = launch.cluster = {blocks, 1, 1};
  launch.check = true;
  launch.threads = 1;
  launch.budget.instructions_per_workgroup = 2'000'000;
  auto report = run(module_of(text), launch);
  if (report) return *std::move(report);
  RunReport faulted;
  faulted.findings.push_back(finding_of(report.error()));
  return faulted;
}

std::string text_of(const RunReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) text += finding.text("k");
  return text;
}

struct Case {
  const char* name;
  FindingKind kind;
  std::string wrong, right;
  /// What the message and the fix say is missing.
  std::string says;
  /// The earlier instruction, which the finding names, too.
  std::string earlier = "";
};

std::vector<Case> cases() {
  using enum FindingKind;
  const std::string relaxed = ".relaxed.cta", plain;
  const auto handed = [&](const std::string& fence, const std::string& arrival,
                          const std::string& waiting, const std::string& behind) {
    // The first warp stores; the thread of the second multiplies.
    return within(clear() + stored + meet + "@!%p bra others;\n" + clear() + stored + fence +
                  "@%first mbarrier.arrive" + arrival + ".shared::cta.b64 _, [bar2];\nothers:\n" +
                  wait("bar2", waiting, "handed") + behind + multiply("%other") +
                  "@%other tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                  "[bar];\n" +
                  wait("bar", plain, "done") + load + loaded + keep);
  };
  return {
      {"a store that is not waited for", tensor_memory_race, within(store + load + loaded + keep),
       within(store + stored + load + loaded + keep), "tcgen05.wait::st", "tcgen05.st"},
      {"a store before a product", tensor_memory_race,
       within(clear() + meet + multiply("%first") + commit + wait("bar", plain, "done") + stored +
              load + loaded + keep),
       within(product(commit, wait("bar", plain, "done"))), "tcgen05.wait::st", "tcgen05.st"},
      {"a load before a store", tensor_memory_race,
       within(store + stored + load + store + loaded + stored + keep),
       within(store + stored + load + loaded + store + stored + keep), "tcgen05.wait::ld",
       "tcgen05.ld"},
      {"a load before a product", tensor_memory_race,
       within(clear() + stored + load + meet + multiply("%first") + commit + loaded + keep +
              wait("bar", plain, "done")),
       within(clear() + stored + load + loaded + keep + meet + multiply("%first") + commit +
              wait("bar", plain, "done")),
       "tcgen05.wait::ld", "tcgen05.ld"},
      {"a product without a commit", tensor_memory_race,
       within(product("", "") + commit + wait("bar", plain, "done")),
       within(product(commit, wait("bar", plain, "done"))), "tcgen05.commit", "tcgen05.mma"},
      {"a commit of another thread", tensor_memory_race,
       within(product("@%other tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster"
                      ".b64 [bar2];\n",
                      wait("bar2", plain, "early")) +
              commit + wait("bar", plain, "done")),
       within(product(commit, wait("bar", plain, "done"))), "tcgen05.commit", "tcgen05.mma"},
      {"a commit that one warp waits for", tensor_memory_race,
       within(clear() + stored + meet + multiply("%first") + commit + "@!%p bra others;\n" +
              wait("bar", plain, "done") + "others:\n" + load + loaded + keep +
              wait("bar", plain, "last")),
       within(product(commit, wait("bar", plain, "done"))), "has not waited for an mbarrier",
       "tcgen05.mma"},
      {"no fence behind a relaxed wait", tensor_memory_race,
       within(product(commit, wait("bar", relaxed, "done")) + wait("bar", plain, "last")),
       within(product(commit, wait("bar", relaxed, "done") + after) + wait("bar", plain, "last")),
       "tcgen05.fence::after_thread_sync", "tcgen05.mma"},
      {"no fence before a relaxed arrival", tensor_memory_race, handed("", relaxed, relaxed, after),
       handed(before, relaxed, relaxed, after), "tcgen05.fence::before_thread_sync", "tcgen05.st"},
      {"no fence behind the wait for an arrival", tensor_memory_race,
       handed(before, relaxed, relaxed, ""), handed("", plain, plain, ""),
       "tcgen05.fence::after_thread_sync", "tcgen05.st"},
      {"products of two threads", tensor_memory_race,
       within(clear() + stored + meet + multiply("%first") + meet + multiply("%other") +
              "@%other tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
              "[bar2];\n" +
              wait("bar2", plain, "later") + commit + wait("bar", plain, "done")),
       within(clear() + stored + meet + multiply("%first") + before + meet + after +
              multiply("%other") +
              "@%other tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
              "[bar2];\n" +
              wait("bar2", plain, "later") + commit + wait("bar", plain, "done")),
       "tcgen05.fence::before_thread_sync", "tcgen05.mma"},
      {"columns that another warp uses at once", tensor_memory_race,
       kernel(allocate + "mov.u32 %t, 0;\nshl.b32 %q, %w, 21;\n@%second " + store + "@%second " +
              stored + meet + deallocate),
       kernel(allocate + meet + address + "@%second " + store + "@%second " + stored + meet +
              deallocate),
       "nothing orders", "tcgen05.alloc"},
      {"freed while another warp loads", tensor_memory_freed_early,
       kernel(allocate + meet + address + store + stored + "@%second " + load + "@%second " +
              loaded + "@%second " + keep + deallocate),
       kernel(allocate + meet + address + store + stored + "@%second " + load + "@%second " +
              loaded + "@%second " + keep + meet + deallocate),
       "nothing orders"},
      {"freed before the load is complete", tensor_memory_freed_early,
       kernel(allocate + meet + address + store + stored + load + meet + deallocate + loaded +
              keep),
       kernel(allocate + meet + address + store + stored + load + loaded + meet + deallocate +
              keep),
       "tcgen05.wait::ld", "tcgen05.ld"},
      {"freed before the product is complete", tensor_memory_freed_early,
       kernel(allocate + meet + address + clear() + stored + meet + multiply("%first") + commit +
              meet + deallocate),
       kernel(allocate + meet + address + clear() + stored + meet + multiply("%first") + commit +
              wait("bar", plain, "done") + meet + deallocate),
       "tcgen05.commit", "tcgen05.mma"},
      {"two groups of blocks", tensor_memory_misused,
       within("@%p tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n"),
       within("@%p tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"), "cta_group::1",
       "tcgen05.alloc"},
      {"not freed", tensor_memory_misused, kernel(allocate + meet), within(""),
       "tcgen05.dealloc is missing"},
      {"freed twice", tensor_memory_misused, within(deallocate), within(""), "tcgen05.dealloc"},
      {"used when freed", tensor_memory_misused,
       kernel(allocate + meet + address + meet + deallocate + meet + load + loaded + keep),
       within(""), "has freed: @%p tcgen05.dealloc"},
      {"never allocated", tensor_memory_misused,
       within("add.u32 %q, %q, 128;\n" + load + loaded + keep), within(""), "has not allocated"},
      {"not by all lanes", matrix_inactive_lanes,
       kernel(allocate + meet + address + "setp.eq.u32 %done, %i, 5;\n@%done exit;\n" + load +
              loaded + keep),
       within(""), "lane 5 has exited"},
      {"lanes of another warp", tensor_memory_misused,
       within("@%second tcgen05.st.sync.aligned.32x32b.x1.b32 [%t], {%r0};\n"),
       within("@%p tcgen05.st.sync.aligned.32x32b.x1.b32 [%t], {%r0};\n@%p " + stored),
       "warp 1 reaches lanes 32 to 63"},
      {"the permit is given up", tensor_memory_misused,
       within("@%p tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
              "@%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], 32;\n"),
       within(""), "relinquish_alloc_permit"},
  };
}

TEST(TensorOrder, WhatIsMissingIsNamed) {
  for (const Case& one : cases()) {
    std::vector<uint32_t> out(128);
    const RunReport wrong = run_checked(one.wrong, out);
    // Which of two instructions comes first is the simulator's: one finding must be as expected.
    const auto is_expected = [&](const Finding& finding) {
      return finding.kind == one.kind &&
             (finding.message + finding.fix).find(one.says) != std::string::npos &&
             (one.earlier.empty() ||
              (finding.related.size() == 1 &&
               finding.related[0].place.instruction.find(one.earlier) != std::string::npos));
    };
    EXPECT_TRUE(std::ranges::any_of(wrong.findings, is_expected)) << one.name << "\n"
                                                                  << text_of(wrong);
    const RunReport right = run_checked(one.right, out);
    EXPECT_EQ(text_of(right), "") << one.name;
  }
}

/// Two blocks multiply together: the thread of the first issues, and D lies in both. The second
/// must not free its tensor memory before the product is complete, which it has to wait for.
constexpr const char* of_cluster =
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
std::string pair(const std::string& waits_of_second, const std::string& meets = of_cluster) {
  return kernel(
      "@%p tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [at], 128;\n" + meet + address +
      "mov.u32 %x3, %cluster_ctarank;\nsetp.eq.u32 %leader, %x3, 0;\nmov.b16 %h, 3;\n"
      "mov.u32 %x5, 269484048;\n" +
      clear() + stored + meets + "@!%leader bra second;\n@%first " +
      "tcgen05.mma.cta_group::2.kind::f16 [%t], %d, %d, %x5, %yes;\n@%first "
      "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
      "[bar], %h;\n" +
      wait("bar", "", "done") + load + loaded + keep + "bra.uni both;\nsecond:\n" +
      waits_of_second + "both:\n" + meet +
      "@%p tcgen05.dealloc.cta_group::2.sync.aligned.b32 %t, 128;\n");
}

// Warps 0 and 4 reach the same lanes.
TEST(TensorOrder, EqualValuesMayBeStoredTwice) {
  for (const bool equal : {true, false}) {
    std::vector<uint32_t> out(256);
    const std::string value = equal ? "and.b32 %r0, %i, 127;\n" : "";
    const RunReport report =
        run_checked(kernel(allocate + meet + "and.b32 %w, %w, 3;\n" + address + value + store +
                           stored + meet + load + loaded + keep + meet + deallocate),
                    out, 1, 256);
    if (equal) {
      EXPECT_TRUE(report.findings.empty()) << text_of(report);
      for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(out[i], i % 128) << i;
      continue;
    }
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings[0].kind, FindingKind::tensor_memory_race);
  }
}

TEST(TensorOrder, FreedWhileAPeerWrites) {
  std::vector<uint32_t> out(128);
  const RunReport wrong = run_checked(pair(""), out, 2);
  const auto found =
      std::ranges::find(wrong.findings, FindingKind::tensor_memory_freed_early, &Finding::kind);
  ASSERT_NE(found, wrong.findings.end()) << text_of(wrong);
  EXPECT_EQ(found->workgroup[0], 1u);
  EXPECT_NE(found->message.find("tcgen05.mma of warp 0 of block 0 of the cluster"),
            std::string::npos)
      << found->message;
  EXPECT_EQ(text_of(run_checked(pair(wait("bar", "", "peer")), out, 2)), "");
}

/// Of an accumulator with one stage, which the first warp fills twice and the second loads in
/// between: `before` and `behind` stand around the arrival that gives it back.
std::string one_stage(const std::string& before_arrival, const std::string& behind) {
  return within(clear() + stored + meet + "setp.gt.u32 %done, %w, 1;\n@%done bra finished;\n" +
                multiply("%first") + commit + wait("bar", "", "filled") + "@%second " + load +
                before_arrival + "@%other mbarrier.arrive.shared::cta.b64 _, [bar2];\n" +
                wait("bar2", "", "released") + multiply("%first") + commit + behind + "@%second " +
                keep +
                "again: mbarrier.try_wait.parity.shared::cta.b64 %done, [bar], 1;\n"
                "@!%done bra again;\nfinished:\n");
}

/// Public reports that name a missing edge, rebuilt: the edge is found missing, and the cure is
/// silent. (cutlass #3435: FreedWhileAPeerWrites.)
TEST(TensorOrder, PublicReports) {
  std::vector<uint32_t> out(128);
  // flashinfer #5334: a consumer gives the stage back while tcgen05.ld still reads it.
  const std::string of_second = "@%second " + loaded;
  const RunReport early = run_checked(one_stage("", of_second), out);
  const auto race =
      std::ranges::find(early.findings, FindingKind::tensor_memory_race, &Finding::kind);
  ASSERT_NE(race, early.findings.end()) << text_of(early);
  EXPECT_NE((race->message + race->fix).find("tcgen05.wait::ld"), std::string::npos)
      << race->message << race->fix;
  EXPECT_EQ(text_of(run_checked(one_stage(of_second, ""), out)), "");
  // tilelang #2644, C12: nothing says that the other block of a pair has begun, which
  // tcgen05.mma uses.
  const RunReport alone = run_checked(pair(wait("bar", "", "peer"), meet), out, 2);
  EXPECT_TRUE(
      std::ranges::count(alone.findings, FindingKind::peer_memory_lifetime, &Finding::kind) > 0)
      << text_of(alone);
  EXPECT_EQ(text_of(run_checked(pair(wait("bar", "", "peer")), out, 2)), "");
}

}  // namespace tensor_order_test
}  // namespace heddle::emulator::ptx::testing
