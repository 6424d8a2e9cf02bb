// One loop over the tiles of a tensor, while whole_tiles.h removes it: the loop's body, applied
// once to the whole tensor, replaces the loop. A "whole" is the tensor of which a value in the body
// is a tile.
#pragma once

#include <optional>
#include <vector>

#include "compiler/reader/size_polynomial.h"
#include "compiler/reader/values.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace heddle::compiler {

class WholeLoop {
 public:
  explicit WholeLoop(mlir::LoopLikeOpInterface loop)
      : loop_(loop), builder_(loop), carried_(loop.getInits().size()) {}

  // Nothing has changed if this returns false.
  bool replace();

 private:
  static constexpr int no_counter = -1;

  // One counter of a loop. It moves a tile: the tile begins at `offset`, the next tile begins
  // `step` further on, and the last one ends at `end`.
  struct Counter {
    SizePolynomial offset, step, end;
  };

  // A dimension of the whole tensor, as seen by one of its tiles.
  struct Dimension {
    int counter = no_counter;    // that moves the tile along it
    bool is_dropped = false;     // the tile does not have the dimension; it is 1 long there
    SizePolynomial length = {};  // that the text gives it
    // True if the whole tensor is only assumed to have this length. The assumption is accepted if
    // an operation also reads an operand that is known to have this length.
    bool is_assumed = false;
    friend bool operator==(const Dimension& x, const Dimension& y) {
      return x.counter == y.counter && x.is_dropped == y.is_dropped;
    }
  };

  // Describes what replaces a value of the loop's body, if the value depends on a counter.
  struct Tiled {
    enum class Kind {
      tile,     // a part of `whole` that moves with the counters
      carried,  // what the loop carries, as it is after the writes so far
      part,     // a part of what the loop carries that is the same in all steps
      sum       // that part, after the step of a sum
    };
    Kind kind = Kind::tile;
    mlir::Value whole;
    std::vector<Dimension> dimensions;   // of a tile
    unsigned argument = 0;               // of the loop, else
    mlir::tensor::ExtractSliceOp slice;  // that made the part; null: it is all that is carried
  };

  // How a loop uses a value that it carries: either each step writes another tile of the value, so
  // that each element is written once, or every step adds to the same part of the value.
  struct Carried {
    std::vector<Dimension> dimensions;  // along which tiles of it lie; empty: none was used
    int sums = 0;
  };

  // Operations are made before the loop.
  template <class Made, class... Arguments>
  Made make(Arguments&&... arguments) {
    auto made = Made::create(builder_, loop_.getLoc(), std::forward<Arguments>(arguments)...);
    made_.push_back(made);
    return made;
  }
  mlir::Value cast(mlir::Value value, mlir::RankedTensorType type) {
    return value.getType() == type ? value : make<mlir::tensor::CastOp>(type, value).getResult();
  }

  bool is_for() { return mlir::isa<mlir::scf::ForOp>(loop_.getOperation()); }

  bool read_counters();

  bool read_body();

  bool depends(mlir::Operation& operation) const {
    return llvm::any_of(sources(operation), [&](mlir::Value v) { return depends_.contains(v); });
  }

  bool read(mlir::Operation& operation);

  // True if `size` is the size of the tiles of counter `of`: the step, or what is left until the
  // end if that is less. A constant step that does not divide a constant end is no tile size, since
  // the last tile would extend beyond the end.
  bool is_tile_size(mlir::OpFoldResult size, int of);

  // `dim` returns the size of a dimension of a tile. Returns the counter that moves the tile along
  // this dimension, so whose tiles have this size.
  int tile_of_size(mlir::tensor::DimOp dim) const;

  // True if the tiles of a counter, which end at `end`, cover a dimension whose length is `length`.
  // If `end` is a dynamic size of a tensor, and `length` is a constant or such a size too, they are
  // assumed to be equal to each other; see whole_tiles.h.
  bool covers(const SizePolynomial& end, const SizePolynomial& length) const;
  bool is_dynamic_size(const SizePolynomial& number) const {
    const SizeAtom* size = sizes_.only_atom(number);
    return size != nullptr && size->dim >= 0;
  }

  // A number of the loop's body that is the same in all steps, as a value that is defined outside
  // of the loop. Null if no such value is found.
  std::optional<mlir::OpFoldResult> outside(mlir::OpFoldResult number);
  std::optional<mlir::OpFoldResult> made_size(const SizePolynomial& size);
  mlir::OpFoldResult length(mlir::Value tensor, std::int64_t dim);

  // Describes a slice that a step takes of a tensor, as a part of the whole tensor: the dimensions
  // along which counters move the slice, and the larger slice that contains the slices of all
  // steps. If this larger slice is the whole tensor, `offsets` is empty.
  struct Place {
    std::vector<Dimension> dimensions;  // of the slice of the whole
    std::vector<int> numbers;           // of these in the whole
    llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
    llvm::SmallVector<std::int64_t> shape;  // of the slice of the whole
    bool moves = false;
  };
  std::optional<Place> place_of(mlir::OffsetSizeAndStrideOpInterface slice, mlir::Value tensor,
                                mlir::Value whole, const llvm::SmallBitVector& dropped);

  mlir::Value taken(const Place& place, mlir::Value whole);

  // Records the tile of a carried value that a step reads or writes. Returns false in two cases, in
  // which a step could use what another step wrote: the tiles of this value do not always run along
  // the same dimensions, or not every counter moves the tile.
  bool notes_tile(unsigned argument, const Place& place, const llvm::SmallBitVector& dropped);

  bool take(mlir::tensor::ExtractSliceOp slice);

  // The tensor `into` after the tiles of all steps have been inserted into it; null if `source` is
  // not a tile of `into`.
  mlir::Value with_tile(mlir::OffsetSizeAndStrideOpInterface insert, mlir::Value source,
                        mlir::Value dest, mlir::Value into, const llvm::SmallBitVector& dropped,
                        unsigned argument);

  static bool has_assumed(const std::vector<Dimension>& dimensions) {
    return llvm::any_of(dimensions, [](const Dimension& one) { return one.is_assumed; });
  }
  // True if a tile has the same length as `into` in every dimension whose length is assumed.
  bool has_sizes_of(mlir::Value tile, const Place& place, mlir::Value into);

  bool put(mlir::tensor::InsertSliceOp insert);

  bool is_same_place(mlir::tensor::InsertSliceOp insert, mlir::tensor::ExtractSliceOp slice);

  bool insert_in_parallel(mlir::tensor::ParallelInsertSliceOp insert);

  bool read(mlir::tensor::EmptyOp empty);

  // A linalg operation on tiles is rewritten as an operation on the whole tensors. These are the
  // facts that are collected for that.
  struct Whole {
    std::vector<int> counters;          // of each of its loops
    std::vector<int> added;             // counters whose dimension no loop of it runs through
    std::vector<mlir::Value> operands;  // on the whole
    std::vector<mlir::AffineMap> maps;  // from the added loops, then its own
  };

  bool read(mlir::linalg::LinalgOp operation);

  // Finds, for each loop of `operation` that runs through a tile, the counter that moves this tile.
  bool number_loops(mlir::linalg::LinalgOp operation, Whole& whole);

  // True if each loop that runs over a dimension of an assumed length (Dimension::is_assumed) also
  // runs over a dimension whose length is known to be this one. Then the launch refuses sizes that
  // do not agree.
  bool knows_assumed(mlir::linalg::LinalgOp operation, const Whole& whole);

  // True if the index `place` contains a loop that runs through a tile.
  static bool runs_through_tile(mlir::AffineExpr place, const Whole& whole) {
    for (unsigned loop = 0; loop < whole.counters.size(); ++loop)
      if (whole.counters[loop] != no_counter && place.isFunctionOfDim(loop)) return true;
    return false;
  }

  bool read_operand(mlir::linalg::LinalgOp operation, mlir::OpOperand& operand, bool is_sum,
                    Whole& whole);

  bool make_whole(mlir::linalg::LinalgOp operation, bool is_sum, const Whole& whole);

  mlir::LoopLikeOpInterface loop_;
  mlir::OpBuilder builder_;
  SizePolynomials sizes_;
  std::vector<Counter> counters_;
  llvm::DenseSet<mlir::Value> depends_;       // on a counter, or on what the loop carries
  llvm::DenseMap<mlir::Value, Tiled> tiles_;  // those that are tensors
  mlir::IRMapping known_;                     // what is the same in all steps, before the loop
  std::vector<Carried> carried_;              // for each argument
  std::vector<mlir::Value> results_;
  std::vector<mlir::Operation*> made_;
};

}  // namespace heddle::compiler
