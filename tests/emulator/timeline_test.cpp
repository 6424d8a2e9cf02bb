// The timeline of a workgroup, against what each wave of small kernels executes between barriers.
#include "emulator/record/timeline.h"

#include <numeric>

#include "kernels.h"
#include "tests/emulator/ptx/simulate.h"

namespace heddle::emulator::testing {
namespace timeline_test {

/// How many instructions of a class a wave executed in an interval.
uint64_t count(const Timeline& timeline, bool is_ptx, std::size_t wave, std::size_t interval,
               std::string_view class_name) {
  const auto classes = instruction_classes(is_ptx);
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes[i].name == class_name) return timeline.waves.at(wave).at(interval)[i];
  ADD_FAILURE() << "no class " << class_name;
  return 0;
}

uint64_t instructions(const Timeline& timeline) {
  uint64_t sum = 0;
  for (const auto& intervals : timeline.waves)
    for (const Timeline::Interval& counts : intervals)
      sum = std::accumulate(counts.begin(), counts.end(), sum);
  return sum;
}

/// Both plain and with the checker.
class TimelineOf : public ::testing::TestWithParam<bool> {};

// Two waves: before each of `barriers` barriers wave 1 has 3 vector instructions more, which a
// branch keeps from wave 0.
RunReport run_barriers(int barriers, bool check, const std::string& target = "gfx1151") {
  const bool gfx12 = target == "gfx1201";
  const std::string barrier = gfx12 ? "s_barrier_signal -1\ns_barrier_wait -1\n" : "s_barrier\n";
  const AssemblyKernel kernel{.name = "steps",
                              .body =
                                  "v_readfirstlane_b32 s4, v0\ns_cmp_lg_u32 s4, 0\n"
                                  "s_cselect_b32 s6, 1, 0\ns_mov_b32 s5, 0\n"
                                  "next:\ns_cmp_eq_u32 s6, 0\ns_cbranch_scc1 last\n"
                                  "v_mov_b32 v1, 1\nv_mov_b32 v2, 2\nv_mov_b32 v3, 3\n"
                                  "last:\n" +
                                  barrier + "s_add_i32 s5, s5, 1\ns_cmp_lt_i32 s5, " +
                                  std::to_string(barriers) + "\ns_cbranch_scc1 next\ns_endpgm"};
  const CodeObject object = assemble(kernel_text({kernel}, target), target);
  std::vector<uint32_t> unused(1);
  Launch launch;
  launch.arguments = {buffer(std::span(unused), "unused")};
  launch.grid = {3, 1, 1};
  launch.workgroup = {64, 1, 1};
  launch.check = check;
  const auto report = run(object, launch);
  EXPECT_TRUE(report) << report.error().text();
  return report.value_or(RunReport{});
}

TEST_P(TimelineOf, WavesBetweenBarriers) {
  for (const std::string& target : targets()) {
    const RunReport report = run_barriers(3, GetParam(), target);
    ASSERT_TRUE(report.timeline.has_value());
    const Timeline& timeline = *report.timeline;
    EXPECT_FALSE(timeline.is_cut);
    ASSERT_EQ(timeline.waves.size(), 2u);
    for (std::size_t wave : {0u, 1u}) {
      ASSERT_EQ(timeline.waves[wave].size(), 4u);
      for (std::size_t interval = 0; interval < 3; ++interval) {
        SCOPED_TRACE(interval);
        const uint64_t first = interval == 0 ? 1 : 0;  // v_readfirstlane
        EXPECT_EQ(count(timeline, false, wave, interval, "VALU"), first + (wave == 1 ? 3 : 0));
        EXPECT_EQ(count(timeline, false, wave, interval, "barrier"), target == "gfx1201" ? 2 : 1);
      }
      EXPECT_EQ(count(timeline, false, wave, 3, "VALU"), 0u);
      EXPECT_EQ(count(timeline, false, wave, 3, "wait"), 1u);  // s_endpgm
    }
    EXPECT_EQ(3 * instructions(timeline), report.instructions);
  }
}

// A kernel in a long loop does not make a long report.
TEST_P(TimelineOf, ManyBarriersAreCut) {
  const RunReport report = run_barriers(200, GetParam());
  const Timeline& timeline = *report.timeline;
  EXPECT_TRUE(timeline.is_cut);
  EXPECT_EQ(timeline.waves[1].size(), Timeline::most_intervals);
  EXPECT_EQ(count(timeline, false, 1, Timeline::most_intervals - 1, "VALU"),
            3 * (200 - Timeline::most_intervals + 1));
  EXPECT_EQ(3 * instructions(timeline), report.instructions);
}

// The second warp has no more than the barriers; half of the lanes of the first take a detour and
// come to the barrier with the others.
TEST_P(TimelineOf, WarpsOfPtx) {
  const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry steps() {
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra SECOND;
  setp.lt.u32 %p2, %r1, 16;
  @%p2 bra FIRST;
  add.u32 %r2, %r1, 1;
FIRST:
  add.u32 %r3, %r1, 2;
SECOND:
  bar.sync 0;
  mul.lo.u32 %r2, %r1, 5;
  bar.sync 0;
  ret;
}
)";
  const ptx::Module module = ptx::testing::module_of(text);
  Launch launch;
  launch.grid = {2, 1, 1};
  launch.workgroup = {64, 1, 1};
  launch.check = GetParam();
  const auto report = ptx::run(module, launch);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_TRUE(report->timeline.has_value());
  const Timeline& timeline = *report->timeline;
  ASSERT_EQ(timeline.waves.size(), 2u);
  EXPECT_GE(count(timeline, true, 0, 0, "arithmetic"), 5u);
  EXPECT_EQ(count(timeline, true, 1, 0, "arithmetic"), 2u);
  for (std::size_t warp : {0u, 1u}) {
    ASSERT_EQ(timeline.waves[warp].size(), 3u);
    EXPECT_EQ(count(timeline, true, warp, 1, "arithmetic"), 1u);
    EXPECT_EQ(count(timeline, true, warp, 2, "branch"), 1u);
  }
  EXPECT_EQ(2 * instructions(timeline), report->instructions);
}

INSTANTIATE_TEST_SUITE_P(Runs, TimelineOf, ::testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "checked" : "plain");
});

static_assert(instruction_classes(false)[class_of(instruction_classes(false), "v_wmma_f32")].name ==
              "WMMA");
static_assert(instruction_classes(true)[class_of(instruction_classes(true), "ld.b32")].name ==
              "generic");
static_assert(instruction_classes(true)[class_of(instruction_classes(true), "cp.async.wait_all")]
                  .name == "wait");

}  // namespace timeline_test
}  // namespace heddle::emulator::testing
