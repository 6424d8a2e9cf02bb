// Buffers of about 4 GiB, where offsets no longer fit into words of 32 bits: what the emulator
// reads and writes there is what the host has at the same places, and one byte beyond the end is a
// fault.
#include <sys/mman.h>

#include <cstring>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace large_buffers_test {

constexpr uint64_t gib_4 = uint64_t{1} << 32;
using Offsets = std::array<uint64_t, 32>;

/// Pages that take memory when they are written.
class Sparse {
 public:
  explicit Sparse(uint64_t bytes)
      : bytes_(bytes),
        at_(static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~Sparse() {
    if (is_mapped()) munmap(at_, bytes_);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;

  bool is_mapped() const { return at_ != MAP_FAILED; }
  std::span<std::byte> bytes() const { return {at_, bytes_}; }
  uint32_t word(uint64_t offset) const {
    uint32_t word;
    std::memcpy(&word, at_ + offset, 4);
    return word;
  }
  void set_word(uint64_t offset, uint32_t word) { std::memcpy(at_ + offset, &word, 4); }

 private:
  uint64_t bytes_;
  std::byte* at_;
};

class LargeBuffers : public ::testing::TestWithParam<std::string> {
 protected:
  /// Each lane loads a word at its offset into `x`, adds 1 to it, stores it there, and to `out`.
  CodeObject kernels() const {
    const bool gfx12 = GetParam() == "gfx1201";
    const std::string scalar = gfx12 ? "s_wait_kmcnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n",
                      vector = gfx12 ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n";
    const std::string begin = "s_load_b128 s[4:7], s[0:1], 0x0\ns_load_b64 s[8:9], s[0:1], 0x10\n" +
                              scalar + "v_lshlrev_b32 v9, 3, v0\n" +
                              "global_load_b64 v[2:3], v9, s[6:7]\n" + vector;
    const std::string end = "v_lshlrev_b32 v9, 2, v0\nglobal_store_b32 v9, v5, s[8:9]\ns_endpgm";
    const auto body = [&](const std::string& address, const std::string& base) {
      return begin + address + "global_load_b32 v4, " + base + "\n" + vector +
             "v_add_nc_u32 v5, 1, v4\n" + "global_store_b32 " + base.substr(0, base.find(',')) +
             ", v5" + base.substr(base.find(',')) + "\n" + end;
    };
    return assemble(
        kernel_text({{.name = "by_address",
                      .body = body("v_mov_b32 v6, s4\nv_mov_b32 v7, s5\n"
                                   "v_add_co_u32 v2, vcc_lo, v2, v6\n"
                                   "v_add_co_ci_u32 v3, vcc_lo, v3, v7, vcc_lo\n",
                                   "v[2:3], off"),
                      .arguments = 3},
                     {.name = "by_offset", .body = body("", "v2, s[4:5]"), .arguments = 3}},
                    GetParam()),
        GetParam());
  }

  static auto launch_of(const std::string& kernel, Sparse& x, Offsets& offsets,
                        std::array<uint32_t, 32>& out) {
    Launch launch;
    launch.kernel = kernel;
    launch.arguments = {buffer(x.bytes(), "x"), buffer(std::span<uint64_t>(offsets), "offsets"),
                        buffer(std::span<uint32_t>(out), "out")};
    launch.workgroup = {32, 1, 1};
    return launch;
  }
};

Offsets in_a_row(uint64_t first) {
  Offsets offsets;
  for (std::size_t lane = 0; lane < 32; ++lane) offsets[lane] = first + 4 * lane;
  return offsets;
}

// Around the size up to which offsets are words, and on both sides of what a word can hold.
constexpr uint64_t sizes[] = {gib_4 - 2048, gib_4 - 1024, gib_4 - 1020, gib_4 - 4,
                              gib_4,        gib_4 + 4,    gib_4 + 4096};

TEST_P(LargeBuffers, EveryLaneReachesItsPlace) {
  const CodeObject object = kernels();
  for (const uint64_t size : sizes) {
    Sparse x(size);
    if (!x.is_mapped()) GTEST_SKIP() << "no room for " << size << " bytes of addresses";
    Offsets both_ends = in_a_row(size - 4 * 32);
    for (std::size_t lane = 0; lane < 32; lane += 3) both_ends[lane] = 4 * lane;
    Offsets turned;
    for (std::size_t lane = 0; lane < 32; ++lane) turned[lane] = size - 4 - 4 * lane;
    std::vector<Offsets> all = {in_a_row(0), in_a_row(size - 4 * 32), both_ends, turned};
    // Lanes in a row that come round to the beginning.
    for (const uint64_t at_the_end : {5, 21}) {
      Offsets& round = all.emplace_back(in_a_row(size - 4 * at_the_end));
      for (uint64_t& offset : round) offset %= size;
    }
    if (size > gib_4) all.push_back(in_a_row(size - 4 * 32 - 4000 % (size - gib_4)));
    for (Offsets& offsets : all)
      for (const std::string kernel : {"by_address", "by_offset"}) {
        if (kernel == "by_offset" && std::ranges::max(offsets) >= gib_4) continue;
        for (std::size_t lane = 0; lane < 32; ++lane)
          x.set_word(offsets[lane], static_cast<uint32_t>(1000 + 7 * lane));
        std::array<uint32_t, 32> out{};
        const auto report = run(object, launch_of(kernel, x, offsets, out));
        ASSERT_TRUE(report) << kernel << ", " << size << " bytes\n" << report.error().text();
        for (std::size_t lane = 0; lane < 32; ++lane) {
          EXPECT_EQ(out[lane], 1001 + 7 * lane) << kernel << ", " << size << ", lane " << lane;
          EXPECT_EQ(x.word(offsets[lane]), 1001 + 7 * lane) << kernel << ", " << size;
        }
      }
  }
}

// The lane that reaches beyond the end is named, with its address; so is one far beyond.
TEST_P(LargeBuffers, OneByteBeyondTheEnd) {
  const CodeObject object = kernels();
  for (const uint64_t size : sizes) {
    Sparse x(size);
    if (!x.is_mapped()) GTEST_SKIP() << "no room for " << size << " bytes of addresses";
    for (const uint64_t beyond : {size - 3, size, size + gib_4, uint64_t{0} - 4})
      for (const std::string kernel : {"by_address", "by_offset"}) {
        if (kernel == "by_offset" && beyond >= gib_4) continue;
        Offsets offsets = in_a_row(64);
        offsets[19] = beyond;
        std::array<uint32_t, 32> out{};
        const auto report = run(object, launch_of(kernel, x, offsets, out));
        ASSERT_FALSE(report) << kernel << ", " << size << " bytes, " << beyond;
        EXPECT_EQ(report.error().kind, FaultKind::global_out_of_bounds) << report.error().text();
        EXPECT_EQ(report.error().lane, 19) << report.error().text();
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, LargeBuffers, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace large_buffers_test
}  // namespace heddle::emulator::testing
