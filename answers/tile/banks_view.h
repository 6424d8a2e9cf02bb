// The results of `heddle banks` before they are written as text: a tile in shared memory, an access
// to the tile, and which lanes collide in which bank.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "answers/tile/tile_options.h"
#include "heddle/memory/conflict_reason.h"
#include "heddle/memory/shared_layout.h"

namespace heddle::answers {

/// What the user wrote.
struct BanksArguments : TileOptions {
  std::vector<std::string> memories;  // layouts of the tile, each tried
  std::string access;                 // who holds it, in any form that layout_argument.h reads
  std::string with;    // ldmatrix and the like, or a load that transposes; empty: plain ones
  std::string active;  // a mask of lanes; empty: all
  bool store = false;
  int bytes = 0;  // bytes of each lane; 0: as many as possible
};

/// The access, and its processor.
struct AccessView {
  memory::BankModel model;
  memory::Move move;
  std::string name;  // as the user wrote it
  std::string type;
  layout::LinearLayout held;  // of a load that transposes, who reads what before the exchange
  std::string instruction;    // its name; empty of other moves
  std::uint64_t active = ~std::uint64_t{0};
};

/// One layout of the tile in shared memory, and what the access costs with this layout.
struct MemoryView {
  std::string name;  // as the user wrote it
  memory::SharedLayout shared;
  memory::IssuedAccesses issued;
  std::vector<memory::AccessReport> reports;  // in the order of the instructions
  std::vector<memory::ConflictReason> reasons;
  memory::Cost total;
  /// For a layout in several partitions (Triton's partitioned_shared): the number of partitions,
  /// and the bytes of one. In `shared` the partitions follow each other without gaps.
  int partitions = 1;
  std::uint64_t part_bytes = 0;
};

/// The numbers of the partitions in which the active lanes of an instruction access something,
/// ascending.
std::vector<std::uint64_t> partitions_of(const MemoryView& memory,
                                         const memory::IssuedAccess& access);

struct BanksView {
  AccessView access;
  std::vector<MemoryView> memories;
};

/// Finds the view that the arguments ask for. Error: a sentence about the mistake in the arguments.
std::expected<BanksView, std::string> banks_view(const BanksArguments& arguments);

/// A set of instructions that access memory in the same way, except for the addresses: the index of
/// the first of them, and how many there are.
struct AlikeAccesses {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Sorts the instructions of the access into such sets. Two instructions are in the same set if
/// their phases have the same lanes and passes. The sets are ordered by their first instructions.
std::vector<AlikeAccesses> alike(const MemoryView& memory);

/// "2 instructions of 16 bytes a lane", "1 ldmatrix.x4".
std::string instructions_text(const AccessView& access, const MemoryView& memory);

/// The numbers as ranges: "0-3 20-23".
std::string ranges_text(const std::vector<std::uint64_t>& numbers);

/// The lanes of a mask: the numbers of its bits that are set.
std::vector<std::uint64_t> lanes_of(std::uint64_t mask);

/// How far the phases of the instructions can be trusted.
memory::Evidence evidence(const AccessView& access, const MemoryView& memory);

}  // namespace heddle::answers
