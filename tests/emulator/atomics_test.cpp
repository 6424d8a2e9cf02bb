// Every atomic in every space it has, one lane per place: what it returns and what it leaves
// behind, against the same operation written here on the host's numbers.
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace atomics_test {

using Operation = std::function<uint64_t(uint64_t old, uint64_t data, uint64_t second)>;

enum class Second { none, compare, mask };  // a second operand, and what it is

struct Atomic {
  std::string global;  // "add_u32": global_atomic_add_u32; empty: LDS only
  std::string lds;     // "add", "u32": ds_add_u32 and ds_add_rtn_u32
  std::string type;
  int bits;
  Second second;
  Operation apply;
  bool is_float = false;
  std::string only = {};  // "gfx11", "gfx12"
};

template <class T>
T as(uint64_t x) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(x);
  else
    return std::bit_cast<T>(static_cast<uint32_t>(x));
}
template <class T>
uint64_t bits_of(T x) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<uint64_t>(x);
  else
    return std::bit_cast<uint32_t>(x);
}

template <class T>
Operation on(T (*f)(T old, T data, T second)) {
  return [f](uint64_t old, uint64_t data, uint64_t second) {
    return bits_of(f(as<T>(old), as<T>(data), as<T>(second)));
  };
}

template <class T, class S>
std::vector<Atomic> integers(const std::string& width) {
  const int bits = sizeof(T) * 8;
  const std::string u = "u" + width, i = "i" + width, b = "b" + width;
  const auto row = [&](std::string name, std::string type, T (*f)(T, T, T)) {
    return Atomic{name + "_" + type, name, type, bits, Second::none, on<T>(f)};
  };
  std::vector<Atomic> all = {
      row("add", u, [](T o, T d, T) { return static_cast<T>(o + d); }),
      row("sub", u, [](T o, T d, T) { return static_cast<T>(o - d); }),
      row("min", u, [](T o, T d, T) { return std::min(o, d); }),
      row("max", u, [](T o, T d, T) { return std::max(o, d); }),
      row("min", i,
          [](T o, T d, T) {
            return static_cast<T>(std::min(static_cast<S>(o), static_cast<S>(d)));
          }),
      row("max", i,
          [](T o, T d, T) {
            return static_cast<T>(std::max(static_cast<S>(o), static_cast<S>(d)));
          }),
      row("and", b, [](T o, T d, T) { return o & d; }),
      row("or", b, [](T o, T d, T) { return o | d; }),
      row("xor", b, [](T o, T d, T) { return o ^ d; }),
      row("inc", u, [](T o, T d, T) { return o >= d ? T{0} : static_cast<T>(o + 1); }),
      row("dec", u, [](T o, T d, T) { return o == 0 || o > d ? d : static_cast<T>(o - 1); }),
  };
  all.push_back(
      {"swap_" + b, "storexchg_rtn", b, bits, Second::none, on<T>([](T, T d, T) { return d; })});
  all.push_back({"cmpswap_" + b, "cmpstore", b, bits, Second::compare,
                 on<T>([](T o, T d, T c) { return o == c ? d : o; })});
  all.push_back({"", "rsub", u, bits, Second::none,
                 on<T>([](T o, T d, T) { return static_cast<T>(d - o); })});
  all.push_back({"", "mskor", b, bits, Second::mask,
                 on<T>([](T o, T d, T s) { return static_cast<T>((o & ~d) | s); })});
  return all;
}

template <class T, class Bits>
std::vector<Atomic> floats(const std::string& type) {
  const int bits = sizeof(T) * 8;
  std::vector<Atomic> all;
  for (const auto& [suffix, only] : {std::pair{"", "gfx11"}, {"_num", "gfx12"}}) {
    const auto row = [&](std::string name, T (*f)(T, T, T)) {
      name += suffix;
      all.push_back({bits == 32 ? name + "_" + type : "", name, type, bits, Second::none, on<T>(f),
                     true, only});
    };
    row("min", [](T o, T d, T) { return std::fmin(o, d); });
    row("max", [](T o, T d, T) { return std::fmax(o, d); });
  }
  all.push_back({bits == 32 ? "cmpswap_" + type : "", "cmpstore", type, bits, Second::compare,
                 on<T>([](T o, T d, T c) { return o == c ? d : o; }), true, "gfx11"});
  return all;
}

template <class Half>
uint64_t sum_of_halves(uint64_t a, uint64_t b, uint16_t (*narrow)(float), float (*wide)(uint16_t)) {
  const auto add = [&](int shift) {
    return uint64_t{narrow(wide(static_cast<uint16_t>(a >> shift)) +
                           wide(static_cast<uint16_t>(b >> shift)))}
           << shift;
  };
  return add(0) | add(16);
}
uint64_t sum_f16(uint64_t a, uint64_t b, uint64_t) {
  return sum_of_halves<_Float16>(
      a, b, [](float x) { return std::bit_cast<uint16_t>(static_cast<_Float16>(x)); },
      [](uint16_t x) { return static_cast<float>(std::bit_cast<_Float16>(x)); });
}
uint64_t sum_bf16(uint64_t a, uint64_t b, uint64_t) {
  return sum_of_halves<uint16_t>(
      a, b,
      [](float x) {
        // The nearer of the two neighbours, of equal ones the even.
        const auto low = static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16);
        const auto value = [](uint16_t b) {
          return double{std::bit_cast<float>(uint32_t{b} << 16)};
        };
        const double below = std::abs(x - value(low)), above = std::abs(value(low + 1) - x);
        return static_cast<uint16_t>(below < above || (below == above && low % 2 == 0) ? low
                                                                                       : low + 1);
      },
      [](uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); });
}

std::vector<Atomic> all_atomics() {
  std::vector<Atomic> all = integers<uint32_t, int32_t>("32");
  for (const auto& more : {integers<uint64_t, int64_t>("64"), floats<float, uint32_t>("f32"),
                           floats<double, uint64_t>("f64")})
    all.insert(all.end(), more.begin(), more.end());
  using u = uint32_t;
  all.push_back({"add_f32", "add", "f32", 32, Second::none,
                 on<float>([](float o, float d, float) { return o + d; }), true});
  all.push_back({"csub_u32", "", "", 32, Second::none,
                 on<u>([](u o, u d, u) { return o < d ? 0 : o - d; }), false, "gfx11"});
  all.push_back({"sub_clamp_u32", "sub_clamp", "u32", 32, Second::none,
                 on<u>([](u o, u d, u) { return o < d ? 0 : o - d; }), false, "gfx12"});
  all.push_back({"cond_sub_u32", "cond_sub", "u32", 32, Second::none,
                 on<u>([](u o, u d, u) { return o < d ? o : o - d; }), false, "gfx12"});
  all.push_back({"pk_add_f16", "pk_add", "f16", 32, Second::none, sum_f16, true, "gfx12"});
  all.push_back({"pk_add_bf16", "pk_add", "bf16", 32, Second::none, sum_bf16, true, "gfx12"});
  all.push_back({"", "wrap_rtn", "b32", 32, Second::mask,
                 on<u>([](u o, u d, u s) { return o >= d ? o - d : o + s; }), false, "gfx11"});
  all.push_back({"", "condxchg32_rtn", "b64", 64, Second::none,
                 [](uint64_t o, uint64_t d, uint64_t) {
                   for (int i = 0; i < 64; i += 32)
                     if (d >> (i + 31) & 1)
                       o = (o & ~(uint64_t{0xffffffff} << i)) | (d & uint64_t{0x7fffffff} << i);
                   return o;
                 },
                 false});
  return all;
}

struct Lane {
  uint64_t old, data, second;
};

class Atomics : public ::testing::TestWithParam<std::string> {
 protected:
  bool gfx12() const { return GetParam() == "gfx1201"; }
  bool has(const Atomic& a) const { return a.only.empty() || (a.only == "gfx12") == gfx12(); }

  std::vector<Lane> random_lanes(const Atomic& a) const {
    Random random(a.bits + a.global.size());
    std::vector<Lane> lanes(32);
    const auto number = [&]() -> uint64_t {
      if (!a.is_float) return random.bits() | uint64_t{random.bits()} << 32;
      if (a.bits == 64) return std::bit_cast<uint64_t>(double{random.uniform()});
      const uint32_t x = std::bit_cast<uint32_t>(random.uniform());
      if (a.type == "f16")
        return std::bit_cast<uint16_t>(static_cast<_Float16>(random.uniform())) |
               uint32_t{std::bit_cast<uint16_t>(static_cast<_Float16>(random.uniform()))} << 16;
      return x;
    };
    for (Lane& lane : lanes) {
      lane = {number(), number(), number()};
      if (a.second == Second::compare && random.bits() % 2) lane.second = lane.old;
    }
    return lanes;
  }

  // `text` works on v[1:2] (data), v[3:4] (second) or, of a global compare-and-swap, as it needs
  // them, at lane * 8 of s[4:5] or of LDS; the old value goes to v[10:11].
  void add(const Atomic& a, const std::string& text, bool in_lds, bool returns) {
    pending_.push_back({a, text, in_lds, returns});
    kernels_.push_back({.name = "atomic_" + std::to_string(kernels_.size()),
                        .body = body_of(text, in_lds),
                        .arguments = 2,
                        .lds_bytes = 256});
  }

  // One code object for all: assembling takes longer than running.
  void check_all() {
    const CodeObject object = assemble(kernel_text(kernels_, GetParam()), GetParam());
    ASSERT_TRUE(object.unknown_instructions().empty()) << object.unknown_instructions()[0];
    for (std::size_t i = 0; i < pending_.size(); ++i) check(object, kernels_[i].name, pending_[i]);
  }

  std::string body_of(const std::string& text, bool in_lds) const {
    const std::string wait = gfx12() ? "s_wait_loadcnt 0x0\ns_wait_dscnt 0x0\ns_wait_kmcnt 0x0\n"
                                     : "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
    std::string body = "s_load_b128 s[4:7], s[0:1], 0x0\n" + wait +
                       "v_lshlrev_b32 v8, 4, v0\nv_lshlrev_b32 v9, 3, v0\n"
                       "global_load_b128 v[1:4], v8, s[6:7]\n"
                       "global_load_b64 v[12:13], v9, s[4:5]\n"
                       "v_mov_b32 v10, 0\nv_mov_b32 v11, 0\n" +
                       wait +
                       "v_add_co_u32 v20, vcc_lo, s4, v9\n"
                       "v_add_co_ci_u32_e64 v21, vcc_lo, s5, 0, vcc_lo\n"
                       "s_mov_b32 s8, s4\ns_and_b32 s9, s5, 0xffff\ns_mov_b32 s10, 0x100\n"
                       "s_mov_b32 s11, 0x31000000\ns_mov_b32 s12, 0\n";
    if (in_lds) body += "ds_store_b64 v9, v[12:13]\n" + wait;
    body += text + "\n" + wait;
    if (in_lds)
      body += "ds_load_b64 v[12:13], v9\n" + wait + "global_store_b64 v9, v[12:13], s[4:5]\n";
    body += "global_store_b64 v8, v[10:11], s[6:7]\ns_endpgm";
    return body;
  }

  struct Pending {
    Atomic atomic;
    std::string text;
    bool in_lds, returns;
  };

  void check(const CodeObject& object, const std::string& kernel, const Pending& pending) {
    const auto& [a, text, in_lds, returns] = pending;
    const std::vector<Lane> lanes = random_lanes(a);
    const uint64_t mask = a.bits == 32 ? 0xffffffffu : ~uint64_t{0};
    std::vector<uint64_t> memory(32), data(64);
    for (std::size_t l = 0; l < 32; ++l) {
      memory[l] = lanes[l].old;
      data[2 * l] = lanes[l].data;
      data[2 * l + 1] = lanes[l].second;
      // A global compare-and-swap has its operands in consecutive registers.
      if (!in_lds && a.second == Second::compare && a.bits == 32)
        data[2 * l] = (lanes[l].data & mask) | lanes[l].second << 32;
    }
    Launch launch;
    launch.kernel = kernel;
    launch.arguments = {buffer(std::span(memory), "memory"), buffer(std::span(data), "data")};
    const auto report = run(object, launch);
    ASSERT_TRUE(report) << text << "\n" << report.error().text();
    for (std::size_t l = 0; l < 32; ++l) {
      const Lane& lane = lanes[l];
      const uint64_t expected =
          a.apply(lane.old & mask, lane.data & mask, lane.second & mask) | (lane.old & ~mask);
      ASSERT_EQ(memory[l], expected)
          << GetParam() << " " << text << "\nlane " << l << std::hex << " old " << lane.old
          << " data " << lane.data << " second " << lane.second;
      ASSERT_EQ(data[2 * l] & mask, returns ? lane.old & mask : 0) << text << "\nlane " << l;
    }
  }

  std::vector<Pending> pending_;
  std::vector<AssemblyKernel> kernels_;
};

TEST_P(Atomics, GlobalFlatAndBuffer) {
  for (const Atomic& a : all_atomics()) {
    if (!has(a) || a.global.empty()) continue;
    const std::string data = a.second == Second::compare ? (a.bits == 64 ? "v[1:4]" : "v[1:2]")
                             : a.bits == 64              ? "v[1:2]"
                                                         : "v1";
    const std::string result = a.bits == 64 ? "v[10:11]" : "v10";
    const std::string returning = gfx12() ? " th:TH_ATOMIC_RETURN" : " glc";
    add(a, "global_atomic_" + a.global + " " + result + ", v9, " + data + ", s[4:5]" + returning,
        false, true);
    if (a.global != "csub_u32")  // returns always
      add(a, "global_atomic_" + a.global + " v9, " + data + ", s[4:5]", false, false);
    if (a.global != "csub_u32" && !(a.global.starts_with("pk") && !gfx12()))
      add(a, "flat_atomic_" + a.global + " " + result + ", v[20:21], " + data + returning, false,
          true);
    // A buffer's result takes the place of its data.
    add(a,
        "buffer_atomic_" + a.global + " " + data + ", v9, s[8:11], s12 offen" + returning + "\n" +
            (gfx12() ? "s_wait_loadcnt 0x0" : "s_waitcnt vmcnt(0)") +
            "\nv_mov_b32 v10, v1\nv_mov_b32 v11, v2",
        false, true);
  }
  EXPECT_GT(pending_.size(), 100u);
  check_all();
}

TEST_P(Atomics, Lds) {
  for (const Atomic& a : all_atomics()) {
    if (!has(a) || a.lds.empty()) continue;
    const bool wide = a.bits == 64;
    const std::string first = wide ? "v[1:2]" : "v1", second = wide ? "v[3:4]" : "v3",
                      result = wide ? "v[10:11]" : "v10";
    const std::string operands = a.second == Second::none ? first : first + ", " + second;
    const bool returns_by_name = a.lds.ends_with("_rtn");
    add(a,
        "ds_" + a.lds + (returns_by_name ? "_" : "_rtn_") + a.type + " " + result + ", v9, " +
            operands,
        true, true);
    if (!returns_by_name) add(a, "ds_" + a.lds + "_" + a.type + " v9, " + operands, true, false);
  }
  EXPECT_GT(pending_.size(), 50u);
  check_all();
}

INSTANTIATE_TEST_SUITE_P(Targets, Atomics, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace atomics_test
}  // namespace heddle::emulator::testing
