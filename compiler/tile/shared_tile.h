// A tile of K or V, or of any operand of a matrix instruction, in shared memory. All threads of a
// thread block copy it there from global memory; then each warp reads its fragments from shared
// memory.
#pragma once

#include <vector>

#include "compiler/kernel/index_code.h"
#include "compiler/plan/attention_plan.h"
#include "compiler/tile/machine.h"
#include "compiler/tile/tile.h"
#include "compiler/warp/thread_code.h"

namespace heddle::compiler {

/// The lines (rows or columns) of a matrix in global memory. The elements of a line are contiguous,
/// and a tile consists of some of the lines.
struct Lines {
  mlir::Value pointer;      // !llvm.ptr<1>, of line 0
  AxisExtent lines;         // bytes; tiles after the first are only for lines without jumps
  mlir::Value first;        // i32: the first line of the first tile; null: 0
  std::int64_t length = 0;  // elements
  bool is_whole = false;    // the number of lines is a multiple of a tile's
};

class SharedTile {
 public:
  /// `shared` (!llvm.ptr<3>) is the shared memory of the thread block; `type` is the type of the
  /// elements. The referenced objects must outlive this object.
  SharedTile(ThreadCode& code, const GlobalContext& context, const Machine& machine,
             const plan::SharedOperand& plan, mlir::Value shared, mlir::Type type,
             const Lines& lines);

  /// first() is the address, in global memory, of the thread's first element in the first tile.
  /// next(tile) is the address of its first element in the following tile.
  mlir::Value first() const { return first_; }
  mlir::Value next(mlir::Value tile) const;
  /// Tile `number` (i32), from 0.
  mlir::Value tile(mlir::Value number) const;

  /// Begins the copies of the tile whose address is `tile`. Its first `left` lines (i32) are in
  /// bounds; the other lines are replaced by zeros. Copies that go through registers return their
  /// values; the caller must pass these to finish().
  std::vector<mlir::Value> begin(mlir::Value tile, mlir::Value left) const;
  /// Finishes the copies that begin() started; `copied` is what begin() returned. Up to `newer`
  /// groups of copies that were committed later may still be in flight. A barrier must follow
  /// before other threads read the tile.
  void finish(const std::vector<mlir::Value>& copied, int newer) const;
  /// The types of the values that `begin` returns.
  std::vector<mlir::Type> copied_types() const;

  /// Atoms along k of a tile that a warp has.
  std::uint64_t atoms() const { return plan_.loads.input_size("k_atom"); }
  /// The fragments of all atoms along the rows of a tile for atom `k_atom`. The other tiles that
  /// are copied together lie side by side.
  Pieces fragments(std::uint64_t k_atom, int tile = 0) const;

 private:
  struct Access {
    std::uint64_t step, first_register;
    int tile;  // and `tiles_at_once` - 1 more, of other warps
  };
  std::vector<Access> accesses() const;
  /// The line of an access, and the element in the line, relative to those of the thread's first
  /// access: constants that are added to the thread's coordinates.
  std::pair<std::int64_t, std::int64_t> place(const Access& access) const;
  /// The tile of an access less that of a thread among the first (i32); null: `access.tile`. Warps
  /// for which there is none left copy the last one again.
  mlir::Value first_tile(const Access& access) const;
  /// The place of the thread's first element in its line (i32).
  mlir::Value in_line(const Access& access) const;
  mlir::Value valid(const Access& access, mlir::Value left) const;
  bool fills_lines() const;
  mlir::Value source(const Access& access, mlir::Value tile) const;
  mlir::Value address(const SharedAddresses::Place& place, int tile = 0) const;
  mlir::Value target(const Access& access, std::uint64_t reg) const;
  void store(const Access& access, const std::vector<mlir::Value>& registers) const;
  void load_matrices(std::uint64_t k_atom, int tile, std::vector<mlir::Value>& words) const;
  void load_elements(std::uint64_t k_atom, int tile, std::vector<mlir::Value>& elements) const;
  int bytes() const { return static_cast<int>(type_.getIntOrFloatBitWidth()) / 8; }

  ThreadCode& code_;
  const GlobalContext& context_;
  const Machine& machine_;
  const plan::SharedOperand& plan_;
  mlir::Value shared_;
  mlir::Type type_;
  Lines lines_;
  SharedAddresses stores_, loads_;
  mlir::Value line_, in_line_;  // i32: of the thread's first element
  mlir::Value tile_;            // i32: among those copied at once; null: there is one
  mlir::Value first_;
};

}  // namespace heddle::compiler
