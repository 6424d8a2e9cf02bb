// Reads the body of a function as one contraction and a formula of its result.
//
// Every linalg operation whose loops are all parallel is a formula for each element (element.h).
// One operation must be a contraction: a sum of products of two formulas. The values that the
// function returns, or stores in an argument, are then formulas in which the contraction's result
// is an input.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/reader/element.h"
#include "compiler/reader/loop_numbers.h"
#include "compiler/reader/tensor_formula.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace heddle::compiler {

/// The list of what a text may contain, for messages.
inline constexpr std::string_view accepted_body =
    "linalg.matmul or other contractions, with arith.constant, tensor.empty, linalg.fill and "
    "elementwise linalg operations before and after it, perhaps in loops over tiles";

/// One coordinate of a contraction.
struct ContractionLoop {
  std::int64_t size = -1;  // -1: not known
  bool is_summed = false;
  int counter = -1;  // of a loop of the text around the contraction
};

///   result[coordinates] = initial[coordinates] + sum over the summed loops of
///                         factors[0] * factors[1]
///
/// If `combine` is a step other than addition, such as a maximum, it combines values of factors[0]
/// alone, without a product.
struct ContractionFormula {
  mlir::Operation* operation = nullptr;
  std::vector<ContractionLoop> loops;
  Element factors[2];               // over the loops
  mlir::Value operands[2];          // where each comes from, for messages
  Element initial;                  // over the coordinates of the result
  bool initial_is_any = false;      // nothing wrote it
  std::vector<int> result;          // the loop of each coordinate of the result
  instruction::ElementType type{};  // in which it multiplies and adds
  Step combine = Step::add;         // one that reduces

  /// Rewrites `initial` so that it depends only on the coordinates of the result, and no longer on
  /// counters of loops over tiles.
  void without_counters();
};

/// A value that a function returns, or stores to an argument.
struct ResultFormula {
  TensorFormula value;          // over its own coordinates
  mlir::Value place;            // the value, or the argument that holds it
  std::optional<Leaf> written;  // its places in that argument; nothing: it is returned
};

/// Everything that a function does.
struct Formula {
  ContractionFormula contraction;
  std::vector<ResultFormula> results;  // D, and others that are computed from the same contraction
};

/// The tile of the tensor `into` that one step of a loop writes. `into` is what the loop carries.
/// `offsets` is the index in `into` of the tile's first element.
struct TileFormula {
  TensorFormula tile;
  std::vector<Index> offsets;
  mlir::Value into;
};

/// What an operation on whole tensors computes of elements at one place: leaf i is that of its
/// operand i. Its formula is made when another kind of operation reads it, since each formula has
/// all steps before it.
struct LaterFormula {
  Element steps;
  std::vector<mlir::Value> operands;
  std::vector<Parts> dims;  // of the operands, as of the result
};

class FormulaReader {
 public:
  FormulaReader(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics) {}

  std::optional<Formula> read();

 private:
  bool refuse(mlir::Location place, std::string_view found, std::string_view accepted);
  bool check_body();
  bool is_any(mlir::Value value) const;
  bool refuse_unwritten(mlir::Value operand, bool is_product);
  TensorFormula tensor(mlir::Value value);
  void compute(mlir::Value value);
  std::vector<Parts> dims_of(mlir::Value value) const;
  bool is_written(mlir::Value value) const;
  bool check_sizes(mlir::linalg::LinalgOp operation);
  std::int64_t length_of(mlir::linalg::LinalgOp operation, int loop);
  std::optional<std::vector<Parts>> parts_of_loops(mlir::linalg::LinalgOp operation);
  bool read_operation(mlir::Operation& operation);
  bool read_linalg(mlir::linalg::LinalgOp operation);
  bool read_elementwise(mlir::Operation& operation);
  void read_number(mlir::Operation& operation);
  bool read_contraction(mlir::linalg::LinalgOp operation, Element body, int root,
                        const std::vector<Parts>& loops);
  std::optional<int> bind(mlir::OpOperand& operand, mlir::AffineMap map,
                          const std::vector<Parts>& loops, Element& body);
  TensorFormula result_of(mlir::linalg::LinalgOp operation, const std::vector<Parts>& loops,
                          const Element& over_loops) const;
  bool read_reshape(mlir::Operation& operation);
  bool read_insertion(mlir::tensor::InsertSliceOp insert);
  bool read_loop(mlir::LoopLikeOpInterface loop);
  bool open_loop(mlir::LoopLikeOpInterface loop);
  std::optional<TileFormula> tile_of(mlir::OffsetSizeAndStrideOpInterface insert,
                                     mlir::Value source, mlir::Value into,
                                     const llvm::SmallBitVector& dropped);
  bool refuse_tile(mlir::OffsetSizeAndStrideOpInterface insert);
  TileFormula written_by(mlir::Value value, mlir::Value into);
  bool is_whole(const TileFormula& written);
  void set_tile(mlir::Value value, const TileFormula& written);
  bool close_loop(mlir::LoopLikeOpInterface loop, std::size_t outer, unsigned number,
                  TileFormula& written);
  bool add_up(mlir::LoopLikeOpInterface loop, TileFormula& written, int counter, int source);
  bool lay_side_by_side(mlir::LoopLikeOpInterface loop, TileFormula& written,
                        const std::vector<int>& counters);
  bool replace_carried(TileFormula& written, int source, mlir::Value value);
  const Element* captured(mlir::Value value) const;
  void write(mlir::linalg::LinalgOp operation, TensorFormula tensor);
  bool read_end();
  bool read_result(mlir::Operation* end, ResultFormula& result);

  mlir::func::FuncOp function_;
  Diagnostics& diagnostics_;
  std::map<const void*, TensorFormula>
      tensors_;                                // by the value, as it is at this point of the text
  std::map<const void*, LaterFormula> later_;  // by the value, which `tensors_` has not yet
  std::map<const void*, TensorFormula> standing_over_;  // what linalg.unpack gives, of whole tiles
  LoopNumbers numbers_;
  std::vector<int> counters_;                 // of the loops that are being read
  std::map<const void*, int> carried_;        // the sources that stand for what loops carry
  std::map<const void*, TileFormula> tiles_;  // of values of which a loop writes a part
  bool has_contraction_ = false;
  Formula formula_;
};

/// The location that a message about `value` points to.
mlir::Location place_of(mlir::Value value);

}  // namespace heddle::compiler
