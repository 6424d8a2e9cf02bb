// What an NVIDIA GPU's shared memory takes for random accesses, by its own counters.
//
//   ncu --clock-control none --csv --log-file counters.csv --metrics METRICS record_banks run SET
//   record_banks table SET counters.csv > nvidia_banks.json
//
// `run` launches one kernel of one warp for each access, in a fixed order; `metrics` prints the
// counters to ask for; `table` joins the accesses, made again from the same seed, with the counters
// in the order of the launches. SET is `random`, or `pairs`: accesses whose lanes agree with a
// neighbour, but for some exceptions, which try the one rule that was fitted to the first set.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "probe/device.h"

namespace heddle::bench {
namespace {

using probe::Words;

/// What a warp does to shared memory once.
enum class Kind { load, store, matrix_load, matrix_store };

struct Access {
  Kind kind;
  int bytes;         // a lane, of matrix moves 16: a row
  int matrices = 0;  // 1, 2 or 4 of matrix moves
  bool transposed = false;
  std::uint32_t active = 0xffffffffu;
  std::array<std::uint32_t, 32> address{};  // byte offsets in shared memory
};

constexpr std::uint32_t shared_bytes = 32768;

/// Which accesses, how many, from which seed.
struct Set {
  std::string_view name;
  int accesses;
  std::uint64_t seed;
};
constexpr std::array sets{Set{"random", 3000, 20261121}, Set{"pairs", 1000, 20261122}};

constexpr std::string_view kind_names[] = {"load", "store", "ldmatrix", "stmatrix"};

/// Wavefronts: the passes that the data stage of the load-store unit makes for shared memory.
constexpr std::string_view metrics[] = {
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
};

class Generator {
 public:
  explicit Generator(const Set& set) : set_(set), random_(set.seed) {}

  std::vector<Access> all() {
    std::vector<Access> list;
    for (int i = 0; i < set_.accesses; ++i)
      list.push_back(set_.name == "pairs" ? next_pairs() : next());
    return list;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Access next() {
    Access access{};
    const std::uint32_t kind = below(8);
    access.kind = kind < 3    ? Kind::load
                  : kind < 6  ? Kind::store
                  : kind == 6 ? Kind::matrix_load
                              : Kind::matrix_store;
    const bool matrix = kind >= 6;
    access.bytes = matrix ? 16 : 1 << below(5);
    if (matrix) {
      access.matrices = 1 << below(3);
      access.transposed = below(2) == 1;
    } else {
      const std::uint32_t mask = below(4);
      if (mask == 1) access.active = static_cast<std::uint32_t>(random_());
      if (mask == 2) access.active = static_cast<std::uint32_t>(random_() & random_() & random_());
      if (mask == 3 && below(2) == 1) access.active = 0xffffu << below(2) * 16;
      if (access.active == 0) access.active = 1;
    }
    fill(access);
    return access;
  }

  void fill(Access& access) {
    const auto bytes = static_cast<std::uint32_t>(access.bytes);
    const std::uint32_t pattern = below(5);
    const std::uint32_t lanes_a_row = 1u << below(6);
    const std::uint32_t pitch = (1 + below(256)) * bytes;
    const std::uint32_t distinct = 1 + below(31);
    std::array<std::uint32_t, 5> bases{};
    for (std::uint32_t& base : bases) base = below(2048);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      std::uint32_t at = 0;
      switch (pattern) {
        case 0:  // rows of a tile at any pitch
          at = lane / lanes_a_row * pitch + lane % lanes_a_row * bytes;
          break;
        case 1:  // a linear map over GF(2): swizzles
          for (std::uint32_t bit = 0; bit < 5; ++bit)
            if ((lane >> bit & 1) != 0) at ^= bases[bit] * bytes;
          break;
        case 2:  // anything
          at = below(shared_bytes);
          break;
        case 3:  // few addresses, many lanes: broadcasts
          at = bases[(lane * distinct / 7) % 5] * bytes;
          break;
        default:  // few banks
          at = bases[lane % 5] * bytes + below(8) * 128;
          break;
      }
      access.address[lane] = at % shared_bytes / bytes * bytes;
    }
  }

  /// Mostly loads of 8 and 16 bytes in which every lane has the address of lane ^ 1, of lane ^ 2,
  /// of another, or of one of them by quads; in half of them a few lanes then do not, some of which
  /// are masked out.
  Access next_pairs() {
    Access access{};
    access.kind = below(6) == 0 ? Kind::store : Kind::load;
    access.bytes = below(8) == 0 ? 4 : 8 << below(2);
    const auto bytes = static_cast<std::uint32_t>(access.bytes);
    constexpr std::array<std::uint32_t, 7> neighbours{1, 1, 2, 2, 3, 4, 16};
    const std::uint32_t apart = neighbours[below(neighbours.size())];
    const bool by_quads = below(5) == 0;
    const std::uint32_t span = 1u << (2 + below(6));  // few places to many: conflicts to none
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const std::uint32_t step = by_quads ? 1 + lane / 4 % 2 : apart;
      const std::uint32_t other = lane ^ step;
      access.address[lane] = other < lane ? access.address[other] : below(span * 8) * bytes;
    }
    if (below(2) == 0) return access;
    for (std::uint32_t i = 1 + below(3); i > 0; --i) {
      const std::uint32_t lane = below(32);
      access.address[lane] = below(span * 8) * bytes;
      if (below(2) == 0) access.active &= ~(1u << (below(2) == 0 ? lane : lane ^ apart));
    }
    if (below(4) == 0) access.active &= static_cast<std::uint32_t>(random_());
    if (access.active == 0) access.active = 1;
    return access;
  }

  const Set& set_;
  std::mt19937_64 random_;
};

std::string instruction_of(const Access& access) {
  if (access.kind == Kind::load || access.kind == Kind::store) {
    const char* op = access.kind == Kind::load ? "ld" : "st";
    const std::string type = access.bytes == 1   ? "u8"
                             : access.bytes == 2 ? "u16"
                             : access.bytes == 4 ? "b32"
                             : access.bytes == 8 ? "v2.b32"
                                                 : "v4.b32";
    const std::string data = access.bytes <= 4   ? "%d0"
                             : access.bytes == 8 ? "{%d0, %d1}"
                                                 : "{%d0, %d1, %d2, %d3}";
    return access.kind == Kind::load
               ? fmt::format("@%active {}.shared.{} {}, [%at];", op, type, data)
               : fmt::format("@%active {}.shared.{} [%at], {};", op, type, data);
  }
  const std::string data = access.matrices == 1   ? "{%d0}"
                           : access.matrices == 2 ? "{%d0, %d1}"
                                                  : "{%d0, %d1, %d2, %d3}";
  const std::string name = fmt::format("{}.sync.aligned.m8n8.x{}{}.shared.b16",
                                       kind_names[static_cast<int>(access.kind)], access.matrices,
                                       access.transposed ? ".trans" : "");
  return access.kind == Kind::matrix_load ? fmt::format("{} {}, [%at];", name, data)
                                          : fmt::format("{} [%at], {};", name, data);
}

/// Tables: A holds the 32 addresses, B one word per lane, not 0 where the lane is active. Nothing
/// else touches shared memory.
std::string kernel(const Access& access) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".extern .shared .align 1024 .b8 shared[];\n.visible .entry probe(";
  constexpr int parameters = sizeof(probe::KernelParameters) / sizeof(std::uint64_t);
  for (int i = 0; i < parameters; ++i)
    text += fmt::format("{}.param .u64 p{}", i == 0 ? "" : ", ", i);
  text += R"()
{
  .reg .b32 %d<4>, %at, %base, %flag, %lane;
  .reg .b64 %table, %offset;
  .reg .pred %active;
  mov.u32 %lane, %tid.x;
  mul.wide.u32 %offset, %lane, 4;
  ld.param.u64 %table, [p0];
  add.u64 %table, %table, %offset;
  ld.global.b32 %at, [%table];
  ld.param.u64 %table, [p1];
  add.u64 %table, %table, %offset;
  ld.global.b32 %flag, [%table];
  setp.ne.u32 %active, %flag, 0;
  mov.u32 %base, shared;
  add.u32 %at, %at, %base;
  mov.u32 %d0, %lane;
  mov.u32 %d1, %flag;
  mov.u32 %d2, %lane;
  mov.u32 %d3, %flag;
  bar.warp.sync 0xffffffff;
)";
  text += "  " + instruction_of(access) + R"(
  ld.param.u64 %table, [p3];
  add.u64 %table, %table, %offset;
  xor.b32 %d0, %d0, %d1;
  xor.b32 %d2, %d2, %d3;
  xor.b32 %d0, %d0, %d2;
  st.global.b32 [%table], %d0;
  ret;
}
)";
  return text;
}

int run(const std::vector<Access>& list) {
  const auto device = probe::open_device();
  if (!device) {
    fmt::print(stderr, "{}\n", device.error());
    return 2;
  }
  for (const Access& access : list) {
    probe::Launch launch;
    launch.ptx = kernel(access);
    launch.a.assign(access.address.begin(), access.address.end());
    for (int lane = 0; lane < 32; ++lane) launch.b.push_back(access.active >> lane & 1u);
    launch.parameters.b_shared_bytes = shared_bytes;
    launch.out_words = 32;
    if (const auto out = (*device)->run(launch); !out) {
      fmt::print(stderr, "{}\n{}", out.error(), launch.ptx);
      return 1;
    }
  }
  return 0;
}

/// The cells of one line of ncu's CSV: all in quotes.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list;
  for (std::size_t at = line.find('"'); at != std::string::npos; at = line.find('"', at)) {
    const std::size_t end = line.find('"', at + 1);
    if (end == std::string::npos) break;
    list.push_back(line.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return list;
}

int table(const std::vector<Access>& list, const char* path) {
  std::ifstream file(path);
  std::map<std::string, std::size_t> column;
  std::map<std::size_t, std::map<std::string, std::string>> counters;  // by launch
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cell = cells(line);
    if (cell.empty()) continue;
    if (column.empty()) {
      for (std::size_t i = 0; i < cell.size(); ++i) column[cell[i]] = i;
      continue;
    }
    const std::size_t name = column["Metric Name"], value = column["Metric Value"];
    if (cell.size() <= std::max(name, value)) continue;
    counters[std::stoul(cell[column["ID"]])][cell[name]] = cell[value];
  }
  if (counters.size() != list.size()) {
    fmt::print(stderr, "{}: {} launches, wanted {}\n", path, counters.size(), list.size());
    return 1;
  }
  fmt::print("{{\"metrics\": [\"{}\"],\n\"accesses\": [\n", fmt::join(metrics, "\", \""));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Access& access = list[i];
    std::vector<std::string> values;
    for (const std::string_view metric : metrics) {
      std::string value = counters[i][std::string(metric)];
      std::erase(value, ',');
      values.push_back(value);
    }
    fmt::print(R"({{"kind": "{}", "bytes": {}, "matrices": {}, "transposed": {}, "active": {}, )"
               "\"address\": {}, \"counters\": [{}]}}{}\n",
               kind_names[static_cast<int>(access.kind)], access.bytes, access.matrices,
               access.transposed, access.active, access.address, fmt::join(values, ", "),
               i + 1 < list.size() ? "," : "");
  }
  fmt::print("]}}\n");
  return 0;
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  using namespace heddle::bench;
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "metrics" && argc == 2) {
    fmt::print("{}\n", fmt::join(metrics, ","));
    return 0;
  }
  for (const Set& set : sets) {
    if (argc < 3 || set.name != argv[2]) continue;
    const std::vector<Access> list = Generator(set).all();
    if (mode == "run" && argc == 3) return run(list);
    if (mode == "table" && argc == 4) return table(list, argv[3]);
  }
  fmt::print(stderr,
             "record_banks metrics | run SET | table SET COUNTERS.csv; SET: random or pairs\n");
  return 2;
}
