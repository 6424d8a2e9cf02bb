// The rows of tcgen05.ld and tcgen05.st against what CuTe's copy traits say of every shape and
// count (tests/data/cutlass_tensor_memory.json), against Triton's bases, and against LLVM 22.
#include "heddle/instruction/tensor_memory_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "heddle/instruction/places.h"
#include "tests/data/golden.h"
#include "tests/instruction/cute_layout.h"

namespace heddle::instruction {
namespace tensor_memory_table_test {

using layout::LinearLayout;

/// Where bit `bit` of a lane's registers lies in tensor memory.
struct Cell {
  int lane, column, bit;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// By the map; the second piece of 16x32bx2 begins `half` columns behind the first.
Cell mapped(const Instruction& row, const LinearLayout& map, int lane, int bit, int half) {
  const auto position = static_cast<std::uint64_t>(bit / row.d.bits);
  const std::uint64_t per_lane = map.input_size("element") * map.input_size("register");
  const auto to =
      map.outputs().unpack(map.apply(position + static_cast<std::uint64_t>(lane) * per_lane));
  return {static_cast<int>(to.at("m")),
          static_cast<int>(to.at("n")) + half * static_cast<int>(to.at_or("block", 0)),
          bit % row.d.bits};
}

/// The row of a recorded load, SM100_TMEM_LOAD_16dp256b4x_16b; of 16dp32b the shape is 16x32bx2.
const Instruction* row_of(std::string_view cute, bool store) {
  const bool packs = cute.ends_with("_16b");
  cute.remove_prefix(std::string_view("SM100_TMEM_LOAD_").size());
  if (packs) cute.remove_suffix(std::string_view("_16b").size());
  const std::size_t dp = cute.find("dp"), b = cute.find('b');
  const std::string lanes(cute.substr(0, dp)), bits(cute.substr(dp + 2, b - dp - 2));
  const std::string times(cute.substr(b + 1, cute.size() - b - 2));
  const bool halves = lanes == "16" && bits == "32";
  const std::string name = std::string(store ? "tcgen05.st" : "tcgen05.ld") + ".sync.aligned." +
                           lanes + "x" + bits + "b" + (halves ? "x2" : "") + ".x" + times +
                           (!packs  ? ""
                            : store ? ".unpack::16b"
                                    : ".pack::16b") +
                           ".b32";
  return find(name, Target::sm_100);
}

TEST(TensorMoves, RowsAreCutesCopies) {
  // CuTe's logical column bits and lanes as one number each.
  constexpr int lane_step = 1 << 20;
  const llvm::json::Value golden = test::read_golden("cutlass_tensor_memory.json");
  std::set<const Instruction*> seen;
  for (const llvm::json::Value& value : *golden.getAsObject()->getArray("loads")) {
    const llvm::json::Object& load = *value.getAsObject();
    const std::string name = load.getString("name")->str();
    std::string val_id = load.getString("ValID")->str();
    val_id.replace(val_id.find("DP"), 2, std::to_string(lane_step));
    const test::CuteLayout address(val_id), held(load.getString("Dst")->str());
    for (const bool store : {false, true}) {
      SCOPED_TRACE(name + (store ? " as a store" : ""));
      const Instruction* row = row_of(name, store);
      ASSERT_NE(row, nullptr);
      const LinearLayout map = fragment(*row, Operand::d);
      ASSERT_EQ(held.size(1), 32 * row->d.registers);
      for (int lane = 0; lane < 32; ++lane)
        for (int bit = 0; bit < held.size(1); ++bit) {
          const int logical = held(lane, bit);
          const int at = address(logical % address.size(0), logical / address.size(0));
          const Cell cute{at / lane_step, at % lane_step / 32, at % lane_step % 32};
          ASSERT_EQ(mapped(*row, map, lane, bit, row->n), cute)
              << "lane " << lane << " bit " << bit;
        }
      seen.insert(row);
    }
  }
  EXPECT_EQ(seen.size(), tensor_move_instructions.size());
}

/// One tile of Triton's getTileLayout (triton-lang/triton, lib/Dialect/TritonNvidiaGPU/IR/
/// Dialect.cpp): bases of registers and lanes as (row, column). Further registers count columns on
/// from `columns`.
struct TritonTile {
  const char* shape;
  std::vector<std::pair<int, int>> registers, lanes;
  int columns;
};

TEST(TensorMoves, RowsAreTritonsTiles) {
  const std::vector<TritonTile> tiles{
      {"32x32b", {}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, 1},
      {"16x32bx2", {}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}}, 1},
      {"16x64b", {}, {{8, 0}, {0, 1}, {1, 0}, {2, 0}, {4, 0}}, 2},
      {"16x128b", {{8, 0}}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}, 4},
      {"16x256b", {{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, 8}};
  int compared = 0;
  for (const Instruction& row : tensor_move_instructions) {
    if (row.d.bits != 32) continue;
    for (const TritonTile& tile : tiles) {
      if (row.name.find("." + std::string(tile.shape) + ".") == std::string_view::npos) continue;
      SCOPED_TRACE(row.name);
      const LinearLayout map = fragment(row, Operand::d);
      const auto expect = [&](const char* axis, int bit, int m, int n) {
        const layout::AxisName name =
            *axis == 'r' ? layout::AxisName("register") : layout::AxisName("lane");
        EXPECT_EQ(map.basis(name, bit, "m"), static_cast<unsigned>(m)) << axis << bit;
        EXPECT_EQ(map.basis(name, bit, "n"), static_cast<unsigned>(n)) << axis << bit;
      };
      int column = tile.columns;
      for (int bit = 0; bit < map.inputs().bits_of("register"); ++bit) {
        const bool inside = bit < static_cast<int>(tile.registers.size());
        const auto [m, n] =
            inside ? tile.registers[static_cast<std::size_t>(bit)] : std::pair{0, column};
        expect("register", bit, m, n);
        if (!inside) column *= 2;
      }
      for (std::size_t bit = 0; bit < tile.lanes.size(); ++bit)
        expect("lane", static_cast<int>(bit), tile.lanes[bit].first, tile.lanes[bit].second);
      EXPECT_EQ(row.n, column);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 37 * 2);
}

// PTX ISA 9.0, "Various-combinations of .num and .shape", and the lanes and bits in the shapes.
TEST(TensorMoves, RegistersAndExtentsAreThoseOfTheDocument) {
  int count = 0;
  for (const Instruction& row : tensor_move_instructions) {
    const bool packs = row.d.bits == 16;
    EXPECT_EQ(row.m * row.n * row.blocks * row.d.bits, 32 * 32 * row.d.registers) << row.name;
    EXPECT_LE(row.d.registers, 128);
    const Places view = places(row, Operand::d);
    EXPECT_EQ(view.rows, row.m);
    EXPECT_EQ(view.cols, row.n);
    EXPECT_EQ(view.blocks, row.blocks);
    EXPECT_EQ(packs, row.name.find("pack::16b") != std::string_view::npos);
    ++count;
  }
  EXPECT_EQ(count, 4 * (8 + 8 + 7 + 6 + 8));
  EXPECT_EQ(find("tcgen05.ld.sync.aligned.16x256b.x64.b32", Target::sm_100), nullptr);
  EXPECT_EQ(find("tcgen05.ld.sync.aligned.16x128b.x64.b32", Target::sm_103)->d.registers, 128);
  EXPECT_EQ(find("tcgen05.ld.sync.aligned.16x128b.x4.b32", Target::sm_100)->d.registers, 8);
  EXPECT_EQ(find("tcgen05.ld.sync.aligned.32x32b.x1.b32", Target::sm_120), nullptr);
}

}  // namespace tensor_memory_table_test
}  // namespace heddle::instruction
