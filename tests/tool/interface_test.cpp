// What the C interface makes of wrong and hostile input: a sentence, and no harm.
#include "heddle/run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace heddle::tool {
namespace interface_test {

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Arguments {
  const float *x, *y;
  float* z;
  int n;
};
constexpr std::size_t argument_bytes = offsetof(Arguments, n) + sizeof(int);

class Interface : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = heddle_open(GetParam().c_str());
    ASSERT_TRUE(device_) << heddle_error();
    const std::string code =
        file(GetParam() == "sm_80" ? HEDDLE_SOURCE "/bench/launch/add.ptx"
                                   : HEDDLE_EXAMPLE_FOLDER "/add." + GetParam() + ".co");
    module_ = heddle_load(device_, code.data(), code.size(), nullptr);
    ASSERT_TRUE(module_) << heddle_error();
    kernel_ = heddle_find_kernel(module_, "add");
    ASSERT_TRUE(kernel_) << heddle_error();
    arguments_ = {x_.data(), y_.data(), z_.data(), 64};
    memory_ = {
        {x_.data(), 256, "x", 0}, {y_.data(), 256, "y", 0}, {z_.data(), 256, "z", HEDDLE_WRITABLE}};
    launch_.size = sizeof launch_;
    for (uint32_t& each : launch_.grid) each = 1;
    for (uint32_t& each : launch_.block) each = 1;
    launch_.block[0] = 64;
    launch_.arguments = &arguments_;
    launch_.argument_bytes = argument_bytes;
  }
  void TearDown() override {
    heddle_unload(module_);
    heddle_close(device_);
  }

  // The sentence with which the launch is refused; "" where it was run.
  std::string refusal() {
    launch_.memory = memory_.data();
    launch_.memory_count = memory_.size();
    heddle_run* const run = heddle_run_kernel(kernel_, &launch_);
    if (!run) return heddle_error();
    heddle_free_run(run);
    return "";
  }

  heddle_device* device_ = nullptr;
  heddle_module* module_ = nullptr;
  heddle_kernel* kernel_ = nullptr;
  std::vector<float> x_ = std::vector<float>(64, 1), y_ = x_, z_ = x_;
  Arguments arguments_{};
  std::vector<heddle_memory> memory_;
  heddle_launch launch_{};
};

TEST_P(Interface, RunsAKernel) {
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ(z_.back(), 2);
}

TEST_P(Interface, RefusesWrongLaunches) {
  launch_.size = 8;
  EXPECT_TRUE(refusal().contains("heddle_launch::size is 8"));
  launch_.size = sizeof launch_;
  launch_.flags = 0x80;
  EXPECT_TRUE(refusal().contains("flags"));
  launch_.flags = 0;
  launch_.arguments = nullptr;
  EXPECT_TRUE(refusal().contains("NULL"));
  launch_.arguments = &arguments_;
  for (const std::size_t bytes : {std::size_t{0}, argument_bytes - 1, argument_bytes + 4096}) {
    const std::vector<char> many(bytes);
    launch_.argument_bytes = bytes;
    launch_.arguments = many.data();
    if (bytes > 0) EXPECT_TRUE(refusal().contains("takes 28 bytes of arguments")) << bytes;
  }
  launch_.arguments = &arguments_;
  launch_.argument_bytes = argument_bytes;
  launch_.grid[1] = 0;
  EXPECT_NE(refusal(), "");
  launch_.grid[1] = 1;
  launch_.shared_bytes = ~0u;
  EXPECT_NE(refusal(), "");
}

TEST_P(Interface, RefusesMemoryThatIsNotThere) {
  const auto refused = [&](void* address, std::size_t bytes) {
    memory_.push_back({address, bytes, "wrong", HEDDLE_WRITABLE});
    const std::string sentence = refusal();
    memory_.pop_back();
    return sentence.contains("array wrong");
  };
  const auto at = [](uint64_t address) { return reinterpret_cast<void*>(address); };
  EXPECT_TRUE(refused(at(4096), 16));
  EXPECT_TRUE(refused(at(uint64_t{1} << 40), 1 << 20));
  EXPECT_TRUE(refused(at(~uint64_t{0}), 16));
  EXPECT_TRUE(refused(at(~uint64_t{0} - 8191), 4096));
  EXPECT_TRUE(refused(z_.data(), ~std::size_t{0}));
  EXPECT_TRUE(refused(z_.data(), std::size_t{1} << 62));
  EXPECT_TRUE(refused(z_.data(), std::size_t{1} << 46));
  EXPECT_TRUE(refused(nullptr, 1));
  EXPECT_FALSE(refused(nullptr, 0));
  EXPECT_FALSE(refused(at(4096), 0));
  EXPECT_FALSE(refused(at(~uint64_t{0}), 0));
}

TEST_P(Interface, EndsAtABudget) {
  launch_.most_instructions = 1;
  launch_.memory = memory_.data();
  launch_.memory_count = memory_.size();
  heddle_run* const run = heddle_run_kernel(kernel_, &launch_);
  ASSERT_TRUE(run) << heddle_error();
  EXPECT_EQ(heddle_run_finished(run), 0);
  ASSERT_EQ(heddle_finding_count(run), 1u);
  EXPECT_TRUE(std::string(heddle_finding_text(run, 0)).contains("budget"));
  EXPECT_EQ(heddle_finding_text(run, 1), nullptr);
  heddle_free_run(run);
  launch_.most_instructions = 0;
  launch_.most_memory_bytes = 1000;
  EXPECT_TRUE(refusal().contains("--limit-memory") || refusal().empty());
}

TEST_P(Interface, TellsParameters) {
  heddle_parameter parameter{};
  ASSERT_EQ(heddle_parameter_count(kernel_), 4u);
  ASSERT_EQ(heddle_parameter_at(kernel_, 3, &parameter), 0);
  EXPECT_EQ(parameter.offset, 24u);
  EXPECT_EQ(parameter.size, 4u);
  EXPECT_EQ(heddle_parameter_at(kernel_, 4, &parameter), -1);
  EXPECT_EQ(heddle_kernel_at(module_, 1), nullptr);
  EXPECT_STREQ(heddle_kernel_name(heddle_kernel_at(module_, 0)), "add");
  EXPECT_EQ(heddle_find_kernel(module_, "sub"), nullptr);
  EXPECT_TRUE(std::string(heddle_error()).contains("it has add"));
  heddle_variable variable{};
  EXPECT_EQ(heddle_find_variable(module_, "none", &variable), -1);
}

INSTANTIATE_TEST_SUITE_P(Targets, Interface, ::testing::Values("gfx942", "gfx1201", "sm_80"));

TEST(InterfaceOfNothing, HasAnError) {
  EXPECT_EQ(heddle_open(nullptr), nullptr);
  EXPECT_EQ(heddle_load(nullptr, "", 0, nullptr), nullptr);
  EXPECT_EQ(heddle_find_kernel(nullptr, "k"), nullptr);
  EXPECT_EQ(heddle_run_kernel(nullptr, nullptr), nullptr);
  EXPECT_STRNE(heddle_error(), "");
  EXPECT_EQ(heddle_run_json(nullptr), nullptr);
  EXPECT_EQ(heddle_kernel_count(nullptr), 0u);
  EXPECT_EQ(heddle_finding_count(nullptr), 0u);
  heddle_close(nullptr);
  heddle_unload(nullptr);
  heddle_free_run(nullptr);
}

}  // namespace interface_test
}  // namespace heddle::tool
