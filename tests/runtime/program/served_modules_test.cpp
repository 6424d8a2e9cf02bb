// What a program under `heddle run` asks for: what is right runs, and what nobody honest would send
// is refused.
#include "runtime/program/served_modules.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "emulator/machine/address_space.h"

namespace heddle::program {
namespace served_modules_test {

// Adds to the word that its argument points to what its variable holds.
constexpr std::string_view kernels =
    ".version 7.8\n.target sm_80\n.address_size 64\n.global .align 4 .u32 step = 3;\n"
    ".visible .entry add(.param .u64 x) {\n.reg .b64 %d<3>;\n.reg .b32 %r<3>;\n"
    "ld.param.u64 %d0, [x];\nmov.u64 %d1, step;\nld.global.u32 %r0, [%d1];\n"
    "ld.global.u32 %r1, [%d0];\nadd.u32 %r1, %r1, %r0;\nst.global.u32 [%d0], %r1;\nret;\n}\n";

class Served : public ::testing::Test {
 protected:
  Served()
      : device_(runtime::Device::open("ptx:sm_80").value()),
        own_{{reinterpret_cast<const std::byte*>(kernels.data()),
              reinterpret_cast<const std::byte*>(kernels.data()) + kernels.size()}},
        modules_(*device_, "sm_80", own_) {
    EXPECT_TRUE(memory_.is_there());
  }

  /// One buffer of 4 bytes at 8192, and the variables at 4096.
  std::string request(const LaunchRequest& wanted) const {
    Writer writer;
    writer.put(wanted);
    BufferEntry entry;
    entry.offset = 8192;
    entry.bytes = 4;
    entry.number = 1;
    writer.put(entry);
    writer.put(emulator::address_of_buffer(0, 4));
    return writer.bytes();
  }
  static LaunchRequest ordinary() {
    LaunchRequest wanted;
    wanted.grid = wanted.block = {1, 1, 1};
    wanted.variables_offset = 4096;
    wanted.variables_bytes = 4;
    wanted.buffers = 1;
    wanted.argument_bytes = 8;
    return wanted;
  }

  SharedMemory memory_;
  std::unique_ptr<runtime::Device> device_;
  std::vector<std::vector<std::byte>> own_;
  ServedModules modules_;
};

TEST_F(Served, ALaunchIsOfTheSharedMemory) {
  const auto number = modules_.load("heddle module 0");
  ASSERT_TRUE(number) << number.error();
  const std::vector<std::byte> image = modules_[*number].image();
  ASSERT_EQ(image.size(), 4u);
  std::memcpy(memory_.bytes(4096, 4).data(), image.data(), 4);
  const std::uint32_t before = 39;
  std::memcpy(memory_.bytes(8192, 4).data(), &before, 4);
  auto asked = modules_.launch_of(request(ordinary()), memory_, false);
  ASSERT_TRUE(asked);
  const auto report = modules_[asked->module].launch(asked->launch);
  ASSERT_TRUE(report) << report.error().message;
  std::uint32_t after = 0;
  std::memcpy(&after, memory_.bytes(8192, 4).data(), 4);
  EXPECT_EQ(after, 42u);
}

TEST_F(Served, RequestsThatContradictThemselvesAreNoLaunches) {
  ASSERT_TRUE(modules_.load("heddle module 0"));
  const std::string good = request(ordinary());
  ASSERT_TRUE(modules_.launch_of(good, memory_, true));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(modules_.launch_of(good.substr(0, size), memory_, true)) << size;
  const auto refused = [&](auto change) {
    LaunchRequest wanted = ordinary();
    change(wanted);
    return !modules_.launch_of(request(wanted), memory_, true);
  };
  EXPECT_TRUE(refused([](LaunchRequest& wanted) { wanted.module = 1; }));
  EXPECT_TRUE(refused([](LaunchRequest& wanted) { wanted.kernel = 1; }));
  EXPECT_TRUE(refused([](LaunchRequest& wanted) { wanted.variables_bytes = 8; }));
  EXPECT_TRUE(refused([](LaunchRequest& wanted) { wanted.variables_offset = device_bytes - 2; }));
  EXPECT_TRUE(refused([](LaunchRequest& wanted) { wanted.buffers = 0xffffffff; }));
  EXPECT_TRUE(refused([](LaunchRequest& wanted) { wanted.argument_bytes = 7; }));
}

TEST_F(Served, ThreadsOfTheHostAreNotTheProgramsToChoose) {
  ASSERT_TRUE(modules_.load("heddle module 0"));
  LaunchRequest wanted = ordinary();
  wanted.is_in_order = 0xffffffff;
  EXPECT_EQ(modules_.launch_of(request(wanted), memory_, false)->launch.threads, 1u);
}

TEST_F(Served, ModulesComeAndGo) {
  EXPECT_FALSE(modules_.load("heddle module 1"));
  EXPECT_FALSE(modules_.load("heddle module -1"));
  EXPECT_FALSE(modules_.load("no module"));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(modules_.load("heddle module 0").value(), i);
  const std::uint32_t one = 1, nine = 9;
  const auto bytes = [](const std::uint32_t& number) {
    return std::string_view(reinterpret_cast<const char*>(&number), sizeof number);
  };
  EXPECT_TRUE(modules_.unload(bytes(one)));
  EXPECT_FALSE(modules_.unload(bytes(one))) << "once";
  EXPECT_FALSE(modules_.unload(bytes(nine)));
  EXPECT_FALSE(modules_.unload("abc"));
  EXPECT_EQ(modules_.load("heddle module 0").value(), 1u) << "its place is free again";
}

TEST_F(Served, NobodyMakesTheMemoryShorter) {
  EXPECT_NE(::ftruncate(memory_.file(), 4096), 0);
  EXPECT_TRUE(memory_.bytes(device_bytes, 1).empty());
  EXPECT_TRUE(memory_.bytes(device_bytes - 1, 2).empty());
  EXPECT_TRUE(memory_.bytes(~std::uint64_t{0}, 2).empty());
}

/// The program has ended and somebody else keeps its socket open.
TEST(Messages, HalfAMessageHoldsNobodyUp) {
  int ends[2], over[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(::pipe(over), 0);
  ::close(over[1]);  // readable from now on: its end
  const Header header{0, 100};
  ASSERT_EQ(::send(ends[1], &header, sizeof header, 0), static_cast<ssize_t>(sizeof header));
  Header received;
  std::string bytes;
  EXPECT_FALSE(receive_message(ends[0], received, bytes, over[0]));
  EXPECT_EQ(received.bytes, 100u);
  ASSERT_TRUE(send_message(ends[1], 7, "whole"));
  EXPECT_TRUE(receive_message(ends[0], received, bytes, over[0]));
  EXPECT_EQ(bytes, "whole");
  for (const int descriptor : {ends[0], ends[1], over[0]}) ::close(descriptor);
}

}  // namespace served_modules_test
}  // namespace heddle::program
