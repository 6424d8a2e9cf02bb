// The promises of kernels/rdna/slab.h on the host: what is stored where, and that no access of a
// cell has a bank conflict on any target.
#include "kernels/rdna/slab.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "heddle/memory/banks.h"

namespace heddle::kernels::rdna {
namespace slab_test {

using instruction::Target;

std::vector<instruction::ProcessorRow> rdna_rows() {
  std::vector<instruction::ProcessorRow> rows;
  for (const instruction::ProcessorRow& row : instruction::target_rows)
    if (instruction::is_rdna(row.family)) rows.push_back(row);
  return rows;
}

int extra_passes(Target target, memory::AccessKind kind, auto&& piece_of_lane) {
  std::array<std::uint32_t, 32> addresses{};
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = piece_of_lane(lane) * piece_bytes;
  return memory::extra_passes(memory::bank_model(target, 32),
                              {.kind = kind, .bytes = piece_bytes, .address = addresses});
}

TEST(Slab, EveryLaneStagesAnotherPiece) {
  std::set<unsigned> places;
  for (unsigned lane = 0; lane < 32; ++lane) places.insert(StagedPiece(lane).place());
  EXPECT_EQ(places.size(), cell_pieces);
  EXPECT_EQ(*places.rbegin(), cell_pieces - 1);
}

TEST(Slab, StoresOfACellHaveNoConflict) {
  for (const instruction::ProcessorRow& target : rdna_rows())
    EXPECT_EQ(extra_passes(target.target, memory::AccessKind::store,
                           [](unsigned lane) { return StagedPiece(lane).place(); }),
              0)
        << target.name;
}

TEST(Slab, FragmentLoadsHaveNoConflict) {
  for (const instruction::ProcessorRow& target : rdna_rows()) {
    using Halves11 = device::FragmentA<device::half_t, instruction::Family::gfx11>;
    using Halves12 = device::FragmentA<device::half_t, instruction::Family::gfx12>;
    const bool is_11 = target.family == instruction::Family::gfx11;
    EXPECT_EQ(extra_passes(target.target, memory::AccessKind::load,
                           [&](unsigned lane) {
                             return is_11
                                        ? memory::place_index<cell>(Halves11::row(0, lane),
                                                                    Halves11::column(0, lane) / 8)
                                        : memory::place_index<cell>(Halves12::row(0, lane),
                                                                    Halves12::column(0, lane) / 8);
                           }),
              0)
        << target.name;
  }
}

// The staging order is chosen, not the only one: the lanes in the order of the cell's rows would
// collide in the crosswise phases of gfx11, which tells that the test can fail.
TEST(Slab, TheObviousStagingOrderCollides) {
  EXPECT_GT(
      extra_passes(Target::gfx1151, memory::AccessKind::store,
                   [](unsigned lane) { return memory::place_index<cell>(lane / 2, lane % 2); }),
      0);
}

template <int interleave>
void expect_rows_once() {
  std::set<unsigned> rows;
  for (unsigned tile = 0; tile < 2 * interleave; ++tile)
    for (unsigned row = 0; row < tile_rows; ++row) rows.insert(block_row<interleave>(tile, row));
  EXPECT_EQ(rows.size(), 2 * interleave * tile_rows);
  EXPECT_EQ(*rows.rbegin(), 2 * interleave * tile_rows - 1);
  for (unsigned tile = 0; tile + 1 < interleave; ++tile)
    EXPECT_EQ(block_row<interleave>(tile, 3) + 1, block_row<interleave>(tile + 1, 3));
}

TEST(Slab, TilesOfAGroupTakeRowsInTurn) {
  expect_rows_once<2>();
  expect_rows_once<4>();
}

}  // namespace slab_test
}  // namespace heddle::kernels::rdna
