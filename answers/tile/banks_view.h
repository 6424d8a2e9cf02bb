// The results of `heddle banks`, before they are written: a tile in shared memory, an access to it,
// and which lanes collide where.
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

/// One layout of the tile, and the cost of the access there.
struct MemoryView {
  std::string name;  // as the user wrote it
  memory::SharedLayout shared;
  memory::IssuedAccesses issued;
  std::vector<memory::AccessReport> reports;  // in the order of the instructions
  std::vector<memory::ConflictReason> reasons;
  memory::Cost total;
  /// For a layout in several partitions (Triton's partitioned_shared): their number, and the bytes
  /// of one. In `shared` they are contiguous.
  int partitions = 1;
  std::uint64_t part_bytes = 0;
};

/// The partitions that the active lanes of an instruction reach, ascending.
std::vector<std::uint64_t> partitions_of(const MemoryView& memory,
                                         const memory::IssuedAccess& access);

struct BanksView {
  AccessView access;
  std::vector<MemoryView> memories;
};

/// The view of the arguments, or a sentence about the mistake in them.
std::expected<BanksView, std::string> banks_view(const BanksArguments& arguments);

/// Instructions that differ only in their addresses: the first of them, and their number.
struct AlikeAccesses {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// Groups of instructions whose phases have the same lanes and passes, in the order of their first
/// instructions.
std::vector<AlikeAccesses> alike(const MemoryView& memory);

/// "2 instructions of 16 bytes a lane", "1 ldmatrix.x4".
std::string instructions_text(const AccessView& access, const MemoryView& memory);

/// The numbers as ranges: "0-3 20-23".
std::string ranges_text(const std::vector<std::uint64_t>& numbers);

/// The numbers of the bits that are set.
std::vector<std::uint64_t> lanes_of(std::uint64_t mask);

/// How far the phases of the instructions can be trusted.
memory::Evidence evidence(const AccessView& access, const MemoryView& memory);

}  // namespace heddle::answers
