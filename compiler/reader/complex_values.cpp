#include "compiler/reader/complex_values.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/reader/formula_reader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle::compiler {
namespace {

using mlir::AffineExpr;
using mlir::AffineMap;
using mlir::Value;
using mlir::utils::IteratorType;

constexpr const char* accepted_operations =
    "products of two, and around them sums, differences, negation, conjugates, transposition and "
    "broadcasts of complex<f32> or complex<f64>, and linalg.fill with 0";

mlir::ComplexType complex_of(mlir::Type type) {
  return mlir::dyn_cast<mlir::ComplexType>(mlir::getElementTypeOrSelf(type));
}

bool is_complex(mlir::Type type) { return complex_of(type) != nullptr; }

// An array of complex numbers is rewritten as an array of floats with a last dimension of 2, for
// the real and the imaginary parts. Returns the layout of the array of floats, if `layout` is that
// of the array of complex numbers; null if strides or the offset are dynamic.
mlir::Attribute layout_of_parts(mlir::MemRefLayoutAttrInterface layout,
                                llvm::ArrayRef<std::int64_t> shape) {
  mlir::MLIRContext* context = layout.getContext();
  if (layout.isIdentity())
    return mlir::AffineMapAttr::get(
        AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(shape.size()) + 1, context));
  llvm::SmallVector<std::int64_t> strides;
  std::int64_t offset = 0;
  if (mlir::failed(layout.getStridesAndOffset(shape, strides, offset))) return {};
  const auto is_open = [](std::int64_t number) { return mlir::ShapedType::isDynamic(number); };
  if (is_open(offset) || llvm::any_of(strides, is_open)) return {};
  for (std::int64_t& stride : strides) stride *= 2;
  strides.push_back(1);
  return mlir::StridedLayoutAttr::get(context, 2 * offset, strides);
}

// The type of the array of real and imaginary parts that replaces an array of complex numbers;
// `type` itself if it is not complex. Null if the new array's layout in memory cannot be expressed.
mlir::Type parts_of(mlir::Type type) {
  const mlir::ComplexType number = complex_of(type);
  if (!number) return type;
  const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor) return {};
  llvm::SmallVector<std::int64_t> shape(tensor.getShape());
  shape.push_back(2);
  mlir::Attribute encoding = tensor.getEncoding();
  if (const auto layout =
          mlir::dyn_cast_if_present<mlir::MemRefLayoutAttrInterface>(tensor.getEncoding())) {
    encoding = layout_of_parts(layout, tensor.getShape());
    if (!encoding) return {};
  }
  return mlir::RankedTensorType::get(shape, number.getElementType(), encoding);
}

// Rewrites a function in three steps:
// - Checks all types, and records the loops of all operations.
// - Changes the types of arguments.
// - Rewrites, in the order of the text, the operations that use values whose types have changed.
class ComplexValues {
 public:
  ComplexValues(mlir::func::FuncOp function, Diagnostics& diagnostics)
      : function_(function), diagnostics_(diagnostics), builder_(function.getContext()) {}

  bool run() {
    mlir::Block& body = function_.getBody().front();
    if (!check_types(body)) return false;
    std::vector<mlir::Operation*> all;
    for (mlir::Operation& operation : body)
      if (llvm::any_of(operation.getOperandTypes(), is_complex) ||
          llvm::any_of(operation.getResultTypes(), is_complex)) {
        all.push_back(&operation);
        if (auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation))
          loops_[&operation] = {linalg.getIndexingMapsArray(), linalg.getIteratorTypesArray()};
      }
    for (mlir::BlockArgument argument : body.getArguments())
      argument.setType(parts_of(argument.getType()));
    for (mlir::Operation* operation : all)
      if (!rewrite(operation)) return false;
    for (mlir::Operation& operation : llvm::make_early_inc_range(body))
      if (mlir::isa<mlir::complex::ConstantOp>(operation) && operation.use_empty())
        operation.erase();
    function_.setFunctionType(mlir::FunctionType::get(
        function_.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
    return true;
  }

 private:
  bool refuse(mlir::Location where, const std::string& found, const char* accepted) {
    diagnostics_.error(where, found, accepted);
    return false;
  }

  bool check_types(mlir::Block& body) {
    const auto is_taken = [&](mlir::Value value) {
      const mlir::ComplexType number = complex_of(value.getType());
      if (!number) return true;
      const mlir::Type part = number.getElementType();
      if (!part.isF32() && !part.isF64())
        return refuse(place_of(value), "elements of " + printed(number),
                      "complex<f32> or complex<f64>");
      const bool is_constant = value.getDefiningOp<mlir::complex::ConstantOp>() != nullptr;
      if (is_constant || parts_of(value.getType())) return true;
      const bool is_single = mlir::isa<mlir::ComplexType>(value.getType());
      return refuse(place_of(value), (is_single ? "one " : "") + printed(value.getType()),
                    "tensors and memrefs of complex numbers, with known strides");
    };
    if (!llvm::all_of(body.getArguments(), is_taken)) return false;
    for (mlir::Operation& operation : body)
      if (!llvm::all_of(operation.getResults(), is_taken)) return false;
    return true;
  }

  bool rewrite(mlir::Operation* operation) {
    const auto is_number = [](mlir::Type type) { return mlir::isa<mlir::ComplexType>(type); };
    if (mlir::isa<mlir::complex::ConstantOp>(operation)) return true;
    if (mlir::isa<mlir::tensor::EmptyOp, mlir::bufferization::MaterializeInDestinationOp,
                  mlir::tensor::CastOp, mlir::tensor::DimOp, mlir::func::ReturnOp>(operation)) {
      for (Value result : operation->getResults()) result.setType(parts_of(result.getType()));
      return true;
    }
    builder_.setInsertionPoint(operation);
    if (auto fill = mlir::dyn_cast<mlir::linalg::FillOp>(operation)) return rewrite_fill(fill);
    if (llvm::any_of(operation->getOperandTypes(), is_number))
      return refuse(operation->getLoc(), name_of(operation) + " of one complex number",
                    accepted_operations);
    auto linalg = mlir::dyn_cast<mlir::linalg::LinalgOp>(operation);
    if (!linalg || linalg.getNumDpsInits() != 1 || operation->getNumResults() != 1)
      return refuse(operation->getLoc(), name_of(operation) + " of complex numbers",
                    accepted_operations);
    return rewrite_loops(linalg);
  }

  static std::string name_of(mlir::Operation* operation) {
    return operation->getName().getStringRef().str();
  }

  bool rewrite_fill(mlir::linalg::FillOp fill) {
    auto constant = fill.getInputs()[0].getDefiningOp<mlir::complex::ConstantOp>();
    const auto is_zero = [](mlir::Attribute part) {
      return mlir::cast<mlir::FloatAttr>(part).getValue().isPosZero();
    };
    if (!constant || !llvm::all_of(constant.getValue(), is_zero))
      return refuse(fill.getLoc(), "linalg.fill with a complex number other than a constant 0",
                    accepted_operations);
    const mlir::Type part = mlir::getElementTypeOrSelf(fill.getOutputs()[0].getType());
    const Value zero =
        mlir::arith::ConstantOp::create(builder_, fill.getLoc(), builder_.getFloatAttr(part, 0.0));
    auto made = mlir::linalg::FillOp::create(builder_, fill.getLoc(), zero, fill.getOutputs()[0]);
    replace(fill, made->getResult(0));
    return true;
  }

  void replace(mlir::Operation* operation, Value value) {
    operation->getResult(0).replaceAllUsesWith(value);
    operation->erase();
  }

  // For the body of a linalg operation that adds the product x * y to its output: the body's
  // arguments x and y.
  struct Body {
    mlir::BlockArgument x, y;
  };

  // complex.add(output, complex.mul(x, y)), in any order.
  static std::optional<Body> product_of(mlir::Block& block) {
    Value sum = block.getTerminator()->getOperand(0);
    auto add = sum.getDefiningOp<mlir::complex::AddOp>();
    if (!add || block.getOperations().size() != 3) return std::nullopt;
    const Value output = block.getArguments().back();
    const Value product = add.getLhs() == output ? add.getRhs() : add.getLhs();
    if (add.getLhs() != output && add.getRhs() != output) return std::nullopt;
    auto multiply = product.getDefiningOp<mlir::complex::MulOp>();
    if (!multiply) return std::nullopt;
    const auto x = mlir::dyn_cast<mlir::BlockArgument>(multiply.getLhs());
    const auto y = mlir::dyn_cast<mlir::BlockArgument>(multiply.getRhs());
    if (!x || !y || x == output || y == output) return std::nullopt;
    return Body{x, y};
  }

  bool rewrite_loops(mlir::linalg::LinalgOp linalg) {
    const mlir::Location where = linalg->getLoc();
    mlir::Block& block = *linalg.getBlock();
    const auto& [maps, kinds] = loops_.at(linalg);
    const bool is_elementwise =
        llvm::all_of(kinds, [](IteratorType kind) { return kind == IteratorType::parallel; });
    const auto is_projection = [](AffineMap map) { return map.isProjectedPermutation(); };
    const auto product = product_of(block);
    // A convolution indexes its first operand by sums of loops.
    const bool is_convolution = product && product->x.getArgNumber() == 0 &&
                                llvm::all_of(llvm::drop_begin(maps), is_projection);
    if (!is_convolution && !llvm::all_of(maps, is_projection))
      return refuse(where, name_of(linalg) + " of complex numbers at other places than loops",
                    accepted_operations);
    if (is_elementwise && computes_each(block)) return rewrite_elementwise(linalg, maps, kinds);
    if (product && linalg.getNumDpsInputs() == 2)
      return rewrite_product(linalg, *product, maps, kinds);
    return refuse(where, name_of(linalg) + " that computes something else of complex numbers",
                  accepted_operations);
  }

  // True if the block only computes sums, differences, negations and conjugates of complex numbers
  // that the block itself defines.
  static bool computes_each(mlir::Block& block) {
    const auto is_inside = [&](Value value) { return value.getParentBlock() == &block; };
    const auto is_known = [](mlir::Operation& operation) {
      return mlir::isa<mlir::complex::AddOp, mlir::complex::SubOp, mlir::complex::NegOp,
                       mlir::complex::ConjOp>(operation);
    };
    return llvm::all_of(block.getArgumentTypes(), is_complex) &&
           llvm::all_of(block.without_terminator(), is_known) &&
           llvm::all_of(block, [&](mlir::Operation& operation) {
             return llvm::all_of(operation.getOperands(), is_inside);
           });
  }

  Value mask(mlir::Location where, llvm::ArrayRef<std::int64_t> shape,
             llvm::ArrayRef<bool> values) {
    const auto type = mlir::RankedTensorType::get(shape, builder_.getI1Type());
    return mlir::arith::ConstantOp::create(builder_, where,
                                           mlir::DenseElementsAttr::get(type, values));
  }

  AffineMap map_of(std::size_t loops, llvm::ArrayRef<AffineExpr> results) {
    return AffineMap::get(static_cast<unsigned>(loops), 0, results, builder_.getContext());
  }

  // `map` with further results `more`.
  AffineMap longer(AffineMap map, std::size_t loops, llvm::ArrayRef<AffineExpr> more) {
    llvm::SmallVector<AffineExpr> results(map.getResults());
    results.append(more.begin(), more.end());
    return map_of(loops, results);
  }

  // Applies an elementwise operation to the real and imaginary parts separately. A conjugation
  // negates only the imaginary part.
  bool rewrite_elementwise(mlir::linalg::LinalgOp linalg, llvm::ArrayRef<AffineMap> maps,
                           llvm::ArrayRef<IteratorType> kinds) {
    const mlir::Location where = linalg->getLoc();
    mlir::Block& block = *linalg.getBlock();
    const std::size_t loops = kinds.size() + 1;
    const AffineExpr part = builder_.getAffineDimExpr(static_cast<unsigned>(loops) - 1);
    llvm::SmallVector<Value> inputs(linalg.getDpsInputs());
    llvm::SmallVector<AffineMap> all;
    for (std::size_t i = 0; i < maps.size(); ++i) all.push_back(longer(maps[i], loops, {part}));
    inputs.push_back(mask(where, {2}, {true, false}));
    all.insert(all.end() - 1, map_of(loops, {part}));
    llvm::SmallVector<IteratorType> each(loops, IteratorType::parallel);
    const Value output = linalg.getDpsInits()[0];
    auto made = mlir::linalg::GenericOp::create(
        builder_, where, output.getType(), inputs, output, all, each,
        [&](mlir::OpBuilder& inside, mlir::Location, mlir::ValueRange arguments) {
          mlir::IRMapping known;
          const std::size_t count = block.getNumArguments() - 1;
          for (std::size_t i = 0; i < count; ++i)
            known.map(block.getArgument(static_cast<unsigned>(i)), arguments[i]);
          known.map(block.getArguments().back(), arguments.back());
          for (mlir::Operation& operation : block.without_terminator())
            known.map(operation.getResult(0), part_of(inside, operation, known, arguments[count]));
          mlir::linalg::YieldOp::create(inside, where,
                                        known.lookup(block.getTerminator()->getOperand(0)));
        });
    replace(linalg, made->getResult(0));
    return true;
  }

  static Value part_of(mlir::OpBuilder& builder, mlir::Operation& operation,
                       const mlir::IRMapping& known, Value is_real) {
    const mlir::Location where = operation.getLoc();
    const Value x = known.lookup(operation.getOperand(0));
    if (mlir::isa<mlir::complex::AddOp>(operation))
      return mlir::arith::AddFOp::create(builder, where, x, known.lookup(operation.getOperand(1)));
    if (mlir::isa<mlir::complex::SubOp>(operation))
      return mlir::arith::SubFOp::create(builder, where, x, known.lookup(operation.getOperand(1)));
    const Value negated = mlir::arith::NegFOp::create(builder, where, x);
    if (mlir::isa<mlir::complex::NegOp>(operation)) return negated;
    return mlir::arith::SelectOp::create(builder, where, is_real, x, negated);
  }

  // Makes the array B' (see complex_values.h): for each complex number, the four factors by which
  // the two parts of A enter the two parts of D.
  Value factors(mlir::Location where, Value numbers) {
    const auto type = mlir::cast<mlir::RankedTensorType>(numbers.getType());
    const auto rank = static_cast<std::size_t>(type.getRank()) - 1;
    const std::size_t loops = rank + 2;
    llvm::SmallVector<AffineExpr> own, all;
    llvm::SmallVector<Value> sizes;
    llvm::SmallVector<std::int64_t> shape(type.getShape());
    shape.push_back(2);
    for (std::size_t i = 0; i < loops; ++i) {
      all.push_back(builder_.getAffineDimExpr(static_cast<unsigned>(i)));
      if (i < rank) own.push_back(all.back());
      if (i < rank && type.isDynamicDim(static_cast<unsigned>(i)))
        sizes.push_back(
            mlir::tensor::DimOp::create(builder_, where, numbers, static_cast<std::int64_t>(i)));
    }
    const AffineMap map = map_of(loops, own);
    const AffineMap masks = map_of(loops, {all[rank], all[rank + 1]});
    const Value is_same = mask(where, {2, 2}, {true, false, false, true});
    const Value is_plus = mask(where, {2, 2}, {true, true, false, true});
    const Value empty =
        mlir::tensor::EmptyOp::create(builder_, where, shape, type.getElementType(), sizes);
    const llvm::SmallVector<AffineMap> maps{longer(map, loops, {builder_.getAffineConstantExpr(0)}),
                                            longer(map, loops, {builder_.getAffineConstantExpr(1)}),
                                            masks, masks, map_of(loops, all)};
    const llvm::SmallVector<IteratorType> each(loops, IteratorType::parallel);
    auto made = mlir::linalg::GenericOp::create(
        builder_, where, empty.getType(), mlir::ValueRange{numbers, numbers, is_same, is_plus},
        empty, maps, each,
        [&](mlir::OpBuilder& inside, mlir::Location, mlir::ValueRange arguments) {
          const Value minus = mlir::arith::NegFOp::create(inside, where, arguments[1]);
          const Value imaginary =
              mlir::arith::SelectOp::create(inside, where, arguments[3], arguments[1], minus);
          const Value factor =
              mlir::arith::SelectOp::create(inside, where, arguments[2], arguments[0], imaginary);
          mlir::linalg::YieldOp::create(inside, where, factor);
        });
    return made->getResult(0);
  }

  bool rewrite_product(mlir::linalg::LinalgOp linalg, const Body& body,
                       llvm::ArrayRef<AffineMap> maps, llvm::ArrayRef<IteratorType> kinds) {
    const mlir::Location where = linalg->getLoc();
    const std::size_t loops = kinds.size() + 2;
    const AffineExpr j = builder_.getAffineDimExpr(static_cast<unsigned>(loops) - 2);
    const AffineExpr i = builder_.getAffineDimExpr(static_cast<unsigned>(loops) - 1);
    const unsigned x = body.x.getArgNumber(), y = body.y.getArgNumber();
    const Value b = factors(where, linalg.getDpsInputs()[y]);
    const Value output = linalg.getDpsInits()[0];
    const llvm::SmallVector<AffineMap> all{
        longer(maps[x], loops, {i}), longer(maps[y], loops, {i, j}), longer(maps[2], loops, {j})};
    llvm::SmallVector<IteratorType> each(kinds.begin(), kinds.end());
    each.push_back(IteratorType::parallel);
    each.push_back(IteratorType::reduction);
    auto made = mlir::linalg::GenericOp::create(
        builder_, where, output.getType(), mlir::ValueRange{linalg.getDpsInputs()[x], b}, output,
        all, each, [&](mlir::OpBuilder& inside, mlir::Location, mlir::ValueRange arguments) {
          const Value product =
              mlir::arith::MulFOp::create(inside, where, arguments[0], arguments[1]);
          const Value sum = mlir::arith::AddFOp::create(inside, where, arguments[2], product);
          mlir::linalg::YieldOp::create(inside, where, sum);
        });
    replace(linalg, made->getResult(0));
    return true;
  }

  mlir::func::FuncOp function_;
  Diagnostics& diagnostics_;
  mlir::OpBuilder builder_;
  // The loops of an operation on complex numbers. They are recorded before types are changed, since
  // some operations derive their loops from the types of their operands.
  struct Loops {
    llvm::SmallVector<AffineMap> maps;
    llvm::SmallVector<IteratorType> kinds;
  };
  std::map<mlir::Operation*, Loops> loops_;
};

}  // namespace

bool split_complex_numbers(mlir::func::FuncOp function, Diagnostics& diagnostics) {
  if (!llvm::hasSingleElement(function.getBody())) return true;  // refused later
  mlir::Block& body = function.getBody().front();
  const auto has_complex = [](mlir::Operation& operation) {
    return llvm::any_of(operation.getResultTypes(), is_complex);
  };
  if (!llvm::any_of(body.getArgumentTypes(), is_complex) && !llvm::any_of(body, has_complex))
    return true;
  return ComplexValues(function, diagnostics).run();
}

}  // namespace heddle::compiler
