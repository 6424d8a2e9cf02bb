#include "compiler/reader/zero_points.h"

#include <array>
#include <optional>
#include <vector>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace heddle::compiler {
namespace {

using mlir::Operation;
using mlir::Value;
using Kind = mlir::utils::IteratorType;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;

constexpr std::int64_t least_size = 16;

bool widens(Operation* operation) {
  return mlir::isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(operation);
}

// A factor of the product in a body: an element of an input, widened to a larger type, minus a zero
// point.
struct Factor {
  linalg::LinalgOp product;
  unsigned input = 0;  // the operand whose element it is
  Operation* widened = nullptr;
  Value zero;                          // in the body, or outside of it; null: none
  std::optional<unsigned> zero_input;  // the operand that the zero point comes from

  mlir::AffineMap map() const {
    linalg::LinalgOp of = product;
    return of.getIndexingMapsArray()[input];
  }
  mlir::AffineMap zero_map() const {
    linalg::LinalgOp of = product;
    return zero_input ? of.getIndexingMapsArray()[*zero_input]
                      : mlir::AffineMap::get(of.getNumLoops(), 0, product->getContext());
  }
};

// True if every index is a loop of its own.
bool has_loops(mlir::AffineMap map) { return map.isProjectedPermutation(); }

class Products {
 public:
  explicit Products(linalg::LinalgOp product) : product_(product) {}

  void rewrite() {
    if (!read()) return;
    for (std::size_t i = 0; i < 2; ++i) make_sum(i);
    const Value sum = plain_product();
    product_->getResult(0).replaceAllUsesWith(with_zero_points(sum));
    product_.erase();
  }

 private:
  bool is_large() {
    const auto sizes = product_.getStaticLoopRanges();
    const auto kinds = product_.getIteratorTypesArray();
    const auto maps = product_.getIndexingMapsArray();
    std::array<std::int64_t, 2> own{1, 1};  // rows of A, and columns of B
    for (unsigned loop = 0; loop < sizes.size(); ++loop) {
      std::array<bool, 2> has{};
      for (std::size_t i = 0; i < 2; ++i) has[i] = factors_[i].map().isFunctionOfDim(loop);
      if (kinds[loop] == Kind::reduction && !(has[0] && has[1])) return false;
      if (kinds[loop] == Kind::reduction || has[0] == has[1]) continue;
      std::int64_t& size = own[has[0] ? 0 : 1];
      size = mlir::ShapedType::isDynamic(sizes[loop]) ? least_size : size * sizes[loop];
    }
    return own[0] >= least_size && own[1] >= least_size;
  }

  bool read() {
    if (!product_.hasPureTensorSemantics() || product_.getNumDpsInits() != 1 ||
        product_.getNumReductionLoops() == 0 || product_.hasIndexSemantics())
      return false;
    mlir::Block& body = *product_.getBlock();
    const Value so_far = body.getArguments().back();
    auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddIOp>();
    if (!sum || !sum.getType().isInteger(32) || !so_far.hasOneUse()) return false;
    if (sum.getRhs() != so_far && sum.getLhs() != so_far) return false;
    const Value term = sum.getLhs() == so_far ? sum.getRhs() : sum.getLhs();
    auto product = term.getDefiningOp<arith::MulIOp>();
    if (!product) return false;
    const auto a = factor(product.getLhs()), b = factor(product.getRhs());
    if (!a || !b || (!a->zero && !b->zero)) return false;
    factors_ = {*a, *b};
    return has_loops(product_.getIndexingMapsArray().back()) && is_large();
  }

  std::optional<Factor> factor(Value value) {
    Factor factor;
    factor.product = product_;
    if (auto less = value.getDefiningOp<arith::SubIOp>()) {
      factor.zero = less.getRhs();
      value = less.getLhs();
    }
    factor.widened = value.getDefiningOp();
    if (!widens(factor.widened)) return std::nullopt;
    const auto element = mlir::dyn_cast<mlir::BlockArgument>(factor.widened->getOperand(0));
    if (!element || element.getOwner() != product_.getBlock() || !element.getType().isInteger(8) ||
        element.getArgNumber() >= static_cast<unsigned>(product_.getNumDpsInputs()))
      return std::nullopt;
    factor.input = element.getArgNumber();
    if (!has_loops(factor.map()) || !find_zero(factor)) return std::nullopt;
    return factor;
  }

  // Finds where a factor's zero point comes from: from an input of the product (perhaps extended),
  // from a constant, or from a value that is defined outside of the body. Returns false if it comes
  // from anything else.
  bool find_zero(Factor& factor) {
    Value zero = factor.zero;
    if (!zero) return true;
    if (widens(zero.getDefiningOp())) zero = zero.getDefiningOp()->getOperand(0);
    const auto argument = mlir::dyn_cast<mlir::BlockArgument>(zero);
    if (!argument || argument.getOwner() != product_.getBlock()) {
      if (mlir::matchPattern(zero, mlir::m_Zero())) factor.zero = nullptr;
      return mlir::matchPattern(zero, mlir::m_Constant()) ||
             zero.getParentBlock() != product_.getBlock();
    }
    if (argument.getArgNumber() >= static_cast<unsigned>(product_.getNumDpsInputs())) return false;
    factor.zero_input = argument.getArgNumber();
    if (mlir::matchPattern(product_->getOperand(*factor.zero_input), mlir::m_Zero())) {
      factor.zero = nullptr;
      factor.zero_input.reset();
      return true;
    }
    // A zero point may be the same for all elements or differ between rows, but not along k.
    const mlir::AffineMap map = factor.zero_map();
    const auto kinds = product_.getIteratorTypesArray();
    for (unsigned loop = 0; loop < kinds.size(); ++loop)
      if (map.isFunctionOfDim(loop) &&
          (kinds[loop] == Kind::reduction || !factor.map().isFunctionOfDim(loop)))
        return false;
    return has_loops(map);
  }

  // `map` without the loops that are summed over; the other loops are renumbered from 0 in their
  // order.
  mlir::AffineMap among_kept(mlir::AffineMap map) {
    const auto kinds = product_.getIteratorTypesArray();
    llvm::SmallVector<mlir::AffineExpr> places;
    unsigned next = 0;
    for (const Kind kind : kinds)
      places.push_back(kind == Kind::reduction
                           ? mlir::getAffineConstantExpr(0, product_->getContext())
                           : mlir::getAffineDimExpr(next++, product_->getContext()));
    return map.replaceDimsAndSymbols(places, {}, next, 0);
  }

  // Makes the factor's zero point in another body. `mapping` maps the block arguments of the
  // product's body to those of the other body.
  static Value zero_in(const Factor& factor, mlir::OpBuilder& builder, mlir::IRMapping& mapping) {
    Operation* made = factor.zero.getDefiningOp();
    linalg::LinalgOp product = factor.product;
    if (made == nullptr || made->getBlock() != product.getBlock())
      return mapping.lookupOrDefault(factor.zero);
    if (widens(made)) {
      Operation* source = made->getOperand(0).getDefiningOp();
      if (source != nullptr && source->getBlock() == product.getBlock())
        builder.clone(*source, mapping);
    }
    return builder.clone(*made, mapping)->getResult(0);
  }

  // The inputs of one factor: its elements, and its zero point if that is an input.
  struct Inputs {
    llvm::SmallVector<Value> values;
    llvm::SmallVector<mlir::AffineMap> maps;
    std::vector<unsigned> numbers;
  };
  void add(Inputs& inputs, unsigned number) {
    inputs.values.push_back(product_->getOperand(number));
    inputs.maps.push_back(product_.getIndexingMapsArray()[number]);
    inputs.numbers.push_back(number);
  }
  mlir::IRMapping mapping(const Inputs& inputs, mlir::ValueRange arguments) {
    mlir::IRMapping made;
    for (std::size_t i = 0; i < inputs.numbers.size(); ++i)
      made.map(product_.getBlock()->getArgument(inputs.numbers[i]), arguments[i]);
    return made;
  }

  // Makes the sum over k of the elements of factor `number`: one for each row of A (0), or for each
  // column of B (1). In the sum of B, B's zero point is subtracted from each element.
  void make_sum(std::size_t number) {
    const Factor& own = factors_[number];
    if (!factors_[1 - number].zero) return;
    const bool takes_zero = number == 1 && own.zero;
    Inputs inputs;
    add(inputs, own.input);
    if (takes_zero && own.zero_input) add(inputs, *own.zero_input);
    const mlir::AffineMap map = own.map();
    const auto kinds = product_.getIteratorTypesArray();
    mlir::OpBuilder builder(product_);
    const mlir::Location place = product_.getLoc();
    // The loops of this sum are the factor's loops, in the factor's order.
    llvm::SmallVector<mlir::AffineExpr> loops(kinds.size(), builder.getAffineConstantExpr(0)), kept;
    llvm::SmallVector<Kind> own_kinds;
    llvm::SmallVector<std::int64_t> shape;
    llvm::SmallVector<Value> sizes;
    const auto type = mlir::cast<mlir::RankedTensorType>(inputs.values[0].getType());
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
      const unsigned loop = map.getDimPosition(dim);
      loops[loop] = builder.getAffineDimExpr(dim);
      own_kinds.push_back(kinds[loop]);
      if (kinds[loop] == Kind::reduction) continue;
      kept.push_back(loops[loop]);
      kept_[number].push_back(loop);
      shape.push_back(type.getDimSize(dim));
      if (type.isDynamicDim(dim))
        sizes.push_back(mlir::tensor::DimOp::create(builder, place, inputs.values[0], dim));
    }
    const unsigned count = map.getNumResults();
    llvm::SmallVector<mlir::AffineMap> maps;
    for (const mlir::AffineMap each : inputs.maps)
      maps.push_back(each.replaceDimsAndSymbols(loops, {}, count, 0));
    maps.push_back(mlir::AffineMap::get(count, 0, kept, builder.getContext()));
    const Value empty =
        mlir::tensor::EmptyOp::create(builder, place, shape, builder.getI32Type(), sizes);
    const Value none = arith::ConstantIntOp::create(builder, place, 0, 32);
    const Value zeros = linalg::FillOp::create(builder, place, none, empty).getResult(0);
    sums_[number] =
        linalg::GenericOp::create(
            builder, place, zeros.getType(), inputs.values, zeros, maps, own_kinds,
            [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
              mlir::IRMapping names = mapping(inputs, read);
              Value x = inside.clone(*own.widened, names)->getResult(0);
              if (takes_zero) x = arith::SubIOp::create(inside, at, x, zero_in(own, inside, names));
              linalg::YieldOp::create(
                  inside, at, arith::AddIOp::create(inside, at, read.back(), x).getResult());
            })
            .getResult(0);
  }

  // Makes the product of A's and B's elements as they are, without zero points, added to the
  // initial value.
  Value plain_product() {
    Inputs inputs;
    for (const Factor& factor : factors_) add(inputs, factor.input);
    mlir::OpBuilder builder(product_);
    const Value initial = product_.getDpsInits()[0];
    llvm::SmallVector<mlir::AffineMap> maps = inputs.maps;
    maps.push_back(product_.getIndexingMapsArray().back());
    const auto body = [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
      mlir::IRMapping names = mapping(inputs, read);
      const Value a = inside.clone(*factors_[0].widened, names)->getResult(0),
                  b = inside.clone(*factors_[1].widened, names)->getResult(0),
                  product = arith::MulIOp::create(inside, at, a, b);
      linalg::YieldOp::create(inside, at,
                              arith::AddIOp::create(inside, at, read.back(), product).getResult());
    };
    return linalg::GenericOp::create(builder, product_.getLoc(), initial.getType(), inputs.values,
                                     initial, maps, product_.getIteratorTypesArray(), body)
        .getResult(0);
  }

  Value with_zero_points(Value sum) {
    mlir::OpBuilder builder(product_);
    const mlir::Location place = product_.getLoc();
    const auto type = mlir::cast<mlir::RankedTensorType>(sum.getType());
    Inputs inputs;
    inputs.values.push_back(sum);
    inputs.maps.push_back(product_.getIndexingMapsArray().back());
    std::array<std::size_t, 2> sum_places{};
    for (std::size_t i = 0; i < 2; ++i) {
      const Factor& other = factors_[1 - i];
      if (!sums_[i]) continue;
      sum_places[i] = inputs.values.size();
      inputs.values.push_back(sums_[i]);
      llvm::SmallVector<mlir::AffineExpr> kept;
      for (const unsigned loop : kept_[i]) kept.push_back(builder.getAffineDimExpr(loop));
      inputs.maps.push_back(
          mlir::AffineMap::get(product_.getNumLoops(), 0, kept, builder.getContext()));
      if (!other.zero_input) continue;
      inputs.values.push_back(product_->getOperand(*other.zero_input));
      inputs.maps.push_back(other.zero_map());
    }
    llvm::SmallVector<mlir::AffineMap> maps;
    for (const mlir::AffineMap map : inputs.maps) maps.push_back(among_kept(map));
    maps.push_back(maps.front());
    llvm::SmallVector<Value> sizes;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(mlir::tensor::DimOp::create(builder, place, sum, dim));
    const Value empty = mlir::tensor::EmptyOp::create(builder, place, type.getShape(),
                                                      type.getElementType(), sizes);
    const llvm::SmallVector<Kind> kinds(maps.front().getNumDims(), Kind::parallel);
    const auto body = [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
      Value result = read[0];
      for (std::size_t i = 0; i < 2; ++i) {
        const Factor& other = factors_[1 - i];
        if (!sums_[i]) continue;
        mlir::IRMapping names;
        if (other.zero_input)
          names.map(product_.getBlock()->getArgument(*other.zero_input), read[sum_places[i] + 1]);
        const Value zero = zero_in(other, inside, names),
                    term = arith::MulIOp::create(inside, at, read[sum_places[i]], zero);
        result = arith::SubIOp::create(inside, at, result, term);
      }
      linalg::YieldOp::create(inside, at, result);
    };
    return linalg::GenericOp::create(builder, place, type, inputs.values, empty, maps, kinds, body)
        .getResult(0);
  }

  linalg::LinalgOp product_;
  std::array<Factor, 2> factors_;
  std::array<Value, 2> sums_;
  std::array<std::vector<unsigned>, 2> kept_;  // the loops of a sum's dimensions
};

}  // namespace

void separate_zero_points(mlir::func::FuncOp function) {
  if (function.isExternal()) return;
  std::vector<linalg::LinalgOp> all;
  for (Operation& operation : function.getBody().front())
    if (auto one = mlir::dyn_cast<linalg::LinalgOp>(operation)) all.push_back(one);
  for (const linalg::LinalgOp one : all) Products(one).rewrite();
}

}  // namespace heddle::compiler
