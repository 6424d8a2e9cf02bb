#include "compiler/reader/attention_operations.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "library/text/formatted.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"

namespace heddle::compiler {
namespace attention {

namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
using mlir::AffineMap;
using mlir::OpAsmParser;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;
using mlir::ValueRange;
using Kind = mlir::utils::IteratorType;

// Parses `word`, which is "ins" or "outs", and then operands and their types in parentheses:
// `ins(%a, %b : type, type)`.
mlir::ParseResult parse_operands(OpAsmParser& parser, llvm::StringRef word,
                                 mlir::OperationState& state, std::size_t& count) {
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  llvm::SmallVector<mlir::Type> types;
  const llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(word) || parser.parseLParen() || parser.parseOperandList(operands) ||
      parser.parseColonTypeList(types) || parser.parseRParen() ||
      parser.resolveOperands(operands, types, place, state.operands))
    return mlir::failure();
  count = operands.size();
  return mlir::success();
}

// Both attention operations have this syntax: attributes `ins` (Q, K, V, scale, mask : types)
// `outs` (results : types) { body } -> types
template <class Concrete>
class AttentionBase
    : public mlir::Op<Concrete, mlir::OpTrait::OneRegion, mlir::OpTrait::VariadicResults,
                      mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::VariadicOperands> {
 public:
  using Base = mlir::Op<Concrete, mlir::OpTrait::OneRegion, mlir::OpTrait::VariadicResults,
                        mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::VariadicOperands>;
  using Base::Base;

  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }

  static mlir::ParseResult parse(OpAsmParser& parser, mlir::OperationState& state) {
    std::size_t inputs = 0, outs = 0;
    mlir::Region* body = state.addRegion();
    if (parser.parseOptionalAttrDict(state.attributes) ||
        parse_operands(parser, "ins", state, inputs) || parse_operands(parser, "outs", state, outs))
      return mlir::failure();
    const mlir::OptionalParseResult has_body = parser.parseOptionalRegion(*body);
    if (has_body.has_value() && mlir::failed(*has_body)) return mlir::failure();
    if (mlir::failed(parser.parseOptionalArrow())) return mlir::success();
    return parser.parseTypeList(state.types);
  }
};

class AttentionOp : public AttentionBase<AttentionOp> {
 public:
  using AttentionBase::AttentionBase;
  static llvm::StringRef getOperationName() { return "iree_linalg_ext.attention"; }
};

class OnlineAttentionOp : public AttentionBase<OnlineAttentionOp> {
 public:
  using AttentionBase::AttentionBase;
  static llvm::StringRef getOperationName() { return "iree_linalg_ext.online_attention"; }
};

class YieldOp : public mlir::Op<YieldOp, mlir::OpTrait::ZeroRegions, mlir::OpTrait::ZeroResults,
                                mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::VariadicOperands,
                                mlir::OpTrait::IsTerminator> {
 public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "iree_linalg_ext.yield"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  static mlir::ParseResult parse(OpAsmParser& parser, mlir::OperationState& state) {
    OpAsmParser::UnresolvedOperand operand;
    mlir::Type type;
    return mlir::failure(parser.parseOperand(operand) || parser.parseColonType(type) ||
                         parser.resolveOperand(operand, type, state.operands));
  }
};

// The operation that returns the index of the current score along one dimension of the scores. The
// dimensions are heads, queries and keys, in this order.
class IndexOp : public mlir::Op<IndexOp, mlir::OpTrait::ZeroRegions, mlir::OpTrait::OneResult,
                                mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::ZeroOperands> {
 public:
  using Op::Op;
  static llvm::StringRef getOperationName() { return "iree_linalg_ext.index"; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }
  static mlir::ParseResult parse(OpAsmParser& parser, mlir::OperationState& state) {
    std::uint32_t dimension = 0;
    mlir::Type type;
    if (parser.parseInteger(dimension) || parser.parseColonType(type)) return mlir::failure();
    if (!type.isIndex()) return parser.emitError(parser.getNameLoc(), "an index of another type");
    state.addAttribute("dim", parser.getBuilder().getI64IntegerAttr(dimension));
    state.addTypes(type);
    return mlir::success();
  }
};

class AttentionDialect : public mlir::Dialect {
 public:
  explicit AttentionDialect(mlir::MLIRContext* context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<AttentionDialect>()) {
    addOperations<AttentionOp, OnlineAttentionOp, YieldOp, IndexOp>();
    // Loads the dialects of the operations into which attention is expanded, as the user's text
    // need not use these dialects itself.
    context->loadDialect<arith::ArithDialect, linalg::LinalgDialect, mlir::math::MathDialect,
                         mlir::tensor::TensorDialect>();
  }
  static constexpr llvm::StringLiteral getDialectNamespace() { return "iree_linalg_ext"; }

  // ParseOpHook only refers to the function that it calls, so that function must outlive it.
  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef) const override {
    return ParseOpHook(refuse_other);
  }

 private:
  // MLIR writes the name before this.
  static mlir::ParseResult refuse_other(OpAsmParser& parser, mlir::OperationState&) {
    return parser.emitError(parser.getNameLoc(),
                            "is not read; accepted of iree_linalg_ext: attention and "
                            "online_attention");
  }
};

using Dims = std::vector<unsigned>;  // numbers of loops

Dims dims_of(AffineMap map) {
  Dims dims;
  for (unsigned i = 0; i < map.getNumResults(); ++i) dims.push_back(map.getDimPosition(i));
  return dims;
}

// The indexing map of an operand with dimensions `dims`, in a loop nest over `loops`.
AffineMap map_over(const Dims& loops, const Dims& dims, mlir::MLIRContext* context) {
  llvm::SmallVector<mlir::AffineExpr> results;
  for (const unsigned dim : dims)
    results.push_back(mlir::getAffineDimExpr(
        static_cast<unsigned>(std::ranges::find(loops, dim) - loops.begin()), context));
  return AffineMap::get(static_cast<unsigned>(loops.size()), 0, results, context);
}

bool has_all(const Dims& all, const Dims& some) {
  return std::ranges::all_of(some, [&](unsigned dim) { return std::ranges::count(all, dim) != 0; });
}

Dims joined(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A tensor and its dimensions.
struct Tensor {
  Value value;
  Dims dims;
};

// Expands one attention operation. Records its operands, and gives each loop one of the roles
// batch, queries, keys, depth or columns.
class Expansion {
 public:
  Expansion(Operation* operation, Diagnostics& diagnostics)
      : operation_(operation),
        diagnostics_(diagnostics),
        builder_(operation),
        is_online_(mlir::isa<OnlineAttentionOp>(operation)) {}

  bool run() {
    if (!read_operands() || !read_loops() || !read_body() || (is_online_ && !begins()))
      return false;
    const Tensor scores = computed_scores();
    const Tensor largest = reduced<arith::MaximumFOp>(scores, start(1, -INFINITY));
    const Tensor powers = each({scores, largest}, builder_.getF32Type(), [&](auto& b, auto read) {
      const Value difference = arith::SubFOp::create(b, place(), read[0], read[1]);
      if (uses_powers_of_two()) return Value(mlir::math::Exp2Op::create(b, place(), difference));
      return Value(mlir::math::ExpOp::create(b, place(), difference));
    });
    const Tensor sum = reduced<arith::AddFOp>(powers, start(2, 0));
    const mlir::Type narrow = element_of(v_.value);
    const Tensor shares =
        each(is_online_ ? std::vector{powers} : std::vector{powers, sum}, narrow,
             [&](auto& b, auto read) {
               const Value share =
                   is_online_ ? read[0] : arith::DivFOp::create(b, place(), read[0], read[1]);
               return converted(b, share, narrow);
             });
    finish({product(shares, v_, start(0, 0), keys_), largest, sum});
    return true;
  }

 private:
  mlir::Location place() const { return operation_->getLoc(); }
  bool refuse(const std::string& found, std::string_view accepted) {
    diagnostics_.error(place(), operation_->getName().getStringRef().str() + " with " + found,
                       accepted);
    return false;
  }
  static mlir::Type element_of(Value tensor) { return mlir::getElementTypeOrSelf(tensor); }
  static bool is_wide_float(mlir::Type type) {
    return mlir::isa<mlir::FloatType>(type) && type.getIntOrFloatBitWidth() >= 16 &&
           type.getIntOrFloatBitWidth() <= 64;
  }

  bool read_operands() {
    const unsigned outs = is_online_ ? 3 : 1, count = operation_->getNumOperands();
    const auto maps = operation_->getAttrOfType<mlir::ArrayAttr>("indexing_maps");
    if ((count != 4 + outs && count != 5 + outs) || operation_->getNumResults() != outs)
      return refuse("other operands or results",
                    is_online_ ? "ins Q, K, V, the scale and perhaps a mask; outs the result, the "
                                 "largest scores and the sums, all of tensors"
                               : "ins Q, K, V, the scale and perhaps a mask; outs the result, all "
                                 "of tensors");
    if (!maps || maps.size() != count)
      return refuse("indexing_maps of other operands", "a map for each operand of ins and outs");
    std::vector<Tensor> all;
    for (unsigned i = 0; i < count; ++i) {
      const auto attribute = mlir::dyn_cast<mlir::AffineMapAttr>(maps[i]);
      const Value operand = operation_->getOperand(i);
      const auto tensor = mlir::dyn_cast<RankedTensorType>(operand.getType());
      const bool is_scale = i == 3, is_mask = i == 4 && count == 5 + outs;
      if (!attribute || !attribute.getValue().isProjectedPermutation() ||
          (i != 0 && attribute.getValue().getNumDims() != loops_) || (!tensor && !is_scale) ||
          attribute.getValue().getNumResults() != (tensor ? tensor.getRank() : 0))
        return refuse(formatted("operand {} and its map", i),
                      "tensors, and a loop of the maps for each of their dimensions");
      loops_ = attribute.getValue().getNumDims();
      const mlir::Type element = element_of(operand);
      if (!is_wide_float(element) && !(is_mask && element.isSignlessInteger()))
        return refuse("elements of " + printed(element),
                      "floats of 16 bits or more; masks of integers");
      all.push_back({operand, dims_of(attribute.getValue())});
    }
    for (unsigned i = 0; i < outs; ++i)
      if (operation_->getResult(i).getType() != all[count - outs + i].value.getType())
        return refuse("results of other types than outs", "the same");
    q_ = all[0], k_ = all[1], v_ = all[2], scale_ = all[3];
    if (count == 5 + outs) mask_ = all[4];
    outs_.assign(all.end() - outs, all.end());
    return all[3].dims.empty() || refuse("a scale for each element", "one for all");
  }

  // Finds the role of each loop. The role follows from which of the operands (Q, K, V and the
  // result) the loop indexes.
  bool read_loops() {
    enum : unsigned { of_q = 1, of_k = 2, of_v = 4, of_result = 8 };
    sizes_.assign(loops_, mlir::ShapedType::kDynamic);
    from_.resize(loops_);
    std::vector<Tensor> all{q_, k_, v_, outs_[0]};
    if (mask_) all.push_back(*mask_);
    for (std::size_t i = 1; i < outs_.size(); ++i) all.push_back(outs_[i]);
    for (const Tensor& tensor : all)
      for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
        const std::int64_t size =
            mlir::cast<RankedTensorType>(tensor.value.getType()).getShape()[i];
        std::int64_t& known = sizes_[tensor.dims[i]];
        if (known >= 0 && size >= 0 && known != size)
          return refuse(formatted("sizes {} and {} of a loop", known, size), "one size");
        if (size >= 0) known = size;
        if (!from_[tensor.dims[i]].first)
          from_[tensor.dims[i]] = {tensor.value, static_cast<std::int64_t>(i)};
      }
    Dims batch, rows;
    for (unsigned loop = 0; loop < loops_; ++loop) {
      unsigned in = 0;
      for (unsigned i = 0; i < 4; ++i)
        in |= std::ranges::count(all[i].dims, loop) != 0 ? 1u << i : 0;
      Dims* const kind = in == (of_q | of_k | of_v | of_result) ? &batch
                         : in == (of_q | of_result)             ? &rows
                         : in == (of_q | of_k)                  ? &depth_
                         : in == (of_k | of_v)                  ? &keys_
                         : in == (of_v | of_result)             ? &columns_
                                                                : nullptr;
      if (kind == nullptr)
        return refuse(
            formatted("a loop d{} of other operands", loop),
            "batches of all, queries of Q and the result, keys of K and V, the depth of Q "
            "and K, columns of V and the result");
      kind->push_back(loop);
    }
    if (keys_.empty() || depth_.empty()) return refuse("no keys or no depth", "both");
    rows_ = joined(batch, rows);
    scores_ = joined(rows_, keys_);
    if (mask_ && !has_all(scores_, mask_->dims))
      return refuse("a mask of other loops", "of heads, queries and keys");
    for (std::size_t i = 1; i < outs_.size(); ++i)
      if (outs_[i].dims.size() != rows_.size() || !has_all(rows_, outs_[i].dims))
        return refuse("largest scores or sums of other loops", "one for each query");
    return true;
  }

  // Reads the operation's region: its body computes a new score from a score.
  bool read_body() {
    mlir::Region& region = operation_->getRegion(0);
    if (region.empty()) return true;
    body_ = &region.front();
    const auto yield = mlir::dyn_cast<YieldOp>(body_->getTerminator());
    bool is_right = region.hasOneBlock() && yield && yield->getNumOperands() == 1 &&
                    body_->getNumArguments() == 1 &&
                    is_wide_float(body_->getArgument(0).getType()) &&
                    is_wide_float(yield->getOperand(0).getType());
    body_->walk([&](IndexOp index) {
      is_right =
          is_right && index->getAttrOfType<mlir::IntegerAttr>("dim").getInt() < std::ssize(scores_);
    });
    return is_right || refuse("another body",
                              "a block of one score that yields one, and "
                              "iree_linalg_ext.index of the scores' dimensions");
  }

  // True if the initial values of the outs are those that hold before the first key: 0 for the
  // result, lowest numbers for the largest score, 0 for the sum.
  bool begins() {
    constexpr double low = -1e30;
    for (std::size_t i = 0; i < outs_.size(); ++i) {
      const Value value = outs_[i].value;
      auto fill = value.getDefiningOp<linalg::FillOp>();
      mlir::Attribute number;
      mlir::FloatAttr found;
      if (mlir::matchPattern(fill ? fill.getInputs()[0] : value, mlir::m_Constant(&number))) {
        const auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(number);
        found = mlir::dyn_cast<mlir::FloatAttr>(splat ? splat.getSplatValue<mlir::Attribute>()
                                                      : number);
      }
      if (!found || (i == 1 ? !(found.getValueAsDouble() <= low) : !found.getValue().isZero()))
        return refuse("sums of other keys to go on with",
                      "outs that are filled with 0, -infinity or the lowest number, and 0");
    }
    return true;
  }

  bool uses_powers_of_two() const {
    if (!is_online_) return false;
    const auto how = operation_->getAttrOfType<mlir::DictionaryAttr>("decomposition_config");
    const auto two = how ? how.getAs<mlir::BoolAttr>("use_exp2") : nullptr;
    return !two || two.getValue();
  }

  Value empty(const Dims& dims, mlir::Type element) {
    llvm::SmallVector<mlir::OpFoldResult> sizes;
    for (const unsigned dim : dims) {
      const auto& [tensor, at] = from_[dim];
      if (sizes_[dim] >= 0)
        sizes.push_back(builder_.getIndexAttr(sizes_[dim]));
      else
        sizes.push_back(mlir::tensor::getMixedSize(builder_, place(), tensor, at));
    }
    return mlir::tensor::EmptyOp::create(builder_, place(), sizes, element);
  }

  // The initial value of result `number`: the operation's own out for online attention, otherwise a
  // tensor of f32 filled with `value`.
  Tensor start(std::size_t number, double value) {
    if (is_online_) return outs_[number];
    const Dims& dims = number == 0 ? outs_[0].dims : rows_;
    const mlir::Type type = builder_.getF32Type();
    const Value constant =
        arith::ConstantOp::create(builder_, place(), builder_.getFloatAttr(type, value));
    return {linalg::FillOp::create(builder_, place(), constant, empty(dims, type)).getResult(0),
            dims};
  }

  Value converted(mlir::OpBuilder& builder, Value number, mlir::Type type) {
    const unsigned from = number.getType().getIntOrFloatBitWidth(),
                   to = type.getIntOrFloatBitWidth();
    if (number.getType() == type) return number;
    if (from < to) return arith::ExtFOp::create(builder, place(), type, number);
    if (from > to) return arith::TruncFOp::create(builder, place(), type, number);
    const Value wide = arith::ExtFOp::create(builder, place(), builder.getF32Type(), number);
    return arith::TruncFOp::create(builder, place(), type, wide);
  }

  // Makes a linalg.generic that writes a tensor like `written`. Its loops are parallel over the
  // dimensions of `written` and reductions over the dimensions in `over`. `element` builds the body
  // from one element of each tensor in `read` and of `written`.
  template <class Element>
  Tensor nest(const std::vector<Tensor>& read, const Tensor& written, const Dims& over,
              Element element) {
    const Dims loops = joined(written.dims, over);
    llvm::SmallVector<Kind> kinds(written.dims.size(), Kind::parallel);
    kinds.append(over.size(), Kind::reduction);
    llvm::SmallVector<Value> inputs;
    llvm::SmallVector<AffineMap> maps;
    for (const Tensor& one : read) {
      inputs.push_back(one.value);
      maps.push_back(map_over(loops, one.dims, builder_.getContext()));
    }
    maps.push_back(map_over(loops, written.dims, builder_.getContext()));
    auto made = linalg::GenericOp::create(
        builder_, place(), written.value.getType(), inputs, ValueRange(written.value), maps, kinds,
        [&](mlir::OpBuilder& inside, mlir::Location, ValueRange arguments) {
          linalg::YieldOp::create(inside, place(), element(inside, arguments));
        });
    return {made->getResult(0), written.dims};
  }

  // For each score.
  template <class Element>
  Tensor each(const std::vector<Tensor>& read, mlir::Type type, Element element) {
    return nest(read, {empty(scores_, type), scores_}, {}, element);
  }

  template <class Combine>
  Tensor reduced(const Tensor& scores, const Tensor& first) {
    return nest({scores}, first, keys_, [&](mlir::OpBuilder& builder, ValueRange read) {
      const Value number = converted(builder, read[0], read[1].getType());
      return Value(Combine::create(builder, place(), number, read[1]));
    });
  }

  Tensor product(const Tensor& a, const Tensor& b, const Tensor& first, const Dims& over) {
    return nest({a, b}, first, over, [&](mlir::OpBuilder& builder, ValueRange read) {
      const mlir::Type type = read[2].getType();
      const Value term = arith::MulFOp::create(builder, place(), converted(builder, read[0], type),
                                               converted(builder, read[1], type));
      return Value(arith::AddFOp::create(builder, place(), read[2], term));
    });
  }

  Tensor computed_scores() {
    const mlir::Type type = builder_.getF32Type();
    const Value zero = arith::ConstantOp::create(builder_, place(), builder_.getFloatAttr(type, 0));
    const Value zeros =
        linalg::FillOp::create(builder_, place(), zero, empty(scores_, type)).getResult(0);
    std::vector<Tensor> read{product(q_, k_, {zeros, scores_}, depth_)};
    // A constant scale is written into the body; any other scale is an operand of the operation.
    mlir::Attribute scale;
    const bool is_known = mlir::matchPattern(scale_.value, mlir::m_Constant(&scale)) &&
                          mlir::isa<mlir::FloatAttr>(scale);
    if (!is_known) read.push_back(scale_);
    if (mask_) read.push_back(*mask_);
    return each(read, type, [&](mlir::OpBuilder& builder, ValueRange elements) {
      const auto constant = [&](double number) {
        return arith::ConstantOp::create(builder, place(), builder.getFloatAttr(type, number));
      };
      const Value factor = is_known
                               ? constant(mlir::cast<mlir::FloatAttr>(scale).getValueAsDouble())
                               : converted(builder, elements[1], type);
      Value score = arith::MulFOp::create(builder, place(), elements[0], factor);
      score = after_body(builder, score);
      if (mask_) score = masked(builder, score, elements[is_known ? 1 : 2], constant(-INFINITY));
      if (!uses_powers_of_two()) return score;
      return Value(arith::MulFOp::create(builder, place(), score, constant(M_LOG2E)));
    });
  }

  Value after_body(mlir::OpBuilder& builder, Value score) {
    if (body_ == nullptr) return score;
    mlir::IRMapping known;
    known.map(body_->getArgument(0), converted(builder, score, body_->getArgument(0).getType()));
    for (Operation& one : body_->without_terminator()) {
      if (auto index = mlir::dyn_cast<IndexOp>(one)) {
        const auto dim = index->getAttrOfType<mlir::IntegerAttr>("dim").getValue().getZExtValue();
        known.map(index->getResult(0), linalg::IndexOp::create(builder, place(), dim).getResult());
      } else {
        builder.clone(one, known);
      }
    }
    return converted(builder, known.lookupOrDefault(body_->getTerminator()->getOperand(0)),
                     score.getType());
  }

  Value masked(mlir::OpBuilder& builder, Value score, Value mask, Value low) {
    if (mlir::isa<mlir::FloatType>(mask.getType()))
      return arith::AddFOp::create(builder, place(), score,
                                   converted(builder, mask, score.getType()));
    if (!mask.getType().isInteger(1))
      mask = arith::TruncIOp::create(builder, place(), builder.getI1Type(), mask);
    return arith::SelectOp::create(builder, place(), mask, score, low);
  }

  void finish(const std::vector<Tensor>& made) {
    for (unsigned i = 0; i < operation_->getNumResults(); ++i) {
      const auto type = mlir::cast<RankedTensorType>(operation_->getResult(i).getType());
      Value result = made[i].value;
      const auto own = mlir::cast<RankedTensorType>(result.getType());
      if (own.getElementType() != type.getElementType()) {
        const Tensor whole{empty(made[i].dims, type.getElementType()), made[i].dims};
        result = nest({made[i]}, whole, {}, [&](mlir::OpBuilder& builder, ValueRange read) {
                   return converted(builder, read[0], type.getElementType());
                 }).value;
      }
      if (result.getType() != type)
        result = mlir::tensor::CastOp::create(builder_, place(), type, result);
      operation_->getResult(i).replaceAllUsesWith(result);
    }
    operation_->erase();
  }

  Operation* operation_;
  Diagnostics& diagnostics_;
  mlir::OpBuilder builder_;
  bool is_online_;
  unsigned loops_ = 0;
  Tensor q_, k_, v_, scale_;
  std::optional<Tensor> mask_;
  std::vector<Tensor> outs_;
  std::vector<std::int64_t> sizes_;                   // of each loop
  std::vector<std::pair<Value, std::int64_t>> from_;  // a dimension that has its size
  Dims depth_, keys_, columns_, rows_, scores_;       // loops of each; of batches, too
  mlir::Block* body_ = nullptr;
};

}  // namespace attention

void add_attention_dialect(mlir::DialectRegistry& registry) {
  registry.insert<attention::AttentionDialect>();
}

bool expand_attention(mlir::func::FuncOp function, Diagnostics& diagnostics) {
  std::vector<mlir::Operation*> all;
  function.walk([&](mlir::Operation* one) {
    if (mlir::isa<attention::AttentionOp, attention::OnlineAttentionOp>(one)) all.push_back(one);
  });
  return std::ranges::all_of(
      all, [&](mlir::Operation* one) { return attention::Expansion(one, diagnostics).run(); });
}

}  // namespace heddle::compiler
