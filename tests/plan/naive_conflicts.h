// The passes of an access, counted from nothing but the definition: every instruction of every
// warp, every phase, every bank, in sets of words. Independent of plan/ and of memory/banks.h
// beside the phases themselves, which are data.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "heddle/layout/solve.h"
#include "heddle/memory/bank_model.h"
#include "heddle/plan/tile_access.h"

namespace heddle::plan::test {

struct NaivePasses {
  std::uint64_t passes = 0;
  std::uint64_t instructions = 0;
  /// Every vector is aligned, its elements are neighbours, and registers have the same place in the
  /// vectors of all lanes.
  bool is_contiguous = true;
};

/// Loads and stores of `elements` elements a lane. Registers and (for stores) warps that hold what
/// an earlier one holds are left out.
inline NaivePasses naive_passes(const memory::BankModel& model, const TileAccess& access,
                                int element_bits, const memory::SharedLayout& shared,
                                std::uint64_t elements) {
  using layout::LinearLayout;
  const LinearLayout& map = access.map;
  const LinearLayout offsets = layout::invert_and_compose(map, shared.map).value();
  const std::uint64_t lanes = map.input_size("lane");
  const std::uint64_t bytes = std::max<std::uint64_t>(1, elements * element_bits / 8);
  const auto at = [&](std::uint64_t warp, std::uint64_t reg, std::uint64_t lane) {
    layout::Coordinates point{{"lane", lane}};
    if (map.inputs().contains("warp")) point.push_back({"warp", warp});
    if (map.inputs().contains("register")) point.push_back({"register", reg});
    return offsets.apply(point)->at("offset");
  };
  NaivePasses total;
  std::set<std::set<std::uint64_t>> stored;  // what a warp holds in all
  for (std::uint64_t warp = 0; warp < map.input_size("warp"); ++warp) {
    std::set<std::vector<std::uint64_t>> done;  // registers, as the offsets of their lanes
    std::map<std::uint64_t, std::vector<std::vector<std::uint64_t>>> instructions;  // by lane 0
    std::set<std::uint64_t> held;
    for (std::uint64_t reg = 0; reg < map.input_size("register"); ++reg) {
      std::vector<std::uint64_t> of_lanes;
      for (std::uint64_t lane = 0; lane < lanes; ++lane) of_lanes.push_back(at(warp, reg, lane));
      held.insert(of_lanes.begin(), of_lanes.end());
      if (done.insert(of_lanes).second)
        instructions[of_lanes[0] / elements * elements].push_back(of_lanes);
    }
    if (is_store(access.move) && !stored.insert(held).second) continue;
    for (const auto& [start, registers] : instructions) {
      std::vector<std::uint64_t> address(lanes);
      std::vector<std::uint64_t> in_vector;  // the place of each register, of lane 0
      for (std::uint64_t lane = 0; lane < lanes; ++lane) {
        std::set<std::uint64_t> places;
        for (const auto& of_lanes : registers) places.insert(shared.place(of_lanes[lane]));
        total.is_contiguous &=
            places.size() == elements && *places.rbegin() - *places.begin() == elements - 1;
        for (std::size_t i = 0; i < registers.size(); ++i) {
          const std::uint64_t place = shared.place(registers[i][lane]) - *places.begin();
          if (lane == 0) in_vector.push_back(place);
          total.is_contiguous &= in_vector[i] == place;
        }
        address[lane] = *places.begin() * static_cast<std::uint64_t>(element_bits) / 8;
        total.is_contiguous &= address[lane] % bytes == 0;
      }
      bool merged = false;
      for (const std::uint64_t apart : {1u, 2u}) {
        bool agree = true;
        for (std::uint64_t lane = 0; lane < lanes; ++lane)
          agree &= address[lane] == address[lane ^ apart];
        merged |= agree && model.merges_pairs && !is_store(access.move) && bytes >= 8;
      }
      ++total.instructions;
      const memory::Phases& phases =
          model.phases(is_store(access.move) ? memory::AccessKind::store : memory::AccessKind::load,
                       static_cast<int>(merged ? bytes / 2 : bytes));
      for (int phase = 0; phase < phases.count; ++phase) {
        std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
        for (std::uint64_t lane = 0; lane < lanes; ++lane) {
          if ((phases.lanes[static_cast<std::size_t>(phase)] >> lane & 1) == 0) continue;
          for (std::uint64_t byte = 0; byte < bytes; ++byte) {
            const std::uint64_t word = (address[lane] + byte) / 4;
            words_of_bank[word % static_cast<std::uint64_t>(phases.banks)].insert(word);
          }
        }
        std::size_t passes = 0;
        for (const auto& [bank, words] : words_of_bank) passes = std::max(passes, words.size());
        total.passes += passes;
      }
    }
  }
  return total;
}

/// ldmatrix and stmatrix: every 32-bit register is an 8x8 matrix; lane l holds the elements
/// 2 * (l % 4) and the next of row l / 4 (for other types: as many as 32 bits hold), or,
/// transposed, of column l / 4. The instruction reads a row at a time: 16 bytes of shared memory.
inline NaivePasses naive_matrix_passes(const memory::BankModel& model, const TileAccess& access,
                                       int element_bits, const memory::SharedLayout& shared) {
  const layout::LinearLayout& map = access.map;
  const layout::LinearLayout offsets = layout::invert_and_compose(map, shared.map).value();
  const std::uint64_t packed = static_cast<std::uint64_t>(32 / element_bits);
  NaivePasses total;
  std::uint64_t matrices = 0;
  for (std::uint64_t warp = 0; warp < map.input_size("warp"); ++warp) {
    for (std::uint64_t reg = 0; reg < map.input_size("register"); reg += packed) {
      std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
      for (std::uint64_t row = 0; row < 8; ++row) {
        std::vector<std::uint64_t> places;
        for (std::uint64_t column = 0; column < 4 * packed; ++column) {
          const bool transposed = is_transposed(access.move);
          const std::uint64_t lane =
              transposed ? column * 4 + row / packed : row * 4 + column / packed;
          const std::uint64_t element = transposed ? row % packed : column % packed;
          layout::Coordinates point{{"lane", lane}, {"register", reg + element}};
          if (map.inputs().contains("warp")) point.push_back({"warp", warp});
          places.push_back(shared.place(offsets.apply(point)->at("offset")));
        }
        std::ranges::sort(places);
        total.is_contiguous &= places.back() - places.front() == places.size() - 1;
        const std::uint64_t address = places.front() * static_cast<std::uint64_t>(element_bits) / 8;
        total.is_contiguous &= address % 16 == 0;
        for (std::uint64_t word = address / 4; word < address / 4 + 4; ++word)
          words_of_bank[word % static_cast<std::uint64_t>(model.matrices.banks)].insert(word);
      }
      std::size_t passes = 0;
      for (const auto& [bank, words] : words_of_bank) passes = std::max(passes, words.size());
      total.passes += passes;
      ++matrices;
    }
  }
  total.instructions = (matrices + 3) / 4;
  return total;
}

}  // namespace heddle::plan::test
