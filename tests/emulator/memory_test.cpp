// Loads and stores of every width in every space, buffers with their bounds, atomics, scratch,
// calls, and what the report counts.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace memory_test {

class Memory : public ::testing::TestWithParam<std::string> {
 protected:
  bool gfx12() const { return GetParam() == "gfx1201"; }
  std::string wait_vector() const {
    return gfx12() ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n";
  }
  std::string wait_scalar() const {
    return gfx12() ? "s_wait_kmcnt 0x0\ns_wait_dscnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
  }

  // s[4:5]: the buffer `in` of 1024 bytes with byte i = i * 37 + 11; s[6:7]: `out` of 1024 words.
  // v0: lane, v9: lane * 128, where the words v10..v13 of the lane go.
  // One kernel per body, body_0, body_1, ...
  CodeObject assemble_bodies(const std::vector<std::string>& bodies, int lds_bytes = 0,
                             int scratch_bytes = 0) const {
    std::vector<AssemblyKernel> kernels;
    for (const std::string& body : bodies) {
      const std::string text = "s_load_b128 s[4:7], s[0:1], 0x0\n" + wait_scalar() +
                               "v_mov_b32 v10, -1\nv_mov_b32 v11, -1\nv_mov_b32 v12, -1\n"
                               "v_mov_b32 v13, -1\n" +
                               body + "\n" + wait_vector() + wait_scalar() +
                               "v_lshlrev_b32 v9, 5, v0\n"
                               "global_store_b128 v9, v[10:13], s[6:7]\ns_endpgm";
      kernels.push_back({.name = "body_" + std::to_string(kernels.size()),
                         .body = text,
                         .arguments = 2,
                         .lds_bytes = lds_bytes,
                         .scratch_bytes = scratch_bytes});
    }
    return assemble(kernel_text(kernels, GetParam()), GetParam());
  }

  std::vector<uint32_t> run_kernel(const CodeObject& object, std::size_t index,
                                   uint32_t threads = 32) {
    in_.resize(1024);
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<uint8_t>(i * 37 + 11);
    std::vector<uint32_t> out(1024, 0);
    Launch launch;
    launch.kernel = "body_" + std::to_string(index);
    launch.arguments = {buffer(std::span(in_), "in"), buffer(std::span(out), "out")};
    launch.workgroup = {threads, 1, 1};
    auto report = run(object, launch);
    if (!report) {
      ADD_FAILURE() << GetParam() << " kernel " << index << "\n" << report.error().text();
      return out;
    }
    report_ = *report;
    return out;
  }

  std::vector<uint32_t> run_body(const std::string& body, int lds_bytes = 0, int scratch_bytes = 0,
                                 uint32_t threads = 32) {
    return run_kernel(assemble_bodies({body}, lds_bytes, scratch_bytes), 0, threads);
  }

  // Word i of v10..v13 of a lane.
  static uint32_t result(const std::vector<uint32_t>& out, int lane, int i) {
    return out[static_cast<std::size_t>(lane * 8 + i)];
  }

  uint64_t bytes_at(std::size_t offset, int count) const {
    uint64_t x = 0;
    for (int i = 0; i < count; ++i)
      x |= uint64_t{in_at(offset + static_cast<std::size_t>(i))} << (8 * i);
    return x;
  }
  static uint8_t in_at(std::size_t i) { return static_cast<uint8_t>(i * 37 + 11); }

  std::vector<uint8_t> in_;
  RunReport report_;
};

struct Load {
  const char* suffix;  // of global_, flat_, scratch_, buffer_
  const char* lds;     // the whole ds_ name
  int bytes;
  // v10 from the loaded bits; more words follow.
  uint32_t (*low)(uint64_t);
};

constexpr uint32_t old = 0xffffffffu;

const Load loads[] = {
    {"load_u8", "ds_load_u8", 1, [](uint64_t x) { return static_cast<uint32_t>(x); }},
    {"load_i8", "ds_load_i8", 1,
     [](uint64_t x) { return static_cast<uint32_t>(static_cast<int8_t>(x)); }},
    {"load_u16", "ds_load_u16", 2, [](uint64_t x) { return static_cast<uint32_t>(x); }},
    {"load_i16", "ds_load_i16", 2,
     [](uint64_t x) { return static_cast<uint32_t>(static_cast<int16_t>(x)); }},
    {"load_d16_u8", "ds_load_u8_d16", 1,
     [](uint64_t x) { return (old & 0xffff0000u) | static_cast<uint32_t>(x); }},
    {"load_d16_i8", "ds_load_i8_d16", 1,
     [](uint64_t x) {
       return (old & 0xffff0000u) | (static_cast<uint32_t>(static_cast<int8_t>(x)) & 0xffffu);
     }},
    {"load_d16_b16", "ds_load_u16_d16", 2,
     [](uint64_t x) { return (old & 0xffff0000u) | static_cast<uint32_t>(x); }},
    {"load_d16_hi_u8", "ds_load_u8_d16_hi", 1,
     [](uint64_t x) { return (old & 0xffffu) | static_cast<uint32_t>(x) << 16; }},
    {"load_d16_hi_b16", "ds_load_u16_d16_hi", 2,
     [](uint64_t x) { return (old & 0xffffu) | static_cast<uint32_t>(x) << 16; }},
    {"load_b32", "ds_load_b32", 4, [](uint64_t x) { return static_cast<uint32_t>(x); }},
    {"load_b64", "ds_load_b64", 8, [](uint64_t x) { return static_cast<uint32_t>(x); }},
    {"load_b96", "ds_load_b96", 12, [](uint64_t x) { return static_cast<uint32_t>(x); }},
    {"load_b128", "ds_load_b128", 16, [](uint64_t x) { return static_cast<uint32_t>(x); }},
};

std::string registers(const Load& load) {
  return load.bytes <= 4 ? "v10" : "v[10:" + std::to_string(9 + load.bytes / 4) + "]";
}

// Byte addresses 20 * lane + 3 * lane % 4: overlapping, unaligned, and not in order.
constexpr const char* odd_addresses =
    "v_mul_u32_u24 v1, 20, v0\nv_and_b32 v2, 3, v0\nv_add_nc_u32 v1, v1, v2\n";
std::size_t odd_address(int lane) { return static_cast<std::size_t>(20 * lane + lane % 4); }

TEST_P(Memory, GlobalLoadsOfEveryWidth) {
  std::vector<std::string> bodies;
  for (const Load& load : loads)
    bodies.push_back(std::string(odd_addresses) + "global_" + load.suffix + " " + registers(load) +
                     ", v1, s[4:5] offset:8");
  const CodeObject object = assemble_bodies(bodies);
  for (const Load& load : loads) {
    SCOPED_TRACE(load.suffix);
    const auto out = run_kernel(object, static_cast<std::size_t>(&load - loads));
    for (int lane = 0; lane < 32; ++lane) {
      const std::size_t at = odd_address(lane) + 8;
      ASSERT_EQ(result(out, lane, 0), load.low(bytes_at(at, std::min(load.bytes, 8)))) << lane;
      for (int i = 1; i < 4; ++i)
        ASSERT_EQ(result(out, lane, i),
                  4 * i < load.bytes ? bytes_at(at + 4 * static_cast<std::size_t>(i), 4) : old)
            << lane;
    }
    EXPECT_EQ(report_.global_bytes_read, 32u * static_cast<unsigned>(load.bytes) + 16);
  }
}

// Copies `in` to LDS first, 32 bytes a lane.
constexpr const char* fill_lds =
    "v_lshlrev_b32 v3, 5, v0\nglobal_load_b128 v[20:23], v3, s[4:5]\n"
    "global_load_b128 v[24:27], v3, s[4:5] offset:16\n";

// gfx12 loads bytes and shorts into scalar registers, at addresses of their own alignment: LLVM
// uses them for any uniform byte.
TEST_P(Memory, ScalarLoadsOfBytesAndShorts) {
  if (!gfx12()) GTEST_SKIP() << "gfx11 has no such instructions";
  std::vector<std::string> bodies;
  for (int base = 0; base < 4; ++base)
    bodies.push_back("s_add_co_u32 s4, s4, " + std::to_string(base) +
                     "\ns_add_co_ci_u32 s5, s5, 0\ns_load_u8 s8, s[4:5], 0x2\n"
                     "s_load_i8 s9, s[4:5], 0x3\ns_load_u16 s10, s[4:5], 0x10\n"
                     "s_load_i16 s11, s[4:5], 0x6\n" +
                     wait_scalar() +
                     "v_mov_b32 v10, s8\nv_mov_b32 v11, s9\nv_mov_b32 v12, s10\n"
                     "v_mov_b32 v13, s11");
  const CodeObject object = assemble_bodies(bodies);
  for (unsigned base = 0; base < 4; ++base) {
    const std::vector<uint32_t> out = run_kernel(object, base);
    const auto byte = [this](unsigned at) { return uint32_t{in_[at]}; };
    const auto word = [&](unsigned at) { return byte(at) | byte(at + 1) << 8; };
    EXPECT_EQ(out[0], byte(base + 2)) << "base " << base;
    EXPECT_EQ(out[1], static_cast<uint32_t>(static_cast<int8_t>(byte(base + 3))));
    if (base % 2 != 0) continue;
    EXPECT_EQ(out[2], word(base + 16)) << "base " << base;
    EXPECT_EQ(out[3], static_cast<uint32_t>(static_cast<int16_t>(word(base + 6))));
  }
}

TEST_P(Memory, LdsLoadsOfEveryWidth) {
  std::vector<std::string> bodies;
  for (const Load& load : loads)
    bodies.push_back(std::string(fill_lds) + wait_vector() +
                     "ds_store_b128 v3, v[20:23]\nds_store_b128 v3, v[24:27] offset:16\n" +
                     odd_addresses + load.lds + " " + registers(load) + ", v1 offset:40");
  const CodeObject object = assemble_bodies(bodies, 1024);
  for (const Load& load : loads) {
    SCOPED_TRACE(load.lds);
    const auto out = run_kernel(object, static_cast<std::size_t>(&load - loads));
    for (int lane = 0; lane < 32; ++lane) {
      const std::size_t at = odd_address(lane) + 40;
      ASSERT_EQ(result(out, lane, 0), load.low(bytes_at(at, std::min(load.bytes, 8)))) << lane;
      for (int i = 1; i < 4; ++i)
        ASSERT_EQ(result(out, lane, i),
                  4 * i < load.bytes ? bytes_at(at + 4 * static_cast<std::size_t>(i), 4) : old)
            << lane;
    }
  }
}

TEST_P(Memory, LdsPairs) {
  const auto out = run_body(std::string(fill_lds) + wait_vector() +
                                "ds_store_2addr_b64 v3, v[20:21], v[22:23] offset1:1\n"
                                "ds_store_2addr_b64 v3, v[24:25], v[26:27] offset0:2 offset1:3\n"
                                "v_lshlrev_b32 v1, 2, v0\n"
                                "ds_load_2addr_b32 v[10:11], v1 offset0:5 offset1:9\n"
                                "ds_load_2addr_stride64_b32 v[12:13], v1 offset0:1 offset1:2",
                            1024);
  for (int lane = 0; lane < 32; ++lane) {
    const std::size_t base = 4 * static_cast<std::size_t>(lane);
    EXPECT_EQ(result(out, lane, 0), bytes_at(base + 20, 4));
    EXPECT_EQ(result(out, lane, 1), bytes_at(base + 36, 4));
    EXPECT_EQ(result(out, lane, 2), bytes_at(base + 256, 4));
    EXPECT_EQ(result(out, lane, 3), bytes_at(base + 512, 4));
  }
}

// Either element may be loaded over the register that has the addresses.
TEST_P(Memory, LdsPairsOverTheirAddresses) {
  const std::string fill = fill_lds + wait_vector() +
                           "ds_store_2addr_b64 v3, v[20:21], v[22:23] offset1:1\n"
                           "ds_store_2addr_b64 v3, v[24:25], v[26:27] offset0:2 offset1:3\n";
  for (const int words : {1, 2})
    for (const int stride : {1, 64})
      for (int place = 10; place < 10 + 2 * words; ++place) {
        const std::string address = "v" + std::to_string(place),
                          load = std::string(stride == 1 ? "ds_load_2addr_"
                                                         : "ds_load_2addr_stride64_") +
                                 (words == 1 ? "b32 v[10:11], " : "b64 v[10:13], ") + address +
                                 " offset1:1";
        const auto out = run_body(fill + "v_lshlrev_b32 " + address + ", 3, v0\n" + load, 1024);
        for (int i = 0; i < 32 * 2 * words; ++i) {
          const int lane = i / (2 * words), word = i % (2 * words), element = word / words;
          const int at = 8 * lane + 4 * (word % words + element * words * stride);
          ASSERT_EQ(result(out, lane, word), bytes_at(static_cast<std::size_t>(at), 4)) << load;
        }
      }
}

struct Store {
  const char* suffix;
  const char* lds;
  int bytes;
  bool high;
};

const Store stores[] = {
    {"store_b8", "ds_store_b8", 1, false},
    {"store_b16", "ds_store_b16", 2, false},
    {"store_d16_hi_b8", "ds_store_b8_d16_hi", 1, true},
    {"store_d16_hi_b16", "ds_store_b16_d16_hi", 2, true},
    {"store_b32", "ds_store_b32", 4, false},
    {"store_b64", "ds_store_b64", 8, false},
    {"store_b96", "ds_store_b96", 12, false},
    {"store_b128", "ds_store_b128", 16, false},
};

std::string stored(const Store& store) {
  return store.bytes <= 4 ? "v20" : "v[20:" + std::to_string(19 + store.bytes / 4) + "]";
}

// The value a lane stores: v20..v23 = lane * 0x01010101 + 0x10203040 * (i + 1).
constexpr const char* make_values =
    "v_mul_lo_u32 v19, 0x01010101, v0\nv_add_nc_u32 v20, 0x10203040, v19\n"
    "v_add_nc_u32 v21, 0x20406080, v19\nv_add_nc_u32 v22, 0x306090c0, v19\n"
    "v_add_nc_u32 v23, 0x4080c100, v19\n";
uint32_t value_of(int lane, int i) {
  return static_cast<uint32_t>(lane) * 0x01010101u + 0x10203040u * static_cast<uint32_t>(i + 1);
}

void expect_stored(const std::vector<uint8_t>& memory, const Store& store, std::size_t pitch,
                   std::size_t shift) {
  for (int lane = 0; lane < 32; ++lane)
    for (int byte = 0; byte < store.bytes; ++byte) {
      const uint32_t word = value_of(lane, byte / 4) >> (store.high ? 16 : 0);
      ASSERT_EQ(
          memory[static_cast<std::size_t>(lane) * pitch + shift + static_cast<std::size_t>(byte)],
          static_cast<uint8_t>(word >> (8 * (byte % 4))))
          << "lane " << lane << " byte " << byte;
    }
}

TEST_P(Memory, GlobalStoresOfEveryWidth) {
  std::vector<std::string> bodies;
  for (const Store& store : stores)
    bodies.push_back(std::string(make_values) + "v_mul_u32_u24 v1, 19, v0\nglobal_" + store.suffix +
                     " v1, " + stored(store) + ", s[4:5] offset:5");
  const CodeObject object = assemble_bodies(bodies);
  for (const Store& store : stores) {
    SCOPED_TRACE(store.suffix);
    run_kernel(object, static_cast<std::size_t>(&store - stores));
    expect_stored(in_, store, 19, 5);
    // Between the lanes nothing changed.
    for (std::size_t gap = 5 + static_cast<std::size_t>(store.bytes); gap < 5 + 19; ++gap)
      EXPECT_EQ(in_[gap], in_at(gap));
  }
}

TEST_P(Memory, LdsStoresOfEveryWidth) {
  std::vector<std::string> bodies;
  for (const Store& store : stores)
    bodies.push_back(std::string(make_values) + "v_lshlrev_b32 v1, 5, v0\n" + store.lds + " v1, " +
                     stored(store) + " offset:4\n" + wait_scalar() +
                     "ds_load_b128 v[24:27], v1\nds_load_b128 v[28:31], v1 offset:16\n" +
                     wait_scalar() +
                     "global_store_b128 v1, v[24:27], s[4:5]\n"
                     "global_store_b128 v1, v[28:31], s[4:5] offset:16");
  const CodeObject object = assemble_bodies(bodies, 1024);
  for (const Store& store : stores) {
    SCOPED_TRACE(store.lds);
    run_kernel(object, static_cast<std::size_t>(&store - stores));
    expect_stored(in_, store, 32, 4);
  }
}

TEST_P(Memory, ScratchIsPerLane) {
  const auto out = run_body(std::string(make_values) +
                                "scratch_store_b128 off, v[20:23], off offset:16\n"
                                "v_mov_b32 v1, 20\n"
                                "scratch_load_b96 v[10:12], v1, off\n"
                                "s_mov_b32 s8, 12\nscratch_load_b32 v13, off, s8 offset:4",
                            0, 64);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(result(out, lane, i), value_of(lane, i + 1));
    EXPECT_EQ(result(out, lane, 3), value_of(lane, 0));
  }
}

// LLVM 15 and older make the upper words of the apertures of gfx9 like this.
TEST_P(Memory, OldCodeReadsTheBases) {
  if (gfx12()) GTEST_SKIP() << "it has no such register";
  const auto out = run_body(
      "s_getreg_b32 s8, hwreg(HW_REG_SH_MEM_BASES, 0, 16)\ns_lshl_b32 s8, s8, 16\n"
      "s_getreg_b32 s9, hwreg(HW_REG_SH_MEM_BASES, 16, 16)\ns_lshl_b32 s9, s9, 16\n"
      "s_mov_b64 s[10:11], src_private_base\ns_mov_b64 s[12:13], src_shared_base\n"
      "v_mov_b32 v10, s8\nv_mov_b32 v11, s9\nv_mov_b32 v12, s11\nv_mov_b32 v13, s13\n",
      128, 64);
  EXPECT_EQ(result(out, 0, 0), result(out, 0, 2));
  EXPECT_EQ(result(out, 0, 1), result(out, 0, 3));
  EXPECT_NE(result(out, 0, 0), result(out, 0, 1));
}

TEST_P(Memory, FlatReachesScratchAndLds) {
  const auto out =
      run_body(std::string(make_values) +
                   "s_mov_b64 s[8:9], src_private_base\ns_mov_b64 s[10:11], src_shared_base\n"
                   "v_mov_b32 v2, 8\nv_mov_b32 v3, s9\nflat_store_b32 v[2:3], v20\n"
                   "scratch_load_b32 v10, off, off offset:8\n"
                   "v_lshlrev_b32 v4, 2, v0\nv_mov_b32 v5, s11\nds_store_b32 v4, v21\n"
                   "flat_load_b32 v11, v[4:5]\n",
               128, 64);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result(out, lane, 0), value_of(lane, 0));
    EXPECT_EQ(result(out, lane, 1), value_of(lane, 1));
  }
  // And is counted where it went.
  EXPECT_EQ(report_.lds_bytes_read, 128u);
  EXPECT_EQ(report_.scratch_bytes, 256u);
  ASSERT_EQ(report_.lds.size(), 2u);
  EXPECT_TRUE(report_.lds[1].instruction.starts_with("flat_load")) << report_.lds[1].instruction;
  EXPECT_TRUE(std::ranges::none_of(report_.global, [](const GlobalAccess& access) {
    return access.instruction.starts_with("flat_");
  }));
}

// A raw buffer (stride 0, OOB_SELECT 3) of 100 bytes at the start of `in`.
constexpr const char* raw_resource =
    "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 100\ns_mov_b32 s11, 0x31004000\n";

TEST_P(Memory, RawBufferReadsZeroPastItsRecords) {
  const std::string none = gfx12() ? "null" : "0";
  const auto out = run_body(std::string(raw_resource) +
                            "v_lshlrev_b32 v1, 3, v0\n"
                            "s_mov_b32 s12, 4\n"
                            "buffer_load_b96 v[10:12], v1, s[8:11], " +
                            none +
                            " offen\n"
                            "buffer_load_d16_b16 v13, v1, s[8:11], s12 offen offset:2");
  for (int lane = 0; lane < 32; ++lane) {
    const std::size_t at = 8 * static_cast<std::size_t>(lane);
    for (std::size_t i = 0; i < 3; ++i)
      ASSERT_EQ(result(out, lane, static_cast<int>(i)),
                at + 4 * i + 4 <= 100 ? bytes_at(at + 4 * i, 4) : 0)
          << "lane " << lane << " word " << i;
    ASSERT_EQ(result(out, lane, 3), (old & 0xffff0000u) | (at + 8 <= 100 ? bytes_at(at + 6, 2) : 0))
        << lane;
  }
}

TEST_P(Memory, RawBufferDropsStoresPastItsRecords) {
  const std::string none = gfx12() ? "null" : "0";
  run_body(std::string(raw_resource) + make_values +
           "v_lshlrev_b32 v1, 4, v0\n"
           "buffer_store_b128 v[20:23], v1, s[8:11], " +
           none + " offen");
  for (std::size_t i = 0; i < 112; ++i) {
    const uint32_t word = value_of(static_cast<int>(i / 16), static_cast<int>(i % 16 / 4));
    EXPECT_EQ(in_[i], i < 100 ? static_cast<uint8_t>(word >> (8 * (i % 4))) : in_at(i)) << i;
  }
}

TEST_P(Memory, BufferWithoutVectorOffsetAndScalarBuffer) {
  const std::string none = gfx12() ? "null" : "0";
  const auto out =
      run_body(std::string(raw_resource) + "buffer_load_b32 v10, off, s[8:11], " + none +
               " offset:96\n"
               "buffer_load_b32 v11, off, s[8:11], " +
               none +
               " offset:97\n"
               "s_buffer_load_b64 s[20:21], s[8:11], 0x60\n" +
               wait_scalar() + "v_mov_b32 v12, s20\nv_mov_b32 v13, s21");
  EXPECT_EQ(result(out, 0, 0), bytes_at(96, 4));
  EXPECT_EQ(result(out, 0, 1), 0u);
  EXPECT_EQ(result(out, 0, 2), bytes_at(96, 4));
  EXPECT_EQ(result(out, 0, 3), 0u);
}

TEST_P(Memory, AtomicsOfManyWorkgroupsAddUp) {
  const std::string returning = gfx12() ? " th:TH_ATOMIC_RETURN" : " glc";
  const CodeObject object = assemble(
      kernel_text({{.name = "count",
                    .body = "s_load_b64 s[4:5], s[0:1], 0x0\n" + wait_scalar() +
                            "v_mov_b32 v1, 0\nv_mov_b32 v2, 1\n"
                            "global_atomic_add_u32 v3, v1, v2, s[4:5]" +
                            returning + "\n" + wait_vector() +
                            "global_atomic_max_u32 v1, v3, s[4:5] offset:4\n"
                            "v_mov_b32 v4, 1.0\nglobal_atomic_add_f32 v1, v4, s[4:5] offset:8\n"
                            "v_mov_b32 v5, 0\nglobal_atomic_add_u64 v1, v[4:5], s[4:5] offset:16\n"
                            "s_endpgm"}},
                  GetParam()),
      GetParam());
  std::vector<uint64_t> data(4, 0);
  Launch launch;
  launch.arguments = {buffer(std::span(data), "data")};
  launch.grid = {50, 2, 1};
  launch.workgroup = {64, 1, 1};
  launch.threads = 4;
  const auto report = run(object, launch);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_EQ(data[0] & 0xffffffffu, 6400u);
  EXPECT_EQ(data[0] >> 32, 6399u);  // the largest value that was there before an addition
  EXPECT_EQ(__builtin_bit_cast(float, static_cast<uint32_t>(data[1])), 6400.0f);
  EXPECT_EQ(data[2], 6400 * uint64_t{0x3f800000});
}

// Only a returning atomic writes its data register: bit RETURN of gfx12's TH, GLC of gfx11.
TEST_P(Memory, BufferAtomicsReturnOnlyWhenAsked) {
  const std::vector<std::pair<std::string, bool>> hints =
      gfx12()
          ? std::vector<std::pair<std::string, bool>>{{"", false},
                                                      {" th:TH_ATOMIC_NT", false},
                                                      {" th:TH_ATOMIC_RETURN", true},
                                                      {" th:TH_ATOMIC_NT_RETURN", true}}
          : std::vector<std::pair<std::string, bool>>{{"", false}, {" slc", false}, {" glc", true}};
  // A raw buffer of 64 bytes; data format of any kind, as atomics ignore it.
  std::vector<std::string> bodies;
  for (const auto& [hint, returns] : hints)
    bodies.push_back(
        "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 64\ns_mov_b32 s11, 0x31016000\n"
        "v_mov_b32 v10, 5\ns_mov_b32 exec_lo, 1\n"
        "buffer_atomic_add_u32 v10, off, s[8:11], " +
        std::string(gfx12() ? "null" : "0") + " offset:4" + hint + "\ns_mov_b32 exec_lo, -1");
  const CodeObject object = assemble_bodies(bodies);
  for (std::size_t i = 0; i < hints.size(); ++i) {
    const auto out = run_kernel(object, i);
    const auto before = static_cast<uint32_t>(bytes_at(4, 4));
    EXPECT_EQ(result(out, 0, 0), hints[i].second ? before : 5u) << "hint" << hints[i].first;
    EXPECT_EQ(result(out, 1, 0), 5u);
    uint32_t after;
    std::memcpy(&after, &in_[4], 4);
    EXPECT_EQ(after, before + 5);
  }
}

TEST_P(Memory, LdsAtomics) {
  const auto out = run_body(
      "v_mov_b32 v1, 0\nv_mov_b32 v2, 0\nds_store_b64 v1, v[1:2]\n"
      "v_add_nc_u32 v3, 1, v0\nds_add_u32 v1, v3\n"
      "ds_max_rtn_u32 v10, v1, v0 offset:4\n"
      "ds_load_b64 v[11:12], v1\n",
      64);
  EXPECT_EQ(result(out, 5, 1), 32u * 33u / 2u);
  EXPECT_EQ(result(out, 5, 2), 31u);
  EXPECT_EQ(result(out, 7, 0), 6u);  // lanes go in order: lane 7 finds lane 6's value
}

// The lane's number is the address.
TEST_P(Memory, AddressesByLane) {
  const auto out = run_body(
      "s_mov_b32 m0, 64\nv_add_nc_u32 v1, 100, v0\n"
      "ds_store_addtid_b32 v1 offset:16\n"
      "ds_load_addtid_b32 v10 offset:16\n"
      "v_lshlrev_b32 v2, 2, v0\nds_load_b32 v11, v2 offset:80\n"
      "global_load_addtid_b32 v12, s[4:5] offset:8\n"
      "global_store_addtid_b32 v1, s[4:5] offset:512\n",
      256);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result(out, lane, 0), 100u + static_cast<uint32_t>(lane));
    EXPECT_EQ(result(out, lane, 1), 100u + static_cast<uint32_t>(lane));
    EXPECT_EQ(result(out, lane, 2), bytes_at(static_cast<std::size_t>(8 + 4 * lane), 4));
    uint32_t stored;
    std::memcpy(&stored, &in_[static_cast<std::size_t>(512 + 4 * lane)], 4);
    EXPECT_EQ(stored, 100u + static_cast<uint32_t>(lane));
  }
}

// The counter grows by the active lanes, which all get what it was.
TEST_P(Memory, CountersOfLanes) {
  const auto out = run_body(
      "v_mov_b32 v1, 0\nv_mov_b32 v2, 50\nds_store_b32 v1, v2 offset:8\n"
      "s_mov_b32 m0, 4\ns_mov_b32 exec_lo, 0xff0f\n"
      "ds_append v10 offset:4\nds_consume v11 offset:4\n"
      "s_mov_b32 exec_lo, -1\nds_consume v12 offset:4\n"
      "ds_load_b32 v13, v1 offset:8\n",
      64);
  EXPECT_EQ(result(out, 0, 0), 50u);
  EXPECT_EQ(result(out, 5, 0), ~0u);  // off
  EXPECT_EQ(result(out, 9, 1), 62u);
  EXPECT_EQ(result(out, 31, 2), 50u);
  EXPECT_EQ(result(out, 31, 3), 18u);
}

TEST_P(Memory, TwoExchangesAtOnce) {
  const auto out = run_body(
      "v_lshlrev_b32 v1, 3, v0\nv_mov_b32 v2, v0\nv_add_nc_u32 v3, 100, v0\n"
      "ds_store_b64 v1, v[2:3]\nv_add_nc_u32 v4, 200, v0\n"
      "v_add_nc_u32 v5, 300, v0\n"
      "ds_storexchg_2addr_rtn_b32 v[4:5], v1, v4, v5 offset0:1 offset1:0\n"
      "ds_load_b64 v[12:13], v1\n" +
          wait_scalar() + "v_mov_b32 v10, v4\nv_mov_b32 v11, v5\n",
      256);
  for (int lane = 0; lane < 32; ++lane) {
    const auto l = static_cast<uint32_t>(lane);
    EXPECT_EQ(result(out, lane, 0), 100 + l);
    EXPECT_EQ(result(out, lane, 1), l);
    EXPECT_EQ(result(out, lane, 2), 300 + l);
    EXPECT_EQ(result(out, lane, 3), 200 + l);
  }
}

// gfx12: registers chosen by M0, and a load that transposes 8 x 8 halves among eight lanes.
TEST_P(Memory, BlocksAndTransposes) {
  if (!gfx12()) GTEST_SKIP() << "gfx12 only";
  auto out = run_body(
      "v_lshlrev_b32 v2, 2, v0\ns_mov_b32 m0, 0x5\n"
      "global_load_block v[10:41], v2, s[4:5] offset:4\n");
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result(out, lane, 0), bytes_at(static_cast<std::size_t>(4 + 4 * lane), 4));
    EXPECT_EQ(result(out, lane, 1), ~0u);
    EXPECT_EQ(result(out, lane, 2), bytes_at(static_cast<std::size_t>(12 + 4 * lane), 4));
  }
  out = run_body("v_lshlrev_b32 v2, 4, v0\nglobal_load_tr_b128 v[10:13], v2, s[4:5]\n");
  for (int lane = 0; lane < 32; ++lane)
    for (int j = 0; j < 8; ++j)
      EXPECT_EQ(result(out, lane, j / 2) >> (16 * (j % 2)) & 0xffffu,
                bytes_at(static_cast<std::size_t>((lane / 8 * 8 + j) * 16 + lane % 8 * 2), 2));
  // Bytes: 16 rows of 16, of which four lanes have halves of rows in turn. With any lane on, all
  // are.
  for (const char* const mask : {"-1", "0x10"}) {
    out = run_body(std::string("v_lshlrev_b32 v2, 3, v0\ns_mov_b32 exec_lo, ") + mask +
                   "\nglobal_load_tr_b64 v[10:11], v2, s[4:5]\ns_mov_b32 exec_lo, -1\n");
    for (int lane = 0; lane < 32; ++lane)
      for (int j = 0; j < 8; ++j) {
        const int from = (lane & 16) + (j & 4) * 2 + (lane & 8) / 2 + (j & 3);
        EXPECT_EQ(result(out, lane, j / 4) >> (8 * (j % 4)) & 0xffu,
                  bytes_at(static_cast<std::size_t>(from * 8 + lane % 8), 1));
      }
  }
  out = run_body(
      "v_lshlrev_b32 v2, 3, v0\ns_mov_b32 exec_lo, 0\n"
      "global_load_tr_b64 v[10:11], v2, s[4:5]\ns_mov_b32 exec_lo, -1\n");
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(result(out, lane, 0), ~0u);
}

TEST_P(Memory, WavesExchangeThroughLdsAcrossABarrier) {
  const std::string barrier = gfx12() ? "s_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\n"
                                      : "s_waitcnt lgkmcnt(0)\ns_barrier\n";
  // 96 threads: thread t reads what thread 95 - t wrote; twice, through a second barrier.
  const auto out = run_body(
      "v_lshlrev_b32 v1, 2, v0\nds_store_b32 v1, v0\n" + barrier +
          "v_sub_nc_u32 v2, 0x17c, v1\nds_load_b32 v10, v2\n" + wait_scalar() + barrier +
          "v_lshlrev_b32 v3, 1, v0\nds_store_b32 v1, v3\n" + barrier + "ds_load_b32 v11, v2\n",
      384, 0, 96);
  for (int t = 0; t < 96; ++t) {
    EXPECT_EQ(result(out, t, 0), static_cast<uint32_t>(95 - t));
    EXPECT_EQ(result(out, t, 1), static_cast<uint32_t>(2 * (95 - t)));
  }
  EXPECT_EQ(report_.barriers, 9u);
  EXPECT_EQ(report_.waves, 3u);
}

// LDS addresses 128 bytes apart are all in bank 0: 31 extra passes in one phase of 32 lanes.
TEST_P(Memory, ReportCountsBankConflicts) {
  run_body(
      "v_lshlrev_b32 v1, 7, v0\nds_load_b32 v10, v1\nv_lshlrev_b32 v1, 2, v0\nds_load_b32 v11, v1",
      4096);
  ASSERT_EQ(report_.lds.size(), 2u);
  EXPECT_EQ(report_.lds[0].issued, 1u);
  EXPECT_EQ(report_.lds[0].ideal_passes, 1u);
  EXPECT_EQ(report_.lds[0].extra_passes, 31u);
  EXPECT_EQ(report_.lds[1].extra_passes, 0u);
  EXPECT_EQ(report_.lds[1].bytes_per_lane, 4);
  EXPECT_EQ(report_.lds_bytes_read, 256u);
}

TEST_P(Memory, ReportCountsInstructions) {
  run_body(
      "s_mov_b32 s8, 5\nagain:\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 again");
  uint64_t total = 0, branches = 0;
  for (const OpcodeCount& opcode : report_.opcodes) {
    total += opcode.count;
    if (opcode.mnemonic == "s_cbranch_scc1") branches = opcode.count;
  }
  EXPECT_EQ(branches, 5u);
  EXPECT_EQ(total, report_.instructions);
}

TEST_P(Memory, CallsAndReturns) {
  const auto out = run_body(
      "v_mov_b32 v10, 1\ns_getpc_b64 s[8:9]\nhere:\n"
      "s_add_u32 s8, s8, function - here\ns_addc_u32 s9, s9, 0\n"
      "s_swappc_b64 s[30:31], s[8:9]\ns_swappc_b64 s[30:31], s[8:9]\n"
      "s_branch past\nfunction:\nv_lshlrev_b32 v10, 1, v10\n"
      "s_setpc_b64 s[30:31]\npast:\n");
  EXPECT_EQ(result(out, 3, 0), 4u);
}

INSTANTIATE_TEST_SUITE_P(Targets, Memory, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace memory_test
}  // namespace heddle::emulator::testing
