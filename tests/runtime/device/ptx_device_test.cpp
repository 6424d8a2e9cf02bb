// PTX on the simulator's device, and CUDA's calls against an imitation of its driver library.
#include <gtest/gtest.h>

#include "tests/runtime/device/imitated_library.h"

namespace heddle::runtime {
namespace ptx_device_test {

constexpr const char* twice = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 .ptr .global .align 4 x, .param .u32 n)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r2, %r1;
  @%p ret;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.u32 %r4, %r3, %r3;
  st.global.u32 [%rd3], %r4;
  ret;
}
)";

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

emulator::Launch launch_of(std::vector<int>& x) {
  emulator::Launch launch;
  launch.kernel = "twice";
  launch.arguments = {emulator::buffer(std::span(x), "x"),
                      emulator::value(static_cast<int>(x.size()))};
  launch.workgroup = {64, 1, 1};
  return launch;
}

TEST(PtxDevice, Runs) {
  const std::string text = twice;
  for (const char* name : {"ptx", "ptx:sm_80", "ptx:sm_90a"}) {
    const auto device = Device::open(name);
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_FALSE((*device)->is_hardware());
    const auto module = (*device)->load(bytes(text));
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ((*module)->code_object(), nullptr);
    EXPECT_EQ((*module)->target(), "sm_80");
    std::vector<int> x = {1, -2, 3};
    const auto report = (*module)->launch(launch_of(x));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(x, (std::vector<int>{2, -4, 6}));
    EXPECT_EQ(report->emulated->global_bytes_written, 12u);
  }
}

TEST(PtxDevice, RefusesWhatIsForAnother) {
  const auto device = Device::open("ptx:sm_75");
  ASSERT_TRUE(device);
  const auto module = (*device)->load(bytes(twice));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message, "the PTX is for sm_80, and the device simulates sm_75");
  EXPECT_TRUE(runs_on("sm_90a", "sm_90"));
  EXPECT_FALSE(runs_on("sm_90a", "sm_100"));
  EXPECT_TRUE(runs_on("sm_90", "sm_100"));
}

TEST(PtxDevice, BadTextHasItsPlace) {
  const auto device = Device::open("ptx");
  std::string text = twice;
  text.replace(text.find("%r4;"), 4, "%r9;");
  const auto module = (*device)->load(bytes(text));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message, "18:25: no register %r9 is declared");
}

/// A word holds the address of a buffer while the kernel runs, and what it held before afterwards.
TEST(PtxDevice, ArraysOfPointers) {
  constexpr const char* text =
      ".version 7.8\n.target sm_80\n.address_size 64\n"
      ".visible .entry follow(.param .u64 p) {\n.reg .b64 %d<4>;\n.reg .b32 %r<3>;\n"
      "ld.param.u64 %d0, [p];\nld.global.u64 %d1, [%d0+8];\nld.global.u64 %d2, [%d0+16];\n"
      "ld.global.u32 %r0, [%d1];\nst.global.u32 [%d2], %r0;\nst.global.u64 [%d0], %d2;\nret;\n}\n";
  const auto device = Device::open("ptx");
  const auto module = (*device)->load(bytes(text));
  ASSERT_TRUE(module) << module.error().message;
  std::vector<std::uint64_t> pointers = {1, 2, 3};
  std::vector<int> x = {5, 6}, y = {0, 0};
  emulator::Launch launch;
  launch.buffers = {emulator::buffer(std::span(pointers), "p"), emulator::buffer(std::span(x), "x"),
                    emulator::buffer(std::span(y), "y")};
  launch.arguments = {emulator::BufferAddress{"p", 0}};
  launch.workgroup = {1, 1, 1};
  const std::vector<StoredAddress> addresses = {
      {{"p", 0}, {}}, {{"p", 8}, {"x", 4}}, {{"p", 16}, {"y", 4}}};
  const auto report = (*module)->launch(launch, addresses);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(y, (std::vector{0, 6}));
  EXPECT_EQ(pointers[1], 2u);
  EXPECT_EQ(pointers[2], 3u);
  EXPECT_EQ(pointers[0], emulated_address(launch, {"y", 4})) << "what the kernel wrote there stays";
}

/// CUDA's calls, as the imitation wrote them down.
class ImitationCuda : public ImitatedLibrary {
 protected:
  ImitationCuda() : ImitatedLibrary("HEDDLE_CUDA_LIBRARY", HEDDLE_IMITATION_CUDA) {}
};

TEST_F(ImitationCuda, BuffersWithAddressesAreCopiedWhenAllHaveOne) {
  std::vector<int> x = {5, 6};
  std::vector<std::uint64_t> pointers = {7, 8};
  const auto device = Device::open("cuda");
  const auto module = (*device)->load(bytes(twice));
  ASSERT_TRUE(module) << module.error().message;
  emulator::Launch launch = launch_of(x);
  launch.buffers = {emulator::buffer(std::span(pointers), "p")};
  const std::vector<StoredAddress> addresses = {{{"p", 8}, {"p", 0}}, {{"p", 16}, {"p", 0}}};
  const auto begin = calls().size();
  ASSERT_TRUE((*module)->launch(launch, addresses));
  EXPECT_EQ(count("cuMemcpyHtoD", begin), 3u);
  EXPECT_EQ(pointers, (std::vector<std::uint64_t>{7, 8}));
}

TEST_F(ImitationCuda, CallsInOrder) {
  std::vector<int> x = {5, 6};
  {
    const auto device = Device::open("cuda");
    ASSERT_TRUE(device) << device.error().message;
    EXPECT_TRUE((*device)->is_hardware());
    EXPECT_EQ((*device)->processor(), "sm_90");
    EXPECT_EQ((*device)->description(), "an imitation, CUDA 13.0");
    const auto module = (*device)->load(bytes(twice));
    ASSERT_TRUE(module) << module.error().message;
    emulator::Launch launch = launch_of(x);
    launch.dynamic_lds_bytes = 64 << 10;
    launch.grid = {2, 1, 1};
    launch.cluster = {2, 1, 1};
    launch.workgroup = {2, 1, 1};
    launch.arguments[1] = emulator::value(0);
    const auto report = (*module)->launch(launch);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FLOAT_EQ(static_cast<float>(report->seconds), 2.5e-3f);
  }
  EXPECT_EQ(calls(),
            (std::vector<std::string>{"cuInit 0",
                                      "cuDeviceGetCount",
                                      "cuDeviceGet 0",
                                      "cuDeviceGetName",
                                      "cuDeviceGetAttribute 75",
                                      "cuDeviceGetAttribute 76",
                                      "cuDevicePrimaryCtxRetain",
                                      "cuCtxSetCurrent",
                                      "cuModuleLoadDataEx",
                                      "cuModuleGetFunction twice",
                                      "cuMemAlloc_v2 8",
                                      "cuMemcpyHtoD_v2 8",
                                      "cuFuncSetAttribute 8 65536",
                                      "cuEventRecord",
                                      "cuLaunchKernelEx twice 2,1,1 2,1,1 65536 attribute 4 2,1,1",
                                      "cuEventRecord",
                                      "cuCtxSynchronize",
                                      "cuMemcpyDtoH_v2 8",
                                      "cuMemFree_v2",
                                      "cuModuleUnload",
                                      "cuDevicePrimaryCtxRelease_v2"}));
}

TEST_F(ImitationCuda, EveryCallMayFailAndNothingLeaks) {
  const struct {
    const char* function;
    const char* message;
  } cases[] = {
      {"cuInit", "starting CUDA: unknown error (CUDA error 999)"},
      {"cuDeviceGetCount", "counting GPUs: unknown error (CUDA error 999)"},
      {"cuDeviceGet", "choosing the GPU: unknown error (CUDA error 999)"},
      {"cuDevicePrimaryCtxRetain", "opening the GPU: unknown error (CUDA error 999)"},
      {"cuModuleLoadDataEx",
       "loading the PTX: unknown error (CUDA error 999)\nline 7: the imitation's log"},
      {"cuModuleGetFunction", "finding kernel twice: unknown error (CUDA error 999)"},
      {"cuMemAlloc_v2", "allocating 8 bytes for x: unknown error (CUDA error 999)"},
      {"cuMemcpyHtoD_v2", "copying x to the GPU: unknown error (CUDA error 999)"},
      {"cuLaunchKernelEx", "launching twice: unknown error (CUDA error 999)"},
      {"cuCtxSynchronize", "running twice: unknown error (CUDA error 999)"},
      {"cuMemcpyDtoH_v2", "copying x from the GPU: unknown error (CUDA error 999)"},
  };
  for (const auto& [function, message] : cases) {
    setenv("HEDDLE_IMITATION_FAILS", function, 1);
    const auto begin = calls().size();
    const auto run = [&]() -> std::string {
      const auto device = Device::open("cuda:0");
      if (!device) return device.error().message;
      const auto module = (*device)->load(bytes(twice));
      if (!module) return module.error().message;
      std::vector<int> x = {1, 2};
      const auto report = (*module)->launch(launch_of(x));
      return report ? "ran" : report.error().message;
    };
    EXPECT_EQ(run(), message);
    EXPECT_EQ(count("cuMemAlloc_v2", begin), count("cuMemFree_v2", begin)) << function;
  }
}

TEST_F(ImitationCuda, NoLibraryAndNoGpu) {
  EXPECT_EQ(refusal("cuda:3"), "no GPU 3: CUDA finds 1, cuda:0 to cuda:0");
  EXPECT_EQ(refusal("cuda:x"),
            "'x' is no number of a GPU; cuda:0 is the first, and cuda alone means it");
  setenv("HEDDLE_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  EXPECT_TRUE(refusal("cuda").starts_with("HEDDLE_CUDA_LIBRARY is '/nowhere/libcuda.so.1': "));
  setenv("HEDDLE_CUDA_LIBRARY", "libm.so.6", 1);
  EXPECT_TRUE(refusal("cuda").starts_with("this CUDA library lacks cuInit, "));
}

}  // namespace ptx_device_test
}  // namespace heddle::runtime
