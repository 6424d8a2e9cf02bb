// One loop over tiles that whole_tiles.h replaces by its body on the whole.
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

  // One counter of a loop: its tiles begin at `offset`, a step apart, and end at `end`.
  struct Counter {
    SizePolynomial offset, step, end;
  };

  // A dimension of the whole that a tile is of.
  struct Dimension {
    int counter = no_counter;    // that moves the tile along it
    bool is_dropped = false;     // the tile does not have the dimension; it is 1 long there
    SizePolynomial length = {};  // that the text gives it
    // The whole is only taken to be that long, until an operation also reads something that is.
    bool is_assumed = false;
    friend bool operator==(const Dimension& x, const Dimension& y) {
      return x.counter == y.counter && x.is_dropped == y.is_dropped;
    }
  };

  // What replaces a value of the body that depends on a counter.
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

  // How a loop uses a value that it carries. It either writes tiles, each element once, or adds to
  // one part in every step.
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

  // True if `size` is that of the tiles of a counter: a step, or what is left at the end. A step of
  // constant tiles that do not divide the end reaches beyond it.
  bool is_tile_size(mlir::OpFoldResult size, int of);

  // The counter whose tiles are as long as a dimension of a tile.
  int tile_of_size(mlir::tensor::DimOp dim) const;

  // True if a dimension of this length is all that a counter's tiles cover. See whole_tiles.h.
  bool covers(const SizePolynomial& end, const SizePolynomial& length) const;
  bool is_dynamic_size(const SizePolynomial& number) const {
    const SizeAtom* size = sizes_.only_atom(number);
    return size != nullptr && size->dim >= 0;
  }

  // A number that is the same in all steps, outside of the loop.
  std::optional<mlir::OpFoldResult> outside(mlir::OpFoldResult number);
  std::optional<mlir::OpFoldResult> made_size(const SizePolynomial& size);
  mlir::OpFoldResult length(mlir::Value tensor, std::int64_t dim);

  // The place of a slice in the whole: which dimensions move with counters, and the slice with all
  // tiles of those. No offsets if the slice is all of the tensor.
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

  // What the steps before wrote is beside the tile that a step reads.
  bool notes_tile(unsigned argument, const Place& place, const llvm::SmallBitVector& dropped);

  bool take(mlir::tensor::ExtractSliceOp slice);

  // `into` after a tile has become a part of it; null if that is no tile of it.
  mlir::Value with_tile(mlir::OffsetSizeAndStrideOpInterface insert, mlir::Value source,
                        mlir::Value dest, mlir::Value into, const llvm::SmallBitVector& dropped,
                        unsigned argument);

  static bool has_assumed(const std::vector<Dimension>& dimensions) {
    return llvm::any_of(dimensions, [](const Dimension& one) { return one.is_assumed; });
  }
  // True if a tile is as long as `into` where that is only taken to have a length.
  bool has_sizes_of(mlir::Value tile, const Place& place, mlir::Value into);

  bool put(mlir::tensor::InsertSliceOp insert);

  bool is_same_place(mlir::tensor::InsertSliceOp insert, mlir::tensor::ExtractSliceOp slice);

  bool insert_in_parallel(mlir::tensor::ParallelInsertSliceOp insert);

  bool read(mlir::tensor::EmptyOp empty);

  // What is known of a linalg operation while it is made an operation on the whole.
  struct Whole {
    std::vector<int> counters;          // of each of its loops
    std::vector<int> added;             // counters whose dimension no loop of it runs through
    std::vector<mlir::Value> operands;  // on the whole
    std::vector<mlir::AffineMap> maps;  // from the added loops, then its own
  };

  bool read(mlir::linalg::LinalgOp operation);

  // Finds the counter of each loop: that along which tiles are moved where the loop runs.
  bool number_loops(mlir::linalg::LinalgOp operation, Whole& whole);

  // True if each loop over a dimension that is only taken to be of a length also runs over one that
  // is: sizes that do not agree are then refused where the kernel is launched.
  bool knows_assumed(mlir::linalg::LinalgOp operation, const Whole& whole);

  // True if a loop that runs through a tile stands in `place`.
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
