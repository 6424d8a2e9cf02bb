// The common parts of the lowering to one thread's code: where code goes, the number of the lane,
// and the coordinates of its elements.
//
// The parts: transfer_code.h reads and writes memory, multiplication_code.h multiplies,
// conversion_code.h moves elements between lanes; distribute.cpp puts them together.
#pragma once

#include <map>

#include "compiler/warp/contraction.h"
#include "compiler/warp/layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle::compiler {

class ThreadCode {
 public:
  /// Code of the lane's number goes to the beginning of `body`.
  ThreadCode(mlir::Block& body, mlir::Location where, const WarpOptions& options);

  mlir::ImplicitLocOpBuilder builder;
  const WarpOptions& options;

  /// The number of the lane: index.
  mlir::Value lane();

  mlir::Value index(std::int64_t number);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value x, mlir::Value y);  // either may be null: true

  /// The part of coordinate `axis` that comes from the lane; null if it has none. The coordinate of
  /// register r is this xor the coordinate of register r in lane 0.
  mlir::Value lane_coordinate(const layout::LinearLayout& map, int axis);

  /// Coordinate `axis` of register `reg`: index.
  mlir::Value coordinate(const layout::LinearLayout& map, std::uint64_t reg, int axis);

  /// i1: coordinate `axis` of register `reg` is below `limit`. Null if it always is; `never` is set
  /// if it never is.
  mlir::Value is_below(const layout::LinearLayout& map, std::uint64_t reg, int axis,
                       std::int64_t limit, bool& never);

  /// Elements of a vector of one dimension one by one, and back.
  llvm::SmallVector<mlir::Value> elements(mlir::Value vector);
  mlir::Value vector_of(llvm::ArrayRef<mlir::Value> elements);

  /// slice() takes `count` elements of a vector from `first` on. joined() concatenates vectors of
  /// one length, whose number is a power of two. Both use vector.shuffle, which every lowering to
  /// LLVM supports.
  mlir::Value slice(mlir::Value vector, std::int64_t first, std::int64_t count);
  mlir::Value joined(llvm::SmallVector<mlir::Value> pieces);

  /// A vector of one dimension as one of rows of `columns` elements, and back.
  mlir::Value rows(mlir::Value vector, std::int64_t columns);
  mlir::Value flat(mlir::Value rows);

  /// A vector of zeros, or zero.
  mlir::Value zero(mlir::Type type);

 private:
  // The bits of the lane that move by the same distance, by distance.
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
