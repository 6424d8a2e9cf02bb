// Reading code objects: what good ones say, and that bad ones are refused with a reason.
#include "emulator/code_object.h"

#include <cstring>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace {

std::vector<std::byte> example_bytes() {
  return read_file(std::string(HEDDLE_EXAMPLE_FOLDER) + "/wmma_tiled.gfx1151.O3.co");
}

std::string refusal(std::span<const std::byte> bytes) {
  const auto object = CodeObject::load(bytes);
  if (object) {
    ADD_FAILURE() << "the file was accepted";
    return {};
  }
  return object.error().message;
}

TEST(CodeObject, TellsWhatTheKernelNeeds) {
  const CodeObject object = load_example("wmma_tiled", "gfx1151");
  EXPECT_EQ(object.target().name, "gfx1151");
  const Kernel* kernel = object.find_kernel("wmma_tiled");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->lds_bytes, 24576u);  // two slices of two 128 x 24 halves
  EXPECT_EQ(kernel->scratch_bytes, 0u);
  EXPECT_EQ(kernel->vgpr_spills, 0u);
  EXPECT_EQ(kernel->max_workgroup_size, 128u);
  EXPECT_GT(kernel->vgpr_count, 128u);
  EXPECT_LE(kernel->vgpr_count, 256u);
  ASSERT_EQ(kernel->arguments.size(), 6u);
  EXPECT_EQ(kernel->arguments[2].value_kind, "global_buffer");
  EXPECT_EQ(kernel->arguments[3].offset, 24u);
  EXPECT_EQ(kernel->arguments[3].size, 4u);
}

TEST(CodeObject, EveryInstructionOfTheExamplesIsKnown) {
  for (const char* name : {"wmma_naive", "wmma_tiled", "softmax"})
    for (const std::string& target : targets())
      for (int level : {0, 3})
        EXPECT_EQ(load_example(name, target, level).unknown_instructions(),
                  std::vector<std::string>{})
            << name << " " << target << " -O" << level;
}

TEST(CodeObject, RefusesWhatIsNoElfFile) {
  EXPECT_NE(refusal({}).find("no ELF file"), std::string::npos);
  std::vector<std::byte> zeros(1000);
  EXPECT_NE(refusal(zeros).find("no ELF file"), std::string::npos);
}

TEST(CodeObject, RefusesOtherMachines) {
  auto bytes = example_bytes();
  const uint16_t x86_64 = 62;
  std::memcpy(&bytes[18], &x86_64, 2);
  EXPECT_NE(refusal(bytes).find("machine 62"), std::string::npos);
}

TEST(CodeObject, RefusesOtherProcessorsAndNamesItsOwn) {
  auto bytes = example_bytes();
  bytes[48] = std::byte{0x3f};  // gfx90a
  const std::string message = refusal(bytes);
  EXPECT_NE(message.find("0x3f"), std::string::npos) << message;
  EXPECT_NE(message.find("gfx1151"), std::string::npos) << message;
}

TEST(CodeObject, RefusesEveryTruncation) {
  const auto bytes = example_bytes();
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    // The last bytes are section headers and debug info; anything shorter loses them.
    const auto object = CodeObject::load(std::span(bytes).first(size));
    if (object) continue;
    EXPECT_FALSE(object.error().message.empty());
  }
  EXPECT_FALSE(CodeObject::load(std::span(bytes).first(bytes.size() / 2)));
}

TEST(CodeObject, SurvivesEveryWrongHeaderByte) {
  const auto bytes = example_bytes();
  Random random(1);
  int refused = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    auto changed = bytes;
    changed[i] = static_cast<std::byte>(random.bits());
    if (i % 10 == 0) refused += !CodeObject::load(changed);
  }
  EXPECT_GT(refused, 0);
}

TEST(Launch, RefusesWhatDoesNotFitTheKernel) {
  const CodeObject object = load_example("softmax", "gfx1100");
  std::vector<float> x(10);
  const auto refused = [&](const Launch& launch) -> std::string {
    const auto report = run(object, launch);
    if (report) return "it ran";
    EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
    return report.error().message;
  };
  Launch launch;
  EXPECT_EQ(refused(launch), "kernel softmax takes 4 arguments, and 0 are given");
  launch.arguments = {buffer(std::span(x), "in"), buffer(std::span(x), "out"), value(int64_t{1}),
                      value(10)};
  EXPECT_NE(refused(launch).find("has 4 bytes, and 8 are given"), std::string::npos)
      << refused(launch);
  launch.arguments[2] = value(1);
  launch.workgroup = {65, 1, 1};
  EXPECT_NE(refused(launch).find("at most 64"), std::string::npos) << refused(launch);
  launch.workgroup = {64, 1, 1};
  launch.kernel = "softmin";
  EXPECT_NE(refused(launch).find("it has softmax"), std::string::npos) << refused(launch);
}

}  // namespace
}  // namespace heddle::emulator::testing
