#include "emulator/ptx/lane_order.h"

#include <algorithm>
#include <bit>

#include "emulator/ptx/dispatch.h"

namespace heddle::emulator::ptx {
namespace {

constexpr uint32_t each_byte = 0x01010101;

// Expands a mask of four bytes to 32 bits: 0xff in each byte whose bit is set.
constexpr uint32_t spread(uint32_t bytes) {
  return ((bytes & 1) | (bytes & 2) << 7 | (bytes & 4) << 14 | (bytes & 8) << 21) * 0xff;
}

}  // namespace

LaneOrder::LaneOrder(const Cluster& cluster) {
  for (const Block& block : cluster.blocks) {
    cells_.emplace_back((cluster.dispatch->shared_end() + 3) / 4);
    orders_.resize(orders_.size() + block.warps.size());
  }
}

// The cells still record accesses of the previous cluster. From now on these accesses count as
// ordered before all accesses of every lane.
void LaneOrder::begin() {
  if (now_ > uint32_t{1} << 31) {
    for (auto& cells : cells_) std::ranges::fill(cells, Cell{});
    now_ = 1;
  }
  ++now_;
  for (Order& order : orders_) {
    order.all = now_;
    order.is_partial = order.has_read_strongly = false;
  }
}

void LaneOrder::synchronise(const Warp& w, uint32_t lanes) {
  Order& order = of(w);
  ++now_;
  if ((w.alive & ~lanes) == 0) {
    order.all = now_;
    order.is_partial = false;
    return;
  }
  if (!order.is_partial)
    for (auto& known : order.known) known.fill(order.all);
  order.is_partial = true;
  std::array<uint32_t, 32> joined{};
  for_lanes(lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < 32; ++i) joined[i] = std::max(joined[i], order.known[lane][i]);
  });
  for_lanes(lanes, [&](unsigned lane) { joined[lane] = now_; });
  for_lanes(lanes, [&](unsigned lane) { order.known[lane] = joined; });
}

std::optional<LaneOrder::Conflict> LaneOrder::write_conflict(const Cell& cell, const Order& order,
                                                             const Access& access,
                                                             uint32_t bytes) const {
  if (cell.writer != number_of(access.warp) + 1 || cell.written < order.all ||
      cell.written == now_ || (cell.is_strongly_written && access.is_strong))
    return {};
  const uint32_t wanted = spread(bytes);
  if (((cell.lanes ^ access.lane * each_byte) & wanted) == 0) return {};
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t lane = cell.lanes >> (8 * i) & 0xff;
    if ((bytes >> i & 1) == 0 || lane == nobody || lane == access.lane) continue;
    // A cell keeps only the time of the last write to any of its four bytes. If only some lanes of
    // the warp have synchronised, this time says nothing about bytes that other lanes wrote.
    if (order.is_partial &&
        (cell.written < order.known[access.lane][lane] || cell.lanes != lane * each_byte))
      continue;
    return Conflict{cell.write_site, lane, true};
  }
  return {};
}

std::optional<LaneOrder::Conflict> LaneOrder::read_conflict(const Cell& cell, const Order& order,
                                                            const Access& access,
                                                            uint32_t bytes) const {
  if (cell.reader != number_of(access.warp) + 1 || cell.read < order.all || cell.read == now_ ||
      order.is_partial || (cell.is_strongly_read && access.is_strong))
    return {};
  for (unsigned i = 0; i < 4; ++i) {
    const uint32_t others = cell.readers[i] & ~(1u << access.lane);
    if ((bytes >> i & 1) != 0 && others != 0)
      return Conflict{cell.read_site, static_cast<unsigned>(std::countr_zero(others)), false};
  }
  return {};
}

void LaneOrder::keep(Cell& cell, const Order& order, const Access& access, uint32_t bytes) const {
  const auto self = static_cast<uint16_t>(number_of(access.warp) + 1);
  if (access.writes) {
    if (cell.writer != self || cell.written < order.all) cell.lanes = ~uint32_t{0};
    const uint32_t mask = spread(bytes);
    cell.lanes = (cell.lanes & ~mask) | (access.lane * each_byte & mask);
    cell.writer = self;
    cell.written = now_;
    cell.write_site = access.site;
    cell.is_strongly_written = access.is_strong;
    return;
  }
  if (cell.reader != self || cell.read < order.all) {
    cell.readers = {};
    cell.is_strongly_read = true;
  }
  for (unsigned i = 0; i < 4; ++i)
    if ((bytes >> i & 1) != 0) cell.readers[i] |= 1u << access.lane;
  cell.reader = self;
  cell.read = now_;
  cell.read_site = access.site;
  cell.is_strongly_read &= access.is_strong;
}

std::optional<LaneOrder::Conflict> LaneOrder::access(const Access& access) {
  std::vector<Cell>& cells = cells_[access.block.rank];
  const Order& order = of(access.warp);
  std::optional<Conflict> found;
  const uint32_t end = access.offset + access.bytes;
  for (uint32_t at = access.offset; at < end; at = (at | 3) + 1) {
    if (at / 4 >= cells.size()) break;
    Cell& cell = cells[at / 4];
    const uint32_t last = std::min(end - (at & ~3u), 4u);
    const uint32_t bytes = ((1u << last) - 1) & ~((1u << at % 4) - 1);
    if (!found) found = write_conflict(cell, order, access, bytes);
    if (!found && access.writes) found = read_conflict(cell, order, access, bytes);
    if (access.is_kept) keep(cell, order, access, bytes);
  }
  return found;
}

}  // namespace heddle::emulator::ptx
