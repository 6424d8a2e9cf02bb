// Memory of the caller's at the host's addresses, and arguments as bytes: on both machines the same
// results, counts and findings as with buffers at addresses of the emulator's own.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "emulator/machine/address_space.h"
#include "emulator/ptx/ptx.h"
#include "kernels.h"
#include "ptx/simulate.h"

namespace heddle::emulator::testing {
namespace placed_memory_test {

// What the kernels get: a pointer to this.
struct Arrays {
  const uint32_t* in;
  uint32_t* out;
};

// out[lane] = in[lane] + 1, where `in` and `out` are read from memory.
std::string amd_text(const std::string& target) {
  const bool is_gfx12 = target == "gfx1201";
  const std::string scalar = is_gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  const std::string vector = is_gfx12 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n";
  return kernel_text({{.name = "k",
                       .body = "s_load_b64 s[4:5], s[0:1], 0x0\n" + scalar +
                               "s_load_b128 s[4:7], s[4:5], 0x0\nv_lshlrev_b32 v1, 2, v0\n" +
                               scalar + "global_load_b32 v2, v1, s[4:5]\n" + vector +
                               "v_add_nc_u32 v2, 1, v2\nglobal_store_b32 v1, v2, s[6:7]\n"
                               "s_endpgm"}},
                     target);
}

const char* const ptx_body = R"(
  .reg .b64 %d<8>; .reg .b32 %r<4>;
  ld.param.u64 %d0, [arrays];
  ld.global.u64 %d1, [%d0]; ld.global.u64 %d2, [%d0+8];
  mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 4;
  add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.u32 %r1, [%d4]; add.s32 %r1, %r1, 1; st.global.u32 [%d5], %r1;
  ret;
)";

struct Machine {
  std::string name;
  std::expected<RunReport, Fault> run(const Launch& launch) const {
    if (name != "ptx") return emulator::run(assemble(amd_text(name), name), launch);
    return ptx::run(
        ptx::testing::module_of(ptx::testing::kernel_text(".param .u64 arrays", ptx_body)), launch);
  }
};

class PlacedMemory : public ::testing::TestWithParam<std::string> {
 protected:
  PlacedMemory() { std::iota(in_.begin(), in_.end(), 100u); }

  template <class T>
  static Buffer part(std::span<T> elements, const char* name, bool writable = true) {
    Buffer buffer;
    buffer.bytes = {
        reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(elements.data())),
        elements.size_bytes()};
    buffer.name = name;
    buffer.writable = writable;
    return buffer;
  }

  // The launch, whose memory is to be named by the test.
  Launch launch() {
    arrays_ = {in_.data(), out_.data()};
    const Arrays* const first = &arrays_;
    std::memcpy(bytes_.data(), &first, sizeof first);
    Launch launch;
    launch.kernel = "k";
    launch.argument_bytes = bytes_;
    launch.memory.push_back(part(std::span<const Arrays>(&arrays_, 1), "arrays", false));
    return launch;
  }
  Launch whole_launch() {
    Launch made = launch();
    made.memory.push_back(part(std::span(in_), "in", false));
    made.memory.push_back(part(std::span(out_), "out"));
    return made;
  }

  Machine machine() const { return {GetParam()}; }

  std::vector<uint32_t> in_ = std::vector<uint32_t>(32), out_ = std::vector<uint32_t>(32, 7);
  Arrays arrays_;
  std::array<std::byte, 8> bytes_;
};

TEST_P(PlacedMemory, HoldsPointersOfTheHost) {
  for (const bool checked : {false, true}) {
    std::ranges::fill(out_, 7u);
    Launch launch = whole_launch();
    launch.check = checked;
    const auto report = machine().run(launch);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->findings.empty());
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out_[i], in_[i] + 1);
    EXPECT_EQ(report->global_bytes_written, 128u);
  }
}

TEST_P(PlacedMemory, NamesTheNearestArrayAndTheDistance) {
  Launch launch = whole_launch();
  launch.memory.back().bytes = launch.memory.back().bytes.first(120);
  const auto report = machine().run(launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::global_out_of_bounds);
  EXPECT_TRUE(
      report.error().message.contains("4 bytes at 0 bytes past the end of array out (120 "
                                      "bytes)"))
      << report.error().message;
}

TEST_P(PlacedMemory, IsNotReachedBeyondItsBegin) {
  Launch launch = whole_launch();
  launch.memory[1].bytes = launch.memory[1].bytes.subspan(8);
  const auto report = machine().run(launch);
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().message.contains("at 8 bytes before the start of array in"))
      << report.error().message;
}

TEST_P(PlacedMemory, MayBeReadOnly) {
  Launch launch = whole_launch();
  launch.memory.back().writable = false;
  const auto report = machine().run(launch);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, FaultKind::global_read_only);
  EXPECT_EQ(out_[0], 7u);
}

TEST_P(PlacedMemory, MayOverlap) {
  Launch launch = whole_launch();
  // Written through one name and read through the other; parts of it come several times.
  launch.memory.push_back(part(std::span(out_).subspan(3, 9), "", false));
  launch.memory.push_back(part(std::span(out_).first(16), "low half", false));
  launch.memory[2].bytes = launch.memory[2].bytes.subspan(32);
  launch.memory.push_back(part(std::span(out_).first(10), "begin"));
  const auto report = machine().run(launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(out_[31], in_[31] + 1);
}

TEST_P(PlacedMemory, MayBeThousandsOfArrays) {
  std::vector<std::vector<uint32_t>> others(5000, std::vector<uint32_t>(17));
  Launch launch = whole_launch();
  for (auto& each : others) launch.memory.push_back(part(std::span(each), "other"));
  const auto report = machine().run(launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(out_[31], in_[31] + 1);
}

TEST_P(PlacedMemory, IsWatchedForValuesThatNobodyWrote) {
  Launch launch = whole_launch();
  launch.memory[1].initialised = false;
  launch.check = true;
  const auto report = machine().run(launch);
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_FALSE(report->findings.empty());
  EXPECT_EQ(report->findings[0].kind, FindingKind::global_read_before_written);
}

TEST_P(PlacedMemory, CountsAsBuffersDo) {
  const auto placed = machine().run(whole_launch());
  ASSERT_TRUE(placed) << placed.error().text();
  // The same with addresses of the emulator's own.
  std::vector<uint64_t> addresses{address_of_buffer(1, 128), address_of_buffer(2, 128)};
  Launch own;
  own.kernel = "k";
  own.buffers = {buffer(std::span(addresses), "arrays"), buffer(std::span(in_), "in"),
                 buffer(std::span(out_), "out")};
  own.arguments = {BufferAddress{"arrays"}};
  const auto report = machine().run(own);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(report->instructions, placed->instructions);
  EXPECT_EQ(report->spent, placed->spent);
  EXPECT_EQ(report->global_bytes_read, placed->global_bytes_read);
  EXPECT_EQ(report->global_bytes_written, placed->global_bytes_written);
}

TEST_P(PlacedMemory, IsRefusedWhereTheMachineHasAddresses) {
  Launch launch = whole_launch();
  Buffer wrong;
  wrong.name = "wrong";
  for (const uint64_t address :
       {region_start(scratch_buffer_region), region_start(1) - 8, region_start(8) - 1}) {
    wrong.bytes = {reinterpret_cast<std::byte*>(address), 16};
    launch.memory.push_back(wrong);
    const auto report = machine().run(launch);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, FaultKind::bad_launch);
    EXPECT_TRUE(report.error().message.contains("array wrong lies at address"));
    launch.memory.pop_back();
  }
  wrong.bytes = {reinterpret_cast<std::byte*>(region_start(shared_region)), 16};
  launch.memory.push_back(wrong);
  EXPECT_FALSE(machine().run(launch));
  launch.memory.pop_back();
  wrong.bytes = {reinterpret_cast<std::byte*>(~uint64_t{0} - 4), 16};
  launch.memory.push_back(wrong);
  EXPECT_FALSE(machine().run(launch));
}

TEST_P(PlacedMemory, ArgumentBytesFitTheKernel) {
  Launch launch = whole_launch();
  launch.argument_bytes = std::span(bytes_).first(7);
  const auto report = machine().run(launch);
  ASSERT_FALSE(report);
  EXPECT_TRUE(
      report.error().message.contains("kernel k takes 8 bytes of arguments, and 7 are given"))
      << report.error().message;
  const std::vector<std::byte> many(4096);
  launch.argument_bytes = many;
  EXPECT_FALSE(machine().run(launch));
}

// Adds 1 to the 16 bits at the address that is the argument, as LLVM does without an atomic of two
// bytes: by a compare-and-swap of the aligned dword.
std::string amd_half_text(const std::string& target, const std::string& sum) {
  const bool is_gfx12 = target == "gfx1201";
  const std::string scalar = is_gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  const std::string vector = is_gfx12 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n";
  const std::string returns = is_gfx12 ? " th:TH_ATOMIC_RETURN\n" : " glc\n";
  return kernel_text({{.name = "k",
                       .body = "s_load_b64 s[4:5], s[0:1], 0x0\nv_mov_b32 v1, 0\n" + scalar +
                               "s_and_b32 s4, s4, -4\nglobal_load_b32 v3, v1, s[4:5]\n" + vector +
                               sum + "global_atomic_cmpswap_b32 v4, v1, v[2:3], s[4:5]" + returns +
                               vector + "s_endpgm"}},
                     target);
}

TEST_P(PlacedMemory, HasAHalfInFrontOfADword) {
  alignas(4) std::array<uint16_t, 4> halves{};
  const auto run = [&](bool is_wrong, bool checked) {
    halves = {1, 2, 3, 4};
    Launch made;
    made.kernel = "k";
    const uint16_t* const first = halves.data() + 1;
    std::memcpy(bytes_.data(), &first, sizeof first);
    made.argument_bytes = bytes_;
    made.memory.push_back(part(std::span(halves).subspan(1), "halves"));
    made.check = checked;
    made.workgroup = {1, 1, 1};
    if (GetParam() != "ptx")
      return emulator::run(
          assemble(amd_half_text(GetParam(), is_wrong ? "v_add_nc_u32 v2, v3, 1\n"
                                                      : "v_add_nc_u32 v2, 0x10000, v3\n"),
                   GetParam()),
          made);
    const std::string body = std::string(R"(
      .reg .b64 %d<8>; .reg .b32 %r<4>;
      ld.param.u64 %d0, [arrays]; and.b64 %d0, %d0, -4;
      ld.global.u32 %r1, [%d0]; add.s32 %r2, %r1, )") +
                             (is_wrong ? "1" : "65536") + R"(;
      atom.global.cas.b32 %r3, [%d0], %r1, %r2;
      ret;
    )";
    return ptx::run(
        ptx::testing::module_of(ptx::testing::kernel_text(".param .u64 arrays", body.c_str())),
        made);
  };
  for (const bool checked : {false, true}) {
    const auto report = run(false, checked);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->findings.empty());
    EXPECT_EQ(halves, (std::array<uint16_t, 4>{1, 3, 3, 4}));
    // The half before the array must stay as it is.
    const auto wrong = run(true, checked);
    ASSERT_TRUE(!wrong || wrong->fault);
    EXPECT_EQ(wrong ? wrong->fault->kind : wrong.error().kind, FaultKind::global_out_of_bounds);
    EXPECT_EQ(halves, (std::array<uint16_t, 4>{1, 2, 3, 4}));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, PlacedMemory, ::testing::Values("gfx1151", "gfx1201", "ptx"));

}  // namespace placed_memory_test
}  // namespace heddle::emulator::testing
