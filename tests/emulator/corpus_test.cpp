// The corpus: functions that make clang emit what there is to emit, compiled at every level for
// every target and wave size. The emulator has all of their instructions, and computes what the
// host does.
#include <algorithm>
#include <cstring>

#include "corpus/functions.h"
#include "corpus/lanes.h"
#include "kernels.h"

namespace heddle::emulator::testing {
namespace corpus_test {

struct Function {
  const char* name;
  uint32_t (*on_host)(const uint32_t*);
};
const Function functions[] = {
    {"integer_arithmetic", integer_arithmetic},
    {"wide_arithmetic", wide_arithmetic},
    {"short_arithmetic", short_arithmetic},
    {"float_arithmetic", float_arithmetic},
    {"extreme_arithmetic", extreme_arithmetic},
    {"double_arithmetic", double_arithmetic},
    {"half_arithmetic", half_arithmetic},
    {"control_flow", control_flow},
    {"bits_and_bytes", bits_and_bytes},
    {"saturation", saturation},
    {"float_shapes", float_shapes},
    {"double_shapes", double_shapes},
    {"half_shapes", half_shapes},
    {"packed_numbers", packed_numbers},
    {"brain_floats", brain_floats},
    {"memory_widths", memory_widths},
    {"calls", calls},
};

struct WaveFunction {
  const char* name;
  uint32_t (*on_host)(const Wave&);
};
const WaveFunction wave_functions[] = {{"data_parallel_primitives", data_parallel_primitives},
                                       {"lane_exchanges", lane_exchanges},
                                       {"votes", votes},
                                       {"lane_sends", lane_sends}};

struct Variant {
  std::string target;
  int wave;
  std::string level;
  std::string name() const { return target + "_wave" + std::to_string(wave) + "_" + level; }
};
void PrintTo(const Variant& v, std::ostream* stream) { *stream << v.name(); }

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const std::string& target : targets())
    for (int wave : {32, 64})
      for (const char* level : {"O0", "O1", "O2", "O3"}) {
        const bool compiled = wave == 32 || level[1] == '0' || level[1] == '3';
        if (compiled) all.push_back({target, wave, level});
      }
  for (const char* target : {"gfx90a", "gfx942", "gfx950"})
    for (const char* level : {"O0", "O3"}) all.push_back({target, 64, level});
  for (const char* level : {"O0", "O3"}) all.push_back({"gfx1250", 32, level});
  return all;
}

// LLVM 22 takes the stack pointer for the address of an array whose size the kernel computes. Where
// scratch is reached through a buffer, that pointer counts the bytes of all 64 lanes, so that a
// flat store to the array lies 64 times too far.
bool has_misplaced_array(const Variant& v, std::string_view function) {
  return v.target == "gfx90a" && v.level == "O0" && function == "calls";
}

constexpr uint32_t workgroups = 8, threads = 64 * workgroups;

class Corpus : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    const Variant& v = GetParam();
    auto object =
        CodeObject::load(read_file(std::string(HEDDLE_CORPUS_FOLDER) + "/corpus." + v.target +
                                   ".w" + std::to_string(v.wave) + "." + v.level + ".co"));
    ASSERT_TRUE(object) << object.error();
    object_ = std::make_unique<CodeObject>(*object);
    Random random(11);
    in_.resize(8 * threads);
    for (uint32_t& x : in_) x = random.bits();
  }

  // The output words of a kernel; empty after a failure.
  std::vector<uint32_t> run_kernel(const std::string& name, std::vector<uint32_t> out) {
    Launch launch;
    launch.kernel = "kernel_" + name;
    launch.arguments = {buffer(std::span(in_), "in"), buffer(std::span(out), "out")};
    launch.grid = {workgroups, 1, 1};
    launch.workgroup = {64, 1, 1};
    launch.budget.instructions_per_workgroup = 10'000'000;
    launch.check = true;
    const auto report = run(*object_, launch);
    if (has_misplaced_array(GetParam(), name)) {
      EXPECT_TRUE(report && report->fault) << "LLVM has mended it: drop the exception";
      if (report && report->fault)
        EXPECT_NE(report->fault->text().find("scratch address"), std::string::npos)
            << report->fault->text();
      return {};
    }
    if (!report) {
      ADD_FAILURE() << name << "\n" << report.error().text();
      return {};
    }
    for (const Finding& finding : report->findings) ADD_FAILURE() << finding.text(launch.kernel);
    EXPECT_EQ(report->waves, threads / static_cast<unsigned>(GetParam().wave));
    return out;
  }

  void expect_equal(const char* name, const std::function<uint32_t(uint32_t)>& expected) {
    const auto out = run_kernel(name, std::vector<uint32_t>(threads));
    if (out.empty()) return;
    uint32_t different = 0, first = 0;
    for (uint32_t i = threads; i-- > 0;)
      if (out[i] != expected(i)) {
        ++different;
        first = i;
      }
    EXPECT_EQ(different, 0u) << name << ": first at thread " << first << " of " << threads;
  }

  std::unique_ptr<CodeObject> object_;
  std::vector<uint32_t> in_;
};

TEST_P(Corpus, EveryInstructionIsKnown) {
  const auto unknown = object_->unknown_instructions();
  EXPECT_TRUE(unknown.empty()) << unknown.size() << " instructions, the first: " << unknown[0];
}

TEST_P(Corpus, FunctionsOfAThread) {
  for (const Function& function : functions)
    expect_equal(function.name, [&](uint32_t i) { return function.on_host(&in_[8 * i]); });
}

TEST_P(Corpus, FunctionsOfAWave) {
  const auto size = static_cast<uint32_t>(GetParam().wave);
  for (const WaveFunction& function : wave_functions) {
    if (!object_->find_kernel(std::string("kernel_") + function.name)) {
      EXPECT_EQ(GetParam().target + std::to_string(size) + function.name, "gfx120164lane_sends");
      continue;
    }
    expect_equal(function.name, [&](uint32_t i) {
      return function.on_host(
          Wave{&in_[8 * (i / size * size)], i % size, size, is_cdna(object_->target().family)});
    });
  }
}

TEST_P(Corpus, Atomics) {
  std::vector<uint32_t> zero(16);
  zero[1] = ~0u;
  const auto out = run_kernel("atomics", zero);
  if (out.empty()) return;
  uint32_t sum = 0, all = ~0u, any = 0, odd = 0, most = 0, bytes = 0;
  uint64_t wide = 0, widest = 0;
  for (uint32_t group = 0; group < workgroups; ++group) {
    uint64_t of_group = 0;
    for (uint32_t i = 64 * group; i < 64 * group + 64; ++i) {
      const uint32_t x = in_[8 * i];
      sum += x;
      all &= x | 0xff;
      any |= x;
      odd ^= x;
      most = std::max(most, x);
      bytes += x & 255;
      of_group += uint64_t{x} << 9;
    }
    wide += of_group;
    widest = std::max(widest, of_group);
  }
  uint64_t got_wide[2];
  float got_float;
  double got_double;
  std::memcpy(got_wide, &out[6], 16);
  std::memcpy(&got_float, &out[10], 4);
  std::memcpy(&got_double, &out[12], 8);
  EXPECT_EQ(out[0], sum);
  EXPECT_EQ(out[1], all);
  EXPECT_EQ(out[2], any);
  EXPECT_EQ(out[3], odd);
  EXPECT_EQ(out[4], most);
  EXPECT_EQ(out[5], 0u - bytes);
  EXPECT_EQ(got_wide[0], wide);
  EXPECT_EQ(got_wide[1], widest);
  EXPECT_EQ(got_float, static_cast<float>(bytes));
  EXPECT_EQ(got_double, static_cast<double>(bytes));
  EXPECT_EQ(out[14], 42u);
}

TEST_P(Corpus, SharedMemory) {
  expect_equal("shared_memory", [&](uint32_t i) {
    const uint32_t x = i % 64;
    const uint32_t* mine = &in_[8 * i];
    const uint32_t* writer = &in_[8 * (i - x + (x ^ 21))];
    Words w;
    w.result(uint32_t{static_cast<uint8_t>(writer[0])} +
             static_cast<uint32_t>(int32_t{static_cast<int16_t>(writer[1])}) + writer[2]);
    w.result64(writer[3] | uint64_t{writer[4]} << 32);
    for (int j = 0; j < 3; ++j) w.result(writer[5 + j]);
    for (int j = 0; j < 5; ++j) w.result(writer[j] >> 8 & 255u);
    w.result(mine[6] & 1 ? in_[8 * (i - x + 63 - x) + 7] & 255u : mine[0] & 255u);
    return w.hash;
  });
}

TEST_P(Corpus, Machine) {
  expect_equal("machine", [](uint32_t) { return 1u; });
}

INSTANTIATE_TEST_SUITE_P(Variants, Corpus, ::testing::ValuesIn(variants()),
                         [](const auto& info) { return info.param.name(); });

TEST(Examples, EveryInstructionIsKnown) {
  for (const std::string& target : targets())
    for (const char* name : {"wmma_naive", "wmma_tiled", "softmax"})
      for (int level : {0, 3}) {
        const auto unknown = load_example(name, target, level).unknown_instructions();
        EXPECT_TRUE(unknown.empty()) << target << " " << name << ": " << unknown[0];
      }
}

}  // namespace corpus_test
}  // namespace heddle::emulator::testing
