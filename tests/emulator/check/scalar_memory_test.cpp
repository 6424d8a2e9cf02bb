// Scalar stores and atomics of CDNA: what they do to memory, and what the checker asks for between
// them and others. LLVM's assembler takes them for gfx90a, gfx942 and gfx950; its compiler puts
// s_dcache_wb behind them (LLVM, test/CodeGen/AMDGPU/scalar-store-cache-flush.mir).
#include <functional>
#include <string>

#include "checked_kernel.h"

namespace heddle::emulator::testing {
namespace scalar_memory_test {

using enum FindingKind;

class ScalarMemory : public Checked {};

const std::string write_back = "s_dcache_wb\n";
// s[10:15]: 11, 12, ...
std::string numbers() {
  std::string text;
  for (int i = 10; i < 16; ++i)
    text += "s_mov_b32 s" + std::to_string(i) + ", " + std::to_string(i + 1) + "\n";
  return text;
}
// s[16:19]: a buffer of so many bytes at s[first:first + 1].
std::string buffer_at(int first, int bytes) {
  return "s_mov_b32 s16, s" + std::to_string(first) + "\ns_mov_b32 s17, s" +
         std::to_string(first + 1) + "\ns_mov_b32 s18, " + std::to_string(bytes) +
         "\ns_mov_b32 s19, 0x27000\n";
}

TEST_P(ScalarMemory, Stores) {
  const CheckedRun run =
      run_checked({.body = numbers() +
                           "s_store_dword s10, s[6:7], 0x0\ns_store_dwordx2 s[10:11], s[6:7], 0x8\n"
                           "s_movk_i32 s20, 0x20\ns_store_dwordx4 s[12:15], s[6:7], s20\n" +
                           write_back},
                  GetParam());
  EXPECT_EQ(run.text(), "");
  const uint32_t expected[12] = {11, 0, 11, 12, 0, 0, 0, 0, 13, 14, 15, 16};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(run.out[i], expected[i]) << i;
}

// Dwords beyond the buffer stay.
TEST_P(ScalarMemory, StoresToABuffer) {
  const CheckedRun run = run_checked({.body = numbers() + buffer_at(6, 20) +
                                              "s_buffer_store_dword s10, s[16:19], 0x0\n"
                                              "s_buffer_store_dwordx4 s[12:15], s[16:19], 0x8\n"
                                              "s_buffer_store_dwordx2 s[10:11], s[16:19], 0x18\n" +
                                              write_back},
                                     GetParam());
  EXPECT_EQ(run.text(), "");
  const uint32_t expected[8] = {11, 0, 13, 14, 15, 0, 0, 0};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(run.out[i], expected[i]) << i;
}

// A word before a buffer is out of its range. LLVM's assembler takes no offset below 0 here.
TEST_P(ScalarMemory, BelowABuffer) {
  const std::string store = ".byte 0x88, 0x02, 0x62, 0xc0, 0xfc, 0xff, 0x1f, 0x00\n",
                    load = ".byte 0x88, 0x02, 0x22, 0xc0, 0xfc, 0xff, 0x1f, 0x00\n";
  const CheckedRun run =
      run_checked({.body = numbers() + buffer_at(6, 16) + "s_add_u32 s16, s16, 8\n" + store +
                           buffer_at(4, 16) + "s_add_u32 s16, s16, 8\n" + load +
                           "{scalar 0}\ns_store_dword s10, s[6:7], 0x10\n" + write_back},
                  GetParam());
  EXPECT_EQ(run.text(), "");
  const uint32_t expected[5] = {};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(run.out[i], expected[i]) << i;
}

// An offset in a register counts 64 bytes.
TEST_P(ScalarMemory, Scratch) {
  const CheckedRun run = run_checked(
      {.body = numbers() +
               "s_mov_b32 s20, 1\ns_scratch_store_dword s10, s[6:7], s20\n"
               "s_scratch_store_dwordx4 s[12:15], s[6:7], 0x10\n"
               "s_scratch_load_dwordx2 s[10:11], s[4:5], s20\n{scalar 0}\n"
               "s_store_dwordx2 s[10:11], s[6:7], 0x0\ns_dcache_discard s[4:5], 0x40\n" +
               write_back},
      GetParam());
  EXPECT_EQ(run.text(), "");
  const uint32_t expected[17] = {17, 18, 0, 0, 13, 14, 15, 16, 0, 0, 0, 0, 0, 0, 0, 0, 11};
  for (int i = 0; i < 17; ++i) EXPECT_EQ(run.out[i], expected[i]) << i;
}

// `compare`: behind the operand.
template <class T>
struct Operation {
  const char* name;
  T (*result)(T old, T operand, T compare);
};
template <class T, class Signed>
constexpr Operation<T> operations[] = {
    {"swap", [](T, T operand, T) { return operand; }},
    {"cmpswap", [](T old, T operand, T compare) { return old == compare ? operand : old; }},
    {"add", [](T old, T operand, T) { return old + operand; }},
    {"sub", [](T old, T operand, T) { return old - operand; }},
    {"smin",
     [](T old, T operand, T) {
       return static_cast<Signed>(old) < static_cast<Signed>(operand) ? old : operand;
     }},
    {"umin", [](T old, T operand, T) { return old < operand ? old : operand; }},
    {"smax",
     [](T old, T operand, T) {
       return static_cast<Signed>(old) > static_cast<Signed>(operand) ? old : operand;
     }},
    {"umax", [](T old, T operand, T) { return old > operand ? old : operand; }},
    {"and", [](T old, T operand, T) { return old & operand; }},
    {"or", [](T old, T operand, T) { return old | operand; }},
    {"xor", [](T old, T operand, T) { return old ^ operand; }},
    {"inc", [](T old, T operand, T) { return old >= operand ? 0 : old + 1; }},
    {"dec", [](T old, T operand, T) { return old == 0 || old > operand ? operand : old - 1; }},
};

// Each operation on a place of its own, with a small operand and one with the top bit; what was
// there goes to `out`.
template <class T, class Signed>
void expect_atomics(const std::string& target, bool buffer) {
  constexpr int words = sizeof(T) / 4;
  struct Try {
    const Operation<T>* operation;
    T operand, compare;
  };
  std::vector<Try> tries;
  std::string body = buffer_at(4, 16384);
  for (const T operand : {T{3}, (T{1} << (8 * sizeof(T) - 1)) + 5})
    for (const auto& operation : operations<T, Signed>) {
      const int at = static_cast<int>(sizeof(T) * tries.size());
      // Every other comparison succeeds. in[i] is i + 1.
      const T compare = words == 1 ? static_cast<T>(tries.size()) + 1 + (operand == 3 ? 0 : 1)
                                   : static_cast<T>(2 * tries.size() + 1) |
                                         static_cast<T>(2 * tries.size() + 2) << (8 * words * 2);
      tries.push_back({&operation, operand, compare});
      const auto set = [&](int index, T value) {
        for (int i = 0; i < words; ++i)
          body += "s_mov_b32 s" + std::to_string(index + i) + ", " +
                  std::to_string(static_cast<uint32_t>(value >> (i * 16) >> (i * 16))) + "\n";
      };
      set(8, operand);
      set(8 + words, compare);
      const bool compares = std::string(operation.name) == "cmpswap";
      const auto registers = [&](int count) {
        return count == 1 ? "s8" : "s[8:" + std::to_string(8 + count - 1) + "]";
      };
      body += std::string(buffer ? "s_buffer_atomic_" : "s_atomic_") + operation.name +
              (words == 2 ? "_x2 " : " ") + registers(compares ? 2 * words : words) +
              (buffer ? ", s[16:19], " : ", s[4:5], ") + std::to_string(at) +
              " glc\ns_waitcnt lgkmcnt(0)\ns_store_dword" + (words == 2 ? "x2 " : " ") +
              registers(words) + ", s[6:7], " + std::to_string(at) + "\n";
    }
  const CheckedRun run = run_checked({.body = body + write_back}, target);
  EXPECT_EQ(run.text(), "");
  for (std::size_t i = 0; i < tries.size(); ++i) {
    const auto at = [&](const std::vector<uint32_t>& from) {
      T value = 0;
      for (int word = words; word-- > 0;) {
        value = value << (words == 2 ? 16 : 0) << (words == 2 ? 16 : 0);
        value |= from[i * words + static_cast<std::size_t>(word)];
      }
      return value;
    };
    std::vector<uint32_t> before(4096);
    for (uint32_t word = 0; word < 4096; ++word) before[word] = word + 1;
    const T old = at(before);
    EXPECT_EQ(at(run.out), old) << tries[i].operation->name << " " << i;
    EXPECT_EQ(at(run.in), tries[i].operation->result(old, tries[i].operand, tries[i].compare))
        << tries[i].operation->name << " " << i;
  }
}

TEST_P(ScalarMemory, Atomics) {
  for (const bool buffer : {false, true}) {
    expect_atomics<uint32_t, int32_t>(GetParam(), buffer);
    expect_atomics<uint64_t, int64_t>(GetParam(), buffer);
  }
}

TEST_P(ScalarMemory, AtomicsThatReturnAreWaitedFor) {
  const std::string atomic = "s_mov_b32 s10, 5\ns_atomic_add s10, s[4:5], 0x0 glc\n";
  const std::string use =
      "s_mov_b32 s11, s10\n{scalar 0}\nv_mov_b32 v3, s11\n"
      "global_store_dword v1, v3, s[6:7]";
  expect_silent({.body = atomic + "{scalar 0}\n" + use});
  expect(register_read_before_wait, {.body = atomic + use});
}

TEST_P(ScalarMemory, StoresAreWrittenBackBeforeTheEnd) {
  const std::string store = "s_mov_b32 s10, 5\ns_store_dword s10, s[6:7], 0x0\n";
  expect_silent({.body = store + write_back});
  expect(scalar_store_not_written_back, {.body = store});
  expect_silent({.body = "s_mov_b32 s10, 5\ns_store_dword s10, s[6:7], 0x0 glc\n"});
  // Of two stores, one comes after.
  expect(scalar_store_not_written_back,
         {.body = store + write_back + "s_store_dword s10, s[6:7], 0x4\n"});
}

// A wave that loads what it has stored, with the other kind of instruction and with the same.
TEST_P(ScalarMemory, StoresAreWrittenBackBeforeAVectorLoad) {
  const std::string store = "s_mov_b32 s10, 5\nv_mov_b32 v4, 0\ns_store_dword s10, s[6:7], 0x0\n";
  const std::string load =
      "global_load_dword v3, v4, s[6:7]\n{load 0}\n"
      "global_store_dword v1, v3, s[6:7] offset:1024\n";
  expect_silent({.body = store + write_back + "{scalar 0}\n" + load});
  expect(scalar_store_not_written_back, {.body = store + write_back + load});
  expect(scalar_store_not_written_back, {.body = store + "{scalar 0}\n" + load + write_back});
  expect_silent({.body = store + "{scalar 0}\ns_load_dword s11, s[6:7], 0x0\n{scalar 0}\n" +
                         "v_mov_b32 v3, s11\nglobal_store_dword v1, v3, s[6:7] offset:1024\n" +
                         write_back});
}

TEST_P(ScalarMemory, StoresAreWrittenBackForOtherWaves) {
  const std::string acquire = GetParam() == "gfx90a" ? "buffer_wbinvl1_vol\n" : "buffer_inv sc0\n";
  const auto kernel = [&](const std::string& release, const std::string& invalidation) {
    return CheckedKernel{
        .body =
            "v_readfirstlane_b32 s9, v0\ns_mov_b32 s10, 5\nv_mov_b32 v4, 0\n"
            "s_cmp_eq_u32 s9, 0\ns_cbranch_scc0 other\ns_store_dword s10, s[6:7], 0x0\n" +
            release + "s_barrier\n" + write_back + "s_endpgm\nother:\ns_barrier\n" + invalidation +
            "global_load_dword v3, v4, s[6:7]\n{load 0}\n"
            "global_store_dword v1, v3, s[6:7] offset:1024\n",
        .threads = 128};
  };
  const std::string both = write_back + "{scalar 0}\n";
  expect_silent(kernel(both, acquire));
  expect(global_race_read_after_write, kernel(both, ""));
  for (const char* release : {"", "{scalar 0}\n", "s_dcache_wb\n"}) {
    const CheckedRun run = expect(global_race_read_after_write, kernel(release, acquire));
    EXPECT_NE(run.text().find("Put s_dcache_wb"), std::string::npos) << run.text();
  }
}

// Nothing orders the workgroups, of which each takes one branch.
TEST_P(ScalarMemory, WhatTwoWorkgroupsUse) {
  const auto kernel = [](const std::string& first, const std::string& second) {
    return CheckedKernel{
        .body =
            "s_mov_b32 s9, s2\ns_add_u32 s10, s9, 1\ns_mov_b32 s11, 7\nv_mov_b32 v4, 0\n"
            "s_cmp_eq_u32 s9, 0\ns_cbranch_scc0 second\n" +
            first + "s_branch done\nsecond:\n" + second + "done:\n" + write_back,
        .threads = 64,
        .workgroups = 2};
  };
  const std::string store = "s_store_dword s10, s[4:5], 0x0\n",
                    neighbour = "s_store_dword s10, s[4:5], 0x4\n";
  expect(global_race_write_after_write, kernel(store, store));
  expect_silent(kernel(store, neighbour));
  const auto races = [&](const CheckedKernel& wrong) {
    const CheckedRun run = run_checked(wrong, GetParam());
    EXPECT_GE(run.count(global_race_read_after_write) + run.count(global_race_write_after_read), 1)
        << run.text() << "of\n"
        << wrong.body;
  };
  const std::string scalar_load = "s_load_dword s12, s[4:5], 0x0\n{scalar 0}\n";
  races(kernel(store, scalar_load + neighbour));
  races(kernel(scalar_load + neighbour, store));
  expect_silent(kernel(neighbour, scalar_load));
  // The word holds 1: a compare-and-swap that expects 7 is no update.
  const std::string load = "global_load_dword v3, v4, s[4:5]\n{load 0}\n",
                    fails = "s_atomic_cmpswap s[10:11], s[4:5], 0x0\n",
                    succeeds = "s_mov_b32 s11, 1\n" + fails;
  expect_silent(kernel(fails, load));
  expect_silent(kernel(load, fails));
  races(kernel(succeeds, load));
  races(kernel(load, succeeds));
}

// As aiter's split-k products hand over a semaphore: scalar accesses with glc are coherent.
TEST_P(ScalarMemory, AFlagBetweenWorkgroups) {
  const bool is_cdna2 = GetParam() == "gfx90a";
  const std::string release = is_cdna2 ? "{load 0}\n" : "buffer_wbl2 sc1\n{load 0}\n",
                    acquire = is_cdna2 ? "buffer_wbinvl1_vol\n" : "buffer_inv sc1\n",
                    tell = "s_mov_b32 s10, 1\ns_store_dword s10, s[4:5], 0x200 glc\n",
                    update = "s_mov_b32 s10, 7\ns_atomic_sub s10, s[4:5], 0x200\n";
  // The word holds 129 before, and 122 or 1 is waited for.
  const auto kernel = [&](const std::string& tells, int flag, const std::string& coherent,
                          const std::string& acquires) {
    return CheckedKernel{.body = std::string("s_mov_b32 s9, ") +
                                 "s2\nv_lshlrev_b32 v1, 2, v0\n"
                                 "s_cmp_eq_u32 s9, 0\ns_cbranch_scc0 again\nv_add_u32 v3, 64, v0\n"
                                 "global_store_dword v1, v3, s[6:7]\n" +
                                 release + tells +
                                 "s_endpgm\nagain:\ns_load_dword s11, s[4:5], 0x200" + coherent +
                                 "\n{scalar 0}\ns_cmp_eq_u32 s11, " + std::to_string(flag) +
                                 "\ns_cbranch_scc0 again\n" + acquires +
                                 "global_load_dword v3, v1, s[6:7]\n{load 0}\n"
                                 "global_store_dword v1, v3, s[6:7] offset:256",
                         .threads = 64,
                         .workgroups = 2};
  };
  expect_silent(kernel(tell, 1, " glc", acquire));
  expect_silent(kernel(update, 122, " glc", acquire));
  expect(global_race_read_after_write, kernel(tell, 1, " glc", ""));
  const CheckedRun ordinary = run_checked(kernel(tell, 1, "", acquire), GetParam());
  EXPECT_GE(ordinary.count(global_race_read_after_write), 1) << ordinary.text();
}

TEST_P(ScalarMemory, StoresOfWhatNobodyWrote) {
  expect(undefined_store, {.body = "s_store_dword s30, s[6:7], 0x0\n" + write_back});
  // All words of the data count, and the value that a compare-and-swap expects.
  const std::string first = "s_mov_b32 s30, 1\n", second = "s_mov_b32 s31, 1\n";
  for (const std::string& atomic : {"s_atomic_add_x2", "s_atomic_cmpswap"}) {
    const std::string text = atomic + " s[30:31], s[4:5], 0x0\n" + write_back;
    expect_silent({.body = first + second + text});
    for (const std::string& written : {first, second}) {
      const CheckedRun run = expect(undefined_store, {.body = written + text});
      EXPECT_NE(run.text().find("stores s[30:31]"), std::string::npos) << run.text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, ScalarMemory, ::testing::Values("gfx90a", "gfx942", "gfx950"),
                         [](const auto& info) { return info.param; });

}  // namespace scalar_memory_test
}  // namespace heddle::emulator::testing
