// Finds lanes of one warp that use each other's data in shared memory without a barrier in between.
// Only barriers order the accesses of two lanes, whichever instruction comes first in the program:
// `bar.warp.sync` orders memory among its lanes (PTX ISA 9.0, "bar.warp.sync"), and so do barriers
// of the block or cluster and mbarriers. `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync` and
// the matrix instructions make lanes wait for each other, but do not order memory (CUDA C++
// Programming Guide, "Warp Vote Functions").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/ptx/machine.h"

namespace heddle::emulator::ptx {

class LaneOrder {
 public:
  explicit LaneOrder(const Cluster& cluster);
  void begin();

  // An earlier access by another lane of the warp that conflicts with the current one.
  struct Conflict {
    uint32_t site;
    unsigned lane;
    bool writes;
  };
  struct Access {
    const Warp& warp;
    unsigned lane;
    const Block& block;
    uint32_t offset, bytes, site;
    bool writes, is_strong;
    bool is_kept = true;  // later accesses are compared with it
  };
  // Begins the next instruction. Accesses of the same instruction do not conflict with each other.
  void next_instruction() { ++now_; }
  std::optional<Conflict> access(const Access& access);

  // Orders the earlier accesses of each of these lanes before the later accesses of each of them.
  void synchronise(const Warp& w, uint32_t lanes);
  // read_strongly(): the warp has read data that another thread may have released. A fence() after
  // such a read orders the earlier accesses of all lanes of the warp before the later ones.
  void read_strongly(const Warp& w) { of(w).has_read_strongly = true; }
  void fence(const Warp& w) {
    if (of(w).has_read_strongly) synchronise(w, ~uint32_t{0});
    of(w).has_read_strongly = false;
  }

 private:
  static constexpr uint32_t nobody = 0xff;
  // One word of shared memory.
  struct Cell {
    uint16_t writer = 0, reader = 0;  // 1 + the number of the warp in the cluster
    uint32_t lanes = ~uint32_t{0};    // that wrote each byte
    uint32_t written = 0, read = 0;   // when
    uint32_t write_site = 0, read_site = 0;
    std::array<uint32_t, 4> readers{};  // masks of lanes, of each byte
    bool is_strongly_written = false, is_strongly_read = false;
  };
  struct Order {
    uint32_t all = 0;  // every lane knows what came before
    bool is_partial = false;
    bool has_read_strongly = false;
    std::array<std::array<uint32_t, 32>, 32> known{};  // by lane, of lane; where it is partial
  };

  uint32_t number_of(const Warp& w) const {
    return static_cast<uint32_t>(w.block->rank * w.block->warps.size() + w.number);
  }
  Order& of(const Warp& w) { return orders_[number_of(w)]; }
  std::optional<Conflict> write_conflict(const Cell& cell, const Order& order, const Access& access,
                                         uint32_t bytes) const;
  std::optional<Conflict> read_conflict(const Cell& cell, const Order& order, const Access& access,
                                        uint32_t bytes) const;
  void keep(Cell& cell, const Order& order, const Access& access, uint32_t bytes) const;

  uint32_t now_ = 1;
  std::vector<std::vector<Cell>> cells_;  // of each block
  std::vector<Order> orders_;             // of each warp
};

}  // namespace heddle::emulator::ptx
