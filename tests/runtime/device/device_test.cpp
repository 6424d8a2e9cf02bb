// One launch call, two devices: the emulator, and HIP's calls against an imitation of its library.
#include "runtime/device/device.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/runtime/device/imitated_library.h"

namespace heddle::runtime {
namespace device_test {

std::vector<std::byte> example(const std::string& name, const std::string& target) {
  std::ifstream file(std::string(HEDDLE_EXAMPLE_FOLDER) + "/" + name + "." + target + ".O3.co",
                     std::ios::binary);
  EXPECT_TRUE(file);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// Rows of softmax with sums and maxima that a host computes in double.
struct Softmax {
  static constexpr int rows = 3, columns = 33;
  std::vector<float> in, out;

  Softmax() : in(rows * columns), out(rows * columns, -1.0f) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 7) * 0.5f;
  }
  emulator::Launch launch() {
    emulator::Launch launch;
    launch.kernel = "softmax";
    launch.arguments = {emulator::buffer(std::span(in), "in"),
                        emulator::buffer(std::span(out), "out"), emulator::value(rows),
                        emulator::value(columns)};
    launch.grid = {2, 1, 1};
    launch.workgroup = {64, 1, 1};
    return launch;
  }
  void expect_right() const {
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int column = 0; column < columns; ++column) sum += std::exp(at(row, column));
      for (int column = 0; column < columns; ++column)
        EXPECT_NEAR(out[static_cast<std::size_t>(row * columns + column)],
                    std::exp(at(row, column)) / sum, 1e-6)
            << row << " " << column;
    }
  }
  double at(int row, int column) const {
    return in[static_cast<std::size_t>(row * columns + column)];
  }
};

TEST(Device, EmulatorRunsInPlace) {
  const auto device = Device::open("emulator:gfx1201");
  ASSERT_TRUE(device) << device.error().message;
  EXPECT_FALSE((*device)->is_hardware());
  EXPECT_EQ((*device)->processor(), "gfx1201");
  const auto module = (*device)->load(example("softmax", "gfx1201"));
  ASSERT_TRUE(module) << module.error().message;
  Softmax softmax;
  const auto report = (*module)->launch(softmax.launch());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->emulated->instructions, 100u);
  softmax.expect_right();
}

TEST(Device, EmulatorOfAnyProcessor) {
  const auto device = Device::open("emulator");
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->processor(), "");
  EXPECT_TRUE((*device)->load(example("softmax", "gfx1100")));
  EXPECT_TRUE((*device)->load(example("softmax", "gfx1201")));
}

TEST(Device, AFaultArrivesWhole) {
  const auto device = Device::open("emulator");
  const auto module = (*device)->load(example("softmax", "gfx1151"));
  Softmax softmax;
  emulator::Launch launch = softmax.launch();
  launch.arguments[2] = emulator::value(5);
  launch.grid = {3, 1, 1};
  const auto report = (*module)->launch(launch);
  ASSERT_FALSE(report);
  ASSERT_TRUE(report.error().fault);
  EXPECT_EQ(report.error().fault->kind, emulator::FaultKind::global_out_of_bounds);
  EXPECT_NE(report.error().message.find("buffer in (396 bytes)"), std::string::npos);
}

TEST(Device, NamesThatAreNone) {
  EXPECT_EQ(refusal("vulkan"),
            "no device 'vulkan'; there are emulator, emulator:PROCESSOR, hip, hip:NUMBER, ptx, "
            "ptx:PROCESSOR, cuda and cuda:NUMBER");
  EXPECT_EQ(refusal("ptx:gfx1100").substr(0, 55),
            "the simulator of PTX has no processor 'gfx1100'; it has");
  EXPECT_EQ(refusal("emulator:gfx906").substr(0, 42), "the emulator has no processor 'gfx906'; it");
  EXPECT_EQ(refusal("hip:first"),
            "'first' is no number of a GPU; hip:0 is the first, and hip alone means it");
  EXPECT_EQ(refusal("hip:"),
            "'' is no number of a GPU; hip:0 is the first, and hip alone means it");
}

TEST(Device, ACodeObjectOfAnotherProcessor) {
  const auto device = Device::open("emulator:gfx1151");
  const auto module = (*device)->load(example("softmax", "gfx1201"));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message,
            "the code object is for gfx1201, and the device emulates gfx1151");
}

/// HIP's calls, as the imitation wrote them down.
class Imitation : public ImitatedLibrary {
 protected:
  Imitation() : ImitatedLibrary("HEDDLE_HIP_LIBRARY", HEDDLE_IMITATION_HIP) {}
};

TEST_F(Imitation, CallsInOrder) {
  Softmax softmax;
  {
    const auto device = Device::open("hip");
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_TRUE((*device)->is_hardware());
    EXPECT_EQ((*device)->processor(), "gfx1151");
    EXPECT_EQ((*device)->description(), "an imitation, HIP 6.3");
    const auto module = (*device)->load(example("softmax", "gfx1151"));
    ASSERT_TRUE(module) << module.error().message;
    const auto report = (*module)->launch(softmax.launch());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->emulated);
  }
  softmax.expect_right();
  EXPECT_EQ(calls(),
            (std::vector<std::string>{
                "hipInit 0", "hipGetDeviceCount", "hipSetDevice 0", "hipGetDevicePropertiesR0600 0",
                "hipRuntimeGetVersion", "hipModuleLoadData", "hipModuleGetFunction softmax",
                "hipMalloc 396", "hipMemcpy 396 to the GPU", "hipMalloc 396",
                "hipMemcpy 396 to the GPU", "hipModuleLaunchKernel softmax 2,1,1 64,1,1 0",
                "hipDeviceSynchronize", "hipMemcpy 396 from the GPU", "hipMemcpy 396 from the GPU",
                "hipFree", "hipFree", "hipModuleUnload"}));
}

TEST_F(Imitation, PointersIntoBuffers) {
  const auto device = Device::open("hip:0");
  ASSERT_TRUE(device);
  const auto module = (*device)->load(example("softmax", "gfx1151"));
  Softmax softmax;
  std::vector<float> both(2 * softmax.in.size(), -1.0f);
  std::ranges::copy(softmax.in, both.begin());
  emulator::Launch launch = softmax.launch();
  launch.buffers = {emulator::buffer(std::span(both), "both")};
  launch.arguments[0] = emulator::BufferAddress{"both", 0};
  launch.arguments[1] = emulator::BufferAddress{"both", 4 * softmax.in.size()};
  ASSERT_TRUE((*module)->launch(launch));
  std::copy(both.begin() + static_cast<std::ptrdiff_t>(softmax.in.size()), both.end(),
            softmax.out.begin());
  softmax.expect_right();
}

TEST_F(Imitation, EveryCallMayFailAndNothingLeaks) {
  const struct {
    const char* function;
    const char* message;
  } cases[] = {
      {"hipInit", "starting HIP: unknown error (HIP error 999)"},
      {"hipGetDeviceCount", "counting GPUs: unknown error (HIP error 999)"},
      {"hipSetDevice", "choosing the GPU: unknown error (HIP error 999)"},
      {"hipGetDevicePropertiesR0600", "asking the GPU for its name: unknown error (HIP error 999)"},
      {"hipModuleLoadData", "loading the code object: unknown error (HIP error 999)"},
      {"hipModuleGetFunction", "finding kernel softmax: unknown error (HIP error 999)"},
      {"hipMalloc", "allocating 396 bytes for in: unknown error (HIP error 999)"},
      {"hipMemcpy", "copying in to the GPU: unknown error (HIP error 999)"},
      {"hipModuleLaunchKernel", "launching softmax: unknown error (HIP error 999)"},
      {"hipDeviceSynchronize", "running softmax: unknown error (HIP error 999)"},
  };
  for (const auto& [function, message] : cases) {
    setenv("HEDDLE_IMITATION_FAILS", function, 1);
    const auto begin = calls().size();
    const auto run = [&]() -> std::string {
      const auto device = Device::open("hip");
      if (!device) return device.error().message;
      const auto module = (*device)->load(example("softmax", "gfx1151"));
      if (!module) return module.error().message;
      Softmax softmax;
      const auto report = (*module)->launch(softmax.launch());
      return report ? "ran" : report.error().message;
    };
    EXPECT_EQ(run(), message);
    EXPECT_EQ(count("hipMalloc", begin), count("hipFree", begin)) << function;
  }
}

TEST_F(Imitation, LaunchesThatDoNotFitAreRefusedAsOnTheEmulator) {
  const auto object = example("softmax", "gfx1151");
  std::vector<std::string> messages;
  for (const char* name : {"emulator", "hip"}) {
    const auto device = Device::open(name);
    const auto module = (*device)->load(object);
    Softmax softmax;
    emulator::Launch launch = softmax.launch();
    launch.arguments.pop_back();
    const auto report = (*module)->launch(launch);
    messages.push_back(report ? "ran" : report.error().message);
  }
  EXPECT_EQ(messages[0], messages[1]);
  EXPECT_NE(messages[0].find("kernel softmax takes 4 arguments, and 3 are given"),
            std::string::npos);
}

TEST_F(Imitation, NoSuchGpu) {
  EXPECT_EQ(refusal("hip:3"), "no GPU 3: HIP finds 1, hip:0 to hip:0");
  setenv("HEDDLE_IMITATION_GPUS", "0", 1);
  EXPECT_EQ(refusal("hip"), "no GPU 0: HIP finds 0");
}

TEST_F(Imitation, ALibraryThatIsNone) {
  setenv("HEDDLE_HIP_LIBRARY", "/nowhere/libamdhip64.so", 1);
  EXPECT_TRUE(refusal("hip").starts_with("HEDDLE_HIP_LIBRARY is '/nowhere/libamdhip64.so': "));
  setenv("HEDDLE_HIP_LIBRARY", "libm.so.6", 1);
  EXPECT_TRUE(refusal("hip").starts_with("this HIP library lacks hipInit, "));
}

}  // namespace device_test
}  // namespace heddle::runtime
