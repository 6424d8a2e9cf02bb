#include "compiler/reader/vector_values.h"

#include <limits>

#include "compiler/reader/values.h"
#include "compiler/reader/vector_reader.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle::compiler {
namespace {

using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::VectorType;
namespace arith = mlir::arith;
namespace linalg = mlir::linalg;
namespace vector = mlir::vector;

constexpr std::string_view accepted_of_vectors =
    "contractions, reductions, broadcasts, transposes, masks, parts and transfers of vectors, "
    "after "
    "mlir-opt --lower-vector-multi-reduction or --convert-vector-to-scf for others";

bool is_vector(Type type) { return mlir::isa<VectorType>(type); }

bool has_vectors(mlir::Operation* operation) {
  return llvm::any_of(operation->getOperandTypes(), is_vector) ||
         llvm::any_of(operation->getResultTypes(), is_vector);
}

}  // namespace

bool VectorReader::refuse(Operation& operation, std::string_view accepted) {
  diagnostics_.error(operation.getLoc(), "the operation " + spelling(operation), accepted);
  return false;
}

mlir::Value VectorReader::tensor(Value value) const {
  const auto known = tensors_.find(value);
  return known == tensors_.end() ? value : known->second;
}

void VectorReader::set(Value vector, Value tensor) {
  if (is_vector(vector.getType()))
    tensors_[vector] = tensor;
  else
    vector.replaceAllUsesWith(tensor);
}

// On no target does the length of a vector depend on the machine: vector.vscale is 1, and the sizes
// in the type are used as they are.
RankedTensorType VectorReader::tensor_type(Type vector) const {
  const auto type = mlir::cast<VectorType>(vector);
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

Type VectorReader::converted(Type type) const { return is_vector(type) ? tensor_type(type) : type; }

bool VectorReader::rewrite() {
  mlir::Block& block = function_.getBody().front();
  builder_.setInsertionPointToStart(&block);
  for (const mlir::BlockArgument argument : llvm::to_vector(block.getArguments())) {
    if (!is_vector(argument.getType())) continue;
    tensors_[argument] = block.insertArgument(argument.getArgNumber() + 1,
                                              tensor_type(argument.getType()), argument.getLoc());
  }
  if (!read_block(block)) return false;
  place_ = block.getTerminator()->getLoc();
  builder_.setInsertionPoint(block.getTerminator());
  for (mlir::OpOperand& operand : block.getTerminator()->getOpOperands())
    operand.set(tensor(operand.get()));
  for (Operation* operation : llvm::reverse(dead_)) operation->erase();
  for (unsigned i = block.getNumArguments(); i-- > 0;)
    if (is_vector(block.getArgument(i).getType())) block.eraseArgument(i);
  function_.setFunctionType(
      builder_.getFunctionType(block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  return true;
}

bool VectorReader::read_block(mlir::Block& block) {
  for (Operation& operation : llvm::make_early_inc_range(block.without_terminator()))
    if (!read(operation)) return false;
  return true;
}

bool VectorReader::read(Operation& operation) {
  place_ = operation.getLoc();
  builder_.setInsertionPoint(&operation);
  if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(operation)) return read_loop(loop);
  if (auto condition = mlir::dyn_cast<mlir::scf::IfOp>(operation)) return read_condition(condition);
  if (mlir::isa<mlir::scf::ForallOp, mlir::scf::ParallelOp>(operation) && !has_vectors(&operation))
    return read_block(operation.getRegion(0).front());
  const bool is_of_vectors = operation.getName().getDialectNamespace() == "vector";
  if (!is_of_vectors && !has_vectors(&operation)) return true;
  dead_.push_back(&operation);
  if (mlir::isa<arith::ConstantOp>(operation)) return read_constant(operation);
  if (is_of_vectors) return read_vector(operation);
  return read_elementwise(operation);
}

bool VectorReader::read_vector(Operation& operation) {
  return llvm::TypeSwitch<Operation*, bool>(&operation)
      .Case([&](vector::BroadcastOp one) { return read_broadcast(one); })
      .Case([&](vector::ContractionOp one) { return read_contraction(one, {}); })
      .Case([&](vector::OuterProductOp one) { return read_outer_product(one, {}); })
      .Case<vector::MultiDimReductionOp, vector::ReductionOp>(
          [&](auto one) { return read_reduction(one, {}); })
      .Case([&](vector::MaskOp one) { return read_masked(one); })
      .Case<vector::CreateMaskOp, vector::ConstantMaskOp>([&](auto one) { return read_mask(one); })
      .Case([&](vector::ExtractOp one) { return read_extract(one); })
      .Case([&](vector::InsertOp one) { return read_insert(one); })
      .Case<vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(
          [&](auto one) { return read_strided(one); })
      .Case([&](vector::FromElementsOp one) { return read_elements(one); })
      .Case([&](vector::InterleaveOp one) { return read_interleave(one); })
      .Case([&](vector::DeinterleaveOp one) { return read_deinterleave(one); })
      .Case([&](vector::ShuffleOp one) { return read_shuffle(one); })
      .Case([&](vector::StepOp one) { return read_step(one); })
      .Case([&](vector::TransferReadOp one) { return read_transfer(one, one.getMask()); })
      .Case([&](vector::TransferWriteOp one) { return write_transfer(one, one.getMask()); })
      .Case([&](vector::LoadOp one) {
        const std::vector<bool> inside(static_cast<std::size_t>(one.getVectorType().getRank()),
                                       true);
        const auto rank = static_cast<unsigned>(one.getMemRefType().getRank());
        return read_memory({one,
                            one.getBase(),
                            one.getIndices(),
                            AffineMap::getMinorIdentityMap(
                                rank, static_cast<unsigned>(inside.size()), builder_.getContext()),
                            one.getVectorType(),
                            inside,
                            {},
                            {}},
                           one.getResult());
      })
      .Case([&](vector::StoreOp one) {
        const std::vector<bool> inside(static_cast<std::size_t>(one.getVectorType().getRank()),
                                       true);
        const auto rank = static_cast<unsigned>(one.getMemRefType().getRank());
        return write_memory({one,
                             one.getBase(),
                             one.getIndices(),
                             AffineMap::getMinorIdentityMap(
                                 rank, static_cast<unsigned>(inside.size()), builder_.getContext()),
                             one.getVectorType(),
                             inside,
                             {},
                             {}},
                            tensor(one.getValueToStore()));
      })
      .Case([&](vector::TransposeOp one) {
        const auto type = tensor_type(one.getType());
        set(one, linalg::TransposeOp::create(builder_, place(), tensor(one.getVector()),
                                             empty(type), one.getPermutation())
                     ->getResult(0));
        return true;
      })
      .Case([&](vector::ShapeCastOp one) {
        set(one, reshaped(tensor(one.getSource()), tensor_type(one.getType())));
        return true;
      })
      .Case([&](vector::FMAOp one) {
        set(one, mlir::math::FmaOp::create(builder_, place(), tensor(one.getLhs()),
                                           tensor(one.getRhs()), tensor(one.getAcc())));
        return true;
      })
      .Default([&](Operation* one) { return refuse(*one, accepted_of_vectors); });
}

bool VectorReader::read_elementwise(Operation& operation) {
  const bool is_elementwise = operation.hasTrait<mlir::OpTrait::Elementwise>() &&
                              operation.getNumRegions() == 0 && operation.getNumResults() == 1;
  if (!is_elementwise) return refuse(operation, "arith and math, and operations of vector");
  mlir::OperationState state(place(), operation.getName());
  for (const Value operand : operation.getOperands()) state.operands.push_back(tensor(operand));
  state.addTypes(converted(operation.getResult(0).getType()));
  state.attributes = operation.getAttrs();
  set(operation.getResult(0), builder_.create(state)->getResult(0));
  return true;
}

bool VectorReader::read_constant(Operation& operation) {
  auto constant = mlir::cast<arith::ConstantOp>(operation);
  auto values = mlir::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
  if (!values) return refuse(operation, "dense constants");
  set(constant, arith::ConstantOp::create(builder_, place(),
                                          values.reshape(tensor_type(constant.getType()))));
  return true;
}

// The same loop, which carries tensors.
bool VectorReader::read_loop(mlir::scf::ForOp loop) {
  std::vector<Value> initial;
  bool carries = false;
  for (const Value value : loop.getInitArgs()) {
    initial.push_back(tensor(value));
    carries = carries || is_vector(value.getType());
  }
  mlir::Block& body = *loop.getBody();
  if (carries) {
    dead_.push_back(loop);  // erased behind what is inside, which uses its arguments
    auto made = mlir::scf::ForOp::create(builder_, place(), loop.getLowerBound(),
                                         loop.getUpperBound(), loop.getStep(), initial);
    made.setUnsignedCmp(loop.getUnsignedCmp());
    mlir::Block& inside = *made.getBody();
    if (inside.mightHaveTerminator()) inside.getTerminator()->erase();
    loop.getInductionVar().replaceAllUsesWith(made.getInductionVar());
    for (const auto& [old, now] :
         llvm::zip_equal(loop.getRegionIterArgs(), made.getRegionIterArgs()))
      set(old, now);
    inside.getOperations().splice(inside.end(), body.getOperations());
    if (!read_block(inside)) return false;
    for (mlir::OpOperand& operand : inside.getTerminator()->getOpOperands())
      operand.set(tensor(operand.get()));
    for (const auto& [old, now] : llvm::zip_equal(loop.getResults(), made.getResults()))
      set(old, now);
    builder_.setInsertionPointToEnd(&body);
    mlir::scf::YieldOp::create(builder_, place());
    return true;
  }
  return read_block(body);
}

// Reads scf.if. If it has results, the operations of both branches are computed, and then the
// results of one branch are selected.
bool VectorReader::read_condition(mlir::scf::IfOp condition) {
  if (condition.getNumResults() == 0) {
    bool is_read = read_block(*condition.thenBlock());
    if (is_read && condition.elseBlock() != nullptr) is_read = read_block(*condition.elseBlock());
    return is_read;
  }
  if (!read_block(*condition.thenBlock()) || !read_block(*condition.elseBlock())) return false;
  if (llvm::none_of(condition.getResultTypes(), is_vector)) return true;
  const auto can_be_computed = [](mlir::Block* block) {
    return llvm::all_of(block->without_terminator(), [](Operation& one) {
      return mlir::isMemoryEffectFree(&one) || mlir::isa<vector::TransferReadOp>(one) ||
             mlir::isa<mlir::bufferization::ToTensorOp>(one);
    });
  };
  if (!can_be_computed(condition.thenBlock()) || !can_be_computed(condition.elseBlock()))
    return refuse(*condition, "parts that write nothing");
  place_ = condition.getLoc();
  builder_.setInsertionPoint(condition);
  mlir::scf::YieldOp yields[] = {condition.thenYield(), condition.elseYield()};
  for (mlir::Block* block : {condition.thenBlock(), condition.elseBlock()})
    condition->getBlock()->getOperations().splice(condition->getIterator(), block->getOperations(),
                                                  block->begin(), std::prev(block->end()));
  for (unsigned i = 0; i < condition.getNumResults(); ++i) {
    const Value then = tensor(yields[0].getOperand(i)), other = tensor(yields[1].getOperand(i));
    set(condition.getResult(i),
        arith::SelectOp::create(builder_, place(), condition.getCondition(), then, other));
  }
  dead_.push_back(condition);
  return true;
}

bool VectorReader::read_broadcast(vector::BroadcastOp broadcast) {
  const auto type = tensor_type(broadcast.getType());
  const Value source = tensor(broadcast.getSource());
  const auto from = mlir::dyn_cast<RankedTensorType>(source.getType());
  if (!from) {
    set(broadcast, filled(type, source));
    return true;
  }
  llvm::SmallVector<mlir::AffineExpr> places;
  const std::int64_t first = type.getRank() - from.getRank();
  for (std::int64_t i = 0; i < from.getRank(); ++i)
    places.push_back(from.getShape()[static_cast<std::size_t>(i)] ==
                             type.getShape()[static_cast<std::size_t>(first + i)]
                         ? builder_.getAffineDimExpr(static_cast<unsigned>(first + i))
                         : builder_.getAffineConstantExpr(0));
  set(broadcast, mapped(source,
                        AffineMap::get(static_cast<unsigned>(type.getRank()), 0, places,
                                       builder_.getContext()),
                        type));
  return true;
}

bool VectorReader::read_contraction(vector::ContractionOp contraction, Value mask) {
  llvm::SmallVector<bool> is_summed;
  for (const mlir::Attribute kind : contraction.getIteratorTypes())
    is_summed.push_back(vector::isReductionIterator(kind));
  const Value initial = tensor(contraction.getAcc());
  const Value made =
      sum(*contraction, {tensor(contraction.getLhs()), tensor(contraction.getRhs())},
          contraction.getIndexingMapsArray(), is_summed, initial, contraction.getKind(), mask);
  set(contraction.getResult(), made);
  return true;
}

bool VectorReader::read_outer_product(vector::OuterProductOp product, Value mask) {
  const auto type = tensor_type(product.getType());
  const bool is_scaled = !is_vector(product.getOperandTypeRHS());
  const Value x = tensor(product.getLhs());
  Value y = product.getRhs(), initial = product.getAcc() ? tensor(product.getAcc()) : Value();
  const auto map = [&](llvm::ArrayRef<unsigned> dims) {
    return AffineMap::getMultiDimMapWithTargets(is_scaled ? 1 : 2, dims, builder_.getContext());
  };
  llvm::SmallVector<AffineMap> maps{map({0}), is_scaled ? map({}) : map({1}),
                                    is_scaled ? map({0}) : map({0, 1})};
  y = is_scaled ? number_in_tensor(y) : tensor(y);
  if (!initial && mask)
    initial = arith::ConstantOp::create(builder_, place(), builder_.getZeroAttr(type));
  if (!initial) {
    const bool is_float = mlir::isa<mlir::FloatType>(type.getElementType());
    const auto body = [&](mlir::OpBuilder& inside, mlir::Location at, mlir::ValueRange read) {
      const Value made = is_float ? arith::MulFOp::create(inside, at, read[0], read[1]).getResult()
                                  : arith::MulIOp::create(inside, at, read[0], read[1]).getResult();
      linalg::YieldOp::create(inside, at, made);
    };
    const llvm::SmallVector<mlir::utils::IteratorType> kinds(is_scaled ? 1 : 2,
                                                             mlir::utils::IteratorType::parallel);
    set(product, linalg::GenericOp::create(builder_, place(), type, mlir::ValueRange{x, y},
                                           empty(type), maps, kinds, body)
                     .getResult(0));
    return true;
  }
  const llvm::SmallVector<bool> is_summed(is_scaled ? 1 : 2, false);
  set(product, sum(*product, {x, y}, maps, is_summed, initial, product.getKind(), mask));
  return true;
}

bool VectorReader::read_reduction(vector::MultiDimReductionOp reduction, Value mask) {
  const Value source = tensor(reduction.getSource());
  const llvm::SmallVector<bool> is_summed = reduction.getReductionMask();
  const auto rank = static_cast<unsigned>(is_summed.size());
  llvm::SmallVector<unsigned> kept;
  for (unsigned i = 0; i < rank; ++i)
    if (!is_summed[i]) kept.push_back(i);
  const AffineMap maps[] = {
      builder_.getMultiDimIdentityMap(rank),
      AffineMap::getMultiDimMapWithTargets(rank, kept, builder_.getContext())};
  set(reduction.getResult(), sum(*reduction, {source}, maps, is_summed, tensor(reduction.getAcc()),
                                 reduction.getKind(), mask));
  return true;
}

bool VectorReader::read_reduction(vector::ReductionOp reduction, Value mask) {
  const Value source = tensor(reduction.getVector());
  const auto type = mlir::cast<RankedTensorType>(source.getType());
  const auto rank = static_cast<unsigned>(type.getRank());
  const AffineMap maps[] = {builder_.getMultiDimIdentityMap(rank),
                            AffineMap::get(rank, 0, builder_.getContext())};
  const llvm::SmallVector<bool> is_summed(rank, true);
  const Value initial = reduction.getAcc() ? Value(reduction.getAcc())
                                           : neutral(reduction.getKind(), type.getElementType());
  set(reduction.getResult(),
      sum(*reduction, {source}, maps, is_summed, initial, reduction.getKind(), mask));
  return true;
}

// Reads vector.mask, whose region contains one operation. This operation is applied only to the
// elements that the mask selects.
bool VectorReader::read_masked(vector::MaskOp masked) {
  Operation* inside = masked.getMaskableOp();
  const Value mask = tensor(masked.getMask());
  if (inside == nullptr || masked.getPassthru())
    return refuse(*masked, "a mask of one operation, without values for the others");
  const bool is_read =
      llvm::TypeSwitch<Operation*, bool>(inside)
          .Case([&](vector::ContractionOp one) { return read_contraction(one, mask); })
          .Case([&](vector::OuterProductOp one) { return read_outer_product(one, mask); })
          .Case<vector::MultiDimReductionOp, vector::ReductionOp>(
              [&](auto one) { return read_reduction(one, mask); })
          .Case([&](vector::TransferReadOp one) { return read_transfer(one, mask); })
          .Case([&](vector::TransferWriteOp one) { return write_transfer(one, mask); })
          .Default([&](Operation* one) { return refuse(*one, accepted_of_vectors); });
  if (!is_read) return false;
  for (unsigned i = 0; i < masked->getNumResults(); ++i) {
    Value result = masked->getResult(i);
    const Value of = inside->getResult(i);
    if (is_vector(result.getType())) {
      tensors_[result] = tensors_.lookup(of);
    } else {
      result.replaceAllUsesWith(masked.getMaskBlock()->getTerminator()->getOperand(i));
    }
  }
  return true;
}

bool make_tensors_of_vectors(mlir::func::FuncOp function, Diagnostics& diagnostics) {
  bool has = llvm::any_of(function.getArgumentTypes(), is_vector);
  function.walk([&](mlir::Operation* one) { has = has || has_vectors(one); });
  if (!has || !function.getBody().hasOneBlock()) return true;
  // Loads the dialects of the operations that are made here, although the user's text may not use
  // them.
  function.getContext()
      ->loadDialect<arith::ArithDialect, mlir::bufferization::BufferizationDialect,
                    linalg::LinalgDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::tensor::TensorDialect>();
  return VectorReader(function, diagnostics).rewrite();
}

}  // namespace heddle::compiler
