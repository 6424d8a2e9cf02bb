// Kernels whose warps or blocks race, each beside a correct twin: the search for races finds the
// first, at the lines that race, and says nothing of the second.
#include <algorithm>

#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::ptx::testing {
namespace races_test {

/// A kernel of buffers `x` (4096 words) and `f` (64 words of flags and counters, zero).
struct Trial {
  std::vector<uint32_t> x = std::vector<uint32_t>(4096, 1);
  std::vector<uint32_t> f = std::vector<uint32_t>(64, 0);
  Launch launch;

  Trial(uint32_t blocks, uint32_t threads) {
    launch.grid = {blocks, 1, 1};
    launch.workgroup = {threads, 1, 1};
    launch.check = true;
    launch.budget.instructions_per_workgroup = 50'000'000;
  }
  /// %t and %b: numbers of the thread and the block; %n: of threads of a block; %g: of the thread
  /// in the grid. %x, %f: the buffers; %a: the thread's word of x by %g.
  RunReport run(const std::string& body, const std::string& outside = "") {
    launch.arguments = {buffer(std::span(x), "x"), buffer(std::span(f), "f")};
    const Module module = module_of(kernel_text(
        ".param .u64 x, .param .u64 f",
        ".reg .b32 %r<16>, %t, %b, %n, %g;\n.reg .b64 %x, %f, %a, %d<8>;\n.reg .pred %p<8>;\n"
        "ld.param.u64 %x, [x];\nld.param.u64 %f, [f];\nmov.u32 %t, %tid.x;\n"
        "mov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\nmad.lo.u32 %g, %b, %n, %t;\n"
        "mad.wide.u32 %a, %g, 4, %x;\nsetp.eq.u32 %p0, %t, 0;\n" +
            body + "\nret;",
        outside));
    return simulate(module, launch);
  }
};

std::string text_of(const RunReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) text += finding.text("k");
  return text;
}

/// Which of two accesses comes first is the simulator's: a race is of the same kind either way.
std::string_view family(FindingKind kind) {
  const std::string_view name = finding_kind_name(kind);
  return name.substr(0, name.find("-race"));
}
bool has(const RunReport& report, FindingKind kind) {
  return std::ranges::any_of(report.findings, [&](const Finding& finding) {
    return family(finding.kind) == family(kind);
  });
}

struct Case {
  const char* name;
  uint32_t blocks, threads;
  FindingKind kind;
  std::string wrong, right;
  std::string outside = "";
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

constexpr const char* shared = ".shared .align 16 .b8 s[4096];\n";

/// Each thread stores its number into shared memory and reads its neighbour's in the next warp.
std::string neighbours(const std::string& between, const std::string& behind = "") {
  return "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 4, %r1;\nst.shared.u32 [%r2], %t;\n" + between +
         "add.u32 %r3, %t, 32;\nrem.u32 %r3, %r3, %n;\nmad.lo.u32 %r3, %r3, 4, %r1;\n"
         "ld.shared.u32 %r4, [%r3];\n" +
         behind + "st.global.u32 [%a], %r4;";
}

/// Blocks write a word each, and the last one that takes a ticket reads them all.
std::string last_block(const std::string& fence, const std::string& ticket,
                       const std::string& acquire, const std::string& is_last) {
  return "mad.wide.u32 %d0, %b, 4, %x;\n@%p0 st.global.u32 [%d0], %b;\n" + fence +
         "mov.u32 %r1, 0;\n@!%p0 bra J;\n" + ticket + "J: bar.sync 0;\n" + acquire + is_last +
         "@!%p1 bra E;\nmad.wide.u32 %d0, %t, 4, %x;\nld.global.u32 %r2, [%d0];\n"
         "mad.wide.u32 %d1, %t, 4, %x;\nst.global.u32 [%d1+4096], %r2;\nE:";
}
constexpr const char* take_ticket = "atom.global.add.u32 %r1, [%f], 1;\n";
constexpr const char* is_last_ticket = "setp.eq.u32 %p1, %r1, 15;\n";

/// Block 0 writes data and then a flag; block 1 waits for it and reads.
std::string flag(const std::string& publish, const std::string& wait) {
  return "setp.eq.u32 %p1, %b, 0;\n@!%p1 bra C;\nst.global.u32 [%x], 42;\n" + publish +
         "bra E;\nC: " + wait + "ld.global.u32 %r2, [%x];\nst.global.u32 [%x+64], %r2;\nE:";
}
constexpr const char* spin_relaxed =
    "ld.relaxed.gpu.global.u32 %r1, [%f];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra C;\n";
constexpr const char* spin_acquire =
    "ld.acquire.gpu.global.u32 %r1, [%f];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra C;\n";

// A warp's store and another one's flag, which a barrier of the block puts behind the store's
// fence; and so with loads.
std::string flag_of_another_warp(const std::string& fence) {
  return "setp.eq.u32 %p1, %b, 0;\n@!%p1 bra C;\nsetp.eq.u32 %p2, %t, 63;\n"
         "@%p2 st.global.u32 [%x], 42;\n" +
         fence +
         "bar.sync 0;\n@%p0 st.relaxed.gpu.global.u32 [%f], 1;\nbra E;\nC: @!%p0 bra D;\n"
         "W: ld.relaxed.gpu.global.u32 %r1, [%f];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\n"
         "D: bar.sync 0;\n" +
         fence +
         "setp.eq.u32 %p2, %t, 63;\n@%p2 ld.global.u32 %r2, [%x];\n"
         "@%p2 st.global.u32 [%x+64], %r2;\nE:";
}

// Both warps load a word and only the first one stores it; what the other one loads may be old.
std::string load_of_other_warp(const std::string& use) {
  return "and.b32 %r1, %t, 31;\nmad.wide.u32 %d0, %r1, 4, %x;\nld.global.u32 %r2, [%d0];\n"
         "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %t, 32;\n@%p1 st.global.u32 [%d0], %r2;\n" +
         use;
}

std::vector<Case> cases() {
  using enum FindingKind;
  const std::string add =
      "ld.global.u32 %r1, [%x];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%x], %r1;";
  const std::string atomic_then_atomic =
      "ld.relaxed.gpu.global.u32 %r1, [%x];\nadd.u32 %r1, %r1, 1;\n"
      "st.relaxed.gpu.global.u32 [%x], %r1;";
  const std::string update = "red.global.add.u32 [%x], 1;";
  // Loops around atom.cas that add 5 to what %r1, %d0 or %h1 guesses.
  const std::string load_32 = "ld.global.u32 %r1, [%x];\n";
  const std::string swap_32 =
      "W: add.u32 %r2, %r1, 5;\natom.global.cas.b32 %r3, [%x], %r1, %r2;\n"
      "setp.ne.u32 %p1, %r3, %r1;\nmov.u32 %r1, %r3;\n@%p1 bra W;\n";
  const std::string swap_64 =
      "W: add.u64 %d1, %d0, 5;\natom.global.cas.b64 %d2, [%x], %d0, %d1;\n"
      "setp.ne.u64 %p1, %d2, %d0;\nmov.u64 %d0, %d2;\n@%p1 bra W;\n";
  const std::string halves =
      ".reg .b16 %h<4>;\nand.b32 %r4, %b, 1;\nmad.wide.u32 %d1, %r4, 2, %x;\n";
  const std::string swap_16 =
      "W: add.u16 %h2, %h1, 5;\natom.global.cas.b16 %h3, [%d1], %h1, %h2;\n"
      "setp.ne.u16 %p1, %h3, %h1;\nmov.u16 %h1, %h3;\n@%p1 bra W;\n";
  const std::string copy =
      "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 16, %r1;\nmad.wide.u32 %d0, %t, 16, %x;\n"
      "cp.async.cg.shared.global [%r2], [%d0], 16;\ncp.async.commit_group;\n";
  const std::string read_other =
      "add.u32 %r3, %t, 32;\nrem.u32 %r3, %r3, %n;\nmad.lo.u32 %r3, %r3, 16, %r1;\n"
      "ld.shared.u32 %r4, [%r3];\nst.global.u32 [%a+8192], %r4;";
  const std::string stencil =
      "mad.wide.u32 %d0, %g, 4, %x;\nld.global.u32 %r1, [%d0+4];\nadd.u32 %r1, %r1, %g;\n";
  const std::string init_barrier = "mov.u32 %r1, bar;\n@%p0 mbarrier.init.shared.b64 [%r1], 32;\n";
  const std::string produce =
      "setp.lt.u32 %p1, %t, 32;\nmov.u32 %r2, s;\n@!%p1 bra C;\nmad.lo.u32 %r3, %t, 4, %r2;\n"
      "st.shared.u32 [%r3], %t;\nmbarrier.arrive.shared.b64 _, [%r1];\nbra E;\nC:\n";
  const std::string wait_for_it =
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0;\n@!%p2 bra W;\n";
  const std::string consume = "ld.shared.u32 %r4, [%r2+64];\nst.global.u32 [%a], %r4;\nE:";
  const std::string bars = std::string(shared) + ".shared .align 8 .b64 bar;\n";
  const std::string cluster_store =
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r1, s;\nmapa.shared::cluster.u32 "
      "%r2, %r1, 0;\nmov.u32 %r3, %cluster_ctarank;\n"
      "setp.eq.u32 %p1, %r3, 1;\n@%p1 st.shared::cluster.u32 [%r2], %t;\n";
  const std::string cluster_load =
      "setp.eq.u32 %p1, %r3, 0;\n@%p1 ld.shared.u32 %r4, [%r1];\n@%p1 st.global.u32 [%x], %r4;\n";
  return {
      {"a_load_that_is_stored", 1, 64, global_race_read_after_write,
       load_of_other_warp("st.global.u32 [%a+4096], %r2;"), load_of_other_warp("")},
      {"a_load_that_decides", 1, 64, global_race_read_after_write,
       load_of_other_warp("setp.eq.u32 %p2, %r2, 7;\n@%p2 st.global.u32 [%a+4096], 1;"),
       load_of_other_warp("setp.eq.u32 %p2, %r2, 7;")},
      {"a_load_that_is_an_address", 1, 64, global_race_read_after_write,
       load_of_other_warp("and.b32 %r2, %r2, 3;\nmad.wide.u32 %d1, %r2, 4, %x;\n"
                          "ld.global.u32 %r3, [%d1+8192];"),
       load_of_other_warp("and.b32 %r3, %t, 3;\nmad.wide.u32 %d1, %r3, 4, %x;\n"
                          "ld.global.u32 %r3, [%d1+8192];")},
      {"plus_from_all_blocks", 8, 1, global_race_read_after_write, add, update},
      {"atomic_load_then_store", 8, 1, global_race_write_after_write, atomic_then_atomic, update},
      {"last_block_without_fence", 16, 16, global_race_read_after_write,
       last_block("", take_ticket, "membar.gl;\n", is_last_ticket),
       last_block("membar.gl;\n", take_ticket, "membar.gl;\n", is_last_ticket)},
      {"last_block_with_ordinary_ticket", 16, 16, global_race_read_after_write,
       last_block("membar.gl;\n",
                  "ld.global.u32 %r1, [%f];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%f], %r2;\n",
                  "membar.gl;\n", is_last_ticket),
       last_block("", "atom.acq_rel.gpu.global.add.u32 %r1, [%f], 1;\n", "", is_last_ticket)},
      {"last_block_by_index", 16, 16, global_race_read_after_write,
       last_block("membar.gl;\n", take_ticket, "membar.gl;\n", "setp.eq.u32 %p1, %b, 15;\n"),
       last_block("fence.acq_rel.gpu;\n", take_ticket, "fence.acq_rel.gpu;\n", is_last_ticket)},
      {"fence_of_the_block_alone", 16, 16, global_race_read_after_write,
       last_block("membar.cta;\n", take_ticket, "membar.gl;\n", is_last_ticket),
       last_block("membar.sys;\n", take_ticket, "fence.sc.sys;\n", is_last_ticket)},
      {"in_place_stencil", 4, 32, global_race_write_after_read,
       stencil + "st.global.u32 [%d0], %r1;", stencil + "st.global.u32 [%d0+8192], %r1;"},
      {"consumer_that_never_waits", 2, 1, global_race_read_after_write,
       flag("membar.gl;\nst.relaxed.gpu.global.u32 [%f], 1;\n", ""),
       flag("membar.gl;\nst.relaxed.gpu.global.u32 [%f], 1;\n",
            std::string(spin_relaxed) + "membar.gl;\n")},
      // A sum by a loop around atom.cas begins with an ordinary load.
      {"guess_that_nothing_compares", 8, 1, global_race_read_after_write,
       "ld.global.u32 %r1, [%x];\nred.global.add.u32 [%x], %r1;",
       "ld.global.u32 %r1, [%x];\nW: add.u32 %r2, %r1, 5;\n"
       "atom.global.cas.b32 %r3, [%x], %r1, %r2;\nsetp.ne.u32 %p1, %r3, %r1;\n"
       "mov.u32 %r1, %r3;\n@%p1 bra W;"},
      {"guess_that_is_not_what_is_expected", 8, 1, global_race_read_after_write,
       "ld.global.u32 %r1, [%x];\nadd.u32 %r1, %r1, 0x100;\n" + swap_32, load_32 + swap_32},
      // Of 64 bits, and of half a word of which other blocks change the other half.
      {"guess_of_two_words", 8, 1, global_race_read_after_write,
       "ld.global.u64 %d0, [%x];\nadd.u64 %d0, %d0, 0x100000000;\n" + swap_64,
       "ld.global.u64 %d0, [%x];\n" + swap_64},
      {"guess_of_half_a_word", 8, 1, global_race_read_after_write,
       halves + "ld.global.u32 %r1, [%x];\ncvt.u16.u32 %h1, %r1;\n" + swap_16,
       halves + "ld.global.u16 %h1, [%d1];\n" + swap_16},
      {"guess_that_is_used_before_it_is_compared", 8, 1, global_race_read_after_write,
       load_32 + "red.global.add.u32 [%x], 3;\n" + swap_32,
       load_32 + swap_32 + "red.global.add.u32 [%x], 3;"},
      {"guess_that_is_compared_elsewhere", 8, 1, global_race_read_after_write,
       "ld.global.u32 %r1, [%x];\nred.global.add.u32 [%x], %r1;\n"
       "atom.global.cas.b32 %r3, [%x+4], 0, %r1;",
       "ld.global.u32 %r1, [%x+64];\nred.global.add.u32 [%x], %r1;\n"
       "atom.global.cas.b32 %r3, [%x+4], 0, %r1;"},
      {"flag_without_release", 2, 1, global_race_read_after_write,
       flag("st.relaxed.gpu.global.u32 [%f], 1;\n", spin_acquire),
       flag("st.release.gpu.global.u32 [%f], 1;\n", spin_acquire)},
      {"flag_without_acquire", 2, 1, global_race_read_after_write,
       flag("st.release.gpu.global.u32 [%f], 1;\n", spin_relaxed),
       flag("st.release.gpu.global.u32 [%f], 1;\n",
            std::string(spin_relaxed) + "fence.acq_rel.gpu;\n")},
      {"flag_of_another_warp", 2, 64, global_race_read_after_write,
       flag_of_another_warp("fence.acq_rel.gpu;\n"), flag_of_another_warp("membar.gl;\n")},
      {"flag_of_another_warp_and_block", 2, 64, global_race_read_after_write,
       flag_of_another_warp("membar.cta;\n"), flag_of_another_warp("fence.sc.gpu;\n")},
      {"flag_of_the_block", 2, 1, global_race_read_after_write,
       flag("st.release.cta.global.u32 [%f], 1;\n",
            "ld.acquire.cta.global.u32 %r1, [%f];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra C;\n"),
       flag("fence.acq_rel.gpu;\nst.volatile.global.u32 [%f], 1;\n",
            "ld.volatile.global.u32 %r1, [%f];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra C;\n"
            "fence.acq_rel.gpu;\n")},
      {"two_blocks_store_different_values", 2, 1, global_race_write_after_write,
       "st.global.u32 [%x], %b;", "mov.u32 %r1, 5;\nst.global.u32 [%x], %r1;"},
      {"missing_bar_sync", 1, 64, lds_race_read_after_write, neighbours(""),
       neighbours("bar.sync 0;\n"), shared},
      {"bar_warp_sync_is_of_one_warp", 1, 64, lds_race_read_after_write,
       neighbours("bar.warp.sync -1;\n"), neighbours("barrier.sync 3, 64;\n"), shared},
      {"overwritten_too_early", 1, 64, lds_race_write_after_read,
       neighbours("bar.sync 0;\n", "st.shared.u32 [%r2], %r4;\n"),
       neighbours("bar.sync 0;\n", "bar.sync 0;\nst.shared.u32 [%r2], %r4;\n"), shared},
      {"copy_that_one_warp_alone_waits_for", 1, 64, lds_race_read_after_write,
       copy + "cp.async.wait_group 0;\n" + read_other,
       copy + "cp.async.wait_group 0;\nbar.sync 0;\n" + read_other, shared},
      {"copy_waited_for_after_the_barrier", 1, 64, lds_race_read_after_write,
       copy + "bar.sync 0;\ncp.async.wait_group 0;\n" + read_other,
       copy + "cp.async.wait_all;\nbar.sync 0;\n" + read_other, shared},
      {"lanes_of_one_instruction", 1, 32, conflicting_lanes,
       "mov.u32 %r1, s;\nst.shared.u32 [%r1], %t;", "mov.u32 %r1, s;\nst.shared.u32 [%r1], 7;",
       shared},
      {"lanes_in_global_memory", 1, 32, conflicting_lanes, "st.global.u32 [%x], %t;",
       "@%p0 st.global.u32 [%x], %t;"},
      {"mbarrier_not_waited_for", 1, 64, lds_race_read_after_write,
       init_barrier + "bar.sync 0;\n" + produce + consume,
       init_barrier + "bar.sync 0;\n" + produce + wait_for_it + consume, bars},
      {"mbarrier_initialised_too_late", 1, 64, lds_race_write_after_write,
       "mov.u32 %r1, bar;\n@%p0 mbarrier.init.shared.b64 [%r1], 32;\nsetp.ge.u32 %p1, %t, 32;\n"
       "@%p1 mbarrier.arrive.shared.b64 _, [%r1];",
       "mov.u32 %r1, bar;\n@%p0 mbarrier.init.shared.b64 [%r1], 32;\nsetp.ge.u32 %p1, %t, 32;\n"
       "bar.sync 0;\n@%p1 mbarrier.arrive.shared.b64 _, [%r1];",
       bars},
      {"mbarrier_initialised_too_late_for_others", 1, 64, lds_race_write_after_write,
       "mov.u32 %r1, bar;\n@%p0 mbarrier.init.shared.b64 [%r1], 33;\nsetp.ge.u32 %p1, %t, 32;\n"
       "@%p0 mbarrier.arrive.shared.b64 _, [%r1];\n"
       "@%p1 mbarrier.arrive.shared.b64 _, [%r1];",
       "mov.u32 %r1, bar;\n@%p0 mbarrier.init.shared.b64 [%r1], 33;\nsetp.ge.u32 %p1, %t, 32;\n"
       "bar.sync 0;\n@%p0 mbarrier.arrive.shared.b64 _, [%r1];\n"
       "@%p1 mbarrier.arrive.shared.b64 _, [%r1];",
       bars},
      {"barrier_cluster_missing", 2, 1, lds_race_read_after_write,
       cluster_store + cluster_load + "barrier.cluster.arrive;\nbarrier.cluster.wait;",
       cluster_store + "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" + cluster_load, shared},
      {"barrier_cluster_relaxed", 2, 1, lds_race_read_after_write,
       cluster_store + "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n" + cluster_load,
       cluster_store +
           "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n" +
           cluster_load,
       shared},
  };
}

class PtxRaces : public ::testing::TestWithParam<Case> {};

TEST_P(PtxRaces, TheWrongOneIsFoundAndItsTwinIsSilent) {
  const Case& one = GetParam();
  for (const bool is_wrong : {true, false}) {
    Trial trial(one.blocks, one.threads);
    if (std::string_view(one.name).starts_with("barrier_cluster")) trial.launch.cluster = {2, 1, 1};
    const RunReport report = trial.run(is_wrong ? one.wrong : one.right, one.outside);
    if (is_wrong) {
      EXPECT_TRUE(has(report, one.kind)) << text_of(report);
    } else {
      EXPECT_EQ(text_of(report), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxRaces, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(PtxRacesText, BothLinesAndTheCure) {
  Trial trial(2, 1);
  const RunReport report = trial.run("st.global.u32 [%x+8], %b;");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(
      report.findings[0].text("k"),
      "global-race-write-after-write: writes 1 byte at byte 8 of buffer x (16384 bytes), which "
      "warp 0 of block (0, 0, 0) writes, and nothing orders the two\n"
      "  at PTX:18:1: st.global.u32 [%x+8], %b\n"
      "  workgroup (1, 0, 0), wave 0, lanes 0x1\n"
      "  written by warp 0 of block (0, 0, 0) here\n"
      "  at PTX:18:1: st.global.u32 [%x+8], %b\n"
      "  fix: Between blocks: fence.acq_rel.gpu (membar.gl) or .release on the writing side before "
      "an atomic operation or a strong store, and .acquire or a fence behind the read of it.\n");
  EXPECT_FALSE(report.unchecked.empty());
}

TEST(PtxRacesText, AFaultIsTheLastFinding) {
  Trial trial(2, 1);
  const RunReport report = trial.run("st.global.u32 [%x+8], %b;\ntrap;");
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->kind, FaultKind::trap);
  EXPECT_EQ(report.findings.back().kind, FindingKind::assertion_failed);
}

// --- other orders of the blocks ------------------------------------------------------------------

TEST(PtxOrders, ATicketDecidesWhoWritesWhat) {
  // No two blocks write one place, and every access has its order: nothing races.
  Trial trial(8, 1);
  const RunReport report = trial.run(
      "atom.global.add.u32 %r1, [%f], 1;\nmad.wide.u32 %d0, %r1, 4, %x;\n"
      "st.global.u32 [%d0+4], %b;");
  ASSERT_EQ(report.findings.size(), 1u) << text_of(report);
  EXPECT_EQ(report.findings[0].kind, FindingKind::order_dependent_result);
  EXPECT_EQ(report.findings[0].message,
            "writes 1 byte at byte 4 of buffer x (16384 bytes), which holds another value when the "
            "workgroups run in falling order");
  EXPECT_EQ(report.findings[0].place.instruction, "st.global.u32 [%d0+4], %b");
  // What is reported and left in memory is the run in rising order.
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(trial.x[1 + i], i);
}

TEST(PtxOrders, TheFirstToComeWins) {
  const RunReport report =
      Trial(4, 1).run("add.u32 %r2, %b, 5;\natom.global.cas.b32 %r1, [%f], 0, %r2;");
  EXPECT_TRUE(has(report, FindingKind::order_dependent_result)) << text_of(report);
}

TEST(PtxOrders, SumsOfIntegersAreTheSameInAnyOrder) {
  for (const std::string body :
       {"red.global.add.u32 [%x], %b;", "atom.global.add.u32 %r1, [%x], %b;",
        "red.global.max.u32 [%x], %b;\nred.global.add.u32 [%x+4], %b;"}) {
    const RunReport report = Trial(8, 1).run(body);
    EXPECT_EQ(text_of(report), "") << body;
  }
  // Which of two operations comes first does matter.
  EXPECT_TRUE(has(Trial(8, 1).run("and.b32 %r1, %b, 1;\nsetp.eq.u32 %p1, %r1, 0;\n"
                                  "@%p1 red.global.max.u32 [%x], 50;\n"
                                  "@!%p1 red.global.add.u32 [%x], 7;"),
                  FindingKind::order_dependent_result));
}

TEST(PtxOrders, RoundingsOfFloatSumsAreNotJudged) {
  // 1e8 and seven times 1: the ones are lost when they come last.
  Trial trial(8, 1);
  trial.x[0] = 0;
  const RunReport report = trial.run(
      "setp.eq.u32 %p1, %b, 0;\nselp.b32 %r1, 0x4cbebc20, 0x3f800000, %p1;\n"
      ".reg .f32 %v;\nmov.b32 %v, %r1;\nred.global.add.f32 [%x], %v;");
  EXPECT_EQ(text_of(report), "");
  EXPECT_TRUE(std::ranges::any_of(
      report.unchecked, [](const std::string& what) { return what.contains("float sums"); }));
}

TEST(PtxOrders, RoundingsOfSumsUnderALockAreNotJudged) {
  const auto lock = [](const std::string& add) {
    return "W: atom.acquire.gpu.global.cas.b32 %r1, [%f], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
           "@%p1 bra W;\nld.global.u32 %r2, [%x];\n" +
           add + "st.global.u32 [%x], %r2;\nst.release.gpu.global.u32 [%f], 0;";
  };
  const std::string add_floats =
      "setp.eq.u32 %p2, %b, 0;\nselp.b32 %r3, 0x4cbebc20, 0x3f800000, %p2;\n"
      ".reg .f32 %v<2>;\nmov.b32 %v0, %r2;\nmov.b32 %v1, %r3;\nadd.f32 %v0, %v0, %v1;\n"
      "mov.b32 %r2, %v0;\n";
  Trial trial(8, 1);
  trial.x[0] = 0;
  const RunReport report = trial.run(lock(add_floats));
  EXPECT_EQ(text_of(report), "");
  EXPECT_TRUE(std::ranges::any_of(
      report.unchecked, [](const std::string& what) { return what.contains("float sums"); }));
  // Integers in their place.
  EXPECT_TRUE(has(Trial(8, 1).run(lock("mad.lo.u32 %r2, %r2, 3, %b;\n")),
                  FindingKind::order_dependent_result));
}

// --- correct kernels -----------------------------------------------------------------------------

/// Runs a correct kernel; no finding.
std::vector<uint32_t> silent(Trial trial, const std::string& body,
                             const std::string& outside = "") {
  const RunReport report = trial.run(body, outside);
  EXPECT_EQ(text_of(report), "");
  EXPECT_FALSE(report.fault);
  return trial.x;
}

TEST(PtxCorrect, SplitKWithTickets) {
  // Blocks take turns to add their part, in the order of their tickets.
  const auto x = silent(Trial(8, 64),
                        "mad.wide.u32 %d0, %t, 4, %x;\n@!%p0 bra J;\n"
                        "W: ld.acquire.gpu.global.u32 %r1, [%f];\nsetp.ne.u32 %p1, %r1, %b;\n"
                        "@%p1 bra W;\nJ: bar.sync 0;\nld.global.u32 %r2, [%d0];\n"
                        "add.u32 %r2, %r2, %b;\nst.global.u32 [%d0], %r2;\nbar.sync 0;\n"
                        "add.u32 %r3, %b, 1;\n@%p0 st.release.gpu.global.u32 [%f], %r3;");
  EXPECT_EQ(x[0], 1u + 28);
  EXPECT_EQ(x[63], 1u + 28);
}

TEST(PtxCorrect, LookBack) {
  // Each block adds its aggregate to the inclusive prefix of the block before it: status and value
  // in one word, as decoupled look-back has them.
  const auto x = silent(
      Trial(16, 32),
      "@!%p0 bra E;\nmad.wide.u32 %d0, %b, 4, %f;\nadd.u32 %r1, %b, 1;\n"
      "shl.b32 %r2, %r1, 2;\nor.b32 %r2, %r2, 1;\nst.relaxed.gpu.global.u32 [%d0], %r2;\n"
      "mov.u32 %r3, %b;\nmov.u64 %d1, %d0;\n"
      "L: setp.eq.u32 %p1, %r3, 0;\n@%p1 bra D;\nsub.u32 %r3, %r3, 1;\nsub.u64 %d1, %d1, 4;\n"
      "W: ld.relaxed.gpu.global.u32 %r4, [%d1];\nand.b32 %r5, %r4, 3;\nsetp.eq.u32 %p2, %r5, 0;\n"
      "@%p2 bra W;\nshr.u32 %r6, %r4, 2;\nadd.u32 %r1, %r1, %r6;\nsetp.eq.u32 %p3, %r5, 2;\n"
      "@!%p3 bra L;\nD: shl.b32 %r2, %r1, 2;\nor.b32 %r2, %r2, 2;\n"
      "st.relaxed.gpu.global.u32 [%d0], %r2;\nmad.wide.u32 %d2, %b, 4, %x;\n"
      "st.global.u32 [%d2], %r1;\nE:");
  EXPECT_EQ(x[15], 136u);
}

TEST(PtxCorrect, LookBackFromTheLastBlockOn) {
  // The same chain against the order in which blocks start: they have to run side by side.
  const auto x =
      silent(Trial(16, 32),
             "@!%p0 bra E;\nadd.u32 %r1, %b, 1;\nmad.wide.u32 %d0, %r1, 4, %f;\n"
             "setp.eq.u32 %p1, %b, 15;\nmov.u32 %r2, 0;\n@%p1 bra D;\n"
             "W: ld.acquire.gpu.global.u32 %r2, [%d0];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra W;\n"
             "D: add.u32 %r2, %r2, 1;\nst.release.gpu.global.u32 [%d0+-4], %r2;\n"
             "mad.wide.u32 %d2, %b, 4, %x;\nst.global.u32 [%d2], %r2;\nE:");
  EXPECT_EQ(x[0], 16u);
  EXPECT_EQ(x[15], 1u);
}

TEST(PtxCorrect, HistogramByAtomics) {
  const auto x =
      silent(Trial(4, 64),
             "mov.u32 %r1, s;\nmad.lo.u32 %r2, %t, 4, %r1;\nst.shared.u32 [%r2], 0;\nbar.sync 0;\n"
             "and.b32 %r3, %t, 7;\nmad.lo.u32 %r3, %r3, 4, %r1;\nred.shared.add.u32 [%r3], 1;\n"
             "bar.sync 0;\nsetp.lt.u32 %p1, %t, 8;\nld.shared.u32 %r4, [%r2];\n"
             "mad.wide.u32 %d0, %t, 4, %x;\n@%p1 red.global.add.u32 [%d0], %r4;",
             shared);
  EXPECT_EQ(x[0], 33u);
  EXPECT_EQ(x[7], 33u);
}

TEST(PtxCorrect, BarrierOfTheWholeGrid) {
  // As cooperative groups have it: every block arrives at a counter, and waits until all have.
  std::string body;
  for (int phase = 1; phase <= 3; ++phase) {
    const std::string n = std::to_string(phase);
    body += "mov.u32 %r1, " + n +
            ";\nadd.u32 %r2, %b, %r1;\nrem.u32 %r2, %r2, 24;\nmad.lo.u32 %r3, %r2, %n, %t;\n"
            "mad.wide.u32 %d0, %r3, 4, %x;\nld.global.u32 %r4, [%d0];\nadd.u32 %r4, %r4, 1;\n"
            "st.global.u32 [%d0], %r4;\nbar.sync 0;\n@!%p0 bra J" +
            n + ";\nmembar.gl;\natom.global.add.u32 %r5, [%f], 1;\nW" + n +
            ": ld.volatile.global.u32 %r5, [%f];\nsetp.lt.u32 %p1, %r5, " +
            std::to_string(24 * phase) + ";\n@%p1 bra W" + n + ";\nmembar.gl;\nJ" + n +
            ": bar.sync 0;\n";
  }
  const auto x = silent(Trial(24, 64), body);
  EXPECT_EQ(x[0], 4u);
  EXPECT_EQ(x[24 * 64 - 1], 4u);
}

TEST(PtxCorrect, AGridBarrierWithNanosleep) {
  silent(Trial(64, 32),
         "@!%p0 bra E;\natom.acq_rel.gpu.global.add.u32 %r5, [%f], 1;\n"
         "W: nanosleep.u32 100;\nld.acquire.gpu.global.u32 %r5, [%f];\n"
         "setp.lt.u32 %p1, %r5, 64;\n@%p1 bra W;\nE:");
}

// As Triton writes it: one thread looks at the flag, and all hear of it through shared memory.
TEST(PtxCorrect, ABarrierOfTheGridThatWritesSharedMemory) {
  silent(Trial(16, 32),
         "mov.u32 %r6, s;\n@%p0 atom.acq_rel.gpu.global.add.u32 %r5, [%f], 1;\n"
         "W: @%p0 atom.acq_rel.gpu.global.add.u32 %r5, [%f], 0;\n@%p0 st.shared.u32 [%r6], %r5;\n"
         "bar.sync 0;\nld.shared.u32 %r5, [%r6];\nbar.sync 0;\nsetp.lt.u32 %p1, %r5, 16;\n"
         "@%p1 bra W;",
         shared);
}

TEST(PtxCorrect, ALock) {
  const auto x = silent(
      Trial(8, 1),
      "W: atom.acquire.gpu.global.cas.b32 %r1, [%f], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
      "@%p1 bra W;\nld.global.u32 %r2, [%x];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%x], %r2;\n"
      "st.release.gpu.global.u32 [%f], 0;");
  EXPECT_EQ(x[0], 9u);
}

TEST(PtxCorrect, AWaitOfBlocksThatNobodyEnds) {
  Trial trial(4, 32);
  const RunReport report = trial.run(
      "W: nanosleep.u32 100;\nld.acquire.gpu.global.u32 %r5, [%f];\nsetp.eq.u32 %p1, %r5, 0;\n"
      "@%p1 bra W;");
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->kind, FaultKind::barrier_never_completes);
}

TEST(PtxCorrect, BlocksRunSideBySideOnSeveralThreads) {
  Trial trial(64, 32);
  trial.launch.check = false;
  trial.launch.threads = 4;
  const RunReport report = trial.run(
      "@!%p0 bra E;\natom.acq_rel.gpu.global.add.u32 %r5, [%f], 1;\n"
      "W: ld.acquire.gpu.global.u32 %r5, [%f];\nsetp.lt.u32 %p1, %r5, 64;\n@%p1 bra W;\n"
      "st.global.u32 [%a], %r5;\nE:");
  EXPECT_EQ(report.workgroups, 64u);
  EXPECT_EQ(trial.x[63 * 32], 64u);
}

/// Two warps that copy the same bytes to one place before either copy has arrived do no harm, as
/// two stores of one value do none; other bytes are a race.
TEST(PtxRaces, CopiesOfTheSameBytes) {
  const auto copies = [](const std::string& from) {
    Trial trial(1, 64);
    for (std::size_t i = 0; i < 64; ++i) trial.x[i] = static_cast<uint32_t>(i);
    return trial.run(
        "and.b32 %r1, %t, 31;\nmov.u32 %r2, s;\nmad.lo.u32 %r2, %r1, 4, %r2;\n"
        "mad.wide.u32 %d0, " +
            from +
            ", 4, %x;\n"
            "cp.async.ca.shared.global [%r2], [%d0], 4;\ncp.async.wait_all;\n"
            "bar.sync 0;\nld.shared.u32 %r3, [%r2];\nst.global.u32 [%a+1024], %r3;",
        shared);
  };
  const RunReport same = copies("%r1");
  EXPECT_TRUE(same.findings.empty()) << text_of(same);
  EXPECT_TRUE(has(copies("%t"), FindingKind::lds_race_write_after_write));
}

/// bar.sync is for whole warps, barrier.sync is not.
TEST(PtxRaces, BarriersOfPartsOfWarps) {
  const auto half = [](const std::string& barrier) {
    return Trial(1, 32).run("setp.lt.u32 %p1, %t, 16;\n@%p1 " + barrier +
                            ";\nst.global.u32 [%a], %t;");
  };
  const RunReport report = half("bar.sync 0");
  EXPECT_TRUE(report.findings.empty()) << text_of(report);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].kind, FindingKind::divergent_barrier);
  EXPECT_EQ(report.notes[0].lanes, 0xffffu);
  EXPECT_TRUE(half("barrier.sync 0").notes.empty());
}

}  // namespace races_test
}  // namespace heddle::emulator::ptx::testing
