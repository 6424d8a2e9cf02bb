// Helpers for emitting the code of one thread: where code is inserted, the number of the thread's
// lane, and the coordinates of the elements that the thread holds.
//
// These files use it: transfer_code.h reads and writes memory, multiplication_code.h multiplies,
// conversion_code.h moves elements between lanes. distribute.cpp puts them together.
#pragma once

#include <map>

#include "compiler/warp/contraction.h"
#include "compiler/warp/layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

class ThreadCode {
 public:
  /// Code that depends only on the number of the lane is inserted at the beginning of `body`, so
  /// that it is computed once. `options` must outlive this object.
  ThreadCode(mlir::Block& body, mlir::Location where, const WarpOptions& options);

  mlir::ImplicitLocOpBuilder builder;
  const WarpOptions& options;

  /// The number of the lane: index.
  mlir::Value lane();

  mlir::Value index(std::int64_t number);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);  // either may be null: true

  /// The part of coordinate `axis` that depends on the lane; null if no part does. In the thread's
  /// lane, register r has the coordinate (this value) xor (the coordinate of register r in lane 0).
  mlir::Value lane_coordinate(const layout::LinearLayout& map, int axis);

  /// Coordinate `axis` of register `reg`: index.
  mlir::Value coordinate(const layout::LinearLayout& map, std::uint64_t reg, int axis);

  /// i1: true if coordinate `axis` of register `reg` is less than `limit`. Null if that is so in
  /// every lane. If it is so in no lane, `never` is set to true.
  mlir::Value is_below(const layout::LinearLayout& map, std::uint64_t reg, int axis,
                       std::int64_t limit, bool& never);

  /// elements() returns the single elements of a vector of one dimension; vector_of() makes such a
  /// vector of single elements.
  llvm::SmallVector<mlir::Value> elements(mlir::Value vector);
  mlir::Value vector_of(llvm::ArrayRef<mlir::Value> elements);

  /// slice() returns `count` elements of a vector, from number `first` on. joined() concatenates
  /// vectors of equal length; their number must be a power of two. The two functions use
  /// vector.shuffle, which every lowering to LLVM supports.
  mlir::Value slice(mlir::Value vector, std::int64_t first, std::int64_t count);
  mlir::Value joined(llvm::SmallVector<mlir::Value> pieces);

  /// rows() reshapes a vector of one dimension to rows of `columns` elements; flat() turns such
  /// rows into a vector of one dimension.
  mlir::Value rows(mlir::Value vector, std::int64_t columns);
  mlir::Value flat(mlir::Value rows);

  /// A vector of zeros, or zero.
  mlir::Value zero(mlir::Type type);

 private:
  // A coordinate that depends on the lane is made by shifts of the lane number. Maps each distance
  // of a shift to the bits of the lane number that are shifted by this distance.
  using Moves = std::map<int, std::uint32_t>;

  mlir::Block& body_;
  mlir::Value lane_;
  mlir::Operation* last_ = nullptr;  // of the code at the beginning
  std::map<Moves, mlir::Value> known_;
  llvm::DenseMap<mlir::Value, mlir::Value> rows_;  // what flat vectors were made of
  template <typename Make>
  mlir::Value at_beginning(Make make);
};

}  // namespace heddle::compiler
